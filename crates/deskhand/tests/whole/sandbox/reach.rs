//! Beyond files: the network, sockets, other processes, the environment, the kernel.

use std::{
    net::TcpListener,
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixListener},
    },
    process::{Command, Stdio},
};

use deskhand_guard::sandbox::{Kind, View};

use super::{Bench, SECRET, kinds};

/// Talks to an address, in a language that is on most machines.
fn python(code: &str) -> Vec<String> {
    vec!["/usr/bin/env".into(), "python3".into(), "-c".into(), code.into()]
}

fn run_python(bench: &Bench, view: View, network: bool, code: &str) -> super::Ran {
    let argv = python(code);
    let mut job = bench.job(view, &argv.iter().map(String::as_str).collect::<Vec<_>>());
    job.network = network;
    bench.run(&job)
}

fn has_python() -> bool {
    let found =
        Command::new("python3").arg("--version").stdout(Stdio::null()).status().is_ok_and(|s| s.success());
    if !found {
        deskhand_testkit::skip("there is no python3");
    }
    found
}

#[test]
fn no_network_unless_asked_for() {
    if !has_python() {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!("import socket; socket.create_connection(('127.0.0.1', {port}), 5)");
    for &kind in kinds() {
        let bench = Bench::new(kind);
        for view in [View::Look, View::Work] {
            run_python(&bench, view, false, &connect).refused();
            run_python(&bench, view, true, &connect).good();
        }
    }
}

#[test]
fn a_job_can_talk_to_itself_in_its_own_network() {
    if !has_python() {
        return;
    }
    let code = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname())";
    run_python(&Bench::new(Kind::Namespaces), View::Work, false, code).good();
}

#[test]
fn services_of_the_machine_are_out_of_reach() {
    if !has_python() {
        return;
    }
    for &kind in kinds() {
        let bench = Bench::new(kind);
        let path = bench.path("service.sock");
        let _by_path = UnixListener::bind(&path).unwrap();
        let name = format!("deskhand-test-{}-{}", std::process::id(), kind.name());
        let _abstract = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        for address in [format!("{:?}", path.to_str().unwrap()), format!("'\\0{name}'")] {
            let code = format!("import socket; socket.socket(socket.AF_UNIX).connect({address})");
            let outside = Command::new("python3").args(["-c", &code]).status().unwrap();
            assert!(outside.success(), "the service is there: {address}");
            for (view, network) in [(View::Look, false), (View::Work, false), (View::Work, true)] {
                run_python(&bench, view, network, &code).refused();
            }
        }
    }
}

#[test]
fn other_kinds_of_sockets_are_refused() {
    if !has_python() {
        return;
    }
    for &kind in kinds() {
        let bench = Bench::new(kind);
        // AF_PACKET, AF_ALG, AF_VSOCK, AF_BLUETOOTH
        for family in [17, 38, 40, 31] {
            let code = format!(
                "import socket, sys\ntry: socket.socket({family}, socket.SOCK_RAW)\nexcept OSError as e: sys.exit(e.errno)"
            );
            let ran = run_python(&bench, View::Work, true, &code);
            assert_eq!(ran.code, 1, "EPERM by seccomp, not because the kernel has none: {family} {ran:?}");
        }
    }
}

#[test]
fn other_processes_are_out_of_reach() {
    for &kind in kinds() {
        let bench = Bench::new(kind);
        let mut other = Command::new("sleep").arg("60").env("TOKEN", SECRET).spawn().unwrap();
        let pid = other.id();
        for view in [View::Look, View::Work] {
            bench.shell(view, &format!("kill -9 {pid}")).refused();
            bench.shell(view, &format!("cat /proc/{pid}/environ")).refused();
            bench.shell(view, &format!("cat /proc/{}/environ", std::process::id())).refused();
            bench.shell(view, &format!("ls /proc/{pid}/root/ /proc/{pid}/cwd/")).refused();
        }
        assert!(other.try_wait().unwrap().is_none(), "{kind:?}: it still runs");
        other.kill().unwrap();
        other.wait().unwrap();
    }
    let listed = Bench::new(Kind::Namespaces).shell(View::Work, "ls -d /proc/[0-9]*").good();
    assert!(listed.lines().count() <= 3, "only the job's own: {listed}");
}

