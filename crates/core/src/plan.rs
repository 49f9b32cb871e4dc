//! What one call would do, said before it does it.

use std::{
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    changed::ChangeSummary,
    grant::Shape,
    spec::{Effects, Permission, SpecOf},
};

/// What is done to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    Read,
    Create,
    Modify,
    Delete,
}

impl Access {
    pub fn writes(self) -> bool {
        self != Self::Read
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Create => "create",
            Self::Modify => "modify",
            Self::Delete => "delete",
        })
    }
}

/// What a path was when the plan was made. If it is something else at the time of the run, the plan no
/// longer holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fingerprint {
    Absent,
    /// For something that is only read: which file it is, not what is in it (a log may grow meanwhile).
    Identity {
        device: u64,
        inode: u64,
    },
    /// For something that is changed: which file, and its state.
    State {
        device: u64,
        inode: u64,
        size: u64,
        changed_ns: i64,
    },
}

/// One path that the call touches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Touch {
    /// Absolute, with every link resolved.
    #[serde(with = "crate::path_json")]
    #[schemars(with = "String")]
    pub path: PathBuf,
    pub access: Access,
    /// Everything below it, too.
    pub recursive: bool,
    pub permission: Permission,
    /// The rule of the path policy that settled the permission.
    pub rule: String,
    pub fingerprint: Fingerprint,
}

/// Whether the call can be taken back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Undoable {
    /// It changes nothing.
    #[default]
    NothingToUndo,
    Yes,
    /// It cannot; the text says why.
    No(String),
}

/// Something for the person to look at before they answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind", content = "text")]
pub enum Preview {
    /// A unified diff.
    Diff(String),
    Text(String),
}

impl Preview {
    pub fn text(&self) -> &str {
        match self {
            Self::Diff(text) | Self::Text(text) => text,
        }
    }
}

/// How a command reaches the files of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Runs {
    /// On a copy-on-write layer: what it changes is shown first, and kept or discarded.
    Layer,
    /// It can read and not write.
    ReadOnly,
    /// Its changes take effect at once and cannot be undone.
    Direct,
}

/// The plan of one call. Made by the tool, read by the policy and by the person.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// One sentence: what this very call would do.
    pub summary: String,
    pub permission: Permission,
    /// The rule that settled the permission, and why, in words.
    pub rule: String,
    pub why: String,
    pub effects: Effects,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<Touch>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// The simple commands, as words, that a person is asked about, where a command is run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<Vec<String>>,
    /// All simple commands that it would run, as far as they are known: a remembered no looks at each.
    #[serde(skip)]
    pub all_commands: Vec<Vec<String>>,
    /// Where programs run, for a call that runs any.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::path_json::optional")]
    #[schemars(with = "Option<String>")]
    pub cwd: Option<PathBuf>,
    /// What runs was given the network because the call asks for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub with_network: bool,
    /// What holds in what runs, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confinement: Option<String>,
    /// How a command that it runs reaches the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<Runs>,
    /// What a command has changed on its layer. The command ran; the question is whether this is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Box<ChangeSummary>>,
    /// Where text in its result comes from, where the tool itself knows that it is from outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<String>,
    pub undo: Undoable,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
    /// The preview is for the person who is asked, while they are asked: it is of a tool whose arguments may be secrets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private_preview: bool,
    /// What a careful person would want to know: the file shrinks to a tenth, a link is followed, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The shapes under which a yes may be remembered, narrowest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<Shape>,
    /// Ask before the result is handed over, too.
    pub result_approval: bool,
    /// How long the run may take, where it is not the tool's usual time.
    #[serde(skip)]
    pub timeout: Option<Duration>,
}

impl Plan {
    /// A plan that touches nothing yet. Its permission is `public` until something raises it.
    pub fn new(summary: impl Into<String>) -> Self {
        Self {
            summary: summary.into(),
            permission: Permission::Public,
            rule: Self::UNSETTLED.to_owned(),
            why: "It touches nothing.".to_owned(),
            effects: Effects::NONE,
            touches: Vec::new(),
            programs: Vec::new(),
            hosts: Vec::new(),
            commands: Vec::new(),
            all_commands: Vec::new(),
            cwd: None,
            with_network: false,
            confinement: None,
            runs: None,
            changes: None,
            outside: None,
            undo: Undoable::NothingToUndo,
            preview: None,
            private_preview: false,
            notes: Vec::new(),
            shapes: Vec::new(),
            result_approval: false,
            timeout: None,
        }
    }

    /// The rule of a plan that has not said anything about its permission.
    const UNSETTLED: &'static str = "effects:none";

    /// Gives a plan that says nothing of its permission the one that its tool declares. What a tool shows that conceals
    /// its arguments is private, so that no such tool can forget to say so.
    pub(crate) fn settle(&mut self, spec: SpecOf<'_>) {
        self.private_preview = self.preview.is_some() && !spec.conceals.is_empty();
        if self.rule == Self::UNSETTLED {
            self.permission = spec.permission;
            self.rule = format!("tool:{}", spec.name);
            "It is what the tool asks for.".clone_into(&mut self.why);
        }
    }

