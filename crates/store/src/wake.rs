//! Waking a process that waits for an answer given in another one.
//!
//! One of those who wait in a process binds a datagram socket in the `wake` folder; whoever settles something sends a
//! byte to every socket there. It only shortens a wait: that one also looks from time to time, so that a lost
//! byte, a path too long for a socket, or a system without such sockets costs a quarter of a second.

use std::path::Path;

#[cfg(unix)]
pub(crate) use unix::{WakeSocket, wake_all};

#[cfg(unix)]
mod unix {
    use std::{
        fs, io,
        os::unix::net::UnixDatagram as Sender,
        path::PathBuf,
        sync::atomic::{AtomicU32, Ordering},
    };

    use tokio::net::UnixDatagram;

    use super::Path;

    /// Something to be woken by. Its file goes when it does.
    pub(crate) struct WakeSocket(Option<(UnixDatagram, PathBuf)>);

    impl WakeSocket {
        /// Binds a socket in `folder`. Where that is not possible, `woken` never comes.
        pub fn bind(folder: &Path) -> Self {
            let bound = Self::try_bind(folder);
            if let Err(error) = &bound {
                tracing::debug!(%error, folder = %folder.display(), "no socket to be woken by");
            }
            Self(bound.ok())
        }

        fn try_bind(folder: &Path) -> io::Result<(UnixDatagram, PathBuf)> {
            static NEXT: AtomicU32 = AtomicU32::new(0);
            crate::folder::create_private(folder)?;
            // Short, since the whole path must fit into about a hundred bytes. In another container the same
            // process id may be taken, hence the tries.
            for _ in 0..16 {
                let number = NEXT.fetch_add(1, Ordering::Relaxed);
                let path = folder.join(format!("{:x}.{number:x}", std::process::id()));
                match UnixDatagram::bind(&path) {
                    Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
                    other => return Ok((other?, path)),
                }
            }
            Err(io::ErrorKind::AddrInUse.into())
        }

        /// Returns when somebody has settled something.
        pub async fn woken(&self) {
            let mut byte = [0];
            match &self.0 {
                Some((socket, _)) if socket.recv(&mut byte).await.is_ok() => {
                    while socket.try_recv(&mut byte).is_ok() {}
                }
                _ => std::future::pending().await,
            }
        }
    }

    impl Drop for WakeSocket {
        fn drop(&mut self) {
            if let Some((_, path)) = &self.0 {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Wakes everybody. Sockets whose process is gone are removed.
    pub(crate) fn wake_all(folder: &Path) {
        let (Ok(entries), Ok(sender)) = (fs::read_dir(folder), Sender::unbound()) else { return };
        // One that does not read has been woken before, and will look.
        if sender.set_nonblocking(true).is_err() {
            return;
        }
        for path in entries.flatten().map(|entry| entry.path()) {
            let sent = sender.send_to(b"!", &path);
            if sent.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

#[cfg(not(unix))]
pub(crate) struct WakeSocket;

#[cfg(not(unix))]
impl WakeSocket {
    pub fn bind(_: &Path) -> Self {
        Self
    }

    pub async fn woken(&self) {
        std::future::pending().await
    }
}

#[cfg(not(unix))]
pub(crate) fn wake_all(_: &Path) {}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, path::PathBuf, time::Duration};

    use super::*;

    fn names(folder: &Path) -> Vec<PathBuf> {
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    }

    #[tokio::test]
    async fn every_waiting_one_is_woken_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let wake = folder.path().join("wake");
        wake_all(&wake);
        let (first, second) = (WakeSocket::bind(&wake), WakeSocket::bind(&wake));
        assert_eq!(names(&wake).len(), 2);
        wake_all(&wake);
        wake_all(&wake);
        first.woken().await;
        second.woken().await;
        drop((first, second));
        assert!(names(&wake).is_empty());
    }

    #[tokio::test]
    async fn dead_sockets_are_cleared_away() {
        let folder = tempfile::tempdir().unwrap();
        let dead = folder.path().join("dead");
        drop(std::os::unix::net::UnixDatagram::bind(&dead).unwrap());
        let live = WakeSocket::bind(folder.path());
        assert_eq!(names(folder.path()).len(), 2);
        wake_all(folder.path());
        live.woken().await;
        assert!(!dead.exists());
        assert_eq!(names(folder.path()).len(), 1);
    }

    #[tokio::test]
    async fn a_path_too_long_for_a_socket_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("x".repeat(120));
        let socket = WakeSocket::bind(&deep);
        wake_all(&deep);
        assert!(tokio::time::timeout(Duration::from_millis(20), socket.woken()).await.is_err());
    }
}
