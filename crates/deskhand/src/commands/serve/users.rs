//! `deskhand users`: who else may use the server. Kept are the hashes of their tokens, one for everything that is theirs
//! and one for their MCP clients; each sees only what is theirs.

use std::{collections::BTreeMap, fs, io, path::Path};

use anyhow::{Context, Result, bail};
use deskhand_serve::http::{Token, Users};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{assemble::App, cli::UserAction, private_file, terminal::Printer};

const NAME: &str = "users.toml";
const LONGEST_NAME: usize = 40;

/// The SHA-256 of the tokens of a user.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Hashes {
    Both {
        token: String,
        mcp: String,
    },
    /// Of one who was let in before there were tokens for MCP clients.
    TokenAlone(String),
}

impl Hashes {
    pub fn let_in(&self, users: Users, name: &str) -> Users {
        match self {
            Self::Both { token, mcp } => users.with(name, token).with_mcp(Some(name), mcp),
            Self::TokenAlone(token) => users.with(name, token),
        }
    }
}

/// By their names.
pub fn load(data_dir: &Path) -> Result<BTreeMap<String, Hashes>> {
    let file = data_dir.join(NAME);
    match fs::read_to_string(&file) {
        Ok(text) => toml::from_str(&text)
            .with_context(|| format!("{} is not what `deskhand users` wrote", file.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}

pub fn run(app: &App, printer: Printer, action: Option<UserAction>) -> Result<u8> {
    let mut users = load(&app.data_dir)?;
    match action {
        None => {
            let names: Vec<&String> = users.keys().collect();
            printer.print(&json!({"users": names}), |_| {
                if names.is_empty() {
                    return app.language.say("There is nobody but you.", "除你之外没有其他用户。").to_owned();
                }
                users.keys().cloned().collect::<Vec<_>>().join("\n")
            })?;
        }
        Some(UserAction::Add { name }) => {
            check(&name)?;
            let no_luck = "there is no randomness for a token";
            let (token, mcp) = (Token::random().context(no_luck)?, Token::random_for_mcp().context(no_luck)?);
            let hashes = Hashes::Both { token: token.hash(), mcp: mcp.hash() };
            let is_new = users.insert(name.clone(), hashes).is_none();
            save(&app.data_dir, &users)?;
            let (token, mcp) = (token.reveal(), mcp.reveal());
            printer.print(
                &json!({"name": name, "token": token, "mcp_token": mcp, "new": is_new}),
                |style| {
                    let words = app.language.say(
                        "These tokens are shown this once. They count when the server starts anew:",
                        "令牌只显示这一次，服务器重新启动后生效：",
                    );
                    let for_page = app.language.say("the page and the API", "网页和 API");
                    let for_mcp = app.language.say("MCP clients, nothing else", "仅用于 MCP 客户端");
                    let (token, mcp) = (style.bold(token), style.bold(mcp));
                    format!("{words}\n\n  {token}  {for_page}\n  {mcp}  {for_mcp}")
                },
            )?;
        }
        Some(UserAction::Remove { name }) => {
            if users.remove(&name).is_none() {
                bail!("there is no user {name:?}");
            }
            save(&app.data_dir, &users)?;
            printer.print(&json!({"removed": name}), |_| {
                app.language
                    .say("Removed; it counts when the server starts anew.", "已删除，服务器重新启动后生效。")
                    .to_owned()
            })?;
        }
    }
    Ok(0)
}

fn check(name: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(plain) {
        bail!("a name has 1 to {LONGEST_NAME} characters of a-z, 0-9, - and _: {name:?} does not");
    }
    Ok(())
}

fn save(data_dir: &Path, users: &BTreeMap<String, Hashes>) -> Result<()> {
    let file = data_dir.join(NAME);
    let text = toml::to_string(users).context("the users cannot be written as TOML")?;
    private_file::write(&file, &text).with_context(|| format!("cannot write {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_kept_as_hashes() {
        let folder = tempfile::tempdir().unwrap();
        assert!(load(folder.path()).unwrap().is_empty());
        let (token, mcp) = (Token::random().unwrap(), Token::random_for_mcp().unwrap());
        // As the file was before there were tokens for MCP clients.
        fs::write(folder.path().join(NAME), format!("ann = \"{0}\"\nzoe = \"{0}\"\n", token.hash())).unwrap();
        let mut users = load(folder.path()).unwrap();
        assert_eq!(users["zoe"], Hashes::TokenAlone(token.hash()));
        users.insert("bob".to_owned(), Hashes::Both { token: token.hash(), mcp: mcp.hash() });
        save(folder.path(), &users).unwrap();
        assert_eq!(load(folder.path()).unwrap(), users);
        let text = fs::read_to_string(folder.path().join(NAME)).unwrap();
        assert!(!text.contains(token.reveal()) && !text.contains(mcp.reveal()));
        fs::write(folder.path().join(NAME), "[broken").unwrap();
        assert!(load(folder.path()).unwrap_err().to_string().contains(NAME), "nobody is let in by mistake");
    }

    #[test]
    fn names_are_plain() {
        for (name, right) in
            [("bob", true), ("a-1_b", true), ("", false), ("Bob", false), ("../x", false), ("张", false)]
        {
            assert_eq!(check(name).is_ok(), right, "{name}");
        }
    }
}
