//! Characters that have no place in words of somebody else's choice, wherever a person or a model reads them.

/// Control characters, marks of direction, and characters that nobody sees or takes for a space: they could hide text
/// or turn it around. Line feeds and tabs are among them; who keeps lines lets those pass.
pub fn is_unfit(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
