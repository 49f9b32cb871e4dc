//! Where the web page of this data folder is, so that other processes can send a person there.

use std::{
    fs,
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use crate::private_file;

/// Nobody waits longer than this to learn that there is no page.
const LOOKS_FOR: Duration = Duration::from_millis(200);

#[derive(Deserialize, Serialize)]
struct Address {
    /// Without the token.
    url: String,
    listens: SocketAddr,
}

/// Written down for as long as the server runs.
pub struct Announced(PathBuf);

impl Drop for Announced {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn file(data_dir: &Path) -> PathBuf {
    data_dir.join("page.json")
}

pub fn announce(data_dir: &Path, url: &str, listens: SocketAddr) -> Announced {
    let file = file(data_dir);
    let text = serde_json::to_string(&Address { url: url.to_owned(), listens }).unwrap_or_default();
    if let Err(error) = private_file::write(&file, &text) {
        tracing::warn!(%error, "other processes will not know where the page is");
    }
    Announced(file)
}

/// The address of the page, if its server still answers.
pub fn find(data_dir: &Path) -> Option<String> {
    let text = fs::read_to_string(file(data_dir)).ok()?;
    let Address { url, listens } = serde_json::from_str(&text).ok()?;
    // A server that was killed left the file behind.
    TcpStream::connect_timeout(&listens, LOOKS_FOR).ok().map(|_| url)
}

/// What is known of the page, without waiting for it: it is looked for again now and then, on a thread for what waits.
pub struct PageLookout(Arc<Known>);

struct Known {
    data_dir: PathBuf,
    seen: Mutex<Seen>,
    is_looking: AtomicBool,
}

#[derive(Clone)]
struct Seen {
    url: Option<String>,
    at: Instant,
}

/// How long what was seen is taken to be so.
const HOLDS_FOR: Duration = Duration::from_secs(3);

impl PageLookout {
    /// Looks once, which may take a moment.
    pub fn new(data_dir: PathBuf) -> Self {
        let seen = Mutex::new(Seen { url: find(&data_dir), at: Instant::now() });
        Self(Arc::new(Known { data_dir, seen, is_looking: AtomicBool::new(false) }))
    }

    /// The address as it was seen last.
    pub fn now(&self) -> Option<String> {
        let Seen { url, at } = self.0.seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if at.elapsed() >= HOLDS_FOR && !self.0.is_looking.swap(true, Ordering::SeqCst) {
            let known = Arc::clone(&self.0);
            // It ends by itself, in a fraction of a second.
            tokio::task::spawn_blocking(move || {
                let seen = Seen { url: find(&known.data_dir), at: Instant::now() };
                *known.seen.lock().unwrap_or_else(PoisonError::into_inner) = seen;
                known.is_looking.store(false, Ordering::SeqCst);
            });
        }
        url
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_page_is_found_while_it_is_there() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(find(folder.path()), None);
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let listens = server.local_addr().unwrap();
        let announced = announce(folder.path(), "http://127.0.0.1:1", listens);
        assert_eq!(find(folder.path()).as_deref(), Some("http://127.0.0.1:1"));
        drop(announced);
        assert_eq!(find(folder.path()), None);
        let left_behind = announce(folder.path(), "http://127.0.0.1:1", listens);
        drop(server);
        assert_eq!(find(folder.path()), None, "nobody listens any more");
        drop(left_behind);
    }

    #[tokio::test]
    async fn however_often_one_asks_the_page_is_looked_for_once_in_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        server.set_nonblocking(true).unwrap();
        let _announced = announce(folder.path(), "http://127.0.0.1:1", server.local_addr().unwrap());
        let lookout = PageLookout::new(folder.path().to_path_buf());
        server.accept().unwrap();
        // As if it had been seen long ago.
        let long_ago = Instant::now().checked_sub(HOLDS_FOR).unwrap();
        lookout.0.seen.lock().unwrap().at = long_ago;
        for _ in 0..20 {
            assert_eq!(lookout.now().as_deref(), Some("http://127.0.0.1:1"));
        }
        while lookout.0.is_looking.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        server.accept().unwrap();
        assert!(server.accept().is_err(), "it was looked for once more, and not with every question");
    }
}
