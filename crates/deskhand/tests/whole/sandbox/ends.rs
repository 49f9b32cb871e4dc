//! How jobs end: their status, their limits, and that nothing is left of them.

use std::{
    fs,
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use deskhand_guard::sandbox::{Kind, View};

use super::{BOTH, Bench};
use crate::support::{is_gone, mark};

#[test]
fn status_and_signals_come_through() {
    for kind in BOTH {
        let bench = Bench::new(kind);
        for (script, code) in [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -15 $$", 143)] {
            assert_eq!(bench.shell(View::Work, script).code, code, "{kind:?} {script}");
        }
        assert_eq!(bench.run(&bench.job(View::Work, &["no-such-program"])).code, 127);
        assert_eq!(bench.run(&bench.job(View::Work, &["./readme"])).code, 126);
    }
}

/// Children of every kind that try to stay: each says once that it is there, and has the mark on its command line.
fn staying(mark: &str) -> String {
    format!(
        "stay() {{ trap '' TERM HUP INT; date > \"$1\"; while :; do sleep {mark}; done; }}
        stay alive-1 &
        (stay alive-2 &)
        setsid sh -c 'trap \"\" TERM; date > alive-3; while :; do sleep {mark}; done' > /dev/null 2>&1 < /dev/null &
        (setsid sh -c '(trap \"\" TERM; date > alive-4; while :; do sleep {mark}; done) &' > /dev/null 2>&1 < /dev/null &)
        "
    )
}
const ALIVE: [&str; 4] = ["alive-1", "alive-2", "alive-3", "alive-4"];

#[track_caller]
fn wait_until_all_are_there(workspace: &Path) {
    let begun = Instant::now();
    while !ALIVE
        .iter()
        .all(|name| fs::read_to_string(workspace.join(name)).is_ok_and(|text| !text.is_empty()))
    {
        assert!(begun.elapsed() < Duration::from_secs(30), "they do not start");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn everything_ends_when_the_life_line_is_dropped() {
    for kind in BOTH {
        let (bench, mark) = (Bench::new(kind), mark());
        let (mut child, life) = bench.start(&format!("{} trap '' TERM; wait; sleep 100", staying(&mark)));
        wait_until_all_are_there(&bench.workspace);
        let dropped = Instant::now();
        drop(life);
        assert_eq!(child.wait().unwrap().code(), Some(137), "{kind:?}");
        assert!(dropped.elapsed() < Duration::from_secs(1), "{kind:?}: {:?}", dropped.elapsed());
        assert!(is_gone(&mark), "{kind:?}: someone is still alive");
    }
}

#[test]
fn nothing_outlives_the_job_itself() {
    for kind in BOTH {
        let (bench, mark) = (Bench::new(kind), mark());
        let script = format!(
            "{} until [ -s alive-1 ] && [ -s alive-2 ] && [ -s alive-3 ] && [ -s alive-4 ]; do sleep 0.02; done; exit 3",
            staying(&mark)
        );
        assert_eq!(bench.shell(View::Work, &script).code, 3);
        assert!(is_gone(&mark), "{kind:?}: someone is still alive");
    }
}

/// The part of the test below that is killed: this test's own binary, started again.
#[test]
fn a_holder_of_a_life_line() {
    let Ok(kind) = std::env::var("DESKHAND_TEST_HOLDER") else { return };
    let kind = if kind == "landlock" { Kind::Landlock } else { Kind::Namespaces };
    let bench = Bench::new(kind);
    fs::write(std::env::var("DESKHAND_TEST_SAYS").unwrap(), bench.workspace.to_str().unwrap()).unwrap();
    let mark = std::env::var("DESKHAND_TEST_MARK").unwrap();
    let (mut child, _life) = bench.start(&format!("{} sleep 100", staying(&mark)));
    child.wait().unwrap();
}

#[test]
fn everything_ends_when_deskhand_is_killed() {
    for kind in BOTH {
        let (folder, mark) = (tempfile::tempdir().unwrap(), mark());
        let says = folder.path().join("says");
        let mut holder = Command::new(std::env::current_exe().unwrap());
        holder
            .args(["--exact", "sandbox::ends::a_holder_of_a_life_line"])
            .stdout(Stdio::null())
            .process_group(0);
        holder.env("DESKHAND_TEST_HOLDER", kind.name()).env("DESKHAND_TEST_SAYS", &says);
        holder.env("DESKHAND_TEST_MARK", &mark);
        let mut holder = holder.spawn().unwrap();
        let begun = Instant::now();
        let workspace = loop {
            match fs::read_to_string(&says) {
                Ok(text) if !text.is_empty() => break std::path::PathBuf::from(text),
                _ => std::thread::sleep(Duration::from_millis(10)),
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "the holder does not start");
        };
        wait_until_all_are_there(&workspace);
        holder.kill().unwrap();
        holder.wait().unwrap();
        assert!(is_gone(&mark), "{kind:?}: someone is still alive");
        fs::remove_dir_all(workspace.ancestors().nth(2).unwrap()).unwrap();
    }
}

#[test]
fn everything_ends_when_the_launcher_is_killed() {
    let (bench, mark) = (Bench::new(Kind::Namespaces), mark());
    let (mut child, _life) = bench.start(&format!("{} sleep 100", staying(&mark)));
    wait_until_all_are_there(&bench.workspace);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_gone(&mark), "someone is still alive");
}

/// Whoever could open the writing side anew would hold the job alive.
#[test]
fn the_job_has_no_hand_on_the_life_line() {
    for kind in BOTH {
        let listed = Bench::new(kind).shell(View::Work, "ls -l /proc/self/fd /proc/$$/fd").good();
        let open: Vec<_> = listed.lines().filter(|line| line.contains(" -> ")).collect();
        assert!(
            open.iter().all(|line| !line.contains("3 -> pipe") && !line.contains("4 -> pipe")),
            "{listed}"
        );
        let pipes = open.iter().filter(|line| line.contains("pipe:")).count();
        assert_eq!(pipes, 4, "stdout and stderr, of two processes: {listed}");
    }
}

#[test]
fn limits_hold() {
    const MIB: u64 = 1 << 20;
    for kind in BOTH {
        let bench = Bench::with(kind, |config| {
            config.limits.memory_bytes = 64 * MIB;
            config.limits.file_bytes = MIB;
            config.limits.cpu_seconds = 1;
        });
        // `tail` keeps what has no line end.
        bench
            .shell(
                View::Work,
                "head -c 300000000 /dev/zero | tail -n 1 | wc -c > size; [ \"$(cat size)\" -gt 250000000 ]",
            )
            .refused();
        bench
            .shell(
                View::Work,
                "head -c 20000000 /dev/zero | tail -n 1 | wc -c > size; [ \"$(cat size)\" -gt 15000000 ]",
            )
            .good();
        bench.shell(View::Work, "head -c 2000000 /dev/zero > large").refused();
        assert!(fs::metadata(bench.workspace.join("large")).unwrap().len() <= MIB);
        assert_eq!(
            bench.shell(View::Work, "while :; do :; done").code,
            137,
            "{kind:?}: computing without end"
        );
        assert_eq!(
            bench.shell(View::Work, "ulimit -c; ulimit -c 1 2>/dev/null || echo kept").good(),
            "0\nkept\n"
        );
    }
}

#[test]
fn the_number_of_processes_is_limited() {
    for kind in BOTH {
        let bench = Bench::with(kind, |config| config.limits.processes = 301);
        let words = &bench.sandbox.in_force().unwrap().words;
        if words.contains("the number of processes is not limited") {
            assert!(is_root(), "only for root: {words}");
            continue;
        }
        let ran =
            bench.shell(View::Work, "i=0; while [ $i -lt 3000 ]; do sleep 20 & i=$((i+1)); done; echo all");
        assert!(!ran.out.contains("all"), "{kind:?} {ran:?}");
    }
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// One that leaves its process group, and whose children outlive it, neither hangs the call nor escapes its end.
#[test]
fn leaving_the_group_is_no_way_out() {
    for kind in BOTH {
        let bench = Bench::new(kind);
        let begun = Instant::now();
        let mark = mark();
        bench
            .shell(View::Work, &format!("setsid sh -c 'sleep {mark} & sleep {mark} & touch left; wait' & until [ -e left ]; do sleep 0.02; done"))
            .good();
        assert!(is_gone(&mark), "{kind:?}");
        bench.run(&bench.job(View::Work, &["setsid", "--wait", "true"])).good();
        if Command::new("python3").arg("--version").output().is_ok() {
            let leaves =
                "import os; os.setpgid(0, 0) if os.getpid() != os.getpgid(0) else os.setsid(); print(1)";
            bench.run(&bench.job(View::Work, &["python3", "-c", leaves]));
        } else {
            deskhand_testkit::skip("there is no python3");
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{kind:?} hangs");
    }
}
