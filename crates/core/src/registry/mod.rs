//! The tools that there are, the names by which they are called, and why some are not offered.

mod entry;
mod guests;
#[cfg(test)]
mod tests;

use std::{collections::HashMap, sync::Arc};

use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::watch;

use self::guests::Guests;
pub use self::{
    entry::ToolEntry,
    guests::{Guest, Refused},
};
use crate::{
    arguments,
    cx::Services,
    dialect::{Dialect, DialectEntry},
    error::{ToolError, ToolResult},
    spec::Spec,
    tool::Tool,
};

/// Why a tool cannot work here, and what would help.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Absent {
    pub why: String,
    pub remedy: String,
}

impl Absent {
    pub fn new(why: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { why: why.into(), remedy: remedy.into() }
    }
}

/// Two tools with one name: each name is for one tool, so the second was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("two tools are called {name}{}: a name can be registered once", in_dialect(.dialect.as_deref()))]
pub struct DuplicateName {
    pub name: String,
    /// The dialect that has both; `None`: they are ours.
    pub dialect: Option<String>,
}

fn in_dialect(dialect: Option<&str>) -> String {
    dialect.map_or_else(String::new, |dialect| format!(" in the dialect {dialect}"))
}

/// All tools and dialects.
#[derive(Default)]
pub struct Registry {
    tools: Vec<Arc<ToolEntry>>,
    by_name: HashMap<&'static str, usize>,
    absent: HashMap<String, Absent>,
    dialects: Vec<Dialect>,
    /// Dialect names that are no canonical name: the entries that have it.
    foreign: HashMap<&'static str, Vec<(usize, usize)>>,
    /// What is configured for tools of dialects, by dialect and name: arguments in our words.
    configured: HashMap<(&'static str, &'static str), Map<String, Value>>,
    /// The first name that was registered twice.
    duplicate: Option<DuplicateName>,
    guests: Guests,
}

/// A name, looked up.
pub struct Found<'a> {
    pub entry: Arc<ToolEntry>,
    /// The dialect entry by which it was found, where it was.
    pub dialect: Option<(&'a Dialect, &'a DialectEntry)>,
    /// What is configured for that entry.
    configured: Option<&'a Map<String, Value>>,
}

impl Found<'_> {
    fn canonical(entry: Arc<ToolEntry>) -> Self {
        Self { entry, dialect: None, configured: None }
    }

    /// Arguments in the words by which the tool was found, in ours. What is configured for a dialect's tool counts
    /// instead of what its table says.
    pub fn to_canonical(&self, arguments: Value) -> Value {
        let Some((_, entry)) = self.dialect else { return arguments };
        let mut canonical = entry.to_canonical(arguments);
        if let (Some(fields), Some(configured)) = (canonical.as_object_mut(), self.configured) {
            fields.extend(configured.clone());
        }
        canonical
    }
}

impl Registry {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool. A second one of the same name is not taken, and [`Self::probe`] fails.
    pub fn add<T: Tool>(&mut self, tool: T) {
        self.add_as(T::SPEC, tool);
    }

    /// Adds a tool that says of itself what is known only at run time.
    pub fn add_as<T: Tool>(&mut self, spec: Spec, tool: T) {
        let name = spec.name;
        if self.by_name.contains_key(name) {
            self.duplicate.get_or_insert(DuplicateName { name: name.to_owned(), dialect: None });
            return;
        }
        self.by_name.insert(name, self.tools.len());
        self.tools.push(Arc::new(ToolEntry::new(spec, tool)));
    }

    /// Ends the registration: finds out which tools can work with these services. The others are not offered from here
    /// on.
    ///
    /// # Errors
    /// Where a name was registered twice.
    pub fn probe(&mut self, services: &Services) -> Result<(), DuplicateName> {
        if let Some(duplicate) = &self.duplicate {
            return Err(duplicate.clone());
        }
        self.absent = self
            .tools
            .iter()
            .filter_map(|entry| Some((entry.spec().name.to_owned(), entry.tool.available(services).err()?)))
            .collect();
        Ok(())
    }

    pub fn add_dialect(&mut self, dialect: Dialect) {
        let at = self.dialects.len();
        for (i, entry) in dialect.entries.iter().enumerate() {
            if dialect.entries[..i].iter().any(|earlier| earlier.name == entry.name) {
                let dialect = Some(dialect.name.to_owned());
                self.duplicate.get_or_insert(DuplicateName { name: entry.name.to_owned(), dialect });
            }
            self.foreign.entry(entry.name).or_default().push((at, i));
        }
        self.dialects.push(dialect);
    }

    /// Sets arguments, in our words, of a tool of a dialect: they count instead of what its table says.
    pub fn configure(&mut self, dialect: &'static str, name: &'static str, arguments: Map<String, Value>) {
        self.configured.insert((dialect, name), arguments);
    }

    /// Takes in the tools of another server, in place of those that it had. A name of our own, or of a server that
    /// was first, cannot be taken.
    pub fn receive(&self, host: &str, guests: Vec<Guest>) -> Vec<Refused> {
        let is_taken = |name: &str| self.by_name.contains_key(name) || self.foreign.contains_key(name);
        self.guests.receive(host, guests, is_taken)
    }

    /// Forgets another server and its tools.
    pub fn dismiss(&self, host: &str) {
        self.guests.dismiss(host);
    }

    /// The other servers that there are, in the order in which they came.
    pub fn hosts(&self) -> Vec<String> {
        self.guests.hosts()
    }

