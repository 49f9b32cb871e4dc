//! The programs behind the windows.
#![allow(unsafe_code)] // the calls of the system

use windows_sys::Win32::{
    Foundation::{CloseHandle, HANDLE},
    System::Threading::{
        OpenProcess, PROCESS_ACCESS_RIGHTS, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_TERMINATE,
        QueryFullProcessImageNameW, TerminateProcess,
    },
};

use super::text;
use crate::{Result, Trouble};

/// A process that is held, and let go of when this is dropped.
struct Held(HANDLE);

impl Held {
    fn open(pid: u32, to: PROCESS_ACCESS_RIGHTS) -> Option<Self> {
        // SAFETY: it takes numbers, and gives a handle of ours or none.
        let handle = unsafe { OpenProcess(to, 0, pid) };
        (!handle.is_null()).then_some(Self(handle))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, and is closed once.
        unsafe { CloseHandle(self.0) };
    }
}

/// The file name of a program: `notepad.exe`.
pub fn file_name(pid: u32) -> Option<String> {
    let process = Held::open(pid, PROCESS_QUERY_LIMITED_INFORMATION)?;
    let mut path = [0u16; 1024];
    let mut length = u32::try_from(path.len()).ok()?;
    // SAFETY: the handle is held, and `length` says how much room there is in `path`.
    let told = unsafe { QueryFullProcessImageNameW(process.0, 0, path.as_mut_ptr(), &raw mut length) };
    if told == 0 {
        return None;
    }
    let path = text(&path, length as usize);
    path.rsplit(['\\', '/']).next().map(str::to_owned)
}

/// Ends it at once.
pub fn end(pid: u32) -> Result<()> {
    let refused = Trouble::Refused("end that program");
    let Some(process) = Held::open(pid, PROCESS_TERMINATE) else { return Err(refused) };
    // SAFETY: the handle is held, and was opened for this.
    if unsafe { TerminateProcess(process.0, 1) } == 0 { Err(refused) } else { Ok(()) }
}
