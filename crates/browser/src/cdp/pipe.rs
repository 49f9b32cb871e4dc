//! Over two pipes, a NUL byte after each message: `--remote-debugging-pipe`.

use std::io;

use futures_util::{FutureExt, future::BoxFuture};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::transport::{Deliver, Frame, HEAD, MOST_BYTES, Receive, Transport};

const PIECE: usize = 64 * 1024;

/// A transport that reads from one stream and writes to the other.
pub fn over_pipes(
    from: impl AsyncRead + Unpin + Send + 'static,
    to: impl AsyncWrite + Unpin + Send + 'static,
) -> Transport {
    let receive = Reader {
        from,
        piece: vec![0; PIECE],
        filled: 0,
        used: 0,
        message: Vec::new(),
        size: 0,
        most: MOST_BYTES,
    };
    Transport { receive: Box::new(receive), send: Box::new(Writer(to)) }
}

struct Reader<R> {
    from: R,
    /// What was read last, of which the bytes from `used` to `filled` are still to be looked at.
    piece: Vec<u8>,
    filled: usize,
    used: usize,
    /// The message so far; of one that gets too long only the head.
    message: Vec<u8>,
    size: usize,
    most: usize,
}

impl<R: AsyncRead + Unpin + Send> Reader<R> {
    /// Safe to drop at any await: what was read stays in the reader.
    async fn read(&mut self) -> io::Result<Option<Frame>> {
        loop {
            let rest = &self.piece[self.used..self.filled];
            if let Some(end) = rest.iter().position(|byte| *byte == 0) {
                take(&mut self.message, &mut self.size, &rest[..end], self.most);
                self.used += end + 1;
                return Ok(Some(self.finish()));
            }
            take(&mut self.message, &mut self.size, rest, self.most);
            (self.used, self.filled) = (0, 0);
            match self.from.read(&mut self.piece).await? {
                0 if self.size == 0 => return Ok(None),
                0 => {
                    return Err(io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        "it ended in the middle of a message",
                    ));
                }
                read => self.filled = read,
            }
        }
    }

    fn finish(&mut self) -> Frame {
        let message = std::mem::take(&mut self.message);
        match std::mem::take(&mut self.size) {
            size if size > self.most => Frame::TooLong { head: message, size },
            _ => Frame::Whole(message),
        }
    }
}

fn take(message: &mut Vec<u8>, size: &mut usize, bytes: &[u8], most: usize) {
    let was_fine = *size <= most;
    *size += bytes.len();
    if *size <= most {
        message.extend_from_slice(bytes);
    } else if was_fine {
        message.extend(bytes.iter().take(HEAD.saturating_sub(message.len())));
        message.truncate(HEAD);
        message.shrink_to_fit();
    }
}

impl<R: AsyncRead + Unpin + Send> Receive for Reader<R> {
    fn next(&mut self) -> BoxFuture<'_, io::Result<Option<Frame>>> {
        self.read().boxed()
    }
}

struct Writer<W>(W);

impl<W: AsyncWrite + Unpin + Send> Deliver for Writer<W> {
    fn send(&mut self, message: String) -> BoxFuture<'_, io::Result<()>> {
        async move {
            let mut bytes = message.into_bytes();
            bytes.push(0);
            self.0.write_all(&bytes).await?;
            self.0.flush().await
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(bytes: &'static [u8], piece: usize, most: usize) -> Reader<&'static [u8]> {
        Reader { from: bytes, piece: vec![0; piece], filled: 0, used: 0, message: Vec::new(), size: 0, most }
    }

    #[tokio::test]
    async fn messages_come_out_whole_however_they_come_in() {
        for piece in [1, 2, 3, 7, 100] {
            let mut reader = reader(b"{\"a\":1}\0\0second\0half", piece, 100);
            for whole in [&b"{\"a\":1}"[..], b"", b"second"] {
                assert_eq!(reader.read().await.unwrap(), Some(Frame::Whole(whole.to_vec())), "{piece}");
            }
            assert_eq!(reader.read().await.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        }
        assert_eq!(reader(b"", 10, 10).read().await.unwrap(), None);
    }

    #[tokio::test]
    async fn one_that_is_too_long_is_let_go_and_the_next_is_read() {
        static LONG: [u8; 500] = [b'x'; 500];
        let bytes: &'static [u8] = Box::leak([&LONG[..], b"\0next\0"].concat().into_boxed_slice());
        for piece in [1, 64, 1000] {
            let mut reader = reader(bytes, piece, 100);
            let head = vec![b'x'; HEAD];
            assert_eq!(reader.read().await.unwrap(), Some(Frame::TooLong { head, size: 500 }));
            assert_eq!(reader.read().await.unwrap(), Some(Frame::Whole(b"next".to_vec())));
        }
    }
}
