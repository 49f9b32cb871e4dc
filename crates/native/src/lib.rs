//! The desktops of Windows and macOS, by the calls of these systems: windows, pixels, the clipboard, mouse and keyboard.
//!
//! The only crate of ours with `unsafe`, which such calls are; so it has nothing else. It does single things and waits
//! for none of them: what is allowed, in which order, for how long, and in which words, is the business of the tools.
//! `windows` and `macos` have the same functions, and [`here`] is the one of this system.

pub mod keys;
#[cfg(target_os = "macos")]
pub mod macos;
pub mod pixels;
pub mod roles;
#[cfg(windows)]
pub mod windows;

/// The calls of this system.
#[cfg(target_os = "macos")]
pub use self::macos as here;
#[cfg(windows)]
pub use self::windows as here;

/// A rectangle of the desktop, in its pixels, or in its points where these are larger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub x: i32,
    pub y: i32,
    pub width: u32,
    pub height: u32,
}

/// What a window is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Normal,
    Dialog,
    /// A taskbar, the menu bar, the dock.
    Panel,
    /// What lies behind all windows.
    Desktop,
    /// A menu, a hint, a notification.
    Other,
}

/// One window.
#[derive(Clone, Debug)]
pub struct Seen {
    pub id: u64,
    pub title: String,
    /// The file name of its program, or what the program calls itself.
    pub app: Option<String>,
    pub pid: Option<u32>,
    pub place: Place,
    pub role: Role,
    pub state: Vec<&'static str>,
    /// Whether it has the keyboard.
    pub active: bool,
}

/// One of the screens.
#[derive(Clone, Debug)]
pub struct Screen {
    pub name: String,
    pub primary: bool,
    pub place: Place,
}

/// What is on the clipboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clip {
    Empty,
    Text(String),
    /// A PNG file.
    Png(Vec<u8>),
    Pixels(pixels::Pixels),
    /// Something else, in these forms.
    Other(Vec<String>),
}

/// A picture on its way to the clipboard, in both forms that programs ask for.
#[derive(Clone, Copy)]
pub struct Copied<'a> {
    /// A PNG file.
    pub png: &'a [u8],
    pub pixels: &'a pixels::Pixels,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    Left,
    Middle,
    Right,
}

/// Which way a key or a button goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Down,
    Up,
}

/// A key by what it means; names are those of [`keys`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key<'a> {
    Char(char),
    Named(&'a str),
}

/// What a system gives to a program only after its person has said so in the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// macOS: reading the screen, and the titles of other programs' windows.
    ScreenRecording,
    /// macOS: raising and closing other programs' windows, mouse and keyboard.
    Accessibility,
}

impl Permission {
    /// As the settings of the system call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::ScreenRecording => "Screen Recording",
            Self::Accessibility => "Accessibility",
        }
    }
}

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    #[error("there is no such window any more")]
    Gone,
    #[error("this program runs where no desktop is shown")]
    NoDesktop,
    #[error("the permission «{}» was not given", .0.name())]
    Missing(Permission),
    #[error("another program holds the clipboard")]
    ClipboardBusy,
    #[error("what is on the clipboard is larger than {0} bytes")]
    TooLarge(usize),
    #[error("the keyboard has no key for «{0}»")]
    NoKey(char),
    /// The system said no, to this.
    #[error("the system refuses to {0}")]
    Refused(&'static str),
}

pub type Result<T> = std::result::Result<T, Trouble>;

/// More than this is not taken from a clipboard.
pub const MOST: usize = 32 << 20;