    /// Raises the permission to at least `permission`. The first rule that reaches the highest level is
    /// the one that decided.
    pub fn at_least(
        mut self,
        permission: Permission,
        rule: impl Into<String>,
        why: impl Into<String>,
    ) -> Self {
        self.raise(permission, rule, why);
        self
    }

    fn raise(&mut self, permission: Permission, rule: impl Into<String>, why: impl Into<String>) {
        if permission > self.permission || self.rule == Self::UNSETTLED {
            self.permission = self.permission.max(permission);
            self.rule = rule.into();
            self.why = why.into();
        }
    }

    /// Adds a path, with the permission that the path policy gave it.
    pub fn touching(mut self, touch: Touch, why: impl Into<String>) -> Self {
        let effects = if touch.access.writes() { Effects::WRITES } else { Effects::READS };
        self.effects = self.effects.and(effects);
        if touch.access.writes() && self.undo == Undoable::NothingToUndo {
            self.undo = Undoable::Yes;
        }
        self.raise(touch.permission, touch.rule.clone(), why);
        self.touches.push(touch);
        self
    }

    pub fn effects(mut self, effects: Effects) -> Self {
        self.effects = self.effects.and(effects);
        self
    }

    pub fn preview(mut self, preview: Preview) -> Self {
        self.preview = Some(preview);
        self
    }

    /// The plan as it may stay: what was only for the person who is asked is left out.
    #[must_use]
    pub fn without_private(mut self) -> Self {
        if self.private_preview {
            self.preview = None;
        }
        self
    }

    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says that this cannot be taken back, and why.
    pub fn not_undoable(mut self, why: impl Into<String>) -> Self {
        self.undo = Undoable::No(why.into());
        self
    }

    /// Adds a shape under which a yes may be remembered.
    pub fn shape(mut self, shape: Shape) -> Self {
        if !self.shapes.contains(&shape) {
            self.shapes.push(shape);
        }
        self
    }

    /// Whether this plan named `path` for this kind of access: exactly, or below a folder it names whole.
    /// A plan that changes a path may read it, too.
    pub fn covers(&self, path: &Path, access: Access, permission: Permission) -> bool {
        self.permission >= permission
            && self.touches.iter().any(|touch| {
                let reaches = touch.path == path || (touch.recursive && path.starts_with(&touch.path));
                reaches && (touch.access.writes() || !access.writes())
            })
    }

    /// Whether `later`, made of the same arguments, would do the same to the same things: all that the person saw
    /// is still so. (A folder's fingerprint does not tell what is in it; the summary counts it.)
    pub fn still_holds(&self, later: &Self) -> bool {
        self.permission == later.permission
            && self.effects == later.effects
            && self.touches == later.touches
            && self.programs == later.programs
            && self.hosts == later.hosts
            && self.commands == later.commands
            && self.cwd == later.cwd
            && self.with_network == later.with_network
            && self.confinement == later.confinement
            && self.runs == later.runs
            && self.summary == later.summary
            && self.notes == later.notes
            && self.undo == later.undo
            && self.preview == later.preview
            && self.result_approval == later.result_approval
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: &str, access: Access, recursive: bool, permission: Permission) -> Touch {
        Touch {
            path: path.into(),
            access,
            recursive,
            permission,
            rule: "test".into(),
            fingerprint: Fingerprint::Absent,
        }
    }

    #[test]
    fn the_strictest_path_decides() {
        let plan = Plan::new("copy")
            .touching(touch("/a", Access::Read, false, Permission::Public), "a")
            .touching(touch("/b", Access::Create, false, Permission::Sensitive), "b")
            .touching(touch("/c", Access::Create, false, Permission::Moderate), "c");
        assert_eq!((plan.permission, plan.why.as_str()), (Permission::Sensitive, "b"));
        assert_eq!(plan.effects, Effects::READS.and(Effects::WRITES));
        assert_eq!(plan.undo, Undoable::Yes);
    }

    #[test]
    fn coverage_goes_by_components() {
        let plan = Plan::new("x").touching(touch("/a/b", Access::Modify, true, Permission::Moderate), "");
        assert!(plan.covers(Path::new("/a/b/c"), Access::Create, Permission::Moderate));
        assert!(plan.covers(Path::new("/a/b"), Access::Read, Permission::Public));
        assert!(!plan.covers(Path::new("/a/bc"), Access::Create, Permission::Moderate));
        assert!(!plan.covers(Path::new("/a/b/c"), Access::Create, Permission::Sensitive));
        let reads = Plan::new("x").touching(touch("/a/b", Access::Read, false, Permission::Moderate), "");
        assert!(!reads.covers(Path::new("/a/b"), Access::Modify, Permission::Moderate));
        assert!(!reads.covers(Path::new("/a/b/c"), Access::Read, Permission::Moderate));
    }
}
