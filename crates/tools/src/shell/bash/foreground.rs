//! Running a command and waiting for it.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use deskhand_core::{Cx, Status, ToolError, ToolResult};

use tokio::io::AsyncWriteExt;

use super::{
    super::{
        capture::{self, Capture},
        places::ShellPlaces,
        spawn::Started,
        supervise::{self, Ended, How, Sink, Stop, Stream},
    },
    Input, Output,
};

/// What the key Ctrl-D sends.
const END_OF_TEXT: &[u8] = b"\x04";
/// How much of what was printed lately is shown at once while a command runs.
const MOST_SHOWN: usize = 4 * 1024;

/// Takes both streams, and tells whoever watches what is being printed.
struct Watched<'a> {
    stdout: Capture,
    stderr: Capture,
    /// What was printed since the last tick: its end.
    recent: Vec<u8>,
    /// Something before it was left out: its first line may be the rest of one.
    has_gap: bool,
    cx: &'a Cx,
}

impl Sink for Watched<'_> {
    fn take(&mut self, from: Stream, bytes: &[u8]) {
        match from {
            Stream::Output => self.stdout.take(bytes),
            Stream::Errors => self.stderr.take(bytes),
        }
        self.recent.extend_from_slice(bytes);
        let excess = self.recent.len().saturating_sub(MOST_SHOWN);
        self.has_gap |= excess > 0;
        self.recent.drain(..excess);
    }

    fn tick(&mut self) {
        let whole = capture::whole_characters_before(&self.recent).len();
        if whole > 0 {
            let mut shown = capture::whole_characters_after(&self.recent[..whole]);
            if self.has_gap {
                // The rest of a secret cannot be told from other text.
                self.cx.leaves_out();
                shown = shown.iter().position(|b| *b == b'\n').map_or(&[], |end| &shown[end..]);
            }
            // Where all was one line, the next piece may be the rest of it, too.
            self.has_gap &= shown.is_empty();
            self.cx.prints(&capture::lossy(shown));
            self.recent.drain(..whole);
        }
    }
}

/// Runs a command to its end. It is stopped when its call is, when its time is up, and when `full` says that it has
/// written too much.
pub async fn run(
    mut started: Started,
    input: &Input,
    command: String,
    cx: &Cx,
    full: impl Future<Output = ()> + Send,
) -> ToolResult<Output> {
    let outputs = cx.service::<ShellPlaces>()?.outputs();
    let mut sink = Watched {
        stdout: Capture::new(outputs.clone()),
        stderr: Capture::new(outputs),
        recent: Vec::new(),
        has_gap: false,
        cx,
    };
    if let Some(terminal) = &mut started.input {
        // Nobody types here: what reads finds the end, as it does without a terminal.
        let _ = terminal.write_all(END_OF_TEXT).await;
    }
    let limit = input.time_limit();
    let begun = Instant::now();
    let is_full = AtomicBool::new(false);
    let stop = async {
        tokio::select! {
            () = cx.cancel_token().cancelled() => {}
            () = full => is_full.store(true, Ordering::Relaxed),
        }
        Stop::Now
    };
    let ended = supervise::supervise(started, &mut sink, limit, stop).await;
    sink.tick();
    let Watched { stdout, stderr, .. } = sink;
    let output = Output {
        exit_code: ended.exit_code,
        signal: ended.signal,
        duration_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        timed_out: ended.how == How::TimedOut,
        ..Output::of(command)
    };
    let most = input.max_output_chars;
    let output = output.with(stdout.end(most), stderr.end(most), most);
    if is_full.into_inner() {
        let message = "The command wrote more than it may and was ended; nothing of it is kept.";
        let error = ToolError::new("layer_full", message);
        return Err(output.failed(error.hint("The setting sandbox.layer_mb says how much it may write.")));
    }
    judge(output, ended, limit)
}

/// A command that did not end well is an error, with all that it printed.
fn judge(output: Output, ended: Ended, limit: Option<Duration>) -> ToolResult<Output> {
    let error = match (ended.how, ended.exit_code, ended.signal) {
        (How::ByItself, Some(0), _) => return Ok(output),
        (How::Stopped, ..) => ToolError::cancelled(),
        (How::TimedOut, ..) => {
            let ms = limit.unwrap_or_default().as_millis();
            let message =
                format!("The command took longer than {ms} ms and was ended, with all that it had started.");
            ToolError { status: Status::TimedOut, ..ToolError::new("timed_out", message) }
                .hint("Give it more time with timeout_ms, or run it in the background.")
        }
        (_, Some(code), _) => {
            ToolError::new("exit_nonzero", format!("The command ended with exit code {code}."))
        }
        (_, None, Some(signal)) => {
            ToolError::new("ended_by_signal", format!("The command was ended by signal {signal}."))
        }
        (_, None, None) => ToolError::new("ended_unseen", "How the command ended could not be seen."),
    };
    Err(output.failed(error))
}
