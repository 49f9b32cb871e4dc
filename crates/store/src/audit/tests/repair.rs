//! What happens after a writer was killed, or the database lost.

use super::*;

/// Leaves the head where it is after `before` records, and `after` more in the file: what a kill before the
/// next flush looks like.
fn killed(before: usize, after: usize) -> World {
    let world = World::new();
    append(&world.audit(), before);
    world.sql("CREATE TABLE saved AS SELECT * FROM audit_head; CREATE TABLE saved_files AS SELECT * FROM audit_files;");
    append(&world.audit(), after);
    world.sql(
        "DELETE FROM audit_head; INSERT INTO audit_head SELECT * FROM saved; DROP TABLE saved;
         DELETE FROM audit_files; INSERT INTO audit_files SELECT * FROM saved_files; DROP TABLE saved_files;",
    );
    world
}

#[test]
fn a_record_cut_at_any_byte_is_repaired() {
    let world = killed(2, 1);
    let path = world.path("2026-01-01.jsonl");
    let whole = fs::read(&path).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|b| *b == b'\n').unwrap() + 1;
    let database = fs::read(world.folder.path().join("a.db")).unwrap();
    for cut in last..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        for side in ["a.db-wal", "a.db-shm"] {
            let _ = fs::remove_file(world.folder.path().join(side));
        }
        fs::write(world.folder.path().join("a.db"), &database).unwrap();
        append(&world.audit(), 1);
        let torn = cut > last && cut < whole.len();
        assert_eq!(world.notices(), vec!["repaired"; usize::from(torn)], "cut at {cut}");
        assert_eq!(
            world.lines().len(),
            3 + usize::from(torn) + usize::from(cut == whole.len()),
            "cut at {cut}"
        );
        assert_eq!(world.verify().findings, [], "cut at {cut}");
        if torn {
            let notice = &world.lines()[2]["arguments"];
            assert_eq!(notice["bytes"], cut - last);
            assert_eq!(notice["sha256"], line::Hash::of(&whole[last..cut]).to_string());
        }
    }
}

#[test]
fn verifying_repairs_first() {
    let world = killed(2, 1);
    let path = world.path("2026-01-01.jsonl");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 10]).unwrap();
    assert_eq!(world.verify().findings, []);
    assert_eq!(world.notices(), ["repaired"]);
    assert_eq!(world.verify().records, 3);
}

#[test]
fn a_line_that_is_no_record_at_the_end_is_torn_too() {
    for garbage in ["{\"seq\":3}\n", "\0\0\0\0\n", "\n", "x\ny\n", "x\ny\nz"] {
        let world = killed(2, 1);
        let path = world.path("2026-01-01.jsonl");
        let mut text = fs::read_to_string(&path).unwrap();
        text.push_str(garbage);
        fs::write(&path, text).unwrap();
        append(&world.audit(), 1);
        assert_eq!(world.notices(), ["repaired"], "{garbage:?}");
        assert_eq!(world.verify().findings, [], "{garbage:?}");
    }
}

/// A running process repairs what another one left half-written.
#[test]
fn a_running_process_repairs_the_end_of_another() {
    let world = World::new();
    let audit = world.audit();
    append(&audit, 2);
    let path = world.path("2026-01-01.jsonl");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, [&whole, &b"{\"seq\":3,\"prev\":\"00"[..]].concat()).unwrap();
    append(&audit, 1);
    assert_eq!(world.notices(), ["repaired"]);
    assert_eq!(audit.verify().unwrap().findings, []);
}

#[test]
fn an_empty_new_file_is_gone_on_with() {
    let world = World::new();
    append(&world.audit(), 2);
    world.set_day(1);
    fs::write(world.path("2026-01-02.jsonl"), "").unwrap();
    append(&world.audit(), 1);
    assert_eq!(world.seqs(), [1, 2, 3]);
    assert_eq!(world.verify().findings, []);
}

