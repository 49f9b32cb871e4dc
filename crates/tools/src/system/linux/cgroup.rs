//! The limits that control groups put on this process, of version 1 and 2, its own group's and those above it.
//!
//! A container's memory is what its group may have, not what the machine has.

use std::{
    collections::HashMap,
    fs,
    path::{Component, Path, PathBuf},
};

/// What is in force; `None` where nothing limits.
#[derive(Debug, Default, PartialEq)]
pub(in crate::system) struct Limits {
    pub memory: Option<MemoryLimit>,
    /// Processor time as a number of cores.
    pub cores: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::system) struct MemoryLimit {
    /// The smallest limit on the way up.
    pub bytes: u64,
    /// The file that says so.
    pub from: PathBuf,
    /// What can still be had under every limit on the way up.
    pub left: u64,
}

/// Version 1 writes «no limit» as the largest number of whole pages.
const NO_LIMIT: u64 = 1 << 60;

/// Reads the groups of this process. `root` is `/` but in tests.
pub(in crate::system) fn read(root: &Path) -> Limits {
    let mounts = text(&root.join("proc/self/mountinfo")).unwrap_or_default();
    let groups = text(&root.join("proc/self/cgroup")).unwrap_or_default();
    let mounts: Vec<Mount> = mounts.lines().filter_map(Mount::parse).collect();
    let mut limits = Limits::default();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else { continue };
        for mount in mounts.iter().filter(|mount| mount.holds(controllers)) {
            for folder in mount.folders(root, group) {
                limits.add(&folder, root);
            }
        }
    }
    limits
}

/// One mounted hierarchy of groups.
struct Mount {
    /// The group that is seen as the top of it.
    top: String,
    at: PathBuf,
    /// `None` for version 2.
    controllers: Option<Vec<String>>,
}

impl Mount {
    /// A line such as `35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory`.
    fn parse(line: &str) -> Option<Self> {
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ').skip(3);
        let (top, at) = (unescape(before.next()?), unescape(before.next()?));
        let mut after = after.split(' ');
        let controllers = match after.next()? {
            "cgroup2" => None,
            "cgroup" => Some(after.nth(1)?.split(',').map(str::to_owned).collect()),
            _ => return None,
        };
        Some(Self { top, at: at.into(), controllers })
    }

    /// Whether this is the hierarchy of a line of `/proc/self/cgroup`.
    fn holds(&self, controllers: &str) -> bool {
        match &self.controllers {
            None => controllers.is_empty(),
            Some(ours) => {
                controllers.split(',').any(|c| matches!(c, "memory" | "cpu") && ours.iter().any(|o| o == c))
            }
        }
    }

    /// The folder of the group and those above it, up to the mount point.
    fn folders(&self, root: &Path, group: &str) -> Vec<PathBuf> {
        let top = root.join(self.at.strip_prefix("/").unwrap_or(&self.at));
        // Where the group is not below what is mounted (another namespace), what is mounted is its top.
        let below = Path::new(group)
            .strip_prefix(&self.top)
            .ok()
            .filter(|path| path.components().all(|part| matches!(part, Component::Normal(_))))
            .unwrap_or(Path::new(""));
        below.ancestors().map(|path| top.join(path)).collect()
    }
}

