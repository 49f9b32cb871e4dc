//! Changing single values in the person's config file. Everything else in it, comments and order included, stays.

use std::{collections::BTreeMap, fs, io, path::Path};

use serde_json::Value;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};

use super::{NOT_SHOWN, conversation, layers};
use crate::private_file;

/// Why nothing was changed.
#[derive(Debug)]
pub enum Unchanged {
    /// What was asked for makes no sense: each thing in words.
    Wrong(Vec<String>),
    /// The file cannot be read or written.
    Broken(String),
}

/// Writes these values into the file, all or none. `null` takes a setting out of it.
pub fn change(file: &Path, changes: &BTreeMap<String, Value>) -> Result<(), Unchanged> {
    let wrong: Vec<String> = changes.iter().filter_map(|(key, value)| wrong_with(key, value)).collect();
    if !wrong.is_empty() {
        return Err(Unchanged::Wrong(wrong));
    }
    // A link, as those who keep their configs elsewhere have it, stays one.
    let file = &file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    let broken = |what: &str, error: io::Error| {
        Unchanged::Broken(format!("cannot {what} the config {}: {error}", file.display()))
    };
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(broken("read", error)),
    };
    let changed = edited(file, &text, changes)?;
    let rights = fs::metadata(file).ok().map(|found| found.permissions());
    private_file::write(file, &changed).map_err(|error| broken("write", error))?;
    if let Some(rights) = rights {
        fs::set_permissions(file, rights).map_err(|error| broken("restore the rights of", error))?;
    }
    Ok(())
}

fn wrong_with(key: &str, value: &Value) -> Option<String> {
    if key.split('.').any(str::is_empty) {
        return Some(format!("{key:?} is no name of a setting"));
    }
    if value == NOT_SHOWN {
        return Some(format!("{key}: {NOT_SHOWN:?} stands for its value and is none"));
    }
    if value.is_null() {
        return None;
    }
    match layers::check(key, value) {
        Err(why) => Some(if conversation::is_private(key) { format!("{key} cannot be set so") } else { why }),
        Ok(_) => to_toml(value).is_none().then(|| format!("{key}: its value cannot be written as TOML")),
    }
}

/// The text with the changes made, checked as a whole.
fn edited(file: &Path, text: &str, changes: &BTreeMap<String, Value>) -> Result<String, Unchanged> {
    let Ok(mut document) = text.parse::<DocumentMut>() else {
        // The whole error shows the line, in which a header with a key may stand.
        let line = text.parse::<toml::Table>().map_or_else(|error| layers::line_of(text, &error), |_| 1);
        let why = format!("{} is not valid TOML in line {line}: fix it first", file.display());
        return Err(Unchanged::Broken(why));
    };
    let mut wrong = Vec::new();
    for (key, value) in changes {
        let path: Vec<&str> = key.split('.').collect();
        let Some(value) = to_toml(value) else {
            // A wrong name would look as if it had worked, unless it stands in the file.
            if !take_out(document.as_table_mut(), &path) {
                wrong.extend(layers::known(key).err());
            }
            continue;
        };
        if set(document.as_table_mut(), &path, value).is_none() {
            let why = format!("{key}: something else stands at its place in {}", file.display());
            return Err(Unchanged::Broken(why));
        }
    }
    if !wrong.is_empty() {
        return Err(Unchanged::Wrong(wrong));
    }
    let changed = document.to_string();
    match layers::check_file(file, &changed) {
        // What is wrong in a file can be taken out of it one by one.
        Err(error) if !changes.values().all(Value::is_null) => Err(Unchanged::Broken(format!("{error:#}"))),
        _ => Ok(changed),
    }
}

fn set(table: &mut dyn TableLike, path: &[&str], value: toml_edit::Value) -> Option<()> {
    let (first, rest) = path.split_first()?;
    if rest.is_empty() {
        match table.get_mut(first) {
            // What stands beside the old value, such as a comment, stays.
            Some(Item::Value(old)) => {
                let around = old.decor().clone();
                *old = value;
                *old.decor_mut() = around;
            }
            Some(Item::None) | None => drop(table.insert(first, Item::Value(value))),
            Some(_) => return None,
        }
        return Some(());
    }
    if table.get(first).is_none_or(Item::is_none) {
        let mut fresh = Table::new();
        // A table that only holds tables needs no line of its own.
        fresh.set_implicit(rest.len() > 1);
        table.insert(first, Item::Table(fresh));
    }
    set(table.get_mut(first)?.as_table_like_mut()?, rest, value)
}

/// Whether there was one.
fn take_out(table: &mut dyn TableLike, path: &[&str]) -> bool {
    let Some((first, rest)) = path.split_first() else { return false };
    if rest.is_empty() {
        return table.get(first).is_some_and(Item::is_value) && table.remove(first).is_some();
    }
    let inner = table.get_mut(first).and_then(Item::as_table_like_mut);
    inner.is_some_and(|inner| take_out(inner, rest))
}

