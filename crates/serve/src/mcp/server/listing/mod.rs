//! Which tools are listed, and in how much detail.
//!
//! A listing is sent to a model with every request, so it is kept small: as much is said of each tool as fits, and
//! what its parameters mean is worth more than what its results look like. What is left out of a schema is still
//! understood and checked.

mod detail;
mod output;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use deskhand_core::{DialectEntry, Registry, ToolEntry};
use rmcp::model::{ErrorData, ListToolsResult, Tool};

use self::detail::{Level, Subject};
use super::{McpServer, Offer, client::Client};

/// What is listed where nothing is asked for.
const USUAL: &[&str] = &[
    "read_file",
    "write_file",
    "edit_file",
    "list_dir",
    "file_search",
    "grep",
    "bash",
    "bash_output",
    "find_tools",
];
/// Bytes of the whole answer to `tools/list` where nothing is asked for.
const USUAL_BYTES: usize = 6_000;
/// The same for any toolset and dialect, and for what a client has found beside.
const MOST_BYTES: usize = 25_000;
/// What stands around the tools in an answer.
const AROUND_BYTES: usize = 160;
const PAGE: usize = 100;

/// A tool of conversations that Deskhand leads itself: a client's own is not ours to shorten.
const NOT_HERE: &str = "compact";

/// Whether a tool is for clients at all.
pub(super) fn is_for_clients(entry: &ToolEntry) -> bool {
    entry.spec().name != NOT_HERE
}

/// What every client of a server is told, made once.
#[derive(Default)]
pub(super) struct Usual(OnceLock<Arc<[Tool]>>);

impl McpServer {
    /// One page of the tools that a client is told of.
    pub(super) fn page(&self, client: &Client, cursor: Option<&str>) -> Result<ListToolsResult, ErrorData> {
        let tools = self.listed(client);
        let start = match cursor {
            None => 0,
            Some(text) => match text.parse::<usize>() {
                Ok(at) if at < tools.len() => at,
                _ => return Err(ErrorData::invalid_params(format!("there is no page {text:?}"), None)),
            },
        };
        client.is_told(&names(&tools));
        self.taints(client, &tools);
        let end = tools.len().min(start + PAGE);
        let mut page = ListToolsResult::with_all_items(tools[start..end].to_vec());
        page.next_cursor = (end < tools.len()).then(|| end.to_string());
        Ok(page)
    }

    /// What other servers say of their tools is text from outside, also in a listing.
    fn taints(&self, client: &Client, tools: &[Tool]) {
        let entries = tools.iter().filter_map(|tool| self.gate().registry.get(&tool.name));
        for source in entries.filter_map(|entry| entry.said_by()) {
            client.reads_from_outside(&source);
        }
    }

    /// Whether a client would now be told of other tools than before.
    pub(super) fn is_told_anew(&self, client: &Client) -> bool {
        client.is_told(&names(&self.listed(client)))
    }

    /// All that a client is told of: what was asked for when the server was started, then what it has found.
    pub(super) fn listed(&self, client: &Client) -> Vec<Tool> {
        let base = self.base(client.owner());
        let found = client.found();
        let mut tools = base.to_vec();
        if found.is_empty() {
            return tools;
        }
        let registry = &self.gate().registry;
        let entries = found.iter().filter_map(|name| registry.get(name));
        let more: Vec<Arc<ToolEntry>> = entries
            .filter(|entry| is_for_clients(entry) && entry.is_for(client.owner()))
            .filter(|entry| base.iter().all(|tool| tool.name != entry.spec().name))
            .collect();
        let subjects: Vec<Subject<'_>> = more.iter().map(|entry| Subject::of(entry, self.offer())).collect();
        tools.extend(fitted(&subjects, self.offer(), MOST_BYTES.saturating_sub(bytes(&base))));
        tools
    }

    /// What is listed for everybody. Other servers' tools come and go, and are not there for all, so where they are
    /// asked for it is made anew.
    fn base(&self, owner: Option<&str>) -> Arc<[Tool]> {
        let registry = &self.gate().registry;
        let has_guests = self
            .offer()
            .toolsets
            .iter()
            .any(|name| registry.offered().any(|entry| entry.host() == Some(name.as_str())));
        if has_guests {
            return chosen(registry, self.offer(), owner).into();
        }
        Arc::clone(self.0.usual.0.get_or_init(|| chosen(registry, self.offer(), owner).into()))
    }
}

