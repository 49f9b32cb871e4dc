//! list_windows, get_active_window, switch_window, close_window.

use deskhand_core::{Desktop, Mode, Permission, Status, approval::AnyAnswer};
use deskhand_testkit::block_until;
use serde_json::{Value, json};
use x11rb::{
    connection::Connection,
    protocol::xproto::{AtomEnum, ConnectionExt, CreateWindowAux, PropMode, WindowClass},
    rust_connection::RustConnection,
    wrapper::ConnectionExt as _,
};

use super::{Display, desk, display::Stopped, fails, gives};
use crate::support::{Desk, plan_of, yes};

fn listed(data: &Value) -> Vec<(u64, String)> {
    let windows = data["windows"].as_array().unwrap().iter();
    windows.map(|w| (w["id"].as_u64().unwrap(), w["title"].as_str().unwrap().to_owned())).collect()
}

/// AC001: list_windows returns all windows that there are now.
#[tokio::test]
async fn ac001_all_windows_are_listed() {
    let display = Display::new();
    let (notes, notes_pid) = display.window("笔记 Notes", "300x200+100+120", "#336699");
    let (mail, mail_pid) = display.window("Mail", "250x150+500+300", "#996633");
    let outcome = gives(&desk(&display), "list_windows", json!({})).await;
    let windows = listed(&outcome.data);
    assert_eq!(windows, [(mail, "Mail".to_owned()), (notes, "笔记 Notes".to_owned())], "topmost first");
    let row = &outcome.data["windows"][1];
    assert_eq!((&row["app"], &row["pid"]), (&json!("Xmessage"), &json!(notes_pid)));
    assert_eq!(outcome.data["windows"][0]["pid"], mail_pid);
    assert_eq!((&row["kind"], &row["desktop"]), (&json!("normal"), &json!(0)));
    let geometry = display.says(&["xwininfo", "-id", &notes.to_string()]);
    for (field, words) in [
        ("x", "Absolute upper-left X:  "),
        ("y", "Absolute upper-left Y:  "),
        ("width", "Width: "),
        ("height", "Height: "),
    ] {
        let line = format!("{words}{}\n", row["geometry"][field]);
        assert!(geometry.contains(&line), "{line} in {geometry}");
    }
    assert!(outcome.text.contains("«笔记 Notes» of Xmessage"), "{}", outcome.text);
    assert_eq!(outcome.outside.as_deref(), Some("the titles of windows"));
}

/// AC002: switch_window switches to the window.
#[tokio::test]
async fn ac002_a_window_is_switched_to() {
    let display = Display::new();
    let (below, _) = display.window("Below", "300x200+100+100", "#336699");
    let (above, _) = display.window("Above", "300x200+120+120", "#996633");
    block_until("the newest is active", || display.active() == Some(above));
    let desk = desk(&display);
    let outcome = gives(&desk, "switch_window", json!({"window_id": below})).await;
    assert_eq!(display.active(), Some(below), "by xdotool's word");
    assert_eq!(outcome.data["window"]["active"], true);
    gives(&desk, "switch_window", json!({"window_id": "above"})).await;
    assert_eq!(display.active(), Some(above), "by its title");
    gives(&desk, "switch_window", json!({"window_id": format!("{below:#x}")})).await;
    assert_eq!(display.active(), Some(below), "by its number as other programs write it");
}

#[tokio::test]
async fn one_that_is_minimized_comes_back() {
    let display = Display::new();
    let (window, _) = display.window("Small", "300x200+100+100", "#336699");
    display.says(&["xdotool", "windowminimize", "--sync", &window.to_string()]);
    let desk = desk(&display);
    let outcome = gives(&desk, "list_windows", json!({})).await;
    assert_eq!(outcome.data["windows"][0]["state"], json!(["minimized"]));
    let outcome = gives(&desk, "list_windows", json!({"include_minimized": false})).await;
    assert_eq!((&outcome.data["windows"], &outcome.data["total"]), (&json!([]), &json!(1)));
    fails(&desk, "screenshot", json!({"window_id": window}), "window_not_shown").await;
    gives(&desk, "switch_window", json!({"window_id": window})).await;
    assert_eq!(display.ids(), [window]);
    let active = gives(&desk, "get_active_window", json!({})).await;
    assert_eq!(active.data["window"]["id"], window);
    assert_eq!(active.data["window"]["id"].as_u64(), display.active());
}

