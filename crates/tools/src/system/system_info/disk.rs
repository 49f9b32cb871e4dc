//! The section `disk`: the real file systems, each once.

use std::path::Path;

use deskhand_core::ToolResult;
use schemars::JsonSchema;
use serde::Serialize;
use sysinfo::Disks;

use crate::system::{
    human::{Size, percent},
    sampling::not_told,
};

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Disk {
    mount_point: String,
    device: String,
    /// Such as `ext4`, `NTFS`, `apfs`.
    file_system: String,
    total: Size,
    available: Size,
    used: Size,
    /// Of what can be used, without what is reserved for the system.
    usage_percent: f64,
    read_only: bool,
}

/// Sorted by mount point.
pub(super) fn look() -> ToolResult<Vec<Disk>> {
    let disks = Disks::new_with_refreshed_list().map_err(|error| not_told("disks", &error))?;
    let all = disks.iter().map(|disk| {
        let (total, available) = (disk.total_space(), disk.available_space());
        let used = used(disk.mount_point()).unwrap_or_else(|| total.saturating_sub(available));
        Disk {
            mount_point: disk.mount_point().display().to_string(),
            device: disk.name().to_string_lossy().into_owned(),
            file_system: disk.file_system().to_string_lossy().into_owned(),
            total: Size::of(total),
            available: Size::of(available),
            used: Size::of(used),
            usage_percent: percent(used, used.saturating_add(available)),
            read_only: disk.is_read_only(),
        }
    });
    Ok(once_each(all.collect()))
}

/// What is really taken: where a part is reserved for the system, that is less than all that is not available.
#[cfg(unix)]
fn used(mount_point: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(mount_point).ok()?;
    stat.f_blocks.checked_sub(stat.f_bfree)?.checked_mul(stat.f_frsize)
}

#[cfg(not(unix))]
fn used(_: &Path) -> Option<u64> {
    None
}

/// Without those that have no size (they are the kernel's), and each device once, where it is mounted nearest
/// to the top: bind mounts and subvolumes show the same space again.
fn once_each(mut disks: Vec<Disk>) -> Vec<Disk> {
    disks.retain(|disk| disk.total.bytes > 0);
    disks.sort_by(|a, b| (a.mount_point.len(), &a.mount_point).cmp(&(b.mount_point.len(), &b.mount_point)));
    let mut kept: Vec<Disk> = Vec::new();
    for disk in disks {
        let again = kept.iter().any(|known| known.device == disk.device && known.total == disk.total);
        if !again {
            kept.push(disk);
        }
    }
    kept.sort_by(|a, b| a.mount_point.cmp(&b.mount_point));
    kept
}

impl Disk {
    pub fn space(&self) -> super::vitals::DiskSpace {
        super::vitals::DiskSpace {
            mount: self.mount_point.clone(),
            total: self.total.bytes,
            used: self.used.bytes,
        }
    }

    pub fn line(&self) -> String {
        format!(
            "Disk {}: {} of {} used ({}%), {} available, {}{}",
            self.mount_point,
            self.used.text,
            self.total.text,
            self.usage_percent,
            self.available.text,
            self.file_system,
            if self.read_only { ", read-only" } else { "" }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_counts_once_and_pseudo_ones_not() {
        let disk = |device: &str, mount_point: &str, total: u64| Disk {
            mount_point: mount_point.into(),
            device: device.into(),
            file_system: "ext4".into(),
            total: Size::of(total),
            available: Size::of(0),
            used: Size::of(total),
            usage_percent: 100.0,
            read_only: false,
        };
        let kept = once_each(vec![
            disk("/dev/sda1", "/var/lib/bind", 10),
            disk("/dev/sdb1", "/home", 20),
            disk("/dev/sda1", "/", 10),
            disk("none", "/nothing", 0),
            disk("overlay", "/a", 5),
            disk("overlay", "/b", 6),
        ]);
        let places: Vec<&str> = kept.iter().map(|disk| disk.mount_point.as_str()).collect();
        assert_eq!(places, ["/", "/a", "/b", "/home"]);
    }
}
