//! Finding processes from outside of their own world, where process numbers mean something else.

use std::{
    fs,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// A number that no other process has on its command line: `sleep MARK` can be found by it.
pub fn mark() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("7{:07}{next:03}", std::process::id() % 10_000_000)
}

/// Whether a process with this mark is there.
pub fn is_running(mark: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(mark))
}

/// Whether all processes with this mark are gone, or are within a second.
pub fn is_gone(mark: &str) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(1) {
        if !is_running(mark) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}
