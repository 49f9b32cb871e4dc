//! Running a command on a layer, and what it changed there.

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use deskhand_core::{Cx, Permission, ToolError, ToolResult};
use deskhand_guard::{
    Paths,
    sandbox::{
        Job, Sandbox,
        layer::{Layer, RootChanges},
    },
};

use super::{
    Input, Output, foreground, held,
    planning::{MOST_SUMMARY, MOST_WAIT, Planned},
};
use crate::shell::{
    ShellPlaces,
    command_line::short,
    spawn::{self, Streams},
    workspace_lock::WorkspaceLock,
};

/// How often the size of a layer is looked at, at most; large ones are looked at less often.
const LOOKS_EVERY: Duration = Duration::from_millis(500);
/// A look may take this part of the time.
const LOOK_SHARE: u32 = 20;
const RENAME_HINT: &str = "On a layer, a folder that was there before cannot be renamed in one step. `mv` copies it. Or run \
    the command with `background`: it then changes the workspace directly, which needs approval and cannot be undone.";
/// What programs print when they cannot rename a folder, which a layer refuses.
const NO_RENAME: &[&str] = &["Invalid cross-device link", "EXDEV", "无效的跨设备链接", "无效的跨设备连接"];

/// What programs print when they change an entry of a group that their user namespace does not know.
const FOREIGN_GROUP: &[&str] =
    &["Value too large for defined data type", "EOVERFLOW", "对已定义的数据类型来说值过大"];

/// A command that has run on a layer.
struct Attempt {
    lock: WorkspaceLock,
    layer: Layer,
    ended: ToolResult<Output>,
}

/// Runs a command on a layer of its own. What it changed waits to be kept.
pub async fn run(
    planned: Planned,
    input: &Input,
    line: String,
    streams: Streams,
    cx: &Cx,
) -> ToolResult<Output> {
    let places = cx.service::<ShellPlaces>()?;
    let mut attempt = attempt(&planned, input, line.clone(), streams, cx).await?;
    // Nothing of the first try is left, so that it can run again; what it sent would be sent twice.
    if printed(&attempt.ended, FOREIGN_GROUP) && !planned.job.network && !places.has_foreign_groups() {
        places.note_foreign_groups();
        cx.progress("Runs again: some files belong to another group", None, None);
        drop(attempt);
        attempt = self::attempt(&planned, input, line.clone(), streams, cx).await?;
    }
    let Attempt { lock, layer, ended } = attempt;
    let is_whole = match &ended {
        Ok(_) => true,
        // A command that was stopped, or whose end nobody saw, may still have been writing.
        Err(error) => matches!(error.code, "exit_nonzero" | "timed_out"),
    };
    if is_whole {
        let summary = short(&line, MOST_SUMMARY);
        let held = cx.blocking(move |cx| hold(layer, lock, summary, planned.is_listed, cx)).await;
        if let Err(error) = held {
            // What it printed is not lost with its changes.
            return Err(match ended {
                Ok(output) => output.failed(error),
                Err(ended) => ToolError { partial: ended.partial, ..error },
            });
        }
    } else {
        // Removing a large layer takes its time.
        cx.blocking(move |_| {
            drop((layer, lock));
            Ok(())
        })
        .await?;
    }
    if printed(&ended, NO_RENAME) { ended.map_err(|error| error.hint(RENAME_HINT)) } else { ended }
}

async fn attempt(
    planned: &Planned,
    input: &Input,
    line: String,
    streams: Streams,
    cx: &Cx,
) -> ToolResult<Attempt> {
    let sandbox = planned.sandbox.clone();
    let (lock, layer) = cx.blocking(move |cx| begin(&sandbox, cx)).await?;
    let layer = Arc::new(layer);
    let job = Job { layer: Some(Arc::clone(&layer)), ..planned.job.clone() };
    let started = spawn::start(&planned.sandbox, job, streams)?;
    let most = cx.service::<ShellPlaces>()?.most_layer_bytes();
    let ended = foreground::run(started, input, line, cx, fills_up(&layer, most)).await;
    match Arc::try_unwrap(layer) {
        Ok(layer) => Ok(Attempt { lock, layer, ended }),
        Err(_) => Err(ToolError::new("layer_in_use", "The layer of the command is still in use.")),
    }
}

/// Waits for its turn in the workspace, then makes the layer.
fn begin(sandbox: &Sandbox, cx: &Cx) -> ToolResult<(WorkspaceLock, Layer)> {
    let places = cx.service::<ShellPlaces>()?;
    let lock = WorkspaceLock::wait(&places.locks(), cx.service::<Paths>()?.workspaces(), MOST_WAIT, cx)?;
    // Not before: what changed while this call waited is no conflict.
    let layer = sandbox.layer(&cx.call_id().to_string())?;
    if places.has_foreign_groups() {
        let check = || cx.check().map_err(|error| io::Error::other(error.message));
        for root in layer.roots().iter().filter(|root| !root.is_scratch) {
            let brought = root.bring_foreign(&check);
            brought.map_err(|error| ToolError::io("prepare the layer over", &root.path, &error))?;
        }
    }
    Ok((lock, layer))
}

/// Whether a command printed one of these.
fn printed(ended: &ToolResult<Output>, words: &[&str]) -> bool {
    let has = |text: &str| words.iter().any(|words| text.contains(words));
    match ended {
        Ok(output) => has(&output.stdout) || has(&output.stderr),
        Err(error) => error.partial.as_ref().is_some_and(|partial| has(&partial.text)),
    }
}

/// Reads the layer and hands its changes over, where there are any.
fn hold(layer: Layer, lock: WorkspaceLock, summary: String, is_listed: bool, cx: &Cx) -> ToolResult<()> {
    let check = || cx.check();
    let roots = layer.roots().iter().filter(|root| !root.is_scratch);
    let changes = roots.map(|root| RootChanges::read(root, &check)).collect::<ToolResult<Vec<_>>>()?;
    // A person may take their time: others can work here until the changes are kept.
    drop(lock);
    if changes.iter().all(|root| root.changes.is_empty()) {
        return Ok(());
    }
    if let Some(mut held) = held::held(layer, changes, summary, cx)? {
        if is_listed && held.plan.permission == Permission::Moderate {
            held.plan.permission = Permission::Public;
            "shell:allow".clone_into(&mut held.plan.rule);
            "The setting shell.allow lets it run without a question.".clone_into(&mut held.plan.why);
        }
        cx.hold(held);
    }
    Ok(())
}

/// Returns once the layer takes more than `most` bytes.
async fn fills_up(layer: &Arc<Layer>, most: u64) {
    let mut pause = LOOKS_EVERY;
    loop {
        tokio::time::sleep(pause).await;
        // By their paths: the layer itself is not held by a look that is still under way when the command ends.
        let (folders, begun) = (layer.written(), Instant::now());
        let look = move || Layer::bytes(folders, most);
        if tokio::task::spawn_blocking(look).await.is_ok_and(|bytes| bytes > most) {
            return;
        }
        pause = LOOKS_EVERY.max(begun.elapsed() * LOOK_SHARE);
    }
}
