//! What is wrong with a model, as a person who sets it up can act on it.
//!
//! [`ErrorClass`] decides what the program does next. A [`Problem`] is finer: it tells a closed port from a name that
//! does not exist. Surfaces have their own words for each.

use schemars::JsonSchema;
use serde::Serialize;

use super::ErrorClass;

/// What to fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Problem {
    /// The address cannot be read, is missing, or may not be used.
    BadAddress,
    /// The host is there and nothing listens on the port.
    NoServer,
    /// The name of the host leads nowhere.
    NameNotFound,
    /// The host cannot be reached from here, or no name can be looked up.
    NoNetwork,
    /// No secure connection: the certificate is not trusted, or the server speaks plain HTTP.
    Tls,
    /// The server took the connection, or should have, and said nothing in time.
    TimedOut,
    /// The connection was closed before an answer was whole.
    BrokeOff,
    /// Something answers that is no such API: a web page, another JSON, no such path.
    NotCompatible,
    /// The server sends requests to another address.
    Moved,
    NoKey,
    WrongKey,
    /// 403 that is not about the key: the account, the model or the place is not allowed.
    NotAllowed,
    /// The stored key was entered for another address, so it was not sent.
    KeyHeldBack,
    NoCredit,
    RateLimited,
    NoSuchModel,
    /// The server has no model at all.
    NoModels,
    /// The server failed by itself.
    ServerError,
    /// The server answered with a status that says no, and none of the above.
    Refused,
    /// It failed here, before anything was sent or after it was answered.
    Other,
}

impl Problem {
    /// For programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BadAddress => "bad_address",
            Self::NoServer => "no_server",
            Self::NameNotFound => "name_not_found",
            Self::NoNetwork => "no_network",
            Self::Tls => "tls",
            Self::TimedOut => "timed_out",
            Self::BrokeOff => "broke_off",
            Self::NotCompatible => "not_compatible",
            Self::Moved => "moved",
            Self::NoKey => "no_key",
            Self::WrongKey => "wrong_key",
            Self::NotAllowed => "not_allowed",
            Self::KeyHeldBack => "key_held_back",
            Self::NoCredit => "no_credit",
            Self::RateLimited => "rate_limited",
            Self::NoSuchModel => "no_such_model",
            Self::NoModels => "no_models",
            Self::ServerError => "server_error",
            Self::Refused => "refused",
            Self::Other => "other",
        }
    }
}

/// As much as the class alone says.
impl From<ErrorClass> for Problem {
    fn from(class: ErrorClass) -> Self {
        match class {
            ErrorClass::Auth => Self::WrongKey,
            ErrorClass::NoSuchModel => Self::NoSuchModel,
            ErrorClass::NoCredit => Self::NoCredit,
            ErrorClass::RateLimited => Self::RateLimited,
            ErrorClass::Server => Self::ServerError,
            ErrorClass::Network => Self::NoNetwork,
            ErrorClass::Silent => Self::TimedOut,
            ErrorClass::Malformed => Self::NotCompatible,
            ErrorClass::BadRequest | ErrorClass::TooLong | ErrorClass::NoTools | ErrorClass::Cancelled => {
                Self::Other
            }
        }
    }
}
