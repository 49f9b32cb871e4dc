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
        match (started(pid), namespace()) {
            (Some(started), Some(namespace)) => format!("{pid} {started} {namespace}"),
            _ => format!("{pid}"),
        }
    })
}

/// Whether the process that wrote `mark` is known to have ended.
pub(crate) fn is_gone(mark: &str) -> bool {
    let mut parts = mark.splitn(3, ' ');
    let (Some(pid), Some(begun), Some(where_)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let (Ok(pid), Some(here)) = (pid.parse(), namespace()) else { return false };
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

/// Process ids mean something only within the same namespace of the same boot.
fn namespace() -> Option<&'static str> {
    static NAMESPACE: OnceLock<Option<String>> = OnceLock::new();
    let read = || Some(fs::read_link("/proc/self/ns/pid").ok()?.to_string_lossy().replace(' ', "_"));
    NAMESPACE.get_or_init(read).as_deref()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn knows_who_is_gone() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let (pid, space) = (child.id(), namespace().unwrap());
        let begun = started(pid).unwrap();
        let mark = format!("{pid} {begun} {space}");
        assert!(!is_gone(this()));
        assert!(!is_gone(&mark));
        assert!(is_gone(&format!("{pid} 1 {space}")), "the id was given to another process");
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
}
