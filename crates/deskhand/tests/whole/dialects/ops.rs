//! The tools of the operations agent: `{success, output, error, duration}`, the output being JSON text.

use deskhand_core::Status;
use serde_json::{Value, json};

use super::has;

super::dialect! { "ops"
    built {
        sys_monitor(there) {
            let came = there.gives(json!({})).await;
            assert_eq!(came.shaped["error"], Value::Null);
            let all = came.output();
            assert_eq!(all.as_object().unwrap().len(), 3, "all is the default: {all}");
            has(&all["cpu"], "usage_percent:number cores:integer frequency:text");
            for part in ["memory", "disk"] {
                has(&all[part], "total:text used:text usage_percent:number available:text");
                assert!(all[part]["total"].as_str().unwrap().ends_with("GB"), "{all}");
            }
            for metric in ["cpu", "memory", "disk"] {
                let one = there.gives(json!({"metric": metric, "interval": null})).await.output();
                assert_eq!(one.as_object().unwrap().keys().collect::<Vec<_>>(), [metric]);
            }
            let sampled = there.gives(json!({"metric": "cpu", "interval": 0.4})).await;
            assert_eq!(sampled.planned["interval_s"], 0.4);
            let failed = there.ends(json!({"metric": "network"}), Status::InvalidArguments).await.shaped;
            there.failed(&failed);
            assert!(failed["error"].as_str().unwrap().starts_with("系统监控失败: "), "{failed}");
        }
        command_executor(there) {
            there.write("a.txt", "hello\n");
            let came = there.gives(json!({"command": "ls", "args": ["-1", "a.txt"]})).await;
            assert_eq!(came.shaped["error"], Value::Null);
            let wanted = json!({"command": "ls -1 a.txt", "exit_code": 0, "stdout": "a.txt\n", "stderr": ""});
            assert_eq!(came.output(), wanted);
            assert_eq!(came.planned, json!({"argv": ["ls", "-1", "a.txt"], "timeout_ms": 30_000, "profile": "ten_commands"}));
            assert_eq!(there.gives(json!({"command": "pwd"})).await.output()["command"], "pwd");
            let failed = there.ends(json!({"command": "cat", "args": ["none"]}), Status::Error).await;
            assert_eq!((&failed.shaped["success"], &failed.output()["exit_code"]), (&json!(false), &json!(1)));
            assert_eq!(failed.shaped["error"], failed.output()["stderr"], "what it printed is the error");
            let silent = json!({"command": "grep", "args": ["nothing", "a.txt"]});
            assert_eq!(there.ends(silent, Status::Error).await.shaped["error"], "命令执行失败: 退出码 1");
            let slow = json!({"command": "tail", "args": ["-f", "a.txt"], "timeout": 1});
            let timed_out = there.ends(slow, Status::TimedOut).await.shaped;
            assert_eq!((&timed_out["success"], &timed_out["error"]), (&json!(false), &json!("命令执行超时: tail")));
            for command in ["rm", "sh", "ls -la", "/bin/ls"] {
                let refused = there.ends(json!({"command": command}), Status::InvalidArguments).await;
                there.failed(&refused.shaped);
                assert_eq!(refused.shaped["error"], format!("命令不在白名单中: {command}"));
            }
            let hidden = json!({"command": "cat", "args": [there.desk.data.join("deskhand.db")], "cwd": "none"});
            let failed = there.ends(hidden, Status::Error).await.shaped;
            assert!(failed["error"].as_str().unwrap().starts_with("命令执行失败: "), "{failed}");
            for character in [";", "&", "|", ">", "<", "`", "$", "(", ")", "\n", "\r"] {
                let argument = format!("a{character}b");
                let asked = json!({"command": "ls", "args": ["-l", argument]});
                let refused = there.ends(asked.clone(), Status::InvalidArguments).await;
                there.failed(&refused.shaped);
                assert_eq!(refused.shaped["error"], format!("参数包含非法字符: {argument}"));
                // Under the name alone, the rule of the tool holds.
                let outcome = there.desk.call("command_executor", asked).await;
                assert_eq!((outcome.status, outcome.error.unwrap().code.as_str()), (Status::Blocked, "shell:ten_commands"));
            }
        }
    }
    not_built { semantic_search file_download file_upload }
}
