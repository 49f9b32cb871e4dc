//! Which page of a list is wanted.

use deskhand_core::session::PageAsk;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};

const USUAL_SIZE: u64 = 20;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
pub struct PageParams {
    /// From 1.
    #[serde(default, deserialize_with = "number")]
    #[schemars(range(min = 1))]
    pub page: Option<u64>,
    /// 1 to 1,000.
    #[serde(default, deserialize_with = "number")]
    #[schemars(range(min = 1, max = 1000))]
    pub page_size: Option<u64>,
}

/// What is flattened into the parameters of a route arrives as text.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map(Some).map_err(|_| de::Error::custom(format!("{text:?} is not a number")))
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
