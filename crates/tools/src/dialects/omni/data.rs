//! The `data` of omni's results, where it is not that of the tool here.

use deskhand_core::Outcome;
use serde_json::{Map, Value, json};

use super::with_data;

/// Amounts as plain numbers of bytes: there are no others in that system.
pub(super) fn in_bytes(value: &Value) -> Value {
    match value {
        Value::Object(fields) => match (fields.len(), fields.get("bytes"), fields.get("text")) {
            (2, Some(bytes), Some(_)) => bytes.clone(),
            _ => fields.iter().map(|(name, value)| (name.clone(), in_bytes(value))).collect(),
        },
        Value::Array(items) => items.iter().map(in_bytes).collect(),
        other => other.clone(),
    }
}

/// `os`, `version`, `architecture`, and more.
pub(super) fn system(outcome: &Outcome) -> Value {
    with_data(outcome, |data| data["system"].clone())
}

/// `model`, `cores`, `usage_percent`, and more.
pub(super) fn cpu(outcome: &Outcome) -> Value {
    with_data(outcome, |data| {
        let mut cpu = data["cpu"].clone();
        cpu["cores"] = cpu.get("physical_cores").unwrap_or(&cpu["logical_cores"]).clone();
        cpu
    })
}

/// `total`, `available`, `used` in bytes, `usage_percent`, and more.
pub(super) fn memory(outcome: &Outcome) -> Value {
    with_data(outcome, |data| data["memory"].clone())
}

/// `partitions`, each with `total`, `used`, `available` in bytes and `usage_percent`.
pub(super) fn disk(outcome: &Outcome) -> Value {
    with_data(outcome, |data| json!({"partitions": data["disk"]}))
}

/// `ip_addresses` by which others reach this machine, `interfaces`, and `connections` by their state.
pub(super) fn network(outcome: &Outcome) -> Value {
    with_data(outcome, |data| {
        let mut network = data["network"].clone();
        let interfaces = network["interfaces"].as_array().map(Vec::as_slice).unwrap_or_default();
        let addresses = interfaces.iter().filter_map(|interface| interface["addresses"].as_array()).flatten();
        let plain = addresses.filter_map(|address| address.as_str()?.split('/').next());
        let reachable: Vec<&str> = plain.filter(|address| !is_local(address)).collect();
        network["ip_addresses"] = json!(reachable);
        network
    })
}

/// Whether an address leads to this machine alone, or only to the next one on the cable.
fn is_local(address: &str) -> bool {
    use std::net::IpAddr;
    match address.parse() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => address.is_loopback() || address.is_unicast_link_local(),
        Err(_) => true,
    }
}

/// `windows`, each with `title`, `pid`, `handle`, and more.
pub(super) fn windows(outcome: &Outcome) -> Value {
    with_data(outcome, |data| {
        let windows = data["windows"].as_array().map(Vec::as_slice).unwrap_or_default();
        json!({"windows": windows.iter().map(window).collect::<Vec<_>>(), "total": data["total"]})
    })
}

/// `title`, `app`, `handle` and more; nothing where no window has the keyboard.
pub(super) fn active_window(outcome: &Outcome) -> Value {
    with_data(outcome, |data| if data["window"].is_null() { json!({}) } else { window(&data["window"]) })
}

/// `title`, `handle`, `forced`, and more.
pub(super) fn closed_window(outcome: &Outcome) -> Value {
    with_data(outcome, window)
}

/// A window has a `handle`, which is what that system's tools take as `window_id`; and what is not known is `null`.
fn window(window: &Value) -> Value {
    let mut window = window.clone();
    window["handle"] = window["id"].clone();
    for field in ["pid", "app"] {
        window[field] = window.get(field).cloned().unwrap_or_default();
    }
    window
}

/// `size` in bytes, `modified`, `permissions`, and more.
pub(super) fn file(outcome: &Outcome) -> Value {
    with_data(outcome, |data| {
        let fields = data.as_object().cloned().unwrap_or_default().into_iter();
        let named =
            |(name, value)| if name == "mode" { ("permissions".to_owned(), value) } else { (name, value) };
        Value::Object(fields.map(named).collect::<Map<String, Value>>())
    })
}

#[cfg(test)]
mod tests {
    use deskhand_core::{CallId, Status};

    use super::*;

    fn outcome(data: Value) -> Outcome {
        let mut outcome = Outcome::without_gate(CallId::new(), "system_info", Status::Success, "", "words");
        outcome.error = None;
        outcome.data = data;
        outcome
    }

    #[test]
    fn amounts_are_bytes_and_sections_stand_alone() {
        let size = json!({"bytes": 5, "text": "5 B"});
        let shaped = memory(&outcome(json!({"memory": {"total": size, "usage_percent": 1.5}})));
        let wanted = json!({"total": 5, "usage_percent": 1.5});
        assert_eq!(shaped, json!({"success": true, "message": "words", "data": wanted}));
        assert_eq!(
            disk(&outcome(json!({"disk": [{"total": size}]})))["data"],
            json!({"partitions": [{"total": 5}]})
        );
        let more = json!({"bytes": 1, "text": "x", "files": 2});
        assert_eq!(in_bytes(&more), more, "it is no amount");
    }

    #[test]
    fn cores_are_there_where_only_logical_ones_are_known() {
        for (given, wanted) in
            [(json!({"physical_cores": 4, "logical_cores": 8}), 4), (json!({"logical_cores": 8}), 8)]
        {
            assert_eq!(cpu(&outcome(json!({"cpu": given})))["data"]["cores"], wanted);
        }
    }

    #[test]
    fn addresses_are_those_that_others_reach() {
        let interfaces = json!([
            {"name": "lo", "addresses": ["127.0.0.1/8", "::1/128"]},
            {"name": "eth0", "addresses": ["192.0.2.2/24", "fe80::1/64", "2001:db8::2/64"]},
            {"name": "down", "addresses": []},
        ]);
        let shaped = network(&outcome(json!({"network": {"interfaces": interfaces}})));
        assert_eq!(shaped["data"]["ip_addresses"], json!(["192.0.2.2", "2001:db8::2"]));
    }

    #[test]
    fn what_failed_has_no_data() {
        let failed =
            Outcome::without_gate(CallId::new(), "file_stat", Status::Error, "no_such_file", "It is gone.");
        for shape in [system, cpu, memory, disk, network, file] {
            assert_eq!(shape(&failed), json!({"success": false, "message": "It is gone.", "data": null}));
        }
    }
}
