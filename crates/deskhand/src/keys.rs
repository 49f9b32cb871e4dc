//! Keys of providers that a person has entered, kept where only they can read them.

use std::{fs, io, path::Path};

use anyhow::{Context, Result, anyhow};

use crate::private_file;

/// The name of the file of keys, in the config folder.
pub const FILE: &str = "keys.toml";

/// Writes the key into the file, beside those of others. The file is whole at every moment, and never readable by others.
pub fn keep_in_file(file: &Path, provider: &str, key: &str) -> Result<()> {
    let mut table = read(file)?;
    table.insert(provider.to_owned(), toml::Value::String(key.to_owned()));
    write(file, &table)
}

/// Takes the key out of the file. `false` where it has none.
pub fn forget_in_file(file: &Path, provider: &str) -> Result<bool> {
    let mut table = read(file)?;
    if table.remove(provider).is_none() {
        return Ok(false);
    }
    write(file, &table)?;
    Ok(true)
}

fn read(file: &Path) -> Result<toml::Table> {
    match fs::read_to_string(file) {
        // The parser's message shows the line that is wrong, and with it a key: only the place is told.
        Ok(text) => text.parse().map_err(|error: toml::de::Error| {
            let line = crate::settings::line_of(&text, &error);
            anyhow!("{} is not valid TOML in line {line}: mend it first", file.display())
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(toml::Table::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read the keys in {}", file.display())),
    }
}

fn write(file: &Path, table: &toml::Table) -> Result<()> {
    private_file::write(file, &table.to_string())
        .with_context(|| format!("cannot write the keys into {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_kept_beside_others_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config/keys.toml");
        assert!(!forget_in_file(&file, "openai").unwrap());
        keep_in_file(&file, "openai", "sk-one").unwrap();
        keep_in_file(&file, "zhipu", "two").unwrap();
        keep_in_file(&file, "openai", "sk-three").unwrap();
        let table: toml::Table = fs::read_to_string(&file).unwrap().parse().unwrap();
        assert_eq!((table["openai"].as_str(), table["zhipu"].as_str()), (Some("sk-three"), Some("two")));
        assert!(forget_in_file(&file, "openai").unwrap());
        assert_eq!(fs::read_to_string(&file).unwrap().trim(), "zhipu = \"two\"");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        fs::write(&file, "not toml [").unwrap();
        assert!(keep_in_file(&file, "openai", "x").unwrap_err().to_string().contains("mend it first"));
        assert!(forget_in_file(&file, "openai").is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "not toml [", "nothing is lost");
    }

    #[test]
    fn a_broken_file_is_named_without_the_keys_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("keys.toml");
        for broken in ["zhipu = \"a\"\nopenai = \"opensesame\n", "zhipu = \"a\"\nopenai = opensesame\n"] {
            fs::write(&file, broken).unwrap();
            let error = format!("{:?}", keep_in_file(&file, "openai", "x").unwrap_err());
            assert!(error.contains("keys.toml") && error.contains("line 2"), "{error}");
            assert!(!error.contains("opensesame"), "{error}");
        }
    }
}
