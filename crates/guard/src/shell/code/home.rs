//! The home folder, by all the names that programs have for it: as a path it is `~`.

use super::engine::{Arg, Engine};
use super::value::Value;

/// What an environment calls it.
const VARIABLES: &[&str] = &["HOME", "USERPROFILE", "user.home"];

/// Tables of the environment.
const TABLES: &[&str] =
    &["os.environ", "process.env", "ENV", "$ENV", "$_SERVER", "$_ENV", "Bun.env", "import.meta.env"];

impl Engine<'_> {
    /// The home folder. What it is for the user is not known, so that output with it is not either.
    pub(super) fn home(&mut self) -> Value {
        self.world.output.doubt();
        Value::Text("~".into())
    }

    /// An entry in a table of the environment, if it is the home folder.
    pub(super) fn home_in(&mut self, table: &str, name: &str) -> Option<Value> {
        (TABLES.contains(&self.world.book.bare(table)) && VARIABLES.contains(&name)).then(|| self.home())
    }

    /// `getenv(name)`: anything but the home folder is not known, and may be a secret.
    pub(super) fn environment(&mut self, args: &[Arg]) -> Value {
        let name = args.first().and_then(|arg| arg.value.text());
        if name.is_some_and(|name| VARIABLES.contains(&name)) {
            return self.home();
        }
        // Java's properties, `java.version` for one, are no secrets.
        self.world.impure |= !name.is_some_and(|name| name.contains('.'));
        self.world.output.doubt();
        Value::Unknown
    }
}
