//! Logs: on stderr, only what is asked for, and masked like everything else that leaves the program.

use std::io::{self, Write};

use deskhand_core::Screener;
use deskhand_guard::SecretScreener;
use tracing_subscriber::EnvFilter;

/// Warnings always, except of what clients of ours do wrong, which they are told themselves; more by `DESKHAND_LOG` (`debug`, `deskhand_store=trace`, …).
pub fn start() {
    let filter =
        EnvFilter::try_from_env("DESKHAND_LOG").unwrap_or_else(|_| EnvFilter::new("warn,rmcp=error"));
    let _ =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(|| Masking(io::stderr())).try_init();
}

/// Masks what is written through it. The subscriber writes each record in one piece.
struct Masking<W: Write>(W);

impl<W: Write> Write for Masking<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let masked = SecretScreener.mask_text(&String::from_utf8_lossy(bytes));
        self.0.write_all(masked.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn no_secret_reaches_a_log() {
        let secret = format!("AKIA{}", "QWERTYUIOPASDFGH");
        let log = Shared::default();
        let kept = log.clone();
        let subscriber = tracing_subscriber::fmt().with_writer(move || Masking(kept.clone())).finish();
        tracing::subscriber::with_default(
            subscriber,
            || tracing::warn!(key = %secret, "cannot use {secret}"),
        );
        let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        assert!(text.contains("cannot use") && !text.contains(&secret), "{text}");
    }
}
