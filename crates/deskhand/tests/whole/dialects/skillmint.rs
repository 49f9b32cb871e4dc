//! The tools of SkillMint: every result is a string.

use std::fs;

use deskhand_agent::{chain::Language, desk::TurnDesk};
use deskhand_core::Status;
use serde_json::json;

use super::There;

super::dialect! { "skillmint"
    built {
        read_file(there) {
            there.write("a.txt", "one\n二\n");
            assert_eq!(there.says(json!({"path": "a.txt"})).await, "one\n二\n", "the full text");
            let error = there.ends(json!({"path": "none"}), Status::Error).await.text();
            assert!(error.contains("none"), "{error}");
        }
        write_file(there) {
            let said = there.says(json!({"path": "new/a.txt", "content": "hello\n"})).await;
            assert!(said.contains("6 bytes"), "a confirmation with the byte count: {said}");
            assert_eq!(there.read("new/a.txt"), "hello\n");
        }
        edit(there) {
            there.write("a.txt", "one two two\n");
            let came = there.gives(json!({"path": "a.txt", "old_string": "one", "new_string": "1"})).await;
            assert_eq!(came.planned["replace_all"], false);
            let twice = json!({"path": "a.txt", "old_string": "two", "new_string": "2"});
            let error = there.ends(twice, Status::Error).await.text();
            assert!(error.starts_with("old_string stands in") && error.contains("replace_all"), "{error}");
            assert_eq!(there.read("a.txt"), "1 two two\n");
            there.says(json!({"path": "a.txt", "old_string": "two", "new_string": "2", "replace_all": true})).await;
            assert_eq!(there.read("a.txt"), "1 2 2\n");
        }
        glob(there) {
            there.write("src/a.rs", "x");
            there.write("src/deep/b.rs", "");
            there.write("c.rs", "");
            assert_eq!(there.says(json!({"pattern": "**/*.rs"})).await, "c.rs\nsrc/a.rs\nsrc/deep/b.rs");
            let came = there.gives(json!({"pattern": "*.rs", "base_dir": "src/deep"})).await;
            assert_eq!(came.shaped, "src/deep/b.rs");
            assert_eq!((&came.planned["type"], &came.planned["limit"]), (&json!("file"), &json!(1000)));
            assert!(there.says(json!({"pattern": "*.none"})).await.contains("matches"), "that there is nothing");
            fs::create_dir(there.path(".git")).unwrap();
            there.write(".gitignore", "build/\n");
            there.write("build/out.js", "");
            there.write(".config/app.js", "");
            assert_eq!(there.says(json!({"pattern": "**/*.js"})).await, ".config/app.js\nbuild/out.js", "hidden and ignored");
        }
        grep(there) {
            there.write("a.txt", "one\nTwo\n");
            there.write("b.md", "two: 2\n");
            assert_eq!(there.says(json!({"pattern": "^t.o", "path": "."})).await, "b.md:1: two: 2");
            let both = json!({"pattern": "two", "path": ".", "case_insensitive": true});
            assert_eq!(there.says(both).await, "a.txt:2: Two\nb.md:1: two: 2");
            let text = json!({"pattern": "two", "path": ".", "case_insensitive": true, "file_pattern": "*.txt"});
            assert_eq!(there.says(text).await, "a.txt:2: Two");
            assert!(there.says(json!({"pattern": "three", "path": "."})).await.starts_with("No match"));
            fs::create_dir(there.path(".git")).unwrap();
            there.write(".gitignore", "build/\n");
            there.write("build/log", "needle\n");
            there.write(".hidden", "needle\n");
            let found = there.says(json!({"pattern": "needle", "path": "."})).await;
            assert_eq!(found, ".hidden:1: needle\nbuild/log:1: needle", "hidden and ignored");
        }
        list_dir(there) {
            there.write("in/a b.txt", "hello\n");
            there.write("in/.hidden", "");
            fs::create_dir(there.path("in/sub")).unwrap();
            std::os::unix::fs::symlink("sub", there.path("in/to_sub")).unwrap();
            let wanted = "sub\tdir\t-\n.hidden\tfile\t0\na b.txt\tfile\t6\nto_sub\tlink\t-";
            assert_eq!(there.says(json!({"path": "in"})).await, wanted, "name, type and size of each");
        }
        file_stat(there) {
            there.write("a.txt", "hello\n");
            let said = there.says(json!({"path": "a.txt"})).await;
            for part in ["6 bytes", "modified 2", "mode 6"] {
                assert!(said.contains(part), "{part}: {said}");
            }
        }
        file_delete(there) {
            there.write("a.txt", "");
            fs::create_dir(there.path("empty")).unwrap();
            there.write("full/a.txt", "");
            for path in ["a.txt", "empty"] {
                let said = there.says(json!({"path": path})).await;
                assert!(said.contains(path) && !there.path(path).exists(), "{said}");
            }
            // Also where our own word for it is given: only files and empty folders are deleted here.
            for arguments in [json!({"path": "full"}), json!({"path": "full", "recursive": true})] {
                there.ends(arguments, Status::Error).await;
                assert!(there.path("full/a.txt").exists());
            }
        }
        file_move(there) {
            there.write("a.txt", "hello\n");
            let said = there.says(json!({"source": "a.txt", "destination": "new/b.txt"})).await;
            assert!(said.contains("b.txt") && !there.path("a.txt").exists(), "{said}");
            assert_eq!(there.read("new/b.txt"), "hello\n");
            there.says(json!({"source": "new", "destination": "newer"})).await;
            assert_eq!(there.read("newer/b.txt"), "hello\n", "a folder, too");
        }
        file_copy(there) {
            there.write("sub/deep/a.txt", "hello\n");
            let said = there.says(json!({"source": "sub", "destination": "copy"})).await;
            assert!(said.contains("copy"), "{said}");
            assert_eq!((there.read("copy/deep/a.txt"), there.read("sub/deep/a.txt")), ("hello\n".into(), "hello\n".into()));
        }
        bash(there) {
            let came = there.gives(json!({"command": "echo hi"})).await;
            assert_eq!(came.shaped, "hi\n");
            assert_eq!(came.planned, json!({"command": "echo hi", "timeout_ms": 120_000, "background": false}));
            let slow = json!({"command": "sleep 60", "timeout_ms": 500});
            assert!(!there.ends(slow, Status::TimedOut).await.text().is_empty());
            let background = there.gives(json!({"command": "true", "background": true})).await;
            assert_eq!(background.planned, json!({"command": "true", "background": true}), "no time limit of its own");
            let limited = json!({"command": "sleep 60", "background": true, "timeout_ms": 500});
            assert_eq!(there.gives(limited).await.planned["timeout_ms"], 500);
            let id = in_background(&there, "sleep 60").await;
            let kept = there.call_other("bash_output", json!({"process_id": id})).await;
            assert!(kept.text().contains("running"), "it does not wait: {}", kept.text());
            there.call_other("bash_kill", json!({"process_id": id})).await;
        }
        bash_output(there) {
            let id = in_background(&there, "echo out; echo err >&2; exit 3").await;
            let said = there.says(json!({"process_id": id, "block": true})).await;
            assert!(said.contains("exit code 3") && said.contains("out\n") && said.contains("[stderr]\nerr\n"), "{said}");
            let came = there.gives(json!({"process_id": id})).await;
            assert_eq!(came.planned["block"], false);
            let id = in_background(&there, "seq 1 6000").await;
            let long = there.gives(json!({"process_id": id, "block": true})).await;
            assert!(long.text().contains("1000 earlier lines"), "5000 lines are kept");
            assert!(long.text().contains("\n1001\n") && long.text().contains("\n6000\n"));
            there.ends(json!({"process_id": "p-none"}), Status::Error).await;
        }
        bash_kill(there) {
            let id = in_background(&there, "sleep 60").await;
            let said = there.says(json!({"process_id": id})).await;
            assert!(said.starts_with(&format!("{id} has ended")), "{said}");
            let error = there.ends(json!({"process_id": "p-none"}), Status::Error).await.text();
            assert!(error.contains("p-none"), "only its own processes: {error}");
        }
        compact(there) {
            let alone = there.ends(json!({}), Status::Error).await.text();
            assert!(alone.contains("only within a conversation"), "{alone}");
            let turn = TurnDesk::new(there.desk.gate.registry.clone(), "chat", Language::English);
            let mut there = there;
            there.desk.session.services = there.desk.session.services.clone().with(turn);
            let said = there.says(json!({"focus": "the migration"})).await;
            assert!(said.contains("before the next step"), "{said}");
        }
        browser_launch(there) {
            let said = there.says(json!({"headless": true, "viewport": {"width": 900, "height": 700}})).await;
            assert!(said.contains("900×700"), "{said}");
        }
        browser_navigate(there) {
            let site = Site::start().await;
            assert!(there.says(json!({"url": site.url()})).await.contains("Shop"));
            there.ends(json!({"url": "file:///etc/passwd"}), Status::Blocked).await;
        }
        browser_click(there) {
            let _site = Site::shown(&there).await;
            assert!(there.says(json!({"selector": "#buy"})).await.contains("Buy"));
            there.gives(json!({"x": 5, "y": 5})).await;
            there.ends(json!({}), Status::InvalidArguments).await;
        }
        browser_type(there) {
            let _site = Site::shown(&there).await;
            there.gives(json!({"selector": "#name", "text": "Ada", "delay": 1})).await;
            assert_eq!(value_of(&there, "document.querySelector('#name').value").await, "Ada");
        }
        browser_scroll(there) {
            let _site = Site::shown(&there).await;
            for (direction, at) in [("down", "500"), ("to_bottom", "end"), ("up", "-500"), ("to_top", "end")] {
                let said = there.says(json!({"direction": direction})).await;
                assert!(said.contains(at), "{direction}: {said}");
            }
        }
        browser_hover(there) {
            let _site = Site::shown(&there).await;
            there.gives(json!({"selector": "#buy"})).await;
            assert_eq!(value_of(&there, "String(document.querySelector('#buy:hover') !== null)").await, "true");
        }
        browser_press_key(there) {
            let _site = Site::shown(&there).await;
            assert!(there.says(json!({"key": "a", "modifiers": ["Control"]})).await.contains("Control+a"));
            there.ends(json!({"key": "NoSuchKey"}), Status::InvalidArguments).await;
        }
        browser_screenshot(there) {
            let _site = Site::shown(&there).await;
            let came = there.gives(json!({"full_page": true})).await;
            assert!(came.text().starts_with("iVBORw0KGgo"), "the picture in base64: {}", came.text());
            assert_eq!(came.text(), came.outcome.images[0].base64);
            let came = there.gives(json!({"selector": "#buy", "path": "buy.png"})).await;
            assert_eq!(came.text(), there.path("buy.png").to_str().unwrap(), "or the file that it is in");
        }
        browser_get_dom(there) {
            let _site = Site::shown(&there).await;
            assert!(there.says(json!({"selector": "form", "max_depth": 2})).await.contains("buy"));
        }
        browser_evaluate(there) {
            let _site = Site::shown(&there).await;
            assert_eq!(there.says(json!({"script": "document.title"})).await, "Shop");
        }
        browser_wait_for(there) {
            let _site = Site::shown(&there).await;
            there.gives(json!({"selector": "#buy", "condition": "document.readyState === 'complete'"})).await;
            there.ends(json!({"selector": "#none", "timeout": 100}), Status::TimedOut).await;
        }
        browser_go_back(there) {
            let _site = Site::shown(&there).await;
            assert!(there.says(json!({})).await.contains("about:blank"));
        }
        browser_go_forward(there) {
            let _site = Site::shown(&there).await;
            there.call_other("browser_go_back", json!({})).await;
            assert!(there.says(json!({})).await.contains("Shop"));
        }
        browser_reload(there) {
            let _site = Site::shown(&there).await;
            assert!(there.says(json!({})).await.contains("Shop"));
        }
        browser_get_state(there) {
            let site = Site::shown(&there).await;
            let said = there.says(json!({})).await;
            assert!(said.contains(&site.url()) && said.contains("complete") && said.contains("History"), "{said}");
        }
    }
    on_a_desktop {
        screenshot(there, display) {
            let said = there.says(json!({"path": "screen.png"})).await;
            assert!(said.contains("1280×800") && there.path("screen.png").exists(), "{said} of {}", display.name);
        }
        open_in_folder(there, display) {
            let missing = there.ends(json!({"path": "none.txt"}), Status::Error).await;
            assert!(missing.text().contains("none.txt"), "{} on {}", missing.text(), display.name);
        }
    }
    not_built {
        web_fetch web_search todo_write task ask_user memory
    }
}

