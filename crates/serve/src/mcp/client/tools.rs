//! A server's list of tools: asked for page by page within bounds, checked, and taken into the registry.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use deskhand_core::{Effects, Guest, Permission, Registry, arguments};
use rmcp::{
    RoleClient,
    model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool},
    service::{Peer, PeerRequestOptions, ServiceError},
};
use serde_json::{Value, json};

use super::{
    ServerConfig,
    guest::GuestTool,
    name, schema,
    state::{ListedTool, RefusedTool, Server},
};

const MOST_TOOLS: usize = 2_000;
const MOST_PAGES: usize = 200;
const MOST_BYTES: usize = 4 * 1024 * 1024;
const LONGEST_DESCRIPTION: usize = 1_000;
/// A tool of a longer name, or of one with characters that nobody sees, has no setting of its own.
const LONGEST_NAME: usize = 200;

/// All tools of a server, as far as they are within bounds, and a word on those that are not.
pub(super) async fn list(
    server: &Server,
    peer: &Peer<RoleClient>,
) -> Result<(Vec<Tool>, Option<RefusedTool>), ServiceError> {
    let mut tools = Vec::new();
    let mut bytes = 0;
    let mut cursor: Option<String> = None;
    let mut seen = HashSet::new();
    for _ in 0..MOST_PAGES {
        let page = page(server, peer, cursor.take()).await?;
        for tool in page.0 {
            bytes += serde_json::to_string(&tool).map_or(0, |text| text.len());
            if tools.len() == MOST_TOOLS || bytes > MOST_BYTES {
                return Ok((tools, Some(rest_left_out())));
            }
            tools.push(tool);
        }
        cursor = page.1;
        match &cursor {
            None => return Ok((tools, None)),
            Some(again) if !seen.insert(again.clone()) => break,
            Some(_) => {}
        }
    }
    Ok((tools, Some(rest_left_out())))
}

fn rest_left_out() -> RefusedTool {
    RefusedTool {
        name: "…".to_owned(),
        why: format!(
            "the list goes on: of one server at most {MOST_TOOLS} tools, {MOST_BYTES} bytes and {MOST_PAGES} pages are read"
        ),
    }
}

/// Not by `list_tools`, which may answer from what it remembers.
async fn page(
    server: &Server,
    peer: &Peer<RoleClient>,
    cursor: Option<String>,
) -> Result<(Vec<Tool>, Option<String>), ServiceError> {
    let request = ListToolsRequest::with_param(PaginatedRequestParams::default().with_cursor(cursor));
    let options = PeerRequestOptions::with_timeout(server.places.limits.list);
    let request = peer.send_request_with_option(ClientRequest::ListToolsRequest(request), options).await?;
    match request.await_response().await? {
        ServerResult::ListToolsResult(page) => Ok((page.tools, page.next_cursor)),
        _ => Err(ServiceError::UnexpectedResponse),
    }
}

/// A server's tools, as it last listed them.
#[derive(Default)]
pub(super) struct Listing {
    tools: Vec<Tool>,
    left_out: Option<RefusedTool>,
}

/// Takes the tools in, in place of those that the server had.
pub(super) fn take_in(
    server: &Arc<Server>,
    registry: &Registry,
    tools: Vec<Tool>,
    left_out: Option<RefusedTool>,
) {
    let mut listing = server.listing();
    *listing = Listing { tools, left_out };
    offer(server, registry, &listing);
}

/// Takes in again what the server listed, under the settings of now.
pub(super) fn take_in_again(server: &Arc<Server>, registry: &Registry) {
    offer(server, registry, &server.listing());
}