#[tokio::test]
async fn a_title_names_a_window_only_where_it_is_the_only_one() {
    let display = Display::new();
    let (one, _) = display.window("Report May", "200x100+10+50", "#336699");
    let (other, _) = display.window("Report June", "200x100+400+50", "#336699");
    let desk = desk(&display);
    let outcome = fails(&desk, "switch_window", json!({"window_id": "report"}), "ambiguous_window").await;
    assert_eq!(outcome.status, Status::InvalidArguments);
    for id in [one, other] {
        assert!(outcome.text.contains(&id.to_string()), "{}", outcome.text);
    }
    let filtered = gives(&desk, "list_windows", json!({"filter_title": "MAY"})).await;
    assert_eq!(listed(&filtered.data), [(one, "Report May".to_owned())]);
    let outcome = fails(&desk, "switch_window", json!({"window_id": "nothing"}), "no_such_window").await;
    assert!(outcome.text.contains(&format!("window {one} of Xmessage")), "what there is: {}", outcome.text);
    assert!(!outcome.text.contains("Report"), "no title stands in an error: {}", outcome.text);
    let words = "There is no window «nothing».";
    assert!(outcome.text.starts_with(words), "but for the caller's own words: {}", outcome.text);
    fails(&desk, "switch_window", json!({"window_id": 99_999_999}), "no_such_window").await;
    fails(&desk, "close_window", json!({"window_id": u64::MAX}), "no_such_window").await;
}

#[tokio::test]
async fn a_window_is_closed_after_a_person_has_seen_which() {
    let display = Display::new();
    let (window, pid) = display.window("Old letter", "300x200+100+100", "#336699");
    let (kept, _) = display.window("Kept", "300x200+500+100", "#336699");
    let mut desk = desk(&display);
    let scripted = desk.answer([yes()]);
    gives(&desk, "close_window", json!({"window_id": "Old letter"})).await;
    let asked = scripted.asked();
    let plan = plan_of(&asked[0]);
    assert_eq!(plan.permission, Permission::Sensitive);
    assert_eq!(plan.summary, format!("Close «Old letter» of Xmessage (window {window}, pid {pid})"));
    assert_eq!(display.ids(), [kept]);
    let outcome = desk.call("close_window", json!({"window_id": kept})).await;
    assert_eq!(outcome.status, Status::NobodyToAsk, "without an answer it stays");
    assert_eq!(display.ids(), [kept]);
}

#[tokio::test]
async fn one_that_does_not_answer_stays_and_is_closed_by_force() {
    let display = Display::new();
    let (window, pid) = display.window("Stubborn", "300x200+100+100", "#336699");
    let desk = desk(&display);
    let _stopped = Stopped::stop(pid);
    let outcome = fails(&desk, "close_window", json!({"window_id": window}), "still_open").await;
    assert!(outcome.error.unwrap().hint.unwrap().contains("force"));
    assert_eq!(display.ids(), [window]);
    let outcome = gives(&desk, "close_window", json!({"window_id": window, "force": true})).await;
    assert_eq!(outcome.data["forced"], true);
    assert_eq!(display.ids(), Vec::<u64>::new());
}

/// The plan is of one window: where another has its place when the answer comes, that one is asked about anew.
#[tokio::test]
async fn another_window_with_the_same_title_is_asked_about_anew() {
    struct Swaps(std::sync::Mutex<Vec<String>>, std::sync::Mutex<Option<std::process::Child>>, String);
    impl deskhand_core::Approver for Swaps {
        fn name(&self) -> &'static str {
            "person:test"
        }

        fn ask<'a>(
            &'a self,
            request: &'a deskhand_core::ApprovalRequest,
        ) -> futures_util::future::BoxFuture<'a, Option<AnyAnswer>> {
            self.0.lock().unwrap().push(plan_of(request).summary.clone());
            if let Some(mut first) = self.1.lock().unwrap().take() {
                let _ = (first.kill(), first.wait());
                let mut search = std::process::Command::new("xdotool");
                search.env("DISPLAY", &self.2).args(["search", "--onlyvisible", "--name", "^Twin$"]);
                while search.output().unwrap().stdout.len() > 1 {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                return Box::pin(async { Some(yes()) });
            }
            Box::pin(async { Some(crate::support::no("another one")) })
        }
    }
    let display = Display::new();
    let first = display
        .program("xmessage")
        .args(["-title", "Twin", "-geometry", "200x100+10+50", "text"])
        .spawn()
        .unwrap();
    block_until("the first", || display.ids().len() == 1);
    // Only once the first is gone is the title of the second the only one.
    let (second, _) = display.window("Twin (2)", "200x100+400+50", "#336699");
    let mut desk = desk(&display);
    let swaps =
        std::sync::Arc::new(Swaps(std::sync::Mutex::default(), Some(first).into(), display.name.clone()));
    desk.session.approvers = vec![swaps.clone()];
    let outcome = desk.call("close_window", json!({"window_id": "Twin"})).await;
    assert_eq!(outcome.status, Status::ExecutionRejected, "{}", outcome.text);
    let asked = swaps.0.lock().unwrap();
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(asked[0].contains("«Twin»") && asked[1].contains("«Twin (2)»"), "{asked:?}");
    assert_eq!(display.ids(), [second]);
}

