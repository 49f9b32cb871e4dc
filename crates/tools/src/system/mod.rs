//! The machine and its processes: what it is, what it has, what runs on it, and ending one of those.
//!
//! `sysinfo` does the looking on every system; what only Linux tells is in `linux/`.

mod human;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(test)]
mod looking_tests;
mod process_table;
mod sampling;

pub use system_info::vitals;

crate::family::family! {
    system_info: SystemInfo;
    list_processes: ListProcesses;
    get_process_info: GetProcessInfo;
    kill_process: KillProcess;
}

/// What started this program, from the parent up.
pub(crate) fn ancestors() -> deskhand_core::ToolResult<Vec<u32>> {
    Ok(process_table::ProcessTable::at_once()?.ancestors(std::process::id()))
}