/// `None` for what TOML has no word for.
fn to_toml(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(value) => (*value).into(),
        Value::String(text) => text.as_str().into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None if number.is_u64() => return None,
            None => number.as_f64()?.into(),
        },
        Value::Array(items) => {
            let items: Option<Vec<_>> = items.iter().map(to_toml).collect();
            toml_edit::Value::Array(items?.into_iter().collect::<Array>())
        }
        Value::Object(fields) => {
            let mut table = InlineTable::new();
            for (name, value) in fields {
                table.insert(name, to_toml(value)?);
            }
            toml_edit::Value::InlineTable(table)
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn changes(value: Value) -> BTreeMap<String, Value> {
        serde_json::from_value(value).unwrap()
    }

    fn after(text: &str, wanted: Value) -> String {
        edited(Path::new("config.toml"), text, &changes(wanted)).unwrap()
    }

    #[test]
    fn all_else_stays_as_it_was() {
        for (text, wanted, want) in [
            ("", json!({"mode": "auto"}), "mode = \"auto\"\n"),
            (
                "# mine\nmode = \"ask\" # for now\n\n[chain]\nmax_rounds = 3\n",
                json!({"mode": "auto", "chain.max_calls": 9}),
                "# mine\nmode = \"auto\" # for now\n\n[chain]\nmax_rounds = 3\nmax_calls = 9\n",
            ),
            (
                "# top\n[undo]\nmax_age_days = 3\n",
                json!({"model": "openai/x"}),
                "model = \"openai/x\"\n# top\n[undo]\nmax_age_days = 3\n",
            ),
            ("audit.enabled = true\n", json!({"audit.enabled": false}), "audit.enabled = false\n"),
            (
                "undo = { max_age_days = 3 }\n",
                json!({"undo.max_age_days": 4}),
                "undo = { max_age_days = 4 }\n",
            ),
            ("mode = \"ask\"\nlanguage = \"zh\" # x\n", json!({"mode": null}), "language = \"zh\" # x\n"),
            ("language = \"zh\"\n", json!({"mode": null, "chain.max_cost": null}), "language = \"zh\"\n"),
            (
                "",
                json!({"providers.custom.base_url": "http://127.0.0.1:1"}),
                "[providers.custom]\nbase_url = \"http://127.0.0.1:1\"\n",
            ),
            ("", json!({"shell.deny": ["git push *"]}), "[shell]\ndeny = [\"git push *\"]\n"),
            ("", json!({"chain.max_cost": 0.5}), "[chain]\nmax_cost = 0.5\n"),
        ] {
            assert_eq!(after(text, wanted.clone()), want, "{text:?} {wanted}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_and_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        fs::write(&file, "mode = \"ask\"\n").unwrap();
        for (wanted, parts) in [
            (
                json!({"mod": "ask", "chian.max_calls": 1, "mode": "auto"}),
                &["mod ", "mode?", "chian.max_calls"][..],
            ),
            (json!({"mode": "sometimes"}), &["mode", "read-only"]),
            (json!({"mod": null}), &["mod ", "mode?"]),
            (json!({"providers.openai.base_ur": "x"}), &["providers.openai.base_url?"]),
            (json!({"providers.openai.api_key": "sesame"}), &["keyring", "keys.toml", "OPENAI_API_KEY"]),
            (json!({"openai_api_key": "sesame"}), &["keys.toml"]),
            (json!({"": 1}), &["no name"]),
            (json!({"providers..base_url": "x"}), &["no name"]),
            (json!({"providers.custom.headers.x": NOT_SHOWN}), &["stands for its value"]),
            (json!({"undo.max_bytes": u64::MAX}), &["undo.max_bytes"]),
        ] {
            match change(&file, &changes(wanted.clone())) {
                Err(Unchanged::Wrong(wrong)) => {
                    let all = wrong.join("\n");
                    assert!(parts.iter().all(|part| all.contains(part)), "{wanted}: {all}");
                }
                other => panic!("{wanted}: {other:?}"),
            }
            assert_eq!(fs::read_to_string(&file).unwrap(), "mode = \"ask\"\n", "{wanted}");
        }
        fs::write(&file, "mode = \"ask\"\nheaders = sesame\n").unwrap();
        let Err(Unchanged::Broken(why)) = change(&file, &changes(json!({"mode": "auto"}))) else { panic!() };
        assert!(why.contains("line 2") && !why.contains("sesame"), "{why}");
    }

    #[test]
    fn wrong_entries_can_be_taken_out_one_by_one() {
        let text = "mdoe = \"ask\"\nlanguage = \"xx\"\n";
        assert!(matches!(
            edited(Path::new("c"), text, &changes(json!({"mode": "auto"}))),
            Err(Unchanged::Broken(_))
        ));
        let text = after(text, json!({"mdoe": null}));
        assert_eq!(text, "language = \"xx\"\n");
        assert_eq!(after(&text, json!({"language": null})), "");
        assert_eq!(after("[chain]\nmax_calls = 1\n", json!({"chain.max_calls": null})), "[chain]\n");
        assert!(
            edited(Path::new("c"), "[chain]\nmax_calls = 1\n", &changes(json!({"chain": null}))).is_err()
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_one_and_rights_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real.toml"), folder.path().join("config.toml"));
        fs::write(&real, "# mine\n").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        change(&link, &changes(json!({"mode": "auto"}))).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert!(fs::read_to_string(&real).unwrap().contains("mode = \"auto\""));
        assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    }
}
