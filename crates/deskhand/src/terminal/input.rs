//! Reading a line from a person, in a way that can be given up: the question may be answered elsewhere.

use std::io::{self, Write};

use tokio_util::sync::CancellationToken;

/// How often a waiting read looks whether it should give up.
#[cfg(unix)]
const LOOK_MS: i32 = 100;

/// One line from the terminal, without its end. `None` at the end of input, or when `cancel` fires.
pub async fn read_line(cancel: CancellationToken) -> Option<String> {
    tokio::task::spawn_blocking(move || read_line_blocking(&cancel)).await.ok()?.ok()?
}

/// Asks on stderr and reads a line; `None` at the end of input.
pub async fn ask_line(prompt: &str) -> Option<String> {
    let _ = write!(io::stderr(), "{prompt}");
    read_line(CancellationToken::new()).await
}

/// The same without showing what is typed.
pub async fn ask_secret(prompt: &str) -> Option<String> {
    let _ = write!(io::stderr(), "{prompt}");
    let hidden = Hidden::begin();
    let line = read_line(CancellationToken::new()).await;
    drop(hidden);
    let _ = writeln!(io::stderr());
    line
}

/// While it lives, the terminal does not show what is typed.
struct Hidden {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

impl Hidden {
    #[cfg(unix)]
    fn begin() -> Self {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let before = tcgetattr(io::stdin()).ok();
        if let Some(mut modes) = before.clone() {
            modes.local_modes.remove(LocalModes::ECHO);
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &modes);
        }
        Self { before }
    }

    #[cfg(not(unix))]
    fn begin() -> Self {
        Self {}
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(before) = &self.before {
            let _ = rustix::termios::tcsetattr(io::stdin(), rustix::termios::OptionalActions::Now, before);
        }
    }
}

/// Drops what waits to be read.
#[cfg(unix)]
pub fn forget_typed() {
    let _ = rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush);
}

#[cfg(not(unix))]
pub fn forget_typed() {}

#[cfg(unix)]
fn read_line_blocking(cancel: &CancellationToken) -> io::Result<Option<String>> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = io::stdin();
    let pause = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK_MS) * 1_000_000 };
    let mut line: Vec<u8> = Vec::new();
    while !cancel.is_cancelled() {
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        if poll(&mut fds, Some(&pause))? == 0 {
            continue;
        }
        // Unbuffered and byte by byte: what belongs to the next reader of the terminal stays there.
        let mut byte = [0_u8];
        match rustix::io::read(&stdin, &mut byte)? {
            0 => return Ok(None),
            _ if byte[0] == b'\n' => {
                return Ok(Some(String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned()));
            }
            _ => line.push(byte[0]),
        }
    }
    Ok(None)
}

#[cfg(not(unix))]
fn read_line_blocking(_: &CancellationToken) -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned()))
}
