//! Commands: run confined, in the foreground or in the background, and the processes that they leave running.
//!
//! What a command would do is read by [`deskhand_guard::shell`], and what it can reach is settled by
//! [`deskhand_guard::sandbox`]. Here is what lies between: plans, pipes, time limits, and the output.

mod capture;
mod command_line;
mod folder;
mod lists;
mod places;
pub mod processes;
mod spawn;
mod strict;
mod supervise;
mod workspace_lock;

pub use lists::ShellLists;
pub use places::ShellPlaces;
pub use processes::ProcessTable;

crate::family::family! {
    bash: Bash;
    bash_output: BashOutput;
    bash_input: BashInput;
    bash_kill: BashKill;
}