/// System calls, by their number on this machine.
#[cfg(target_arch = "x86_64")]
#[test]
fn calls_that_lead_around_the_walls_are_refused() {
    if !has_python() {
        return;
    }
    const CALLS: &[(&str, &str)] = &[
        ("mount", "165, b'none', b'/tmp', b'tmpfs', 0, 0"),
        ("umount2", "166, b'/proc', 2"),
        ("pivot_root", "155, b'/', b'/'"),
        ("chroot", "161, b'/'"),
        ("unshare user", "272, 0x10000000"),
        ("unshare time", "272, 0x80"),
        ("clone user", "56, 0x10000011, 0, 0, 0, 0"),
        ("setns", "308, 0, 0"),
        ("ptrace", "101, 0, 0, 0, 0"),
        ("process_vm_readv", "310, 1, 0, 0, 0, 0, 0"),
        ("bpf", "321, 0, 0, 0"),
        ("perf_event_open", "298, 0, 0, 0, 0, 0"),
        ("userfaultfd", "323, 0"),
        ("keyctl", "250, 0, 0, 0, 0, 0"),
        ("open_by_handle_at", "304, 0, 0, 0"),
        ("io_uring_setup", "425, 1, 0"),
        ("init_module", "175, 0, 0, 0"),
        ("kexec_load", "246, 0, 0, 0, 0"),
        ("settimeofday", "164, 0, 0"),
        ("swapon", "167, 0, 0"),
        ("reboot", "169, 0, 0, 0, 0"),
        ("open_tree", "428, -100, b'/', 1"),
        ("fsopen", "430, b'tmpfs', 0"),
        ("TIOCSTI", "16, 0, 0x5412, b'x'"),
        ("mount, x32", "0x40000000 + 165, b'none', b'/tmp', b'tmpfs', 0, 0"),
    ];
    for &kind in kinds() {
        let bench = Bench::new(kind);
        for (name, arguments) in CALLS {
            let code = format!(
                "import ctypes, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n\
                 assert libc.syscall({arguments}) == -1\nsys.exit(ctypes.get_errno())"
            );
            let ran = run_python(&bench, View::Work, false, &code);
            assert_eq!(ran.code, 1, "{kind:?} {name}: {ran:?}");
        }
        let code = "import ctypes, sys\nlibc = ctypes.CDLL(None, use_errno=True)\nlibc.syscall(435, 0, 0)\nsys.exit(ctypes.get_errno())";
        assert_eq!(run_python(&bench, View::Work, false, code).code, 38, "clone3: not there");
    }
}

#[test]
fn no_privilege_is_left() {
    for &kind in kinds() {
        let status = Bench::new(kind).shell(View::Work, "cat /proc/self/status").good();
        let value =
            |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_owned();
        for set in ["CapInh:", "CapPrm:", "CapEff:", "CapAmb:"] {
            assert_eq!(value(set), "0000000000000000", "{kind:?} {set}");
        }
        // Who never had any cannot give up the right to get them; that is what the next line is for.
        if kind == Kind::Namespaces {
            assert_eq!(value("CapBnd:"), "0000000000000000");
        }
        assert_eq!((value("NoNewPrivs:"), value("Seccomp:")), ("1".to_owned(), "2".to_owned()));
    }
}

#[test]
fn there_are_no_disks() {
    let bench = Bench::new(Kind::Namespaces);
    let found = bench.shell(View::Work, "find /dev -type b -o -name mem -o -name kmsg").good();
    assert_eq!(found, "");
    bench
        .shell(View::Work, "echo x > /dev/null && head -c 3 /dev/urandom > /dev/null && : < /dev/zero")
        .good();
}

#[test]
fn the_system_is_its_own_and_cannot_be_changed() {
    let bench = Bench::new(Kind::Namespaces);
    for view in [View::Look, View::Work] {
        assert_eq!(bench.shell(view, "ls -A /run /dev/shm").good(), "/dev/shm:\n\n/run:\n");
        // As root, the files themselves would let it.
        for place in [
            "/proc/sys/kernel/domainname",
            "/proc/self/comm",
            "/sys/kernel",
            "/dev",
            "/run",
            "/",
            "/etc/hosts",
        ] {
            bench.shell(view, &format!("[ -w {place} ]")).refused();
        }
        bench.shell(view, "cat /proc/1/environ").refused();
    }
}

