//! What did not get through, so that a tool can say why a page is not there.

use std::{
    collections::VecDeque,
    io,
    sync::{Mutex, MutexGuard, PoisonError},
};

use deskhand_guard::outbound::{ConnectError, Refused};

/// How many are remembered.
const MOST: usize = 200;

/// How many refusals are told at once.
const MOST_TOLD: usize = 10;
/// What a browser says of a connection that was refused: of one in the clear, and of a tunnel.
const OF_REFUSED: &[&str] = &[
    "net::ERR_EMPTY_RESPONSE",
    "net::ERR_CONNECTION_CLOSED",
    "net::ERR_CONNECTION_RESET",
    "net::ERR_TUNNEL_CONNECTION_FAILED",
    "net::ERR_PROXY_CONNECTION_FAILED",
];

/// A connection that was not made.
#[derive(Clone, Debug)]
pub struct Failure {
    pub host: String,
    pub port: u16,
    pub why: Why,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    Refused(Refused),
    NoSuchHost,
    Failed(io::ErrorKind),
}

/// The latest of them.
#[derive(Debug, Default)]
pub struct Log(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    /// How many there were before the first that is kept.
    gone: u64,
    kept: VecDeque<(Failure, Told)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Yes,
    No,
}

impl Log {
    pub(super) fn add(&self, host: &str, port: u16, error: &ConnectError) {
        let why = match error {
            ConnectError::Refused(refused) => Why::Refused(refused.clone()),
            ConnectError::NoSuchHost(_) => Why::NoSuchHost,
            ConnectError::Failed { error, .. } => Why::Failed(error.kind()),
        };
        tracing::debug!(host, port, %error, "a browser's connection was not made");
        let host = plain(host);
        let mut entries = self.entries();
        // Told once for each host; and what is only not there, a page finds out by itself.
        let refused = matches!(why, Why::Refused(_));
        let known = entries.kept.iter().any(|(known, _)| known.why == why && known.host == host);
        let told = if refused && !known { Told::No } else { Told::Yes };
        if entries.kept.len() == MOST {
            entries.kept.pop_front();
            entries.gone += 1;
        }
        entries.kept.push_back((Failure { host, port, why }, told));
    }

    /// How many there were so far.
    pub fn mark(&self) -> u64 {
        let entries = self.entries();
        entries.gone + entries.kept.len() as u64
    }

    /// Why a page was not reached: what failed since the mark at this host, or else, where what the browser says of it
    /// (`code`) is said of such, the last that was refused: it was led there.
    pub fn why_since(&self, mark: u64, host: &str, code: &str) -> Option<Why> {
        let (host, may_be_refused) = (plain(host), OF_REFUSED.contains(&code));
        let mut entries = self.entries();
        let skip = usize::try_from(mark.saturating_sub(entries.gone)).unwrap_or(usize::MAX);
        let since = entries.kept.iter_mut().skip(skip);
        let mut fitting: Vec<_> = since
            .filter(|(f, _)| f.host == host || (may_be_refused && matches!(f.why, Why::Refused(_))))
            .collect();
        fitting.sort_by_key(|(failure, _)| failure.host == host);
        let (failure, told) = fitting.pop()?;
        *told = Told::Yes;
        Some(failure.why.clone())
    }

    /// What was refused and has not been told yet: the first of them, and how many more there are.
    pub fn untold(&self) -> (Vec<Refused>, usize) {
        let mut entries = self.entries();
        let untold = entries.kept.iter_mut().filter(|(_, told)| *told == Told::No);
        let refused = untold.filter_map(|(failure, told)| {
            *told = Told::Yes;
            if let Why::Refused(refused) = &failure.why { Some(refused.clone()) } else { None }
        });
        let mut refused: Vec<Refused> = refused.collect();
        let more = refused.len().saturating_sub(MOST_TOLD);
        refused.truncate(MOST_TOLD);
        (refused, more)
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A host as it is compared.
fn plain(host: &str) -> String {
    host.trim_matches(['[', ']']).to_ascii_lowercase()
}

impl Why {
    /// In words, for an error.
    pub fn words(&self) -> String {
        match self {
            Self::Refused(refused) => refused.to_string(),
            Self::NoSuchHost => "there is no host of that name".to_owned(),
            Self::Failed(io::ErrorKind::ConnectionRefused) => "nothing answers at that port".to_owned(),
            Self::Failed(io::ErrorKind::TimedOut) => "it does not answer".to_owned(),
            Self::Failed(io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable) => {
                "there is no way to it".to_owned()
            }
            Self::Failed(kind) => kind.to_string(),
        }
    }
}
