//! The section `system`: what runs here, on what, since when.

use std::time::{Duration, SystemTime};

use deskhand_core::Time;
use schemars::JsonSchema;
use serde::Serialize;
use sysinfo::System;

use crate::system::human;

#[derive(Serialize, JsonSchema)]
pub(super) struct Machine {
    /// Such as `Debian GNU/Linux`, `Windows`, `Darwin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    os: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<String>,
    /// Such as `x86_64`, `aarch64`.
    architecture: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hostname: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uptime_s: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uptime_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    booted_at: Option<Time>,
    /// A container or a virtual machine, where something tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    runs_in: Option<String>,
}

pub(super) fn look() -> Machine {
    let uptime = System::uptime().ok();
    let booted = System::boot_time().ok().filter(|seconds| *seconds > 0);
    Machine {
        os: System::name().ok(),
        version: System::os_version().ok(),
        kernel: System::kernel_version().ok(),
        architecture: System::cpu_arch(),
        hostname: System::host_name().ok(),
        uptime_s: uptime,
        uptime_text: uptime.map(human::span),
        booted_at: booted.map(|seconds| (SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).into()),
        runs_in: runs_in(),
    }
}

#[cfg(target_os = "linux")]
fn runs_in() -> Option<String> {
    crate::system::linux::surroundings::hint(std::path::Path::new("/"))
}

#[cfg(not(target_os = "linux"))]
fn runs_in() -> Option<String> {
    None
}

impl Machine {
    pub fn line(&self) -> String {
        let or_unknown = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
        let mut line = format!(
            "System: {} {}, kernel {}, {}, host {}",
            or_unknown(&self.os),
            self.version.as_deref().unwrap_or_default(),
            or_unknown(&self.kernel),
            self.architecture,
            or_unknown(&self.hostname),
        );
        if let Some(uptime) = &self.uptime_text {
            line += &format!(", up {uptime}");
        }
        if let Some(place) = &self.runs_in {
            line += &format!("; runs in a {place}");
        }
        line
    }
}
