//! What can go wrong with an X server, in words for a caller.

use std::io::{self, ErrorKind};

use deskhand_core::{Absent, ToolError};
use x11rb::errors::{ConnectError, ConnectionError, ReplyError, ReplyOrIdError};

/// An error on its way to the tool; a type of our own, so that `?` takes those of x11rb.
#[derive(Debug)]
pub(super) struct Trouble(pub ToolError);

pub(super) type Xr<T> = Result<T, Trouble>;

const REMEDY: &str = "Check that the display runs and lets this user in: `xdpyinfo` with the same DISPLAY tells. Over \
                      ssh use `ssh -X`; as another user see xauth(1).";

impl Trouble {
    pub fn no_display(display: &str, why: &str) -> Self {
        let error = ToolError::new("no_display", format!("The display {display} cannot be reached: {why}."));
        Self(error.hint(REMEDY))
    }

    /// It was reached, and did not let us in.
    pub fn refused(display: &str, error: &ConnectError) -> Self {
        match error {
            ConnectError::IoError(error) => match by_io(error) {
                Self(error) if error.code == "display_lost" => {
                    Self::no_display(display, "it closed the connection at once")
                }
                other => other,
            },
            ConnectError::SetupFailed(failed) => {
                let reason = String::from_utf8_lossy(&failed.reason).trim().to_owned();
                Self::no_display(display, &format!("it refuses ({reason})"))
            }
            ConnectError::SetupAuthenticate(failed) => {
                let reason = String::from_utf8_lossy(&failed.reason).trim().to_owned();
                Self::no_display(display, &format!("it wants other credentials ({reason})"))
            }
            other => Self::no_display(display, &other.to_string()),
        }
    }

    /// The same as a reason not to offer a tool.
    pub fn absent(self) -> Absent {
        let why = self.0.message.trim_end_matches('.').to_owned();
        let why = why.strip_prefix("The ").map_or(why.clone(), |rest| format!("the {rest}"));
        Absent::new(why, self.0.hint.unwrap_or_default())
    }
}

fn by_io(error: &io::Error) -> Trouble {
    Trouble(match error.kind() {
        ErrorKind::TimedOut => ToolError::new("display_stuck", "The display does not answer.")
            .hint("The X server is stopped, or busy with something else. Try again later."),
        ErrorKind::ConnectionAborted => ToolError::cancelled(),
        _ => ToolError::new("display_lost", format!("The connection to the display was lost: {error}."))
            .hint("The X server has ended. Try again once there is one."),
    })
}

impl From<ConnectionError> for Trouble {
    fn from(error: ConnectionError) -> Self {
        match error {
            ConnectionError::IoError(error) => by_io(&error),
            ConnectionError::UnsupportedExtension => Self(
                ToolError::new("display_cannot", "The display has not the extension that this takes.")
                    .hint("Use another X server: Xorg, Xvfb and Xwayland have it."),
            ),
            other => Self(ToolError::new(
                "display_lost",
                format!("The connection to the display was lost: {other}."),
            )),
        }
    }
}

impl From<ReplyError> for Trouble {
    fn from(error: ReplyError) -> Self {
        match error {
            ReplyError::ConnectionError(error) => error.into(),
            ReplyError::X11Error(error) => {
                let what = error.request_name.unwrap_or("a request");
                let message =
                    format!("The display refused {what}: {:?} ({:#x}).", error.error_kind, error.bad_value);
                Self(ToolError::new("display_refused", message).hint("What it was about may be gone by now."))
            }
        }
    }
}

impl From<ReplyOrIdError> for Trouble {
    fn from(error: ReplyOrIdError) -> Self {
        match error {
            ReplyOrIdError::ConnectionError(error) => error.into(),
            ReplyOrIdError::X11Error(error) => ReplyError::X11Error(error).into(),
            ReplyOrIdError::IdsExhausted => {
                Self(ToolError::new("display_refused", "The display has no ids left."))
            }
        }
    }
}

impl From<ToolError> for Trouble {
    fn from(error: ToolError) -> Self {
        Self(error)
    }
}

impl From<Trouble> for ToolError {
    fn from(trouble: Trouble) -> Self {
        trouble.0
    }
}

/// `None` where what was asked about is gone: windows come and go while one looks at them.
pub(super) fn if_there<T>(asked: Result<T, ReplyError>) -> Xr<Option<T>> {
    match asked {
        Ok(answer) => Ok(Some(answer)),
        Err(ReplyError::X11Error(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
