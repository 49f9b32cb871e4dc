//! The section `memory`: what the machine has, and what of it this process may really have.

use schemars::JsonSchema;
use serde::Serialize;
use sysinfo::System;

use crate::system::human::{Size, percent};

#[derive(Serialize, JsonSchema)]
pub(super) struct Memory {
    /// Of the machine.
    total: Size,
    available: Size,
    used: Size,
    usage_percent: f64,
    swap_total: Size,
    swap_used: Size,
    /// What a container limits us to.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<Size>,
    /// Where the limit stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit_from: Option<String>,
    /// The most that we may have: the smaller of the machine's memory and the limit.
    available_to_us: Size,
    /// What is left of that now.
    left_to_us: Size,
}

/// A limit on memory, and what is left under it.
pub(super) struct Limit {
    pub bytes: u64,
    pub left: u64,
    pub from: String,
}

/// What is not available, so that the two add up.
pub(super) fn used(system: &System) -> u64 {
    system.total_memory().saturating_sub(system.available_memory())
}

pub(super) fn look(system: &System, limit: Option<Limit>) -> Memory {
    let (total, available) = (system.total_memory(), system.available_memory());
    let used = used(system);
    let most = limit.as_ref().map_or(total, |limit| limit.bytes.min(total));
    let left = limit.as_ref().map_or(available, |limit| limit.left.min(available));
    Memory {
        total: Size::of(total),
        available: Size::of(available),
        used: Size::of(used),
        usage_percent: percent(used, total),
        swap_total: Size::of(system.total_swap()),
        swap_used: Size::of(system.used_swap()),
        available_to_us: Size::of(most),
        left_to_us: Size::of(left.min(most)),
        limit: limit.as_ref().map(|limit| Size::of(limit.bytes)),
        limit_from: limit.map(|limit| limit.from),
    }
}

impl Memory {
    pub fn line(&self) -> String {
        let mut line = format!(
            "Memory: {} in all, {} used ({}%), {} available",
            self.total.text, self.used.text, self.usage_percent, self.available.text
        );
        if self.limit.is_some() {
            line += &format!(
                "; limited to {} here, {} of it left",
                self.available_to_us.text, self.left_to_us.text
            );
        }
        line + &format!("; swap {} of {} used", self.swap_used.text, self.swap_total.text)
    }
}
