//! Watching over a job: its output is taken as it comes, and it ends, at the latest when its time is up.

use std::{future::Future, os::unix::process::ExitStatusExt, process::ExitStatus, time::Duration};

use rustix::process::{Pid, Signal};
use tokio::{
    io::AsyncReadExt,
    time::{Instant, MissedTickBehavior},
};

use super::spawn::{Reader, Started};

/// Which of the two streams something came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Output,
    Errors,
}

/// Who takes what a job prints.
pub trait Sink: Send {
    fn take(&mut self, from: Stream, bytes: &[u8]);
    /// Ten times a second, while the job runs.
    fn tick(&mut self) {}
}

/// How a job is told to end before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Now,
    /// It is asked first.
    Gently,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    ByItself,
    TimedOut,
    Stopped,
}

/// The end of a job.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    pub how: How,
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
}

/// How long a job that is asked to end may take.
const ASKED: Duration = Duration::from_secs(2);
/// How long the launcher may take to end what it started, before it is ended itself.
const ENDING: Duration = Duration::from_millis(700);
/// How long what is ended by force is waited for.
const FORCED: Duration = Duration::from_millis(500);
/// How long the pipes of a job that has ended are still read.
const DRAINING: Duration = Duration::from_millis(500);
const TICK: Duration = Duration::from_millis(100);
/// What a pipe holds at most.
const PIECE: usize = 64 * 1024;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Running,
    Asked,
    Ending,
    Forced,
    Draining,
}

/// Takes the output of a job until it has ended: by itself, because `limit` has passed, or because `stop` says so.
/// Whatever the job does with its pipes and its processes, this returns.
pub async fn supervise<S: Sink>(
    started: Started,
    sink: &mut S,
    limit: Option<Duration>,
    stop: impl Future<Output = Stop> + Send,
) -> Ended {
    let Started { mut child, life, pid, mut output, errors, input: _input } = started;
    let (mut life, mut errors) = (Some(life), errors);
    let mut output_open = true;
    let (mut output_piece, mut error_piece) = (vec![0; PIECE], vec![0; PIECE]);
    let mut how = How::ByItself;
    let mut status: Option<ExitStatus> = None;
    let mut stage = Stage::Running;
    let far = Duration::from_hours(24 * 365);
    let timer = tokio::time::sleep(limit.unwrap_or(far));
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tokio::pin!(timer, stop);
    loop {
        if status.is_some() && !output_open && errors.is_none() {
            break;
        }
        tokio::select! {
            read = output.read(&mut output_piece), if output_open => match read {
                Ok(bytes @ 1..) => sink.take(Stream::Output, &output_piece[..bytes]),
                // A terminal whose inner side is closed says so by an error.
                Ok(0) | Err(_) => output_open = false,
            },
            read = next(&mut errors, &mut error_piece) => match read {
                0 => errors = None,
                bytes => sink.take(Stream::Errors, &error_piece[..bytes]),
            },
            exited = child.wait(), if status.is_none() => {
                // One that cannot be waited for is gone.
                status = Some(exited.unwrap_or(ExitStatus::from_raw(0)));
                // What it left behind ends with it.
                life = None;
                stage = Stage::Draining;
                timer.as_mut().reset(Instant::now() + DRAINING);
            },
            how_to = &mut stop, if stage == Stage::Running => {
                how = How::Stopped;
                if how_to == Stop::Gently {
                    signal_all(pid, Signal::TERM);
                    stage = Stage::Asked;
                    timer.as_mut().reset(Instant::now() + ASKED);
                } else {
                    life = None;
                    stage = Stage::Ending;
                    timer.as_mut().reset(Instant::now() + ENDING);
                }
            },
            () = &mut timer => {
                let next = match stage {
                    Stage::Running | Stage::Asked => {
                        if stage == Stage::Running {
                            how = How::TimedOut;
                        }
                        life = None;
                        (Stage::Ending, ENDING)
                    }
                    Stage::Ending => {
                        signal_all(pid, Signal::KILL);
                        (Stage::Forced, FORCED)
                    }
                    Stage::Forced | Stage::Draining => break,
                };
                stage = next.0;
                timer.as_mut().reset(Instant::now() + next.1);
            },
            _ = ticks.tick() => sink.tick(),
        }
    }
    drop(life);
    Ended {
        how,
        exit_code: status.and_then(|status| status.code()),
        signal: status.and_then(|status| status.signal()),
    }
}

/// The next piece of a stream that may be absent, which then never comes. Nothing: it has ended.
async fn next(reader: &mut Option<Reader>, piece: &mut [u8]) -> usize {
    match reader {
        Some(reader) => reader.read(piece).await.unwrap_or(0),
        None => std::future::pending().await,
    }
}

/// A signal to the launcher's process group, and to what it started in groups of its own: a job with a terminal is one.
fn signal_all(pid: u32, signal: Signal) {
    let process = |pid: u32| i32::try_from(pid).ok().and_then(Pid::from_raw);
    for child in descendants(pid) {
        let _ = process(child).map(|child| rustix::process::kill_process(child, signal));
    }
    let _ = process(pid).map(|launcher| rustix::process::kill_process_group(launcher, signal));
}

/// All that a process started, as far as the system lists it.
fn descendants(pid: u32) -> Vec<u32> {
    const MOST: usize = 10_000;
    let mut all = vec![pid];
    let mut at = 0;
    while let Some(parent) = all.get(at).copied().filter(|_| all.len() < MOST) {
        let listed =
            std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
        all.extend(listed.split_ascii_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        at += 1;
    }
    all.split_off(1)
}
