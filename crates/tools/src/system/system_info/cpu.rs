//! The section `cpu`: what processor, how many cores of it are ours, how busy they are.

use schemars::JsonSchema;
use serde::Serialize;
use sysinfo::System;

use crate::system::human::{as_f64, tenths};

#[derive(Serialize, JsonSchema)]
pub(super) struct Cpu {
    model: String,
    vendor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_cores: Option<usize>,
    logical_cores: usize,
    /// How many cores' worth of time this process may have: a container's quota and the affinity count.
    effective_cores: f64,
    /// The quota of a container, in cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    quota_cores: Option<f64>,
    /// Of all cores together, measured over `sampled_s`.
    usage_percent: f64,
    per_core_percent: Vec<f64>,
    sampled_s: f64,
    /// Of the fastest core now.
    #[serde(skip_serializing_if = "Option::is_none")]
    frequency_mhz: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frequency_text: Option<String>,
    /// Processes that ran or waited to, on average over 1, 5 and 15 minutes. Windows has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    load_average: Option<[f64; 3]>,
}

/// `system` has been refreshed twice, `sampled_s` apart.
pub(super) fn look(system: &System, sampled_s: f64, quota_cores: Option<f64>) -> Cpu {
    let cpus = system.cpus();
    let text = |get: fn(&sysinfo::Cpu) -> &str| cpus.first().map(get).unwrap_or_default().trim().to_owned();
    let fastest = cpus.iter().map(sysinfo::Cpu::frequency).max().filter(|mhz| *mhz > 0);
    let allowed = std::thread::available_parallelism().map_or(cpus.len(), usize::from);
    Cpu {
        model: text(sysinfo::Cpu::brand),
        vendor: text(sysinfo::Cpu::vendor_id),
        physical_cores: System::physical_core_count().ok(),
        logical_cores: cpus.len(),
        effective_cores: effective_cores(cpus.len(), allowed, quota_cores),
        quota_cores,
        usage_percent: tenths(f64::from(system.global_cpu_usage())),
        per_core_percent: cpus.iter().map(|cpu| tenths(f64::from(cpu.usage()))).collect(),
        sampled_s,
        frequency_mhz: fastest,
        frequency_text: fastest.map(|mhz| format!("{:.1} GHz", as_f64(mhz) / 1000.0)),
        load_average: load_average(),
    }
}

pub(super) fn load_average() -> Option<[f64; 3]> {
    let load = System::load_average().ok().filter(|_| cfg!(not(windows)))?;
    Some([load.one, load.five, load.fifteen])
}

/// `allowed` is a whole number that has the quota in it already, rounded down, and the affinity.
fn effective_cores(logical: usize, allowed: usize, quota: Option<f64>) -> f64 {
    let (logical, allowed) = (as_f64(logical as u64), as_f64(allowed as u64));
    match quota {
        // The affinity allows at least what the quota does: the quota counts, with its fraction.
        Some(quota) if allowed >= quota.floor().max(1.0) => quota.min(logical),
        _ => allowed,
    }
}

impl Cpu {
    pub fn line(&self) -> String {
        let model = if self.model.is_empty() { "unknown model" } else { &self.model };
        let physical = self.physical_cores.map_or_else(String::new, |cores| format!("{cores} physical, "));
        let mut line = format!(
            "CPU: {model}, {physical}{} logical cores ({:.1} usable), {}% busy",
            self.logical_cores, self.effective_cores, self.usage_percent
        );
        if let Some(frequency) = &self.frequency_text {
            line += &format!(", {frequency}");
        }
        if let Some([one, five, fifteen]) = self.load_average {
            line += &format!(", load {one:.2} {five:.2} {fifteen:.2}");
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ours_of_the_cores() {
        for (logical, allowed, quota, wanted) in [
            (8, 8, None, 8.0),
            (8, 4, None, 4.0),
            (8, 2, Some(2.5), 2.5),
            (8, 1, Some(0.5), 0.5),
            (8, 1, Some(2.5), 1.0),
            (2, 2, Some(16.0), 2.0),
        ] {
            let found = effective_cores(logical, allowed, quota);
            assert!((found - wanted).abs() < 1e-9, "{logical} {allowed} {quota:?}: {found}");
        }
    }
}
