//! Every way to change a log shows, and is named.

use super::{FindingKind as Kind, *};

const DAYS: [&str; 4] = ["2026-01-01.jsonl", "2026-01-02.jsonl", "2026-01-03.jsonl", "2026-01-04.jsonl"];

/// Four days with four records each: 1 to 4, 5 to 8, 9 to 12, 13 to 16.
fn four_days() -> World {
    let world = World::new();
    for day in 0..4 {
        world.set_day(day);
        append(&world.audit(), 4);
    }
    assert!(world.verify().findings.is_empty());
    world
}

/// Changes the lines of one file.
fn change(world: &World, day: usize, how: impl FnOnce(&mut Vec<String>)) {
    let path = world.path(DAYS[day]);
    let mut lines: Vec<_> = fs::read_to_string(&path).unwrap().lines().map(|l| format!("{l}\n")).collect();
    how(&mut lines);
    fs::write(path, lines.concat()).unwrap();
}

/// What somebody makes of a record who also makes its hash fit.
fn forge(line: &str, seq: Option<u64>) -> String {
    let mut value: Value = serde_json::from_str(line).unwrap();
    let field = |value: &Value, name: &str| value[name].as_str().unwrap().as_bytes().to_vec();
    let prev = line::Hash::parse(&field(&value, "prev")).unwrap();
    let seq = seq.unwrap_or_else(|| value["seq"].as_u64().unwrap());
    value["tool_name"] = "forged".into();
    let record: AuditRecord = serde_json::from_value(value).unwrap();
    let after = Position { seq: seq - 1, hash: prev };
    String::from_utf8(line::encode(&writer::body(&record).unwrap(), after).0).unwrap()
}

