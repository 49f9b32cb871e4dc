//! Text of which parts are not known: a string in which some characters of a private range stand for what cannot
//! be told, and where it came from.
//!
//! So every step of the analysis works on plain strings, and what is known of them survives being joined, cut and
//! handed on.

/// Something that cannot be told.
pub const HOLE: char = '\u{E000}';
/// Something that came over the network.
pub const NET: char = '\u{E001}';
/// Something secret.
pub const SECRET: char = '\u{E002}';
/// The environment of this process, which may hold a secret.
pub const ENVIRONMENT: char = '\u{E004}';
/// What a shell that is fed from somewhere else prints.
pub const SHELL: char = '\u{E003}';
/// `*`, `?` and `[` outside quotes.
pub const STAR: char = '\u{E010}';
pub const ANY: char = '\u{E011}';
pub const SET: char = '\u{E012}';

const FIRST: char = '\u{E000}';
const LAST: char = '\u{E0FF}';

/// A caller's text with our private characters taken out, and whether there were any.
pub fn cleaned(text: &str) -> (String, bool) {
    let odd = text.contains(is_mark);
    (if odd { text.replace(is_mark, "\u{FFFD}") } else { text.to_owned() }, odd)
}

pub fn is_mark(c: char) -> bool {
    (FIRST..=LAST).contains(&c)
}

/// Whether all of it is known.
pub fn is_known(text: &str) -> bool {
    !text.contains([HOLE, NET, SECRET, SHELL, ENVIRONMENT])
}

pub fn has_glob(text: &str) -> bool {
    text.contains([STAR, ANY, SET])
}

/// The marks of where a text came from, as a text: what a program makes of its input keeps them.
pub fn origin(text: &str) -> String {
    [NET, SECRET, SHELL, ENVIRONMENT].iter().filter(|mark| text.contains(**mark)).collect()
}

/// Whether it holds something that must not get out.
pub fn is_secret(text: &str) -> bool {
    text.contains([SECRET, ENVIRONMENT])
}

/// As people read it.
pub fn shown(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            STAR => '*',
            ANY => '?',
            SET => '[',
            c if is_mark(c) => '…',
            c => c,
        })
        .collect()
}

/// With globs as the characters they were, for patterns and for text that is not a file name.
pub fn globs_as_text(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            STAR => '*',
            ANY => '?',
            SET => '[',
            c => c,
        })
        .collect()
}

/// Characters that make a text look like another: text direction, zero width, look-alike blanks.
pub fn is_deceptive(c: char) -> bool {
    matches!(c,
        '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}' | '\u{00AD}'
        | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{180E}' | '\u{3164}' | '\u{FFA0}'
        | '\u{00A0}' | '\u{2000}'..='\u{200A}' | '\u{2028}' | '\u{2029}' | '\u{202F}' | '\u{205F}' | '\u{3000}'
        | '\u{E0000}'..='\u{E007F}')
}

/// Whether a carriage return stands anywhere but at the end of a line: on a screen it hides what comes before it.
pub fn has_lone_return(text: &str) -> bool {
    text.split_inclusive('\n').any(|line| line.trim_end_matches(['\r', '\n']).contains('\r'))
}

/// Whether a name that may hold globs can stand for `name`.
pub fn glob_matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    // Greedy, with one place to come back to: linear in practice, quadratic at worst.
    let (mut p, mut n) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while n < name.len() {
        let step = match pattern.get(p) {
            Some(&STAR) => {
                back = Some((p, n));
                p += 1;
                continue;
            }
            Some(&ANY | &HOLE) => Some(p + 1),
            Some(&SET) => set_end(&pattern, p, name[n]),
            Some(c) if *c == name[n] => Some(p + 1),
            _ => None,
        };
        match (step, back) {
            (Some(next), _) => {
                p = next;
                n += 1;
            }
            (None, Some((star, at))) => {
                back = Some((star, at + 1));
                p = star + 1;
                n = at + 1;
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|c| *c == STAR)
}

/// Where the pattern goes on after a `[…]` that matches `c`.
fn set_end(pattern: &[char], open: usize, c: char) -> Option<usize> {
    let close = pattern[open + 1..].iter().skip(1).position(|c| *c == ']')? + open + 2;
    let mut inner = &pattern[open + 1..close];
    let negated = matches!(inner.first(), Some('!' | '^'));
    if negated {
        inner = &inner[1..];
    }
    if inner.contains(&'[') || inner.contains(&SET) {
        // A class such as [:alpha:]: taken to match.
        return Some(close + 1);
    }
    let mut found = false;
    let mut i = 0;
    while i < inner.len() {
        if i + 2 < inner.len() && inner[i + 1] == '-' {
            found |= (inner[i]..=inner[i + 2]).contains(&c);
            i += 3;
        } else {
            found |= inner[i] == c;
            i += 1;
        }
    }
    (found != negated).then_some(close + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_as_in_the_shell() {
        let glob = |text: &str| -> String {
            text.chars()
                .map(|c| match c {
                    '*' => STAR,
                    '?' => ANY,
                    '[' => SET,
                    c => c,
                })
                .collect()
        };
        for (pattern, name, matches) in [
            ("r?", "rm", true),
            ("/b*/rm", "/bin/rm", true),
            ("/???/[r]m", "/bin/rm", true),
            ("[!r]m", "rm", false),
            ("[a-z]m", "rm", true),
            ("*", "", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXbY", false),
        ] {
            assert_eq!(glob_matches(&glob(pattern), name), matches, "{pattern} {name}");
        }
    }
}
