//! Where on the screen the picture is taken.

use deskhand_core::{Cx, ToolError, ToolResult};

use super::input::{DisplayArg, Input, Subject};
use crate::desktop::{
    backend::{Monitor, Wait},
    picture::Picture,
    seat, which,
    window::{Rect, Window, one_line},
};

/// A part of the screen, and why this one.
pub(super) struct Aim {
    pub region: Rect,
    pub words: String,
    pub notes: Vec<String>,
}

impl Aim {
    pub fn take(input: &Input, cx: &Cx) -> ToolResult<Self> {
        let (desktop, wait) = (seat::desktop(cx)?, Wait::of(cx));
        let monitors = desktop.monitors(&wait)?;
        let screen = whole(&monitors);
        let aim = |region: Rect, words: String| Ok(Self { region, words, notes: Vec::new() });
        match input.subject()? {
            Subject::Desktop => {
                aim(screen, format!("the whole desktop ({}×{})", screen.width, screen.height))
            }
            Subject::Display(arg) => {
                let monitor = display(arg, &monitors)?;
                aim(monitor.place, format!("the display {} ({})", one_line(&monitor.name), monitor.place))
            }
            Subject::Part(part, on) => {
                let (part, all, of) = match on {
                    None => (part, screen, "the screen".to_owned()),
                    Some(arg) => {
                        let monitor = display(arg, &monitors)?;
                        let place = monitor.place;
                        let (x, y) = (part.x.saturating_add(place.x), part.y.saturating_add(place.y));
                        (Rect { x, y, ..part }, place, format!("the display {}", one_line(&monitor.name)))
                    }
                };
                if part.within(all) != Some(part) {
                    let message = format!("The region {part} is not within {of}, which is {all}.");
                    return Err(ToolError::invalid("region_outside", message));
                }
                aim(part, format!("the region {part}"))
            }
            Subject::Window(arg) => {
                let windows = desktop.windows(&wait)?;
                Self::at_window(which::find(arg, &windows)?, &windows, screen)
            }
        }
    }

    /// A window as it is on the screen.
    fn at_window(window: &Window, windows: &[Window], screen: Rect) -> ToolResult<Self> {
        let hidden = |why: &str| {
            ToolError::new("window_not_shown", format!("The {} is not to be seen: {why}.", window.untitled()))
                .hint("Bring it to the front with switch_window first.")
        };
        if window.is_minimized() {
            return Err(hidden("it is minimized"));
        }
        let region = window.geometry.within(screen).ok_or_else(|| hidden("it is not on the screen"))?;
        let mut notes = Vec::new();
        if region != window.geometry {
            notes.push(format!("Only {region} of it is on the screen."));
        }
        let above = windows.iter().skip_while(|other| other.id != window.id).skip(1);
        let covers = |other: &&Window| !other.is_minimized() && other.geometry.within(region).is_some();
        let count = above.filter(covers).count();
        if count > 0 {
            notes.push(format!("{count} other windows are in front of it, and in the picture."));
        }
        Ok(Self { region, words: window.words(), notes })
    }

    pub fn shoot(&self, cx: &Cx) -> ToolResult<Picture> {
        seat::desktop(cx)?.capture(self.region, &Wait::of(cx))
    }
}

/// What all displays are on together.
fn whole(monitors: &[Monitor]) -> Rect {
    let places = || monitors.iter().map(|monitor| monitor.place);
    let (x, y) = (places().map(|p| p.x).min().unwrap_or(0), places().map(|p| p.y).min().unwrap_or(0));
    let right = places().map(|p| i64::from(p.x) + i64::from(p.width)).max().unwrap_or(1);
    let bottom = places().map(|p| i64::from(p.y) + i64::from(p.height)).max().unwrap_or(1);
    let length = |end: i64, start: i32| u32::try_from(end - i64::from(start)).unwrap_or(1);
    Rect { x, y, width: length(right, x), height: length(bottom, y) }
}

fn display<'a>(arg: &DisplayArg, monitors: &'a [Monitor]) -> ToolResult<&'a Monitor> {
    let found = match arg {
        DisplayArg::Number(number) => monitors.get(*number as usize),
        DisplayArg::Name(name) => monitors.iter().find(|monitor| monitor.name.eq_ignore_ascii_case(name)),
    };
    found.ok_or_else(|| {
        let named = match arg {
            DisplayArg::Number(number) => number.to_string(),
            DisplayArg::Name(name) => format!("«{}»", one_line(name)),
        };
        let line = |(number, monitor): (usize, &Monitor)| {
            let first = if monitor.primary { ", the first" } else { "" };
            format!("\n- {number}: {} ({}){first}", one_line(&monitor.name), monitor.place)
        };
        let list = monitors.iter().enumerate().map(line).collect::<Vec<_>>().concat();
        ToolError::invalid("no_such_display", format!("There is no display {named}. There are:{list}"))
    })
}
