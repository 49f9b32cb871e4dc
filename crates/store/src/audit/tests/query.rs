//! Listing records.

use super::*;

fn seqs(page: &AuditPage) -> Vec<u64> {
    page.records.iter().map(|kept| kept.seq).collect()
}

#[test]
fn pages_go_from_the_newest_to_the_oldest() {
    let world = World::new();
    for day in 0..3 {
        world.set_day(day);
        append(&world.audit(), 5);
    }
    let audit = world.audit();
    let mut filter = AuditQuery { limit: 4, ..AuditQuery::default() };
    let mut seen = Vec::new();
    let mut pages = 0;
    loop {
        let page = audit.query(&filter).unwrap();
        seen.extend(seqs(&page));
        pages += 1;
        filter.before = page.next;
        if page.next.is_none() {
            break;
        }
    }
    assert_eq!(seen, (1..=15).rev().collect::<Vec<_>>());
    assert_eq!(pages, 4);
    let all = audit.query(&AuditQuery::default()).unwrap();
    assert_eq!((all.records.len(), all.next), (15, None));
    assert_eq!(all.records[0].hash, world.lines()[14]["hash"]);
}

#[test]
fn pages_can_be_counted() {
    let world = World::new();
    for day in 0..3 {
        world.set_day(day);
        append(&world.audit(), 3);
    }
    let audit = world.audit();
    for (page, limit, expected, has_more) in [
        (0, 4, vec![9, 8, 7, 6], true),
        (1, 4, vec![9, 8, 7, 6], true),
        (2, 4, vec![5, 4, 3, 2], true),
        (3, 4, vec![1], false),
        (4, 4, vec![], false),
        (3, 3, vec![3, 2, 1], false),
        (usize::MAX, 4, vec![], false),
        (2, 0, vec![], false),
    ] {
        let found = audit.query(&AuditQuery { page, limit, ..AuditQuery::default() }).unwrap();
        assert_eq!((seqs(&found), found.has_more()), (expected, has_more), "page {page} of {limit}");
    }
    // Counted among what fits.
    let query = AuditQuery { before: Some(6), page: 2, limit: 2, ..AuditQuery::default() };
    assert_eq!(seqs(&audit.query(&query).unwrap()), [3, 2]);
    let nobody = AuditQuery { owner: Some(Owner::Only(Some("nobody".into()))), ..AuditQuery::default() };
    assert!(audit.query(&nobody).unwrap().records.is_empty());
}

#[test]
fn every_field_can_be_asked_for() {
    let world = World::new();
    let audit = world.audit();
    let noon: Time = jiff::Timestamp::from_second(NOON).unwrap().into();
    let mut records: Vec<_> = (0..4).map(|n| record(&format!("tool{n}"))).collect();
    records[1].status = "error".into();
    records[2].session_id = "other".into();
    records[2].owner = Some("bob".into());
    records[3].phase = Phase::Notice;
    for (n, record) in records.iter_mut().enumerate() {
        record.timestamp = noon.plus(Duration::from_secs(n as u64));
        audit.append(record).unwrap();
    }
    let all = AuditQuery::default;
    let text = |text: &str| Some(text.to_owned());
    for (filter, expected) in [
        (AuditQuery { tool: text("tool0"), ..all() }, vec![1]),
        (AuditQuery { status: text("error"), ..all() }, vec![2]),
        (AuditQuery { session_id: text("other"), ..all() }, vec![3]),
        (AuditQuery { phase: Some(Phase::Notice), ..all() }, vec![4]),
        (AuditQuery { call_id: records[1].call_id, ..all() }, vec![2]),
        (AuditQuery { since: Some(records[2].timestamp), ..all() }, vec![4, 3]),
        (AuditQuery { since: Some(noon.plus(Duration::from_hours(24))), ..all() }, vec![]),
        (AuditQuery { before: Some(3), limit: 1, ..all() }, vec![2]),
        (AuditQuery { before: Some(1), ..all() }, vec![]),
        (AuditQuery { owner: Some(Owner::Only(text("bob"))), ..all() }, vec![3]),
        (AuditQuery { owner: Some(Owner::Only(None)), ..all() }, vec![4, 2, 1]),
        (AuditQuery { owner: Some(Owner::Everyone), ..all() }, vec![4, 3, 2, 1]),
        (AuditQuery { tool: text("tool0"), status: text("error"), ..all() }, vec![]),
    ] {
        assert_eq!(seqs(&audit.query(&filter).unwrap()), expected, "{filter:?}");
    }
    let page = audit.query(&AuditQuery { call_id: records[1].call_id, ..all() }).unwrap();
    assert_eq!(page.records[0].record, records[1]);
}

#[test]
fn what_cannot_be_read_is_left_out() {
    let world = World::new();
    append(&world.audit(), 2);
    let path = world.path("2026-01-01.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("nonsense\n{text}{{\"seq\":3,")).unwrap();
    assert_eq!(seqs(&world.audit().query(&AuditQuery::default()).unwrap()), [2, 1]);
    assert!(World::new().audit().query(&AuditQuery::default()).unwrap().records.is_empty());
}
