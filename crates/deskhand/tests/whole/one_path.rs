//! Every step of the one path: each test fails when the step's call is taken out of the gate.

use deskhand_core::{
    AuditLog, AuditTrail, Desktop, Mode, OutputKeeper, Permission, Request, Status, arguments, output,
};
use serde_json::json;

use crate::{
    probes::secret,
    support::{Desk, no, plan_of, yes},
};

#[tokio::test]
async fn find_knows_canonical_and_foreign_names_and_the_nearest() {
    let desk = Desk::new();
    desk.write("a.txt", "x");
    let foreign = desk.call("get_file_info", json!({"path": "a.txt"})).await;
    assert_eq!((foreign.status, foreign.tool.as_str()), (Status::Success, "file_stat"), "{}", foreign.text);
    let missing = desk.call("file_stats", json!({})).await;
    assert_eq!(missing.status, Status::NotFound);
    assert!(missing.text.contains("file_stat"), "{}", missing.text);
    let absent = desk.call("probe_not_here", json!({})).await;
    assert_eq!(absent.status, Status::NotFound);
    assert!(absent.text.contains("flux capacitor") && absent.text.contains("Install one"), "{}", absent.text);
    let twice = desk
        .call("edit", json!({"path": "a.txt", "old_string": "x", "old_text": "y", "new_string": "z"}))
        .await;
    assert_eq!(twice.status, Status::InvalidArguments, "{}", twice.text);
    let dialect = Request::new("file_stat", json!({})).in_dialect(Some("nobody".into()));
    assert_eq!(desk.gate.call(dialect, &desk.session).await.status, Status::NotFound);
}

#[tokio::test]
async fn validate_names_every_error_with_its_place() {
    let desk = Desk::new();
    let outcome = desk.call("probe_public", json!({"times": true, "txt": "x", "other": 1})).await;
    assert_eq!(outcome.status, Status::InvalidArguments);
    for part in ["/times", "/txt is unknown (did you mean text?)", "/other is unknown"] {
        assert!(outcome.text.contains(part), "{part}: {}", outcome.text);
    }
    for wrong in [
        json!(null),
        json!([]),
        json!("x"),
        json!({"times": 1.5}),
        json!({"times": -1}),
        json!({"times": "3"}),
    ] {
        assert_eq!(
            desk.call("probe_public", wrong.clone()).await.status,
            Status::InvalidArguments,
            "{wrong}"
        );
    }
    assert_eq!(desk.call("probe_public", json!({"times": 3.0})).await.status, Status::Success);
    let huge = desk.call("probe_public", json!({"times": "x".repeat(1_000_000)})).await;
    assert!(huge.text.len() < 2_000, "{} bytes of error", huge.text.len());
}

#[tokio::test]
async fn a_mask_never_comes_back_as_a_write() {
    let mut desk = Desk::new();
    desk.answer([yes()]);
    let outcome = desk.call("probe_moderate", json!({"text": "KEY=⟦masked:aws⟧"})).await;
    assert_eq!(outcome.status, Status::InvalidArguments);
    assert_eq!(outcome.error.unwrap().code, "contains_mask");
    // Reading with one is harmless.
    assert_eq!(desk.call("probe_public", json!({"text": "⟦masked:aws⟧"})).await.status, Status::Success);
}

#[tokio::test]
async fn plan_can_forbid_whatever_anyone_says() {
    for mode in Mode::ALL {
        let mut desk = Desk::new().mode(mode);
        let approver = desk.answer([yes()]);
        let outcome = desk.call("probe_forbidden", json!({})).await;
        assert_eq!((outcome.status, outcome.permission), (Status::Blocked, Some(Permission::Forbidden)));
        assert_eq!(outcome.decision.as_deref(), Some("forbid"));
        assert!(approver.asked().is_empty());
    }
}

#[tokio::test]
async fn approve_asks_for_what_is_not_public() {
    let mut desk = Desk::new();
    assert_eq!(desk.call("probe_public", json!({})).await.status, Status::Success);
    assert_eq!(desk.call("probe_moderate", json!({})).await.status, Status::NobodyToAsk);
    assert_eq!(desk.call("probe_sensitive", json!({})).await.status, Status::NobodyToAsk);
    let approver = desk.answer([yes(), yes(), no("not today")]);
    assert_eq!(desk.call("probe_moderate", json!({"text": "a"})).await.text, "a");
    assert_eq!(desk.call("probe_sensitive", json!({})).await.status, Status::Success);
    let refused = desk.call("probe_moderate", json!({})).await;
    assert_eq!(refused.status, Status::ExecutionRejected);
    assert!(refused.text.contains("not today"));
    assert_eq!(refused.decided_by.as_deref(), Some("person:test"));
    assert_eq!(approver.asked().len(), 3);
}