/// `listing` is locked by the caller: of two at once, the later one counts.
fn offer(server: &Arc<Server>, registry: &Registry, listing: &Listing) {
    let settings = server.config();
    let mut refused: Vec<RefusedTool> = listing.left_out.iter().cloned().collect();
    refused.extend(named_in_vain(&settings, &listing.tools));
    let mut guests: Vec<Guest> = Vec::new();
    let mut definitions = HashMap::new();
    let mut listed = Vec::new();
    for tool in listing.tools.iter().cloned() {
        let config = settings.tools.get(tool.name.as_ref()).copied().unwrap_or_default();
        let named = name::of_tool(&server.name, &tool.name);
        if server.screened(&name::harmless(&tool.name, LONGEST_NAME)) == tool.name {
            let (name, called_as) = (tool.name.to_string(), named.clone());
            listed.push(ListedTool { name, called_as, permission: config.permission, hidden: config.hidden });
        }
        if config.hidden {
            continue;
        }
        match check(server, &tool, &named) {
            Err(why) => {
                refused.push(RefusedTool { name: server.screened(&name::harmless(&tool.name, 80)), why });
            }
            Ok(_) if definitions.contains_key(tool.name.as_ref()) => {
                refused.push(RefusedTool { name: named, why: "the server lists it twice".to_owned() });
            }
            Ok(schema) => {
                let permission = config.permission.unwrap_or(settings.permission);
                let hash = definition_hash(&tool);
                definitions.insert(tool.name.to_string(), hash);
                guests.push(guest(server, &settings, tool, named, permission, schema));
            }
        }
    }
    // First what calls are held against, then what can be called.
    server.defines(definitions);
    for tool in registry.receive(&server.name, guests) {
        refused.push(RefusedTool { name: tool.name, why: server.screened(&name::harmless(&tool.why, 300)) });
    }
    let taken = registry.toolset(&server.name).unwrap_or_default();
    let taken = taken.iter().map(|entry| entry.spec().name.to_owned()).collect();
    server.offers(taken, listed, refused);
}

/// What the settings name and the server does not have: who misspells a tool that is to be hidden should learn of it.
fn named_in_vain<'a>(
    settings: &'a ServerConfig,
    tools: &'a [Tool],
) -> impl Iterator<Item = RefusedTool> + 'a {
    let known: HashSet<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    let named = settings.tools.keys().filter(move |name| !known.contains(name.as_str()));
    named.map(|name| RefusedTool {
        name: name::harmless(name, 80),
        why: "the settings name it, and the server has no such tool".to_owned(),
    })
}

/// The schema of a tool that can be taken in.
fn check(server: &Server, tool: &Tool, named: &str) -> Result<Value, String> {
    if tool.name.trim().is_empty() {
        return Err("it has no name".to_owned());
    }
    if let Some(prefix) = server.taken_prefixes.iter().find(|prefix| named.starts_with(prefix.as_str())) {
        return Err(format!("its name would begin with {prefix}, like those of another server"));
    }
    schema::take_in(&tool.input_schema, &|text| server.screened(text))
}

/// All that a server says of a tool. Another definition is another tool, as far as a yes is concerned.
fn definition_hash(tool: &Tool) -> String {
    let said = json!({
        "name": tool.name, "title": tool.title, "description": tool.description, "input": tool.input_schema,
        "output": tool.output_schema, "annotations": tool.annotations,
    });
    arguments::sha256(&said)
}

fn guest(
    server: &Arc<Server>,
    settings: &ServerConfig,
    tool: Tool,
    named: String,
    permission: Permission,
    schema: Value,
) -> Guest {
    let said = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
    let said = server.screened(&name::harmless_lines(said, LONGEST_DESCRIPTION));
    let words = if said.is_empty() { "nothing of it".to_owned() } else { said };
    let of_result = tool.output_schema.as_ref();
    let of_result = of_result.and_then(|said| schema::take_in(said, &|text| server.screened(text)).ok());
    let effects = effects(permission);
    Guest {
        name: named,
        description: format!("The MCP server {} says: {words}", name::harmless(&server.name, 60)),
        permission,
        effects,
        // The call has a time limit of its own, which progress extends.
        timeout_s: server.places.limits.call.max(settings.timeout).as_secs() + 5,
        shared: settings.shared,
        input_schema: schema,
        output_schema: of_result.unwrap_or_default(),
        tool: Arc::new(GuestTool {
            server: Arc::clone(server),
            hints: hints(&tool),
            name: tool.name.into_owned(),
            permission,
            effects,
        }),
    }
}

/// Nobody knows what a tool of another server does, so it may do anything; except where the user has said that it
/// is harmless.
fn effects(permission: Permission) -> Effects {
    if permission == Permission::Public {
        return Effects::READS;
    }
    Effects::READS.and(Effects::WRITES).and(Effects::EXECUTES).and(Effects::NETWORK)
}

/// What the server says of the tool's harmlessness: for a person to read, and nothing else.
fn hints(tool: &Tool) -> Option<String> {
    let hints = tool.annotations.as_ref()?;
    let said = [
        (hints.read_only_hint == Some(true)).then_some("it only reads"),
        (hints.destructive_hint == Some(true)).then_some("it may destroy"),
        (hints.open_world_hint == Some(true)).then_some("it reaches out"),
    ];
    let said: Vec<_> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| format!("The server says, unchecked: {}.", said.join(", ")))
}
