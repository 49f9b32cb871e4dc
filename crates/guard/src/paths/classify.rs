//! The policy itself: which permission reading, writing or removing a path needs, by which rule, and why.

use std::path::Path;

use deskhand_core::{Access, Permission};

use super::{Paths, Root, RootKind, runs_later, sensitive};

/// What the policy says of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Class {
    pub permission: Permission,
    pub rule: &'static str,
    pub why: String,
}

fn class(permission: Permission, rule: &'static str, why: impl Into<String>) -> Class {
    Class { permission, rule, why: why.into() }
}

/// Where the system keeps what everyone on the machine may read.
pub(crate) const SYSTEM: &[&str] = &[
    "/etc",
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/boot",
    "/proc",
    "/sys",
    "/var",
    "/System",
    "/private/etc",
];

/// The rule for reading Deskhand's own data: a person may allow it, where it is theirs.
pub(super) const OWN_DATA: &str = "path:own-data";

/// What lets somebody in, or lets Deskhand in elsewhere. A yes that is given without thinking must not hand it out.
const OWN_SECRETS: &[&str] = &["serve.token", "users.toml", "keys.toml"];

impl Paths {
    /// `asked` is the path as it was asked for (absolute), `real` what it really is.
    pub(super) fn classify(&self, asked: &Path, real: &Path, access: Access) -> Class {
        match access {
            Access::Read => self.classify_read(asked, real),
            Access::Create | Access::Modify => self.classify_write(asked, real),
            Access::Delete => self.classify_delete(asked, real),
        }
    }

    /// Whether an entry of a walk is Deskhand's own data, and not a root inside it (uploads, skills).
    pub(super) fn is_own_child(&self, real: &Path) -> bool {
        self.is_own(real) && self.root_of(real).is_none_or(|root| root.kind != RootKind::ReadOnly)
    }

    /// Whether an entry of a walk is a system file that not everyone may read. Its folders were looked at
    /// before it.
    pub(super) fn is_private_system_child(&self, real: &Path) -> bool {
        self.is_system_file(real, self.root_of(real)) && !has_mode_for_everyone(real)
    }

    /// Whether a path is the system's. A root in the system's places is what whoever named it wants to work with; a
    /// further folder that holds those places is not.
    fn is_system_file(&self, real: &Path, root: Option<&Root>) -> bool {
        let is_named = |root: &Root| root.kind != RootKind::Further || self.is_system(&root.path);
        self.is_system(real) && !root.is_some_and(is_named)
    }

    /// Whether a walk below `root` can meet Deskhand's own data at all.
    pub(super) fn may_hold_own(&self, root: &Path) -> bool {
        self.0.own.iter().any(|own| own.starts_with(root) || root.starts_with(own))
    }

    /// Whether a walk below `root` can meet system files at all.
    pub(super) fn may_hold_system(&self, root: &Path) -> bool {
        self.is_system(root) || SYSTEM.iter().any(|place| Path::new(place).starts_with(root))
    }

    fn classify_read(&self, asked: &Path, real: &Path) -> Class {
        use Permission::{Forbidden, Moderate, Public, Sensitive};
        let root = self.root_of(real);
        if let Some(root) = root
            && root.kind == RootKind::ReadOnly
        {
            return class(Public, "path:session-files", "It is a file of this session.");
        }
        if self.0.restrict_to_workspace && root.is_none() {
            return class(
                Forbidden,
                "path:restrict_to_workspace",
                "It is outside the workspace, and restrict_to_workspace is set.",
            );
        }
        if self.is_own(real) {
            if real.file_name().is_some_and(|name| OWN_SECRETS.iter().any(|secret| name == *secret)) {
                return class(
                    Forbidden,
                    "path:own-secrets",
                    "It holds keys or tokens of Deskhand's own, which no tool reads.",
                );
            }
            return class(Sensitive, OWN_DATA, "It is Deskhand's own data or config.");
        }
        let private = sensitive::why(real).or_else(|| sensitive::why(asked));
        if self.is_system_file(real, root) {
            // Certificates that everyone may read are for everyone.
            let certificate = real.extension().is_some_and(|ending| ending == "pem");
            if !may_everyone_read(real) {
                return class(
                    Sensitive,
                    "path:system-private",
                    "It is a system file that not everyone may read.",
                );
            }
            if private.is_none() || certificate {
                return class(
                    Public,
                    "path:system-read",
                    "It is a system file that everyone on this machine may read.",
                );
            }
        }
        if let Some(what) = private {
            return class(Sensitive, "path:sensitive", format!("It is a sensitive place ({what})."));
        }
        match root {
            Some(root) if root.kind == RootKind::Further => class(
                Public,
                "path:read_only_roots",
                "It is in a folder that the setting read_only_roots names.",
            ),
            Some(_) => class(Public, "path:workspace-read", "It is in the workspace."),
            None => class(Moderate, "path:outside-read", "It is outside the workspace."),
        }
    }

