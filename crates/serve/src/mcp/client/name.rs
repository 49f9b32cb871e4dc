//! Names and words of other servers, made fit to be shown and called here.

use deskhand_core::{arguments::sha256_hex, is_unfit};

pub(super) use crate::mcp::harmless::{harmless, harmless_lines};

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
pub fn prefix(server: &str) -> String {
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
    fn a_server_has_a_short_visible_name() {
        assert!(check_server("my server").is_ok());
        for name in ["", " ", "a\nb", "a\u{202e}b", &"x".repeat(41)] {
            assert!(check_server(name).is_err(), "{name:?}");
        }
    }
}
