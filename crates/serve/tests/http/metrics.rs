//! What the server counts of itself.

use reqwest::Method;

use crate::harness::{House, Who};

#[tokio::test]
async fn requests_are_counted_by_route_and_status() {
    let house = House::start().await;
    let session = house.session(Who::Owner, "s").await;
    for id in [session.as_str(), "none", "xyzzy"] {
        house.get(Who::Owner, &format!("/api/v1/sessions/{id}")).await;
    }
    house.get(Who::Nobody, "/api/v1/sessions").await;
    house.get(Who::Owner, "/no/such/page.txt").await;
    let path = format!("/api/v1/sessions/{session}/events");
    let stream = house.ask(Who::Owner, Method::GET, &path).send().await.unwrap();
    let response = house.ask(Who::Owner, Method::GET, "/metrics").send().await.unwrap();
    assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/plain; version=0.0.4"));
    let text = response.text().await.unwrap();
    let route = "route=\"/api/v1/sessions/{session_id}\",method=\"GET\"";
    for line in [
        &format!("deskhand_http_requests_total{{{route},status=\"200\"}} 1"),
        &format!("deskhand_http_requests_total{{{route},status=\"404\"}} 2"),
        "deskhand_http_requests_total{route=\"/api/v1/sessions\",method=\"GET\",status=\"401\"} 1",
        "deskhand_http_requests_total{route=\"page\",method=\"GET\",status=\"404\"} 1",
        "deskhand_http_request_duration_seconds_count{route=\"/api/v1/sessions/{session_id}\"} 3",
        "deskhand_open_streams 1",
        "deskhand_running_turns 0",
        "deskhand_pending_approvals 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    assert!(
        text.contains("\nprocess_resident_memory_bytes ") && text.contains("\nprocess_start_time_seconds ")
    );
    assert!(!text.contains("xyzzy"), "nothing that was asked for stands in it");
    drop(stream);
    let (status, _) = house.get(Who::Bob, "/metrics").await;
    assert_eq!(status, 403);
    for _ in 0..100 {
        let text = house.ask(Who::Owner, Method::GET, "/metrics").send().await.unwrap().text().await.unwrap();
        if text.contains("deskhand_open_streams 0\n") {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("a stream that was let go is still counted");
}
