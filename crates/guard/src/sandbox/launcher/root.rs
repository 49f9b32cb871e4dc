//! The file system of a job in namespaces: built beside the machine's, then put in its place.

use std::{
    fs,
    os::{
        fd::OwnedFd,
        unix::fs::{OpenOptionsExt, PermissionsExt, symlink},
    },
    path::{Path, PathBuf},
};

use nix::sched::{CloneFlags, unshare};
use rustix::{
    fs::{Mode, OFlags, openat},
    io::Errno,
    mount::{MountAttrFlags, MountFlags, MountPropagationFlags, UnmountFlags, mount_change, unmount},
    process::{chdir, pivot_root},
};

use super::{
    Step, did,
    mounts::{self, Mount, attach, copy_of, read_only, set_flags, tame},
};
use crate::sandbox::policy::{Overlay, Policy, Shown};

/// While the new root is built, the old one is here: where the new one's own `/proc` comes last.
const OLD: &str = "/proc";
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];
const DEVICE_LINKS: &[(&str, &str)] = &[
    ("/proc/self/fd", "fd"),
    ("/proc/self/fd/0", "stdin"),
    ("/proc/self/fd/1", "stdout"),
    ("/proc/self/fd/2", "stderr"),
    ("pts/ptmx", "ptmx"),
];
/// Replaced by the job's own; they need not be made read-only before.
const REPLACED: &[&str] = &["/proc", "/dev", "/run", "/tmp", "/var/tmp"];
/// Since then, each PID namespace has its own `pid_max`; before, writing it would change the machine's.
const OWN_PID_MAX_SINCE: (u32, u32) = (6, 14);
/// The kernel takes no less.
const LEAST_PID_MAX: u64 = 301;

/// A part of the new root. They are put in place from the top down, so that what is deeper wins.
enum Part<'a> {
    Shown(&'a Shown),
    Hidden(&'a Path),
    Temporary(&'static Path),
    Run,
    Devices,
}

impl Part<'_> {
    fn at(&self) -> &Path {
        match self {
            Self::Shown(shown) => shown.path.path(),
            Self::Hidden(path) | Self::Temporary(path) => path,
            Self::Run => Path::new("/run"),
            Self::Devices => Path::new("/dev"),
        }
    }

    /// Of two at the same place, what is shown comes after what is hidden.
    fn order(&self) -> (usize, bool) {
        (self.at().components().count(), matches!(self, Self::Shown(_)))
    }
}

struct Builder<'a> {
    policy: &'a Policy,
    mounts: Vec<Mount>,
    /// Holds an empty folder and an empty file, which copies of are put over what is hidden.
    nothing: PathBuf,
    /// Our own file systems, which get their mount points first and are made read-only at the end.
    to_seal: Vec<PathBuf>,
}

/// Builds the root and moves into it. Says whether the number of processes is limited by it.
pub fn build(policy: &Policy) -> Step<bool> {
    did("a mount namespace", unshare(CloneFlags::CLONE_NEWNS))?;
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    did("private mounts", mount_change("/", private))?;
    let mounts = mounts::all()?;
    let mut builder = Builder { policy, mounts, nothing: PathBuf::new(), to_seal: Vec::new() };
    builder.enter_new_root()?;
    builder.make_nothing()?;
    for part in &builder.parts() {
        did(part.at().display(), builder.put(part))?;
    }
    let (proc, limited) = own_proc(policy)?;
    did("leave the old root", unmount(OLD, UnmountFlags::DETACH))?;
    did("/proc", attach(&proc, Path::new("/proc")))?;
    did("/proc", set_flags(Path::new("/proc"), MountFlags::NOEXEC, read_only()))?;
    for sealed in &builder.to_seal {
        did(sealed.display(), set_flags(sealed, MountFlags::empty(), read_only()))?;
    }
    Ok(limited)
}

/// A `/proc` that shows only the job's own processes. It is read-only in the end: as root, the job could change
/// the machine's settings there.
fn own_proc(policy: &Policy) -> Step<(OwnedFd, bool)> {
    let proc = did(
        "a new /proc",
        mounts::new("proc", &[], MountAttrFlags::MOUNT_ATTR_NODEV | MountAttrFlags::MOUNT_ATTR_NOEXEC),
    )?;
    if !has_own_pid_max() {
        return Ok((proc, false));
    }
    let most = policy.limits.processes.max(LEAST_PID_MAX);
    let opened = openat(&proc, "sys/kernel/pid_max", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty());
    let limited = opened.is_ok_and(|file| rustix::io::write(file, most.to_string().as_bytes()).is_ok());
    Ok((proc, limited))
}

fn has_own_pid_max() -> bool {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map_while(|part| part.parse::<u32>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(major), Some(minor)) => (major, minor) >= OWN_PID_MAX_SINCE,
        _ => false,
    }
}

