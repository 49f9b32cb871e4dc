//! What Deskhand keeps for the owner for whom a client works, their conversations; and the records of the client's own
//! calls.
//!
//! No tool reads these, so what the gate does for tools is done here: the reading is recorded, and text from outside is
//! fenced and taints the client's session.

use std::sync::Arc;

use deskhand_agent::context::history;
use deskhand_core::{
    AuditRecord, CallId, Outside, Time,
    audit::AuditQuery,
    cut, outside,
    session::{IMPORTED, MessageQuery, Owner, PageAsk, Role, SessionQuery},
};
use rmcp::model::ErrorData;
use serde_json::{Value, json};

use super::{McpServer, not_there};
use crate::mcp::server::{asker::Asker, uri};

const MOST_SESSIONS: u64 = 100;
const MOST_MESSAGES: u64 = 50;
const MOST_RECORDS: usize = 100;
/// Characters of one text.
const MOST_CHARS: usize = 10_000;

/// Writes down that it is read. What cannot be written down is not read.
pub async fn record(server: &McpServer, uri: &str, asker: &Asker) -> Result<(), ErrorData> {
    let asked = server.gate().screener.mask_value(&json!({"uri": uri}));
    let record = AuditRecord {
        tool_name: "resource".to_owned(),
        session_id: server.quiet_surroundings(asker).await?.id,
        owner: asker.client.owner().map(str::to_owned),
        ..AuditRecord::notice(asker.client.caller(), "read", asked, Time::now())
    };
    let audit = Arc::clone(&server.gate().audit);
    blocking(move || audit.append(&record)).await?.map_err(broken)
}

pub async fn sessions(server: &McpServer, asker: &Asker) -> Result<Value, ErrorData> {
    let query = SessionQuery {
        page: PageAsk { page: 1, size: MOST_SESSIONS },
        owner: Owner::Only(asker.client.owner().map(str::to_owned)),
        archived: Some(false),
        deleted: false,
    };
    let store = Arc::clone(&server.parts().store);
    let page = blocking(move || store.sessions(&query)).await?.map_err(broken)?;
    let sessions = page.items.iter().map(|session| {
        json!({
            "uri": format!("{}/{}", uri::SESSIONS, session.id),
            "id": session.id, "title": outside::label(&session.title), "updated_at": session.updated_at,
            "message_count": session.message_count,
        })
    });
    Ok(json!({"total": page.total, "sessions": sessions.collect::<Vec<_>>()}))
}

pub async fn session(server: &McpServer, uri: &str, id: String, asker: &Asker) -> Result<Value, ErrorData> {
    let store = Arc::clone(&server.parts().store);
    let owner = asker.client.owner().map(str::to_owned);
    let query = MessageQuery { last: Some(MOST_MESSAGES), ..MessageQuery::default() };
    let read = blocking(move || {
        // To all but its owner it does not exist.
        let session = store.session(&id).ok().filter(|session| session.owner == owner)?;
        Some((session, store.messages(&id, &query).ok()?))
    });
    let Some((session, messages)) = read.await? else { return Err(not_there(uri)) };
    let found = Outside::default();
    history::mark_outside(&messages.items, &found);
    // What was read earlier may be told again in any of these.
    if found.is_tainted() || messages.items.len() as u64 >= MOST_MESSAGES {
        found.mark(&format!("conversation {}", session.id));
    }
    let source = found.is_tainted().then(|| outside::label(&found.words()));
    if let Some(source) = &source {
        server.quiet_surroundings(asker).await?.outside.mark(source);
    }
    let mark = CallId::new();
    let said = messages.items.iter().map(|message| {
        let is_imported = message.metadata.other.contains_key(IMPORTED);
        let mut content = json!(message.content);
        cut::strings(&mut content, MOST_CHARS);
        if let (Some(source), Some(text)) = (&source, content.as_str())
            && (message.role != Role::User || is_imported)
        {
            content = history::fenced(mark, source, text).into();
        }
        json!({"id": message.id, "role": message.role, "content": content, "timestamp": message.timestamp})
    });
    let told = json!({
        "id": session.id, "title": outside::label(&session.title), "created_at": session.created_at, "updated_at": session.updated_at,
        "message_count": session.message_count, "messages": said.collect::<Vec<_>>(),
    });
    Ok(told)
}

pub async fn audit(server: &McpServer, asker: &Asker) -> Result<Value, ErrorData> {
    let cx = server.quiet_surroundings(asker).await?;
    let query = AuditQuery {
        // What other clients do, and the owner themselves, is none of its business.
        session_id: Some(cx.id.clone()),
        owner: Some(Owner::Only(asker.client.owner().map(str::to_owned))),
        limit: MOST_RECORDS,
        ..AuditQuery::default()
    };
    let trail = Arc::clone(&server.parts().audit);
    let mut page = blocking(move || trail.query(&query)).await?.map_err(broken)?;
    // All of it is of this session: it is tainted if any of these texts is from outside.
    if cx.outside.is_tainted() {
        let (mark, source) = (CallId::new(), cx.outside.words());
        for result in page.records.iter_mut().filter_map(|kept| kept.record.result.as_mut()) {
            *result = history::fenced(mark, &source, result);
        }
    }
    Ok(json!({"has_more": page.has_more(), "records": page.records}))
}

/// The ids of conversations that begin like this.
pub async fn session_ids(server: &McpServer, asker: &Asker, start: &str) -> Result<Vec<String>, ErrorData> {
    let all = sessions(server, asker).await?;
    let ids = all["sessions"].as_array().into_iter().flatten().filter_map(|session| session["id"].as_str());
    Ok(ids.filter(|id| id.starts_with(start)).map(str::to_owned).collect())
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ErrorData> {
    tokio::task::spawn_blocking(work).await.map_err(broken)
}

fn broken(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(format!("what is kept cannot be read: {error}"), None)
}