/// A window of this very process, for which the tools run here.
fn own_window(display: &Display, title: &str) -> (RustConnection, u32) {
    let (c, screen) = RustConnection::connect(Some(&display.name)).unwrap();
    let screen = c.setup().roots[screen].clone();
    let id = c.generate_id().unwrap();
    let look = CreateWindowAux::new().background_pixel(0x00AA_2211);
    c.create_window(
        screen.root_depth,
        id,
        screen.root,
        40,
        40,
        200,
        100,
        0,
        WindowClass::INPUT_OUTPUT,
        0,
        &look,
    )
    .unwrap();
    c.change_property8(PropMode::REPLACE, id, AtomEnum::WM_NAME, AtomEnum::STRING, title.as_bytes()).unwrap();
    c.map_window(id).unwrap();
    c.sync().unwrap();
    (c, id)
}

#[tokio::test]
async fn what_must_stay_is_never_closed() {
    let display = Display::new();
    let desk = desk(&display);
    let (_own, id) = own_window(&display, "Mine");
    block_until("it is managed", || {
        display.says(&["xprop", "-root", "_NET_CLIENT_LIST"]).contains(&format!("{id:#x}"))
    });
    for force in [false, true] {
        let outcome =
            fails(&desk, "close_window", json!({"window_id": "Mine", "force": force}), "window:own").await;
        assert_eq!(outcome.status, Status::Blocked);
    }
    let (panel, _) = display.window("Panel", "300x30+0+0", "#336699");
    for (kind, code) in [("DOCK", "window:shell"), ("DESKTOP", "window:shell")] {
        let kind = format!("_NET_WM_WINDOW_TYPE_{kind}");
        let id = panel.to_string();
        display.says(&[
            "xprop",
            "-id",
            &id,
            "-f",
            "_NET_WM_WINDOW_TYPE",
            "32a",
            "-set",
            "_NET_WM_WINDOW_TYPE",
            &kind,
        ]);
        fails(&desk, "close_window", json!({"window_id": panel, "force": true}), code).await;
    }
    let (tasks, _) = display.window("Tasks", "300x200+300+300", "#336699");
    let id = tasks.to_string();
    display.says(&["xprop", "-id", &id, "-f", "WM_CLASS", "8s", "-set", "WM_CLASS", "xfce4-taskmanager"]);
    fails(&desk, "close_window", json!({"window_id": tasks}), "window:task-manager").await;
    display.says(&["xprop", "-id", &id, "-f", "WM_CLASS", "8s", "-set", "WM_CLASS", "Chromium"]);
    display.says(&["xdotool", "set_window", "--name", "Chat - Deskhand - Chromium", &id]);
    block_until("its new name", || display.says(&["xdotool", "getwindowname", &id]).contains("Deskhand"));
    fails(&desk, "close_window", json!({"window_id": tasks}), "window:own").await;
    assert!(display.says(&["xprop", "-id", &id, "WM_CLASS"]).contains("Chromium"), "it is still there");
}

