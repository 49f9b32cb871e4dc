//! The end of a call as a client gets it.

use std::path::Path;

use deskhand_agent::context::history;
use deskhand_core::{Outcome, Status};
use deskhand_guard::Paths;
use rmcp::model::{CallToolResult, ContentBlock, ErrorData, MetaObject, Resource};
use serde_json::{Value, json};

use super::super::{McpServer, uri};
use crate::http::mime;

/// The most files that a result links to.
const MOST_LINKS: usize = 10;

/// What the client gets. A tool that does not exist is an error of the request, everything else one of the call.
pub fn of(
    server: &McpServer,
    name: &str,
    outcome: Outcome,
    paths: Option<&Paths>,
) -> Result<CallToolResult, ErrorData> {
    if outcome.status == Status::NotFound {
        return Err(ErrorData::invalid_params(outcome.text, Some(json!({"call_id": outcome.call_id}))));
    }
    let shaped = shape(server, name, &outcome);
    let told = told(&outcome, shaped.as_ref(), &server.parts().program.where_to_answer());
    let structured = structured(server, name, &outcome, shaped.as_ref(), &told);
    let meta = meta(&outcome);
    let is_error = !outcome.is_success();
    let mut content = vec![ContentBlock::text(told)];
    content.extend(links(&outcome, paths, shaped.is_some()));
    content.extend(outcome.images.into_iter().map(|image| ContentBlock::image(image.base64, image.mime)));
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = structured;
    result.meta = Some(meta);
    Ok(result)
}

/// In the words of the dialect, where the server speaks one.
fn shape(server: &McpServer, name: &str, outcome: &Outcome) -> Option<Value> {
    let dialect = server.gate().registry.dialect(server.offer().dialect.as_deref()?)?;
    dialect.entry(name)?;
    Some(dialect.shaped(name, outcome))
}

/// What the model reads. Text from outside is fenced.
fn told(outcome: &Outcome, shaped: Option<&Value>, where_to_answer: &str) -> String {
    // Here a picture comes beside the text, and nobody can read its bytes.
    let is_picture = |text: &String| outcome.images.iter().any(|image| image.base64 == *text);
    let text = match shaped {
        Some(Value::String(text)) if !is_picture(text) => text.clone(),
        Some(Value::String(_)) | None => plain(outcome, where_to_answer),
        Some(value) => value.to_string(),
    };
    match &outcome.outside {
        Some(source) => history::fenced(outcome.call_id, source, &text),
        None => text,
    }
}

fn plain(outcome: &Outcome, where_to_answer: &str) -> String {
    let mut text = match &outcome.error {
        Some(error) => format!("[{}] {}", error.code, outcome.text),
        None => outcome.text.clone(),
    };
    if outcome.status == Status::Expired {
        text = format!("{text}\nCall it again to ask again; the user answers at {where_to_answer}.");
    }
    if let Some(arguments) = &outcome.edited {
        text = format!("[The user changed the arguments before it ran: {arguments}]\n{text}");
    }
    if text.trim().is_empty() { "(no output)".to_owned() } else { text }
}

/// Data for programs, where the offer has it. Many clients show the model this instead of the text, so that it also
/// holds what a model must know: that text is from outside, and where the rest of an output is. A failed call has none,
/// except in a dialect: its text says more than data without a result.
fn structured(
    server: &McpServer,
    name: &str,
    outcome: &Outcome,
    shaped: Option<&Value>,
    told: &str,
) -> Option<Value> {
    let found = server.gate().registry.find(name, server.offer().dialect.as_deref()).ok()?;
    if !server.offer().gives_data_of(&found.entry) {
        return None;
    }
    let data = match shaped {
        Some(shaped) => shaped,
        None if outcome.is_success() => &outcome.data,
        None => return None,
    };
    let mut data = match data {
        Value::Object(_) => data.clone(),
        // A person has put other words in its place.
        _ if shaped.is_none() && found.entry.output_schema().is_object() => json!({"text": told}),
        _ => return None,
    };
    if let Some(source) = &outcome.outside {
        return Some(json!({"outside": source, "text": told}));
    }
    if shaped.is_none() {
        without_nulls(&mut data);
    }
    if let (Some(fields), Some(handle), None) = (data.as_object_mut(), &outcome.full_output, shaped) {
        let notice = format!("A part is left out here; read_file with path \"{handle}\" reads the whole.");
        fields.insert("full_output".to_owned(), handle.clone().into());
        fields.insert("notice".to_owned(), notice.into());
    }
    Some(data)
}

/// What is not there is left out: the schemas of our own results know no `null`.
fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(without_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

/// Where to read on: the whole output, and the files that the call was about.
fn links(outcome: &Outcome, paths: Option<&Paths>, is_shaped: bool) -> Vec<ContentBlock> {
    let kept = outcome.full_output.as_ref().map(|_| {
        let link = Resource::new(uri::of_output(outcome.call_id), "the whole output");
        ContentBlock::resource_link(link.with_mime_type("text/plain"))
    });
    let is_ours =
        |path: &Path| paths.is_some_and(|paths| paths.workspaces().any(|root| path.starts_with(root)));
    let wanted = outcome.is_success() && !is_shaped;
    let files =
        outcome.paths.iter().filter(|path| wanted && is_ours(path) && path.is_file()).take(MOST_LINKS);
    kept.into_iter().chain(files.map(|path| file_link(path))).collect()
}

fn file_link(path: &Path) -> ContentBlock {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mime = mime::of(&name, &[]);
    ContentBlock::resource_link(Resource::new(uri::of_file(path), name).with_mime_type(mime))
}

fn meta(outcome: &Outcome) -> MetaObject {
    let mut told = json!({
        "call_id": outcome.call_id,
        "status": outcome.status,
        "undo": outcome.undo,
        "decision": outcome.decision,
        "decided_by": outcome.decided_by,
        "duration_ms": outcome.duration_ms,
        "outside": outcome.outside,
    });
    if let Some(error) = &outcome.error {
        told["error"] = json!({"code": error.code, "message": error.message, "hint": error.hint});
    }
    without_nulls(&mut told);
    match told {
        Value::Object(fields) => MetaObject(fields),
        _ => MetaObject::new(),
    }
}
