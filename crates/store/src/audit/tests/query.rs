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
    let mut filter = AuditFilter { limit: 4, ..AuditFilter::default() };
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
    let all = audit.query(&AuditFilter::default()).unwrap();
    assert_eq!((all.records.len(), all.next), (15, None));
    assert_eq!(all.records[0].hash, world.lines()[14]["hash"]);
}

#[test]
fn every_field_can_be_asked_for() {
    let world = World::new();
    let audit = world.audit();
    let noon: Time = jiff::Timestamp::from_second(NOON).unwrap().into();
    let mut records: Vec<_> = (0..4).map(|n| record(&format!("tool{n}"))).collect();
    records[1].status = "error".into();
    records[2].session_id = "other".into();
    records[3].phase = Phase::Notice;
    for (n, record) in records.iter_mut().enumerate() {
        record.timestamp = noon.plus(Duration::from_secs(n as u64));
        audit.append(record).unwrap();
    }
    let all = AuditFilter::default;
    let text = |text: &str| Some(text.to_owned());
    for (filter, expected) in [
        (AuditFilter { tool: text("tool0"), ..all() }, vec![1]),
        (AuditFilter { status: text("error"), ..all() }, vec![2]),
        (AuditFilter { session_id: text("other"), ..all() }, vec![3]),
        (AuditFilter { phase: Some(Phase::Notice), ..all() }, vec![4]),
        (AuditFilter { call_id: records[1].call_id, ..all() }, vec![2]),
        (AuditFilter { since: Some(records[2].timestamp), ..all() }, vec![4, 3]),
        (AuditFilter { since: Some(noon.plus(Duration::from_hours(24))), ..all() }, vec![]),
        (AuditFilter { before: Some(3), limit: 1, ..all() }, vec![2]),
        (AuditFilter { before: Some(1), ..all() }, vec![]),
        (AuditFilter { tool: text("tool0"), status: text("error"), ..all() }, vec![]),
    ] {
        assert_eq!(seqs(&audit.query(&filter).unwrap()), expected, "{filter:?}");
    }
    let page = audit.query(&AuditFilter { call_id: records[1].call_id, ..all() }).unwrap();
    assert_eq!(page.records[0].record, records[1]);
}

#[test]
fn what_cannot_be_read_is_left_out() {
    let world = World::new();
    append(&world.audit(), 2);
    let path = world.path("2026-01-01.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("nonsense\n{text}{{\"seq\":3,")).unwrap();
    assert_eq!(seqs(&world.audit().query(&AuditFilter::default()).unwrap()), [2, 1]);
    assert!(World::new().audit().query(&AuditFilter::default()).unwrap().records.is_empty());
}
