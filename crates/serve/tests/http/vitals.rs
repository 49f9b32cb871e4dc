//! How the machine fares.

use serde_json::Value;

use crate::harness::{House, Who};

#[tokio::test]
async fn once_and_as_it_goes_on() {
    let house = House::start().await;
    let (status, sample) = house.get(Who::Bob, "/api/v1/vitals").await;
    assert_eq!(status, 200, "{sample}");
    assert!(sample["memory"]["total"].as_u64().unwrap() > 0, "{sample}");
    assert!(!sample["cpus"].as_array().unwrap().is_empty());
    let two = |seen: &str| seen.matches("event: vitals").count() >= 2;
    let seen = house.stream_until(Who::Owner, "/api/v1/vitals/events", two).await;
    let samples: Vec<Value> = seen
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str(data).unwrap())
        .collect();
    assert!(samples.len() >= 2, "{seen}");
    assert!(samples[0]["at"].as_str() < samples[1]["at"].as_str(), "{seen}");
}
