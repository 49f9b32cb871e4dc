//! What a walk left out: hidden and ignored files that would have matched. They are counted, so that nobody takes
//! "nothing matches" for "nothing is there". The look is short: after so many entries it ends, and says that it did.

use std::{
    collections::VecDeque,
    fs::{self, FileType},
    ops::ControlFlow,
    path::Path,
};

use deskhand_core::{Cx, ToolResult};
use deskhand_guard::Tree;
use schemars::JsonSchema;
use serde::Serialize;

use super::walk::{Met, Scope};

/// Entries that are looked at, whether the walk met them or not: some milliseconds.
const MOST_ENTRIES: usize = if cfg!(test) { 600 } else { 10_000 };
/// What git keeps for itself is not what anybody looks for.
const NOT_ENTERED: &str = ".git";

/// Hidden and ignored files that match, and were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// How many were counted.
    count: usize,
    /// Whether there may be more: not everything was looked at.
    at_least: bool,
}

impl LeftOut {
    pub(super) const NOTHING: Self = Self { count: 0, at_least: false };

    pub(super) fn hidden(count: usize) -> Self {
        Self { count, at_least: false }
    }

    pub(super) fn is_nothing(&self) -> bool {
        *self == Self::NOTHING
    }

    /// What of it a model should know; `one` and `many` are what was counted, `found` is how much was found beside
    /// it.
    pub(super) fn words(self, one: &str, many: &str, found: usize, scope: &Scope<'_>) -> String {
        let Self { count, at_least } = self;
        let what = match (count, at_least) {
            (0, true) if found == 0 => "Hidden and ignored files were not looked through.".to_owned(),
            (0, true) => "Not all hidden and ignored files were looked at.".to_owned(),
            (0, false) => return String::new(),
            (1, false) => format!("Left out: 1 hidden or ignored {one}."),
            (_, false) => format!("Left out: {count} hidden or ignored {many}."),
            (1, true) => format!("Left out: at least 1 hidden or ignored {one}."),
            (_, true) => format!("Left out: at least {count} hidden or ignored {many}."),
        };
        let how = match (scope.include_hidden, scope.respect_gitignore) {
            (false, true) => "include_hidden: true and respect_gitignore: false",
            (false, false) => "include_hidden: true",
            (true, _) => "respect_gitignore: false",
        };
        format!("\n{what} Pass {how} to include them.")
    }
}

