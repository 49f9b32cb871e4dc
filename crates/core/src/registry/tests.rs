use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};

use super::*;
use crate::{
    Cx, Effects, Permission, Plan, Services,
    dialect::Dialect,
    tool::{ErasedTool, Reply},
};

struct Nothing;

impl ErasedTool for Nothing {
    fn available(&self, _: &Services) -> Result<(), Absent> {
        Ok(())
    }

    fn plan<'a>(&'a self, _: &'a Value, _: &'a Cx) -> BoxFuture<'a, ToolResult<Plan>> {
        async { Ok(Plan::new("nothing")) }.boxed()
    }

    fn run<'a>(&'a self, _: Value, _: &'a Cx) -> BoxFuture<'a, ToolResult<Reply>> {
        async { Ok(Reply::default()) }.boxed()
    }
}

fn guest(name: &str) -> Guest {
    Guest {
        name: name.to_owned(),
        description: format!("{name} of somebody"),
        permission: Permission::Moderate,
        effects: Effects::NETWORK,
        timeout_s: 60,
        shared: false,
        input_schema: json!({"type": "object"}),
        output_schema: Value::Null,
        tool: Arc::new(Nothing),
    }
}

const THEIRS: &[DialectEntry] = &[DialectEntry::new("theirs", "ours", &[])];

fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.add_dialect(Dialect {
        name: "other",
        about: "another system",
        entries: THEIRS,
        shape: |outcome| Value::String(outcome.text.clone()),
    });
    registry
}

fn names(registry: &Registry) -> Vec<String> {
    registry.offered().map(|entry| entry.spec().name.to_owned()).collect()
}

#[test]
fn guests_come_change_and_go() {
    let registry = registry();
    let mut changes = registry.changes();
    assert!(registry.receive("a", vec![guest("mcp_a_x"), guest("mcp_a_y")]).is_empty());
    assert!(registry.receive("b", vec![guest("mcp_b_x")]).is_empty());
    assert!(changes.has_changed().unwrap());
    changes.mark_unchanged();
    assert_eq!(names(&registry), ["mcp_a_x", "mcp_a_y", "mcp_b_x"]);
    let found = registry.find("mcp_a_x", None).unwrap().entry;
    assert_eq!(found.host(), Some("a"));
    assert_eq!(found.said_by().as_deref(), Some("the MCP server a"));
    assert_eq!(found.spec().description, "mcp_a_x of somebody");
    assert_eq!(registry.toolset("b").unwrap().len(), 1);
    assert!(registry.toolset_names().contains(&"a".to_owned()));

    registry.receive("a", vec![guest("mcp_a_z")]);
    assert!(changes.has_changed().unwrap());
    assert_eq!(names(&registry), ["mcp_a_z", "mcp_b_x"], "the order of servers stays");
    assert!(registry.find("mcp_a_x", None).is_err());
    // Who holds an entry may go on with it.
    assert_eq!(found.spec().name, "mcp_a_x");
    registry.receive("a", Vec::new());
    assert_eq!(names(&registry), ["mcp_b_x"]);
    assert_eq!(registry.hosts(), ["a", "b"]);
}

#[test]
fn no_guest_takes_a_name_that_is_taken_or_brings_a_broken_schema() {
    let registry = registry();
    registry.receive("a", vec![guest("mcp_a_x")]);
    let broken = Guest { input_schema: json!({"type": "surely not"}), ..guest("mcp_b_broken") };
    let remote =
        Guest { input_schema: json!({"$ref": "http://127.0.0.1:9/schema.json"}), ..guest("mcp_b_remote") };
    let refused = registry.receive(
        "b",
        vec![guest("theirs"), guest("mcp_a_x"), guest("mcp_b_x"), guest("mcp_b_x"), broken, remote],
    );
    let refused: Vec<&str> = refused.iter().map(|refused| refused.name.as_str()).collect();
    assert_eq!(refused, ["theirs", "mcp_a_x", "mcp_b_x", "mcp_b_broken", "mcp_b_remote"]);
    assert_eq!(names(&registry), ["mcp_a_x", "mcp_b_x"]);
    assert_eq!(registry.find("mcp_a_x", None).unwrap().entry.host(), Some("a"), "the first one has it");
}

#[derive(Clone, serde::Deserialize, schemars::JsonSchema)]
struct NoInput {}

struct Twice(&'static str);

impl Tool for Twice {
    type Input = NoInput;
    type Output = String;
    const SPEC: Spec = Spec::new("twice", "Registered twice.");

    async fn plan(&self, _: &NoInput, _: &Cx) -> ToolResult<Plan> {
        Ok(Plan::new(self.0))
    }

    async fn run(&self, _: NoInput, _: &Cx) -> ToolResult<String> {
        Ok(self.0.to_owned())
    }
}

#[test]
fn second_tool_of_the_same_name_is_an_error() {
    let mut registry = registry();
    registry.add(Twice("first"));
    assert_eq!(registry.probe(&Services::default()), Ok(()));
    registry.add(Twice("second"));
    let error = registry.probe(&Services::default()).unwrap_err();
    assert_eq!(error.to_string(), "two tools are called twice: a name can be registered once");
    assert_eq!(names(&registry), ["twice"], "the second was not taken");
}

#[test]
fn name_twice_in_a_dialect_is_an_error() {
    const BOTH: &[DialectEntry] =
        &[DialectEntry::new("x", "ours", &[]), DialectEntry::new("x", "other", &[])];
    let mut registry = Registry::new();
    registry.add_dialect(Dialect { name: "odd", about: "odd", entries: BOTH, shape: |_| Value::Null });
    let error = registry.probe(&Services::default()).unwrap_err();
    assert_eq!(error.to_string(), "two tools are called x in the dialect odd: a name can be registered once");
}

#[test]
fn configured_arguments_count_instead_of_the_tables() {
    const TABLE: &[DialectEntry] = &[DialectEntry::new("theirs", "twice", &[]).fixed(r#"{"a": 1, "b": 2}"#)];
    let mut registry = Registry::new();
    registry.add(Twice("it"));
    registry.add_dialect(Dialect { name: "other", about: "other", entries: TABLE, shape: |_| Value::Null });
    let canonical = |registry: &Registry| {
        registry.find("theirs", Some("other")).unwrap().to_canonical(json!({"a": 9, "c": 3}))
    };
    assert_eq!(canonical(&registry), json!({"a": 1, "b": 2, "c": 3}));
    registry.configure("other", "theirs", [("b".to_owned(), json!(5))].into_iter().collect());
    assert_eq!(canonical(&registry), json!({"a": 1, "b": 5, "c": 3}));
}
