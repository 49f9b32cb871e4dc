//! What an append writes, and when the head follows.

use super::*;

#[test]
fn the_chain_goes_on_across_days_and_openings() {
    let world = World::new();
    for day in 0..3 {
        world.set_day(day);
        append(&world.audit(), 2);
        let audit = world.audit();
        append(&audit, 1);
    }
    assert_eq!(world.files(), ["2026-01-01.jsonl", "2026-01-02.jsonl", "2026-01-03.jsonl"]);
    assert_eq!(world.seqs(), (1..=9).collect::<Vec<_>>());
    let lines = world.lines();
    assert_eq!(lines[0]["prev"], "0".repeat(64));
    assert!(lines.windows(2).all(|pair| pair[1]["prev"] == pair[0]["hash"]));
    let report = world.verify();
    assert_eq!((report.records, report.files, report.findings.as_slice()), (9, 3, &[][..]));
    assert_eq!(report.head.hash, lines[8]["hash"]);
    assert_eq!((report.head.seq, report.head.file.as_deref()), (9, Some("2026-01-03.jsonl")));
}

#[test]
fn a_running_process_goes_over_to_the_next_day() {
    let world = World::new();
    let audit = world.audit();
    for day in 0..3 {
        world.set_day(day);
        append(&audit, 2);
    }
    drop(audit);
    assert_eq!(world.files().len(), 3);
    assert!(world.verify().findings.is_empty());
    let rows = Heads::new(Arc::new(Database::new(world.folder.path().join("a.db")))).files().unwrap();
    let ranges: Vec<_> = rows.iter().map(|row| (row.first_seq, row.last_seq)).collect();
    assert_eq!(ranges, [(1, 2), (3, 4), (5, 6)], "the files of days that are over are known, too");
}

#[test]
fn a_clock_that_goes_back_does_not_lead_back_to_an_older_file() {
    let world = World::new();
    world.set_day(5);
    append(&world.audit(), 1);
    let audit = world.audit();
    append(&audit, 1);
    world.set_day(2);
    append(&audit, 1);
    append(&world.audit(), 1);
    assert_eq!(world.files(), ["2026-01-06.jsonl"]);
    assert!(world.verify().findings.is_empty());
}

/// One process has begun a new day; then the clock goes back, and the other still knows only the old file.
#[test]
fn a_new_file_of_another_process_is_seen_even_if_the_clock_hides_it() {
    let world = World::new();
    let (one, other) = (world.audit(), world.audit());
    append(&one, 1);
    append(&other, 1);
    world.set_day(1);
    append(&other, 1);
    world.set_day(0);
    append(&one, 1);
    assert_eq!(fs::read_to_string(world.path("2026-01-02.jsonl")).unwrap().lines().count(), 2);
    assert!(world.verify().findings.is_empty());
}

#[test]
fn two_that_take_turns_make_one_chain() {
    let world = World::new();
    let (one, other) = (world.audit(), world.audit());
    for _ in 0..20 {
        append(&one, 1);
        append(&other, 2);
    }
    assert_eq!(world.seqs(), (1..=60).collect::<Vec<_>>());
    assert!(world.verify().findings.is_empty());
}

#[test]
fn many_threads_make_one_chain() {
    let world = World::new();
    let audit = world.audit();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| append(&audit, 100));
        }
        scope.spawn(|| {
            for _ in 0..10 {
                assert_eq!(audit.verify().unwrap().findings, []);
                audit.make_durable().unwrap();
            }
        });
    });
    drop(audit);
    assert_eq!(world.seqs(), (1..=400).collect::<Vec<_>>());
    assert!(world.verify().findings.is_empty());
}

