//! `system_info` against what the system's own files and programs say.

use std::time::Instant;

use serde_json::{Value, json};

use super::*;
use crate::testing::Desk;

fn look_at(arguments: Value) -> Value {
    Desk::new().call(SystemInfo, arguments).unwrap().data
}

#[test]
fn only_what_was_asked_for() {
    for (sections, keys) in [
        (json!(["system"]), vec!["system"]),
        (json!(["memory", "memory"]), vec!["memory"]),
        (json!(["disk", "network"]), vec!["disk", "network"]),
    ] {
        let data = look_at(json!({"sections": sections}));
        let found: Vec<&String> = data.as_object().unwrap().keys().collect();
        assert_eq!(found, keys);
    }
    let all = Desk::new().call(SystemInfo, json!({})).unwrap();
    assert_eq!(all.data.as_object().unwrap().len(), Section::ALL.len());
    for word in ["System: ", "CPU: ", "Memory: ", "Network lo: "] {
        assert!(!cfg!(target_os = "linux") || all.text.contains(word), "{word} in {}", all.text);
    }
}

#[test]
fn the_plan_is_public_and_names_the_sections() {
    let plan = Desk::new().plan(SystemInfo, json!({"sections": ["memory", "cpu"]})).unwrap();
    assert_eq!(plan.summary, "Look at this machine: cpu, memory");
    assert_eq!((plan.permission, plan.effects), (Permission::Public, Effects::READS));
}

#[test]
fn the_interval_is_really_waited_for() {
    let begun = Instant::now();
    let data = look_at(json!({"sections": ["cpu"], "interval_s": 0.5}));
    assert!(begun.elapsed() >= Duration::from_millis(500));
    assert_eq!(data["cpu"]["sampled_s"], 0.5);
}

/// A core that is kept busy while we look is seen to be busy.
#[test]
fn use_of_the_processor_is_measured() {
    use std::sync::atomic::{AtomicBool, Ordering};
    static DONE: AtomicBool = AtomicBool::new(false);
    let busy = std::thread::spawn(|| {
        while !DONE.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    });
    let data = look_at(json!({"sections": ["cpu"], "interval_s": 0.5}));
    DONE.store(true, Ordering::Relaxed);
    busy.join().unwrap();
    let cpu = &data["cpu"];
    assert!(cpu["usage_percent"].as_f64().unwrap() > 0.0, "{cpu}");
    assert_eq!(
        cpu["per_core_percent"].as_array().unwrap().len() as u64,
        cpu["logical_cores"].as_u64().unwrap()
    );
}

#[test]
fn wrong_arguments() {
    for arguments in [
        json!({"sections": []}),
        json!({"sections": ["everything"]}),
        json!({"sections": "cpu"}),
        json!({"interval_s": 0}),
        json!({"interval_s": 11}),
        json!({"interval_s": "long"}),
        json!({"metric": "cpu"}),
    ] {
        let error = Desk::new().call(SystemInfo, arguments.clone()).unwrap_err();
        assert_eq!(error.code, "invalid_arguments", "{arguments}");
    }
}

#[test]
fn a_cancelled_look_ends() {
    let arguments = json!({"sections": ["cpu"], "interval_s": 10});
    let begun = Instant::now();
    let error =
        Desk::new().call_after(SystemInfo, arguments, |_, cx| cx.cancel_token().cancel()).unwrap_err();
    assert_eq!(error.code, "cancelled");
    assert!(begun.elapsed() < Duration::from_secs(9), "it did not wait for the interval");
}

#[test]
fn a_limit_smaller_than_the_machine_is_what_we_have() {
    let kind = RefreshKind::nothing().with_memory(MemoryRefreshKind::everything());
    let system = System::new_with_specifics(kind).unwrap();
    let total = system.total_memory();
    for (limit, most, left) in [
        (None, total, None),
        (Some((total / 2, 4096)), total / 2, Some(4096)),
        (Some((total * 2, total * 2)), total, None),
        (Some((8192, 0)), 8192, Some(0)),
    ] {
        let limit = limit.map(|(bytes, left)| memory::Limit { bytes, left, from: "/limit".to_owned() });
        let data = serde_json::to_value(memory::look(&system, limit)).unwrap();
        assert_eq!(data["available_to_us"]["bytes"], most, "{data}");
        assert_eq!(data["left_to_us"]["bytes"], left.unwrap_or(system.available_memory()), "{data}");
        assert_eq!(data["total"]["bytes"], total, "{data}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn loopback_and_a_listening_port_are_there() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let data = look_at(json!({"sections": ["network"]}));
    let interfaces = data["network"]["interfaces"].as_array().unwrap();
    let loopback = interfaces.iter().find(|interface| interface["name"] == "lo").unwrap();
    assert!(loopback["addresses"].as_array().unwrap().contains(&json!("127.0.0.1/8")), "{loopback}");
    assert_eq!(loopback["state"], "up");
    let connections = &data["network"]["connections"];
    assert!(connections["tcp"]["LISTEN"].as_u64().unwrap() >= 1, "{connections}");
    let wanted = json!({"protocol": "tcp", "address": "127.0.0.1", "port": port});
    assert!(connections["listening"].as_array().unwrap().contains(&wanted), "{connections}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_disk_of_the_root_folder_has_its_size() {
    let data = look_at(json!({"sections": ["disk"]}));
    let disks = data["disk"].as_array().unwrap();
    let mut places: Vec<&str> = disks.iter().map(|disk| disk["mount_point"].as_str().unwrap()).collect();
    places.dedup();
    assert_eq!(places.len(), disks.len());
    let stat = rustix::fs::statvfs("/").unwrap();
    if let Some(root) = disks.iter().find(|disk| disk["mount_point"] == "/") {
        assert_eq!(root["total"]["bytes"], stat.f_blocks * stat.f_frsize, "{root}");
        // Others write meanwhile, but not a hundredth of the disk.
        let used = (stat.f_blocks - stat.f_bfree) * stat.f_frsize;
        let told = root["used"]["bytes"].as_u64().unwrap();
        assert!(told.abs_diff(used) <= stat.f_blocks * stat.f_frsize / 100, "{root}, and {used} used");
    }
}