    /// Counts how often tools of other servers came or went.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.guests.changes()
    }

    /// The tools that are offered, in the order in which they were added; those of other servers come last.
    pub fn offered(&self) -> impl Iterator<Item = Arc<ToolEntry>> {
        self.own().cloned().chain(self.guests.all())
    }

    /// Those that are ours.
    pub fn own(&self) -> impl Iterator<Item = &Arc<ToolEntry>> {
        self.tools.iter().filter(|entry| !self.absent.contains_key(entry.spec().name))
    }

    /// The tools that are not offered, with why.
    pub fn absent(&self) -> impl Iterator<Item = (&Arc<ToolEntry>, &Absent)> {
        self.tools.iter().filter_map(|entry| Some((entry, self.absent.get(entry.spec().name)?)))
    }

    /// Why the tool of that canonical name is not offered, where it is not.
    pub fn why_absent(&self, name: &str) -> Option<&Absent> {
        self.absent.get(name)
    }

    /// The offered tools of a toolset; `None` if no tool belongs to one of that name.
    pub fn toolset(&self, name: &str) -> Option<Vec<Arc<ToolEntry>>> {
        let tools: Vec<_> = self.offered().filter(|entry| entry.is_in(name)).collect();
        (!tools.is_empty() || self.toolset_names().iter().any(|known| known == name)).then_some(tools)
    }

    /// Other servers are toolsets, too.
    pub fn toolset_names(&self) -> Vec<String> {
        let own = self.tools.iter().flat_map(|entry| entry.spec().toolsets).map(|name| (*name).to_owned());
        let mut names: Vec<String> = own.collect();
        names.sort_unstable();
        names.dedup();
        names.extend(self.guests.hosts());
        names
    }

    pub fn dialects(&self) -> &[Dialect] {
        &self.dialects
    }

    pub fn dialect(&self, name: &str) -> Option<&Dialect> {
        self.dialects.iter().find(|dialect| dialect.name == name)
    }

    /// The tool of that canonical name, offered or not.
    pub fn get(&self, name: &str) -> Option<Arc<ToolEntry>> {
        let own = self.by_name.get(name).map(|&at| Arc::clone(&self.tools[at]));
        own.or_else(|| self.guests.get(name))
    }

    /// Looks a name up. Where a dialect is asked for, its names come first; then canonical names; then any
    /// dialect's name that only one tool has.
    pub fn find(&self, name: &str, dialect: Option<&str>) -> ToolResult<Found<'_>> {
        let asked = match dialect {
            None => None,
            Some(wanted) => Some(self.dialect(wanted).ok_or_else(|| self.no_such_dialect(wanted))?),
        };
        let in_dialect = asked.and_then(|d| Some((d, d.entry(name)?)));
        let found = match in_dialect {
            Some((dialect, entry)) => self.get(entry.tool).map(|tool| self.found_in(dialect, entry, tool)),
            None => match self.get(name) {
                Some(entry) => Some(Found::canonical(entry)),
                None => self.find_foreign(name)?,
            },
        };
        let found = found.ok_or_else(|| self.no_such_tool(name))?;
        match self.absent.get(found.entry.spec().name) {
            None => Ok(found),
            Some(absent) => {
                Err(not_found(format!("{name} is not offered here: {}.", absent.why))
                    .hint(absent.remedy.clone()))
            }
        }
    }

    fn found_in<'a>(
        &'a self,
        dialect: &'a Dialect,
        entry: &'a DialectEntry,
        tool: Arc<ToolEntry>,
    ) -> Found<'a> {
        let configured = self.configured.get(&(dialect.name, entry.name));
        Found { entry: tool, dialect: Some((dialect, entry)), configured }
    }

    fn find_foreign(&self, name: &str) -> ToolResult<Option<Found<'_>>> {
        let Some(places) = self.foreign.get(name) else { return Ok(None) };
        let mut found: Option<Found<'_>> = None;
        for &(dialect, entry) in places {
            let (dialect, entry) = (&self.dialects[dialect], &self.dialects[dialect].entries[entry]);
            let Some(tool) = self.get(entry.tool) else { continue };
            match &found {
                Some(other) if other.entry.spec().name != entry.tool => {
                    let names: Vec<_> = places.iter().map(|&(d, _)| self.dialects[d].name).collect();
                    let names = names.join(", ");
                    return Err(not_found(format!("{name} means different tools in the dialects {names}."))
                        .hint("Say which dialect is meant."));
                }
                Some(_) => {}
                None => found = Some(self.found_in(dialect, entry, tool)),
            }
        }
        Ok(found)
    }

    fn no_such_tool(&self, name: &str) -> ToolError {
        let offered: Vec<_> = self.offered().collect();
        let canonical = offered.iter().map(|entry| entry.spec().name);
        let foreign = self.foreign.iter().filter(|(_, at)| {
            at.iter().any(|&(d, e)| self.by_name.contains_key(self.dialects[d].entries[e].tool))
        });
        let mut near = arguments::ranked(name, canonical.chain(foreign.map(|(name, _)| *name)));
        near.dedup();
        near.truncate(3);
        let shown: String = name.chars().take(80).collect();
        let error = not_found(format!("There is no tool «{shown}»."));
        if near.is_empty() {
            error.hint("`deskhand tools` lists them all.")
        } else {
            error.hint(format!("Did you mean {}?", near.join(", ")))
        }
    }

    fn no_such_dialect(&self, name: &str) -> ToolError {
        let names: Vec<_> = self.dialects.iter().map(|d| d.name).collect();
        let shown: String = name.chars().take(80).collect();
        not_found(format!("There is no dialect «{shown}».")).hint(format!("There are: {}.", names.join(", ")))
    }
}

fn not_found(message: String) -> ToolError {
    ToolError { status: crate::Status::NotFound, ..ToolError::new("not_found", message) }
}