#[test]
fn the_head_is_written_at_the_start_and_follows_what_is_made_durable() {
    let world = World::new();
    let audit = world.audit();
    assert_eq!(world.head(), None);
    append(&audit, 1);
    assert!(world.head().is_some_and(|head| head.at.seq <= 1), "there is a head from the first append on");
    append(&audit, 2);
    audit.make_durable().unwrap();
    let head = world.head().unwrap();
    let length = fs::metadata(world.path("2026-01-01.jsonl")).unwrap().len();
    assert_eq!((head.at.seq, head.file.as_str(), head.length), (3, "2026-01-01.jsonl", length));
    assert_eq!(head.at.hash.to_string(), world.lines()[2]["hash"]);
    audit.make_durable().unwrap();
}

#[test]
fn the_head_follows_by_itself() {
    let world = World::new();
    let audit = world.audit();
    for round in 1..=2 {
        append(&audit, 1);
        let followed = (0..3000).any(|_| {
            thread::sleep(Duration::from_millis(10));
            world.head().is_some_and(|head| head.at.seq == round)
        });
        assert!(followed, "round {round}");
    }
}

#[test]
fn who_will_wait_for_the_disk_soon_gets_a_head_start() {
    let world = World::new();
    let mut audit = world.audit();
    let log = Arc::clone(&audit.log);
    // By itself it would not follow while this runs.
    audit.follower = Later::new("audit", Duration::from_hours(1), move || log.make_durable_or_warn());
    append(&audit, 1);
    audit.hasten();
    let followed = (0..3000).any(|_| {
        thread::sleep(Duration::from_millis(10));
        world.head().is_some_and(|head| head.at.seq == 1)
    });
    assert!(followed);
}

#[test]
fn dropping_the_log_writes_it_out() {
    let world = World::new();
    append(&world.audit(), 5);
    assert_eq!(world.head().unwrap().at.seq, 5);
}

#[test]
fn switching_off_and_on_is_recorded_once() {
    let world = World::new();
    for (enabled, records) in [(true, 1), (false, 2), (false, 2), (true, 4), (true, 5), (false, 6)] {
        let audit = world.open(enabled);
        append(&audit, 1);
        audit.make_durable().unwrap();
        drop(audit);
        assert_eq!(world.lines().len(), records);
    }
    assert_eq!(world.notices(), ["switched_off", "switched_on", "switched_off"]);
    let off = world.open(false);
    append(&off, 100);
    assert_eq!(world.lines().len(), 6, "nothing but notices while it is off");
    assert!(world.verify().findings.is_empty());
}

#[test]
fn a_record_beyond_all_measure_is_refused() {
    let world = World::new();
    let audit = world.audit();
    let mut huge = record("t");
    huge.result = Some("x".repeat(line::MAX_LINE));
    assert!(audit.append(&huge).unwrap_err().to_string().contains("more than a record may have"));
    append(&audit, 1);
    assert!(audit.verify().unwrap().findings.is_empty());
}

#[cfg(unix)]
#[test]
fn the_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    append(&world.audit(), 1);
    for name in ["2026-01-01.jsonl", ".lock"] {
        let mode = fs::metadata(world.path(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_leaves_no_half_line() {
    let world = World::new();
    let Some(_disk) = deskhand_testkit::SmallDisk::mount_at(&world.audit_folder(), "size=64k") else {
        return;
    };
    fs::write(world.path("filler"), vec![0; 40 << 10]).unwrap();
    let audit = world.audit();
    let mut appended = 0;
    let error = loop {
        match audit.append(&record("t")) {
            Ok(()) => appended += 1,
            Err(error) => break error,
        }
    };
    let source = error.cause.downcast_ref::<std::io::Error>().unwrap();
    assert_eq!(source.kind(), std::io::ErrorKind::StorageFull);
    assert!(error.to_string().contains("append to the audit log"), "{error}");
    audit.append(&record("t")).unwrap_err();
    assert!(appended > 10);
    let text = fs::read(world.path("2026-01-01.jsonl")).unwrap();
    assert_eq!(text.last(), Some(&b'\n'));
    fs::remove_file(world.path("filler")).unwrap();
    append(&audit, 1);
    drop(audit);
    assert_eq!(world.lines().len(), appended + 1);
    assert!(world.notices().is_empty());
    assert!(world.verify().findings.is_empty());
}
