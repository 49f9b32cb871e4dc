//! Links to files: whoever has one may fetch the file, once or for a time. They are kept in memory alone, by the hash
//! of their secret.

use std::{
    collections::HashMap,
    fs::File,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use deskhand_core::arguments::sha256_hex;
use deskhand_guard::Place;

use super::{error::ApiError, token::Token};

/// How many there are at most.
const MOST: usize = 1_000;
/// How long after its first use a link for one download can be used to get the rest of it.
const TIME_FOR_THE_REST: Duration = Duration::from_mins(1);

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

/// A link, and how far it is used.
struct Kept {
    link: Arc<Link>,
    used: Arc<Mutex<Used>>,
}

/// What was handed out by a link.
#[derive(Default)]
struct Used {
    first: Option<Instant>,
    /// Bytes, those under way included.
    handed_out: u64,
    /// How large the file was then.
    of: u64,
}

impl Kept {
    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether its time is over.
    fn is_over(&self, now: Instant) -> bool {
        let ends_early = self.used().first.filter(|_| self.link.once).map(|first| first + TIME_FOR_THE_REST);
        ends_early.is_some_and(|end| end <= now) || self.link.until <= now
    }

    fn is_used_up(&self) -> bool {
        let used = self.used();
        self.link.once && used.first.is_some() && used.handed_out >= used.of
    }
}

/// Bytes that are on their way by a link. What of them was not sent when this goes does not count.
pub struct HandingOut {
    used: Arc<Mutex<Used>>,
    unsent: u64,
}

impl HandingOut {
    pub fn sent(&mut self, bytes: usize) {
        self.unsent = self.unsent.saturating_sub(bytes as u64);
    }
}

impl Drop for HandingOut {
    fn drop(&mut self) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.handed_out = used.handed_out.saturating_sub(self.unsent);
    }
}

/// All links.
#[derive(Default)]
pub struct Links(Mutex<HashMap<String, Kept>>);

impl Links {
    fn kept(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        // Every single step leaves the map whole.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        kept.retain(|_, one| !one.is_over(now));
        kept
    }

    /// Keeps a link, and returns its secret.
    pub fn add(&self, link: Link) -> Result<Token, ApiError> {
        let token = Token::random()
            .map_err(|error| ApiError::broken(format!("the system gives no random numbers: {error}")))?;
        let mut kept = self.kept();
        if kept.len() >= MOST {
            // Whoever makes many pushes out their own, before those of others.
            let soonest = kept.iter().min_by_key(|(_, one)| (one.link.owner != link.owner, one.link.until));
            if let Some(id) = soonest.map(|(id, _)| id.clone()) {
                kept.remove(&id);
            }
        }
        kept.insert(token.hash(), Kept { link: Arc::new(link), used: Arc::default() });
        Ok(token)
    }

    /// A link that is not used up.
    pub fn find(&self, id: &str) -> Option<Arc<Link>> {
        let kept = self.kept();
        let found = kept.get(&sha256_hex(id.as_bytes())).filter(|one| !one.is_used_up())?;
        Some(Arc::clone(&found.link))
    }

    /// Uses a link for so many bytes of a file. `None` where it is used up already. One for a single download is used
    /// up when as many bytes are handed out, or on their way, as the file has: in one piece or in several.
    pub fn hand_out(&self, id: &str, bytes: u64, of: u64) -> Option<HandingOut> {
        let kept = self.kept();
        let found = kept.get(&sha256_hex(id.as_bytes())).filter(|one| !one.is_used_up())?;
        let mut used = found.used();
        used.first.get_or_insert_with(Instant::now);
        used.handed_out = used.handed_out.saturating_add(bytes);
        used.of = of;
        Some(HandingOut { used: Arc::clone(&found.used), unsent: bytes })
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
        hand_out(&links, &once, 10, 10).unwrap();
        assert!(hand_out(&links, &once, 10, 10).is_none() && links.find(once.reveal()).is_none());
        hand_out(&links, &timed, 10, 10).unwrap();
        hand_out(&links, &timed, 10, 10).unwrap();
        assert!(links.find(over.reveal()).is_none());
        assert!(links.find(&timed.hash()).is_none(), "the hash is not the secret");
    }

    /// Hands so much out, to the last byte.
    fn hand_out(links: &Links, link: &Token, bytes: usize, of: u64) -> Option<()> {
        links.hand_out(link.reveal(), bytes as u64, of)?.sent(bytes);
        Some(())
    }

    #[test]
    fn what_was_handed_out_in_all_counts_and_what_was_cut_off_does_not() {
        let links = Links::default();
        let once = links.add(link(None, true, LONG)).unwrap();
        hand_out(&links, &once, 4, 10).unwrap();
        hand_out(&links, &once, 6, 10).unwrap();
        assert!(links.find(once.reveal()).is_none(), "in pieces");

        let once = links.add(link(None, true, LONG)).unwrap();
        let mut whole = links.hand_out(once.reveal(), 10, 10).unwrap();
        assert!(links.hand_out(once.reveal(), 10, 10).is_none(), "two at the same time");
        whole.sent(4);
        drop(whole);
        assert!(links.find(once.reveal()).is_some(), "it was cut off");
        hand_out(&links, &once, 6, 10).unwrap();
        assert!(links.find(once.reveal()).is_none(), "that was the rest");

        let empty = links.add(link(None, true, LONG)).unwrap();
        hand_out(&links, &empty, 0, 0).unwrap();
        assert!(links.find(empty.reveal()).is_none(), "of an empty file");
    }

    #[test]
    fn the_rest_must_be_fetched_soon() {
        for (once, is_over) in [(true, true), (false, false)] {
            let links = Links::default();
            let used = links.add(link(None, once, 10 * LONG)).unwrap();
            let is_over_soon = || {
                let soon = Instant::now() + TIME_FOR_THE_REST;
                links.kept().values().any(|one| one.is_over(soon))
            };
            assert!(!is_over_soon(), "it is not used yet");
            hand_out(&links, &used, 1, 10).unwrap();
            assert_eq!(is_over_soon(), is_over, "once: {once}");
        }
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
