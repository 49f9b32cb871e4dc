//! The section `sensors`: temperatures, where the machine tells them.

use schemars::JsonSchema;
use serde::Serialize;
use sysinfo::Components;

use crate::system::human::tenths;

#[derive(Serialize, JsonSchema)]
pub(super) struct Sensor {
    label: String,
    celsius: f64,
    /// Where the machine stops itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    critical_celsius: Option<f64>,
}

/// Empty in most virtual machines and containers.
pub(super) fn look() -> Vec<Sensor> {
    let Ok(components) = Components::new_with_refreshed_list() else { return Vec::new() };
    let celsius = |number: Option<f32>| number.filter(|n| n.is_finite()).map(|n| tenths(f64::from(n)));
    let mut sensors: Vec<Sensor> = components
        .iter()
        .filter_map(|component| {
            Some(Sensor {
                label: component.label().to_owned(),
                celsius: celsius(component.temperature())?,
                critical_celsius: celsius(component.critical()),
            })
        })
        .collect();
    sensors.sort_by(|a, b| a.label.cmp(&b.label));
    sensors
}

impl Sensor {
    pub fn line(&self) -> String {
        format!("Sensor {}: {} °C", self.label, self.celsius)
    }
}
