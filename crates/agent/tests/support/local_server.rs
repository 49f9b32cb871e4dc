//! A real model behind a real server that is not ours, started for a test and ended with it.
//!
//! `scripts/local-model.sh` installs both. A test of another crate takes this file in with `#[path]`.

use std::{
    env,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

pub struct LocalServer {
    /// `http://127.0.0.1:PORT`
    pub address: String,
    child: Child,
}

impl LocalServer {
    /// `None`, with a word on why, where it is not installed.
    pub fn start(context_tokens: u32) -> Option<Self> {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let place = env::var_os("DESKHAND_LOCAL_MODEL")
            .map_or_else(|| project.join(".tools/local-model"), PathBuf::from);
        if !place.join("ready").is_file() {
            deskhand_testkit::skip("there is no local model here; scripts/local-model.sh installs it");
            return None;
        }
        let mut child = Command::new(place.join("venv/bin/python"))
            .arg(project.join("scripts/local-model-serve.py"))
            .arg(place.join("model.gguf"))
            .arg(context_tokens.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let server = Self { address: address.trim().to_owned(), child };
        let began = Instant::now();
        while !server.is_healthy() {
            assert!(
                began.elapsed() < Duration::from_mins(1),
                "the server at «{}» does not get ready",
                server.address
            );
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(server)
    }

    pub fn base_url(&self) -> String {
        format!("{}/v1", self.address)
    }

    /// `/health` says 503 while the model is loaded.
    fn is_healthy(&self) -> bool {
        let host = self.address.trim_start_matches("http://");
        let Ok(mut stream) = TcpStream::connect(host) else { return false };
        let request = format!("GET /health HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        let mut status = [0; 12];
        let asked = stream
            .set_read_timeout(Some(Duration::from_secs(5)))
            .and_then(|()| stream.write_all(request.as_bytes()))
            .and_then(|()| stream.read_exact(&mut status));
        asked.is_ok() && &status == b"HTTP/1.1 200"
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
