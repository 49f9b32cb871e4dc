//! What `sys_monitor` answers: fewer things than `system_info`, and amounts as text (`16GB`, `2.4GHz`).

use serde_json::{Map, Value, json};

/// The sections that were asked for, in that system's words.
pub(super) fn output(data: &Value) -> Value {
    let mut shown = Map::new();
    if let Some(cpu) = data.get("cpu") {
        let cores = cpu.get("physical_cores").unwrap_or(&cpu["logical_cores"]);
        let frequency = cpu["frequency_mhz"].as_u64().map_or_else(|| "unknown".to_owned(), gigahertz);
        let usage = &cpu["usage_percent"];
        shown.insert("cpu".into(), json!({"usage_percent": usage, "cores": cores, "frequency": frequency}));
    }
    if let Some(memory) = data.get("memory") {
        // In a container that is what the container has.
        let (total, left) = (bytes(memory, "available_to_us"), bytes(memory, "left_to_us"));
        shown.insert("memory".into(), space(total, total.saturating_sub(left), left));
    }
    if let Some(disks) = data.get("disk").and_then(Value::as_array) {
        let is_main = |disk: &&Value| matches!(disk["mount_point"].as_str(), Some("/" | "C:\\"));
        let main = disks.iter().find(is_main).or(disks.first()).unwrap_or(&Value::Null);
        let space = space(bytes(main, "total"), bytes(main, "used"), bytes(main, "available"));
        shown.insert("disk".into(), space);
    }
    Value::Object(shown)
}

fn bytes(of: &Value, field: &str) -> u64 {
    of[field]["bytes"].as_u64().unwrap_or(0)
}

fn space(total: u64, used: u64, available: u64) -> Value {
    let percent = if total == 0 { 0.0 } else { (float(used) * 1000.0 / float(total)).round() / 10.0 };
    json!({
        "total": gigabytes(total),
        "used": gigabytes(used),
        "usage_percent": percent,
        "available": gigabytes(available),
    })
}

/// `16GB`, `15.6GB`; less than one is still in GB.
fn gigabytes(bytes: u64) -> String {
    format!("{}GB", one_decimal(float(bytes) / float(1 << 30)))
}

fn gigahertz(mhz: u64) -> String {
    format!("{}GHz", one_decimal(float(mhz) / 1000.0))
}

/// `16`, `15.6`.
fn one_decimal(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

#[allow(clippy::cast_precision_loss)] // for one decimal, 52 bits are enough
fn float(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_other_system_documents_it() {
        let size = |gib: u64| json!({"bytes": gib << 30, "text": "…"});
        let data = json!({
            "cpu": {"usage_percent": 45.2, "physical_cores": 8, "logical_cores": 16, "frequency_mhz": 2400},
            "memory": {"available_to_us": size(16), "left_to_us": size(8)},
            "disk": [
                {"mount_point": "/boot", "total": size(1), "used": size(0), "available": size(1)},
                {"mount_point": "/", "total": size(500), "used": size(200), "available": size(300)},
            ],
        });
        let wanted = json!({
            "cpu": {"usage_percent": 45.2, "cores": 8, "frequency": "2.4GHz"},
            "memory": {"total": "16GB", "used": "8GB", "usage_percent": 50.0, "available": "8GB"},
            "disk": {"total": "500GB", "used": "200GB", "usage_percent": 40.0, "available": "300GB"},
        });
        assert_eq!(output(&data), wanted);
        assert_eq!(output(&json!({"memory": data["memory"]})), json!({"memory": wanted["memory"]}));
    }

    #[test]
    fn what_is_not_known() {
        let data = json!({"cpu": {"usage_percent": 1.0, "logical_cores": 2}, "disk": []});
        let wanted = json!({
            "cpu": {"usage_percent": 1.0, "cores": 2, "frequency": "unknown"},
            "disk": {"total": "0GB", "used": "0GB", "usage_percent": 0.0, "available": "0GB"},
        });
        assert_eq!(output(&data), wanted);
        assert_eq!((gigabytes(123 << 20), gigabytes(1643 << 20)), ("0.1GB".to_owned(), "1.6GB".to_owned()));
    }
}
