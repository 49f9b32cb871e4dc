//! The desktop of Windows, with windows of its own Notepad. It opens windows and presses keys, so it runs only when it
//! is asked to: on Windows by `cargo test --test windows_desktop -- --ignored --test-threads=1`, elsewhere under Wine by
//! `scripts/wine-tests.sh`.
#![cfg(windows)]
#![allow(clippy::unwrap_used)] // all of it is tests

use std::{
    fs,
    path::PathBuf,
    process::{Child, Command},
    time::Duration,
};

use deskhand_tools::desktop::{
    Button, Clip, Closing, Copied, Desktop, Faculty, Key, Picture, Rect, Selection, Stroke, Typing, Wait,
    Window, WindowKind, native::Native,
};

const CLIPBOARD: Selection = Selection::Clipboard;

fn wait() -> Wait {
    Wait::at_most(Duration::from_secs(20))
}

/// A Notepad with a file, ended with the test.
struct Notepad {
    program: Child,
    file: PathBuf,
    window: Window,
}

impl Notepad {
    fn open(name: &str) -> Self {
        let file = std::env::temp_dir().join(format!("deskhand-{name}-{}.txt", std::process::id()));
        // With the mark of UTF-8, so that it is saved as such.
        fs::write(&file, "\u{feff}").unwrap();
        let program = Command::new("notepad.exe").arg(&file).spawn().unwrap();
        let title = file.file_stem().unwrap().to_string_lossy().into_owned();
        let mut window = None;
        wait()
            .until(|| {
                window = Native.windows(&wait())?.into_iter().find(|window| window.title.contains(&title));
                Ok(window.is_some())
            })
            .unwrap();
        Self { program, file, window: window.unwrap() }
    }

    fn id(&self) -> u64 {
        self.window.id
    }

    fn to_front(&self) {
        Native.activate(self.id(), &wait()).unwrap();
    }
}

impl Drop for Notepad {
    fn drop(&mut self) {
        self.program.kill().ok();
        self.program.wait().ok();
        fs::remove_file(&self.file).ok();
    }
}

fn keys(keys: &[Key]) {
    Native.keyboard(&Typing::Chord(keys.to_vec()), &wait()).unwrap();
}

fn text(text: &str) {
    Native.keyboard(&Typing::Text(text.to_owned()), &wait()).unwrap();
}

fn clip() -> Clip {
    Native.read_clipboard(CLIPBOARD, &wait()).unwrap()
}

#[test]
#[ignore = "it opens windows"]
fn it_says_what_it_is_and_can() {
    let about = Native.about().unwrap();
    assert!(about.starts_with("Windows (") && about.contains('×'), "{about}");
    for faculty in
        [Faculty::Windows, Faculty::Capture, Faculty::Clipboard, Faculty::Input, Faculty::FileManager]
    {
        assert!(Native.can(faculty).is_ok(), "{faculty:?}");
    }
}

#[test]
#[ignore = "it opens windows"]
fn windows_are_listed_raised_and_closed() {
    let (first, second) = (Notepad::open("first"), Notepad::open("second"));
    for notepad in [&first, &second] {
        let window = &notepad.window;
        assert_eq!(window.app.as_deref(), Some("notepad.exe"));
        assert_eq!(window.pid, Some(notepad.program.id()));
        assert_eq!(window.kind, WindowKind::Normal);
        assert!(window.geometry.width > 50 && window.geometry.height > 50, "{}", window.geometry);
    }
    for notepad in [&first, &second, &first] {
        notepad.to_front();
        let active = Native.active_window(&wait()).unwrap().unwrap();
        assert_eq!(active.id, notepad.id());
        // The topmost is the last, a moment later.
        let other = if notepad.id() == first.id() { &second } else { &first };
        let mut windows = Vec::new();
        let is_above = wait()
            .until(|| {
                windows = Native.windows(&wait())?;
                let place = |id: u64| windows.iter().position(|window| window.id == id);
                Ok(place(notepad.id()) > place(other.id()))
            })
            .unwrap();
        assert!(is_above, "{windows:?}");
    }
    assert!(Native.close(first.id(), Closing::Asked, &wait()).unwrap());
    assert!(Native.window(first.id(), &wait()).unwrap().is_none());
    assert_eq!(Native.close(first.id(), Closing::Asked, &wait()).unwrap_err().code, "no_such_window");
    assert_eq!(Native.activate(first.id(), &wait()).unwrap_err().code, "no_such_window");

    // What it has not saved makes it ask back; force does not ask.
    second.to_front();
    text("not saved");
    assert!(!Native.close(second.id(), Closing::Asked, &wait()).unwrap());
    let windows = Native.windows(&wait()).unwrap();
    let asks = |window: &Window| window.kind == WindowKind::Dialog && window.pid == second.window.pid;
    assert!(windows.iter().any(asks), "{windows:?}");
    assert!(Native.close(second.id(), Closing::Forced, &wait()).unwrap());
}

