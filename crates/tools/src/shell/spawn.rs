//! Starting what the sandbox hands out: its pipes or its terminal, its process group, its life line.

use std::{fs::File, io, os::fd::OwnedFd, path::Path, process::Stdio};

use deskhand_core::{ToolError, ToolResult};
use deskhand_guard::sandbox::{Job, Sandbox};
use rustix::{
    fs::{Mode, OFlags},
    pty::OpenptFlags,
    termios::Winsize,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::unix::pipe,
    process::{Child, Command},
};

pub type Reader = Box<dyn AsyncRead + Send + Unpin>;
pub type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// What a program's input and output are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// Two pipes to read from, and an input that has ended.
    NoInput,
    /// Three pipes.
    Pipes,
    /// A terminal of 24 lines by 80 columns: one stream for all.
    Terminal,
}

/// A job that runs.
pub struct Started {
    pub child: Child,
    /// Dropping it ends the job.
    pub life: OwnedFd,
    pub pid: u32,
    pub output: Reader,
    /// Absent where there is a terminal.
    pub errors: Option<Reader>,
    pub input: Option<Writer>,
}

const ROWS: u16 = 24;
const COLUMNS: u16 = 80;

/// Starts a job in its confinement. Must be called within a runtime.
pub fn start(sandbox: &Sandbox, mut job: Job, streams: Streams) -> ToolResult<Started> {
    let terminal = match streams {
        Streams::Terminal => Some(Terminal::open().map_err(|error| failed("a terminal", &error))?),
        _ => None,
    };
    if terminal.is_some() {
        own_the_terminal(&mut job);
    }
    job.env.push(("TERM".into(), if terminal.is_some() { "xterm-256color" } else { "dumb" }.into()));
    // Nobody is there to turn pages.
    job.env.extend([("PAGER".into(), "cat".into()), ("GIT_PAGER".into(), "cat".into())]);
    let launch = sandbox.launch(&job)?;
    let mut command = Command::new(&launch.program);
    command.args(&launch.args).env_clear().envs(launch.env);
    if let Some(terminal) = &terminal {
        let stdio = || terminal.inner.try_clone().map(Stdio::from);
        let (input, output, errors) = stdio()
            .and_then(|input| Ok((input, stdio()?, stdio()?)))
            .map_err(|error| failed("a terminal", &error))?;
        command.stdin(input).stdout(output).stderr(errors);
    } else {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if streams == Streams::Pipes { Stdio::piped() } else { Stdio::null() });
    }
    let mut child = command.spawn().map_err(|error| failed("the command", &error))?;
    // The command holds the inner side of a terminal: as long as that is open here, its end is not seen.
    drop(command);
    drop(launch.inherited);
    let pid = child.id().unwrap_or(0);
    let (output, errors, input): (Option<Reader>, Option<Reader>, Option<Writer>) = match terminal {
        Some(terminal) => {
            let (reader, writer) = terminal.into_streams().map_err(|error| failed("a terminal", &error))?;
            (Some(Box::new(reader)), None, Some(Box::new(writer)))
        }
        None => (
            child.stdout.take().map(|pipe| Box::new(pipe) as Reader),
            child.stderr.take().map(|pipe| Box::new(pipe) as Reader),
            child.stdin.take().map(|pipe| Box::new(pipe) as Writer),
        ),
    };
    let Some(output) = output else { return Err(failed("the command", &io::ErrorKind::BrokenPipe.into())) };
    Ok(Started { child, life: launch.life, pid, output, errors, input })
}

fn failed(what: &str, error: &io::Error) -> ToolError {
    let hint = match error.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
        Some(rustix::io::Errno::TOOBIG) => "Put the command into a file and run that.",
        _ => "`deskhand doctor` says what works on this machine.",
    };
    ToolError::new("cannot_start", format!("Cannot start {what}: {error}.")).hint(hint)
}

/// A terminal belongs to a session, which only a program inside can begin.
fn own_the_terminal(job: &mut Job) {
    if ["/usr/bin/setsid", "/bin/setsid"].iter().any(|path| Path::new(path).exists()) {
        let wrapped = ["setsid", "--ctty", "--wait"].map(Into::into);
        job.argv.splice(0..0, wrapped);
    }
}

struct Terminal {
    outer: OwnedFd,
    inner: OwnedFd,
}

impl Terminal {
    fn open() -> io::Result<Self> {
        let outer = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        rustix::io::fcntl_setfd(&outer, rustix::io::FdFlags::CLOEXEC)?;
        rustix::pty::grantpt(&outer)?;
        rustix::pty::unlockpt(&outer)?;
        let name = rustix::pty::ptsname(&outer, Vec::new())?;
        let inner = rustix::fs::open(
            name.as_c_str(),
            OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
        let size = Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&inner, size)?;
        rustix::fs::fcntl_setfl(&outer, OFlags::RDWR | OFlags::NONBLOCK)?;
        Ok(Self { outer, inner })
    }

    fn into_streams(self) -> io::Result<(pipe::Receiver, pipe::Sender)> {
        let reader = File::from(self.outer);
        let writer = reader.try_clone()?;
        Ok((pipe::Receiver::from_file_unchecked(reader)?, pipe::Sender::from_file_unchecked(writer)?))
    }
}
