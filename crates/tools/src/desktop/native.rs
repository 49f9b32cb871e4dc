//! The desktops of Windows and macOS: what is done in which order, how long it is waited for, and in which words it
//! fails. The calls themselves are in the crate `deskhand-native`.

use std::{thread::sleep, time::Duration};

use deskhand_core::{Absent, ToolError, ToolResult};
use deskhand_native::{self as native, Permission, Trouble, Way, here};

use super::{
    backend::{Clip, Closing, Copied, Desktop, Faculty, Monitor, Selection, Wait, refuses},
    hands::{Button, Key, Stroke, Typing},
    picture::Picture,
    window::{Rect, Window, WindowKind},
};

/// How long a program may take to do what it was asked.
const PATIENCE: Duration = Duration::from_secs(2);
/// Long enough for programs to tell two clicks from one, short enough for them to be a double-click.
const PAUSE: Duration = Duration::from_millis(60);
/// Between two keys.
const BETWEEN: Duration = Duration::from_millis(4);

/// The one desktop of this system.
#[derive(Default)]
pub struct Native;

impl Desktop for Native {
    fn can(&self, faculty: Faculty) -> Result<(), Absent> {
        if faculty == Faculty::FileManager {
            return Ok(());
        }
        self.about()?;
        match permission_for(faculty).filter(|permission| !here::has(*permission)) {
            Some(missing) => Err(not_given(missing)),
            None => Ok(()),
        }
    }

    fn about(&self) -> Result<String, Absent> {
        here::about().map_err(|trouble| match trouble {
            Trouble::Missing(permission) => not_given(permission),
            other => Absent::new(
                other.to_string(),
                "Start Deskhand in the session of somebody who is logged in at the screen.",
            ),
        })
    }

    fn windows(&self, _: &Wait) -> ToolResult<Vec<Window>> {
        Ok(here::windows().map_err(failed)?.into_iter().map(window).collect())
    }

    fn activate(&self, id: u64, wait: &Wait) -> ToolResult<()> {
        here::raise(id).map_err(failed)?;
        let is_active = || Ok(self.active_window(wait)?.is_some_and(|window| window.id == id));
        if wait.within(PATIENCE).until(is_active)? {
            return Ok(());
        }
        Err(ToolError::new("not_switched", "The system was asked, and did not give it the keyboard.")
            .hint("It may keep a window that somebody types into in front, or the window takes no keys."))
    }

    fn close(&self, id: u64, how: Closing, wait: &Wait) -> ToolResult<bool> {
        match how {
            Closing::Asked => here::ask_to_close(id),
            Closing::Forced => here::cut_off(id),
        }
        .map_err(failed)?;
        wait.within(PATIENCE).until(|| Ok(!here::is_there(id)))
    }

    fn monitors(&self, _: &Wait) -> ToolResult<Vec<Monitor>> {
        let monitor = |screen: native::Screen| Monitor {
            name: screen.name,
            primary: screen.primary,
            place: rect(screen.place),
        };
        Ok(here::screens().map_err(failed)?.into_iter().map(monitor).collect())
    }

    fn capture(&self, part: Rect, _: &Wait) -> ToolResult<Picture> {
        let Rect { x, y, width, height } = part;
        here::capture(native::Place { x, y, width, height }).map(picture).map_err(failed)
    }

    fn read_clipboard(&self, selection: Selection, _: &Wait) -> ToolResult<Clip> {
        must_exist(selection)?;
        Ok(match here::read_clipboard().map_err(failed)? {
            native::Clip::Empty => Clip::Empty,
            native::Clip::Text(text) => Clip::Text(text),
            native::Clip::Png(file) => Clip::Png(file),
            native::Clip::Pixels(pixels) => Clip::Png(picture(pixels).png()?),
            native::Clip::Other(forms) => Clip::Other(forms),
        })
    }

    /// The system keeps it.
    fn write_clipboard(&self, selection: Selection, copied: Copied, _: &Wait) -> ToolResult<()> {
        must_exist(selection)?;
        match copied {
            Copied::Nothing => here::clear_clipboard(),
            Copied::Text(text) => here::write_text(&text),
            Copied::Png(file) => {
                let Picture { width, height, rgb } = Picture::read(&file)?;
                let pixels = native::pixels::Pixels { width, height, rgb };
                here::write_picture(native::Copied { png: &file, pixels: &pixels })
            }
        }
        .map_err(failed)
    }

    /// Does all of it; what is pressed is let go, also where something fails in between.
    fn mouse(&self, strokes: &[Stroke], wait: &Wait) -> ToolResult<()> {
        let mut hand = Hand::default();
        let done = strokes.iter().try_for_each(|stroke| {
            wait.check()?;
            hand.stroke(*stroke).map_err(failed)
        });
        let let_go = hand.let_go().map_err(failed);
        done.and(let_go)
    }

    fn keyboard(&self, typing: &Typing, wait: &Wait) -> ToolResult<()> {
        match typing {
            Typing::Chord(keys) => here::chord(&chord(keys)).map_err(failed),
            Typing::Text(text) => text.chars().try_for_each(|c| {
                wait.check()?;
                match c {
                    '\n' | '\r' => here::chord(&[native::Key::Named("Return")]),
                    '\t' => here::chord(&[native::Key::Named("Tab")]),
                    c => here::type_char(c),
                }
                .map_err(failed)?;
                sleep(BETWEEN);
                Ok(())
            }),
        }
    }

    fn terminal(&self) -> Option<u64> {
        here::own_terminal()
    }

