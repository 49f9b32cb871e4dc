//! Keys by their names, as the events of a real keyboard (US layout) describe them.

use std::ops::BitOr;

/// Keys that are held while another is pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers(u8);

impl Modifiers {
    pub const NONE: Self = Self(0);
    pub const ALT: Self = Self(1);
    pub const CONTROL: Self = Self(2);
    pub const META: Self = Self(4);
    pub const SHIFT: Self = Self(8);

    /// As the protocol counts them.
    pub fn bits(self) -> u8 {
        self.0
    }

    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// By its name; `None` where it is none.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "alt" | "option" => Self::ALT,
            "meta" | "cmd" | "command" | "super" | "win" => Self::META,
            "shift" => Self::SHIFT,
            // What copies and pastes on this system.
            "controlormeta" | "mod" if cfg!(target_os = "macos") => Self::META,
            "control" | "ctrl" | "controlormeta" | "mod" => Self::CONTROL,
            _ => return None,
        })
    }

    /// The keys themselves, in the order in which they are pressed.
    pub fn keys(self) -> impl Iterator<Item = (Self, Key)> {
        let all =
            [(Self::CONTROL, "Control"), (Self::ALT, "Alt"), (Self::META, "Meta"), (Self::SHIFT, "Shift")];
        all.into_iter()
            .filter(move |(one, _)| self.has(*one))
            .filter_map(|(one, name)| Some((one, Key::named(name)?)))
    }
}

impl BitOr for Modifiers {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// One key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// What it means: `a`, `Enter`.
    pub key: String,
    /// Where it is: `KeyA`, `Enter`. Empty for what no key of the layout has.
    pub code: String,
    /// The number that old pages read as `keyCode`.
    pub number: u32,
    /// What it types, where it types anything.
    pub text: Option<String>,
    /// 1: the left one of two, 3: on the number pad.
    pub location: u8,
    /// Whether it is typed with shift.
    pub shifted: bool,
}

/// Name, code, number, text. The name is also found without regard to case.
const NAMED: &[(&str, &str, u32, &str)] = &[
    ("Enter", "Enter", 13, "\r"),
    ("Tab", "Tab", 9, ""),
    ("Escape", "Escape", 27, ""),
    ("Backspace", "Backspace", 8, ""),
    ("Delete", "Delete", 46, ""),
    ("Insert", "Insert", 45, ""),
    ("Home", "Home", 36, ""),
    ("End", "End", 35, ""),
    ("PageUp", "PageUp", 33, ""),
    ("PageDown", "PageDown", 34, ""),
    ("ArrowLeft", "ArrowLeft", 37, ""),
    ("ArrowUp", "ArrowUp", 38, ""),
    ("ArrowRight", "ArrowRight", 39, ""),
    ("ArrowDown", "ArrowDown", 40, ""),
    ("CapsLock", "CapsLock", 20, ""),
    ("ContextMenu", "ContextMenu", 93, ""),
    ("PrintScreen", "PrintScreen", 44, ""),
    ("Pause", "Pause", 19, ""),
    ("ScrollLock", "ScrollLock", 145, ""),
    ("NumLock", "NumLock", 144, ""),
];

/// Other names for them.
const ALIASES: &[(&str, &str)] = &[
    ("esc", "Escape"),
    ("return", "Enter"),
    ("del", "Delete"),
    ("ins", "Insert"),
    ("up", "ArrowUp"),
    ("down", "ArrowDown"),
    ("left", "ArrowLeft"),
    ("right", "ArrowRight"),
    ("pgup", "PageUp"),
    ("pgdn", "PageDown"),
    ("pagedown", "PageDown"),
    ("space", " "),
    ("spacebar", " "),
    ("plus", "+"),
];

const MODIFIER_KEYS: &[(&str, &str, u32)] = &[
    ("Shift", "ShiftLeft", 16),
    ("Control", "ControlLeft", 17),
    ("Alt", "AltLeft", 18),
    ("Meta", "MetaLeft", 91),
];

/// Plain character, the one with shift, code, number.
const SIGNS: &[(char, char, &str, u32)] = &[
    ('`', '~', "Backquote", 192),
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
    ('1', '!', "Digit1", 49),
    ('2', '@', "Digit2", 50),
    ('3', '#', "Digit3", 51),
    ('4', '$', "Digit4", 52),
    ('5', '%', "Digit5", 53),
    ('6', '^', "Digit6", 54),
    ('7', '&', "Digit7", 55),
    ('8', '*', "Digit8", 56),
    ('9', '(', "Digit9", 57),
    ('0', ')', "Digit0", 48),
];

