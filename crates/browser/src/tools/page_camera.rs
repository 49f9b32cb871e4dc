//! The pictures that `screenshot` takes of web pages: by the browser of the session.

use deskhand_core::{
    Absent, Cx, Effects, PageCamera, PagePicture, PageShot, Permission, Plan, Services, ToolError,
    ToolResult, page_camera::Later,
};

use url::Url;

use super::hands::{self, LIMIT, web_address};
use crate::{
    Browsers,
    page::{Page, Picture, WaitUntil, What},
};

impl PageCamera for Browsers {
    fn available(&self) -> Result<(), Absent> {
        hands::available(&Services::default().with(self.clone()))
    }

    fn plan<'a>(&'a self, shot: &'a PageShot, plan: Plan, cx: &'a Cx) -> Later<'a, Plan> {
        Box::pin(async move {
            match &shot.url {
                Some(text) => self.there(text, plan, cx),
                None => here(plan, cx),
            }
        })
    }

    fn take<'a>(&'a self, shot: &'a PageShot, cx: &'a Cx) -> Later<'a, PagePicture> {
        Box::pin(async move {
            let (page, opened) = match &shot.url {
                Some(text) => {
                    let url = web_address(text)?;
                    (open(&url, cx).await?, Some(url))
                }
                None => (hands::same_page(cx).await?.0, None),
            };
            let what = if shot.full_page { What::FullPage } else { What::Viewport };
            let Picture { png, cut_from, .. } = page.screenshot(what).await?;
            // The page may have led on by itself while the picture was taken.
            page.catch_up().await?;
            match opened {
                Some(url) => is_at(&page, &url)?,
                None => hands::is_as_planned(cx, &page)?,
            }
            Ok(PagePicture { png, cut_from })
        })
    }
}

/// Opens the page that was approved.
async fn open(url: &Url, cx: &Cx) -> ToolResult<Page> {
    let (page, _) = hands::page(cx).await?;
    hands::approved(&page, url)?;
    if page.navigate(url.as_str(), WaitUntil::Load, LIMIT).await?.download {
        let message = format!("{url} is a download: there is no page to take a picture of.");
        return Err(ToolError::new("no_page", message));
    }
    is_at(&page, url)?;
    Ok(page)
}

/// The plan was for one host. Of another one, where that leads to, no picture is taken.
fn is_at(page: &Page, url: &Url) -> ToolResult<()> {
    // In the tab of the call: another one, which the page has opened since, is not in the picture.
    let here = page.tab(|tab| tab.url().to_owned())?;
    if hands::host_of(&here).as_deref() == url.host_str() {
        return Ok(());
    }
    let message = format!("{} leads to another host: {}", hands::short(url.as_str()), hands::short(&here));
    Err(ToolError::new("redirected", message)
        .hint("No picture is kept. If it is to be of that page, give that address as url."))
}

impl Browsers {
    /// Of a page that has to be opened first: what the outbound guard says of it.
    fn there(&self, text: &str, plan: Plan, cx: &Cx) -> ToolResult<Plan> {
        let verdict = self.config().outbound.judge_url(&web_address(text)?);
        let mut plan = verdict.settle(plan.effects(Effects::NETWORK));
        plan.outside = verdict.host.or(plan.outside);
        hands::opening_a_window(cx, plan)
    }
}

/// Of the page that is open. Where none is, no browser is started for an empty picture.
fn here(plan: Plan, cx: &Cx) -> ToolResult<Plan> {
    let (host, source) = hands::where_it_is(cx)?;
    let Some(source) = source else {
        let message = "No page is open in the browser of this session.";
        return Err(ToolError::new("no_page", message)
            .hint("Give the page as url, or open it with browser_navigate first."));
    };
    let why = "It shows the page that is open.";
    let mut plan = plan.effects(Effects::READS).at_least(Permission::Moderate, "browser:page", why);
    plan.summary = format!("{} ({})", plan.summary, host.as_deref().unwrap_or("an empty page"));
    plan.outside = Some(source);
    Ok(plan)
}
