use std::collections::HashMap;

use deskhand_core::{CallId, cx::CxParts, event::NoEvents};
use deskhand_guard::SecretScreener;
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::mcp::client::{Limits, Places, ServerConfig};

fn tool(entry: Value, permission: Permission) -> GuestTool {
    let config: ServerConfig = serde_json::from_value(entry).unwrap();
    let places = Places {
        workspaces: Vec::new(),
        environment: HashMap::new(),
        screener: Arc::new(SecretScreener),
        answerer: None,
        keeper: None,
        limits: Limits::default(),
    };
    let server = Server::new("s".into(), config, places, Vec::new(), watch::Sender::new(0));
    server.defines([("t".to_owned(), "0123456789abcdef0123".to_owned())].into());
    GuestTool {
        server: Arc::new(server),
        name: "t".into(),
        permission,
        effects: Effects::WRITES,
        hints: None,
    }
}

fn cx(owner: Option<&str>) -> Cx {
    Cx::new(CxParts {
        call: CallId::new(),
        tool: "mcp_s_t".into(),
        session_id: "s".into(),
        owner: owner.map(str::to_owned),
        services: Services::default(),
        cancel: CancellationToken::new(),
        events: Arc::new(NoEvents),
        screener: Arc::new(SecretScreener),
    })
}

#[tokio::test]
async fn a_plan_does_not_survive_another_definition_of_the_tool() {
    let tool = tool(json!({"command": "x"}), Permission::Moderate);
    let plan = tool.plan(&json!({"a": 1}), &cx(None)).await.unwrap();
    let same = tool.plan(&json!({"a": 1}), &cx(None)).await.unwrap();
    assert!(plan.still_holds(&same));
    tool.server.defines([("t".to_owned(), "another-hash-of-it".to_owned())].into());
    let later = tool.plan(&json!({"a": 1}), &cx(None)).await.unwrap();
    assert!(!plan.still_holds(&later));
    let approved = cx(None).approved(Arc::new(plan), CancellationToken::new());
    let error = tool.run(json!({"a": 1}), &approved).await.unwrap_err();
    assert_eq!(error.code, "plan_changed", "{error}");
    tool.server.defines(HashMap::new());
    assert_eq!(tool.plan(&json!({}), &cx(None)).await.unwrap_err().code, "mcp_tool_gone");
}

#[tokio::test]
async fn the_plan_says_whose_tool_it_is_and_nothing_that_keeps_it_from_being_granted() {
    let tool = tool(json!({"url": "https://h.example:8443/mcp?key=hunter2-hunter2"}), Permission::Moderate);
    let plan = tool.plan(&json!({"a": "b\u{202e}c"}), &cx(None)).await.unwrap();
    assert_eq!(plan.summary, "mcp_s_t: call «t» of the MCP server s.");
    assert_eq!((plan.permission, plan.rule.as_str()), (Permission::Moderate, "mcp:s"));
    assert_eq!(plan.outside.as_deref(), Some("the MCP server s"));
    assert!(plan.hosts.is_empty() && plan.programs.is_empty() && plan.cwd.is_none());
    assert!(plan.notes.iter().any(|note| note == "The server is at h.example:8443."), "{:?}", plan.notes);
    let preview = plan.preview.as_ref().unwrap().text();
    assert!(preview.contains("b\\u{202e}c"), "what goes out unseen is shown: {preview}");
    assert!(!format!("{plan:?}").contains("hunter2"));
}

#[tokio::test]
async fn other_users_may_call_only_what_is_shared() {
    let own = tool(json!({"command": "x"}), Permission::Public);
    assert!(own.plan(&json!({}), &cx(None)).await.is_ok());
    let refused = own.plan(&json!({}), &cx(Some("bob"))).await.unwrap_err();
    assert_eq!((refused.status, refused.code), (Status::Blocked, "mcp_not_shared"));
    let shared = tool(json!({"command": "x", "shared": true}), Permission::Public);
    assert!(shared.plan(&json!({}), &cx(Some("bob"))).await.is_ok());
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_of() {
    let tool = tool(json!({"command": "x"}), Permission::Moderate);
    tool.server.wrote("cannot open the door");
    tool.server.down("it ended with exit code 3");
    let plan = tool.plan(&json!({}), &cx(None)).await.unwrap();
    let error = tool.run(json!({}), &cx(None).approved(Arc::new(plan), CancellationToken::new())).await;
    let error = error.unwrap_err();
    assert_eq!(error.code, "mcp_server_down");
    assert!(error.message.contains("exit code 3") && error.message.contains("open the door"), "{error}");
}

#[test]
fn what_is_not_shown_of_the_arguments_is_told() {
    assert_eq!(preview("{\n  \"a\": 1\n}"), "{\n  \"a\": 1\n}");
    let shown = preview(&"x".repeat(LONGEST_PREVIEW + 7));
    assert!(shown.contains("… and 7 more characters; sha256"), "{shown}");
}

#[tokio::test]
async fn a_tool_cannot_pass_for_one_of_another_server() {
    let mut tool = tool(json!({"command": "x"}), Permission::Moderate);
    tool.name = "status» of the MCP server git (verified)".into();
    tool.server.defines([(tool.name.clone(), "0123456789abcdef0123".to_owned())].into());
    let plan = tool.plan(&json!({}), &cx(None)).await.unwrap();
    let expected = "mcp_s_status__of_the_MCP_server_git__verified_: \
                    call «status of the MCP server git (verified)» of the MCP server s.";
    assert_eq!(plan.summary, expected);
}