#[test]
fn the_environment_is_clean() {
    for &kind in kinds() {
        let bench = Bench::new(kind);
        let mut job = bench.job(View::Work, &["env"]);
        job.env.push(("MINE".into(), "given".into()));
        // What is in this test's own environment by cargo stands for the user's keys.
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
        let env = bench.run(&job).good();
        assert!(env.contains("MINE=given\n") && env.contains("PATH="), "{env}");
        for absent in ["CARGO_MANIFEST_DIR", "DESKHAND", "NEXTEST", "LD_LIBRARY_PATH"] {
            assert!(!env.contains(absent), "{env}");
        }
    }
}

/// It would act on the launcher itself, before the walls stand.
#[test]
fn a_given_variable_does_not_reach_the_launcher() {
    for &kind in kinds() {
        let bench = Bench::new(kind);
        let mut job = bench.job(View::Work, &["true"]);
        job.env.push(("LD_PRELOAD".into(), "/nonexistent/evil.so".into()));
        let launch = bench.sandbox.launch(&job).unwrap();
        assert!(
            launch.env.iter().all(|(name, _)| name.to_str().unwrap().starts_with("DESKHAND_")),
            "{launch:?}"
        );
        assert!(launch.args.iter().all(|arg| !arg.to_str().unwrap().contains("evil")));
        assert!(bench.run(&job).err.contains("evil.so"), "the job itself has it");
    }
}

/// Its own limits it may set; those of others, the launcher's among them, it may not.
#[test]
fn the_limits_of_other_processes_are_out_of_reach() {
    for &kind in super::kinds() {
        let bench = Bench::new(kind);
        let own = "import resource; resource.prlimit(0, resource.RLIMIT_NOFILE, (64, 64)); print('own')";
        assert_eq!(run_python(&bench, View::Work, false, own).good(), "own\n", "{kind:?}");
        let parent = "import os, resource; resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, 0))";
        run_python(&bench, View::Work, false, parent).refused();
    }
}

/// Shared memory that others made is not there, or not to be had.
#[test]
fn shared_memory_of_others_is_out_of_reach() {
    let code = "import ctypes; libc = ctypes.CDLL(None, use_errno=True); \
                exit(0 if libc.shmget(0x0de5cafe, 64, 0) < 0 else 1)";
    let made = "import ctypes; libc = ctypes.CDLL(None); print(libc.shmget(0x0de5cafe, 64, 0o1600))";
    let Ok(made) = std::process::Command::new("python3").args(["-c", made]).output() else {
        return deskhand_testkit::skip("there is no python3");
    };
    let id = String::from_utf8_lossy(&made.stdout).trim().to_owned();
    for &kind in super::kinds() {
        run_python(&Bench::new(kind), View::Work, false, code).good();
    }
    let remove = format!("import ctypes; ctypes.CDLL(None).shmctl({id}, 0, None)");
    let _ = std::process::Command::new("python3").args(["-c", &remove]).status();
}

/// The terminal that Deskhand was started from is not the job's: a terminal belongs to a session, and the job's is another.
#[test]
fn there_is_no_terminal_to_take_over() {
    // The session is the sixth word of a process's state, the fourth after its name.
    let session = |stat: &str| stat.rsplit_once(')').unwrap().1.split_whitespace().nth(3).unwrap().to_owned();
    let own = session(&std::fs::read_to_string("/proc/self/stat").unwrap());
    for &kind in super::kinds() {
        let bench = Bench::new(kind);
        let mark = crate::support::mark();
        let (mut child, life) = bench.start(&format!("sleep {mark}; true"));
        let begun = (0..500).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
                std::fs::read(entry.path().join("cmdline"))
                    .is_ok_and(|line| line == format!("sleep\0{mark}\0").as_bytes())
            })
        });
        assert!(begun, "{kind:?}");
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            if String::from_utf8_lossy(&line).contains(&mark) {
                let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap();
                assert_ne!(session(&stat), own, "{kind:?}");
            }
        }
        drop(life);
        child.wait().unwrap();
    }
}
