//! The loopback device of a new network namespace: programs that talk to themselves expect it to be up.

use rustix::{
    io,
    net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with},
};

const RTM_NEWLINK: u16 = 16;
const REQUEST_AND_ACKNOWLEDGE: u16 = 1 | 4;
const IFF_UP: u32 = 1;
/// The first device of a network namespace is its loopback.
const LOOPBACK: i32 = 1;
/// A header of 16 bytes, and 16 about the device.
const LENGTH: u32 = 32;

pub fn bring_up() -> io::Result<()> {
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    let mut message = Vec::with_capacity(LENGTH as usize);
    message.extend(LENGTH.to_ne_bytes());
    message.extend(RTM_NEWLINK.to_ne_bytes());
    message.extend(REQUEST_AND_ACKNOWLEDGE.to_ne_bytes());
    message.extend(1_u32.to_ne_bytes()); // sequence
    message.extend(0_u32.to_ne_bytes()); // to the kernel
    message.extend(0_u32.to_ne_bytes()); // family and type: any
    message.extend(LOOPBACK.to_ne_bytes());
    message.extend(IFF_UP.to_ne_bytes()); // the flags
    message.extend(IFF_UP.to_ne_bytes()); // which of them change
    send(&socket, &message, SendFlags::empty())?;
    let mut answer = [0_u8; 128];
    let (length, _) = recv(&socket, &mut answer[..], RecvFlags::empty())?;
    // After the header comes 0, or the error with its sign turned.
    match answer.get(16..20).filter(|_| length >= 20).and_then(|code| <[u8; 4]>::try_from(code).ok()) {
        Some(code) if i32::from_ne_bytes(code) == 0 => Ok(()),
        Some(code) => Err(io::Errno::from_raw_os_error(-i32::from_ne_bytes(code))),
        None => Err(io::Errno::BADMSG),
    }
}