/// Where Deskhand stands: in which terminal it runs, and who manages the windows, is asked of the real ones.
#[tokio::test]
async fn the_terminal_and_the_manager_are_known() {
    let display = Display::bare();
    let (window, _) = display.window("Terminal", "300x200+100+100", "#336699");
    let shop = crate::command::Shop::new();
    let close = json!({"window_id": window}).to_string();
    let mut call = shop.command(&["call", "close_window", &close, "--yes", "--json"]);
    call.env("DISPLAY", &display.name).env("WINDOWID", window.to_string());
    let said = String::from_utf8(call.output().unwrap().stdout).unwrap();
    assert!(said.contains("window:own") && said.contains("the terminal that Deskhand runs in"), "{said}");
    let (c, screen) = RustConnection::connect(Some(&display.name)).unwrap();
    let (root, manager) = (c.setup().roots[screen].root, u32::try_from(window).unwrap());
    for (on, property) in [
        (manager, "_NET_SUPPORTING_WM_CHECK"),
        (root, "_NET_SUPPORTING_WM_CHECK"),
        (root, "_NET_CLIENT_LIST"),
        (root, "_NET_CLIENT_LIST_STACKING"),
    ] {
        let property = c.intern_atom(false, property.as_bytes()).unwrap().reply().unwrap().atom;
        c.change_property32(PropMode::REPLACE, on, property, AtomEnum::WINDOW, &[manager]).unwrap();
    }
    c.sync().unwrap();
    fails(&desk(&display), "close_window", json!({"window_id": window}), "window:manager").await;
    assert_eq!(display.ids(), [window]);
}

