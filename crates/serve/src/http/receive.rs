//! A body on its way to the disk, piece by piece: never whole in memory, never more than was announced.

use std::{io, time::Duration};

use axum::body::Bytes;
use futures_util::{Stream, StreamExt};
use tokio::{fs::File, io::AsyncWriteExt};
use tokio_util::sync::CancellationToken;

use super::error::ApiError;

/// How long a sender may be silent.
const SILENCE: Duration = Duration::from_mins(1);

/// How much there may be.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// How much there is.
    pub from: u64,
    /// How much there may be in the end.
    pub to: u64,
}

/// Writes what comes to the end of the file, and returns how long the file is then. When the sender goes away, what
/// came stays; when there is too much, or the disk is full, the file is as it was before.
pub async fn receive<E: std::fmt::Display>(
    file: &mut File,
    room: Room,
    pieces: impl Stream<Item = Result<Bytes, E>>,
    ending: &CancellationToken,
) -> Result<u64, ApiError> {
    let mut pieces = std::pin::pin!(pieces);
    let mut at = room.from;
    let end = loop {
        let next = tokio::select! {
            next = tokio::time::timeout(SILENCE, pieces.next()) => next,
            () = ending.cancelled() => break Err(ApiError::new(
                axum::http::StatusCode::SERVICE_UNAVAILABLE, "ending", "the server is ending",
            )),
        };
        match next {
            Ok(None) => break Ok(()),
            Ok(Some(Ok(piece))) => {
                at += piece.len() as u64;
                if at > room.to {
                    take_back(file, room.from).await;
                    return Err(too_much(room.to));
                }
                if let Err(error) = file.write_all(&piece).await {
                    take_back(file, room.from).await;
                    return Err(cannot_write(&error));
                }
            }
            Ok(Some(Err(error))) => break Err(ApiError::invalid(format!("the body broke off: {error}"))),
            Err(_) => {
                let message = format!("nothing came for {} seconds", SILENCE.as_secs());
                break Err(ApiError::new(axum::http::StatusCode::REQUEST_TIMEOUT, "timed_out", message));
            }
        }
    };
    if let Err(error) = file.flush().await {
        take_back(file, room.from).await;
        return Err(cannot_write(&error));
    }
    end.map(|()| at)
}

pub fn too_much(most: u64) -> ApiError {
    ApiError::too_large(format!("more came than the {most} bytes that there may be"))
}

fn cannot_write(error: &io::Error) -> ApiError {
    ApiError::disk("write the upload", error)
}

async fn take_back(file: &mut File, to: u64) {
    // What was written before may still be on its way.
    let _ = file.flush().await;
    if let Err(error) = file.set_len(to).await {
        tracing::warn!(%error, "a part of an upload could not be taken back");
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    async fn received(
        room: Room,
        pieces: &[Result<&'static str, &'static str>],
    ) -> (Result<u64, u16>, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, &"0123456789"[..usize::try_from(room.from).unwrap()]).unwrap();
        let file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        let pieces = pieces.iter().map(|piece| piece.map(Bytes::from_static_str));
        let pieces: Vec<_> = pieces.collect();
        let came =
            receive(&mut File::from_std(file), room, stream::iter(pieces), &CancellationToken::new()).await;
        (came.map_err(|error| error.status.as_u16()), std::fs::read_to_string(path).unwrap())
    }

    trait FromStr {
        fn from_static_str(text: &'static str) -> Bytes;
    }

    impl FromStr for Bytes {
        fn from_static_str(text: &'static str) -> Bytes {
            Bytes::from_static(text.as_bytes())
        }
    }

    #[tokio::test]
    async fn what_came_stays_and_what_is_too_much_does_not() {
        for (from, pieces, wanted, left) in [
            (0, &[Ok("ab"), Ok("cd")][..], Ok(4), "abcd"),
            (2, &[Ok("cd")], Ok(4), "01cd"),
            (0, &[Ok("ab"), Err("gone")], Err(400), "ab"),
            (2, &[Ok("cd"), Ok("efg")], Err(413), "01"),
            (2, &[], Ok(2), "01"),
        ] {
            assert_eq!(received(Room { from, to: 6 }, pieces).await, (wanted, left.to_owned()), "{pieces:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_full_disk_is_said_in_words() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let pieces = stream::iter([Ok::<_, io::Error>(Bytes::from_static(b"x"))]);
        let room = Room { from: 0, to: 10 };
        let error =
            receive(&mut File::from_std(full), room, pieces, &CancellationToken::new()).await.unwrap_err();
        assert_eq!((error.status.as_u16(), error.body.code.as_str()), (507, "disk_full"));
        assert!(error.body.hint.is_some());
    }
}
