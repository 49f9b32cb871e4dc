//! A way to an X server on which nothing waits for ever.

use std::{
    io::{self, ErrorKind, IoSlice},
    net::{SocketAddr, TcpStream, ToSocketAddrs},
    os::unix::net::UnixStream,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with},
};
use x11rb::{
    reexports::x11rb_protocol::{
        parse_display::{ConnectAddress, parse_display},
        xauth::get_auth,
    },
    rust_connection::{DefaultStream, PollMode, RustConnection, Stream},
    utils::RawFdContainer,
};

use super::trouble::{Trouble, Xr};
use crate::desktop::backend::Wait;

/// How soon a cancelled call ends.
const SLICE: Duration = Duration::from_millis(50);

/// A stream whose waits end: when the time is up, and when the call is cancelled.
pub struct Patient {
    stream: DefaultStream,
    wait: Wait,
    endless: AtomicBool,
}

impl Patient {
    /// From here on there is no limit: for a process whose work is to wait.
    pub(super) fn waits_for_ever(&self) {
        self.endless.store(true, Ordering::Relaxed);
    }

    /// The next little while to wait; `None`: as long as it takes.
    fn slice(&self) -> io::Result<Option<Duration>> {
        if self.endless.load(Ordering::Relaxed) { Ok(None) } else { slice(&self.wait).map(Some) }
    }
}

/// A connection, and the number of its screen.
pub(super) fn open(display: &str, wait: &Wait) -> Xr<(RustConnection<Patient>, usize)> {
    let parsed = parse_display(Some(display))
        .map_err(|error| Trouble::no_display(display, &format!("that is no name of a display ({error})")))?;
    let mut why = "it has no address".to_owned();
    for address in parsed.connect_instruction() {
        match reach(&address, wait) {
            Ok((stream, (family, peer))) => {
                let known = get_auth(family, &peer, parsed.display).ok().flatten();
                let (name, data) = known.unwrap_or_default();
                let stream = Patient { stream, wait: wait.clone(), endless: AtomicBool::new(false) };
                let screen = usize::from(parsed.screen);
                let opened = RustConnection::connect_to_stream_with_auth_info(stream, screen, name, data);
                return opened
                    .map(|connection| (connection, screen))
                    .map_err(|error| Trouble::refused(display, &error));
            }
            // The first address is the usual one: why that does not work is worth telling.
            Err(error) if why == "it has no address" => why = error.to_string(),
            Err(_) => {}
        }
    }
    wait.check()?;
    Err(Trouble::no_display(display, &why))
}

type Reached = (DefaultStream, (x11rb::reexports::x11rb_protocol::xauth::Family, Vec<u8>));

fn reach(address: &ConnectAddress<'_>, wait: &Wait) -> io::Result<Reached> {
    match address {
        ConnectAddress::Socket(path) => DefaultStream::from_unix_stream(reach_socket(path, wait)?),
        ConnectAddress::Hostname(host, port) => {
            let mut last = io::Error::from(ErrorKind::NotFound);
            for address in look_up(host, *port, wait)? {
                match TcpStream::connect_timeout(&address, wait.left().max(Duration::from_millis(1))) {
                    Ok(stream) => return DefaultStream::from_tcp_stream(stream),
                    Err(error) => last = error,
                }
            }
            Err(last)
        }
        _ => Err(ErrorKind::Unsupported.into()),
    }
}

/// The addresses of a host. Who knows them may take longer to answer than there is time.
fn look_up(host: &str, port: u16, wait: &Wait) -> io::Result<Vec<SocketAddr>> {
    let (tell, told) = mpsc::channel();
    let host = host.to_owned();
    // It ends by itself: the system gives up on name servers that do not answer.
    thread::spawn(move || tell.send((host.as_str(), port).to_socket_addrs().map(Iterator::collect)));
    loop {
        match told.recv_timeout(slice(wait)?) {
            Ok(found) => return found,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(ErrorKind::NotFound.into()),
        }
    }
}

/// Where too many wait to be let in already, as at a server that is stopped, this one waits its time, too.
fn reach_socket(path: &str, wait: &Wait) -> io::Result<UnixStream> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let address = SocketAddrUnix::new(path)?;
    loop {
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        match connect(&socket, &address) {
            Ok(()) => return Ok(socket.into()),
            Err(Errno::AGAIN) => pause(wait)?,
            Err(error) => return Err(error.into()),
        }
    }
}

fn pause(wait: &Wait) -> io::Result<()> {
    thread::sleep(slice(wait)?);
    Ok(())
}

/// The next little while to wait; an error where there is none.
fn slice(wait: &Wait) -> io::Result<Duration> {
    let left = wait.left();
    if wait.check().is_err() {
        return Err(ErrorKind::ConnectionAborted.into());
    }
    if left.is_zero() {
        return Err(ErrorKind::TimedOut.into());
    }
    Ok(left.min(SLICE))
}

impl Stream for Patient {
    fn poll(&self, mode: PollMode) -> io::Result<()> {
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, mode.readable());
        flags.set(PollFlags::OUT, mode.writable());
        loop {
            let timeout = self.slice()?.map(Timespec::try_from).transpose();
            let timeout = timeout.map_err(|_| ErrorKind::InvalidInput)?;
            match poll(&mut [PollFd::new(&self.stream, flags)], timeout.as_ref()) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn read(&self, buffer: &mut [u8], fds: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.stream.read(buffer, fds)
    }

    fn write(&self, buffer: &[u8], fds: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.stream.write(buffer, fds)
    }

    fn write_vectored(&self, buffers: &[IoSlice<'_>], fds: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.stream.write_vectored(buffers, fds)
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::testing::Desk;

    /// A display that lets everyone in and then says nothing.
    #[test]
    fn a_wait_ends_in_time_and_when_the_call_is_cancelled() {
        let desk = Desk::new();
        // Where displays listen that are reached by their host's name.
        let bind = |number: u16| TcpListener::bind(("127.0.0.1", 6000 + number)).ok().map(|l| (l, number));
        let (listener, number) = (800..1800).find_map(bind).unwrap();
        let name = format!("localhost:{number}");
        let code = |wait: &Wait| open(&name, wait).err().map(|trouble| trouble.0.code);
        assert_eq!(code(&Wait::at_most(Duration::from_millis(120))), Some("display_stuck"));
        let cx = desk.cx("list_windows");
        let cancel = cx.cancel_token().clone();
        let cancels = thread::spawn(move || {
            // The first is that of before.
            let met = [listener.accept().unwrap(), listener.accept().unwrap()];
            cancel.cancel();
            met
        });
        assert_eq!(code(&Wait::of(&cx).within(Duration::from_mins(1))), Some("cancelled"));
        drop(cancels.join().unwrap());
        assert_eq!(Wait::of(&cx).until(|| Ok(false)).unwrap_err().code, "cancelled");
        assert_eq!(
            look_up("localhost", 6000, &Wait::of(&cx)).unwrap_err().kind(),
            ErrorKind::ConnectionAborted
        );
    }
}
