//! Ways in. Whoever comes through here sees the same sessions, events and questions as the terminal does, and every
//! tool call goes through the one gate.
//!
//! | module | what lives there |
//! |---|---|
//! | [`http`] | the API, its events, and the web page |

pub mod http;