/// The tools that an offer names, as they are listed for this owner.
pub(super) fn chosen(registry: &Registry, offer: &Offer, owner: Option<&str>) -> Vec<Tool> {
    let in_toolsets: Option<Vec<Arc<ToolEntry>>> =
        (!offer.toolsets.is_empty()).then(|| of_toolsets(registry, offer, owner));
    if let Some(dialect) = offer.dialect.as_deref().and_then(|name| registry.dialect(name)) {
        let is_wanted = |entry: &DialectEntry| {
            in_toolsets.as_ref().is_none_or(|tools| tools.iter().any(|tool| tool.spec().name == entry.tool))
        };
        let built: Vec<(&DialectEntry, Arc<ToolEntry>)> = dialect
            .entries
            .iter()
            .filter(|entry| is_wanted(entry))
            .filter_map(|entry| {
                Some((entry, registry.own().find(|tool| tool.spec().name == entry.tool)?.clone()))
            })
            .filter(|(_, tool)| is_for_clients(tool))
            .collect();
        let subjects: Vec<Subject<'_>> =
            built.iter().map(|(entry, tool)| Subject::in_dialect(entry, tool)).collect();
        return fitted(&subjects, offer, MOST_BYTES - AROUND_BYTES);
    }
    let (entries, most) = match in_toolsets {
        Some(entries) => (entries, MOST_BYTES),
        None => (usual(registry), USUAL_BYTES),
    };
    let subjects: Vec<Subject<'_>> = entries.iter().map(|entry| Subject::of(entry, offer)).collect();
    fitted(&subjects, offer, most - AROUND_BYTES)
}

fn usual(registry: &Registry) -> Vec<Arc<ToolEntry>> {
    let named = |name: &&str| registry.own().find(|entry| entry.spec().name == *name).cloned();
    USUAL.iter().filter_map(named).collect()
}

fn of_toolsets(registry: &Registry, offer: &Offer, owner: Option<&str>) -> Vec<Arc<ToolEntry>> {
    let is_asked_for = |entry: &Arc<ToolEntry>| offer.toolsets.iter().any(|name| entry.is_in(name));
    registry
        .offered()
        .filter(|entry| is_for_clients(entry) && entry.is_for(owner) && is_asked_for(entry))
        .collect()
}

/// As much of each as fits into so many bytes; where not even the least does, as many as fit.
fn fitted(subjects: &[Subject<'_>], offer: &Offer, most: usize) -> Vec<Tool> {
    if offer.full_schemas {
        return subjects.iter().map(Subject::whole).collect();
    }
    let mut more = None;
    let mut least = Vec::new();
    for level in Level::ALL {
        let tools: Vec<Tool> = subjects.iter().map(|subject| subject.at(*level)).collect();
        if bytes(&tools) <= most {
            return fuller(tools, subjects, more, most);
        }
        (least, more) = (tools, Some(*level));
    }
    let mut room = most;
    least.retain(|tool| match room.checked_sub(size(tool)) {
        Some(left) => {
            room = left;
            true
        }
        None => false,
    });
    least
}

/// Gives what room is left to the tools that come first: more is said of those for which it is enough.
fn fuller(mut tools: Vec<Tool>, subjects: &[Subject<'_>], more: Option<Level>, most: usize) -> Vec<Tool> {
    let Some(more) = more else { return tools };
    let mut room = most - bytes(&tools);
    for (tool, subject) in tools.iter_mut().zip(subjects) {
        let better = subject.at(more);
        let costs = size(&better).saturating_sub(size(tool));
        if let Some(left) = room.checked_sub(costs) {
            (*tool, room) = (better, left);
        }
    }
    tools
}

fn names(tools: &[Tool]) -> Vec<String> {
    tools.iter().map(|tool| tool.name.to_string()).collect()
}

/// The size of tools on the wire.
fn bytes(tools: &[Tool]) -> usize {
    tools.iter().map(size).sum()
}

/// With the comma behind it.
fn size(tool: &Tool) -> usize {
    serde_json::to_string(tool).map_or(0, |text| text.len()) + 1
}
