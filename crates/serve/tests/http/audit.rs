//! What was done.

use std::fs;

use serde_json::json;

use crate::harness::{House, Who};

#[tokio::test]
async fn everyone_reads_the_records_of_their_own_calls() {
    let house = House::start().await;
    let session = house.session(Who::Owner, "s").await;
    for name in ["a", "b", "c"] {
        fs::write(house.workspace.join(name), name).unwrap();
        house.call(Who::Owner, Some(&session), "read_file", json!({"path": name})).await;
    }
    house.call(Who::Bob, None, "list_dir", json!({"path": "."})).await;

    let (_, all) = house.get(Who::Owner, "/api/v1/audit?status=success").await;
    let paths: Vec<_> =
        all["records"].as_array().unwrap().iter().map(|record| &record["arguments"]["path"]).collect();
    assert_eq!(paths, ["c", "b", "a"], "newest first: {all}");
    assert_eq!(all["has_more"], false);
    assert_eq!(all["records"][0]["hash"].as_str().unwrap().len(), 64);
    let (_, page) = house.get(Who::Owner, "/api/v1/audit?status=success&page=2&page_size=2").await;
    assert_eq!(
        (page["records"][0]["arguments"]["path"].as_str(), &page["has_more"]),
        (Some("a"), &json!(false))
    );
    let (_, first) = house.get(Who::Owner, "/api/v1/audit?status=success&page_size=2").await;
    assert_eq!((first["records"].as_array().unwrap().len(), &first["has_more"]), (2, &json!(true)));
    for (query, count) in [
        ("tool=list_dir", 0),
        ("tool=read_file", 6),
        ("session_id=none", 0),
        (&format!("session_id={session}"), 6),
    ] {
        let (_, found) = house.get(Who::Owner, &format!("/api/v1/audit?{query}")).await;
        assert_eq!(found["records"].as_array().unwrap().len(), count, "{query}: {found}");
    }
    let (_, bobs) = house.get(Who::Bob, "/api/v1/audit").await;
    let records = bobs["records"].as_array().unwrap();
    assert_eq!(records.len(), 2, "arrival and end: {bobs}");
    assert!(
        records.iter().all(|record| record["owner"] == "bob" && record["tool_name"] == "list_dir"),
        "{bobs}"
    );
    for query in ["page=0", "page_size=0", "page_size=1001", "page=1000000&page_size=1000", "page=x"] {
        assert_eq!(house.get(Who::Owner, &format!("/api/v1/audit?{query}")).await.0, 400, "{query}");
    }
}

#[tokio::test]
async fn a_record_that_was_changed_is_found() {
    let house = House::start().await;
    house.call(Who::Owner, None, "list_dir", json!({"path": "."})).await;
    let (_, whole) = house.get(Who::Bob, "/api/v1/audit/verify").await;
    assert_eq!(whole, json!({"intact": true, "records": 2}));
    let log = fs::read_dir(house.data.join("audit")).unwrap().find_map(|entry| {
        let path = entry.unwrap().path();
        path.extension().is_some_and(|ending| ending == "jsonl").then_some(path)
    });
    let log = log.unwrap();
    let forged = fs::read_to_string(&log).unwrap().replacen("list_dir", "read_dir", 1);
    fs::write(&log, forged).unwrap();
    let (_, found) = house.get(Who::Owner, "/api/v1/audit/verify").await;
    assert_eq!(found["intact"], false, "{found}");
    assert!(!found["problem"].as_str().unwrap().contains("tell the owner"), "{found}");
    let (_, bobs) = house.get(Who::Bob, "/api/v1/audit/verify").await;
    assert!(
        bobs["intact"] == false && bobs["problem"].as_str().unwrap().contains("tell the owner"),
        "{bobs}"
    );
}