/// Counts what `is_match` says of every entry that the walk did not meet; the nearest come first. It may end the look.
pub(super) fn count(
    tree: &Tree,
    scope: &Scope<'_>,
    met: &Met,
    cx: &Cx,
    mut matches: impl FnMut(&Path, FileType) -> ControlFlow<(), bool>,
    enters: impl Fn(&Path) -> bool,
) -> ToolResult<LeftOut> {
    let mut left_out = LeftOut::NOTHING;
    if scope.is_everything() {
        return Ok(left_out);
    }
    let mut seen = 0;
    let mut folders = VecDeque::from([(tree.root().to_path_buf(), 1)]);
    while let Some((folder, depth)) = folders.pop_front() {
        cx.check()?;
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen += 1;
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
            if seen > MOST_ENTRIES {
                left_out.at_least = true;
                return Ok(left_out);
            }
            if !met.has(&path) {
                match matches(&path, kind) {
                    ControlFlow::Continue(is_match) => left_out.count += usize::from(is_match),
                    ControlFlow::Break(()) => {
                        left_out.at_least = true;
                        return Ok(left_out);
                    }
                }
            }
            let is_deeper = scope.max_depth.is_none_or(|most| depth < most);
            let is_entered = kind.is_dir() && entry.file_name() != NOT_ENTERED;
            if is_entered && is_deeper && tree.admits(&path) && enters(&path) {
                folders.push_back((path, depth + 1));
            }
        }
    }
    Ok(left_out)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{
        super::{file_search::FileSearch, grep::Grep, list_dir::ListDir},
        *,
    };
    use crate::testing::Desk;

    const HOW: &str = "Pass include_hidden: true and respect_gitignore: false to include them.";

    fn desk() -> Desk {
        let desk = Desk::new();
        fs::create_dir(desk.path(".git")).unwrap();
        desk.write(".git/needle.rs", "needle");
        desk.write(".gitignore", "build/\n*.log\n");
        desk.write("a.rs", "needle\n");
        desk.write("build/deep/x.rs", "needle\n");
        desk.write(".hidden/y.rs", "needle\nneedle\n");
        desk.write(".hidden/z.rs", "nothing\n");
        desk.write("b.log", "only here\n");
        desk.write(".env", "needle\n");
        desk
    }

    fn last_line(text: &str) -> &str {
        text.lines().next_back().unwrap()
    }

    #[test]
    fn file_search_counts_hidden_and_ignored_matches() {
        let desk = desk();
        for (pattern, count) in [("*.rs", 3), ("*.log", 1), ("y.rs", 1), ("a.rs", 0), ("none", 0)] {
            let called = desk.call(FileSearch, json!({"pattern": pattern})).unwrap();
            let wanted = if count == 0 { Value::Null } else { json!({"count": count, "at_least": false}) };
            assert_eq!(called.data["left_out"], wanted, "{pattern}: {}", called.text);
        }
        let text = desk.call(FileSearch, json!({"pattern": "*.log"})).unwrap().text;
        assert!(
            text.starts_with("Nothing in ")
                && text.ends_with(&format!("Left out: 1 hidden or ignored match. {HOW}")),
            "{text}"
        );
        let text = desk.call(FileSearch, json!({"pattern": "*.rs", "include_hidden": true})).unwrap().text;
        assert_eq!(
            last_line(&text),
            "Left out: 1 hidden or ignored match. Pass respect_gitignore: false to include them."
        );
        let all = json!({"pattern": "*.rs", "include_hidden": true, "respect_gitignore": false});
        let text = desk.call(FileSearch, all).unwrap().text;
        assert!(!text.contains("Left out"), "{text}");
        let shallow = desk.call(FileSearch, json!({"pattern": "*.rs", "max_depth": 2})).unwrap();
        assert_eq!(shallow.data["left_out"]["count"], 2, "{}", shallow.text);
    }

    #[test]
    fn grep_counts_hidden_and_ignored_files_that_match() {
        let desk = desk();
        for (arguments, count) in [
            (json!({"pattern": "needle"}), json!(2)),
            (json!({"pattern": "needle", "output": "files"}), json!(2)),
            (json!({"pattern": "only here"}), json!(1)),
            (json!({"pattern": "needle", "glob": "*.md"}), Value::Null),
            (json!({"pattern": "needle", "glob": "!y.rs"}), json!(1)),
            (json!({"pattern": "needle", "glob": "!build/"}), json!(1)),
            (json!({"pattern": "nowhere"}), Value::Null),
            (json!({"pattern": "needle", "path": "a.rs"}), Value::Null),
        ] {
            let called = desk.call(Grep, arguments.clone()).unwrap();
            assert_eq!(called.data["left_out"]["count"], count, "{arguments}: {}", called.text);
        }
        let text = desk.call(Grep, json!({"pattern": "only here"})).unwrap().text;
        assert_eq!(last_line(&text), format!("Left out: 1 hidden or ignored file that matches. {HOW}"));
    }

    #[test]
    fn list_dir_counts_hidden_and_ignored_entries() {
        let desk = desk();
        let text = desk.call(ListDir, json!({})).unwrap().text;
        assert_eq!(
            last_line(&text),
            "Left out: 4 hidden or ignored entries. Pass include_hidden: true to include them."
        );
        let below = desk.call(ListDir, json!({"recursive": true, "include_hidden": true})).unwrap();
        assert_eq!(below.data["left_out"]["count"], 4, "build, what is in it, and b.log: {}", below.text);
        desk.write("only/.x", "");
        let text = desk.call(ListDir, json!({"path": "only"})).unwrap().text;
        assert!(
            text.starts_with("Nothing in ") && text.contains("Left out: 1 hidden or ignored entry."),
            "{text}"
        );
    }

    /// A large ignored folder is not walked through to the end, and that is said.
    #[test]
    fn the_look_is_bounded() {
        let desk = desk();
        desk.write(".gitignore", "node_modules/\n");
        for n in 0..700 {
            desk.write(format!("node_modules/f{n}.js"), "");
        }
        let none = desk.call(FileSearch, json!({"pattern": "*.css"})).unwrap();
        assert_eq!(none.data["left_out"], json!({"count": 0, "at_least": true}));
        assert_eq!(last_line(&none.text), format!("Hidden and ignored files were not looked through. {HOW}"));
        let some = desk.call(FileSearch, json!({"pattern": "*.js"})).unwrap();
        assert!(some.text.contains("Left out: at least "), "{}", some.text);
        let found = desk.call(FileSearch, json!({"pattern": "a.rs"})).unwrap();
        assert_eq!(last_line(&found.text), format!("Not all hidden and ignored files were looked at. {HOW}"));
        let grep = desk.call(Grep, json!({"pattern": "nowhere"})).unwrap();
        assert_eq!(grep.data["left_out"]["at_least"], true);
    }
}
