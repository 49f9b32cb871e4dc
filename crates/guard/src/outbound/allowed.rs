//! The private hosts that a person has said yes to, for as long as whoever asked lives.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use deskhand_core::Permission;

use super::verdict::Verdict;

/// Host and port, in normal form. Only a call that was approved adds to it.
#[derive(Debug, Default)]
pub struct Allowed(Mutex<HashSet<(String, u16)>>);

impl Allowed {
    /// Takes in what an approved plan named, where it said that this is private. A yes to a public name is none to the
    /// private address that it may lead to later.
    pub fn approve(&self, verdict: &Verdict) {
        if verdict.permission == Permission::Sensitive
            && let (Some(host), Some(port)) = (&verdict.host, verdict.port)
        {
            self.hosts().insert((host.clone(), port));
        }
    }

    pub(super) fn has(&self, host: &str, port: u16) -> bool {
        self.hosts().contains(&(host.to_owned(), port))
    }

    fn hosts(&self) -> MutexGuard<'_, HashSet<(String, u16)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
