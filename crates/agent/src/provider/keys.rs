//! Keys: where they come from, which one is next, and that nobody sees them.
//!
//! A key is shown nowhere: not by `Debug`, not in an error. One that a server refused, or whose money or share is used
//! up, is left alone for a while.

use std::{
    fmt, fs,
    io::{self, Write as _},
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::{ErrorClass, Problem, ProviderError};

/// How long a key that was refused, or has no money left, is left alone.
const REFUSED: Duration = Duration::from_mins(30);
/// How long one that was used too often is, where the server does not say.
const LIMITED: Duration = Duration::from_mins(1);
/// The table in the file that says which address each key was entered for.
const ADDRESSES: &str = "addresses";
/// `NAME_2` to `NAME_9`.
const MOST_NUMBERED: u32 = 9;

/// A key of a provider.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// For the header of a request, and nothing else.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    pub(crate) fn mask_in(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "⟦masked:key⟧") }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(⟦masked:key⟧)")
    }
}

/// The keys in a variable (`K1,K2`) and in those with its name and a number (`NAME_2`, …).
pub(crate) fn from_variable(name: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Vec<Key> {
    let numbered = (2..=MOST_NUMBERED).map(|n| format!("{name}_{n}"));
    let mut keys = Vec::new();
    for variable in std::iter::once(name.to_owned()).chain(numbered) {
        for key in split(&lookup(&variable).unwrap_or_default()) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    keys
}

/// The keys of a provider in a file: `openai = "KEY"`, or `openai = ["KEY1", "KEY2"]`. A file that others can read is
/// refused. A file that is not there has no keys.
pub fn from_file(path: &Path, provider: &str) -> Result<Vec<Key>, ProviderError> {
    let keys = match read(path)?.get(provider) {
        None => Vec::new(),
        Some(toml::Value::String(key)) => split(key),
        Some(toml::Value::Array(items)) => {
            items.iter().filter_map(toml::Value::as_str).flat_map(split).collect()
        }
        Some(_) => return Err(wrong(path, &format!("has something else than keys under {provider}."))),
    };
    Ok(keys)
}

/// The address that the key of a provider was entered for, where that is known. A file that cannot be trusted is an
/// error: without the address the key would go anywhere.
pub(crate) fn address_in_file(path: &Path, provider: &str) -> Result<Option<String>, ProviderError> {
    let no_address = || wrong(path, &format!("has no address under {ADDRESSES}.{provider}."));
    let table = read(path)?;
    let Some(addresses) = table.get(ADDRESSES) else { return Ok(None) };
    let address = addresses.as_table().ok_or_else(no_address)?.get(provider);
    address.map(|address| address.as_str().map(str::to_owned).ok_or_else(no_address)).transpose()
}

/// The whole file, which its owner alone can read; empty where it is not there.
fn read(path: &Path) -> Result<toml::Table, ProviderError> {
    let wrong = |why: String| wrong(path, &why);
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(toml::Table::new()),
        Err(error) => return Err(wrong(format!("cannot be looked at: {error}."))),
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if metadata.permissions().mode() & 0o077 != 0 {
            return Err(wrong("can be read or written by others, so it is not used.".to_owned())
                .hint(format!("Run: chmod 600 {}", path.display())));
        }
    }
    if metadata.len() > 64 << 10 {
        return Err(wrong("is larger than 64 KiB.".to_owned()));
    }
    let text = fs::read_to_string(path).map_err(|error| wrong(format!("cannot be read: {error}.")))?;
    parse(path, &text)
}

fn wrong(path: &Path, why: &str) -> ProviderError {
    about_file(format!("The file of keys {} {why}", path.display()))
}

/// What is said of the file names its path: for its owner alone.
fn about_file(message: String) -> ProviderError {
    ProviderError::new(ErrorClass::Auth, message).because(Problem::NoKey).naming_place()
}

/// The parser's message shows the line that is wrong, and with it a key: only the place is told.
fn parse(path: &Path, text: &str) -> Result<toml::Table, ProviderError> {
    text.parse().map_err(|error: toml::de::Error| {
        let line =
            error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let wrong = format!("The file of keys {} is no TOML: line {line}.", path.display());
        about_file(wrong).hint("A line looks like this: openai = \"KEY\"")
    })
}

/// What is written into the file about one provider.
pub(crate) enum Entry<'a> {
    /// The key, and the address that it was entered for.
    Key(&'a Key, Option<&'a str>),
    /// The address alone: the key stays where it is.
    Address(&'a str),
    /// The address of a key that is in the keyring; one in the file goes.
    InKeyring(Option<&'a str>),
    /// Neither.
    Nothing,
}

/// Writes what is known of a provider into the file, beside that of others. Whether there was a key before. The file
/// is whole at every moment, and never readable by others.
pub(crate) fn keep_in_file(path: &Path, provider: &str, entry: &Entry<'_>) -> Result<bool, ProviderError> {
    let wrong = |error: io::Error| {
        about_file(format!("The file of keys {} cannot be written: {error}.", path.display()))
    };
    let mut table = match fs::read_to_string(path) {
        Ok(text) => parse(path, &text)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => toml::Table::new(),
        Err(error) => return Err(wrong(error)),
    };
    let had_key = table.contains_key(provider);
    let unchanged = table.clone();
    match entry {
        Entry::Key(key, _) => drop(table.insert(provider.to_owned(), toml::Value::String(key.0.clone()))),
        Entry::Nothing | Entry::InKeyring(_) => drop(table.remove(provider)),
        Entry::Address(_) => {}
    }
    set_address(&mut table, provider, entry);
    if table == unchanged {
        return Ok(had_key);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(wrong)?;
    }
    let fresh = path.with_extension("toml.new");
    let _ = fs::remove_file(&fresh);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut written = options.open(&fresh).map_err(wrong)?;
    written.write_all(table.to_string().as_bytes()).and_then(|()| written.sync_all()).map_err(wrong)?;
    fs::rename(&fresh, path).map_err(wrong)?;
    Ok(had_key)
}

fn set_address(table: &mut toml::Table, provider: &str, entry: &Entry<'_>) {
    let address = match entry {
        Entry::Key(_, address) | Entry::InKeyring(address) => *address,
        Entry::Address(address) => Some(*address),
        Entry::Nothing => None,
    };
    let mut addresses = match table.remove(ADDRESSES) {
        Some(toml::Value::Table(addresses)) => addresses,
        _ => toml::Table::new(),
    };
    match address {
        Some(address) => drop(addresses.insert(provider.to_owned(), address.into())),
        None => drop(addresses.remove(provider)),
    }
    if !addresses.is_empty() {
        table.insert(ADDRESSES.to_owned(), toml::Value::Table(addresses));
    }
}

fn split(text: &str) -> Vec<Key> {
    text.split(',').map(str::trim).filter(|key| !key.is_empty()).map(Key::new).collect()
}

/// The keys of one provider, and which of them are left alone for now.
pub(crate) struct KeyRing {
    keys: Vec<Key>,
    rest_until: Mutex<Vec<Option<Instant>>>,
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyRing({} keys)", self.keys.len())
    }
}

impl KeyRing {
    pub fn new(keys: Vec<Key>) -> Self {
        let rest_until = Mutex::new(vec![None; keys.len()]);
        Self { keys, rest_until }
    }

    pub fn get(&self, at: usize) -> Option<&Key> {
        self.keys.get(at)
    }

    /// The first key that may be used now; if none may, the one whose rest ends first.
    pub fn pick(&self, now: Instant) -> usize {
        let rests = self.rest_until.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = |at: &usize| rests[*at].filter(|until| *until > now);
        (0..self.keys.len()).min_by_key(|at| rest(at)).unwrap_or(0)
    }

    /// A failure that another key may not have. Says which key, of those not in `used`, can be used at once instead.
    pub fn failed(&self, at: usize, used: &[usize], error: &ProviderError, now: Instant) -> Option<usize> {
        let rest = match error.class {
            ErrorClass::Auth | ErrorClass::NoCredit => REFUSED,
            ErrorClass::RateLimited => error.retry_after.unwrap_or(LIMITED),
            _ => return None,
        };
        let mut rests = self.rest_until.lock().unwrap_or_else(PoisonError::into_inner);
        *rests.get_mut(at)? = now.checked_add(rest);
        let is_free = |other: &usize| rests[*other].is_none_or(|until| until <= now);
        (0..self.keys.len()).filter(|other| !used.contains(other)).find(is_free)
    }

    /// It worked: whatever was wrong with it is over.
    pub fn worked(&self, at: usize) {
        let mut rests = self.rest_until.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rest) = rests.get_mut(at) {
            *rest = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(keys: &[Key]) -> Vec<&str> {
        keys.iter().map(Key::expose).collect()
    }

    #[test]
    fn keys_come_from_variables() {
        let lookup = |name: &str| match name {
            "K" => Some(" a , b,,".to_owned()),
            "K_2" => Some("c".to_owned()),
            "K_3" => Some("a".to_owned()),
            "K_9" => Some("d".to_owned()),
            _ => None,
        };
        assert_eq!(texts(&from_variable("K", &lookup)), ["a", "b", "c", "d"]);
        assert!(from_variable("NONE", &lookup).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn keys_come_from_a_file_that_nobody_else_can_read() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.toml");
        assert!(from_file(&path, "openai").unwrap().is_empty());
        fs::write(&path, "openai = \"a\"\nzhipu = [\"b\", \"c\"]\ndeepseek = 3\n").unwrap();
        for mode in [0o644, 0o640, 0o606, 0o620] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let error = from_file(&path, "openai").unwrap_err();
            assert!(error.to_string().contains(&format!("chmod 600 {}", path.display())), "{error}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(texts(&from_file(&path, "openai").unwrap()), ["a"]);
        assert_eq!(texts(&from_file(&path, "zhipu").unwrap()), ["b", "c"]);
        assert!(from_file(&path, "qwen").unwrap().is_empty());
        assert!(from_file(&path, "deepseek").is_err());
        fs::write(&path, "x = 1\nopenai = very-secret-thing\n").unwrap();
        let error = from_file(&path, "openai").unwrap_err();
        assert!(error.message.contains("line 2"), "{error}");
        assert!(!error.to_string().contains("very-secret"), "{error}");
    }

    #[test]
    fn a_key_is_kept_beside_others_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config/keys.toml");
        let keep = |provider: &str, key: Option<&str>| match key.map(Key::new) {
            Some(key) => keep_in_file(&file, provider, &Entry::Key(&key, Some("https://a.example"))),
            None => keep_in_file(&file, provider, &Entry::Nothing),
        };
        assert!(!keep("openai", None).unwrap());
        assert!(!file.exists(), "nothing is made to forget nothing");
        assert!(!keep("openai", Some("sk-one")).unwrap());
        assert!(!keep("zhipu", Some("two")).unwrap());
        assert!(keep("openai", Some("sk-three")).unwrap());
        assert_eq!(texts(&from_file(&file, "openai").unwrap()), ["sk-three"]);
        assert_eq!(texts(&from_file(&file, "zhipu").unwrap()), ["two"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert!(keep("openai", None).unwrap());
        assert!(from_file(&file, "openai").unwrap().is_empty());
        assert_eq!(texts(&from_file(&file, "zhipu").unwrap()), ["two"]);
        assert_eq!(address_in_file(&file, "openai").unwrap(), None);
        assert_eq!(address_in_file(&file, "zhipu").unwrap().as_deref(), Some("https://a.example"));
        keep_in_file(&file, "zhipu", &Entry::Address("https://b.example")).unwrap();
        assert_eq!(address_in_file(&file, "zhipu").unwrap().as_deref(), Some("https://b.example"));
        assert_eq!(texts(&from_file(&file, "zhipu").unwrap()), ["two"]);
    }

    #[test]
    fn a_broken_file_is_left_alone_and_named_without_the_keys_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("keys.toml");
        for broken in ["zhipu = \"a\"\nopenai = \"opensesame\n", "zhipu = \"a\"\nopenai = opensesame\n"] {
            fs::write(&file, broken).unwrap();
            let error = format!(
                "{:?}",
                keep_in_file(&file, "openai", &Entry::Key(&Key::new("x"), None)).unwrap_err()
            );
            assert!(error.contains("keys.toml") && error.contains("line 2"), "{error}");
            assert!(!error.contains("opensesame"), "{error}");
            assert_eq!(fs::read_to_string(&file).unwrap(), broken, "nothing is lost");
        }
    }

    #[test]
    fn an_address_that_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("keys.toml");
        assert_eq!(address_in_file(&file, "openai").unwrap(), None, "there is no file");
        for broken in ["openai = \"opensesame\n", "addresses = \"x\"\n", "[addresses]\nopenai = 3\n"] {
            fs::write(&file, broken).unwrap();
            #[cfg(unix)]
            fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
            let error = address_in_file(&file, "openai").unwrap_err();
            assert!(error.names_place && !error.to_string().contains("opensesame"), "{broken}: {error}");
        }
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert!(address_in_file(&file, "openai").is_err());
    }

    #[test]
    fn a_key_is_not_shown() {
        let ring = KeyRing::new(vec![Key::new("very-secret")]);
        assert!(!format!("{ring:?} {:?} {:?}", ring.keys, ring.get(0)).contains("very-secret"));
    }

    #[test]
    fn a_bad_key_is_skipped_for_a_while() {
        let ring = KeyRing::new(vec![Key::new("a"), Key::new("b"), Key::new("c")]);
        let now = Instant::now();
        let refused = ProviderError::new(ErrorClass::Auth, "no");
        let mut limited = ProviderError::new(ErrorClass::RateLimited, "slow");
        limited.retry_after = Some(Duration::from_secs(5));
        assert_eq!(ring.pick(now), 0);
        assert_eq!(ring.failed(0, &[0], &refused, now), Some(1));
        assert_eq!(ring.pick(now), 1);
        assert_eq!(ring.failed(1, &[0, 1], &limited, now), Some(2));
        assert_eq!(ring.failed(2, &[0, 1, 2], &refused, now), None);
        assert_eq!(ring.pick(now), 1, "its rest ends first");
        assert_eq!(ring.pick(now + Duration::from_secs(6)), 1);
        assert_eq!(ring.pick(now + REFUSED + Duration::from_secs(1)), 0);
        ring.worked(0);
        assert_eq!(ring.pick(now), 0);
        assert_eq!(ring.failed(0, &[0], &ProviderError::new(ErrorClass::Server, "x"), now), None);
        assert_eq!(ring.pick(now), 0, "another key would not have helped");
        let none = KeyRing::new(Vec::new());
        assert_eq!((none.pick(now), none.failed(0, &[0], &refused, now)), (0, None));
    }
}
