//! Mounts, as the stage inside uses them: copies of trees, new small file systems, and the flags they keep.

use std::{
    fs,
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::ffi::OsStringExt,
    },
    path::{Path, PathBuf},
};

use rustix::{
    fs::{CWD, Mode, OFlags},
    io::{self, Errno},
    mount::{
        FsMountFlags, FsOpenFlags, MountAttrFlags, MountFlags, MoveMountFlags, OpenTreeFlags,
        fsconfig_create, fsconfig_set_flag, fsconfig_set_string, fsmount, fsopen, mount_remount, move_mount,
        open_tree,
    },
};

use super::{Step, did};

/// A mount of this machine, as `/proc/self/mountinfo` tells of it.
#[derive(Debug)]
pub struct Mount {
    pub at: PathBuf,
    /// Those that a remount must name again: the system does not let them go.
    pub flags: MountFlags,
}

pub fn all() -> Step<Vec<Mount>> {
    let text = did("list the mounts", fs::read_to_string("/proc/self/mountinfo"))?;
    Ok(text.lines().filter_map(parse).collect())
}

/// The fifth word is where it is, the sixth its flags.
fn parse(line: &str) -> Option<Mount> {
    let mut words = line.split(' ').skip(4);
    let (at, options) = (words.next()?, words.next()?);
    let flags = options.split(',').filter_map(|option| match option {
        "ro" => Some(MountFlags::RDONLY),
        "nosuid" => Some(MountFlags::NOSUID),
        "nodev" => Some(MountFlags::NODEV),
        "noexec" => Some(MountFlags::NOEXEC),
        "nosymfollow" => Some(MountFlags::NOSYMFOLLOW),
        _ => None,
    });
    Some(Mount { at: unescape(at), flags: flags.fold(MountFlags::empty(), |all, one| all | one) })
}

/// Blanks and the like stand as `\040`.
fn unescape(word: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let octal =
            (first == b'\\').then(|| after.get(..3).and_then(|digits| std::str::from_utf8(digits).ok()));
        let escaped = octal.flatten().and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() { &after[3..] } else { after };
    }
    std::ffi::OsString::from_vec(bytes).into()
}

/// The flags of the mount that a path lies in.
pub fn flags_at(mounts: &[Mount], path: &Path) -> MountFlags {
    let holding = mounts.iter().filter(|mount| path.starts_with(&mount.at));
    // Of two at the same place, the later one lies on top.
    holding.max_by_key(|mount| mount.at.components().count()).map_or(MountFlags::empty(), |mount| mount.flags)
}

/// Whether something was mounted over a mount later.
pub fn is_covered(mounts: &[Mount], index: usize) -> bool {
    mounts[index + 1..].iter().any(|later| mounts[index].at.starts_with(&later.at))
}

/// A copy of a tree with everything mounted in it, not yet anywhere.
pub fn copy_of(path: &Path) -> io::Result<OwnedFd> {
    let flags =
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    open_tree(CWD, path, flags)
}

/// A new file system, not yet anywhere.
pub fn new(kind: &str, options: &[(&str, &str)], flags: MountAttrFlags) -> io::Result<OwnedFd> {
    let context = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    options.iter().try_for_each(|(key, value)| fsconfig_set_string(&context, *key, *value))?;
    fsconfig_create(&context)?;
    let flags = flags | MountAttrFlags::MOUNT_ATTR_NOSUID;
    fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, flags)
}

/// A copy-on-write layer over `lower`, not yet anywhere. The folders are named by descriptors, so that `:` and `,` in
/// their names mean nothing; `descriptors` is where those are listed. It does not wait for the disk: a layer that a
/// crash interrupts is not used again.
pub fn overlay(lower: &Path, upper: &Path, work: &Path, descriptors: &Path) -> io::Result<OwnedFd> {
    let open = |path: &Path| {
        rustix::fs::open(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
    };
    let folders = [("lowerdir", open(lower)?), ("upperdir", open(upper)?), ("workdir", open(work)?)];
    let context = fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (key, folder) in &folders {
        fsconfig_set_string(&context, *key, descriptors.join(folder.as_raw_fd().to_string()))?;
    }
    ["userxattr", "volatile"].into_iter().try_for_each(|flag| fsconfig_set_flag(&context, flag))?;
    fsconfig_create(&context)?;
    let flags = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
    fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, flags)
}

/// Puts a copy or a new file system where it is to be. A link is not followed.
pub fn attach(mount: &OwnedFd, at: &Path) -> io::Result<()> {
    move_mount(mount, "", CWD, at, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
}

/// Sets the flags of one mount; `kept` are those that it must keep.
pub fn set_flags(at: &Path, kept: MountFlags, added: MountFlags) -> io::Result<()> {
    mount_remount(at, MountFlags::BIND | kept | added, "")
}

/// Nothing with privileges is started from it, and no device is opened on it.
pub fn tame() -> MountFlags {
    MountFlags::NOSUID | MountFlags::NODEV
}

/// The same, and nothing is written.
pub fn read_only() -> MountFlags {
    tame() | MountFlags::RDONLY
}

/// Makes the whole machine read-only, but for what lies below `except`, which is replaced anyway.
pub fn make_read_only(mounts: &[Mount], except: &[&str]) -> Step<()> {
    for (index, mount) in mounts.iter().enumerate() {
        if except.iter().any(|place| mount.at.starts_with(place)) {
            continue;
        }
        match set_flags(&mount.at, mount.flags, read_only()) {
            // What cannot be reached by us cannot be by the job.
            Ok(()) | Err(Errno::NOENT | Errno::ACCESS | Errno::NOTDIR) => {}
            Err(Errno::INVAL) if is_covered(mounts, index) => {}
            Err(error) => return Err(format!("make {} read-only: {error}", mount.at.display())),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_kernel_writes() {
        let line = "36 35 98:0 /m1 /mnt/a\\040b\\134 rw,nosuid,noexec,relatime master:1 - ext3 /dev/root rw";
        let mount = parse(line).unwrap();
        assert_eq!(mount.at, Path::new("/mnt/a b\\"));
        assert_eq!(mount.flags, MountFlags::NOSUID | MountFlags::NOEXEC);
        assert!(parse("").is_none());
    }

    #[test]
    fn knows_which_mount_holds_a_path() {
        let mount = |at: &str, flags| Mount { at: at.into(), flags };
        let none = MountFlags::empty();
        let mounts = [
            mount("/", none),
            mount("/a/b", MountFlags::NODEV),
            mount("/a", MountFlags::NOEXEC),
            mount("/a", MountFlags::RDONLY),
        ];
        assert_eq!(flags_at(&mounts, Path::new("/x")), none);
        assert_eq!(flags_at(&mounts, Path::new("/ab")), none);
        assert_eq!(flags_at(&mounts, Path::new("/a/c")), MountFlags::RDONLY);
        assert_eq!(flags_at(&mounts, Path::new("/a/b")), MountFlags::NODEV);
        assert!(is_covered(&mounts, 1) && is_covered(&mounts, 2) && !is_covered(&mounts, 3));
    }
}
