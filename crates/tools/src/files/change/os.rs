//! What differs between systems when files are changed: modes, owners, times, renames, bringing to disk.
//!
//! The part for systems other than Unix is small, and nobody has run it yet.

use std::{ffi::OsStr, fs::File, io};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, Metadata, OpenOptions};
use deskhand_core::undo::Meta;

/// Which of the permission bits go along with a copy: whoever copies a program does not lend it his rights.
pub const COPIED_BITS: u32 = 0o1777;

/// What a path carries beside its content.
pub fn meta_of(meta: &Metadata) -> Meta {
    let time =
        |time: io::Result<cap_std::time::SystemTime>| time.ok().map(cap_std::time::SystemTime::into_std);
    Meta { mode: mode_of(meta), modified: time(meta.modified()), accessed: time(meta.accessed()) }
}

/// Opens a new file of that name, for writing and reading. Only its owner may open it until it gets its mode.
pub fn create_private(folder: &Dir, name: &OsStr) -> io::Result<File> {
    create(folder, name, 0o600)
}

/// Opens a new file with the mode that new files have here.
pub fn create_usual(folder: &Dir, name: &OsStr) -> io::Result<File> {
    create(folder, name, 0o666)
}

fn create(folder: &Dir, name: &OsStr, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).follow(FollowSymlinks::No);
    with_mode(&mut options, mode);
    Ok(folder.open_with(name, &options)?.into_std())
}

/// Opens a file for writing at its end. A link is an error.
pub fn open_to_append(folder: &Dir, name: &OsStr) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).follow(FollowSymlinks::No);
    Ok(folder.open_with(name, &options)?.into_std())
}

/// Opens a file for changing its length.
pub fn open_to_cut(folder: &Dir, name: &OsStr) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).follow(FollowSymlinks::No);
    Ok(folder.open_with(name, &options)?.into_std())
}

/// Opens a file for reading. A link is an error.
pub fn open_to_read(folder: &Dir, name: &OsStr) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No);
    Ok(folder.open_with(name, &options)?.into_std())
}

/// Whether an error says that two places are on different file systems.
pub fn crosses_devices(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::CrossesDevices
}

#[cfg(unix)]
mod here {
    use super::{COPIED_BITS, Dir, File, Meta, Metadata, OpenOptions, OsStr, io};
    use cap_std::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
    use rustix::fs::{AtFlags, Mode, OFlags, Timespec, Timestamps, UTIME_OMIT};

    pub fn mode_of(meta: &Metadata) -> Option<u32> {
        Some(meta.mode() & 0o7777)
    }

    pub fn device_of(meta: &Metadata) -> u64 {
        meta.dev()
    }

    /// Which file it is, whatever its name.
    pub fn identity_of(meta: &Metadata) -> (u64, u64) {
        (meta.dev(), meta.ino())
    }

    /// How many names the file has.
    pub fn names_of(meta: &Metadata) -> u64 {
        meta.nlink()
    }

    pub(super) fn with_mode(options: &mut OpenOptions, mode: u32) {
        options.mode(mode);
    }

