//! Pictures of web pages: what `screenshot`, which knows no browser, wants of one.

use std::{future::Future, pin::Pin};

use crate::{Absent, Cx, Plan, ToolResult};

/// Something that comes later.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = ToolResult<T>> + Send + 'a>>;

/// Which page, and how much of it.
#[derive(Clone, Debug)]
pub struct PageShot {
    /// `None`: the page that is open.
    pub url: Option<String>,
    /// All of it, not only what is in view.
    pub full_page: bool,
}

/// A picture of a page.
#[derive(Clone, Debug)]
pub struct PagePicture {
    /// The file.
    pub png: Vec<u8>,
    /// How wide and high it would be, where that is more than can be drawn at once, and it was cut off.
    pub cut_from: Option<(u32, u32)>,
}

/// A browser, as far as `screenshot` is concerned. A service, as `Arc<dyn PageCamera>`; where it is absent, only the
/// desktop can be looked at.
pub trait PageCamera: Send + Sync {
    /// Whether there is a browser.
    fn available(&self) -> Result<(), Absent>;

    /// Adds to the plan what it would do: the host that is reached, what that asks for.
    fn plan<'a>(&'a self, shot: &'a PageShot, plan: Plan, cx: &'a Cx) -> Later<'a, Plan>;

    /// The picture.
    fn take<'a>(&'a self, shot: &'a PageShot, cx: &'a Cx) -> Later<'a, PagePicture>;
}
