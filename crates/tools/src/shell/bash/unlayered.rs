//! Running a command where there are no layers: read-only first, and directly only where that was not enough.

use std::future::pending;

use deskhand_core::{Cx, ToolError, ToolResult};
use deskhand_guard::sandbox::View;

use super::{Input, Output, foreground, planning::Planned};
use crate::shell::{
    ShellPlaces,
    spawn::{self, Streams},
};

/// What programs print when they may not write.
const REFUSED: &[&str] =
    &["Read-only file system", "Permission denied", "EROFS", "EACCES", "只读文件系统", "权限不够"];

/// Runs a command that can only read. One that fails because of that is planned again, to run directly.
pub async fn read_only(
    planned: Planned,
    input: &Input,
    line: String,
    streams: Streams,
    cx: &Cx,
) -> ToolResult<Output> {
    let Planned { sandbox, mut job, seems_to_write, .. } = planned;
    job.view = View::Look;
    let started = spawn::start(&sandbox, job, streams)?;
    let ended = foreground::run(started, input, line, cx, pending()).await;
    let Err(error) = &ended else { return ended };
    let printed = error.partial.as_ref().map_or("", |partial| partial.text.as_str());
    let needs_to_write = seems_to_write || REFUSED.iter().any(|words| printed.contains(words));
    if error.code != "exit_nonzero" || !needs_to_write {
        return ended;
    }
    cx.service::<ShellPlaces>()?.note_must_write(cx.call_id());
    Err(ToolError::plan_changed("The command needs to write, and it ran read-only."))
}

/// Runs a command that changes the workspace itself: a person said yes to that.
pub async fn direct(
    planned: Planned,
    input: &Input,
    line: String,
    streams: Streams,
    cx: &Cx,
) -> ToolResult<Output> {
    let Planned { sandbox, mut job, .. } = planned;
    job.view = View::Work;
    let started = spawn::start(&sandbox, job, streams)?;
    foreground::run(started, input, line, cx, pending()).await
}
