//! One file for each subject of the API. A route is one function and one line here or in its file.

mod about;
mod approvals;
mod chat;
mod downloads;
mod events;
mod execute;
mod grants;
mod health;
mod messages;
mod notices;
mod sessions;
mod tools;
mod undo;
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
        .merge(grants::routes())
        .merge(undo::routes())
}

/// Which page of a list is wanted.
mod paging {
    use deskhand_core::session::PageAsk;
    use schemars::JsonSchema;
    use serde::Deserialize;

    const USUAL_SIZE: u64 = 20;

    #[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
    pub struct PageParams {
        /// From 1.
        #[schemars(range(min = 1))]
        pub page: Option<u64>,
        /// 1 to 1,000.
        #[schemars(range(min = 1, max = 1000))]
        pub page_size: Option<u64>,
    }

    impl PageParams {
        pub fn ask(self) -> PageAsk {
            PageAsk { page: self.page.unwrap_or(1), size: self.page_size.unwrap_or(USUAL_SIZE) }
        }

        /// `None` where no page is asked for.
        pub fn ask_if_any(self) -> Option<PageAsk> {
            (self.page.is_some() || self.page_size.is_some()).then(|| self.ask())
        }
    }
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
    ("undo", "Changes to files, and taking them back"),
    ("server", "The server itself"),
];
