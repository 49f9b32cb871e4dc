//! Whether the process that wrote a row is still there.
//!
//! A process is named by its id and its start time, since ids are used again. What cannot be known (another
//! machine, another container, another system than Linux) counts as still there: such rows expire.

use std::{fs, sync::OnceLock};

/// This process, as it is written into a row.
pub(crate) fn this() -> &'static str {
    static THIS: OnceLock<String> = OnceLock::new();
    THIS.get_or_init(|| {
        let pid = std::process::id();
        match (started(pid), place()) {
            (Some(started), Some(place)) => format!("{pid} {started} {place}"),
            _ => format!("{pid}"),
        }
    })
}

/// Whether the process that wrote `mark` is known to have ended.
pub(crate) fn is_gone(mark: &str) -> bool {
    if mark == this() {
        return false;
    }
    let mut parts = mark.splitn(3, ' ');
    let (Some(pid), Some(begun), Some(where_)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let (Ok(pid), Some(here)) = (pid.parse(), place()) else { return false };
    where_ == here && started(pid).is_none_or(|started| started != begun)
}

/// When it started, in clock ticks since boot; `None` if there is no such process. A zombie is none: it
/// will not read an answer.
fn started(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the program's name in parentheses, which may hold anything; what follows is plain.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(18).map(str::to_owned)
}

/// Where a process id means something: within one namespace of one boot. The first namespace has the same
/// number on every machine, and machines may share a data folder; the id of the boot is of this one alone.
fn place() -> Option<&'static str> {
    static PLACE: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
        Some(format!("{}/{}", boot.trim(), namespace.display()).replace(' ', "_"))
    };
    PLACE.get_or_init(read).as_deref()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn knows_who_is_gone() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let (pid, place) = (child.id(), place().unwrap());
        let begun = started(pid).unwrap();
        let mark = format!("{pid} {begun} {place}");
        assert!(!is_gone(this()));
        assert!(!is_gone(&mark));
        assert!(is_gone(&format!("{pid} 1 {place}")), "the id was given to another process");
        child.kill().unwrap();
        child.wait().unwrap();
        for (mark, gone) in [
            (mark.as_str(), true),
            (&format!("{pid} {begun} pid:[elsewhere]"), false),
            (&format!("{pid}"), false),
            ("", false),
        ] {
            assert_eq!(is_gone(mark), gone, "{mark}");
        }
    }

    /// Two machines, each with processes in its first namespace, on one data folder.
    #[test]
    fn nothing_is_known_of_the_processes_of_another_machine() {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
        let elsewhere = this().replace(boot.trim(), "00000000-0000-4000-8000-000000000000");
        assert_ne!(elsewhere, this(), "the mark says which boot it is of");
        // No process has started at the first tick after boot and has the largest possible id.
        let gone = |mark: &str| is_gone(&format!("4194304 1 {}", mark.splitn(3, ' ').nth(2).unwrap()));
        assert!(gone(this()));
        assert!(!gone(&elsewhere));
    }
}
