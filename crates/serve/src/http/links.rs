//! Links to files: whoever has one may fetch the file, once or for a time. They are kept in memory alone, by the hash
//! of their secret.

use std::{
    collections::HashMap,
    fs::File,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use deskhand_core::arguments::sha256_hex;
use deskhand_guard::Place;

use super::{error::ApiError, token::Token};

/// How many there are at most.
const MOST: usize = 1_000;

/// Where the file is.
#[derive(Clone, Debug)]
pub enum Source {
    /// Where the path policy lets everybody in these surroundings read.
    Place(Place),
    /// An upload or a kept output, whose path is our own.
    Own(PathBuf),
}

impl Source {
    /// Waits for the disk.
    pub fn open(&self) -> Result<File, ApiError> {
        match self {
            Self::Place(place) => place.open().map_err(|error| match error.code {
                "no_such_file" => ApiError::not_found(error.message),
                _ => ApiError::invalid(error.message),
            }),
            Self::Own(path) => File::open(path).map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => ApiError::not_found("the file is not kept any more"),
                _ => ApiError::disk("read the file", &error),
            }),
        }
    }
}

/// One link.
#[derive(Clone, Debug)]
pub struct Link {
    /// Who made it. `None`: the owner of this installation.
    pub owner: Option<String>,
    pub source: Source,
    pub name: String,
    pub mime: String,
    pub once: bool,
    pub until: Instant,
}

/// All links.
#[derive(Default)]
pub struct Links(Mutex<HashMap<String, Arc<Link>>>);

impl Links {
    fn kept(&self) -> MutexGuard<'_, HashMap<String, Arc<Link>>> {
        // Every single step leaves the map whole.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        kept.retain(|_, link| link.until > now);
        kept
    }

    /// Keeps a link, and returns its secret.
    pub fn add(&self, link: Link) -> Result<Token, ApiError> {
        let token = Token::random()
            .map_err(|error| ApiError::broken(format!("the system gives no random numbers: {error}")))?;
        let mut kept = self.kept();
        if kept.len() >= MOST {
            // Whoever makes many pushes out their own, before those of others.
            let soonest = kept.iter().min_by_key(|(_, one)| (one.owner != link.owner, one.until));
            if let Some(id) = soonest.map(|(id, _)| id.clone()) {
                kept.remove(&id);
            }
        }
        kept.insert(token.hash(), Arc::new(link));
        Ok(token)
    }

    pub fn find(&self, id: &str) -> Option<Arc<Link>> {
        self.kept().get(&sha256_hex(id.as_bytes())).cloned()
    }

    /// Uses a link for the whole file. `false` where it is used up already.
    pub fn use_whole(&self, id: &str) -> bool {
        let hash = sha256_hex(id.as_bytes());
        let mut kept = self.kept();
        match kept.get(&hash) {
            None => false,
            Some(link) if link.once => kept.remove(&hash).is_some(),
            Some(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn link(owner: Option<&str>, once: bool, lasts: Duration) -> Link {
        Link {
            owner: owner.map(str::to_owned),
            source: Source::Own("/nowhere".into()),
            name: "f".into(),
            mime: "text/plain".into(),
            once,
            until: Instant::now() + lasts,
        }
    }

    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn once_is_once_and_a_time_is_a_time() {
        let links = Links::default();
        let once = links.add(link(None, true, LONG)).unwrap();
        let timed = links.add(link(None, false, LONG)).unwrap();
        let over = links.add(link(None, false, Duration::ZERO)).unwrap();
        assert!(links.find(once.reveal()).is_some());
        assert!(links.use_whole(once.reveal()) && !links.use_whole(once.reveal()));
        assert!(links.find(once.reveal()).is_none());
        assert!(links.use_whole(timed.reveal()) && links.use_whole(timed.reveal()));
        assert!(links.find(over.reveal()).is_none());
        assert!(links.find(&timed.hash()).is_none(), "the hash is not the secret");
    }

    #[test]
    fn there_are_not_too_many_and_nobody_pushes_out_anothers() {
        let links = Links::default();
        let bobs = links.add(link(Some("bob"), false, Duration::from_secs(30))).unwrap();
        for _ in 0..MOST + 10 {
            links.add(link(None, false, LONG)).unwrap();
        }
        assert_eq!(links.kept().len(), MOST);
        assert!(links.find(bobs.reveal()).is_some());
    }
}