/// Kind, file, line and number of a finding.
type Told = (Kind, Option<&'static str>, Option<u64>, Option<u64>);

struct Case {
    name: &'static str,
    tamper: fn(&World),
    told: &'static [Told],
}

const CASES: &[Case] = &[
    Case {
        name: "an edited record",
        tamper: |w| change(w, 1, |l| l[2] = l[2].replace("tool2", "tool9")),
        told: &[(Kind::Edited, Some(DAYS[1]), Some(3), Some(7))],
    },
    Case {
        name: "an edited first record",
        tamper: |w| change(w, 0, |l| l[0] = l[0].replace("tool0", "tool9")),
        told: &[(Kind::Edited, Some(DAYS[0]), Some(1), Some(1))],
    },
    Case {
        name: "an edited last record",
        tamper: |w| change(w, 3, |l| l[3] = l[3].replace("tool3", "tool9")),
        told: &[(Kind::Edited, Some(DAYS[3]), Some(4), Some(16))],
    },
    Case {
        name: "an edited record whose hash was made to fit",
        tamper: |w| change(w, 1, |l| l[1] = forge(&l[1], None)),
        told: &[(Kind::Edited, Some(DAYS[1]), Some(3), Some(6))],
    },
    Case {
        name: "the same at the end of a file",
        tamper: |w| change(w, 1, |l| l[3] = forge(&l[3], None)),
        told: &[(Kind::Edited, Some(DAYS[2]), Some(1), Some(8))],
    },
    Case {
        name: "the same at the end of the log",
        tamper: |w| change(w, 3, |l| l[3] = forge(&l[3], None)),
        told: &[(Kind::Edited, Some(DAYS[3]), None, Some(16))],
    },
    Case {
        name: "a first record that does not start the chain",
        tamper: |w| {
            change(w, 0, |l| {
                let moved = l[0].replace(&"0".repeat(64), &"1".repeat(64));
                l[0] = forge(&moved, None);
            });
        },
        told: &[
            (Kind::Edited, Some(DAYS[0]), Some(1), Some(1)),
            (Kind::Edited, Some(DAYS[0]), Some(2), Some(1)),
        ],
    },
    Case {
        name: "a record turned into nonsense",
        tamper: |w| change(w, 1, |l| l[2] = "nonsense\n".into()),
        told: &[(Kind::Edited, Some(DAYS[1]), Some(3), Some(7))],
    },
    Case {
        name: "the last record turned into nonsense",
        tamper: |w| change(w, 3, |l| l[3] = "nonsense\n".into()),
        told: &[(Kind::Edited, Some(DAYS[3]), Some(4), Some(16))],
    },
    Case {
        name: "an inserted line of nonsense",
        tamper: |w| change(w, 1, |l| l.insert(2, "nonsense\n".into())),
        told: &[(Kind::Inserted, Some(DAYS[1]), Some(3), None)],
    },
    Case {
        name: "an inserted empty line",
        tamper: |w| change(w, 1, |l| l.insert(0, "\n".into())),
        told: &[(Kind::Inserted, Some(DAYS[1]), Some(1), None)],
    },
    Case {
        name: "an inserted copy",
        tamper: |w| change(w, 2, |l| l.insert(3, l[0].clone())),
        told: &[(Kind::Inserted, Some(DAYS[2]), Some(4), Some(9))],
    },
    Case {
        name: "an inserted forgery",
        tamper: |w| change(w, 2, |l| l.insert(1, forge(&l[1], None))),
        told: &[(Kind::Inserted, Some(DAYS[2]), Some(3), Some(10))],
    },
    Case {
        name: "a removed record",
        tamper: |w| change(w, 1, |l| drop(l.remove(2))),
        told: &[(Kind::Removed, Some(DAYS[1]), Some(3), Some(7))],
    },
    Case {
        name: "two removed records",
        tamper: |w| change(w, 1, |l| drop(l.drain(1..3))),
        told: &[(Kind::Removed, Some(DAYS[1]), Some(2), Some(6))],
    },
    Case {
        name: "a removed first record",
        tamper: |w| change(w, 0, |l| drop(l.remove(0))),
        told: &[(Kind::Removed, Some(DAYS[0]), Some(1), Some(1))],
    },
    Case {
        name: "a removed first record of a day",
        tamper: |w| change(w, 2, |l| drop(l.remove(0))),
        told: &[(Kind::Removed, Some(DAYS[2]), Some(1), Some(9))],
    },
    Case {
        name: "two neighbours swapped",
        tamper: |w| change(w, 1, |l| l.swap(1, 2)),
        told: &[(Kind::Reordered, Some(DAYS[1]), Some(3), Some(6))],
    },
    Case {
        name: "a record moved to another day",
        tamper: |w| {
            let mut moved = String::new();
            change(w, 1, |l| moved = l.remove(1));
            change(w, 2, |l| l.push(moved));
        },
        told: &[(Kind::Reordered, Some(DAYS[2]), Some(5), Some(6))],
    },
    Case {
        name: "a file cut short",
        tamper: |w| change(w, 1, |l| l.truncate(2)),
        told: &[(Kind::Truncated, Some(DAYS[1]), None, Some(7))],
    },
    Case {
        name: "the log cut short",
        tamper: |w| change(w, 3, |l| l.truncate(1)),
        told: &[(Kind::Truncated, Some(DAYS[3]), None, Some(14))],
    },
    Case {
        name: "an emptied file",
        tamper: |w| change(w, 1, Vec::clear),
        told: &[(Kind::Emptied, Some(DAYS[1]), None, Some(5))],
    },
    Case {
        name: "the last file emptied",
        tamper: |w| change(w, 3, Vec::clear),
        told: &[(Kind::Emptied, Some(DAYS[3]), None, Some(13))],
    },
    Case {
        name: "a deleted file",
        tamper: |w| fs::remove_file(w.path(DAYS[2])).unwrap(),
        told: &[(Kind::FileDeleted, Some(DAYS[2]), None, Some(9))],
    },
    Case {
        name: "the first file deleted",
        tamper: |w| fs::remove_file(w.path(DAYS[0])).unwrap(),
        told: &[(Kind::FileDeleted, Some(DAYS[0]), None, Some(1))],
    },
    Case {
        name: "the last file deleted",
        tamper: |w| fs::remove_file(w.path(DAYS[3])).unwrap(),
        told: &[(Kind::FileDeleted, Some(DAYS[3]), None, Some(13))],
    },
    Case {
        name: "two neighbouring files deleted",
        tamper: |w| [1, 2].iter().for_each(|day| fs::remove_file(w.path(DAYS[*day])).unwrap()),
        told: &[
            (Kind::FileDeleted, Some(DAYS[1]), None, Some(5)),
            (Kind::FileDeleted, Some(DAYS[2]), None, Some(9)),
        ],
    },
    Case {
        name: "all files deleted",
        tamper: |w| DAYS.iter().for_each(|day| fs::remove_file(w.path(day)).unwrap()),
        told: &[
            (Kind::FileDeleted, Some(DAYS[0]), None, Some(1)),
            (Kind::FileDeleted, Some(DAYS[1]), None, Some(5)),
            (Kind::FileDeleted, Some(DAYS[2]), None, Some(9)),
            (Kind::FileDeleted, Some(DAYS[3]), None, Some(13)),
        ],
    },
    Case {
        name: "a file cut short and the next deleted",
        tamper: |w| {
            change(w, 1, |l| l.truncate(3));
            fs::remove_file(w.path(DAYS[2])).unwrap();
        },
        told: &[
            (Kind::Truncated, Some(DAYS[1]), None, Some(8)),
            (Kind::FileDeleted, Some(DAYS[2]), None, Some(9)),
        ],
    },
    Case {
        name: "a file renamed to another day",
        tamper: |w| fs::rename(w.path(DAYS[1]), w.path("2026-01-05.jsonl")).unwrap(),
        told: &[
            (Kind::Reordered, Some("2026-01-05.jsonl"), Some(1), Some(5)),
            (Kind::Reordered, Some("2026-01-05.jsonl"), Some(2), Some(6)),
            (Kind::Reordered, Some("2026-01-05.jsonl"), Some(3), Some(7)),
            (Kind::Reordered, Some("2026-01-05.jsonl"), Some(4), Some(8)),
        ],
    },
    Case {
        name: "two things at once",
        tamper: |w| {
            change(w, 0, |l| l[1] = l[1].replace("tool1", "tool9"));
            change(w, 3, |l| drop(l.remove(1)));
        },
        told: &[
            (Kind::Edited, Some(DAYS[0]), Some(2), Some(2)),
            (Kind::Removed, Some(DAYS[3]), Some(2), Some(14)),
        ],
    },
];

#[test]
fn every_change_is_found_and_named() {
    for case in CASES {
        let world = four_days();
        (case.tamper)(&world);
        let report = world.verify();
        let told: Vec<_> =
            report.findings.iter().map(|f| (f.kind, f.file.as_deref(), f.line, f.seq)).collect();
        assert_eq!(told, case.told, "{}: {:#?}", case.name, report.findings);
        for finding in &report.findings {
            let file = finding.file.as_deref().unwrap();
            assert!(
                finding.message.starts_with(file) && finding.message.ends_with('.'),
                "{}",
                finding.message
            );
        }
        // It stays so, whatever is appended.
        append(&world.audit(), 2);
        assert!(!world.verify().findings.is_empty(), "{}, after more was appended", case.name);
    }
}

/// Everything from a record on written anew, with hashes that fit: only the database knows.
#[test]
fn a_rewritten_chain_is_found_by_its_head() {
    let world = four_days();
    let mut at = Position::START;
    for name in DAYS {
        let text = fs::read_to_string(world.path(name)).unwrap();
        let mut rewritten = Vec::new();
        for line in text.lines() {
            let mut record = line::Line::parse(line.as_bytes()).unwrap().record().unwrap();
            if at.seq == 6 {
                record.tool_name = "harmless".into();
            }
            let (line, next) = line::encode(&writer::body(&record).unwrap(), at);
            rewritten.extend(line);
            at = next;
        }
        fs::write(world.path(name), rewritten).unwrap();
    }
    let findings = world.verify().findings;
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].kind, findings[0].seq), (Kind::Edited, Some(16)));
    assert!(findings[0].message.contains("or one before it"), "{}", findings[0].message);
}

#[test]
fn findings_are_bounded() {
    let world = World::new();
    append(&world.audit(), 1);
    let path = world.path(DAYS[0]);
    let mut text = fs::read_to_string(&path).unwrap();
    let copy = text.clone();
    for n in 0..1500 {
        text.push_str(if n % 2 == 0 { &copy } else { "nonsense\n" });
    }
    text.push_str(&copy);
    fs::write(&path, text).unwrap();
    let report = world.verify();
    assert_eq!(report.findings.len(), 1000);
    assert_eq!(report.more_findings, 501);
}

#[test]
fn numbers_beyond_all_measure_are_no_trouble() {
    let world = four_days();
    change(&world, 1, |l| l.insert(1, forge(&l[1], Some(u64::MAX))));
    let report = world.verify();
    assert!(!report.findings.is_empty());
    append(&world.audit(), 1);
    assert!(!world.verify().findings.is_empty());
}