/// Starts a command that is not waited for, and returns the `process_id` that its caller is told.
async fn in_background(there: &There, command: &str) -> String {
    let came = there.call_other("bash", json!({"command": command, "background": true})).await;
    let said = came.text();
    assert_eq!(came.outcome.status, Status::Success, "{said}");
    let id = said.split('"').nth(1).unwrap();
    assert!(said.contains("process_id") && id.starts_with("p-"), "{said}");
    id.to_owned()
}

/// What a script says in the page that is open.
async fn value_of(there: &There, script: &str) -> String {
    there.call_other("browser_evaluate", json!({"script": script})).await.text()
}

/// A page on this machine.
pub(super) struct Site {
    port: u16,
    serving: tokio::task::JoinHandle<()>,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Site {
    pub async fn start() -> Self {
        const PAGE: &str = "<!doctype html><title>Shop</title><form><input id=name><button type=button id=buy>Buy</button></form>\
            <div style='height:5000px'></div>";
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let serving = tokio::spawn(async move {
            use tokio::io::{AsyncReadExt, AsyncWriteExt};
            while let Ok((mut stream, _)) = listener.accept().await {
                let _ = stream.read(&mut [0; 8192]).await;
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{PAGE}",
                    PAGE.len()
                );
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        Self { port, serving }
    }

    /// Such a page, opened in the browser.
    async fn shown(there: &There) -> Self {
        let site = Self::start().await;
        let came = there.call_other("browser_navigate", json!({"url": site.url()})).await;
        assert_eq!(came.outcome.status, Status::Success, "{}", came.outcome.text);
        site
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }
}
