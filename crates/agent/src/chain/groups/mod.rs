//! Which calls of one reply may run side by side.
//!
//! A [`Footprint`] is what a call touches, as far as its plan tells. Two calls that touch the same thing, one of them
//! changing it, run one after the other, in the order in which the model wrote them; the rest runs side by side.

use std::path::{Path, PathBuf};

use deskhand_core::Plan;
use serde_json::Value;

/// A file, or a folder with everything below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    pub path: PathBuf,
    pub recursive: bool,
}

impl Area {
    pub fn whole(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), recursive: true }
    }

    pub fn one(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), recursive: false }
    }
}

/// What a call touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    pub reads: Vec<Area>,
    pub writes: Vec<Area>,
    /// Things that only one call may have at a time: `process:ID`, `window:ID`, `page:ID`, `desktop`.
    pub exclusive: Vec<String>,
    /// Nobody knows: it runs alone.
    pub unknown: bool,
}

/// Parameters that name a thing of which there is one.
const THINGS: &[(&str, &str)] =
    &[("process_id", "process"), ("window_id", "window"), ("page_id", "page"), ("tab_id", "page")];

impl Footprint {
    /// What a call that could not be planned may touch.
    pub fn unknown() -> Self {
        Self { unknown: true, ..Self::default() }
    }

    /// What the call of this plan touches. `workspace`: the folders that programs may write to.
    ///
    /// A program that may change something may change anything there, and reads what it likes: it has the whole
    /// workspace to itself. A command that only looks is a reader of the folder that it runs in.
    pub fn of(plan: &Plan, workspace: &[PathBuf]) -> Self {
        let mut footprint = Self::default();
        for touch in &plan.touches {
            let area = Area { path: touch.path.clone(), recursive: touch.recursive };
            if touch.access.writes() {
                footprint.writes.push(area);
            } else {
                footprint.reads.push(area);
            }
        }
        let runs_programs = plan.effects.executes || !plan.programs.is_empty() || plan.cwd.is_some();
        if runs_programs && plan.effects.change_state() {
            footprint.unknown = workspace.is_empty();
            footprint.writes.extend(workspace.iter().map(Area::whole));
        }
        if let Some(cwd) = plan.cwd.as_ref().filter(|_| runs_programs) {
            footprint.reads.push(Area::whole(cwd));
        }
        // A tool that changes files it did not name, without running a program.
        if plan.effects.writes && footprint.writes.is_empty() {
            footprint.unknown = true;
        }
        if plan.effects.desktop {
            footprint.exclusive.push("desktop".to_owned());
        }
        footprint
    }

    /// Adds the processes, windows and pages that the arguments name.
    #[must_use]
    pub fn with_arguments(mut self, arguments: &Value) -> Self {
        for (parameter, thing) in THINGS {
            match arguments.get(parameter) {
                Some(Value::String(id)) => self.exclusive.push(format!("{thing}:{id}")),
                Some(Value::Number(id)) => self.exclusive.push(format!("{thing}:{id}")),
                _ => {}
            }
        }
        self
    }

    /// Whether the two must not run at the same time.
    pub fn conflicts(&self, other: &Self) -> bool {
        self.unknown
            || other.unknown
            || self.exclusive.iter().any(|thing| other.exclusive.contains(thing))
            || self.disturbs(other)
            || other.disturbs(self)
    }

    /// Whether something that this one writes is touched by the other.
    fn disturbs(&self, other: &Self) -> bool {
        self.writes.iter().any(|write| {
            other.writes.iter().any(|touch| write.path.starts_with(&touch.path) || reaches(write, touch))
                || other.reads.iter().any(|read| reaches(write, read))
        })
    }
}

/// Whether someone who looks at `touched` may see that `write` was written.
fn reaches(write: &Area, touched: &Area) -> bool {
    let (write, looked_at) = (write.path.as_path(), touched.path.as_path());
    // What is made, moved or removed takes what is below along; a folder shows what is in it.
    looked_at.starts_with(write)
        || write.parent() == Some(looked_at)
        || (touched.recursive && Path::starts_with(write, looked_at))
}

/// For each call, the earlier ones that must have ended before it begins.
pub fn schedule(footprints: &[Footprint]) -> Vec<Vec<usize>> {
    footprints
        .iter()
        .enumerate()
        .map(|(at, footprint)| (0..at).filter(|&earlier| footprints[earlier].conflicts(footprint)).collect())
        .collect()
}

#[cfg(test)]
mod tests;
