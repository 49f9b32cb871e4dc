//! Files of the workspace, and whole outputs.

use std::path::{Path, PathBuf};

use deskhand_agent::context::history;
use deskhand_core::{CallId, Outcome, Status, output};
use deskhand_guard::{PathArg, Paths, paths::show_name};
use rmcp::model::{ErrorData, MetaObject, Resource, ResourceContents};
use serde_json::{Value, json};

use super::{McpServer, not_there, text_contents};
use crate::{
    http::mime,
    mcp::server::{asker::Asker, uri},
};

/// Entries of one page, folders included.
const PAGE: u64 = 200;

pub struct Page {
    pub resources: Vec<Resource>,
    pub next: Option<String>,
}

/// Where a page begins: in which workspace, and after how many entries.
struct At {
    workspace: usize,
    offset: u64,
}

impl At {
    fn read(cursor: Option<&str>) -> Result<Self, ErrorData> {
        let Some(text) = cursor else { return Ok(Self { workspace: 0, offset: 0 }) };
        let parsed = text.split_once(':').and_then(|(workspace, offset)| {
            Some(Self { workspace: workspace.parse().ok()?, offset: offset.parse().ok()? })
        });
        parsed.ok_or_else(|| ErrorData::invalid_params(format!("there is no page {text:?}"), None))
    }
}

pub async fn page(server: &McpServer, cursor: Option<&str>, asker: &Asker) -> Result<Page, ErrorData> {
    let at = At::read(cursor)?;
    let paths = server.paths(asker).await?;
    let roots: Vec<PathBuf> = paths.workspaces().map(Path::to_path_buf).collect();
    let Some(root) = roots.get(at.workspace) else { return Ok(Page { resources: Vec::new(), next: None }) };
    let wanted = json!({
        "path": show_name(root.as_os_str()), "recursive": true, "limit": PAGE, "offset": at.offset,
    });
    let outcome = server.quietly("list_dir", wanted, asker).await?;
    if !outcome.is_success() {
        return Err(failed(&outcome));
    }
    let entries = outcome.data["entries"].as_array().cloned().unwrap_or_default();
    let resources = entries.iter().filter_map(|entry| resource(roots.first()?, entry)).collect();
    let next = match outcome.data["next_offset"].as_u64() {
        Some(offset) => Some(format!("{}:{offset}", at.workspace)),
        None => (at.workspace + 1 < roots.len()).then(|| format!("{}:0", at.workspace + 1)),
    };
    Ok(Page { resources, next })
}

/// What is inside the first workspace is listed by its path from there, the rest by its whole path.
fn resource(first: &Path, entry: &Value) -> Option<Resource> {
    if entry["kind"] != "file" {
        return None;
    }
    let shown = entry["path"].as_str()?;
    let path = first.join(shown.strip_prefix("./").unwrap_or(shown));
    let name = path.file_name()?.to_string_lossy().into_owned();
    let resource = Resource::new(uri::of_file(&path), shown).with_mime_type(mime_of(&name));
    Some(match entry["size"].as_u64() {
        Some(size) => resource.with_size(size),
        None => resource,
    })
}

pub async fn read(
    server: &McpServer,
    uri: &str,
    path: &Path,
    asker: &Asker,
) -> Result<ResourceContents, ErrorData> {
    let arg = show_name(path.as_os_str());
    let (paths, wanted) = (server.paths(asker).await?, arg.clone());
    let found = tokio::task::spawn_blocking(move || is_in_jail(&paths, &wanted)).await;
    if !found.unwrap_or_default() {
        return Err(not_there(uri));
    }
    let mut outcome = server.quietly("read_file", json!({"path": arg}), asker).await?;
    if !outcome.is_success() {
        return Err(refused(uri, &outcome));
    }
    if let Some(image) = outcome.images.pop() {
        let (uri, mime_type) = (uri.to_owned(), Some(image.mime));
        return Ok(ResourceContents::BlobResourceContents { uri, mime_type, blob: image.base64, meta: None });
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let text = outcome.data["content"].as_str().unwrap_or(&outcome.text).to_owned();
    let mut contents = text_contents(uri, mime_of(&name), text);
    if (outcome.truncated || outcome.data["truncated"] == true)
        && let ResourceContents::TextResourceContents { meta, .. } = &mut contents
    {
        let fields = json!({"truncated": true, "read_on_with": "read_file"});
        *meta = fields.as_object().cloned().map(MetaObject);
    }
    Ok(contents)
}

/// Whether something is in a workspace, wherever links lead, and may be read without a question.
fn is_in_jail(paths: &Paths, path: &str) -> bool {
    let place = paths.readable_unasked(&PathArg::new(path));
    place.is_ok_and(|place| paths.workspaces().any(|root| place.path().starts_with(root)))
}

pub async fn output(
    server: &McpServer,
    uri: &str,
    call: CallId,
    asker: &Asker,
) -> Result<ResourceContents, ErrorData> {
    // The gate reads it only for whom the call was made.
    let outcome = server.quietly("read_file", json!({"path": output::handle(call)}), asker).await?;
    if !outcome.is_success() {
        return Err(refused(uri, &outcome));
    }
    let text = outcome.data["content"].as_str().unwrap_or(&outcome.text);
    let text = match &outcome.outside {
        Some(source) => history::fenced(outcome.call_id, source, text),
        None => text.to_owned(),
    };
    Ok(text_contents(uri, "text/plain", text))
}

fn refused(uri: &str, outcome: &Outcome) -> ErrorData {
    match outcome.status {
        Status::Cancelled | Status::TimedOut => failed(outcome),
        _ => not_there(uri),
    }
}

fn failed(outcome: &Outcome) -> ErrorData {
    ErrorData::internal_error(outcome.text.clone(), None)
}

fn mime_of(name: &str) -> &'static str {
    match mime::of(name, &[]) {
        "application/octet-stream" => "text/plain",
        mime => mime,
    }
}
