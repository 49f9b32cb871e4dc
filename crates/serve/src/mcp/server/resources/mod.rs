//! What a client can read beside calling tools: the files of the workspace, whole outputs, and of what Deskhand keeps,
//! its owner's conversations and records.
//!
//! Files are read by the gate like in any call, and nobody is asked for it: what would need a question is not there.

mod files;
mod kept;

pub use self::kept::session_ids;

use deskhand_core::{Outcome, Request, SessionCx};
use deskhand_guard::Paths;
use rmcp::model::{
    ErrorData, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use serde_json::{Value, json};

use super::{
    McpServer,
    asker::Asker,
    uri::{self, Named},
};

pub const FILE_TEMPLATE: &str = "file:///{+path}";
pub const SESSION_TEMPLATE: &str = "deskhand://sessions/{id}";
pub const OUTPUT_TEMPLATE: &str = "deskhand://output/{call_id}";

impl McpServer {
    /// One page of them: what is kept comes first, then files.
    pub(super) async fn resources(
        &self,
        cursor: Option<&str>,
        asker: &Asker,
    ) -> Result<ListResourcesResult, ErrorData> {
        let files = files::page(self, cursor, asker).await?;
        let mut resources = if cursor.is_none() { kept() } else { Vec::new() };
        resources.extend(files.resources);
        let mut page = ListResourcesResult::with_all_items(resources);
        page.next_cursor = files.next;
        Ok(page)
    }

    pub(super) async fn read(&self, uri: &str, asker: &Asker) -> Result<ReadResourceResult, ErrorData> {
        let named = Named::read(uri).ok_or_else(|| not_there(uri))?;
        let contents = match named {
            Named::File(path) => files::read(self, uri, &path, asker).await?,
            Named::Output(call) => files::output(self, uri, call, asker).await?,
            Named::Sessions => {
                kept::record(self, uri, asker).await?;
                json_contents(uri, &kept::sessions(self, asker).await?)
            }
            Named::Session(id) => {
                kept::record(self, uri, asker).await?;
                json_contents(uri, &kept::session(self, uri, id, asker).await?)
            }
            Named::Audit => {
                kept::record(self, uri, asker).await?;
                json_contents(uri, &kept::audit(self, asker).await?)
            }
        };
        Ok(ReadResourceResult::new(vec![contents]))
    }

    /// A call that a client did not ask for by name: canonical, and nobody is asked.
    pub(super) async fn quietly(
        &self,
        tool: &str,
        arguments: Value,
        asker: &Asker,
    ) -> Result<Outcome, ErrorData> {
        let _slot = asker.client.bounds().slot()?;
        let cx = self.quiet_surroundings(asker).await?;
        let cancel = asker.cancelled.child_token();
        let request = Request { cancel: cancel.clone(), ..Request::new(tool, arguments) };
        let calling = self.gate().call(request, &cx);
        tokio::pin!(calling);
        tokio::select! {
            outcome = &mut calling => Ok(outcome),
            () = asker.client.ending().cancelled() => {
                cancel.cancel();
                Ok(calling.await)
            }
        }
    }

    async fn quiet_surroundings(&self, asker: &Asker) -> Result<SessionCx, ErrorData> {
        let usual = asker.client.surroundings(asker.desktop.clone()).await;
        let usual = usual.map_err(|error| ErrorData::internal_error(error, None))?;
        let usual = asker.client.bounds().confine(usual, asker.client.ending());
        Ok(usual.asking(Vec::new(), false))
    }

    /// The path policy of a client's session.
    pub(super) async fn paths(&self, asker: &Asker) -> Result<Paths, ErrorData> {
        let cx = self.quiet_surroundings(asker).await?;
        let paths = cx.services.get::<Paths>().cloned();
        paths.ok_or_else(|| ErrorData::internal_error("there is no workspace", None))
    }
}

fn kept() -> Vec<Resource> {
    let json = |uri: &str, name: &str, about: &str| {
        Resource::new(uri, name).with_description(about).with_mime_type("application/json")
    };
    vec![
        json(uri::SESSIONS, "sessions", "Conversations with Deskhand, the newest first"),
        json(uri::AUDIT, "audit", "What was done: the newest records of calls"),
    ]
}

pub fn templates() -> ListResourceTemplatesResult {
    let template =
        |uri: &str, name: &str, about: &str| ResourceTemplate::new(uri, name).with_description(about);
    ListResourceTemplatesResult::with_all_items(vec![
        template(
            FILE_TEMPLATE,
            "file",
            "A file of the workspace; the path is absolute, without its first slash",
        ),
        template(SESSION_TEMPLATE, "session", "A conversation with Deskhand")
            .with_mime_type("application/json"),
        template(OUTPUT_TEMPLATE, "output", "The whole output of a call that was too long")
            .with_mime_type("text/plain"),
    ])
}

/// Of what a client may not read it is not told whether it is there.
fn not_there(uri: &str) -> ErrorData {
    ErrorData::resource_not_found("there is no such resource", Some(json!({"uri": uri})))
}

fn json_contents(uri: &str, value: &Value) -> ResourceContents {
    text_contents(uri, "application/json", value.to_string())
}

fn text_contents(uri: &str, mime: &str, text: String) -> ResourceContents {
    ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(mime.to_owned()),
        text,
        meta: None,
    }
}
