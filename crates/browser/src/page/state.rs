//! What a tab is just now: for a person or a model to know where they are.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Page, PageError};

#[derive(Debug, Serialize, JsonSchema)]
pub struct PageState {
    pub url: String,
    pub title: String,
    /// `loading`, `interactive` or `complete`.
    pub ready: String,
    pub loading: bool,
    /// The number of the tab.
    pub tab: u32,
    pub tabs: usize,
    pub history: Vec<Entry>,
    /// Which of the history is shown.
    pub at: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Entry {
    pub url: String,
    pub title: String,
}

/// How much of the history is told.
const MOST: usize = 50;

impl Page {
    pub async fn state(&self) -> Result<PageState, PageError> {
        let history = self.call("Page.getNavigationHistory", json!({})).await?;
        let facts = self.ask(None, "page_facts", &Value::Null).await?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let entries = history["entries"].as_array().cloned().unwrap_or_default();
        let at = history["currentIndex"].as_u64().and_then(|at| usize::try_from(at).ok()).unwrap_or(0);
        let skipped = entries.len().saturating_sub(MOST);
        let entry = |entry: &Value| Entry { url: text(&entry["url"]), title: text(&entry["title"]) };
        let (tab, loading, url) = self.tab(|tab| (tab.number, tab.loading, tab.url().to_owned()))?;
        let tabs = self.browser.targets().look().tabs.len();
        Ok(PageState {
            url,
            title: text(&facts["title"]),
            ready: text(&facts["ready"]),
            loading,
            tab,
            tabs,
            history: entries.iter().skip(skipped).map(entry).collect(),
            at: at.saturating_sub(skipped),
        })
    }
}
