//! Why a model did not answer, in classes that decide what is done about it.

use std::{fmt, time::Duration};

use super::problem::Problem;

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// 401, 403: the key is missing, wrong or not allowed to. Never retried with the same key.
    Auth,
    /// 404, or a server's word that it does not have the model. Never retried.
    NoSuchModel,
    /// 400 and other 4xx: the request is wrong. Never retried.
    BadRequest,
    /// The request is longer than the model's context. Not retried as it is; compaction may help.
    TooLong,
    /// The server says that this model takes no tools. The text protocol is used instead.
    NoTools,
    /// 402, or 429 that says that the money is used up. Never retried with the same key.
    NoCredit,
    /// 429: too many requests. Retried after a while.
    RateLimited,
    /// 5xx, or an error inside the stream that says as much. Retried.
    Server,
    /// No connection, or it broke off. Retried.
    Network,
    /// Nothing came for too long. Retried.
    Silent,
    /// What came is not what it should be. Not retried: the same would come again.
    Malformed,
    Cancelled,
}

impl ErrorClass {
    pub fn is_retried(self) -> bool {
        matches!(self, Self::RateLimited | Self::Server | Self::Network | Self::Silent)
    }

    pub const ALL: [Self; 12] = [
        Self::Auth,
        Self::NoSuchModel,
        Self::BadRequest,
        Self::TooLong,
        Self::NoTools,
        Self::NoCredit,
        Self::RateLimited,
        Self::Server,
        Self::Network,
        Self::Silent,
        Self::Malformed,
        Self::Cancelled,
    ];

    /// The class of that name, as [`Self::as_str`] gives it.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.as_str() == name)
    }

    /// For programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::NoSuchModel => "no_such_model",
            Self::BadRequest => "bad_request",
            Self::TooLong => "too_long",
            Self::NoTools => "no_tools",
            Self::NoCredit => "no_credit",
            Self::RateLimited => "rate_limited",
            Self::Server => "server",
            Self::Network => "network",
            Self::Silent => "silent",
            Self::Malformed => "malformed",
            Self::Cancelled => "cancelled",
        }
    }
}

#[cfg(test)]
#[test]
fn every_class_is_found_by_its_name() {
    for class in ErrorClass::ALL {
        assert_eq!(ErrorClass::parse(class.as_str()), Some(class));
    }
    assert_eq!(ErrorClass::parse("bad luck"), None);
}

/// A model did not answer, or not with something that can be used.
#[derive(Clone, Debug, thiserror::Error)]
pub struct ProviderError {
    pub class: ErrorClass,
    /// What went wrong, with the server's own words. Keys are masked.
    pub message: String,
    /// The server's own words alone, masked. `None`: it said nothing, or was not reached.
    pub said: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
    /// What to fix, where that is finer than the class: [`Self::problem`].
    pub(crate) problem: Option<Problem>,
    /// It names a place of this machine, or a server that its owner chose, so only the owner of the installation may
    /// see it: [`Self::for_others`].
    pub(crate) names_place: bool,
    pub status: Option<u16>,
    /// When the server wants to be asked again.
    pub retry_after: Option<Duration>,
    /// Whether anything of the answer had been passed on.
    pub partly_answered: bool,
}

impl ProviderError {
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Self {
        Self {
            class,
            message: message.into(),
            said: None,
            hint: None,
            problem: None,
            names_place: false,
            status: None,
            retry_after: None,
            partly_answered: false,
        }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn because(mut self, problem: Problem) -> Self {
        self.problem = Some(problem);
        self
    }

    /// Only the owner of the installation may see it as it is.
    #[must_use]
    pub(crate) fn naming_place(mut self) -> Self {
        self.names_place = true;
        self
    }

    /// What to fix.
    pub fn problem(&self) -> Problem {
        self.problem.unwrap_or(self.class.into())
    }

    /// As users other than the owner of this installation may see it: without places of this machine and addresses
    /// that its owner set.
    #[must_use]
    pub fn for_others(self) -> Self {
        if !self.names_place {
            return self;
        }
        let (message, hint) = match self.class {
            ErrorClass::RateLimited => {
                ("The model's server limits requests.", "Wait a while, then try again.")
            }
            ErrorClass::Server | ErrorClass::Network | ErrorClass::Silent => (
                "The model's server does not answer.",
                "Try again later, or ask the owner of this installation.",
            ),
            ErrorClass::TooLong => {
                ("The conversation is longer than the model takes.", "Shorten it, or use another model.")
            }
            ErrorClass::Cancelled => ("The request was cancelled.", "Try again."),
            _ => ("This model is not set up correctly on the server.", "Ask the owner of this installation."),
        };
        Self {
            message: message.to_owned(),
            said: None,
            hint: Some(hint.to_owned()),
            names_place: false,
            ..self
        }
    }
}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, " {hint}")?;
        }
        Ok(())
    }
}
