//! Ending real processes, and those that must not be.

#![cfg(target_os = "linux")]

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::process::ExitStatusExt,
    process::{Child, Command, Stdio},
};

use deskhand_core::{Status, plan::Undoable};
use serde_json::{Value, json};

use super::*;
use crate::testing::{Called, Desk};

/// A process of this test; it ends with it.
struct Running(Child);

impl Running {
    /// A shell that has said it is ready.
    fn shell(script: &str) -> Self {
        let mut child = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Self(child)
    }

    fn plain() -> Self {
        Self::shell("echo ready; read line")
    }

    fn that_ignores_sigterm() -> Self {
        Self::shell("trap '' TERM; echo ready; read line")
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }

    fn runs(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    /// The signal that ended it.
    fn signal(&mut self) -> Option<i32> {
        self.0.wait().unwrap().signal()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const SIGTERM: i32 = 15;
const SIGKILL: i32 = 9;

fn kill(arguments: Value) -> ToolResult<Called> {
    Desk::new().call(KillProcess, arguments)
}

#[test]
fn sigterm_is_enough_for_most() {
    let mut child = Running::plain();
    let called = kill(json!({"pid": child.pid()})).unwrap();
    assert_eq!((&called.data["signal"], &called.data["name"]), (&json!("SIGTERM"), &json!("sh")));
    assert!(called.text.contains("was ended by SIGTERM"), "{}", called.text);
    assert_eq!(child.signal(), Some(SIGTERM));
}

#[test]
fn sigkill_comes_after_the_grace() {
    let mut child = Running::that_ignores_sigterm();
    let called = kill(json!({"pid": child.pid(), "grace_ms": 300})).unwrap();
    assert_eq!(called.data["signal"], "SIGKILL");
    assert!(called.data["took_ms"].as_u64().unwrap() >= 300, "{}", called.data);
    assert_eq!(child.signal(), Some(SIGKILL));
}

#[test]
fn force_does_not_ask() {
    let mut child = Running::plain();
    let called = kill(json!({"pid": child.pid(), "force": true})).unwrap();
    assert_eq!(called.data["signal"], "SIGKILL");
    assert_eq!(child.signal(), Some(SIGKILL));
}

#[test]
fn the_plan_names_the_process_and_asks() {
    let child = Running::plain();
    let plan = Desk::new().plan(KillProcess, json!({"pid": child.pid()})).unwrap();
    assert_eq!((plan.permission, plan.rule.as_str()), (Permission::Sensitive, "process:end"));
    assert!(plan.effects.change_state());
    assert!(plan.summary.starts_with(&format!("End sh (pid {}, of ", child.pid())), "{}", plan.summary);
    let preview = plan.preview.as_ref().unwrap().text();
    for part in ["process: sh", "user: ", "started: 20", "mark ", "command: sh -c echo ready; read line"] {
        assert!(preview.contains(part), "{part} in {preview}");
    }
    assert!(matches!(plan.undo, Undoable::No(_)));
    let again = Desk::new().plan(KillProcess, json!({"pid": child.pid()})).unwrap();
    assert!(plan.still_holds(&again), "nothing in it changes by itself");
}

#[test]
fn some_are_never_ended() {
    let own = std::process::id();
    let parent = rustix::process::getppid().unwrap().as_raw_pid().unsigned_abs();
    let leader = ProcessTable::at_once().unwrap().session_leader(own).unwrap_or(0);
    let mut cases = vec![(0, "process:first"), (1, "process:first"), (own, "process:own")];
    if parent > 1 {
        cases.push((parent, "process:own-ancestor"));
    }
    let ancestors = ProcessTable::at_once().unwrap().ancestors(own);
    if leader > 1 && leader != own && !ancestors.contains(&leader) {
        cases.push((leader, "process:session-leader"));
    }
    for pid in ancestors.into_iter().filter(|pid| *pid > 1) {
        cases.push((pid, "process:own-ancestor"));
    }
    let kernel_thread = super::super::linux::stat::read(2).is_ok_and(|stat| stat.is_kernel_thread);
    if kernel_thread {
        cases.push((2, "process:kernel"));
    }
    for (pid, rule) in cases {
        for force in [false, true] {
            // Only planned: were the check missing, running it would end the machine.
            let error = Desk::new().plan(KillProcess, json!({"pid": pid, "force": force})).unwrap_err();
            assert_eq!((error.status, error.code), (Status::Blocked, rule), "{pid}: {}", error.message);
        }
    }
}

/// By its name, and by its program's name, whatever it calls itself.
#[test]
fn what_the_system_needs_is_never_ended() {
    let desk = Desk::new();
    let sleep = ["/bin/sleep", "/usr/bin/sleep"].into_iter().find(|path| std::path::Path::new(path).exists());
    let content = std::fs::read(sleep.unwrap()).unwrap();
    for name in ["dbus-daemon", "gnome-shell"] {
        let program = desk.write(name, &content);
        crate::testing::set_mode(&program, 0o755);
        let mut child = Running(Command::new(&program).arg("60").spawn().unwrap());
        // Until then it is still a copy of this program.
        while std::fs::read_link(format!("/proc/{}/exe", child.pid())).unwrap() != program {
            std::thread::yield_now();
        }
        let error = desk.plan(KillProcess, json!({"pid": child.pid()})).unwrap_err();
        assert_eq!((error.status, error.code), (Status::Blocked, "process:critical"), "{name}");
        assert!(error.message.contains(name), "{}", error.message);
        assert!(child.runs());
    }
}

/// The same number, and another program than the person saw.
#[test]
fn what_is_not_what_was_shown_is_not_ended() {
    let mut child = Running::shell("echo ready; read line; exec sleep 60");
    let pid = child.pid();
    let mut stdin = child.0.stdin.take().unwrap();
    let error = Desk::new()
        .call_after(KillProcess, json!({"pid": pid, "force": true}), |_, _| {
            stdin.write_all(b"go on\n").unwrap();
            while !std::fs::read(format!("/proc/{pid}/cmdline")).unwrap().starts_with(b"sleep") {
                std::thread::yield_now();
            }
        })
        .unwrap_err();
    assert_eq!(error.code, "plan_changed");
    assert!(child.runs());
}

/// A number that was given to another process of the same name and command line.
#[test]
fn a_reused_number_is_noticed() {
    let mut child = Running::plain();
    let pid = child.pid();
    let mut other = None;
    let result = Desk::new().call_after(KillProcess, json!({"pid": pid, "force": true}), |_, _| {
        child.0.kill().unwrap();
        child.0.wait().unwrap();
        for _ in 0..50 {
            let again = std::fs::write("/proc/sys/kernel/ns_last_pid", (pid - 1).to_string())
                .ok()
                .map(|()| Running::plain());
            let Some(again) = again else { return };
            if again.pid() == pid {
                other = Some(again);
                return;
            }
        }
    });
    let error = result.unwrap_err();
    let Some(mut other) = other else {
        deskhand_testkit::skip("the next process number cannot be chosen here (that needs root)");
        assert_eq!(error.code, "no_such_process");
        return;
    };
    assert_eq!(error.code, "plan_changed");
    assert!(other.runs());
}

#[test]
fn what_is_held_is_never_another() {
    let mut child = Running::plain();
    let target = Target::hold(child.pid()).unwrap();
    child.0.kill().unwrap();
    child.0.wait().unwrap();
    assert!(target.has_ended(Duration::ZERO));
    // Its number is free now; what is held is still the one that ended.
    assert!(target.send(Stop::End).is_ok());
}

#[test]
fn what_is_not_there() {
    let mut child = Running::plain();
    let pid = child.pid();
    child.0.kill().unwrap();
    while !super::super::linux::stat::read(pid).unwrap().is_zombie {
        std::thread::yield_now();
    }
    assert_eq!(kill(json!({"pid": pid})).unwrap_err().code, "already_ended");
    child.0.wait().unwrap();
    assert_eq!(kill(json!({"pid": pid})).unwrap_err().code, "no_such_process");
    assert_eq!(kill(json!({"pid": u32::MAX})).unwrap_err().code, "no_such_process");
    for arguments in
        [json!({}), json!({"pid": -1}), json!({"pid": "1"}), json!({"pid": 5, "grace_ms": 60_001})]
    {
        assert_eq!(kill(arguments.clone()).unwrap_err().code, "invalid_arguments", "{arguments}");
    }
}

#[test]
fn a_thread_is_no_process() {
    let (tell, told) = std::sync::mpsc::channel();
    let (finish, finished) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::spawn(move || {
        let own = std::fs::read_link("/proc/thread-self").unwrap();
        tell.send(own.file_name().unwrap().to_str().unwrap().parse::<u32>().unwrap()).unwrap();
        finished.recv().unwrap();
    });
    let pid = told.recv().unwrap();
    let error = kill(json!({"pid": pid})).unwrap_err();
    finish.send(()).unwrap();
    thread.join().unwrap();
    assert_eq!(error.code, "no_such_process");
    let own = std::process::id();
    assert_eq!(error.hint, Some(format!("{pid} is a thread of the process {own}.")));
}

#[test]
fn cancelled_it_says_what_was_sent() {
    let mut child =
        Running::shell("trap 'echo got it' TERM; echo ready; while :; do read line || sleep 0.05; done");
    let mut said = BufReader::new(child.0.stdout.take().unwrap());
    let arguments = json!({"pid": child.pid(), "grace_ms": 60_000});
    let error = Desk::new()
        .call_after(KillProcess, arguments, |_, cx| {
            let token = cx.cancel_token().clone();
            std::thread::spawn(move || {
                said.read_line(&mut String::new()).unwrap();
                token.cancel();
            });
        })
        .unwrap_err();
    assert_eq!(error.status, Status::Cancelled);
    assert!(child.runs());
    let done = error.partial.map(|reply| reply.text).unwrap();
    assert!(done.contains("SIGTERM was sent to sh"), "{done}");
}

#[test]
fn another_users_process_has_a_note() {
    if !rustix::process::getuid().is_root() {
        deskhand_testkit::skip("starting a process as another user needs root");
        return;
    }
    use std::os::unix::process::CommandExt;
    let Ok(child) = Command::new("sleep").arg("60").uid(65534).gid(65534).spawn() else {
        deskhand_testkit::skip("no process can be started as another user here");
        return;
    };
    let mut child = Running(child);
    let called = kill(json!({"pid": child.pid()})).unwrap();
    assert_eq!(called.plan.permission, Permission::Sensitive);
    assert!(called.plan.notes.iter().any(|note| note.contains("It belongs to ")), "{:?}", called.plan.notes);
    assert_eq!(child.signal(), Some(SIGTERM));
}

#[test]
fn what_the_system_does_not_permit_is_not_asked_about() {
    deskhand_testkit::become_ordinary_user();
    assert_eq!(target::may_be_ended(1).unwrap_err().code, "not_permitted");
}