impl Key {
    /// By its name (`Enter`, `ArrowDown`, `F5`), or the one character that it types.
    pub fn named(name: &str) -> Option<Self> {
        let mut characters = name.chars();
        if let (Some(character), None) = (characters.next(), characters.next()) {
            return Some(Self::typing(character));
        }
        let lower = name.to_ascii_lowercase();
        if let Some((_, name)) = ALIASES.iter().find(|(alias, _)| *alias == lower) {
            return Self::named(name);
        }
        if let Some(&(key, code, number, text)) =
            NAMED.iter().find(|(key, ..)| key.eq_ignore_ascii_case(name))
        {
            return Some(Self::new(key, code, number, text));
        }
        if let Some(&(key, code, number)) =
            MODIFIER_KEYS.iter().find(|(key, ..)| key.eq_ignore_ascii_case(name))
        {
            return Some(Self { location: 1, ..Self::new(key, code, number, "") });
        }
        let number: u32 = lower.strip_prefix('f')?.parse().ok().filter(|number| (1..=24).contains(number))?;
        let name = format!("F{number}");
        Some(Self::new(&name, &name, 111 + number, ""))
    }

    /// The key that types a character. One that the layout does not have is typed by no key in particular.
    pub fn typing(character: char) -> Self {
        let text = character.to_string();
        match character {
            '\r' | '\n' => return Self::new("Enter", "Enter", 13, "\r"),
            '\t' => return Self::new("Tab", "Tab", 9, ""),
            ' ' => return Self::new(" ", "Space", 32, " "),
            'a'..='z' | 'A'..='Z' => {
                let upper = character.to_ascii_uppercase();
                let key = Self::new(&text, &format!("Key{upper}"), u32::from(upper), &text);
                return Self { shifted: character.is_ascii_uppercase(), ..key };
            }
            _ => {}
        }
        let sign = SIGNS.iter().find(|(plain, shifted, ..)| character == *plain || character == *shifted);
        match sign {
            Some(&(plain, _, code, number)) => {
                Self { shifted: character != plain, ..Self::new(&text, code, number, &text) }
            }
            None => Self::new(&text, "", 0, &text),
        }
    }

    /// The same key while shift is held: it types what stands above.
    pub(super) fn with_shift(self) -> Self {
        let mut characters = self.key.chars();
        let (Some(character), None) = (characters.next(), characters.next()) else { return self };
        let sign = SIGNS.iter().find(|(plain, ..)| *plain == character);
        match (character, sign) {
            ('a'..='z', _) => Self::typing(character.to_ascii_uppercase()),
            (_, Some(&(_, shifted, ..))) => Self::typing(shifted),
            _ => self,
        }
    }

    /// Whether it puts a character there, with these held.
    pub fn types(&self, held: Modifiers) -> bool {
        // With control, alt or meta held nothing is typed.
        self.text.is_some() && !held.has(Modifiers::CONTROL | Modifiers::ALT | Modifiers::META)
    }

    fn new(key: &str, code: &str, number: u32, text: &str) -> Self {
        let text = (!text.is_empty()).then(|| text.to_owned());
        Self { key: key.to_owned(), code: code.to_owned(), number, text, location: 0, shifted: false }
    }
}

/// `Control+Shift+K` and the like: the key, and what is held with it.
pub fn combination(name: &str) -> Option<(Key, Modifiers)> {
    if let Some(key) = Key::named(name) {
        return Some((key, Modifiers::NONE));
    }
    // `Control++` is the plus sign with control.
    let (held, key) = match name.strip_suffix("++") {
        Some(held) => (held, "+"),
        None => name.rsplit_once('+')?,
    };
    let modifiers =
        held.split('+').map(Modifiers::named).try_fold(Modifiers::NONE, |all, one| Some(all | one?))?;
    Some((Key::named(key)?, modifiers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_what_a_keyboard_sends() {
        for (name, key, code, number, text) in [
            ("ArrowDown", "ArrowDown", "ArrowDown", 40, None),
            ("down", "ArrowDown", "ArrowDown", 40, None),
            ("enter", "Enter", "Enter", 13, Some("\r")),
            ("a", "a", "KeyA", 65, Some("a")),
            ("(", "(", "Digit9", 57, Some("(")),
            ("f5", "F5", "F5", 116, None),
            ("Space", " ", "Space", 32, Some(" ")),
            ("中", "中", "", 0, Some("中")),
            ("Shift", "Shift", "ShiftLeft", 16, None),
        ] {
            let found = Key::named(name).unwrap();
            let got = (found.key.as_str(), found.code.as_str(), found.number, found.text.as_deref());
            assert_eq!(got, (key, code, number, text), "{name}");
        }
        for wrong in ["", "F0", "F25", "Numpad", "ab", "Enterr"] {
            assert_eq!(Key::named(wrong), None, "{wrong}");
        }
        assert!(Key::named("A").unwrap().shifted && !Key::named("a").unwrap().shifted);
    }

    #[test]
    fn combinations_are_taken_apart() {
        let held = |name: &str| combination(name).map(|(key, modifiers)| (key.key, modifiers.bits()));
        assert_eq!(held("Control+a"), Some(("a".into(), 2)));
        assert_eq!(held("ctrl+shift+Tab"), Some(("Tab".into(), 10)));
        assert_eq!(held("Control++"), Some(("+".into(), 2)));
        assert_eq!(held("+"), Some(("+".into(), 0)));
        for wrong in ["Foo+a", "Control+", "Control+Foo", "a+b"] {
            assert_eq!(held(wrong), None, "{wrong}");
        }
    }
}
