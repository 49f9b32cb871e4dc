//! The owner's token, kept so that a page that is open stays open when the server starts anew.

use std::{fs, io, path::Path};

use anyhow::{Context, Result};
use deskhand_serve::http::Token;

use crate::private_file;

const NAME: &str = "serve.token";

/// The kept token, or a new one where there is none, it cannot be one, or a new one is wanted.
pub fn load(data_dir: &Path, anew: bool) -> Result<Token> {
    let file = data_dir.join(NAME);
    if !anew {
        match fs::read_to_string(&file) {
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
    let token = Token::random().context("there is no randomness for a token")?;
    private_file::write(&file, token.reveal())
        .with_context(|| format!("cannot keep the token in {}", file.display()))?;
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_stays_until_a_new_one_is_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let first = load(folder.path(), false).unwrap();
        assert_eq!(load(folder.path(), false).unwrap().reveal(), first.reveal());
        let second = load(folder.path(), true).unwrap();
        assert_ne!(second.reveal(), first.reveal());
        assert_eq!(load(folder.path(), false).unwrap().reveal(), second.reveal());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = folder.path().join(NAME).metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        fs::write(folder.path().join(NAME), "short").unwrap();
        assert!(load(folder.path(), false).unwrap().reveal().len() > 20);
    }
}