impl Limits {
    fn add(&mut self, folder: &Path, root: &Path) {
        for (limit, usage, inactive) in [
            ("memory.max", "memory.current", "inactive_file"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        ] {
            let Some(bytes) = number(&folder.join(limit)) else { continue };
            let statistics = statistics(&folder.join("memory.stat"));
            // Cached files are given back when memory is wanted: they are not in the way.
            let cached = statistics.get(inactive).copied().unwrap_or(0);
            let used = number(&folder.join(usage)).unwrap_or(0).saturating_sub(cached);
            self.add_memory(bytes, used, &folder.join(limit), root);
            // Groups above that cannot be seen from here still bind.
            if let Some(above) = statistics.get("hierarchical_memory_limit") {
                self.add_memory(*above, used, &folder.join("memory.stat"), root);
            }
        }
        let quota = quota_of_version_2(folder).or_else(|| quota_of_version_1(folder));
        if let Some(cores) = quota {
            self.cores = Some(self.cores.map_or(cores, |least| least.min(cores)));
        }
    }

    fn add_memory(&mut self, bytes: u64, used: u64, from: &Path, root: &Path) {
        if bytes >= NO_LIMIT {
            return;
        }
        let left = bytes.saturating_sub(used);
        let from = Path::new("/").join(from.strip_prefix(root).unwrap_or(from));
        let known = self.memory.get_or_insert_with(|| MemoryLimit { bytes, from: from.clone(), left });
        known.left = known.left.min(left);
        if bytes < known.bytes {
            (known.bytes, known.from) = (bytes, from);
        }
    }
}

/// `200000 100000`: microseconds of processor time in so many microseconds. `max 100000`: no limit.
fn quota_of_version_2(folder: &Path) -> Option<f64> {
    let text = text(&folder.join("cpu.max"))?;
    let mut words = text.split_ascii_whitespace();
    cores(words.next()?.parse().ok()?, words.next()?.parse().ok()?)
}

/// The same in two files; the quota is -1 where there is no limit.
fn quota_of_version_1(folder: &Path) -> Option<f64> {
    cores(number(&folder.join("cpu.cfs_quota_us"))?, number(&folder.join("cpu.cfs_period_us"))?)
}

fn cores(quota: u64, period: u64) -> Option<f64> {
    (quota > 0 && period > 0)
        .then(|| crate::system::human::as_f64(quota) / crate::system::human::as_f64(period))
}

fn text(path: &Path) -> Option<String> {
    fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// `max`, `-1` and rubbish are no number, and so no limit.
fn number(path: &Path) -> Option<u64> {
    text(path)?.trim().parse().ok()
}

fn statistics(path: &Path) -> HashMap<String, u64> {
    let text = text(path).unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.split_once(' '));
    pairs.filter_map(|(name, value)| Some((name.to_owned(), value.trim().parse().ok()?))).collect()
}

/// Blanks and the like stand in mountinfo as `\040`.
fn unescape(text: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .into_iter()
        .fold(text.to_owned(), |text, (escaped, plain)| text.replace(escaped, plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    const V2: &str = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
    const V1: &str = "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
                      35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n";
    const GIB: u64 = 1 << 30;

    fn limits(mounts: &str, groups: &str, files: &[(&str, &str)]) -> Limits {
        let root = tempfile::tempdir().unwrap();
        let about = [("proc/self/mountinfo", mounts), ("proc/self/cgroup", groups)];
        for (path, content) in about.iter().chain(files) {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        read(root.path())
    }

    fn memory(limits: &Limits) -> Option<(u64, u64, &str)> {
        limits.memory.as_ref().map(|limit| (limit.bytes, limit.left, limit.from.to_str().unwrap()))
    }

    #[test]
    fn version_2_takes_the_smallest_on_the_way_up() {
        let files = [
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("sys/fs/cgroup/a/b/memory.current", "1073741824\n"),
            ("sys/fs/cgroup/a/memory.max", "2147483648\n"),
            ("sys/fs/cgroup/a/memory.current", "1610612736\n"),
            ("sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 536870912\n"),
            ("sys/fs/cgroup/a/b/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/cpu.max", "400000 100000\n"),
            ("sys/fs/cgroup/other/memory.max", "1024\n"),
        ];
        let found = limits(V2, "0::/a/b\n", &files);
        assert_eq!(memory(&found), Some((2 * GIB, GIB, "/sys/fs/cgroup/a/memory.max")));
        assert_eq!(found.cores, Some(1.5));
    }

    #[test]
    fn version_1_with_its_own_words() {
        let files = [
            ("sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "1073741824\n"),
            ("sys/fs/cgroup/memory/docker/x/memory.usage_in_bytes", "805306368\n"),
            ("sys/fs/cgroup/memory/docker/x/memory.stat", "total_inactive_file 268435456\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us", "50000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_period_us", "100000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
        ];
        let found = limits(V1, "4:memory:/docker/x\n3:cpu,cpuacct:/docker/x\n1:name=systemd:/\n", &files);
        let from = "/sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes";
        assert_eq!(memory(&found), Some((GIB, GIB / 2, from)));
        assert_eq!(found.cores, Some(0.5));
    }

    #[test]
    fn a_limit_above_what_can_be_seen_binds() {
        let files = [
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712"),
            ("sys/fs/cgroup/memory/memory.stat", "hierarchical_memory_limit 1073741824\n"),
        ];
        let found = limits(V1, "4:memory:/\n", &files);
        assert_eq!(memory(&found), Some((GIB, GIB, "/sys/fs/cgroup/memory/memory.stat")));
    }

    /// In a container the group's path is the host's, and the mount shows only the container's part of it.
    #[test]
    fn the_path_of_another_namespace() {
        let mounts = "9 8 0:32 /docker/x /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
        let file = [("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824")];
        for group in ["/docker/x", "/docker/y", "/", "/../../x", "/docker/x/../.."] {
            let found = limits(mounts, &format!("4:memory:{group}\n"), &file);
            assert_eq!(found.memory.map(|limit| limit.bytes), Some(GIB), "{group}");
        }
    }

    #[test]
    fn no_limit_and_rubbish() {
        let none = Limits::default();
        for (mounts, groups, content) in [
            (V2, "0::/\n", "max\n"),
            (V2, "0::/\n", "many\n"),
            (V2, "0::/\n", ""),
            (V2, "rubbish\n:\n0:\n", "1024"),
            ("rubbish\n - \n1 2 3 4 - cgroup2\n", "0::/\n", "1024"),
            ("", "", "1024"),
        ] {
            let files = [("sys/fs/cgroup/memory.max", content), ("sys/fs/cgroup/cpu.max", content)];
            assert_eq!(limits(mounts, groups, &files), none, "{mounts} {groups} {content}");
        }
        assert_eq!(read(Path::new("/no/such/root")), none);
    }

    #[test]
    fn what_is_used_beyond_the_limit_leaves_nothing() {
        let files = [("sys/fs/cgroup/memory.max", "100"), ("sys/fs/cgroup/memory.current", "200")];
        assert_eq!(limits(V2, "0::/\n", &files).memory.unwrap().left, 0);
    }
}
