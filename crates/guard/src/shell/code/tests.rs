//! Tables of one-liners, per language, and a storm of bytes for all of them.

use super::Language::{self, *};
use super::{Facts, inspect, language_of};

mod harmless;
mod hidden;
mod others;
mod printed;
mod removed;
mod storm;

fn has_shell(facts: &Facts, wanted: &str) -> bool {
    facts.shell.iter().any(|line| line == wanted) || facts.argvs.iter().any(|argv| argv.join(" ") == wanted)
}

#[test]
fn programs_have_languages() {
    for (program, language) in [
        ("python", Some(Python)),
        ("python3.11", Some(Python)),
        ("/usr/bin/python3", Some(Python)),
        ("pypy3", Some(Python)),
        ("perl5", Some(Perl)),
        ("perl5.36.0", Some(Perl)),
        ("nodejs", Some(JavaScript)),
        ("node", Some(JavaScript)),
        ("gawk", Some(Awk)),
        ("gsed", Some(Sed)),
        ("ruby3.1", Some(Ruby)),
        ("php8.2", Some(Php)),
        ("lua5.4", Some(Lua)),
        ("luajit", Some(Lua)),
        ("sqlite3", Some(Sql)),
        ("psql", Some(Sql)),
        ("Rscript", Some(R)),
        ("tclsh8.6", Some(Tcl)),
        ("expect", Some(Tcl)),
        ("osascript", Some(AppleScript)),
        ("jq", Some(Jq)),
        ("dc", Some(Calculator)),
        ("julia", Some(Julia)),
        ("elixir", Some(Elixir)),
        ("deno", Some(JavaScript)),
        ("bun", Some(JavaScript)),
        ("nvim", Some(Vim)),
        ("ed", Some(Ed)),
        ("python.exe", Some(Python)),
        ("ls", None),
        ("", None),
        ("3", None),
    ] {
        assert_eq!(language_of(program), language, "{program}");
    }
}