#[test]
#[ignore = "it opens windows"]
fn text_in_any_script_and_chords_arrive() {
    let notepad = Notepad::open("typing");
    notepad.to_front();
    let written = "Grüße, 你好 🙂 CAPS\nand\ta tab";
    text(written);
    keys(&[Key::Named("Control_L"), Key::Char('S')]);
    let there = || fs::read_to_string(&notepad.file).unwrap_or_default().replace("\r\n", "\n");
    let came = wait().until(|| Ok(there().trim_start_matches('\u{feff}') == written)).unwrap();
    assert!(came, "{:?}", there());
    // The same by the clipboard: all is marked and copied.
    keys(&[Key::Named("Control_L"), Key::Char('a')]);
    keys(&[Key::Named("Control_L"), Key::Char('c')]);
    let copied =
        wait().until(|| Ok(matches!(clip(), Clip::Text(text) if text.replace("\r\n", "\n") == written)));
    assert!(copied.unwrap(), "{:?}", clip());
    let unknown = Native.keyboard(&Typing::Chord(vec![Key::Named("Control_L"), Key::Char('你')]), &wait());
    assert_eq!(unknown.unwrap_err().code, "no_key");
}

#[test]
#[ignore = "it opens windows"]
fn the_mouse_marks_text_in_the_window_that_is_meant() {
    let notepad = Notepad::open("mouse");
    notepad.to_front();
    text("oneword");
    let Rect { x, y, .. } = Native.window(notepad.id(), &wait()).unwrap().unwrap().geometry;
    // Below the title and the menu.
    let (x, y) = (x + 40, y + 56);
    let click = [Stroke::Press(Button::Left), Stroke::Release(Button::Left)];
    let strokes = [&[Stroke::MoveTo(x, y)][..], &click, &[Stroke::Pause], &click].concat();
    Native.mouse(&strokes, &wait()).unwrap();
    keys(&[Key::Named("Control_L"), Key::Char('c')]);
    let marked = wait().until(|| Ok(clip() == Clip::Text("oneword".to_owned()))).unwrap();
    assert!(marked, "{:?}", clip());
}

#[test]
#[ignore = "it opens windows"]
fn the_clipboard_holds_text_and_pictures_and_nothing() {
    let put = |copied: Copied| Native.write_clipboard(CLIPBOARD, copied, &wait()).unwrap();
    put(Copied::Text("Grüße 你好 🙂\nline".to_owned()));
    let Clip::Text(text) = clip() else { panic!("{:?}", clip()) };
    assert_eq!(text.replace("\r\n", "\n"), "Grüße 你好 🙂\nline");

    let rgb = (0..5 * 3 * 3).map(|n| u8::try_from(n * 5).unwrap()).collect();
    let picture = Picture { width: 5, height: 3, rgb };
    put(Copied::Png(picture.png().unwrap()));
    let Clip::Png(file) = clip() else { panic!("{:?}", clip()) };
    assert_eq!(Picture::read(&file).unwrap(), picture);

    put(Copied::Nothing);
    assert_eq!(clip(), Clip::Empty);
    let primary = Native.read_clipboard(Selection::Primary, &wait());
    assert_eq!(primary.unwrap_err().code, "no_such_selection");
}

#[test]
#[ignore = "it opens windows"]
fn a_picture_shows_what_is_on_the_screen() {
    let monitors = Native.monitors(&wait()).unwrap();
    assert!(monitors[0].primary, "{monitors:?}");
    let screen = monitors[0].place;
    let whole = Native.capture(screen, &wait()).unwrap();
    assert_eq!((whole.width, whole.height), (screen.width, screen.height));

    let notepad = Notepad::open("picture");
    notepad.to_front();
    let place = Native.window(notepad.id(), &wait()).unwrap().unwrap().geometry.within(screen).unwrap();
    // The paper is white, once it is drawn.
    let mut share = 0;
    let is_white = wait()
        .until(|| {
            let picture = Native.capture(place, &wait())?;
            let white = picture.rgb.chunks_exact(3).filter(|pixel| *pixel == [255, 255, 255]).count();
            share = white * 100 / (picture.rgb.len() / 3);
            Ok(share > 60)
        })
        .unwrap();
    assert!(is_white, "{share} % of {place}");
}
