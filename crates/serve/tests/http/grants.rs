//! Remembered answers.

use deskhand_core::{Grant, GrantBook, GrantEffect, Scope, Shape, Time, id::new_id};
use serde_json::json;

use crate::harness::{House, Who};

/// A remembered no of somebody; returns its id.
pub fn remember(house: &House, owner: Option<&str>, reason: &str) -> String {
    let grant = Grant {
        id: new_id(),
        owner: owner.map(str::to_owned),
        effect: GrantEffect::Deny,
        tool: "file_delete".into(),
        shape: Shape::AnyArguments,
        scope: Scope::Always,
        until: None,
        created_at: Time::now(),
        created_by: "person:test".into(),
        reason: Some(reason.to_owned()),
    };
    house.store.grants().add(&grant).unwrap();
    grant.id
}

#[tokio::test]
async fn everyone_sees_and_forgets_their_own() {
    let house = House::start().await;
    let (owners, bobs) = (remember(&house, None, "mine"), remember(&house, Some("bob"), "his"));
    for (who, id, reason) in [(Who::Owner, &owners, "mine"), (Who::Bob, &bobs, "his")] {
        let (_, list) = house.get(who, "/api/v1/grants").await;
        let grants = list["grants"].as_array().unwrap();
        assert_eq!(grants.len(), 1, "{list}");
        assert_eq!((&grants[0]["id"], &grants[0]["reason"]), (&json!(id), &json!(reason)));
        assert!(grants[0]["words"].as_str().unwrap().starts_with("Refuse "), "{list}");
        assert_eq!(grants[0]["expired"], false);
    }
    assert_eq!(house.delete(Who::Bob, &format!("/api/v1/grants/{owners}")).await.0, 404);
    assert_eq!(house.store.grants().list().unwrap().len(), 2);
    assert_eq!(house.delete(Who::Bob, &format!("/api/v1/grants/{bobs}")).await.0, 200);
    assert_eq!(house.delete(Who::Bob, &format!("/api/v1/grants/{bobs}")).await.0, 404);
    assert_eq!(house.store.grants().list().unwrap().len(), 1);
}
