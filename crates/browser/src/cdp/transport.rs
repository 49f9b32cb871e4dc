//! What carries messages: whole ones in, whole ones out.

use std::io;

use futures_util::future::BoxFuture;

/// The longest message that is taken in. A picture of a very long page has some 30 MB.
pub const MOST_BYTES: usize = 128 << 20;
/// How much is kept of one that is longer: enough to see which command it answers.
pub(super) const HEAD: usize = 64;

/// What came in.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    Whole(Vec<u8>),
    /// A message of `size` bytes was let go; this is how it began.
    TooLong {
        head: Vec<u8>,
        size: usize,
    },
}

/// The side that listens.
pub trait Receive: Send {
    /// The next message; `None`: there is no more.
    fn next(&mut self) -> BoxFuture<'_, io::Result<Option<Frame>>>;
}

/// The side that speaks.
pub trait Deliver: Send {
    fn send(&mut self, message: String) -> BoxFuture<'_, io::Result<()>>;
}

/// Both sides.
pub struct Transport {
    pub receive: Box<dyn Receive>,
    pub send: Box<dyn Deliver>,
}
