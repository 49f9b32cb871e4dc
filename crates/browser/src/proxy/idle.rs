//! A stream that knows whether anything passes through it.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

/// Counts what is read and written.
pub struct Watched {
    stream: TcpStream,
    passed: Arc<AtomicU64>,
}

/// What has passed, seen from outside.
pub struct Activity(Arc<AtomicU64>);

impl Watched {
    pub fn new(stream: TcpStream) -> (Self, Activity) {
        let passed = Arc::new(AtomicU64::new(0));
        (Self { stream, passed: Arc::clone(&passed) }, Activity(passed))
    }
}

impl Activity {
    /// Ends when nothing has passed for at least so long.
    pub async fn until_idle_for(&self, time: Duration) {
        loop {
            let before = self.0.load(Ordering::Relaxed);
            tokio::time::sleep(time).await;
            if self.0.load(Ordering::Relaxed) == before {
                return;
            }
        }
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_read(cx, into);
        if polled.is_ready() {
            self.passed.fetch_add(1, Ordering::Relaxed);
        }
        polled
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if polled.is_ready() {
            self.passed.fetch_add(1, Ordering::Relaxed);
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