#[test]
fn records_without_a_head_are_noted() {
    let world = World::new();
    append(&world.audit(), 3);
    world.lose_database();
    let kinds: Vec<_> = world.verify().findings.into_iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::HeadMissing]);
    append(&world.audit(), 1);
    append(&world.audit(), 1);
    assert_eq!(world.notices(), ["head_missing"]);
    assert_eq!(world.seqs(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(world.head().unwrap().at.seq, 6);
    // From here on nothing is wrong, but what was before is not known, and never will be.
    let findings = world.verify().findings;
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!((findings[0].kind, findings[0].line), (FindingKind::HeadMissing, Some(4)));
    assert!(findings[0].message.contains("may have been cut off unnoticed"), "{}", findings[0].message);
}

/// Whoever removes the database and cuts the log does not get a chain that verifies by making a call.
#[test]
fn a_log_cut_without_its_head_is_never_whole_again() {
    for left in 0..3 {
        let world = World::new();
        append(&world.audit(), 3);
        world.lose_database();
        let path = world.path("2026-01-01.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.split_inclusive('\n').take(left).collect::<String>()).unwrap();
        for _ in 0..2 {
            append(&world.audit(), 1);
            let kinds: Vec<_> = world.verify().findings.into_iter().map(|finding| finding.kind).collect();
            assert_eq!(kinds, [FindingKind::HeadMissing], "{left} records left");
        }
        // Nor by doing it again.
        world.lose_database();
        append(&world.audit(), 1);
        assert_eq!(world.verify().findings.len(), 2, "{left} records left");
    }
}

#[test]
fn a_first_start_is_clean() {
    let world = World::new();
    assert_eq!(world.verify().findings, []);
    append(&world.audit(), 1);
    assert_eq!((world.notices().len(), world.verify().findings.len()), (0, 0));
}

#[test]
fn a_hole_shows_for_ever() {
    type Cut = (&'static str, fn(&World));
    let cuts: [Cut; 3] = [
        ("truncated", |world| {
            let path = world.path("2026-01-02.jsonl");
            let text = fs::read_to_string(&path).unwrap();
            let first = text.lines().next().unwrap();
            fs::write(&path, format!("{first}\n")).unwrap();
        }),
        ("deleted", |world| fs::remove_file(world.path("2026-01-02.jsonl")).unwrap()),
        ("all deleted", |world| {
            for name in world.files() {
                fs::remove_file(world.path(&name)).unwrap();
            }
        }),
    ];
    for (what, cut) in cuts {
        let world = World::new();
        append(&world.audit(), 2);
        world.set_day(1);
        append(&world.audit(), 3);
        cut(&world);
        // The clock going back does not bring the file back either.
        world.set_day(0);
        for _ in 0..2 {
            append(&world.audit(), 1);
            assert!(!world.verify().findings.is_empty(), "{what}");
        }
        let lost = |world: &World| {
            let found = world.verify().findings.into_iter().map(|f| (f.kind, f.seq));
            found.filter(|(kind, _)| *kind == FindingKind::RecordsLost).collect::<Vec<_>>()
        };
        assert_eq!(lost(&world), [(FindingKind::RecordsLost, Some(6))], "{what}");
        assert_eq!(world.notices(), ["records_lost"], "{what}");
        let seqs = world.seqs();
        assert_eq!(seqs[seqs.len() - 3..], [6, 7, 8], "{what}");
        assert_eq!(world.files().last().unwrap(), "2026-01-02.jsonl", "{what}");
    }
}

/// What this process appended and nobody has flushed is known to it all the same.
#[test]
fn a_running_process_remembers_what_it_wrote() {
    let world = World::new();
    let audit = world.audit();
    append(&audit, 5);
    let path = world.path("2026-01-01.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let two: String = text.split_inclusive('\n').take(2).collect();
    fs::write(&path, two).unwrap();
    append(&audit, 1);
    assert_eq!(world.seqs(), [1, 2, 6, 7]);
    assert_eq!(world.notices(), ["records_lost"]);
    assert!(!audit.verify().unwrap().findings.is_empty());
}

#[test]
fn a_changed_last_record_shows_after_more_was_appended() {
    let world = World::new();
    append(&world.audit(), 3);
    let path = world.path("2026-01-01.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    // A forged third record with a fitting hash.
    let two: String = text.split_inclusive('\n').take(2).collect();
    let second = line::Line::parse(two.lines().nth(1).unwrap().as_bytes()).unwrap().at;
    let (forged, _) = line::encode(&writer::body(&record("forged")).unwrap(), second);
    fs::write(&path, [two.as_bytes(), &forged].concat()).unwrap();
    assert!(!world.verify().findings.is_empty());
    append(&world.audit(), 2);
    assert!(!world.verify().findings.is_empty());
    assert_eq!(world.notices(), ["records_lost"]);
}

/// What was on disk whole once and is no record now was changed by somebody: it stays, and is found.
#[test]
fn what_was_written_whole_is_not_repaired_away() {
    for (from, to) in [("}\n", "}"), ("}\n", "}x\n"), ("{\"seq\":2", "#\"seq\":2")] {
        let world = World::new();
        append(&world.audit(), 2);
        let path = world.path("2026-01-01.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        let second = text.find("{\"seq\":2").unwrap();
        let changed = format!("{}{}", &text[..second], text[second..].replacen(from, to, 1));
        fs::write(&path, &changed).unwrap();
        append(&world.audit(), 1);
        let now = fs::read_to_string(&path).unwrap();
        assert!(now.starts_with(&changed), "{to:?}");
        assert_eq!(now.lines().count(), 4, "a notice and the record, each on a line of its own: {to:?}");
        let report = world.verify();
        assert!(!report.findings.is_empty() || now.starts_with(&text), "{to:?}");
        append(&world.audit(), 1);
        assert_eq!(world.verify().findings, report.findings, "{to:?}");
    }
}
