//! Reading a line from a person, in a way that can be given up: the question may be answered elsewhere.

use std::io::{self, IsTerminal, Write};

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
    let hidden = Hidden::now();
    let line = read_line(CancellationToken::new()).await;
    drop(hidden);
    let _ = writeln!(io::stderr());
    line
}

/// While it lives, the terminal does not show what is typed.
pub struct Hidden {
    /// Where it was shown before: elsewhere nothing is changed.
    was_shown: bool,
}

impl Hidden {
    fn now() -> Self {
        let hidden = Self { was_shown: echo::is_on() };
        hidden.hide();
        hidden
    }

    /// For output on the terminal, which what is typed must not mix with. Where the output goes elsewhere, a pager
    /// for instance, the terminal is not ours.
    pub fn under_output() -> Self {
        if io::stdout().is_terminal() { Self::now() } else { Self { was_shown: false } }
    }

    /// Shows what is typed for a while.
    pub fn show(&self) {
        if self.was_shown {
            echo::set(echo::Echo::On);
        }
    }

    pub fn hide(&self) {
        if self.was_shown {
            echo::set(echo::Echo::Off);
        }
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        self.show();
    }
}

/// Whether the terminal shows what is typed.
#[cfg(unix)]
mod echo {
    use std::io;

    use rustix::{
        process::getpgrp,
        termios::{LocalModes, OptionalActions, tcgetattr, tcgetpgrp, tcsetattr},
    };

    #[derive(Clone, Copy)]
    pub enum Echo {
        On,
        Off,
    }

    pub fn is_on() -> bool {
        tcgetattr(io::stdin()).is_ok_and(|modes| modes.local_modes.contains(LocalModes::ECHO))
    }

    pub fn set(echo: Echo) {
        // In the background the terminal is another's, and touching it would stop this program.
        if tcgetpgrp(io::stdin()).ok() != Some(getpgrp()) {
            return;
        }
        if let Ok(mut modes) = tcgetattr(io::stdin()) {
            modes.local_modes.set(LocalModes::ECHO, matches!(echo, Echo::On));
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &modes);
        }
    }
}

#[cfg(not(unix))]
mod echo {
    #[derive(Clone, Copy)]
    pub enum Echo {
        On,
        Off,
    }

    pub fn is_on() -> bool {
        false
    }

    pub fn set(_: Echo) {}
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
