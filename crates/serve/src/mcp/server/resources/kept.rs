//! What Deskhand keeps for the owner for whom a client works: their conversations, and the records of their calls.

use std::sync::Arc;

use deskhand_core::{
    audit::AuditQuery,
    cut,
    session::{MessageQuery, Owner, PageAsk, SessionQuery},
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
            "id": session.id, "title": session.title, "updated_at": session.updated_at,
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
    let said = messages.items.iter().map(|message| {
        json!({"id": message.id, "role": message.role, "content": message.content, "timestamp": message.timestamp})
    });
    let mut told = json!({
        "id": session.id, "title": session.title, "created_at": session.created_at, "updated_at": session.updated_at,
        "message_count": session.message_count, "messages": said.collect::<Vec<_>>(),
    });
    cut::strings(&mut told, MOST_CHARS);
    Ok(told)
}

pub async fn audit(server: &McpServer, asker: &Asker) -> Result<Value, ErrorData> {
    let query = AuditQuery {
        owner: Some(Owner::Only(asker.client.owner().map(str::to_owned))),
        limit: MOST_RECORDS,
        ..AuditQuery::default()
    };
    let trail = Arc::clone(&server.parts().audit);
    let page = blocking(move || trail.query(&query)).await?.map_err(broken)?;
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
