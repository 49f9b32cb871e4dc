//! What the tools share: the browser of the session, where it is just now, and what its plans say of that.

use std::time::Duration;

use deskhand_core::{Absent, Cx, Effects, Permission, Plan, Services, Shape, ToolError, ToolResult};
use deskhand_guard::{Outbound, outbound::Verdict};
use url::Url;

use crate::{
    Browsers,
    launch::Window,
    page::{Page, PageError},
    tab::{State, Tab},
};

/// How long a page may take.
pub const LIMIT: Duration = Duration::from_secs(30);
/// The toolsets of every tool here.
pub const TOOLSETS: &[&str] = &["browser"];
/// What acts on a page may change something on its site.
pub const ACTS: Effects = Effects::NETWORK.and(Effects::WRITES);

/// Whether there is a browser.
pub fn available(services: &Services) -> Result<(), Absent> {
    let Some(browsers) = services.get::<Browsers>() else {
        return Err(Absent::new("No browser can be used here.", "Start Deskhand as a program of its own."));
    };
    if browsers.config().attach.is_some() {
        return Ok(());
    }
    browsers.found().map(drop).map_err(|error| Absent::new(format!("{error}."), error.remedy()))
}

/// The browsers. One that somebody has open, with all their logins, is for the owner of this installation alone.
pub fn browsers(cx: &Cx) -> ToolResult<&Browsers> {
    let browsers = cx.service::<Browsers>()?;
    if browsers.config().attach.is_some() && cx.owner().is_some() {
        let message = "The browser here (setting browser.attach) is the one that the owner of this installation has open.";
        return Err(ToolError::blocked("browser:others", message));
    }
    Ok(browsers)
}

/// The page of the session's current tab, for this call. A browser is started where there is none.
pub async fn page(cx: &Cx) -> ToolResult<(Page, Vec<String>)> {
    let browsers = browsers(cx)?;
    let mut notices = Vec::new();
    loop {
        let opened = browsers.open(cx.session_id()).await?;
        notices.extend(opened.notice);
        match Page::take(opened.browser, cx.cancel_token().clone()).await {
            // It was ended before this call had its turn. What is opened next is another one.
            Err(PageError::BrowserGone(_)) if notices.len() < 2 => {}
            taken => return Ok((taken?, notices)),
        }
    }
}

/// The page that is open, for a plan: nothing is started, opened or brought to the front for that.
pub async fn looked_at(cx: &Cx) -> ToolResult<Option<Page>> {
    let Some(browser) = browsers(cx)?.running(cx.session_id()) else { return Ok(None) };
    match Page::look(browser, cx.cancel_token().clone()).await {
        Err(PageError::BrowserGone(_)) => Ok(None),
        looked => Ok(looked?),
    }
}

/// As [`page`], for a call whose plan was made for the page that is there: if another one is, it is planned anew.
pub async fn same_page(cx: &Cx) -> ToolResult<(Page, Vec<String>)> {
    let (page, notices) = page(cx).await?;
    // What is known of the tab comes from events, which may still be on their way.
    page.catch_up().await?;
    is_as_planned(cx, &page)?;
    Ok((page, notices))
}

/// Whether the plan was made for the page that is there, as far as is known of it.
pub fn is_as_planned(cx: &Cx, page: &Page) -> ToolResult<()> {
    // In the tab of the call: what it has opened since, and is looked at next, is not acted on.
    let target = page.tab(|tab| tab.target.clone())?;
    let here = {
        let state = page.browser().targets().look();
        source_at(&state, state.tab(&target))
    };
    if cx.plan().is_none_or(|plan| plan.outside == here) {
        return Ok(());
    }
    let shown = here.as_deref().unwrap_or("an empty page");
    Err(ToolError::plan_changed(format!("The browser is at {shown} now.")))
}

/// Where the session's browser is: the host, and where what the page says comes from. Starts none, and waits for nothing.
pub fn where_it_is(cx: &Cx) -> ToolResult<(Option<String>, Option<String>)> {
    let browser = browsers(cx)?.running(cx.session_id());
    let look = |state: &State| (state.current().and_then(|tab| host_of(tab.url())), source_in(state));
    Ok(browser.map(|browser| look(&browser.targets().look())).unwrap_or_default())
}

/// The host of an address that has one.
pub fn host_of(url: &str) -> Option<String> {
    Url::parse(url).ok()?.host_str().map(str::to_owned)
}

/// Where text of a page comes from; `None` for a tab in which nothing was opened yet.
fn source_of(tab: &Tab) -> Option<String> {
    (!tab.is_untouched()).then(|| host_of(tab.url()).unwrap_or_else(|| "a web page".to_owned()))
}

/// Where text of the tab that is open comes from. Where nothing is in that one, something of another may still be told:
/// its title, a dialog, the name of a download.
fn source_in(state: &State) -> Option<String> {
    source_at(state, state.current())
}

fn source_at(state: &State, tab: Option<&Tab>) -> Option<String> {
    let others = || state.tabs.iter().find_map(source_of).map(|_| "a web page".to_owned());
    tab.and_then(source_of).or_else(others)
}

