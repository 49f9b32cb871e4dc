//! Remembered answers about the tools of a server. They are kept by name, so they end with the server that they were given
//! for: another one of the same name must not inherit a yes.

use anyhow::Result;
use deskhand_core::{GrantBook, GrantEffect};
use deskhand_serve::mcp::client::{prefix, taken_prefixes};

/// Revokes each yes for a tool of this server. A no stays: it allows nothing. `names` are those of all servers: the tools
/// of `git_hub` are not those of `git`.
pub fn revoke(book: &dyn GrantBook, server: &str, names: &[String]) -> Result<()> {
    let (own, others) = (prefix(server), taken_prefixes(server, names));
    for grant in book.list()? {
        let is_of_another = others.iter().any(|other| grant.tool.starts_with(other));
        if grant.effect == GrantEffect::Allow && grant.tool.starts_with(&own) && !is_of_another {
            book.revoke(&grant.id)?;
        }
    }
    Ok(())
}
