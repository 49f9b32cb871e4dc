//! What a Chinese user asks for first, in one conversation with a scripted model: the model looks for the tool by the
//! user's own words, each request takes at most one question, and what was asked for has really happened.

use serde_json::{Value, json};

use super::Display;
use crate::served::{Around, Served};

/// A request, the call that the model makes for it, and what a person is asked.
struct Asked {
    says: &'static str,
    tool: &'static str,
    arguments: Value,
    /// Whether the model has to look for the tool first.
    looks: bool,
    /// A tool that the model calls before, and what of its result the arguments have.
    after: Option<(&'static str, String)>,
    /// Questions before it runs, and about its result.
    questions: (usize, usize),
}

impl Asked {
    /// The model's replies, in TOML.
    fn script(&self) -> String {
        let Self { says, tool, arguments, looks, after, .. } = self;
        let reply = |rest: String| format!("[[replies]]\nwhen = {}\n{rest}\n", json!(says));
        let call = |name: &str, arguments: &Value| {
            let text = json!(arguments.to_string());
            format!("calls = [{{ name = \"{name}\", arguments_text = {text} }}]")
        };
        let mut script = String::new();
        let mut expect = String::new();
        if *looks {
            script += &reply(call("find_tools", &json!({"query": says})));
            expect = format!("expect = \"{tool}\"\n");
        }
        if let Some((before, result)) = after {
            script += &reply(expect + &call(before, &json!({})));
            expect = format!("expect = \"{result}\"\n");
        }
        script += &reply(expect + &call(tool, arguments));
        script + &reply("text = \"好了。\"".to_owned())
    }
}

/// Answers everything with yes. How the call of this tool ended, and how many questions there were of each kind.
fn ask(served: &Served, session: &str, asked: &Asked) -> (Value, (usize, usize)) {
    let begun = served.say(session, asked.says);
    let mut events = served.watch(session, begun["first_event"].as_u64().unwrap() - 1);
    let (mut outcome, mut questions) = (Value::Null, (0, 0));
    loop {
        let event = events.next();
        match event["type"].as_str().unwrap() {
            "approval_wanted" => {
                let answer = if event["request"]["subject"]["about"] == "execution" {
                    questions.0 += 1;
                    "yes"
                } else {
                    questions.1 += 1;
                    "pass"
                };
                let path = format!("/api/v1/approvals/{}", event["request"]["id"].as_str().unwrap());
                assert_eq!(served.post(&path, json!({"answer": answer}))["accepted"], true);
            }
            "call_ended" if event["outcome"]["tool"] == asked.tool => outcome = event["outcome"].clone(),
            "done" => {
                assert_eq!(event["outcome"], "completed", "{}: {event}", asked.says);
                return (outcome, questions);
            }
            _ => {}
        }
    }
}

#[test]
fn ten_chinese_requests_take_at_most_one_question_each() {
    let display = Display::new();
    let (window, _) = display.window("记事本", "300x200+100+100", "#336699");
    display.window("另一个", "300x200+500+100", "#993333");
    display.copies(&["-selection", "clipboard"], "剪贴板里的字".as_bytes());
    let request = |says, tool, arguments, looks, questions| Asked {
        says,
        tool,
        arguments,
        looks,
        after: None,
        questions,
    };
    let requests = [
        request("列出所有窗口", "list_windows", json!({}), true, (0, 0)),
        request("切换到「记事本」窗口", "switch_window", json!({"window_id": "记事本"}), true, (1, 0)),
        request("截取全屏", "screenshot", json!({}), true, (1, 1)),
        Asked {
            after: Some(("get_active_window", window.to_string())),
            ..request("截取当前窗口", "screenshot", json!({"window_id": window}), true, (1, 1))
        },
        request("读取剪贴板", "clipboard_read", json!({}), true, (1, 1)),
        request("把“你好”写入剪贴板", "clipboard_write", json!({"text": "你好"}), true, (1, 0)),
        request("查看系统信息", "system_info", json!({}), true, (0, 0)),
        request(
            "列出占用内存最多的进程",
            "list_processes",
            json!({"sort_by": "memory", "limit": 5}),
            true,
            (0, 0),
        ),
        request("读取 notes.txt", "read_file", json!({"path": "notes.txt"}), false, (0, 0)),
        request("在 src 里搜索 TODO", "grep", json!({"pattern": "TODO", "path": "src"}), false, (0, 0)),
    ];
    let script = requests.iter().map(Asked::script).collect::<String>();
    let script = format!("matching = \"by_message\"\n{script}");
    let environment = vec![("DISPLAY", display.name.clone())];
    let served =
        Served::around(&script, Around { environment, config: "language = \"zh\"\n", ..Around::default() });
    std::fs::write(served.workspace().join("notes.txt"), "买牛奶\n").unwrap();
    std::fs::create_dir(served.workspace().join("src")).unwrap();
    std::fs::write(served.workspace().join("src/main.rs"), "fn main() {}\n// TODO: 修理\n").unwrap();

    let session = served.new_session();
    let outcomes: Vec<Value> = requests
        .iter()
        .map(|asked| {
            let (outcome, questions) = ask(&served, &session, asked);
            assert_eq!(outcome["status"], "success", "{}: {outcome}", asked.says);
            assert_eq!(questions, asked.questions, "{}: before it runs, and about its result", asked.says);
            if asked.tool == "switch_window" {
                assert_eq!(display.active(), Some(window));
            }
            outcome
        })
        .collect();

    let [windows, _, full, one, read, _, system, processes, notes, found] = &outcomes[..] else { panic!() };
    let titles: Vec<&Value> =
        windows["data"]["windows"].as_array().unwrap().iter().map(|window| &window["title"]).collect();
    assert!(titles.contains(&&json!("记事本")), "{titles:?}");
    for (shot, size) in [(full, (1280, 800)), (one, (300, 200))] {
        let file = std::fs::read(shot["data"]["path"].as_str().unwrap()).unwrap();
        let picture = deskhand_tools::desktop::Picture::read(&file).unwrap();
        assert_eq!((picture.width, picture.height), size);
    }
    assert_ne!(full["data"]["path"], one["data"]["path"]);
    assert_eq!(read["data"]["text"], "剪贴板里的字");
    assert_eq!(display.says(&["xclip", "-selection", "clipboard", "-o"]), "你好");
    assert!(system["data"]["system"]["os"].is_string(), "{system}");
    let sizes: Vec<u64> = processes["data"]["processes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|process| process["memory"]["bytes"].as_u64().unwrap())
        .collect();
    assert!(sizes.len() == 5 && sizes.is_sorted_by(|one, next| one >= next), "{sizes:?}");
    assert_eq!(notes["data"]["content"], "买牛奶\n");
    assert!(found["text"].as_str().unwrap().contains("TODO: 修理"), "{found}");
}
