//! What is open in a browser: tabs, their frames, how far they are loaded, dialogs, downloads.
//!
//! All of it is one [`State`], changed by the events of the browser ([`fold`](Targets)) in the task that reads them, and
//! looked at by whoever wants to know. Every target (a tab, a pop-up, a frame of another process, a worker) is caught
//! before its code runs, prepared, and let go; nobody has to wait for that.

mod dialogs;
mod downloads;
mod fold;
mod frames;
mod notices;
mod state;
mod targets;
#[cfg(test)]
mod tests;

pub use self::{
    dialogs::{BadMessage, Expected, LONGEST as LONGEST_MESSAGE, Message, NOT_OPENED},
    downloads::{Download, DownloadLimits, DownloadState, file_of},
    frames::{Frame, Reached, World},
    state::{State, Tab, Whose},
    targets::{Targets, Waited},
};
