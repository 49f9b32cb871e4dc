//! The owner's tokens, kept so that a page that is open, and a client that is connected, stay so when the server starts
//! anew: one that opens everything, and one that opens `/mcp` alone.

use std::{fs, io, path::Path};

use anyhow::{Context, Result};
use deskhand_serve::http::{Token, Users};

use super::users;
use crate::private_file;

/// What files with tokens are called: by this name the path policy knows them, and lets no tool read them.
const NAME: &str = "serve.token";

/// The tokens of the owner.
pub struct Tokens {
    pub page: Token,
    /// For MCP clients.
    pub mcp: Token,
}

/// Whether the tokens that were kept still count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    Counts,
    IsReplaced,
}

impl Tokens {
    pub fn load(data_dir: &Path, kept: Kept) -> Result<Self> {
        let page = load(&data_dir.join(NAME), kept, Token::random)?;
        let mcp = load(&data_dir.join("mcp").join(NAME), kept, Token::random_for_mcp)?;
        Ok(Self { page, mcp })
    }

    /// Everybody who may come in: the owner with these, and the users with theirs.
    pub fn users(&self, data_dir: &Path) -> Result<Users> {
        let owner = Users::new(&self.page).with_mcp(None, &self.mcp.hash());
        Ok(users::load(data_dir)?.iter().fold(owner, |all, (name, hashes)| hashes.let_in(all, name)))
    }
}

/// The kept token, or a new one where there is none, it cannot be one, or a new one is wanted.
fn load<E>(file: &Path, kept: Kept, make: fn() -> Result<Token, E>) -> Result<Token>
where
    Result<Token, E>: Context<Token, E>,
{
    if kept == Kept::Counts {
        match fs::read_to_string(file) {
            Ok(text) => {
                if let Some(token) = Token::parse(&text) {
                    return Ok(token);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read the token in {}", file.display()));
            }
        }
    }
    let token = make().context("there is no randomness for a token")?;
    private_file::write(file, token.reveal())
        .with_context(|| format!("cannot keep the token in {}", file.display()))?;
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tokens_stay_until_new_ones_are_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let both = |kept| {
            let Tokens { page, mcp } = Tokens::load(folder.path(), kept).unwrap();
            assert_ne!(page.reveal(), mcp.reveal());
            [page.reveal().to_owned(), mcp.reveal().to_owned()]
        };
        let first = both(Kept::Counts);
        assert_eq!(both(Kept::Counts), first);
        let second = both(Kept::IsReplaced);
        assert!(second.iter().all(|token| !first.contains(token)));
        assert_eq!(both(Kept::Counts), second);
        for file in [NAME.to_owned(), format!("mcp/{NAME}")] {
            let file = folder.path().join(file);
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            }
            fs::write(file, "short").unwrap();
        }
        assert!(both(Kept::Counts).iter().all(|token| token.len() > 20));
    }
}