    fn classify_write(&self, asked: &Path, real: &Path) -> Class {
        use Permission::{Forbidden, Moderate, Sensitive};
        if self.is_own(real) {
            return class(
                Forbidden,
                "path:own-data-write",
                "Deskhand's own data and config are never written by a tool.",
            );
        }
        let root = self.root_of(real).filter(|root| root.kind != RootKind::Further);
        if self.0.restrict_to_workspace && root.is_none() {
            return class(
                Forbidden,
                "path:restrict_to_workspace",
                "It is outside the workspace, and restrict_to_workspace is set.",
            );
        }
        let Some(root) = root else {
            return class(Sensitive, "path:outside-write", "It is outside the workspace.");
        };
        if root.kind == RootKind::ReadOnly {
            return class(Forbidden, "path:read-only-root", "Uploads and skills are only read.");
        }
        if let Some(what) = sensitive::why(real).or_else(|| sensitive::why(asked)) {
            return class(Sensitive, "path:sensitive", format!("It is a sensitive place ({what})."));
        }
        let relative = real.strip_prefix(&root.path).unwrap_or(real);
        match runs_later::by_path(relative) {
            Some(what) => {
                class(Sensitive, "path:runs-later", format!("Writing here decides what runs later: {what}."))
            }
            None => class(Moderate, "path:workspace-write", "It is in the workspace."),
        }
    }

    fn classify_delete(&self, asked: &Path, real: &Path) -> Class {
        let inner = &self.0;
        let held = inner.roots.iter().map(|root| root.path.as_path()).chain(inner.home.as_deref());
        let held = held.chain(inner.own.iter().map(std::path::PathBuf::as_path));
        let system = SYSTEM.iter().map(Path::new);
        if held.chain(system).any(|kept| kept.starts_with(real)) {
            return class(
                Permission::Forbidden,
                "path:holds-everything",
                "It is, or holds, the workspace, the home folder, Deskhand's data or the system.",
            );
        }
        self.classify_write(asked, real)
    }

    fn is_own(&self, real: &Path) -> bool {
        self.0.own.iter().any(|own| real.starts_with(own))
    }

    fn is_system(&self, real: &Path) -> bool {
        let under = |place: &Path| real.starts_with(place);
        SYSTEM.iter().any(|place| under(Path::new(place))) && !self.0.home.as_deref().is_some_and(under)
    }
}

/// Whether the mode bits let every user of the machine reach and read a path. (Who runs this may be root, who
/// can read everything; that is not the question.)
#[cfg(unix)]
fn may_everyone_read(real: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    const OTHERS_READ: u32 = 0o004;
    const OTHERS_ENTER: u32 = 0o001;
    let has = |path: &Path, bits: u32| path.symlink_metadata().is_ok_and(|meta| meta.mode() & bits == bits);
    // What is not there holds no secret.
    (has(real, OTHERS_READ) || real.symlink_metadata().is_err())
        && real
            .ancestors()
            .skip(1)
            .all(|folder| has(folder, OTHERS_ENTER) || folder.symlink_metadata().is_err())
}

#[cfg(not(unix))]
fn may_everyone_read(_: &Path) -> bool {
    false
}

/// The same for one entry, whose folders everyone may enter. A link is not followed by a walk.
#[cfg(unix)]
pub(crate) fn has_mode_for_everyone(real: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    real.symlink_metadata().is_ok_and(|meta| {
        let wanted = if meta.is_dir() { 0o005 } else { 0o004 };
        meta.mode() & wanted == wanted
    })
}

#[cfg(not(unix))]
fn has_mode_for_everyone(_: &Path) -> bool {
    false
}