    fn manager_pid(&self, _: &Wait) -> ToolResult<Option<u32>> {
        // Folders are windows of the usual shell, too: those are told apart by what they are.
        let shell = here::shell_pid();
        let windows = here::windows().map_err(failed)?;
        let is_usual = |pid: u32| {
            let mut apps =
                windows.iter().filter(|window| window.pid == Some(pid)).filter_map(|w| w.app.as_deref());
            apps.any(|app| app.eq_ignore_ascii_case("explorer.exe"))
        };
        Ok(shell.filter(|pid| !is_usual(*pid)))
    }
}

/// The hand on the mouse.
#[derive(Default)]
struct Hand {
    held: Vec<Button>,
    /// The button that was pressed last where the mouse is, and how often.
    clicks: Option<(Button, u8)>,
}

impl Hand {
    fn stroke(&mut self, stroke: Stroke) -> native::Result<()> {
        match stroke {
            Stroke::MoveTo(x, y) => {
                self.clicks = None;
                here::move_to(x, y, self.held.last().copied().map(button))
            }
            Stroke::Press(pressed) => {
                let before = self.clicks.filter(|(last, _)| *last == pressed).map_or(0, |(_, count)| count);
                let count = before.saturating_add(1);
                self.clicks = Some((pressed, count));
                self.held.push(pressed);
                here::button(button(pressed), Way::Down, count)
            }
            Stroke::Release(released) => {
                self.held.retain(|held| *held != released);
                self.release(released)
            }
            Stroke::Scroll { right, down } => here::wheel(right, down),
            Stroke::Pause => {
                sleep(PAUSE);
                Ok(())
            }
        }
    }

    fn release(&self, released: Button) -> native::Result<()> {
        let count = self.clicks.map_or(1, |(_, count)| count);
        here::button(button(released), Way::Up, count)
    }

    fn let_go(&mut self) -> native::Result<()> {
        let held = std::mem::take(&mut self.held);
        held.into_iter().try_for_each(|held| self.release(held))
    }
}

fn button(button: Button) -> native::Button {
    match button {
        Button::Left => native::Button::Left,
        Button::Middle => native::Button::Middle,
        Button::Right => native::Button::Right,
    }
}

/// A chord names the key, not the capital: Shift is said where it is meant.
fn chord(keys: &[Key]) -> Vec<native::Key<'static>> {
    let is_alone = keys.len() == 1;
    let key = |key: &Key| match *key {
        Key::Char(c) if is_alone => native::Key::Char(c),
        Key::Char(c) => native::Key::Char(c.to_lowercase().next().unwrap_or(c)),
        Key::Named(name) => native::Key::Named(name),
    };
    keys.iter().map(key).collect()
}

fn rect(place: native::Place) -> Rect {
    let native::Place { x, y, width, height } = place;
    Rect { x, y, width, height }
}

fn picture(pixels: native::pixels::Pixels) -> Picture {
    let native::pixels::Pixels { width, height, rgb } = pixels;
    Picture { width, height, rgb }
}

fn window(seen: native::Seen) -> Window {
    let native::Seen { id, title, app, pid, place, role, state, active } = seen;
    let kind = match role {
        native::Role::Normal => WindowKind::Normal,
        native::Role::Dialog => WindowKind::Dialog,
        native::Role::Panel => WindowKind::Dock,
        native::Role::Desktop => WindowKind::Desktop,
        native::Role::Other => WindowKind::Other,
    };
    Window { id, title, app, pid, geometry: rect(place), kind, state, desktop: None, active }
}

/// Windows are listed without any; raising and closing them says by itself what it lacks.
fn permission_for(faculty: Faculty) -> Option<Permission> {
    match faculty {
        Faculty::Capture => Some(Permission::ScreenRecording),
        Faculty::Input => Some(Permission::Accessibility),
        Faculty::Windows | Faculty::Clipboard | Faculty::FileManager => None,
    }
}

fn not_given(permission: Permission) -> Absent {
    let name = permission.name();
    Absent::new(
        format!("macOS has not given this program the permission «{name}»"),
        format!(
            "System Settings → Privacy & Security → {name}: switch on the program that Deskhand is started from (the \
             terminal, for instance), and start Deskhand again."
        ),
    )
}

fn must_exist(selection: Selection) -> ToolResult<()> {
    if selection == Selection::Clipboard {
        return Ok(());
    }
    Err(ToolError::invalid("no_such_selection", "Only X11 keeps what was marked with the mouse.")
        .hint("Use the clipboard: copy first."))
}

fn failed(trouble: Trouble) -> ToolError {
    let code = match &trouble {
        Trouble::Missing(permission) => return refuses(not_given(*permission)),
        Trouble::Gone => "no_such_window",
        Trouble::NoDesktop => "no_display",
        Trouble::ClipboardBusy => "clipboard_busy",
        Trouble::TooLarge(_) => "clipboard_too_large",
        Trouble::NoKey(_) => "no_key",
        Trouble::Refused(_) => "desktop_refuses",
    };
    let words = trouble.to_string();
    let mut letters = words.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    ToolError::new(code, format!("{first}{}.", letters.as_str())).hint(match trouble {
        Trouble::Gone => "list_windows tells the windows that there are now.",
        Trouble::NoKey(_) => "Type it as text, without keys that are held along with it.",
        Trouble::ClipboardBusy => "Try again in a moment.",
        Trouble::TooLarge(_) => "Save it to a file in the program that it comes from.",
        _ => "The screen may be locked, or the other program runs with more rights than Deskhand.",
    })
}
