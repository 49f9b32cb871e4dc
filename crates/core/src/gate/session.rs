//! The session a call belongs to: where it works, for whom, and whom it can ask.

use std::{path::PathBuf, sync::Arc};

use crate::{
    approval::Approver,
    cx::Services,
    event::{EventSink, NoEvents},
    outside::Outside,
    policy::{Desktop, Mode},
};

/// Who makes a call: `cli`, `console`, `model:NAME`, `mcp:CLIENT`, …
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller(pub String);

impl Caller {
    /// One call that a person or a script makes with `deskhand call`.
    pub const COMMAND_LINE: &str = "cli";
}

/// The session a call belongs to: where it works and whom it can ask.
///
/// It is made by [`SessionCx::new`] and completed by the methods below; other crates cannot copy one with some fields
/// replaced, so that a field added here is thought of in one place.
#[derive(Clone)]
#[non_exhaustive]
pub struct SessionCx {
    pub id: String,
    /// For whom calls are made, and whose remembered answers count. `None`: the owner of this installation.
    pub owner: Option<String>,
    /// Whether they sit at the desktop that calls would act on.
    pub desktop: Desktop,
    pub caller: Caller,
    pub workspace: PathBuf,
    pub mode: Mode,
    pub services: Services,
    /// The surfaces that this process has. Others answer through the queue.
    pub approvers: Vec<Arc<dyn Approver>>,
    /// Whether to wait for other processes to answer when no surface here can.
    pub wait_for_others: bool,
    pub events: Arc<dyn EventSink>,
    /// What of the session's text comes from outside.
    pub outside: Arc<Outside>,
    /// Whether a person sees every result before the caller does.
    pub check_results: bool,
    /// Whether a person decides about the changes of every command, whatever mode and remembered answers say.
    pub review_changes: bool,
    /// Whether of kept outputs only those of this session's own calls can be read.
    pub own_calls_only: bool,
}

impl SessionCx {
    /// A session of the installation's owner, at their desktop, in mode `ask`. Nobody can be asked in it yet, and nobody
    /// watches it.
    pub fn new(id: impl Into<String>, caller: &str, workspace: PathBuf, services: Services) -> Self {
        Self {
            id: id.into(),
            owner: None,
            desktop: Desktop::Here,
            caller: Caller(caller.to_owned()),
            workspace,
            mode: Mode::Ask,
            services,
            approvers: Vec::new(),
            wait_for_others: false,
            events: Arc::new(NoEvents),
            outside: Arc::default(),
            check_results: false,
            review_changes: false,
            own_calls_only: false,
        }
    }

    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = id.into();
        self
    }

    /// Relative paths start in this folder.
    #[must_use]
    pub fn in_workspace(mut self, workspace: impl Into<PathBuf>) -> Self {
        self.workspace = workspace.into();
        self
    }

    /// Calls are made for this owner, who sits there.
    #[must_use]
    pub fn made_for(mut self, owner: Option<String>, desktop: Desktop) -> Self {
        (self.owner, self.desktop) = (owner, desktop);
        self
    }

    #[must_use]
    pub fn called_by(mut self, caller: impl Into<String>) -> Self {
        self.caller = Caller(caller.into());
        self
    }

    #[must_use]
    pub fn in_mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Questions go to these surfaces of this process, and where `wait_for_others` to those of others as well.
    #[must_use]
    pub fn asking(mut self, approvers: Vec<Arc<dyn Approver>>, wait_for_others: bool) -> Self {
        (self.approvers, self.wait_for_others) = (approvers, wait_for_others);
        self
    }

    #[must_use]
    pub fn watched_by(mut self, events: Arc<dyn EventSink>) -> Self {
        self.events = events;
        self
    }

    /// The text from outside that this session has read is noted here.
    #[must_use]
    pub fn tainted_by(mut self, outside: Arc<Outside>) -> Self {
        self.outside = outside;
        self
    }

    /// Whether a person sees every result before the caller does.
    #[must_use]
    pub fn checking_results(mut self, check_results: bool) -> Self {
        self.check_results = check_results;
        self
    }

    /// A person decides about the changes of every command, whatever mode and remembered answers say.
    #[must_use]
    pub fn reviewing_changes(mut self) -> Self {
        self.review_changes = true;
        self
    }

    /// Of kept outputs, those of this session's own calls alone can be read.
    #[must_use]
    pub fn own_calls_only(mut self) -> Self {
        self.own_calls_only = true;
        self
    }

    #[must_use]
    pub fn with_services(mut self, services: Services) -> Self {
        self.services = services;
        self
    }
}
