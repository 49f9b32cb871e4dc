//! `/proc/PID/stat` and the thread group of a pid.

use std::{fs, io};

/// What of the stat line is of use here.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::system) struct Stat {
    pub is_kernel_thread: bool,
    pub is_zombie: bool,
    pub threads: u32,
    /// Clock ticks after boot: with the pid, this names one process and no other.
    pub started_ticks: u64,
}

const PF_KTHREAD: u64 = 0x0020_0000;

pub(in crate::system) fn read(pid: u32) -> io::Result<Stat> {
    let text = fs::read(format!("/proc/{pid}/stat"))?;
    parse(&String::from_utf8_lossy(&text)).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))
}

/// The name in parentheses may hold anything, parentheses and line feeds included: the last `)` ends it.
fn parse(line: &str) -> Option<Stat> {
    let (_, rest) = line.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // The state, third in the manual, is the first after the name.
    let field = |number: usize| fields.get(number - 3).copied();
    let flags: u64 = field(9)?.parse().ok()?;
    Some(Stat {
        is_kernel_thread: flags & PF_KTHREAD != 0,
        is_zombie: matches!(field(3)?, "Z" | "X"),
        threads: field(20)?.parse().ok()?,
        started_ticks: field(22)?.parse().ok()?,
    })
}

/// The process that a pid belongs to: another number than `pid` where that is only one of its threads.
pub(in crate::system) fn thread_group(pid: u32) -> Option<u32> {
    let status = fs::read(format!("/proc/{pid}/status")).ok()?;
    thread_group_in(&String::from_utf8_lossy(&status))
}

fn thread_group_in(status: &str) -> Option<u32> {
    status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: &str = "1 44 43 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 9 0 12345 1000 200";

    #[test]
    fn any_name_is_read() {
        for name in ["sleep", "a b", "x) R 1 (", "", "a\nb", ")("] {
            let stat = parse(&format!("42 ({name}) S {REST}")).unwrap();
            let wanted = Stat { is_kernel_thread: false, is_zombie: false, threads: 9, started_ticks: 12345 };
            assert_eq!(stat, wanted, "{name:?}");
        }
        assert!(parse(&format!("42 (x) Z {REST}")).unwrap().is_zombie);
        let kernel = REST.replace("4194560", "2129984");
        assert!(parse(&format!("9 (kworker) I {kernel}")).unwrap().is_kernel_thread);
    }

    #[test]
    fn bad_lines_are_nothing() {
        for line in ["", "42", "42 (x", "42 (x) S", "42 (x) S 1 2", &format!("42 (x) S {}", "a ".repeat(30))]
        {
            assert_eq!(parse(line), None, "{line:?}");
        }
    }

    #[test]
    fn of_this_very_process() {
        let own = std::process::id();
        let stat = read(own).unwrap();
        assert!(stat.threads >= 1 && stat.started_ticks > 0 && !stat.is_kernel_thread);
        assert_eq!(thread_group(own), Some(own));
        assert_eq!(thread_group_in("Name:\tx\nTgid:\t77\nPid:\t78\n"), Some(77));
        assert_eq!(thread_group_in("Name:\tx\nTgid:\tx\n"), None);
    }
}