/// Deskhand does not end the terminal that it was started from, also where that does not say which window it is.
#[test]
fn what_it_was_started_from_is_known() {
    let display = Display::new();
    let shop = crate::command::Shop::new();
    let call = shop.command(&["call", "close_window", r#"{"window_id": "Started"}"#, "--yes", "--json"]);
    let said = tempfile::NamedTempFile::new().unwrap();
    let mut terminal = display.program("xterm");
    for (name, value) in call.get_envs() {
        match value {
            Some(value) => terminal.env(name, value),
            None => terminal.env_remove(name),
        };
    }
    terminal.env("SAID", said.path()).env("DISPLAY", &display.name);
    terminal.args([
        "-T",
        "Started",
        "-e",
        "sh",
        "-c",
        r#"unset WINDOWID; "$@" > "$SAID"; exec sleep 1000"#,
        "sh",
    ]);
    terminal.arg(call.get_program()).args(call.get_args());
    display.start(&mut terminal);
    let text = || std::fs::read_to_string(said.path()).unwrap();
    block_until("its answer", || text().trim_end().ends_with('}'));
    assert!(text().contains("window:own") && text().contains("was started from its program"), "{}", text());
}

/// A title is whatever a page or a message wants it to be: who reads one has read something from outside.
#[tokio::test]
async fn titles_are_text_from_outside() {
    let display = Display::new();
    let (window, _) = display.window("Title", "300x200+100+100", "#336699");
    let desk = desk(&display);
    for (tool, arguments) in [
        ("list_windows", json!({})),
        ("get_active_window", json!({})),
        ("switch_window", json!({"window_id": window})),
        ("close_window", json!({"window_id": window})),
        ("keyboard", json!({"text": "a", "window_id": window})),
        ("mouse", json!({"action": "click", "x": 150, "y": 200})),
    ] {
        let request = deskhand_core::Request::new(tool, arguments);
        let plan = desk.gate.explain(request, &desk.session).await.unwrap().plan.unwrap();
        assert!(plan.outside.is_some(), "{tool}");
    }
}

/// One program, two windows: by force both go, and the one is Deskhand's.
#[tokio::test]
async fn force_spares_a_program_that_shows_deskhand_too() {
    let display = Display::new();
    let desk = desk(&display);
    // With its second window, the one for drawings.
    display.start(std::process::Command::new("xterm").args([
        "-T",
        "Words",
        "-e",
        "sh",
        "-c",
        "printf '\\033[?38h'; exec sleep 1000",
    ]));
    let mut windows = Vec::new();
    block_until("both windows", || {
        let found = display.says(&["xdotool", "search", "--onlyvisible", "--class", "^xterm$"]);
        windows = found.lines().filter_map(|line| line.parse::<u64>().ok()).collect();
        windows.len() >= 2 && display.says(&["xprop", "-root", "_NET_CLIENT_LIST"]).matches("0x").count() == 2
    });
    let listed = gives(&desk, "list_windows", json!({})).await.data;
    let id = |n: usize| listed["windows"][n]["id"].as_u64().unwrap();
    let (ours, other) = (id(0).to_string(), id(1));
    display.says(&["xprop", "-id", &ours, "-f", "WM_CLASS", "8s", "-set", "WM_CLASS", "Chromium"]);
    display.says(&["xdotool", "set_window", "--name", "Deskhand", &ours]);
    block_until("its new name", || display.says(&["xdotool", "getwindowname", &ours]) == "Deskhand");
    fails(&desk, "close_window", json!({"window_id": other, "force": true}), "window:own").await;
    assert_eq!(gives(&desk, "list_windows", json!({})).await.data["total"], 2);
}

/// What a window says of its process is not believed: its program could name another's, which then would be shown.
#[tokio::test]
async fn the_process_of_a_window_is_the_servers_word() {
    let display = Display::new();
    let (window, pid) = display.window("Liar", "300x200+100+100", "#336699");
    let id = window.to_string();
    display.says(&["xprop", "-id", &id, "-f", "_NET_WM_PID", "32c", "-set", "_NET_WM_PID", "1"]);
    let outcome = gives(&desk(&display), "list_windows", json!({})).await;
    assert_eq!(outcome.data["windows"][0]["pid"], pid);
}

#[tokio::test]
async fn without_a_window_manager_windows_are_still_windows() {
    let display = Display::bare();
    let desk = desk(&display);
    let outcome = gives(&desk, "list_windows", json!({})).await;
    assert_eq!((outcome.text.as_str(), &outcome.data["total"]), ("There are no windows.", &json!(0)));
    let active = gives(&desk, "get_active_window", json!({})).await;
    assert_eq!(active.data["window"], Value::Null);
    let (one, _) = display.window("One", "200x100+10+50", "#336699");
    let (two, _) = display.window("Two", "200x100+50+70", "#996633");
    let outcome = gives(&desk, "list_windows", json!({})).await;
    assert_eq!(listed(&outcome.data), [(two, "Two".to_owned()), (one, "One".to_owned())]);
    gives(&desk, "switch_window", json!({"window_id": one})).await;
    let outcome = gives(&desk, "list_windows", json!({})).await;
    assert_eq!(listed(&outcome.data)[0].0, one, "it is topmost now");
    assert_eq!(display.says(&["xdotool", "getwindowfocus"]), one.to_string());
    gives(&desk, "close_window", json!({"window_id": one})).await;
    assert_eq!(display.ids(), [two]);
}

#[tokio::test]
async fn a_display_that_is_gone_or_stuck_ends_in_a_clear_outcome() {
    let mut display = Display::new();
    display.window("Any", "200x100+10+50", "#336699");
    let desk = desk(&display);
    gives(&desk, "list_windows", json!({})).await;
    {
        let _stuck = display.stuck();
        fails(&desk, "list_windows", json!({}), "display_stuck").await;
        let begun = std::time::Instant::now();
        let absent = Desk::seated(Some(&display.name), |_| {});
        let outcome = fails(&absent, "list_windows", json!({}), "not_found").await;
        assert!(outcome.text.contains("does not answer"), "{}", outcome.text);
        println!("a stuck display is found out in {:?}", begun.elapsed());
    }
    gives(&desk, "list_windows", json!({})).await;
    display.end();
    let outcome = fails(&desk, "list_windows", json!({}), "no_display").await;
    assert!(outcome.text.contains(&display.name), "{}", outcome.text);
    let later = Desk::seated(Some(&display.name), |_| {});
    let outcome = fails(&later, "close_window", json!({"window_id": "Any"}), "not_found").await;
    assert!(outcome.text.contains("is not offered here: the display"), "{}", outcome.text);
}

/// Nobody acts on a desktop that they do not sit at; what windows there are may be asked for.
#[tokio::test]
async fn whoever_does_not_sit_there_may_look_and_not_act() {
    let display = Display::new();
    let (window, _) = display.window("Theirs", "200x100+10+50", "#336699");
    let mut desk = desk(&display).mode(Mode::Auto);
    desk.session.desktop = Desktop::Away { reason: "The call comes from elsewhere.".into() };
    for (tool, arguments) in [
        ("switch_window", json!({"window_id": window})),
        ("close_window", json!({"window_id": window})),
        ("screenshot", json!({})),
        ("clipboard_read", json!({})),
        ("clipboard_write", json!({"text": "a"})),
        ("clipboard_clear", json!({})),
        ("mouse", json!({"action": "move", "x": 5, "y": 5})),
        ("keyboard", json!({"text": "a", "window_id": window})),
        ("open_in_folder", json!({"path": "."})),
    ] {
        let outcome = fails(&desk, tool, arguments, "blocked").await;
        assert_eq!(outcome.rule.as_deref(), Some("desktop:away"));
    }
    gives(&desk, "list_windows", json!({})).await;
    assert_eq!(display.ids(), [window]);
}
