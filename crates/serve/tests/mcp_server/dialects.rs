//! In a dialect: its names, its parameters, the shapes of its results.

use deskhand_serve::mcp::server::Offer;
use rmcp::model::ProtocolVersion;
use serde_json::json;

use super::{
    desk::Desk,
    tester::{Person, connect_to, status, text},
};

async fn speaking(desk: &Desk, dialect: &str) -> super::tester::Connected {
    let offer = Offer { dialect: Some(dialect.to_owned()), ..Offer::default() };
    connect_to(desk.server(offer), Person::Yes, ProtocolVersion::V_2025_11_25).await
}

#[tokio::test]
async fn only_what_is_built_is_listed_in_its_own_words() {
    let desk = Desk::new();
    for dialect in desk.gate.registry.dialects() {
        let connected = speaking(&desk, dialect.name).await;
        let listed = connected.client.list_all_tools().await.unwrap();
        assert!(!listed.is_empty(), "{}", dialect.name);
        for tool in &listed {
            let entry = dialect
                .entry(&tool.name)
                .unwrap_or_else(|| panic!("{} is not of {}", tool.name, dialect.name));
            assert!(
                desk.gate.registry.own().any(|own| own.spec().name == entry.tool),
                "{} is not built",
                tool.name
            );
            let parameters: Vec<&str> = entry.parameters.iter().map(|parameter| parameter.name).collect();
            let properties = tool.input_schema["properties"].as_object().unwrap();
            assert!(properties.keys().all(|name| parameters.contains(&name.as_str())), "{}", tool.name);
            assert!(tool.output_schema.is_none(), "{}", tool.name);
        }
    }
}

#[tokio::test]
async fn an_object_is_text_and_structure() {
    let desk = Desk::new();
    desk.write("a.txt", "x");
    let offer = Offer { dialect: Some("omni".to_owned()), structured: true, ..Offer::default() };
    let connected = connect_to(desk.server(offer), Person::Yes, ProtocolVersion::V_2025_06_18).await;
    let result = connected.call("get_file_info", json!({"path": "a.txt"})).await;
    let shaped = result.structured_content.clone().unwrap();
    assert_eq!(shaped["success"], true, "{shaped}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(text(&result)).unwrap(), shaped);
    let failed = connected.call("get_file_info", json!({"path": "none.txt"})).await;
    assert_eq!(
        (failed.is_error, &failed.structured_content.unwrap()["success"]),
        (Some(true), &json!(false))
    );
}

#[tokio::test]
async fn a_string_is_text_alone() {
    let desk = Desk::new();
    desk.write("a.txt", "one line\n");
    let connected = speaking(&desk, "countbot").await;
    let result = connected.call("read_file", json!({"path": "a.txt"})).await;
    assert_eq!(status(&result), "success");
    assert!(text(&result).contains("one line"), "{result:?}");
    assert_eq!(result.structured_content, None);
}
