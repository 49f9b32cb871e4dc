//! Who a request is from.

use aide::OperationInput;
use axum::{extract::FromRequestParts, http::request::Parts};

use deskhand_core::Desktop;

use super::error::ApiError;

/// The one who asks, as the door let them in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// `None`: the owner of this installation.
    pub user: Option<String>,
    /// Whether they sit at this machine.
    pub here: bool,
}

impl Person {
    pub fn is_owner(&self) -> bool {
        self.user.is_none()
    }

    /// Who decided, as it stands in the audit.
    pub fn surface(&self) -> String {
        match &self.user {
            None => "person:web".to_owned(),
            Some(name) => format!("person:web:{name}"),
        }
    }

    /// Who calls, as it stands in the audit.
    pub fn caller(&self) -> String {
        match &self.user {
            None => "http".to_owned(),
            Some(name) => format!("http:{name}"),
        }
    }

    /// The session of the calls that belong to no conversation.
    pub fn console(&self) -> String {
        match &self.user {
            None => "web-console".to_owned(),
            Some(name) => format!("web-console-{name}"),
        }
    }

    /// The desktop is that of the machine and of its owner: others may look at its windows, no more.
    pub fn desktop(&self) -> Desktop {
        let away = |reason: &str| Desktop::Away { reason: reason.to_owned() };
        match (&self.user, self.here) {
            (Some(_), _) => {
                away("The desktop here is that of the owner of this installation, and you are another user.")
            }
            (None, false) => away("You are at another machine than the one whose desktop this is."),
            (None, true) => Desktop::Here,
        }
    }

    /// A model that they name. Files as models are read with the rights of the server: that is for the owner alone.
    pub fn may_name(&self, model: Option<String>) -> Result<Option<String>, ApiError> {
        let Some(model) = model.filter(|model| !model.trim().is_empty()) else { return Ok(None) };
        let provider = model.trim().split('/').next().unwrap_or_default();
        if !self.is_owner() && matches!(provider, "scripted" | "replay") {
            return Err(ApiError::forbidden(
                "owner_only",
                format!("{provider}/… is for the owner of this installation alone"),
            ));
        }
        Ok(Some(model))
    }

    /// The name of a model as they may see it: that of a file is a path of the owner's.
    pub fn shown_model(&self, model: String) -> String {
        match model.split_once('/') {
            Some((provider @ ("scripted" | "replay"), _)) if !self.is_owner() => provider.to_owned(),
            _ => model,
        }
    }

    /// An error for all who do not sit at this machine: somebody with a stolen link gets no further.
    pub fn must_be_here(&self, what: &str, hint: &str) -> Result<(), ApiError> {
        if self.here {
            return Ok(());
        }
        Err(ApiError::forbidden("not_from_elsewhere", format!("{what} only at the machine itself"))
            .hint(hint))
    }

    /// An error for all but the owner.
    pub fn must_be_owner(&self, what: &str) -> Result<(), ApiError> {
        if self.is_owner() {
            return Ok(());
        }
        Err(ApiError::forbidden("owner_only", format!("{what} is for the owner of this installation alone")))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Person {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        // The door puts them there; a route that it does not guard must not ask for one.
        parts.extensions.get::<Self>().cloned().ok_or_else(|| ApiError::broken("nobody was let in"))
    }
}

impl OperationInput for Person {}
