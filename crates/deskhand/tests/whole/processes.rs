//! Processes that are killed, and processes that share a data folder.

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead, BufReader, Write},
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use deskhand_testkit::block_until;
use serde_json::{Value, json};

use crate::command::Shop;

const WRITES: usize = 200;

/// Text that is the same for the same number, and long enough that half of it would show.
fn content(n: usize) -> String {
    format!("file {n}\n").repeat(200 + n)
}

fn write_line(n: usize) -> String {
    format!("write_file {}\n", json!({"path": format!("f{n}.txt"), "content": content(n)}))
}

/// Numbers that are random enough to kill at any moment, and the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// Feeds writes to a console until it is killed, a while after its start or after its first
/// acknowledgement; returns those it acknowledged.
fn write_until_killed(shop: &Shop, from: usize, after_first: bool, alive: Duration) -> BTreeSet<usize> {
    let mut child = shop
        .command(&["--mode", "auto", "--json", "console"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let feeding = std::thread::spawn(move || {
        // A process that is killed breaks the pipe: that is the point.
        (from..WRITES).try_for_each(|n| input.write_all(write_line(n).as_bytes()))
    });
    let has_answered = Arc::new(AtomicBool::new(false));
    let answered = has_answered.clone();
    let reading = std::thread::spawn(move || {
        let mut acknowledged = BTreeSet::new();
        for (at, line) in output.lines().map_while(Result::ok).enumerate() {
            // A line that was torn by the kill is no acknowledgement.
            let Ok(outcome) = serde_json::from_str::<Value>(&line) else { break };
            assert_eq!(outcome["status"], "success", "{outcome}");
            acknowledged.insert(from + at);
            answered.store(true, Ordering::SeqCst);
        }
        acknowledged
    });
    if after_first {
        block_until("the first acknowledgement", || has_answered.load(Ordering::SeqCst));
    }
    std::thread::sleep(alive);
    child.kill().unwrap();
    child.wait().unwrap();
    let _ = feeding.join();
    reading.join().unwrap()
}

#[test]
fn killed_at_random_moments_nothing_acknowledged_is_lost() {
    let shop = Shop::new();
    let mut dice = Dice(20_261_115);
    let mut acknowledged = BTreeSet::new();
    let mut kills = 0;
    let started = Instant::now();
    while acknowledged.len() < WRITES {
        let from = (0..WRITES).find(|n| !acknowledged.contains(n)).unwrap();
        let (after_first, alive) = (dice.roll(4) > 0, Duration::from_millis(dice.roll(200)));
        acknowledged.extend(write_until_killed(&shop, from, after_first, alive));
        kills += 1;
        for n in &acknowledged {
            assert_eq!(
                shop.read(&format!("f{n}.txt")),
                content(*n),
                "acknowledged write {n} after kill {kills}"
            );
        }
        assert!(
            started.elapsed() < Duration::from_mins(4),
            "{} of {WRITES} after {kills} kills",
            acknowledged.len()
        );
    }
    println!("{kills} kills");
    let verified = shop.run(&["audit", "verify", "--json"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    // Whatever was not acknowledged is there whole, or not at all; and every change can still be listed.
    for entry in fs::read_dir(shop.path("")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(n) = name.strip_prefix('f').and_then(|rest| rest.strip_suffix(".txt")) {
            assert_eq!(shop.read(&name), content(n.parse().unwrap()));
        }
    }
    assert_eq!(shop.run(&["undo", "--list", "--json"]).code, 0);
    assert_eq!(shop.run(&["undo"]).code, 0);
    assert_eq!(shop.run(&["doctor"]).code, 0);
}

#[test]
fn two_processes_write_a_thousand_calls_each_and_the_chain_verifies() {
    const CALLS: usize = 1_000;
    let shop = Shop::new();
    let write = |who: &str| {
        let script: String = (0..CALLS)
            .fold(String::new(), |text, n| text + &format!("write_file path={who}.txt content={n}\n"));
        let file = shop.root.join(who);
        fs::write(&file, script).unwrap();
        shop.command(&["--mode", "auto", "--json", "console"])
            .stdin(fs::File::open(&file).unwrap())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let children = [write("one"), write("two")];
    for child in children {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().count(), CALLS);
        assert!(
            text.lines().all(|line| line.contains("\"status\":\"success\"")),
            "{}",
            text.lines().last().unwrap()
        );
    }
    let verified = shop.run(&["audit", "verify", "--json"]);
    assert_eq!((verified.code, &verified.json()["records"]), (0, &json!(4 * CALLS)), "{verified:?}");
    assert_eq!((shop.read("one.txt"), shop.read("two.txt")), ("999".to_owned(), "999".to_owned()));
}

#[test]
fn a_signal_cancels_the_call_and_says_so() {
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::TERM, rustix::process::Signal::HUP]
    {
        cancels(signal);
    }
}

fn cancels(signal: rustix::process::Signal) {
    let shop = Shop::new();
    let child = shop
        .command(&["call", "write_file", "path=a.txt", "content=x", "--wait", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let questions = || shop.run(&["approvals", "--json"]).json()["approvals"].as_array().unwrap().len();
    block_until("a question", || questions() > 0);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, signal).unwrap();
    let output = child.wait_with_output().unwrap();
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &outcome["status"]), (Some(4), &json!("cancelled")));
    assert!(!shop.path("a.txt").exists());
    assert!(shop.run(&["approvals", "--json"]).json()["approvals"].as_array().unwrap().is_empty());
}
