//! The command-line contract: what goes where, in which form, with which exit code.

use std::fs;

use serde_json::{Value, json};

use crate::command::Shop;

#[test]
fn shared_flags_are_accepted_before_and_after_the_command() {
    let shop = Shop::new();
    for arguments in [["--json", "tools"], ["tools", "--json"]] {
        assert!(shop.run(&arguments).json()["tools"].as_array().unwrap().len() > 5);
    }
    shop.write("a.txt", "x");
    let data = shop.root.join("other");
    let data = data.to_str().unwrap();
    let ws = shop.path("");
    let ws = ws.to_str().unwrap();
    for arguments in [
        ["--data-dir", data, "--workspace", ws, "--mode", "read-only", "call", "read_file", "path=a.txt"],
        ["call", "read_file", "path=a.txt", "--data-dir", data, "--workspace", ws, "--mode", "read-only"],
    ] {
        let ran = shop.run(&arguments);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    let records = |data: &str| fs::read_dir(shop.root.join(data).join("audit")).unwrap().count();
    assert!(records("other") > 0 && records("data") == 0);
}

#[test]
fn tools_are_listed_in_every_form() {
    let shop = Shop::new();
    let listing = shop.run(&["tools", "--json"]).json();
    for tool in listing["tools"].as_array().unwrap() {
        for key in [
            "name",
            "description",
            "description_zh",
            "permission",
            "effects",
            "input_schema",
            "output_schema",
            "keywords",
        ] {
            assert!(!tool[key].is_null(), "{key} of {tool}");
        }
        assert_ne!(tool["description_zh"], "", "{}", tool["name"]);
    }
    let openai = shop.run(&["tools", "--json", "--format", "openai"]).json();
    assert_eq!(openai[0]["type"], "function");
    assert!(openai[0]["function"]["parameters"]["properties"].is_object());
    let mcp = shop.run(&["tools", "--json", "--format", "mcp"]).json();
    let hint = |name: &str| {
        mcp.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap()["annotations"]["readOnlyHint"].clone()
    };
    assert_eq!((hint("read_file"), hint("write_file")), (json!(true), json!(false)));
    let core = shop.run(&["tools", "--json", "--toolset", "core"]).json();
    assert!(core["tools"].as_array().unwrap().len() < listing["tools"].as_array().unwrap().len());
    assert_eq!(shop.run(&["tools", "--toolset", "nonsense"]).code, 2);
    let page = shop.run(&["tools", "grep"]).stdout;
    assert!(page.starts_with("# grep") && page.contains("| `pattern` |"), "{page}");
    assert_eq!(shop.run(&["tools", "gerp"]).code, 2);
}

#[test]
fn dialects_say_what_is_built_and_answer_in_their_own_shape() {
    let shop = Shop::new();
    shop.write("a.txt", "hello\n");
    let built = |dialect: &str, name: &str| {
        let listed = shop.run(&["tools", "--dialect", dialect, "--json"]).json();
        listed["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap()["built"].clone()
    };
    assert_eq!((built("omni", "get_file_info"), built("ops", "file_download")), (json!(true), json!(false)));
    let info = shop.run(&["call", "get_file_info", "path=a.txt", "--dialect", "omni", "--json"]).json();
    assert_eq!((&info["success"], &info["data"]["size"]), (&json!(true), &json!(6)));
    let text = shop.run(&["call", "read_file", "path=a.txt", "--dialect", "countbot", "--json"]).json();
    assert!(text.as_str().unwrap().contains("hello"));
    let edited = shop.run(&[
        "call",
        "edit_file",
        r#"{"path":"a.txt","old_str":"hello","new_str":"bye"}"#,
        "--dialect",
        "countbot",
        "--yes",
    ]);
    assert_eq!((edited.code, shop.read("a.txt").as_str()), (0, "bye\n"), "{edited:?}");
    // A dialect's name that only it has works everywhere; its bounds bind where it was asked for.
    let plain = shop
        .run(&["call", "copy_file", r#"{"source":"a.txt","destination":"b.txt"}"#, "--yes", "--json"])
        .json();
    assert_eq!((&plain["tool"], &plain["status"]), (&json!("file_copy"), &json!("success")));
    let bounded = shop.run(&["call", "file_search", r#"{"path":".","limit":500}"#, "--dialect", "countbot"]);
    assert_eq!(bounded.code, 2, "{bounded:?}");
}

#[test]
fn a_call_ends_with_the_code_of_its_status() {
    let shop = Shop::new();
    shop.write("a.txt", "x\n");
    let cases: &[(&[&str], i32, &str)] = &[
        (&["call", "read_file", "path=a.txt", "--json"], 0, "success"),
        (&["call", "read_file", "path=none.txt", "--json"], 1, "error"),
        (&["call", "read_file", "{}", "--json"], 2, "invalid_arguments"),
        (&["call", "no_such_tool", "{}", "--json"], 2, "not_found"),
        (&["call", "write_file", "path=a.txt", "content=y", "--json"], 3, "nobody_to_ask"),
        (
            &["call", "write_file", "path=a.txt", "content=y", "--json", "--mode", "read-only", "--yes"],
            3,
            "blocked",
        ),
        (
            &["call", "write_file", "path=a.txt", "content=y", "--json", "--mode", "unattended", "--yes"],
            3,
            "nobody_to_ask",
        ),
        (&["call", "write_file", "path=../data/x", "content=y", "--json", "--yes"], 3, "blocked"),
        (&["call", "write_file", "path=a.txt", "content=y", "--json", "--mode", "auto"], 0, "success"),
    ];
    for (arguments, code, status) in cases {
        let ran = shop.run(arguments);
        assert_eq!(ran.code, *code, "{arguments:?} {ran:?}");
        let outcome = ran.json();
        assert_eq!(outcome["status"], *status, "{arguments:?}");
        for key in [
            "call_id",
            "tool",
            "text",
            "data",
            "error",
            "truncated",
            "full_output",
            "undo",
            "duration_ms",
            "permission",
            "decision",
        ] {
            assert!(outcome.get(key).is_some(), "{key} is missing in {outcome}");
        }
    }
    for wrong in [
        &["call"][..],
        &["call", "read_file", "{"],
        &["call", "read_file", "[]"],
        &["nonsense"],
        &["call", "x", "--mode", "sometimes"],
    ] {
        assert_eq!(shop.run(wrong).code, 2, "{wrong:?}");
    }
}

#[test]
fn json_is_one_value_on_stdout_whatever_happens() {
    let shop = Shop::new();
    for arguments in [
        &["--json", "call", "read_file", "{"][..],
        &["--json", "call", "read_file", "path=nothing"],
        &["--json", "approvals"],
        &["--json", "grants"],
        &["--json", "audit"],
        &["--json", "audit", "verify"],
        &["--json", "undo"],
        &["--json", "undo", "--list"],
        &["--json", "doctor"],
        &["--json", "config"],
        &["--json", "config", "trust"],
        &["--json", "explain", "read_file", "path=x"],
        &["--json", "grants", "revoke", "x"],
        &["--json", "approvals", "answer", "x", "yes"],
        &["--json", "--workspace", "/nowhere/at/all", "doctor"],
    ] {
        let ran = shop.run(arguments);
        assert!(serde_json::from_str::<Value>(&ran.stdout).is_ok(), "{arguments:?} {ran:?}");
    }
}

#[test]
fn write_explain_undo_and_proof() {
    let shop = Shop::new();
    let original = b"caf\xC3\xA9\r\nline two\r\n";
    shop.write("a.txt", original);
    let explained = shop.run(&["explain", "write_file", "path=a.txt", "content=new"]);
    assert!(
        explained.stdout.contains("ask") && explained.stdout.contains("path:workspace-write"),
        "{explained:?}"
    );
    assert!(explained.stdout.contains("-line two"), "{explained:?}");
    assert_eq!(fs::read(shop.path("a.txt")).unwrap(), original);
    let wrote = shop.run(&["call", "write_file", "path=a.txt", "content=new", "--yes", "--json"]).json();
    assert_eq!(wrote["undo"], wrote["call_id"]);
    assert_eq!(wrote["decided_by"], "flag:--yes");
    assert_eq!(shop.read("a.txt"), "new");
    let undone = shop.run(&["undo"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(fs::read(shop.path("a.txt")).unwrap(), original);
    // The undo can be undone, by its own id.
    let list = shop.run(&["undo", "--list", "--json"]).json();
    let undo_call = list["changes"][0]["call_id"].as_str().unwrap().to_owned();
    assert_eq!(shop.run(&["undo", &undo_call]).code, 0);
    assert_eq!(shop.read("a.txt"), "new");
    // And it is all in the record.
    let page = shop.run(&["audit", "--json", "--tool", "write_file"]).json();
    assert_eq!(page["records"].as_array().unwrap().len(), 2, "{page}");
    assert_eq!(shop.run(&["audit", "verify"]).code, 0);
    let mut logs = fs::read_dir(shop.root.join("data/audit")).unwrap().map(|e| e.unwrap().path());
    let log = logs.find(|path| path.extension().is_some_and(|e| e == "jsonl")).unwrap();
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replacen("write_file", "wrote_file", 1)).unwrap();
    let verified = shop.run(&["audit", "verify", "--json"]);
    assert_eq!(verified.code, 1);
    assert_eq!(verified.json()["ok"], false);
}

#[test]
fn undo_refuses_when_the_file_has_changed_since() {
    let shop = Shop::new();
    shop.write("a.txt", "one");
    assert_eq!(shop.run(&["call", "write_file", "path=a.txt", "content=two", "--yes"]).code, 0);
    // The mode binds a person's own undo, too.
    assert_eq!(shop.run(&["undo", "--mode", "read-only"]).code, 3);
    shop.write("a.txt", "somebody else's");
    let refused = shop.run(&["undo"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("a.txt"), "{refused:?}");
    assert_eq!(shop.read("a.txt"), "somebody else's");
    let nothing = Shop::new().run(&["undo"]);
    assert_eq!(nothing.code, 1, "{nothing:?}");
    assert_eq!(Shop::new().run(&["undo", "not-an-id"]).code, 2);
}

#[test]
fn explain_answers_lines_one_for_one() {
    let shop = Shop::new();
    shop.write("a.txt", "x");
    let input = concat!(
        r#"{"id":1,"tool":"read_file","arguments":{"path":"a.txt"}}"#,
        "\n",
        r#"{"id":"two","tool":"write_file","arguments":{"path":"a.txt","content":"y"}}"#,
        "\n",
        "not json\n\n",
        r#"{"id":4,"tool":"nothing"}"#,
        "\n",
        r#"{"id":5,"tool":"file_delete","arguments":{"path":".","recursive":true}}"#,
        "\n",
    );
    let ran = shop.run_with(&["explain", "--jsonl"], input);
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let decisions: Vec<_> =
        lines.iter().map(|line| (line["id"].clone(), line["decision"].as_str().unwrap())).collect();
    let wanted = [
        (json!(1), "allow"),
        (json!("two"), "ask"),
        (json!(null), "forbid"),
        (json!(4), "forbid"),
        (json!(5), "forbid"),
    ];
    assert_eq!(decisions, wanted);
    assert!(
        lines.iter().all(|line| line["rule"].is_string()
            && line["why"].is_string()
            && line.get("permission").is_some())
    );
    let auto = shop.run_with(
        &["explain", "--jsonl", "--mode", "auto"],
        r#"{"id":1,"tool":"write_file","arguments":{"path":"a.txt","content":"y"}}"#,
    );
    assert!(auto.stdout.contains("\"allow\""), "explain answers for the mode in force: {auto:?}");
}

#[test]
fn a_question_is_answered_from_another_shell() {
    let shop = Shop::new();
    let waiting = shop
        .command(&["call", "write_file", "path=a.txt", "content=y", "--wait", "--json"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let id = loop {
        let pending = shop.run(&["approvals", "--json"]).json();
        if let Some(id) = pending["approvals"][0]["id"].as_str() {
            break id.to_owned();
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    let shown = shop.run(&["approvals", "show", &id]).stdout;
    assert!(shown.contains("a.txt") && shown.contains("--shape 1"), "{shown}");
    let end = &id[id.len() - 8..];
    let answered = shop.run(&[
        "approvals",
        "answer",
        end,
        "yes",
        "--remember",
        "workspace",
        "--shape",
        "2",
        "--until",
        "2h",
    ]);
    assert_eq!(answered.code, 0, "{answered:?}");
    let outcome: Value = serde_json::from_slice(&waiting.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!((&outcome["status"], &outcome["decided_by"]), (&json!("success"), &json!("person:approvals")));
    // The answer was remembered: the next one needs no question.
    assert_eq!(shop.run(&["call", "write_file", "path=b.txt", "content=y"]).code, 0);
    let grants = shop.run(&["grants", "--json"]).json();
    let grant = grants["grants"][0]["grant"]["id"].as_str().unwrap();
    assert!(grants["grants"][0]["words"].as_str().unwrap().contains("until"));
    assert_eq!(shop.run(&["grants", "revoke", grant]).code, 0);
    assert_eq!(shop.run(&["call", "write_file", "path=b.txt", "content=z"]).code, 3);
}

#[test]
fn a_workspace_config_only_tightens_until_it_is_trusted() {
    let shop = Shop::new();
    shop.write("a.txt", "x");
    shop.write(".deskhand/config.toml", "mode = \"auto\"\n");
    assert_eq!(shop.run(&["call", "write_file", "path=a.txt", "content=y"]).code, 3);
    assert!(shop.run(&["config"]).stdout.contains("ignored"));
    assert_eq!(shop.run(&["config", "trust"]).code, 0);
    assert_eq!(shop.run(&["call", "write_file", "path=a.txt", "content=y"]).code, 0);
    assert_eq!(shop.run(&["config", "untrust"]).code, 0);
    assert_eq!(shop.run(&["call", "write_file", "path=a.txt", "content=z"]).code, 3);
    shop.write(".deskhand/config.toml", "mode = \"read-only\"\nrestrict_to_workspace = true\n");
    assert_eq!(shop.run(&["call", "write_file", "path=a.txt", "content=z", "--yes"]).code, 3);
    assert_eq!(shop.run(&["call", "read_file", "path=/etc/passwd", "--yes"]).code, 3);
}

#[test]
fn settings_of_a_tool_are_kept_to() {
    let shop = Shop::new();
    shop.write("a.txt", "x");
    let config = shop.root.join("home/.config/deskhand");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), "[tools.read_file]\nrequires_result_approval = true\n").unwrap();
    let ran = shop.run(&["call", "read_file", "path=a.txt", "--json"]);
    assert_eq!((ran.code, &ran.json()["status"]), (3, &json!("result_rejected")));
    assert_eq!(shop.run(&["call", "read_file", "path=a.txt", "--yes"]).code, 0);
    // The program's own config is not for tools.
    let own = config.join("config.toml");
    let write = shop.run(&["call", "write_file", &format!("path={}", own.display()), "content=", "--yes"]);
    assert_eq!(write.code, 3, "{write:?}");
    fs::write(&own, "mode = 3").unwrap();
    assert_eq!(shop.run(&["doctor"]).code, 2);
}

#[test]
fn switching_the_audit_off_is_itself_recorded() {
    let shop = Shop::new();
    shop.write("a.txt", "x");
    let off = |shop: &Shop| {
        shop.command(&["call", "read_file", "path=a.txt"])
            .env("DESKHAND_AUDIT_ENABLED", "false")
            .output()
            .unwrap()
    };
    shop.run(&["call", "read_file", "path=a.txt"]);
    assert!(off(&shop).status.success());
    shop.run(&["call", "read_file", "path=a.txt"]);
    let page = shop.run(&["audit", "--json"]).json();
    let records: Vec<&str> =
        page["records"].as_array().unwrap().iter().map(|r| r["phase"].as_str().unwrap()).collect();
    assert_eq!(records, ["end", "arrival", "notice", "notice", "end", "arrival"], "{page}");
    assert_eq!(shop.run(&["audit", "verify"]).code, 0);
}

#[test]
fn both_languages_are_spoken() {
    let shop = Shop::new();
    let chinese = |arguments: &[&str]| -> crate::command::Ran {
        shop.command(arguments).env("LC_ALL", "zh_CN.UTF-8").output().unwrap().into()
    };
    assert!(chinese(&["tools"]).stdout.contains("文件"));
    assert!(chinese(&["audit", "verify"]).stdout.contains("审计链完整"));
    assert!(chinese(&["approvals"]).stdout.contains("没有等待批准的请求"));
    assert!(shop.run(&["approvals"]).stdout.contains("Nothing waits"));
}

#[test]
fn completions_and_the_manual_page_are_made() {
    let shop = Shop::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(shop.run(&["completions", shell]).stdout.contains("approvals"), "{shell}");
    }
    assert!(shop.run(&["man"]).stdout.contains(".TH deskhand"));
}

#[test]
fn a_folder_that_is_not_ours_cannot_harm_by_its_config() {
    let shop = Shop::new();
    shop.write("a.txt", "x");
    fs::create_dir(shop.path(".deskhand")).unwrap();
    let config = shop.path(".deskhand/config.toml");
    let read = |shop: &Shop| shop.run(&["call", "read_file", "path=a.txt"]);
    // A pipe does not hang, a device does not fill the memory, a link does not tell what it leads to.
    rustix::fs::mknodat(rustix::fs::CWD, &config, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
        .unwrap();
    assert_eq!(read(&shop).code, 0);
    fs::remove_file(&config).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &config).unwrap();
    assert_eq!(read(&shop).code, 0);
    fs::remove_file(&config).unwrap();
    fs::write(shop.root.join("secret"), "hunter2 is the word\n").unwrap();
    std::os::unix::fs::symlink(shop.root.join("secret"), &config).unwrap();
    let linked = read(&shop);
    assert!(linked.code == 0 && !linked.stderr.contains("hunter2"), "{linked:?}");
    fs::remove_file(&config).unwrap();
    fs::write(&config, "\"a\\u001b[2J\" = \"x\\u001b[2J\"\n").unwrap();
    let shown = shop.run(&["config"]);
    assert!(shown.stdout.contains("ignored") && !shown.stdout.contains('\x1b'), "{shown:?}");
    // Neither of these two modes is tighter than the other.
    fs::write(&config, "mode = \"read-only\"\n").unwrap();
    shop.write(".env", "X=1");
    let unattended = shop
        .command(&["call", "read_file", "path=.env", "--yes"])
        .env("DESKHAND_MODE", "unattended")
        .output()
        .unwrap();
    assert_eq!(unattended.status.code(), Some(3));
}

#[test]
fn our_own_places_are_never_written_wherever_they_are() {
    let shop = Shop::new();
    // A home behind a link, and a config that is not there yet.
    std::os::unix::fs::symlink(shop.root.join("home"), shop.root.join("link")).unwrap();
    for own in [".config/deskhand/config.toml", ".local/share/deskhand/deskhand.db"] {
        let home = shop.root.join("link");
        let ran = shop
            .command(&["--mode", "auto", "--workspace", home.to_str().unwrap(), "call", "write_file"])
            .args([&format!("path={own}"), "content=x", "--yes"])
            .env("HOME", &home)
            .output()
            .unwrap();
        assert_eq!(ran.status.code(), Some(3), "{own}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}

#[test]
fn a_path_cannot_pass_for_a_line_of_the_plan() {
    let shop = Shop::new();
    let path = "real.txt\n  read    /README.md  path:workspace-read\n  It can be undone.";
    let arguments = json!({"path": path, "content": "x"}).to_string();
    let explained = shop.run(&["explain", "write_file", &arguments]).stdout;
    assert!(!explained.lines().any(|line| line.starts_with("  read ")), "{explained}");
    assert_eq!(explained.lines().filter(|line| *line == "  It can be undone.").count(), 1, "{explained}");
}

#[test]
fn an_empty_id_picks_nothing() {
    let shop = Shop::new();
    assert_eq!(shop.run(&["approvals", "answer", "", "yes"]).code, 2);
    assert_eq!(shop.run(&["grants", "revoke", ""]).code, 2);
}

#[test]
fn what_cannot_be_kept_is_a_failure_and_not_wrong_usage() {
    let shop = Shop::new();
    fs::write(shop.root.join("data"), "in the way").unwrap();
    let ran = shop.run(&["call", "list_dir", "--json"]);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (1, &json!("store")), "{ran:?}");
    let wrong = shop.run(&["--json", "nonsense"]);
    assert_eq!((wrong.code, &wrong.json()["error"]["code"]), (2, &json!("usage")));
}

#[test]
fn no_colours_where_there_is_no_terminal() {
    let shop = Shop::new();
    for arguments in [&["tools"][..], &["doctor"], &["explain", "list_dir", "{}"], &["call", "nothing", "{}"]]
    {
        let ran = shop.run(arguments);
        assert!(!ran.stdout.contains('\x1b') && !ran.stderr.contains('\x1b'), "{ran:?}");
    }
}

#[test]
fn tools_and_doctor_agree_on_what_is_available() {
    let shop = Shop::new();
    let (listed, doctor) = (shop.run(&["tools", "--json"]).json(), shop.run(&["doctor", "--json"]).json());
    assert_eq!(listed["absent"], doctor["absent_tools"]);
    let absent = listed["absent"].as_array().unwrap();
    let why =
        |name: &str| absent.iter().find(|tool| tool["name"] == name).map(|tool| tool["why"].to_string());
    assert!(why("list_windows").is_some_and(|why| why.contains("DISPLAY")), "{absent:?}");
    for name in ["bash", "read_file", "undo", "find_tools"] {
        assert_eq!(why(name), None, "{name}");
        assert_eq!(shop.run(&["tools", name]).code, 0, "{name}");
    }
    let openai = shop.run(&["tools", "--json", "--format", "openai"]).json();
    assert_eq!(openai.as_array().unwrap().len(), listed["tools"].as_array().unwrap().len());
    let manual = shop.run(&["tools", "list_windows"]);
    assert!(manual.code == 2 && manual.stderr.contains("DISPLAY"), "{manual:?}");
}

#[test]
fn doctor_tells_the_truth() {
    use std::os::unix::fs::PermissionsExt;
    let shop = Shop::new();
    let good = shop.run(&["doctor", "--json"]);
    assert_eq!((good.code, &good.json()["ok"]), (0, &json!(true)), "{good:?}");
    fs::set_permissions(shop.root.join("data"), fs::Permissions::from_mode(0o755)).unwrap();
    let open = shop.run(&["doctor", "--json"]);
    assert_eq!((open.code, &open.json()["ok"]), (1, &json!(false)), "{open:?}");
}