#[tokio::test]
async fn modes_decide_as_they_say() {
    use Status::{Blocked, NobodyToAsk, Success};
    let cases = [
        (Mode::Ask, [Success, NobodyToAsk, NobodyToAsk]),
        (Mode::Auto, [Success, Success, NobodyToAsk]),
        (Mode::ReadOnly, [Success, Blocked, Blocked]),
        (Mode::Unattended, [Success, NobodyToAsk, NobodyToAsk]),
    ];
    for (mode, wanted) in cases {
        let desk = Desk::new().mode(mode);
        for (tool, wanted) in ["probe_public", "probe_moderate", "probe_sensitive"].into_iter().zip(wanted) {
            assert_eq!(desk.call(tool, json!({})).await.status, wanted, "{tool} in mode {mode}");
        }
    }
    // Even a surface that says yes to everything opens nothing that the mode refuses.
    let desk = Desk::new().mode(Mode::ReadOnly).answering([yes()]);
    assert_eq!(desk.call("probe_moderate", json!({})).await.status, Blocked);
    let desk = Desk::new().mode(Mode::Unattended).answering([yes()]);
    assert_eq!(desk.call("probe_moderate", json!({})).await.status, NobodyToAsk);
}

#[tokio::test]
async fn edited_arguments_are_planned_and_asked_anew() {
    use deskhand_core::{Answer, approval::AnyAnswer};
    let mut desk = Desk::new();
    let edit = AnyAnswer::Execution(Answer::Edit { arguments: json!({"text": "better"}) });
    let approver = desk.answer([edit, yes()]);
    assert_eq!(desk.call("probe_moderate", json!({"text": "worse"})).await.text, "better");
    let asked = approver.asked();
    assert_eq!(plan_of(&asked[1]).summary, "Say better");
    // The record has what was asked for at first, and what ran.
    let audit = desk.audit_text();
    let records: Vec<&str> = audit.lines().collect();
    assert!(records[0].contains("worse") && records[1].contains("better"), "{audit}");
    let wrong = AnyAnswer::Execution(Answer::Edit { arguments: json!({"nonsense": 1}) });
    desk.answer([wrong]);
    assert_eq!(desk.call("probe_moderate", json!({})).await.status, Status::InvalidArguments);
}

#[tokio::test]
async fn run_happens_only_while_the_plan_holds() {
    // The file changes while the person thinks: the plan is made and asked again, with what is there now.
    let mut desk = Desk::new();
    let path = desk.write("a.txt", "one\n");
    let changing = std::sync::Arc::new(Changing { path: path.clone(), asked: std::sync::Mutex::default() });
    desk.session.approvers = vec![changing.clone()];
    let outcome = desk.call("write_file", json!({"path": "a.txt", "content": "mine\n"})).await;
    assert_eq!(outcome.status, Status::Success, "{}", outcome.text);
    let asked = changing.asked.lock().unwrap().clone();
    assert_eq!(asked.len(), 2);
    assert!(plan_of(&asked[0]).preview.as_ref().unwrap().text().contains("-one"));
    assert!(plan_of(&asked[1]).preview.as_ref().unwrap().text().contains("-theirs"));
    // A plan that never holds ends the call; nothing runs.
    let desk = Desk::new().answering(std::iter::repeat_n(yes(), 50));
    let outcome = desk.call("probe_fickle", json!({})).await;
    assert_eq!(
        (outcome.status, outcome.error.unwrap().code.as_str()),
        (Status::Error, "plan_keeps_changing")
    );
}

/// Says yes, after somebody else has changed the file the first time.
struct Changing {
    path: std::path::PathBuf,
    asked: std::sync::Mutex<Vec<deskhand_core::ApprovalRequest>>,
}

impl deskhand_core::Approver for Changing {
    fn name(&self) -> &'static str {
        "person:test"
    }

    fn ask<'a>(
        &'a self,
        request: &'a deskhand_core::ApprovalRequest,
    ) -> futures_util::future::BoxFuture<'a, Option<deskhand_core::approval::AnyAnswer>> {
        let mut asked = self.asked.lock().unwrap();
        if asked.is_empty() {
            std::fs::write(&self.path, "theirs, and longer\n").unwrap();
        }
        asked.push(request.clone());
        Box::pin(async { Some(yes()) })
    }
}

