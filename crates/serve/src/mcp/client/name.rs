//! Names and words of other servers, made fit to be shown and called here.

use deskhand_core::arguments::sha256_hex;

/// What clients of models take as the name of a tool.
const LONGEST: usize = 64;
const LONGEST_SERVER: usize = 40;
/// The digits of the hash that keep a shortened name apart from others.
const DIGITS: usize = 8;

/// Whether a server may be called so.
pub(super) fn check_server(name: &str) -> Result<(), String> {
    if name.trim().is_empty() || name.chars().count() > LONGEST_SERVER {
        return Err(format!("the name of a server has 1 to {LONGEST_SERVER} characters"));
    }
    if name.chars().any(is_unfit) {
        return Err("the name of a server has no control characters".to_owned());
    }
    Ok(())
}

/// How the names of all tools of a server begin.
pub(super) fn prefix(server: &str) -> String {
    format!("mcp_{}_", plain(server))
}

/// By which name a server's tool is called here: always the same for the same two names.
pub(super) fn of_tool(server: &str, tool: &str) -> String {
    let name = prefix(server) + &plain(tool);
    if name.len() <= LONGEST {
        return name;
    }
    let hash = sha256_hex(format!("{server}\0{tool}").as_bytes());
    // Only ASCII is left in it.
    format!("{}_{}", &name[..LONGEST - DIGITS - 1], &hash[..DIGITS])
}

fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect()
}

/// Text of another server on one line, without what could hide or turn around other text, and not longer than `most`.
pub(super) fn harmless(text: &str, most: usize) -> String {
    tidy(text, most, |c| if c.is_whitespace() { Some(' ') } else { None })
}

/// The same, with its lines.
pub(super) fn harmless_lines(text: &str, most: usize) -> String {
    tidy(text, most, |c| match c {
        '\n' | '\t' => Some(c),
        _ => None,
    })
}

fn tidy(text: &str, most: usize, instead: impl Fn(char) -> Option<char>) -> String {
    let mut fit = text.chars().filter_map(|c| instead(c).or_else(|| (!is_unfit(c)).then_some(c)));
    let mut kept: String = fit.by_ref().take(most).collect();
    if fit.next().is_some() {
        kept.push('…');
    }
    kept.trim().to_owned()
}

/// Control characters, marks of direction, and characters that nobody sees.
fn is_unfit(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_short_and_stable() {
        for (server, tool, name) in [
            ("git", "status", "mcp_git_status"),
            ("my server", "a.b/c", "mcp_my_server_a_b_c"),
            ("git", "st\u{1b}[31mat\u{202e}us", "mcp_git_st__31mat_us"),
            ("仓库", "x", "mcp____x"),
        ] {
            assert_eq!(of_tool(server, tool), name);
        }
        let (one, other) = (of_tool("s", &"x".repeat(80)), of_tool("s", &"x".repeat(81)));
        assert_eq!((one.len(), other.len()), (64, 64));
        assert_ne!(one, other);
        assert_eq!(one, of_tool("s", &"x".repeat(80)));
    }

    #[test]
    fn words_lose_what_hides_and_what_is_too_much() {
        assert_eq!(harmless("a\u{1b}[0m\u{202e}b\u{200b}c\nd", 100), "a[0mbc d");
        assert_eq!(harmless("tag\u{e0041}\u{e0042}", 100), "tag");
        assert_eq!(harmless_lines("a\r\nb", 100), "a\nb");
        assert_eq!(harmless(&"x".repeat(20), 10), format!("{}…", "x".repeat(10)));
    }

    #[test]
    fn a_server_has_a_short_visible_name() {
        assert!(check_server("my server").is_ok());
        for name in ["", " ", "a\nb", "a\u{202e}b", &"x".repeat(41)] {
            assert!(check_server(name).is_err(), "{name:?}");
        }
    }
}
