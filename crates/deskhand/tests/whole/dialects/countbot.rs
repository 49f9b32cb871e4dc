//! The tools of CountBot: every result is a string, errors too.

use deskhand_core::Status;
use deskhand_tools::desktop::Picture;
use serde_json::{Value, json};

use super::skillmint::Site;

super::dialect! { "countbot"
    built {
        read_file(there) {
            there.write("src/main.py", "one\ntwo\nthree\nfour");
            assert_eq!(there.says(json!({"path": "src/main.py"})).await, "one\ntwo\nthree\nfour");
            let part = there.says(json!({"path": "src/main.py", "start_line": 2, "end_line": 3})).await;
            assert_eq!(part, "two\nthree\n", "the lines that were asked for, and nothing else");
            let error = there.ends(json!({"path": "none.py"}), Status::Error).await.text();
            assert!(error.contains("none.py"), "{error}");
            there.write("long.txt", &"x".repeat(40_000));
            let cut = there.says(json!({"path": "long.txt"})).await;
            assert!(cut.len() < 32_000 && cut.contains("Read on with offset"), "what is cut says so: {}", cut.len());
        }
        write_file(there) {
            let said = there.says(json!({"path": "output/result.txt", "content": "文件内容"})).await;
            assert!(said.contains("result.txt"), "{said}");
            assert_eq!(there.read("output/result.txt"), "文件内容", "with its folder");
            there.says(json!({"path": "output/result.txt", "content": "other"})).await;
            assert_eq!(there.read("output/result.txt"), "other", "it overwrites");
        }
        edit_file(there) {
            there.write("src/main.py", "旧代码\nkept\nkept\n");
            there.says(json!({"path": "src/main.py", "old_str": "旧代码", "new_str": "新代码"})).await;
            assert_eq!(there.read("src/main.py"), "新代码\nkept\nkept\n");
            for (old, words) in [("nowhere", "old_str is not in"), ("kept", "old_str stands in")] {
                let arguments = json!({"path": "src/main.py", "old_str": old, "new_str": "x"});
                let error = there.ends(arguments, Status::Error).await.text();
                assert!(error.starts_with(words), "{error}");
            }
            assert_eq!(there.read("src/main.py"), "新代码\nkept\nkept\n");
        }
        list_dir(there) {
            there.write("src/a.py", "x");
            there.write("src/.hidden", "");
            there.write("src/deep/b.py", "");
            let listed = there.says(json!({"path": "src"})).await;
            assert_eq!(listed, format!("src/deep/\nsrc/.hidden  0\nsrc/a.py  1\n3 entries in {}.", there.path("src").display()));
            let all = there.gives(json!({"path": "src", "recursive": true})).await;
            assert!(all.text().contains("deep/b.py"), "{}", all.text());
            let plain = there.gives(json!({"path": "src"})).await;
            assert_eq!(plain.planned["recursive"], false);
        }
        exec(there) {
            there.write("src/a.py", "");
            let came = there.gives(json!({"command": "ls -1", "working_dir": "src"})).await;
            assert_eq!(came.shaped, "a.py\n");
            let wanted = json!({"command": "ls -1", "cwd": "src", "timeout_ms": 30_000, "max_output_chars": 10_000,
                                "profile": "strict"});
            assert_eq!(came.planned, wanted);
            assert_eq!(there.says(json!({"command": "pwd"})).await, format!("{}\n", there.desk.workspace.display()));
            for command in ["seq 1 100000", "seq 1 100000; seq 100001 200000 >&2"] {
                let long = there.says(json!({"command": command})).await;
                assert!(long.chars().count() <= 10_400, "{command}: {}", long.chars().count());
                assert!(long.starts_with("1\n2\n") && long.contains("read_file with path"), "{command}");
            }
            let failed = there.ends(json!({"command": "cat none"}), Status::Error).await.text();
            assert!(failed.contains("none"), "{failed}");
            for command in ["rm -rf /", "rm -rf src", "mkfs.ext4 x", "dd if=/dev/zero of=x", ":(){ :|:& };:"] {
                let blocked = there.ends(json!({"command": command}), Status::Blocked).await;
                assert!(!blocked.text().is_empty(), "{command}");
            }
            assert!(there.path("src/a.py").exists());
        }
        file_search(there) {
            for number in 0..30 {
                there.write(&format!("docs/{number:02}.pdf"), "");
            }
            there.write("docs/deep/deeper/z.pdf", "");
            let asked = json!({"path": "docs", "pattern": "*.pdf", "type": "file", "max_depth": 3, "limit": 5});
            let few = there.says(asked).await;
            assert_eq!(few.lines().count(), 6, "{few}");
            assert!(few.starts_with("docs/00.pdf  0\n"), "{few}");
            assert!(few.ends_with("raise limit (at most 100)."), "{few}");
            let usual = there.gives(json!({"path": "docs"})).await;
            let defaults = json!({"path": "docs", "pattern": "*", "type": "all", "max_depth": -1, "limit": 20,
                                  "include_hidden": true, "respect_gitignore": false});
            assert_eq!(usual.planned, defaults);
            assert_eq!(usual.text().lines().count(), 21, "twenty, and that there are more: {}", usual.text());
            std::fs::create_dir(there.path(".git")).unwrap();
            there.write(".gitignore", "*.log\n");
            there.write("logs/.old/a.log", "");
            there.write("logs/b.log", "");
            let logs = there.says(json!({"path": "logs", "pattern": "*.log"})).await;
            assert!(logs.starts_with("logs/.old/a.log  0\nlogs/b.log  0\n"), "hidden and ignored: {logs}");
            let dirs = there.says(json!({"path": "docs", "type": "dir", "max_depth": 1})).await;
            assert_eq!(dirs.lines().next(), Some("docs/deep/"), "{dirs}");
            for limit in [0, 101] {
                let refused = there.ends(json!({"path": "docs", "limit": limit}), Status::InvalidArguments).await;
                assert_eq!(refused.planned, Value::Null);
            }
        }
    }
    on_a_desktop {
        screenshot(there, display) {
            for arguments in [json!({}), json!({"type": "desktop", "region": "full"})] {
                let said = there.says(arguments).await;
                let path = said.split_once(": ").unwrap().1;
                assert!(path.starts_with(there.path("screenshots").to_str().unwrap()), "{said} of {}", display.name);
                assert!(std::fs::read(path).unwrap().starts_with(b"\x89PNG"));
            }
            let none = there.ends(json!({"type": "webpage"}), Status::Error).await;
            assert!(none.text().contains("No page is open"), "{}", none.text());
            let site = Site::start().await;
            // The page of an address, and the one that is open from then on.
            for arguments in [json!({"type": "webpage", "url": site.url()}), json!({"type": "webpage"})] {
                let said = there.says(arguments).await;
                let path = said.split_once(": ").unwrap().1;
                let picture = Picture::read(&std::fs::read(path).unwrap()).unwrap();
                assert!(said.starts_with("1280×800"), "{said}");
                let below_the_form = 3 * (700 * 1280 + 640);
                assert_eq!(picture.rgb[below_the_form..below_the_form + 3], [255; 3]);
            }
        }
    }
    not_built {
        web_fetch web_search memory_write memory_search memory_read spawn send_media
    }
}