#[tokio::test]
async fn run_ends_in_time_and_keeps_what_there_was() {
    let desk = Desk::new();
    let late = desk.call("probe_slow", json!({})).await;
    assert_eq!(late.status, Status::TimedOut);
    assert!(late.text.starts_with("half of it\n"), "{}", late.text);
    let request = Request::new("probe_slow", json!({"times": 60}));
    let cancel = request.cancel.clone();
    let call = desk.gate.call(request, &desk.session);
    let stop = async {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        cancel.cancel();
    };
    let (cancelled, ()) = tokio::join!(call, stop);
    assert_eq!(cancelled.status, Status::Cancelled);
    assert!(cancelled.text.contains("half of it"));
}

#[tokio::test]
async fn a_tool_that_breaks_down_is_one_failed_call() {
    let desk = Desk::new();
    for text in ["plan", "run"] {
        let outcome = desk.call("probe_panics", json!({"text": text})).await;
        assert_eq!((outcome.status, outcome.error.unwrap().code.as_str()), (Status::Error, "tool_panicked"));
    }
    assert_eq!(desk.call("probe_public", json!({})).await.status, Status::Success);
}

#[tokio::test]
async fn a_part_of_the_gate_that_breaks_down_is_one_failed_call_too() {
    struct Broken;
    impl deskhand_core::Screener for Broken {
        fn mask_text(&self, _: &str) -> deskhand_core::Masked {
            panic!("broken")
        }
        fn mask_value(&self, _: &serde_json::Value) -> serde_json::Value {
            panic!("broken")
        }
    }
    let mut desk = Desk::new();
    desk.gate.screener = std::sync::Arc::new(Broken);
    let outcome = desk.call("probe_public", json!({"text": "x"})).await;
    assert_eq!((outcome.status, outcome.error.unwrap().code.as_str()), (Status::Error, "gate_panicked"));
}

#[tokio::test]
async fn screen_masks_secrets_everywhere() {
    let desk = Desk::new();
    let secret = secret();
    let told = desk.call("probe_tells", json!({"text": format!("with {secret}")})).await;
    assert!(told.text.contains("⟦masked:") && told.text.ends_with(" end"), "{}", told.text);
    let failed = desk.call("probe_tells", json!({"text": "fail"})).await;
    let seen = [
        serde_json::to_string(&told).unwrap(),
        serde_json::to_string(&failed).unwrap(),
        desk.audit_text(),
        desk.events.json(),
    ];
    for (n, text) in seen.iter().enumerate() {
        assert!(!text.contains(&secret), "place {n} has the secret: {text}");
    }
    // What a person is asked is stored: it is masked, too.
    let mut desk = Desk::new();
    let approver = desk.answer([yes()]);
    desk.call("probe_moderate", json!({"text": secret})).await;
    assert!(!serde_json::to_string(&approver.asked()).unwrap().contains(&secret));
    desk.store.audit().make_durable().unwrap();
    for name in ["deskhand.db", "deskhand.db-wal"] {
        let bytes = std::fs::read(desk.data.join(name)).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains(&secret), "{name} has the secret");
    }
}

#[tokio::test]
async fn screen_cuts_long_output_and_keeps_the_whole() {
    let desk = Desk::with(|settings| settings.max_output_chars = 2_000);
    let line = "中文 and more\n";
    let outcome = desk.call("probe_public", json!({"text": line, "times": 1_000})).await;
    assert!(outcome.truncated && outcome.text.chars().count() < 2_400, "{}", outcome.text.len());
    assert!(outcome.data["text"].as_str().unwrap().chars().count() < 2_400);
    let handle = outcome.full_output.unwrap();
    assert_eq!(handle, output::handle(outcome.call_id));
    let range = desk.call("read_file", json!({"path": handle, "start_line": 999, "end_line": 1000})).await;
    assert_eq!(range.status, Status::Success, "{}", range.text);
    assert!(range.text.contains("中文 and more"), "{}", range.text);
    let kept = std::fs::read_to_string(desk.store.outputs().path(outcome.call_id).unwrap()).unwrap();
    assert_eq!(kept, line.repeat(1_000));
}

#[tokio::test]
async fn a_plan_that_says_nothing_has_the_permission_of_its_tool() {
    let desk = Desk::new();
    let outcome = desk.call("probe_silent", json!({})).await;
    assert_eq!((outcome.status, outcome.permission), (Status::NobodyToAsk, Some(Permission::Sensitive)));
    assert_eq!(outcome.rule.as_deref(), Some("tool:probe_silent"));
}

