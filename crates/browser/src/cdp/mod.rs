//! A client for the Chrome DevTools Protocol, and no more of it than is needed here.
//!
//! | | |
//! |---|---|
//! | [`message`] | one message of the protocol, read with mistrust |
//! | [`transport`] | the two ways to a browser: [`pipe`] to one that we started, [`web_socket`] to one that runs |
//! | [`connection`] | commands and their answers, deadlines, the end |
//! | [`session`] | one target (a page, a frame of another process, a worker) on a connection |
//!
//! Methods and parameters are JSON, written where they are used: typed bindings of the whole protocol are a hundred
//! thousand generated lines, and fail on what a newer browser adds.
//!
//! **Events are not queued.** The task that reads the connection hands each one to [`Ears`], which fold it into their
//! state at once, without waiting for anything, and may [`post`](Connection::post) commands whose answers nobody needs.
//! So there is no channel that a slow reader could overflow, nothing that matters is lost in a flood, and a
//! page that makes a million events costs time but no memory.

mod connection;
mod message;
mod pipe;
mod session;
#[cfg(test)]
mod tests;
mod transport;
mod web_socket;

pub use self::{
    connection::{CdpError, Connection, Ears},
    message::Event,
    pipe::over_pipes,
    session::Session,
    transport::{Frame, MOST_BYTES, Transport},
    web_socket::over_web_socket,
};
