//! Where the web page of this data folder is, so that other processes can send a person there.

use std::{
    fs,
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    time::Duration,
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
}
