//! `deskhand users`: who else may use the server. Kept are the hashes of their tokens; each sees only what is theirs.

use std::{collections::BTreeMap, fs, io, path::Path};

use anyhow::{Context, Result, bail};
use deskhand_serve::http::Token;
use serde_json::json;

use crate::{assemble::App, cli::UserAction, private_file, terminal::Printer};

const NAME: &str = "users.toml";
const LONGEST_NAME: usize = 40;

/// Name → SHA-256 of the token.
pub fn load(data_dir: &Path) -> Result<BTreeMap<String, String>> {
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
            let token = Token::random().context("there is no randomness for a token")?;
            let is_new = users.insert(name.clone(), token.hash()).is_none();
            save(&app.data_dir, &users)?;
            printer.print(&json!({"name": name, "token": token.reveal(), "new": is_new}), |style| {
                let words = app.language.say(
                    "The token is shown this once. It counts when the server starts anew:",
                    "令牌只显示这一次，服务器重新启动后生效：",
                );
                format!("{words}\n\n  {}", style.bold(token.reveal()))
            })?;
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

fn save(data_dir: &Path, users: &BTreeMap<String, String>) -> Result<()> {
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
        let token = Token::random().unwrap();
        let users = BTreeMap::from([("bob".to_owned(), token.hash())]);
        save(folder.path(), &users).unwrap();
        assert_eq!(load(folder.path()).unwrap(), users);
        let text = fs::read_to_string(folder.path().join(NAME)).unwrap();
        assert!(!text.contains(token.reveal()));
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
