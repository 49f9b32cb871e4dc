//! Knowledge as data: places, programs, cmdlets, names. No logic.

pub(in crate::shell::windows) mod cmdlets;
pub(in crate::shell::windows) mod environment;
pub(in crate::shell::windows) mod forbidden;
pub(in crate::shell::windows) mod names;
pub(in crate::shell::windows) mod places;
pub(in crate::shell::windows) mod programs;
