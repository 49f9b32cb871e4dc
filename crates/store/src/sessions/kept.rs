//! Which files in `outputs/` belong to a session: what its calls printed, and what its summaries stand for.
//!
//! They are named `ID.txt`, or with another ending, by the id of a call or one that a handle (`out:ID`) names.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use deskhand_core::{CallId, output::HANDLE_PREFIX};
use rusqlite::{Connection, ToSql};
use serde_json::Value;

use super::Tried;
use crate::error::Doing;

/// The length of an id as text.
const ID: usize = 36;

/// The files that nothing leads to once the session is gone. What another one refers to, such as a fork, stays.
pub fn files(c: &Connection, session_id: &str, outputs: &Path) -> Tried<Vec<PathBuf>> {
    let ids = named_by(c, session_id)?;
    let mut files: Vec<(CallId, PathBuf)> = Vec::new();
    for entry in fs::read_dir(outputs).into_iter().flatten().flatten() {
        let id = entry.file_name().to_str().and_then(|name| CallId::parse(name.get(..ID)?));
        if let Some(id) = id.filter(|id| ids.contains(id)) {
            files.push((id, entry.path()));
        }
    }
    if !files.is_empty() {
        let elsewhere = named_elsewhere(c, session_id)?;
        files.retain(|(id, _)| !elsewhere.contains(id));
    }
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

pub fn remove(files: &[PathBuf]) -> Tried<()> {
    for path in files {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).doing(|| format!("remove the kept output {}", path.display()))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Only where a handle stands in its place: a session that merely mentions another one's output does not own it.
fn named_by(c: &Connection, session_id: &str) -> Tried<BTreeSet<CallId>> {
    let mut ids = BTreeSet::new();
    each_text(c, "SELECT call_id FROM tool_calls WHERE session_id = ?", &[&session_id], |text| {
        ids.extend(CallId::parse(text));
    })?;
    let steps = "SELECT execution_steps FROM messages WHERE session_id = ?1 AND execution_steps IS NOT NULL
        UNION ALL SELECT '[' || body || ']' FROM turn_steps
            WHERE turn_id IN (SELECT id FROM turns WHERE session_id = ?1)";
    each_value(c, steps, session_id, |value| {
        for step in value.as_array().into_iter().flatten() {
            ids.extend(step["call_id"].as_str().and_then(CallId::parse));
            ids.extend(handle(&step["end"]["full_output"]));
        }
    })?;
    each_value(c, "SELECT metadata FROM messages WHERE session_id = ?", session_id, |value| {
        ids.extend(handle(&value["compaction"]["transcript"]));
    })?;
    let ends = "SELECT body FROM events WHERE session_id = ? AND kind = 'call_ended'";
    each_value(c, ends, session_id, |value| {
        let (outcome, data) = (&value["outcome"], &value["outcome"]["data"]);
        for named in [&outcome["full_output"], &data["stdout_file"], &data["stderr_file"]] {
            ids.extend(handle(named));
        }
    })?;
    Ok(ids)
}

/// Whatever looks like a handle or a call in another session.
fn named_elsewhere(c: &Connection, session_id: &str) -> Tried<BTreeSet<CallId>> {
    let mut ids = BTreeSet::new();
    each_text(c, "SELECT call_id FROM tool_calls WHERE session_id <> ?", &[&session_id], |text| {
        ids.extend(CallId::parse(text));
    })?;
    for column in ["execution_steps", "metadata"] {
        let sql = format!(
            "SELECT {column} FROM messages
             WHERE session_id <> ?1 AND (instr({column}, ?2) > 0 OR instr({column}, ?3) > 0)"
        );
        let call = "\"call_id\":\"";
        each_text(c, &sql, &[&session_id, &HANDLE_PREFIX, &call], |text| {
            for start in [HANDLE_PREFIX, call] {
                let ends = text.match_indices(start).map(|(at, _)| at + start.len());
                ids.extend(ends.filter_map(|at| CallId::parse(text.get(at..at + ID)?)));
            }
        })?;
    }
    Ok(ids)
}

fn handle(value: &Value) -> Option<CallId> {
    value.as_str()?.strip_prefix(HANDLE_PREFIX).and_then(CallId::parse)
}

fn each_text(c: &Connection, sql: &str, params: &[&dyn ToSql], mut visit: impl FnMut(&str)) -> Tried<()> {
    let mut query = c.prepare(sql)?;
    let mut rows = query.query(params)?;
    while let Some(row) = rows.next()? {
        visit(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?);
    }
    Ok(())
}

/// What is not JSON names nothing; it does not keep a session from being deleted.
fn each_value(c: &Connection, sql: &str, session_id: &str, mut visit: impl FnMut(&Value)) -> Tried<()> {
    each_text(c, sql, &[&session_id], |text| {
        if let Ok(value) = serde_json::from_str(text) {
            visit(&value);
        }
    })
}
