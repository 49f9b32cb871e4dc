//! Why something did not work, in a form that a caller can act on.

use std::{fmt, io, path::Path};

use crate::{outcome::Status, tool::Reply};

pub type ToolResult<T> = Result<T, ToolError>;

/// A failed plan or run. The gate turns it into an [`Outcome`](crate::Outcome).
#[derive(Debug)]
pub struct ToolError {
    /// Where the call ends because of this.
    pub status: Status,
    /// For programs: stable, lower case, with underscores.
    pub code: &'static str,
    /// For people and models: what went wrong, with which input.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// What had been produced by then (the output of a command that failed).
    pub partial: Option<Box<Reply>>,
}

impl ToolError {
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { status: Status::Error, code, message: message.into(), hint: None, partial: None }
    }

    /// The arguments fit the schema and still make no sense.
    pub fn invalid(code: &'static str, message: impl Into<String>) -> Self {
        Self { status: Status::InvalidArguments, ..Self::new(code, message) }
    }

    /// Forbidden whatever anyone says.
    pub fn blocked(code: &'static str, message: impl Into<String>) -> Self {
        Self { status: Status::Blocked, ..Self::new(code, message) }
    }

    /// The work stopped because it was asked to.
    pub fn cancelled() -> Self {
        Self { status: Status::Cancelled, ..Self::new("cancelled", "The call was cancelled.") }
    }

    /// What the run found is not what the plan had said: the gate plans and asks again.
    pub fn plan_changed(message: impl Into<String>) -> Self {
        Self::new(Self::PLAN_CHANGED, message)
    }

    pub(crate) const PLAN_CHANGED: &'static str = "plan_changed";

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn partial(mut self, reply: Reply) -> Self {
        self.partial = Some(Box::new(reply));
        self
    }

    /// An I/O error, said in words. `doing` reads like "read", "write", "create the folder".
    pub fn io(doing: &str, path: &Path, error: &io::Error) -> Self {
        let shown = path.display();
        let (code, why, hint) = explain_io(error);
        let error = Self::new(code, format!("Cannot {doing} {shown}: {why}."));
        if hint.is_empty() { error } else { error.hint(hint) }
    }
}

/// Code, reason and remedy of an I/O error.
fn explain_io(error: &io::Error) -> (&'static str, String, &'static str) {
    use io::ErrorKind as K;
    // ELOOP has no stable ErrorKind yet.
    const ELOOP: i32 = 40;
    if cfg!(target_os = "linux") && error.raw_os_error() == Some(ELOOP) {
        return ("link_loop", "its links lead in a circle".into(), "Remove one of the links in the circle.");
    }
    let (code, why, hint) = match error.kind() {
        K::NotFound => ("no_such_file", "there is no such file or folder", ""),
        K::PermissionDenied => (
            "permission_denied",
            "the operating system does not permit it",
            "Check owner and mode of the path.",
        ),
        K::AlreadyExists => ("already_exists", "it exists already", ""),
        K::IsADirectory => ("is_a_directory", "it is a folder, not a file", ""),
        K::NotADirectory => ("not_a_directory", "a part of the path is a file, not a folder", ""),
        K::DirectoryNotEmpty => ("directory_not_empty", "the folder is not empty", ""),
        K::StorageFull | K::QuotaExceeded => {
            ("disk_full", "no space is left; nothing was changed", "Free some space, then try again.")
        }
        K::ReadOnlyFilesystem => ("read_only_file_system", "the file system is read-only", ""),
        K::InvalidFilename => ("name_too_long", "a name in the path is too long or not valid here", ""),
        K::CrossesDevices => ("crosses_devices", "source and target are on different file systems", ""),
        K::FileTooLarge => ("file_too_large", "the file is too large for this file system", ""),
        _ => return ("io", error.to_string(), ""),
    };
    (code, why.to_owned(), hint)
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ToolError {}

pub type StoreResult<T> = Result<T, StoreError>;

/// Something that should last could not be kept or read.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action}: {cause}")]
pub struct StoreError {
    /// Reads like "append to the audit log /x/y".
    pub action: String,
    /// Not a `source`: it stands in the text already, and would be printed twice.
    pub cause: Box<dyn std::error::Error + Send + Sync>,
}

impl StoreError {
    pub fn new(
        action: impl Into<String>,
        cause: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { action: action.into(), cause: cause.into() }
    }
}

impl From<StoreError> for ToolError {
    fn from(error: StoreError) -> Self {
        let full = error
            .cause
            .downcast_ref::<io::Error>()
            .is_some_and(|e| matches!(e.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded));
        let code = if full { "disk_full" } else { "store" };
        Self::new(code, format!("Could not {}: {}.", error.action, error.cause))
            .hint("Nothing was changed. `deskhand doctor` checks the data folder.")
    }
}
