//! The history of calls, one row for each, beside the steps that hold them whole.

use deskhand_core::{
    CallId,
    session::{CallStep, OpenTurn, Page, ToolCallQuery, ToolCallRow},
};
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::{Tried, from_json, from_text, invalid, json, offset_and_limit, parsed, rows, wanted_owner};

pub fn add(c: &Connection, turn: &OpenTurn, call: &CallStep) -> Tried<()> {
    let id = call.call_id.to_string();
    if c.prepare_cached("SELECT 1 FROM tool_calls WHERE call_id = ?")?.exists([&id])? {
        return Err(invalid(format!("the call {id} is there already: each is stored once")));
    }
    c.prepare_cached(
        "INSERT INTO tool_calls (call_id, session_id, turn_id, message_id, tool, arguments, started_at)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![
        id,
        turn.session_id,
        turn.id,
        turn.assistant_message,
        call.tool,
        json("the arguments of a call", &call.arguments)?,
        call.started_at.to_string()
    ])?;
    end(c, call)
}

/// Writes how the call ended, where it has.
pub fn end(c: &Connection, call: &CallStep) -> Tried<()> {
    if let Some(end) = &call.end {
        c.prepare_cached(
            "UPDATE tool_calls SET status = ?2, duration_ms = ?3, undo = ?4 WHERE call_id = ?1",
        )?
        .execute(params![
            call.call_id.to_string(),
            end.status.as_str(),
            i64::try_from(end.duration_ms).unwrap_or(i64::MAX),
            end.undo.map(|call| call.to_string())
        ])?;
    }
    Ok(())
}

/// What [`from_row`] reads.
const COLUMNS: &str =
    "call_id, session_id, turn_id, message_id, tool, arguments, started_at, status, duration_ms, undo";

fn from_row(row: &Row<'_>) -> rusqlite::Result<ToolCallRow> {
    let id = |column| parsed(row, column, |text| CallId::parse(text).ok_or(format!("{text:?} is not an id")));
    let status = |text: &str| serde_json::from_value(text.into()).map_err(|error| error.to_string());
    Ok(ToolCallRow {
        call_id: id(0)?,
        session_id: row.get(1)?,
        turn_id: row.get(2)?,
        message_id: row.get(3)?,
        tool: row.get(4)?,
        arguments: from_json(row, 5)?,
        started_at: from_text(row, 6)?,
        status: row.get_ref(7)?.as_str_or_null()?.map(|_| parsed(row, 7, status)).transpose()?,
        duration_ms: row.get(8)?,
        undo: row.get_ref(9)?.as_str_or_null()?.map(|_| id(9)).transpose()?,
    })
}

pub fn get(c: &Connection, session: &str, call: CallId) -> Tried<Option<ToolCallRow>> {
    let query = format!("SELECT {COLUMNS} FROM tool_calls WHERE call_id = ? AND session_id = ?");
    Ok(c.prepare_cached(&query)?.query_row(params![call.to_string(), session], from_row).optional()?)
}

pub fn list(c: &Connection, query: &ToolCallQuery) -> Tried<Page<ToolCallRow>> {
    let (offset, limit) = offset_and_limit(query.page)?;
    if let Some(session) = &query.session_id {
        rows::get(c, session)?;
    }
    let owner = wanted_owner(&query.owner);
    let mut wanted = String::from("session_id NOT IN (SELECT id FROM sessions WHERE deleted_at IS NOT NULL)");
    for (given, condition) in [
        (query.session_id.is_some(), " AND session_id = :session"),
        (query.turn_id.is_some(), " AND turn_id = :turn"),
        (query.tool.is_some(), " AND tool = :tool"),
        (owner.is_some(), " AND session_id IN (SELECT id FROM sessions WHERE owner = :owner)"),
    ] {
        if given {
            wanted += condition;
        }
    }
    // Bound by name, and named even where the condition is not there.
    let bound =
        "(:session IS NULL OR 1) AND (:turn IS NULL OR 1) AND (:tool IS NULL OR 1) AND (:owner IS NULL OR 1)";
    let total =
        c.prepare_cached(&format!("SELECT COUNT(*) FROM tool_calls WHERE {wanted} AND {bound}"))?.query_row(
            named_params! {
                ":session": query.session_id, ":turn": query.turn_id, ":tool": query.tool, ":owner": owner,
            },
            |row| row.get(0),
        )?;
    let mut statement = c.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM tool_calls WHERE {wanted} AND {bound} ORDER BY number DESC LIMIT :limit OFFSET :offset"
    ))?;
    let found = statement.query_map(
        named_params! {
            ":session": query.session_id, ":turn": query.turn_id, ":tool": query.tool, ":owner": owner,
            ":limit": limit, ":offset": offset,
        },
        from_row,
    )?;
    Ok(Page { total, items: found.collect::<rusqlite::Result<_>>()? })
}
