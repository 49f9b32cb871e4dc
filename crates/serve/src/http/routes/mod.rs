//! One file for each subject of the API. A route is one function and one line here or in its file.

mod about;
mod approvals;
mod chat;
mod demo;
mod downloads;
mod events;
mod execute;
mod health;
mod messages;
mod models;
mod notices;
mod paging;
mod sessions;
mod settings;
mod tools;
mod uploads;

use aide::axum::ApiRouter;

use super::app::App;

/// All routes of the API.
pub fn all() -> ApiRouter<App> {
    ApiRouter::new()
        .merge(health::routes())
        .merge(about::routes())
        .merge(sessions::routes())
        .merge(messages::routes())
        .merge(chat::routes())
        .merge(events::routes())
        .merge(notices::routes())
        .merge(tools::routes())
        .merge(execute::routes())
        .merge(approvals::routes())
        .merge(uploads::routes())
        .merge(downloads::routes())
        .merge(settings::routes())
        .merge(models::routes())
        .merge(demo::routes())
}

pub use about::MOST_JSON_BYTES;

/// The subjects, in the order of the document.
pub const TAGS: &[(&str, &str)] = &[
    ("sessions", "Conversations that last"),
    ("messages", "What was said in them, and saying more"),
    ("turns", "The turn that is under way"),
    ("events", "What happens, as it happens"),
    ("tools", "The hands, each call through the one gate"),
    ("approvals", "Questions to people"),
    ("files", "Files in and out"),
    ("settings", "What can be set"),
    ("models", "Whom Deskhand talks to, their keys, and the demo that needs none"),
    ("server", "The server itself"),
];
