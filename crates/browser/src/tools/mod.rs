//! The tools: a file each, and what they share in [`hands`].

mod accept_dialog;
mod browser_click;
mod browser_downloads;
mod browser_evaluate;
mod browser_get_dom;
mod browser_get_state;
mod browser_go_back;
mod browser_go_forward;
mod browser_hover;
mod browser_launch;
mod browser_navigate;
mod browser_press_key;
mod browser_reload;
mod browser_screenshot;
mod browser_scroll;
mod browser_select_file;
mod browser_snapshot;
mod browser_tabs;
mod browser_type;
mod browser_wait_for;
mod clipboard;
mod elements;
mod hands;
mod new_file;
mod page_camera;
mod sending;
mod stepping;
mod strokes;

use deskhand_core::Registry;

/// Adds every tool of this crate. They are offered only where a browser is found.
pub fn register(registry: &mut Registry) {
    registry.add(browser_launch::BrowserLaunch);
    registry.add(browser_navigate::BrowserNavigate);
    registry.add(browser_snapshot::BrowserSnapshot);
    registry.add(browser_click::BrowserClick);
    registry.add(browser_type::BrowserType);
    registry.add(browser_hover::BrowserHover);
    registry.add(browser_scroll::BrowserScroll);
    registry.add(browser_press_key::BrowserPressKey);
    registry.add(browser_screenshot::BrowserScreenshot);
    registry.add(browser_get_dom::BrowserGetDom);
    registry.add(browser_evaluate::BrowserEvaluate);
    registry.add(browser_wait_for::BrowserWaitFor);
    registry.add(browser_go_back::BrowserGoBack);
    registry.add(browser_go_forward::BrowserGoForward);
    registry.add(browser_reload::BrowserReload);
    registry.add(browser_get_state::BrowserGetState);
    registry.add(browser_tabs::BrowserTabs);
    registry.add(browser_select_file::BrowserSelectFile);
    registry.add(browser_downloads::BrowserDownloads);
}
