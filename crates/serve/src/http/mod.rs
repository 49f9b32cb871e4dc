//! The HTTP API and the web page.
//!
//! A request passes the [door](door) (host, origin, token, rate), becomes a [`Person`], and then is one function in
//! [`routes`]. No route knows anything of turns or tools that the agent and the gate do not do: it asks them, and tells
//! what came of it. The OpenAPI document is made from the very functions that answer.

mod app;
mod attachment;
mod confirmations;
pub(crate) mod door;
mod error;
mod extract;
mod links;
mod metrics;
pub(crate) mod mime;
mod modes;
mod openapi;
mod page;
mod person;
mod program;
mod pulse;
mod range;
mod receive;
mod routes;
pub(crate) mod server;
mod sse;
mod token;
mod unfinished;

pub use self::{
    app::Parts,
    door::HostNames,
    error::ApiError,
    modes::ModeInForce,
    openapi::document,
    page::is_built_in as page_is_built_in,
    person::Person,
    program::{
        About, Program,
        demo::{DemoDesk, DemoLanguage, DemoScene},
        models::{KeyringState, ModelDesk, ModelList, ProviderItem},
        servers::{
            Agree, AgreeToChange, NewServers, ProposedServer, ServerChange, ServerDesk, ServerItem,
            ServerLink, ServerList, ServerProposal, ToolRule,
        },
        settings::{SettingItem, SettingSource, SettingsAnswer, SettingsDesk, SourceKind},
    },
    server::{Listen, Server, Tls},
    token::{Token, Users},
};
