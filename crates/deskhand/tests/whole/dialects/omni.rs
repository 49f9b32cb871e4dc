//! The tools of omni: `{success, message, data}`, and `run_shell` with a result of its own.

use std::{
    fs,
    process::{Child, Command, Stdio},
};

use deskhand_core::Status;
use serde_json::json;

use super::has;

super::dialect! { "omni"
    built {
        run_shell(there) {
            there.write("a.txt", "hello\n");
            let came = there.gives(json!({"command": "ls -la"})).await;
            has(&came.shaped, "success:bool stdout:text stderr:text exit_code:integer execution_time:number");
            assert_eq!(came.shaped.as_object().unwrap().len(), 5, "{}", came.shaped);
            assert!(came.shaped["stdout"].as_str().unwrap().contains("a.txt"));
            assert_eq!((&came.planned["timeout_ms"], &came.planned["profile"]), (&json!(30_000), &json!("strict")));
            fs::create_dir(there.path("sub")).unwrap();
            let came = there.gives(json!({"command": "pwd", "timeout": 5, "cwd": "sub"})).await;
            assert_eq!(came.shaped["stdout"], format!("{}\n", there.path("sub").display()));
            assert_eq!(came.planned["timeout_ms"], 5_000);
            let slow = there.ends(json!({"command": "echo begun; sleep 60", "timeout": 1}), Status::TimedOut).await;
            assert_eq!((&slow.shaped["success"], &slow.shaped["stdout"]), (&json!(false), &json!("begun\n")));
            let failed = there.ends(json!({"command": "cat none"}), Status::Error).await;
            assert_eq!((&failed.shaped["success"], &failed.shaped["exit_code"]), (&json!(false), &json!(1)));
            for (command, status) in [("rm -rf sub", Status::Blocked), ("mkfs.ext4 x", Status::Blocked)] {
                there.failed(&there.ends(json!({"command": command}), status).await.shaped);
            }
            there.ends(json!({"command": "ls", "timeout": 0}), Status::InvalidArguments).await;
        }
        create_directory(there) {
            let came = there.gives(json!({"path": "reports/2026/02"})).await;
            has(came.data(), "path:text created:integer");
            assert!(there.path("reports/2026/02").is_dir());
        }
        copy_file(there) {
            there.write("a.txt", "hello\n");
            let came = there.gives(json!({"source": "a.txt", "destination": "new/b.txt"})).await;
            has(came.data(), "source:text destination:text bytes:integer");
            assert_eq!(there.read("new/b.txt"), "hello\n");
            there.write("c.txt", "mine\n");
            let refused = there.ends(json!({"source": "a.txt", "destination": "c.txt"}), Status::Error).await;
            there.failed(&refused.shaped);
            assert_eq!(there.read("c.txt"), "mine\n", "nothing is replaced unasked");
        }
        get_file_info(there) {
            there.write("a.txt", "hello\n");
            let came = there.gives(json!({"path": "a.txt"})).await;
            has(came.data(), "path:text kind:text size:integer modified:text permissions:text read_only:bool");
            assert_eq!(came.data()["size"], 6);
            assert!(came.data().get("mode").is_none(), "it has one name");
            there.failed(&there.ends(json!({"path": "none"}), Status::Error).await.shaped);
        }
        compress_files(there) {
            there.write("a.txt", "hello\n");
            there.write("sub/b.txt", "you\n");
            let came = there.gives(json!({"files": ["a.txt", "sub"], "output": "out.zip"})).await;
            has(came.data(), "output:text files:integer folders:integer bytes:integer archive_bytes:integer");
            assert_eq!(came.planned["format"], "zip");
            assert!(fs::read(there.path("out.zip")).unwrap().starts_with(b"PK\x03\x04"), "ZIP");
        }
        decompress_file(there) {
            there.write("a.txt", "hello\n");
            there.call_other("compress_files", json!({"files": ["a.txt"], "output": "out.zip"})).await;
            let came = there.gives(json!({"file": "out.zip", "destination": "there"})).await;
            has(came.data(), "file:text destination:text files:integer entries:list");
            assert_eq!(there.read("there/a.txt"), "hello\n");
            there.gives(json!({"file": "out.zip"})).await;
            assert_eq!(there.read("out/a.txt"), "hello\n", "left out, it is beside the archive");
        }
        get_system_info(there) {
            let came = there.gives(json!({})).await;
            has(came.data(), "os:text version:text architecture:text");
        }
        get_cpu_info(there) {
            let came = there.gives(json!({})).await;
            has(came.data(), "model:text cores:integer usage_percent:number");
        }
        get_memory_info(there) {
            let came = there.gives(json!({})).await;
            has(came.data(), "total:integer available:integer used:integer usage_percent:number");
            assert!(came.data()["total"].as_u64() >= came.data()["available"].as_u64(), "bytes, both of them");
        }
        get_disk_info(there) {
            let came = there.gives(json!({})).await;
            has(came.data(), "partitions:list");
            for partition in came.data()["partitions"].as_array().unwrap() {
                has(partition, "device:text mount_point:text file_system:text usage_percent:number");
                has(partition, "total:integer used:integer available:integer");
            }
        }
        get_network_info(there) {
            let came = there.gives(json!({})).await;
            has(came.data(), "ip_addresses:list interfaces:list connections:object");
            let interfaces = came.data()["interfaces"].as_array().unwrap();
            assert!(!interfaces.is_empty());
            for interface in interfaces {
                has(interface, "name:text state:text addresses:list received:integer sent:integer");
            }
            has(&came.data()["connections"], "tcp:object udp:integer listening:list");
        }
        list_processes(there) {
            let came = there.gives(json!({})).await;
            has(came.data(), "processes:list total:integer");
            let processes = came.data()["processes"].as_array().unwrap();
            let total = came.data()["total"].as_u64().unwrap();
            assert_eq!(processes.len() as u64, total.min(500), "there are no pages");
            for process in processes {
                has(process, "pid:integer name:text cpu_percent:number memory:integer state:text started_at:text");
            }
        }
        get_process_info(there) {
            let came = there.gives(json!({"pid": std::process::id()})).await;
            has(came.data(), "pid:integer name:text user:text state:text cpu_percent:number memory:integer");
            has(came.data(), "full_command:text started_at:text running_s:integer virtual_memory:integer children:list");
            there.failed(&there.ends(json!({"pid": 4_194_305}), Status::Error).await.shaped);
        }
        kill_process(there) {
            let mut sleeper = Sleeper::start();
            let came = there.gives(json!({"pid": sleeper.0.id(), "force": true})).await;
            has(came.data(), "pid:integer name:text signal:text");
            assert_eq!(came.data()["signal"], "SIGKILL");
            assert!(sleeper.0.try_wait().unwrap().is_some());
            let mut spared = Sleeper::start();
            let mut there = there;
            there.desk.answer([crate::support::no("it is needed")]);
            let refused = there.ends(json!({"pid": spared.0.id()}), Status::ExecutionRejected).await;
            assert_eq!(refused.planned.get("force"), None, "left out, it is asked to end");
            there.failed(&refused.shaped);
            assert!(spared.0.try_wait().unwrap().is_none(), "a person is asked each time, whatever the mode");
            there.failed(&there.ends(json!({"pid": 1}), Status::Blocked).await.shaped);
        }
    }
    on_a_desktop {
        list_windows(there, display) {
            let (id, pid) = display.window("Notes", "300x200+100+100", "#336699");
            let came = there.gives(json!({})).await;
            has(came.data(), "windows:list total:integer");
            let window = &came.data()["windows"][0];
            has(window, "title:text pid:integer handle:integer app:text");
            assert_eq!((&window["title"], &window["pid"], &window["handle"]), (&json!("Notes"), &json!(pid), &json!(id)));
        }
        get_active_window(there, display) {
            let came = there.gives(json!({})).await;
            assert_eq!(came.data(), &json!({}), "none is active");
            display.window("Notes", "300x200+100+100", "#336699");
            deskhand_testkit::block_until("it is active", || display.active().is_some());
            let came = there.gives(json!({})).await;
            has(came.data(), "title:text app:text handle:integer");
            assert_eq!(came.data()["title"], "Notes");
        }
        switch_window(there, display) {
            let (id, _) = display.window("Notes", "300x200+100+100", "#336699");
            display.window("Other", "300x200+500+100", "#336699");
            let came = there.gives(json!({"window_id": id})).await;
            has(came.data(), "title:text app:text handle:integer");
            assert_eq!((&came.data()["handle"], display.active()), (&json!(id), Some(id)));
            there.gives(json!({"window_id": id.to_string()})).await;
            there.failed(&there.ends(json!({"window_id": 5}), Status::Error).await.shaped);
        }
        close_window(there, display) {
            let (id, _) = display.window("Notes", "300x200+100+100", "#336699");
            let (other, _) = display.window("Other", "300x200+500+100", "#336699");
            let came = there.gives(json!({"window_id": id})).await;
            has(came.data(), "handle:integer title:text forced:bool");
            assert_eq!(came.data()["handle"], id);
            there.gives(json!({"window_id": other, "force": true})).await;
            assert!(display.ids().is_empty());
            there.failed(&there.ends(json!({"window_id": id}), Status::Error).await.shaped);
        }
        screenshot_full(there, display) {
            let came = there.gives(json!({})).await;
            has(came.data(), "path:text width:integer height:integer bytes:integer");
            let path = came.data()["path"].as_str().unwrap();
            assert!(path.starts_with(std::env::temp_dir().to_str().unwrap()), "{path}");
            assert!(fs::read(path).unwrap().starts_with(b"\x89PNG"), "a picture of {}", display.name);
            fs::remove_file(path).unwrap();
        }
        screenshot_window(there, display) {
            let (id, _) = display.window("Notes", "300x200+100+100", "#336699");
            let came = there.gives(json!({"window_id": id})).await;
            has(came.data(), "path:text width:integer height:integer");
            assert_eq!((&came.data()["width"], &came.data()["height"]), (&json!(300), &json!(200)));
            fs::remove_file(came.data()["path"].as_str().unwrap()).unwrap();
            there.failed(&there.ends(json!({"window_id": 5}), Status::Error).await.shaped);
        }
        screenshot_region(there, display) {
            let came = there.gives(json!({"x": 10, "y": 20, "width": 30, "height": 40})).await;
            assert_eq!((&came.data()["width"], &came.data()["height"]), (&json!(30), &json!(40)), "{}", display.name);
            assert_eq!(came.planned["region"], json!({"x": 10, "y": 20, "width": 30, "height": 40}));
            fs::remove_file(came.data()["path"].as_str().unwrap()).unwrap();
            let outside = json!({"x": 1270, "y": 0, "width": 11, "height": 1});
            there.failed(&there.ends(outside, Status::InvalidArguments).await.shaped);
        }
        clipboard_read(there, display) {
            display.copies(&["-selection", "clipboard"], "复制".as_bytes());
            let came = there.gives(json!({})).await;
            assert_eq!(came.data()["text"], "复制");
        }
        clipboard_write(there, display) {
            there.gives(json!({"text": "复制"})).await;
            assert_eq!(display.says(&["xclip", "-selection", "clipboard", "-o"]), "复制");
        }
        clipboard_clear(there, display) {
            display.copies(&["-selection", "clipboard"], b"copied");
            there.gives(json!({})).await;
            assert_eq!(display.says(&["xclip", "-selection", "clipboard", "-o"]), "");
        }
    }
    not_built {}
}

/// A process that ends with the test at the latest.
struct Sleeper(Child);

impl Sleeper {
    fn start() -> Self {
        let child = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap();
        // Until it has become sleep, it is still a copy of this program, which is protected.
        while !fs::read(format!("/proc/{}/cmdline", child.id())).unwrap().starts_with(b"sleep") {
            std::thread::yield_now();
        }
        Self(child)
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