#[tokio::test]
async fn a_folder_that_fills_while_the_person_thinks_is_asked_about_again() {
    let mut desk = Desk::new();
    desk.write("old/a.txt", "a");
    let filling = std::sync::Arc::new(Changing {
        path: desk.path("old/precious.txt"),
        asked: std::sync::Mutex::default(),
    });
    desk.session.approvers = vec![filling.clone()];
    let outcome = desk.call("file_delete", json!({"path": "old", "recursive": true})).await;
    assert_eq!(outcome.status, Status::Success, "{}", outcome.text);
    assert_eq!(filling.asked.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn the_arrival_is_on_disk_before_anything_changes() {
    /// Writes nothing through.
    struct NeverDurable(std::sync::Arc<deskhand_store::Audit>);
    impl AuditLog for NeverDurable {
        fn append(&self, record: &deskhand_core::AuditRecord) -> deskhand_core::StoreResult<()> {
            self.0.append(record)
        }
        fn make_durable(&self) -> deskhand_core::StoreResult<()> {
            Err(deskhand_core::StoreError::new("write the log out", "the disk is gone"))
        }
        fn last_record(
            &self,
            call: deskhand_core::CallId,
        ) -> deskhand_core::StoreResult<Option<deskhand_core::AuditRecord>> {
            self.0.last_record(call)
        }
    }
    let mut desk = Desk::new().mode(Mode::Auto);
    desk.gate.audit = std::sync::Arc::new(NeverDurable(desk.store.audit()));
    let outcome = desk.call("write_file", json!({"path": "a.txt", "content": "x"})).await;
    assert_eq!(outcome.status, Status::Error);
    assert!(!desk.path("a.txt").exists());
    // What changes nothing does not wait for the disk.
    assert_eq!(desk.call("list_dir", json!({})).await.status, Status::Success);
}

#[tokio::test]
async fn secrets_in_paths_are_masked_too() {
    let mut desk = Desk::new();
    let approver = desk.answer([yes()]);
    let path = format!("{}.txt", secret());
    let outcome = desk.call("write_file", json!({"path": path, "content": "x"})).await;
    assert_eq!(outcome.status, Status::Success, "{}", outcome.text);
    assert!(desk.path(&path).exists());
    let seen = [
        serde_json::to_string(&outcome).unwrap(),
        serde_json::to_string(&approver.asked()).unwrap(),
        desk.events.json(),
        desk.audit_text(),
    ];
    for (n, text) in seen.iter().enumerate() {
        assert!(!text.contains(&secret()), "place {n}: {text}");
    }
    let explained = desk
        .gate
        .explain(Request::new("read_file", json!({"path": format!("no-{}", secret())})), &desk.session);
    assert!(!explained.await.unwrap_err().message.contains(&secret()));
}

#[tokio::test]
async fn what_a_person_typed_is_masked_in_events() {
    use deskhand_core::{Answer, approval::AnyAnswer};
    let edit = AnyAnswer::Execution(Answer::Edit { arguments: json!({"text": secret()}) });
    let desk = Desk::new().answering([edit, no("because of the key")]);
    desk.call("probe_moderate", json!({})).await;
    assert!(!desk.events.json().contains(&secret()), "{}", desk.events.json());
}

#[tokio::test]
async fn a_flood_of_wrong_fields_is_answered_briefly() {
    let desk = Desk::new();
    let many: serde_json::Map<String, serde_json::Value> =
        (0..50_000).map(|n| (format!("field_{n}"), json!(1))).collect();
    let outcome = desk.call("probe_public", many.into()).await;
    assert_eq!(outcome.status, Status::InvalidArguments);
    assert!(outcome.error.unwrap().message.len() < 5_000);
}

#[tokio::test]
async fn execution_approval_can_be_set_for_a_tool() {
    let set = |tool: &'static str, value| {
        move |settings: &mut deskhand_core::GateSettings| {
            settings.tools.entry(tool.into()).or_default().requires_execution_approval = Some(value);
        }
    };
    let asked = Desk::with(set("probe_public", true));
    assert_eq!(asked.call("probe_public", json!({})).await.status, Status::NobodyToAsk);
    let free = Desk::with(set("probe_moderate", false));
    assert_eq!(free.call("probe_moderate", json!({})).await.status, Status::Success);
    let never_free = Desk::with(set("probe_sensitive", false));
    assert_eq!(never_free.call("probe_sensitive", json!({})).await.status, Status::NobodyToAsk);
}

#[tokio::test]
async fn record_writes_two_records_for_every_status() {
    let desk = Desk::new().answering([no("no")]);
    let calls = [
        ("probe_public", json!({"text": "x"}), Status::Success),
        ("nothing_of_that_name", json!({}), Status::NotFound),
        ("probe_public", json!({"wrong": 1}), Status::InvalidArguments),
        ("probe_forbidden", json!({}), Status::Blocked),
        ("probe_moderate", json!({}), Status::ExecutionRejected),
        ("probe_sensitive", json!({}), Status::NobodyToAsk),
        ("probe_panics", json!({}), Status::Error),
        ("probe_slow", json!({}), Status::TimedOut),
    ];
    let mut ids = Vec::new();
    for (tool, arguments, wanted) in calls {
        let outcome = desk.call(tool, arguments).await;
        assert_eq!(outcome.status, wanted, "{tool}: {}", outcome.text);
        ids.push((outcome.call_id.to_string(), wanted));
    }
    let records: Vec<serde_json::Value> =
        desk.audit_text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (id, status) in ids {
        let of_call: Vec<_> = records.iter().filter(|record| record["call_id"] == id.as_str()).collect();
        assert_eq!(of_call.len(), 2, "{id}");
        assert_eq!((&of_call[0]["phase"], &of_call[0]["status"]), (&json!("arrival"), &json!("started")));
        assert_eq!((&of_call[1]["phase"], &of_call[1]["status"]), (&json!("end"), &json!(status)));
        assert_eq!(of_call[0]["session_id"], "session-1");
        assert_eq!(of_call[0]["caller"], "test");
        assert!(of_call[1]["duration_ms"].is_u64());
    }
    let success = records.iter().find(|r| r["status"] == "success").unwrap();
    assert_eq!(success["input_sha256"], arguments::sha256(&json!({"text": "x"})));
    assert_eq!(
        (&success["result"], &success["decision"], &success["decided_by"]),
        (&json!("x"), &json!("allow"), &json!("policy"))
    );
    assert!(desk.store.audit().verify().unwrap().findings.is_empty());
}

#[tokio::test]
async fn a_caller_that_goes_away_leaves_a_whole_record() {
    let desk = Desk::new();
    let call = desk.gate.call(Request::new("probe_slow", json!({"times": 60})), &desk.session);
    assert!(tokio::time::timeout(std::time::Duration::from_millis(100), call).await.is_err());
    let audit = desk.audit_text();
    assert_eq!(audit.lines().count(), 2, "{audit}");
    assert!(audit.lines().last().unwrap().contains(r#""status":"cancelled""#), "{audit}");
}

#[tokio::test]
async fn no_call_runs_unrecorded() {
    let desk = Desk::new();
    // The log cannot be written: its folder is a file.
    std::fs::remove_dir_all(desk.data.join("audit")).unwrap();
    std::fs::write(desk.data.join("audit"), "in the way").unwrap();
    let outcome = desk.call("probe_public", json!({"text": "ran"})).await;
    assert_eq!((outcome.status, outcome.error.unwrap().code.as_str()), (Status::Error, "audit_unavailable"));
    assert!(!outcome.text.contains("ran"));
}

#[tokio::test]
async fn explain_runs_nothing_and_writes_nothing() {
    let desk = Desk::new();
    desk.write("a.txt", "old");
    let request = Request::new("write_file", json!({"path": "a.txt", "content": "new"}));
    let explained = desk.gate.explain(request, &desk.session).await.unwrap();
    assert_eq!((explained.decision, explained.permission), ("ask", Permission::Moderate));
    assert_eq!(explained.rule, "path:workspace-write");
    assert_eq!(std::fs::read_to_string(desk.path("a.txt")).unwrap(), "old");
    assert_eq!(desk.audit_text(), "");
    let own = Request::new("write_file", json!({"path": desk.data.join("x"), "content": ""}));
    let explained = desk.gate.explain(own, &desk.session).await.unwrap();
    assert_eq!((explained.decision, explained.rule.as_str()), ("forbid", "path:own-data-write"));
}

#[tokio::test]
async fn who_sits_elsewhere_does_not_act_on_this_desktop() {
    let mut desk = Desk::new();
    assert_eq!(desk.call("probe_desktop", json!({})).await.status, Status::Success);
    desk.session.desktop = Desktop::Away { reason: "You are on another machine.".into() };
    let outcome = desk.call("probe_desktop", json!({})).await;
    assert_eq!(outcome.status, Status::Blocked);
    for part in ["another machine", "desktop:away", "list_windows"] {
        assert!(outcome.text.contains(part), "{}", outcome.text);
    }
    assert_eq!(desk.call("probe_public", json!({})).await.status, Status::Success);
}
