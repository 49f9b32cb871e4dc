//! Several processes on one log: the test program starts itself again.

use std::process::{Child, Command, Stdio};

use super::*;

const FOLDER: &str = "DESKHAND_TEST_APPENDS_IN";
const COUNT: &str = "DESKHAND_TEST_APPENDS";

/// What a process that is started again does, in place of its test.
fn append_if_asked() -> bool {
    let (Ok(folder), Ok(count)) = (std::env::var(FOLDER), std::env::var(COUNT)) else { return false };
    let folder = PathBuf::from(folder);
    let database = Arc::new(Database::new(folder.join("a.db")));
    let audit = Audit::new(folder.join("audit"), database, true);
    for n in 0..count.parse().unwrap() {
        audit.append(&record("t")).unwrap();
        if n % 10 == 0 {
            audit.make_durable().unwrap();
        }
    }
    true
}

fn start(world: &World, test: &str, count: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("audit::tests::processes::{test}")])
        .env(FOLDER, world.folder.path())
        .env(COUNT, count.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// The log as it is with the true time, which the other processes use.
fn open(world: &World) -> Audit {
    let database = Arc::new(Database::new(world.folder.path().join("a.db")));
    Audit::new(world.audit_folder(), database, true)
}

#[test]
fn two_processes_make_one_chain() {
    if append_if_asked() {
        return;
    }
    let world = World::new();
    let mut others = [0, 1].map(|_| start(&world, "two_processes_make_one_chain", 500));
    let audit = open(&world);
    // Verifying while others append finds nothing.
    while others.iter_mut().any(|other| other.try_wait().unwrap().is_none()) {
        assert_eq!(audit.verify().unwrap().findings, []);
    }
    assert!(others.iter_mut().all(|other| other.wait().unwrap().success()));
    let report = audit.verify().unwrap();
    assert_eq!((report.records, report.findings.as_slice()), (1000, &[][..]));
    assert_eq!(world.seqs(), (1..=1000).collect::<Vec<_>>());
    assert_eq!(world.head().unwrap().at.seq, 1000);
}

#[test]
fn a_killed_process_leaves_a_chain_that_verifies() {
    if append_if_asked() {
        return;
    }
    let world = World::new();
    for round in 0..8 {
        let mut other = start(&world, "a_killed_process_leaves_a_chain_that_verifies", 1_000_000);
        let appended =
            || world.files().iter().map(|f| fs::metadata(world.path(f)).unwrap().len()).sum::<u64>();
        let before = appended();
        while appended() < before + 5000 * (round + 1) {
            assert!(other.try_wait().unwrap().is_none(), "it ended by itself");
        }
        other.kill().unwrap();
        other.wait().unwrap();
        let audit = open(&world);
        assert_eq!(audit.verify().unwrap().findings, [], "round {round}");
        append(&audit, 1);
        assert_eq!(audit.verify().unwrap().findings, [], "round {round}");
    }
}