    /// Renames, unless there is something of the new name.
    pub fn rename_new(from: &Dir, name: &OsStr, to: &Dir, new_name: &OsStr) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        {
            use rustix::{fs::RenameFlags, io::Errno};
            match rustix::fs::renameat_with(from, name, to, new_name, RenameFlags::NOREPLACE) {
                // A file system that does not know the flag.
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
                other => return other.map_err(io::Error::from),
            }
        }
        if to.symlink_metadata(new_name).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        from.rename(name, to, new_name)
    }

    /// As [`rename_new`]. A folder that its owner may not write is moved all the same.
    pub fn move_new(from: &Dir, name: &OsStr, to: &Dir, new_name: &OsStr) -> io::Result<()> {
        match rename_new(from, name, to, new_name) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let Some(folder) = from.symlink_metadata(name).ok().filter(Metadata::is_dir) else {
                    return Err(error);
                };
                let mode = folder.mode() & 0o7777;
                if mode & 0o200 != 0 {
                    return Err(error);
                }
                set_mode_at(from, name, identity_of(&folder), mode | 0o700)?;
                let moved = rename_new(from, name, to, new_name);
                let (dir, name) = if moved.is_ok() { (to, new_name) } else { (from, name) };
                set_mode_at(dir, name, identity_of(&folder), mode)?;
                moved
            }
            other => other,
        }
    }

    /// Sets the mode of an entry, itself, if it is still this one.
    pub fn set_mode_at(parent: &Dir, name: &OsStr, is: (u64, u64), mode: u32) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        #[cfg(not(target_os = "linux"))]
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let entry = File::from(rustix::fs::openat(parent, name, flags, Mode::empty())?);
        set_mode_of(&entry, is, mode)
    }

    fn set_mode_of(entry: &File, is: (u64, u64), mode: u32) -> io::Result<()> {
        use std::os::unix::fs::MetadataExt;
        let meta = entry.metadata()?;
        if (meta.dev(), meta.ino()) != is || meta.is_symlink() {
            return Err(io::ErrorKind::NotFound.into());
        }
        if meta.mode() & 0o7777 == mode {
            return Ok(());
        }
        #[cfg(target_os = "linux")]
        {
            // The way to what is only named by its handle, and not open.
            let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(entry));
            Ok(rustix::fs::chmod(path, Mode::from_raw_mode(mode))?)
        }
        #[cfg(not(target_os = "linux"))]
        set_mode(entry, mode)
    }

    /// Whether an entry has this owner and group, or could be given them.
    pub fn is_given_to(folder: &Dir, name: &OsStr, meta: &Metadata, uid: u32, gid: u32) -> bool {
        use rustix::fs::{Gid, Uid, chownat};
        let give = |uid, gid| chownat(folder, name, uid, gid, AtFlags::SYMLINK_NOFOLLOW).is_ok();
        let (owner, group) = (Uid::from_raw(uid), Gid::from_raw(gid));
        (meta.uid(), meta.gid()) == (uid, gid)
            || give((meta.uid() != uid).then_some(owner), (meta.gid() != gid).then_some(group))
            // The group alone is better than nothing.
            || (give(None, Some(group)) && meta.uid() == uid)
    }

    /// Whether something can be moved from one folder to another as it is: both are on one mount.
    pub fn is_near(one: &Dir, other: &Dir) -> bool {
        let device = |folder: &Dir| folder.dir_metadata().map(|meta| meta.dev()).ok();
        device(one).is_some() && device(one) == device(other) && mount_of(one) == mount_of(other)
    }

    #[cfg(target_os = "linux")]
    fn mount_of(folder: &Dir) -> Option<u64> {
        use rustix::fs::{StatxFlags, statx};
        statx(folder, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID).ok().map(|found| found.stx_mnt_id)
    }

    #[cfg(not(target_os = "linux"))]
    fn mount_of(_: &Dir) -> Option<u64> {
        None
    }

    /// Exchanges two entries at once. `false`: this file system cannot.
    pub fn exchange(from: &Dir, name: &OsStr, to: &Dir, other: &OsStr) -> io::Result<bool> {
        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        {
            use rustix::{fs::RenameFlags, io::Errno};
            match rustix::fs::renameat_with(from, name, to, other, RenameFlags::EXCHANGE) {
                Ok(()) => return Ok(true),
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(false)
    }

    /// Makes a named pipe.
    pub fn make_pipe(parent: &Dir, name: &OsStr, mode: u32) -> io::Result<()> {
        #[cfg(not(target_vendor = "apple"))]
        {
            rustix::fs::mkfifoat(parent, name, Mode::from_raw_mode(mode & 0o777))?;
            // Not less for what new files usually may not have.
            let made = parent.symlink_metadata(name)?;
            set_mode_at(parent, name, identity_of(&made), mode & 0o777)
        }
        #[cfg(target_vendor = "apple")]
        {
            let _ = (parent, name, mode);
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    /// Whether it is a named pipe.
    pub fn is_pipe(meta: &Metadata) -> bool {
        cap_std::fs::FileTypeExt::is_fifo(&meta.file_type())
    }

    /// What was made in or removed from the folder is so after a power cut, too.
    pub fn sync_folder(folder: &Dir) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match rustix::fs::openat(folder, ".", flags, Mode::empty()) {
            Ok(folder) => Ok(rustix::fs::fsync(folder)?),
            // A folder that may be written and not be read: nothing can be done.
            Err(_) => Ok(()),
        }
    }

    /// Brings everything in a new tree to disk.
    pub fn sync_tree(folder: &Dir) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::openat(folder, ".", flags, Mode::empty())?;
        #[cfg(target_os = "linux")]
        rustix::fs::syncfs(&folder)?;
        rustix::fs::fsync(folder)?;
        Ok(())
    }

    pub fn set_mode(file: &File, mode: u32) -> io::Result<()> {
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
    }

    /// The mode of a folder.
    pub fn set_folder_mode(parent: &Dir, name: &OsStr, mode: u32) -> io::Result<()> {
        parent.set_permissions(name, PermissionsExt::from_mode(mode))
    }

    /// The times of what is there, itself.
    pub fn set_times(parent: &Dir, name: &OsStr, meta: &Meta) -> io::Result<()> {
        let spec = |time: Option<std::time::SystemTime>| match time {
            None => Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
            Some(time) => timespec(time),
        };
        let times = Timestamps { last_access: spec(meta.accessed), last_modification: spec(meta.modified) };
        Ok(rustix::fs::utimensat(parent, name, &times, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    fn timespec(time: std::time::SystemTime) -> Timespec {
        let time = jiff::Timestamp::try_from(time).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let (mut seconds, mut nanos) = (time.as_second(), i64::from(time.subsec_nanosecond()));
        if nanos < 0 {
            seconds -= 1;
            nanos += 1_000_000_000;
        }
        Timespec { tv_sec: seconds, tv_nsec: nanos }
    }

    /// Gives a new file the owner and group of the one it replaces. Says so where that is not allowed.
    pub fn keep_owner(file: &File, old: &Metadata) -> Option<String> {
        use std::os::unix::fs::{MetadataExt, fchown};
        let new = file.metadata().ok()?;
        let (uid, gid) = (cap_std::fs::MetadataExt::uid(old), cap_std::fs::MetadataExt::gid(old));
        if (new.uid(), new.gid()) == (uid, gid) || fchown(file, Some(uid), Some(gid)).is_ok() {
            return None;
        }
        let group_kept = new.gid() == gid || fchown(file, None, Some(gid)).is_ok();
        let what = if group_kept { "owner" } else { "owner and group" };
        Some(format!("The {what} could not be kept (was {uid}:{gid}); it takes the system's administrator."))
    }

    /// Copies access lists and the attributes that people set. What cannot be copied stays behind.
    #[cfg(target_os = "linux")]
    pub fn keep_attributes(new: &File, old: &File) {
        let mut names = vec![0; 4096];
        let Ok(length) = rustix::fs::flistxattr(old, &mut names) else { return };
        for name in names[..length].split(|byte| *byte == 0) {
            if !name.starts_with(b"user.") && !name.starts_with(b"system.posix_acl_access") {
                continue;
            }
            let mut value = vec![0; 65_536];
            if let Ok(length) = rustix::fs::fgetxattr(old, name, &mut value) {
                let _ = rustix::fs::fsetxattr(new, name, &value[..length], rustix::fs::XattrFlags::empty());
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub fn keep_attributes(_: &File, _: &File) {}

    /// Shares the blocks of `from` with `to`, where the file system can. The rest is copied by the caller.
    #[cfg(target_os = "linux")]
    pub fn share_blocks(from: &File, to: &File) -> bool {
        rustix::fs::ioctl_ficlone(to, from).is_ok()
    }

    #[cfg(not(target_os = "linux"))]
    pub fn share_blocks(_: &File, _: &File) -> bool {
        false
    }

    pub fn make_link(parent: &Dir, name: &OsStr, target: &std::path::Path) -> io::Result<()> {
        parent.symlink_contents(target, name)
    }

    /// The mode that a copy of this gets.
    pub fn copied_mode(meta: &Metadata) -> Option<u32> {
        Some(meta.mode() & COPIED_BITS)
    }
}

#[cfg(not(unix))]
mod here {
    use super::{Dir, File, Meta, Metadata, OpenOptions, OsStr, io};

    pub fn mode_of(_: &Metadata) -> Option<u32> {
        None
    }

    pub fn copied_mode(_: &Metadata) -> Option<u32> {
        None
    }

    pub fn device_of(_: &Metadata) -> u64 {
        0
    }

    pub fn identity_of(meta: &Metadata) -> (u64, u64) {
        // Names stand for files where files have no number that can be had.
        (0, meta.len())
    }

    pub fn names_of(_: &Metadata) -> u64 {
        1
    }

    pub(super) fn with_mode(_: &mut OpenOptions, _: u32) {}

    pub fn rename_new(from: &Dir, name: &OsStr, to: &Dir, new_name: &OsStr) -> io::Result<()> {
        if to.symlink_metadata(new_name).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        from.rename(name, to, new_name)
    }

    pub fn sync_folder(_: &Dir) -> io::Result<()> {
        Ok(())
    }

    pub fn sync_tree(_: &Dir) -> io::Result<()> {
        Ok(())
    }

    pub fn set_mode(_: &File, _: u32) -> io::Result<()> {
        Ok(())
    }

    pub fn set_folder_mode(_: &Dir, _: &OsStr, _: u32) -> io::Result<()> {
        Ok(())
    }

    pub fn set_times(parent: &Dir, name: &OsStr, meta: &Meta) -> io::Result<()> {
        let Ok(file) = super::open_to_cut(parent, name) else { return Ok(()) };
        let mut times = std::fs::FileTimes::new();
        if let Some(time) = meta.modified {
            times = times.set_modified(time);
        }
        if let Some(time) = meta.accessed {
            times = times.set_accessed(time);
        }
        file.set_times(times)
    }

    pub fn keep_owner(_: &File, _: &Metadata) -> Option<String> {
        None
    }

    pub fn keep_attributes(_: &File, _: &File) {}

    pub fn share_blocks(_: &File, _: &File) -> bool {
        false
    }

    pub fn make_link(_: &Dir, _: &OsStr, _: &std::path::Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn move_new(from: &Dir, name: &OsStr, to: &Dir, new_name: &OsStr) -> io::Result<()> {
        rename_new(from, name, to, new_name)
    }

    pub fn set_mode_at(_: &Dir, _: &OsStr, _: (u64, u64), _: u32) -> io::Result<()> {
        Ok(())
    }

    pub fn make_pipe(_: &Dir, _: &OsStr, _: u32) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn is_pipe(_: &Metadata) -> bool {
        false
    }
}

pub use here::*;