impl<'a> Builder<'a> {
    fn parts(&self) -> Vec<Part<'a>> {
        let mut parts = vec![Part::Run, Part::Devices];
        parts.extend(["/tmp", "/var/tmp"].map(|place| Part::Temporary(Path::new(place))));
        parts.extend(self.policy.hidden.iter().map(|hidden| Part::Hidden(hidden.path())));
        parts.extend(self.policy.shown.iter().map(Part::Shown));
        parts.sort_by_key(Part::order);
        parts
    }

    /// The new root is a copy of the whole machine, all of it read-only, or empty.
    fn enter_new_root(&mut self) -> Step<()> {
        let at = Path::new(OLD);
        if self.policy.whole_machine {
            did("copy the root", copy_of(Path::new("/")).and_then(|root| attach(&root, at)))?;
        } else {
            let root = did(
                "a new root",
                mounts::new("tmpfs", &[("mode", "755")], MountAttrFlags::MOUNT_ATTR_NODEV),
            )?;
            did("a new root", attach(&root, at))?;
            did("a new root", fs::create_dir(at.join("proc")))?;
            self.to_seal.push("/".into());
        }
        did("change the root", pivot_root(OLD, Path::new(OLD).join("proc")))?;
        did("enter the root", chdir("/"))?;
        if self.policy.whole_machine {
            mounts::make_read_only(&self.mounts, REPLACED)?;
        }
        Ok(())
    }

    fn old(path: &Path) -> PathBuf {
        Path::new(OLD).join(path.strip_prefix("/").unwrap_or(path))
    }

    /// In the old root, which goes away in the end.
    fn make_nothing(&mut self) -> Step<()> {
        let at = Self::old(Path::new("/proc"));
        let mode = [("mode", "755"), ("nr_inodes", "8")];
        let nothing = did("an empty place", mounts::new("tmpfs", &mode, MountAttrFlags::MOUNT_ATTR_NODEV))?;
        // Beside the old /proc, which a new one needs to be in sight: over the old /sys.
        let at = at.with_file_name("sys");
        did("an empty place", attach(&nothing, &at))?;
        did("an empty folder", fs::create_dir(at.join("folder")))?;
        did("an empty folder", fs::set_permissions(at.join("folder"), fs::Permissions::from_mode(0o555)))?;
        let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o000).open(at.join("file"));
        did("an empty file", file)?;
        did("an empty place", set_flags(&at, MountFlags::empty(), read_only() | MountFlags::NOEXEC))?;
        self.nothing = at;
        Ok(())
    }

    fn put(&mut self, part: &Part<'_>) -> Step<()> {
        match part {
            Part::Shown(shown) => self.show(shown),
            Part::Hidden(path) => self.hide(path),
            Part::Temporary(at) => self.put_temporary(at),
            Part::Run => self.put_run(),
            Part::Devices => self.put_devices(),
        }
    }

    fn show(&mut self, shown: &Shown) -> Step<()> {
        let path = shown.path.path();
        // The new root's own; the machine's would show all processes.
        if path.starts_with("/proc") {
            return Ok(());
        }
        let old = Self::old(path);
        let Ok(kind) = old.symlink_metadata() else { return Ok(()) };
        if kind.is_symlink() {
            return self.show_link(path, &old);
        }
        if self.policy.whole_machine && !shown.writable && self.is_there_already(path, &old) {
            return Ok(());
        }
        make_place(path, kind.is_dir())?;
        if let Some(overlay) = &shown.overlay {
            return self.put_layer(path, &old, overlay);
        }
        let copy = did("copy", copy_of(&old))?;
        did("mount", attach(&copy, path))?;
        let added = if shown.writable { tame() } else { read_only() };
        did("flags", set_flags(path, mounts::flags_at(&self.mounts, path), added))?;
        for inner in self.mounts.iter().filter(|mount| mount.at.starts_with(path) && mount.at != path) {
            match set_flags(&inner.at, inner.flags, added) {
                Ok(()) | Err(Errno::NOENT | Errno::ACCESS | Errno::INVAL | Errno::NOTDIR) => {}
                Err(error) => return Err(format!("{}: {error}", inner.at.display())),
            }
        }
        Ok(())
    }

    fn put_layer(&self, path: &Path, old: &Path, overlay: &Overlay) -> Step<()> {
        let (upper, work) = (Self::old(overlay.upper.path()), Self::old(overlay.work.path()));
        let descriptors = Self::old(Path::new("/proc/self/fd"));
        let layer = mounts::overlay(old, &upper, &work, &descriptors);
        did("layer", layer.and_then(|layer| attach(&layer, path)))?;
        // What could not be started or written on the real mount cannot be on its layer.
        let kept = mounts::flags_at(&self.mounts, path) & (MountFlags::NOEXEC | MountFlags::NOSYMFOLLOW);
        did("flags", set_flags(path, kept, tame()))
    }

    /// Whether a read-only place is the machine's own already, so that nothing need be mounted.
    fn is_there_already(&self, path: &Path, old: &Path) -> bool {
        use std::os::unix::fs::MetadataExt;
        let same =
            |one: fs::Metadata, other: fs::Metadata| (one.dev(), one.ino()) == (other.dev(), other.ino());
        let in_writable =
            self.policy.shown.iter().any(|shown| shown.writable && path.starts_with(shown.path.path()));
        !in_writable
            && path.symlink_metadata().and_then(|new| Ok(same(new, old.symlink_metadata()?))).unwrap_or(false)
    }

    fn show_link(&self, path: &Path, old: &Path) -> Step<()> {
        if self.policy.whole_machine || path.symlink_metadata().is_ok() {
            return Ok(());
        }
        if let Some(parent) = path.parent() {
            did("folder", fs::create_dir_all(parent))?;
        }
        did("link", fs::read_link(old).and_then(|target| symlink(target, path)))
    }

    fn hide(&mut self, path: &Path) -> Step<()> {
        let Ok(kind) = path.symlink_metadata() else { return Ok(()) };
        if kind.is_symlink() {
            return Ok(());
        }
        let shows_inside = self.policy.shown.iter().any(|shown| shown.path.path().starts_with(path));
        if kind.is_dir() && shows_inside {
            let empty = did(
                "an empty folder",
                mounts::new("tmpfs", &[("mode", "755")], MountAttrFlags::MOUNT_ATTR_NODEV),
            )?;
            did("hide", attach(&empty, path))?;
            self.to_seal.push(path.to_path_buf());
            return Ok(());
        }
        let nothing = self.nothing.join(if kind.is_dir() { "folder" } else { "file" });
        did("hide", copy_of(&nothing).and_then(|copy| attach(&copy, path)))
    }

    fn put_temporary(&mut self, at: &Path) -> Step<()> {
        let source = Self::old(self.policy.temporary.path());
        // A link leads to the other one.
        if at.symlink_metadata().is_ok_and(|kind| kind.is_symlink()) || self.has_no(at) {
            return Ok(());
        }
        make_place(at, true)?;
        did("mount", copy_of(&source).and_then(|copy| attach(&copy, at)))?;
        let kept = mounts::flags_at(&self.mounts, self.policy.temporary.path());
        did("flags", set_flags(at, kept, tame()))
    }

    /// Sockets of services are in it.
    fn put_run(&mut self) -> Step<()> {
        let at = Path::new("/run");
        if self.has_no(at) {
            return Ok(());
        }
        make_place(at, true)?;
        let run = mounts::new("tmpfs", &[("mode", "755")], MountAttrFlags::MOUNT_ATTR_NODEV);
        did("mount", run.and_then(|run| attach(&run, at)))?;
        self.to_seal.push(at.to_path_buf());
        Ok(())
    }

    /// What a whole machine does not have cannot be made on it, and need not be replaced.
    fn has_no(&self, place: &Path) -> bool {
        self.policy.whole_machine && !place.exists()
    }

    fn put_devices(&mut self) -> Step<()> {
        let at = Path::new("/dev");
        make_place(at, true)?;
        let dev = mounts::new("tmpfs", &[("mode", "755")], MountAttrFlags::MOUNT_ATTR_NODEV);
        did("mount", dev.and_then(|dev| attach(&dev, at)))?;
        for name in DEVICES {
            let device = at.join(name);
            let old = Self::old(&device);
            if old.exists() {
                did(name, fs::write(&device, ""))?;
                did(name, copy_of(&old).and_then(|copy| attach(&copy, &device)))?;
                // Devices can be written on a read-only mount; their modes, which are the machine's, cannot be changed.
                let kept = mounts::flags_at(&self.mounts, &device);
                did(name, set_flags(&device, kept, MountFlags::NOSUID | MountFlags::RDONLY))?;
            }
        }
        for (target, name) in DEVICE_LINKS {
            did(name, symlink(target, at.join(name)))?;
        }
        let terminals = [("mode", "620"), ("ptmxmode", "666")];
        Self::put_new("devpts", &terminals, &at.join("pts"), MountAttrFlags::empty())?;
        let size = self.policy.limits.memory_bytes.to_string();
        let memory = [("mode", "1777"), ("size", size.as_str())];
        Self::put_new("tmpfs", &memory, &at.join("shm"), MountAttrFlags::MOUNT_ATTR_NODEV)?;
        self.to_seal.push(at.to_path_buf());
        Ok(())
    }

    fn put_new(kind: &str, options: &[(&str, &str)], at: &Path, flags: MountAttrFlags) -> Step<()> {
        did(at.display(), fs::create_dir(at))?;
        did(at.display(), mounts::new(kind, options, flags).and_then(|new| attach(&new, at)))
    }
}

/// Makes a mount point where there is none.
fn make_place(path: &Path, is_folder: bool) -> Step<()> {
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    let folder = if is_folder { Some(path) } else { path.parent() };
    did("mount point", folder.map_or(Ok(()), fs::create_dir_all))?;
    if !is_folder {
        did("mount point", fs::write(path, ""))?;
    }
    Ok(())
}
