//! What the tools of other systems are said to be, and their settings, as scripts and people meet them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::command::Shop;

const DIALECTS: [&str; 4] = ["omni", "countbot", "skillmint", "ops"];

fn names(schema: &Value) -> BTreeSet<&str> {
    schema["properties"].as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn listing_describes_every_tool_in_both_languages() {
    let shop = Shop::new();
    for dialect in DIALECTS {
        let listed = shop.run(&["tools", "--dialect", dialect, "--json"]).json();
        for tool in listed["tools"].as_array().unwrap() {
            for field in ["description", "description_zh"] {
                assert!(!tool[field].as_str().unwrap().is_empty(), "{dialect} {}: {field}", tool["name"]);
            }
            assert!(tool["available"].is_boolean(), "{dialect} {}", tool["name"]);
        }
    }
    let text = shop.run(&["tools", "--dialect", "skillmint"]).stdout;
    let edit = text.lines().find(|line| line.starts_with("edit ")).unwrap();
    assert!(edit.contains("= edit_file") && edit.contains("old_string must be in it once"), "{edit}");
    assert!(edit.ends_with("(path, old_string, new_string, replace_all)"), "{edit}");
    let chinese =
        shop.command(&["tools", "--dialect", "ops"]).env("DESKHAND_LANGUAGE", "zh").output().unwrap();
    let chinese = String::from_utf8(chinese.stdout).unwrap();
    assert!(chinese.contains("监控系统资源使用情况"), "{chinese}");
}

/// In text and for programs, like the listing of our own tools.
#[test]
fn listing_says_why_a_tool_is_not_available() {
    let shop = Shop::new();
    let ours = shop.run(&["tools", "--json"]).json();
    let absent = ours["absent"].as_array().unwrap();
    let why_ours = |tool: &Value| absent.iter().find(|entry| entry["name"] == *tool);
    let listed = shop.run(&["tools", "--dialect", "omni", "--json"]).json();
    let text = shop.run(&["tools", "--dialect", "omni"]).stdout;
    for tool in listed["tools"].as_array().unwrap() {
        let (why, name) = (why_ours(&tool["tool"]), tool["name"].as_str().unwrap());
        let row = text.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap();
        match why {
            Some(why) => {
                assert_eq!((&tool["why"], &tool["remedy"]), (&why["why"], &why["remedy"]), "{tool}");
                assert!(row.contains(why["why"].as_str().unwrap()), "{row}");
            }
            None => assert!(tool.get("why").is_none(), "{tool}"),
        }
    }
    let windows =
        listed["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "list_windows").unwrap();
    assert_eq!(windows["available"], false, "there is no display in this test");
}

#[test]
fn openai_definitions_have_the_dialects_names_and_parameters() {
    let shop = Shop::new();
    for dialect in DIALECTS {
        let listed = shop.run(&["tools", "--dialect", dialect, "--json"]).json();
        let listed = listed["tools"].as_array().unwrap();
        // What is not built, or has no desktop here, is not defined: it could not be called.
        let wanted: Vec<&Value> = listed.iter().filter(|tool| tool["available"] == true).collect();
        let defined = shop.run(&["tools", "--dialect", dialect, "--format", "openai", "--json"]).json();
        let defined = defined.as_array().unwrap();
        assert_eq!(defined.len(), wanted.len(), "{dialect}");
        for (definition, tool) in defined.iter().zip(wanted) {
            assert_eq!(definition["type"], "function");
            let function = &definition["function"];
            assert_eq!(function["name"], tool["name"]);
            assert_eq!(function["description"], tool["description"]);
            assert_eq!(function["parameters"], tool["input_schema"]);
        }
    }
    let one = shop.run(&["tools", "glob", "--dialect", "skillmint", "--format", "openai", "--json"]).json();
    assert_eq!(one["function"]["name"], "glob");
    assert_eq!(names(&one["function"]["parameters"]), BTreeSet::from(["base_dir", "pattern"]));
    let mcp = shop.run(&["tools", "glob", "--dialect", "skillmint", "--format", "mcp", "--json"]).json();
    assert_eq!(mcp["name"], "glob");
    assert_eq!(names(&mcp["inputSchema"]), BTreeSet::from(["base_dir", "pattern"]));
    let page = shop.run(&["tools", "glob", "--dialect", "skillmint"]).stdout;
    assert!(
        page.starts_with("# glob\n") && page.contains("`base_dir`") && page.contains("`file_search`"),
        "{page}"
    );
}

/// Where there are no options, a dialect's name stands for its listing.
#[test]
fn console_lists_a_dialect_by_its_name() {
    let shop = Shop::new();
    let listed = shop.run(&["tools", "--dialect", "skillmint"]).stdout;
    assert_eq!(shop.run(&["tools", "skillmint"]).stdout, listed);
    let console = shop.run_with(&["console"], "tools skillmint\n");
    assert!(console.stdout.contains(&listed), "{console:?}");
}

/// `exec` has the time limit and the length of output that its system documents, and both can be set.
#[test]
fn limits_of_exec_are_settings() {
    let shop = Shop::new();
    let run = |command: &str, variables: &[(&str, &str)]| {
        let arguments = json!({"command": command}).to_string();
        let mut asked =
            shop.command(&["call", "exec", &arguments, "--dialect", "countbot", "--mode", "auto", "--yes"]);
        crate::command::Ran::from(asked.envs(variables.iter().copied()).output().unwrap())
    };
    let short = run("seq 1 9999", &[("DESKHAND_DIALECTS_COUNTBOT_EXEC_MAX_OUTPUT_LENGTH", "1000")]);
    assert!(short.stdout.chars().count() <= 1_400, "{} characters", short.stdout.chars().count());
    let usual = run("seq 1 9999", &[]);
    assert!((8_000..=10_400).contains(&usual.stdout.chars().count()), "{}", usual.stdout.chars().count());
    let timed_out = run("sleep 600", &[("DESKHAND_DIALECTS_COUNTBOT_EXEC_TIMEOUT_S", "1")]);
    assert_eq!(timed_out.code, 4, "{timed_out:?}");
    let wrong = run("true", &[("DESKHAND_DIALECTS_COUNTBOT_EXEC_TIMEOUT_S", "0")]);
    assert!(wrong.code != 0 && wrong.stderr.contains("from 1 to 3600"), "{wrong:?}");
}
