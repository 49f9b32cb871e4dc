//! The numbers that keys have on each system, by the names that the tools give them.

/// On Windows: the virtual key, and whether it is one of the second block of its kind (the arrows that are not on the
/// number pad, for instance), which has to be said along with it.
pub fn on_windows(name: &str) -> Option<(u16, bool)> {
    let plain = |key: u16| Some((key, false));
    let second = |key: u16| Some((key, true));
    match name {
        "Control_L" => plain(0x11),
        "Alt_L" => plain(0x12),
        "Shift_L" => plain(0x10),
        "Super_L" => second(0x5B),
        "ISO_Level3_Shift" => second(0xA5),
        "Return" => plain(0x0D),
        "Tab" => plain(0x09),
        "Escape" => plain(0x1B),
        "BackSpace" => plain(0x08),
        "Delete" => second(0x2E),
        "Insert" => second(0x2D),
        "space" => plain(0x20),
        "Home" => second(0x24),
        "End" => second(0x23),
        "Prior" => second(0x21),
        "Next" => second(0x22),
        "Up" => second(0x26),
        "Down" => second(0x28),
        "Left" => second(0x25),
        "Right" => second(0x27),
        "Menu" => second(0x5D),
        "Print" => second(0x2C),
        "Pause" => plain(0x13),
        "Caps_Lock" => plain(0x14),
        "plus" => plain(0xBB),
        other => function(other).map(|number| (0x6F + number, false)),
    }
}

/// On macOS: the number of the key. `None` for those that its keyboards do not have.
pub fn on_macos(name: &str) -> Option<u16> {
    const FUNCTIONS: [u16; 12] = [0x7A, 0x78, 0x63, 0x76, 0x60, 0x61, 0x62, 0x64, 0x65, 0x6D, 0x67, 0x6F];
    Some(match name {
        "Control_L" => 0x3B,
        "Alt_L" | "ISO_Level3_Shift" => 0x3A,
        "Shift_L" => 0x38,
        "Super_L" => 0x37,
        "Return" => 0x24,
        "Tab" => 0x30,
        "Escape" => 0x35,
        "BackSpace" => 0x33,
        "Delete" => 0x75,
        // The key at this place is called Help.
        "Insert" => 0x72,
        "space" => 0x31,
        "Home" => 0x73,
        "End" => 0x77,
        "Prior" => 0x74,
        "Next" => 0x79,
        "Up" => 0x7E,
        "Down" => 0x7D,
        "Left" => 0x7B,
        "Right" => 0x7C,
        "Caps_Lock" => 0x39,
        "plus" => 0x18,
        other => *FUNCTIONS.get(usize::from(function(other)?) - 1)?,
    })
}

/// The key of a character on macOS, by its place on a keyboard of the United States. The character itself goes along
/// with the event, and is what programs look at.
pub fn place_on_macos(c: char) -> Option<u16> {
    const PLACES: &[(&str, u16)] =
        &[("asdfhgzxcv", 0x00), ("bqweryt123465", 0x0B), ("=97-80]ou[ip", 0x18), ("lj'k;\\,/nm.", 0x25)];
    let c = c.to_ascii_lowercase();
    match c {
        ' ' => return Some(0x31),
        '`' => return Some(0x32),
        // Shift is told by the character that goes along.
        '+' => return Some(0x18),
        _ => {}
    }
    PLACES.iter().find_map(|(row, first)| {
        let at = row.chars().position(|there| there == c)?;
        Some(first + u16::try_from(at).ok()?)
    })
}

/// 1 to 12 for `F1` to `F12`.
fn function(name: &str) -> Option<u16> {
    name.strip_prefix('F')?.parse().ok().filter(|number| (1..=12).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_numbers_of_their_systems() {
        for (name, windows, macos) in [
            ("Control_L", Some((0x11, false)), Some(0x3B)),
            ("Return", Some((0x0D, false)), Some(0x24)),
            ("Left", Some((0x25, true)), Some(0x7B)),
            ("F1", Some((0x70, false)), Some(0x7A)),
            ("F12", Some((0x7B, false)), Some(0x6F)),
            ("Print", Some((0x2C, true)), None),
            ("F0", None, None),
            ("F13", None, None),
            ("Nonsense", None, None),
        ] {
            assert_eq!((on_windows(name), on_macos(name)), (windows, macos), "{name}");
        }
    }

    #[test]
    fn characters_have_their_places() {
        for (c, key) in [
            ('a', 0x00),
            ('S', 0x01),
            ('z', 0x06),
            ('v', 0x09),
            ('q', 0x0C),
            ('t', 0x11),
            ('1', 0x12),
            ('6', 0x16),
            ('=', 0x18),
            ('0', 0x1D),
            ('p', 0x23),
            ('l', 0x25),
            ('m', 0x2E),
            ('.', 0x2F),
        ] {
            assert_eq!(place_on_macos(c), Some(key), "{c}");
        }
        assert_eq!(place_on_macos('é'), None);
    }
}