/// A plan for something on the page that is there.
pub fn on_page(cx: &Cx, does: &str, permission: Permission, effects: Effects) -> ToolResult<Plan> {
    let (host, source) = where_it_is(cx)?;
    // Without a page there is no host to reach.
    let effects = Effects { network: effects.network && source.is_some(), ..effects };
    let place = host.as_deref().unwrap_or("an empty page");
    let is_theirs = browsers(cx)?.config().attach.is_some();
    let permission = if is_theirs { permission.max(Permission::Moderate) } else { permission };
    let why = match permission {
        Permission::Moderate if !effects.writes && is_theirs => {
            "It looks at a page in the browser that you have open."
        }
        Permission::Public => "It only looks at the page that is open.",
        Permission::Moderate => "It acts on a web page.",
        _ => "It runs code in a web page, with all that the page may do.",
    };
    let mut plan =
        Plan::new(format!("{does} ({place})")).effects(effects).at_least(permission, "browser:page", why);
    if effects.writes {
        plan = plan.not_undoable("What a page does cannot be taken back.");
    }
    plan.outside = source;
    // Looking at what is there reaches no host.
    plan.hosts = host.into_iter().filter(|_| effects.network).collect();
    opening_a_window(cx, plan)
}

/// The plan of a call for which a browser is started, where that one has a window: it opens on the desktop.
pub fn opening_a_window(cx: &Cx, plan: Plan) -> ToolResult<Plan> {
    let would_start = browsers(cx)?.would_start(cx.session_id());
    let has_window = would_start.is_some_and(|options| options.window == Window::Visible);
    Ok(if has_window { with_window(plan) } else { plan })
}

/// A window on the desktop is one of its effects.
pub fn with_window(mut plan: Plan) -> Plan {
    plan.effects = plan.effects.and(Effects::DESKTOP);
    plan.note("The browser's window opens on the desktop.")
}

/// The same on a document of the page that may be of another host: that one is acted on. A person may allow or refuse it
/// for that host.
pub fn in_document(mut plan: Plan, host: Option<&str>) -> Plan {
    if let Some(host) = host.filter(|host| plan.effects.network && plan.hosts != [*host]) {
        plan = plan.note(format!("It is in a frame of {host}."));
        plan.hosts = vec![host.to_owned()];
    }
    for_host(plan)
}

/// What is done on one host may be remembered for that host.
fn for_host(plan: Plan) -> Plan {
    match plan.hosts.as_slice() {
        [host] => {
            let host = host.clone();
            plan.shape(Shape::Host { host })
        }
        _ => plan,
    }
}

/// An address as people and models write it. Whether it may be gone to is the outbound guard's.
pub fn web_address(text: &str) -> ToolResult<Url> {
    let text = text.trim();
    let parsed = Url::parse(text).or_else(|error| match error {
        // As people write them.
        url::ParseError::RelativeUrlWithoutBase => Url::parse(&format!("https://{text}")),
        other => Err(other),
    });
    // `example.org:8080/x` reads as a scheme.
    let parsed = match parsed {
        Ok(url) if url.cannot_be_a_base() && url.path().starts_with(|c: char| c.is_ascii_digit()) => {
            Url::parse(&format!("https://{text}"))
        }
        parsed => parsed,
    };
    parsed
        .map_err(|error| ToolError::invalid("bad_url", format!("«{}» is no address: {error}.", short(text))))
}

/// What the outbound guard says of an address, in the plan of a call that goes there.
pub fn going_to(cx: &Cx, url: &Url, does: &str) -> ToolResult<Plan> {
    let verdict = browsers(cx)?.config().outbound.judge_url(url);
    let mut plan = verdict.settle(Plan::new(does.to_owned()).effects(Effects::NETWORK));
    plan.outside = verdict.host.or_else(|| Some("a web page".to_owned()));
    opening_a_window(cx, for_host(plan))
}

/// Lets the browser go to an address, for a call whose plan named it and was approved.
pub fn approved(page: &Page, url: &Url) -> ToolResult<()> {
    page.browser().approve(&unless_forbidden(page.browser().outbound(), url)?);
    Ok(())
}

/// The gate lets no plan run that is forbidden; whoever goes to an address makes sure of it all the same.
fn unless_forbidden(outbound: &Outbound, url: &Url) -> ToolResult<Verdict> {
    let verdict = outbound.judge_url(url);
    if verdict.permission == Permission::Forbidden {
        return Err(ToolError::blocked(verdict.rule, verdict.why));
    }
    Ok(verdict)
}

/// What a caller wrote, as far as a message or a plan repeats it.
pub fn short(text: &str) -> String {
    const MOST: usize = 200;
    let cut: String = text.chars().take(MOST).collect();
    if text.chars().nth(MOST).is_some() { cut + "…" } else { cut }
}

/// What happened meanwhile, under what a tool says.
pub fn with_notices(text: String, notices: &[String]) -> String {
    notices.iter().fold(text, |text, notice| format!("{text}\n{notice}"))
}

#[cfg(test)]
mod tests {
    use deskhand_core::Status;

    use super::*;

    #[test]
    fn only_the_web_is_gone_to() {
        let outbound = Outbound::default();
        for (text, url) in [
            ("https://example.org/a?b#c", "https://example.org/a?b#c"),
            ("example.org", "https://example.org/"),
            (" example.org/path ", "https://example.org/path"),
            ("example.org:8080/x", "https://example.org:8080/x"),
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000/"),
            ("HTTP://EXAMPLE.org", "http://example.org/"),
            ("about:blank", "about:blank"),
        ] {
            assert_eq!(web_address(text).unwrap().as_str(), url, "{text}");
        }
        for bad in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:text/html,x",
            "chrome://settings",
            "view-source:http://a/",
            "about:config",
            "blob:http://a/1",
            "ftp://a/",
            "filesystem:http://a/",
            "FILE:///etc/passwd",
            "devtools://x",
        ] {
            let refused = unless_forbidden(&outbound, &web_address(bad).unwrap()).unwrap_err();
            assert_eq!((refused.code, refused.status), ("net:scheme", Status::Blocked), "{bad}");
        }
        for odd in ["", "http://", "https://[::1"] {
            assert!(web_address(odd).is_err(), "{odd}");
        }
    }
}
