//! What a path really is: every link followed, every `..` taken, component by component.
//!
//! Like `realpath`, but the end of the path need not exist. Nothing is opened here; whoever opens the result
//! follows no link (see `open`), so that a link which is put in place afterwards is noticed.

use std::{
    collections::VecDeque,
    ffi::OsString,
    fs, io,
    path::{Component, Path, PathBuf},
};

/// As many as Linux follows.
const MOST_LINKS: usize = 40;

/// Whether a link at the end of the path is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkRule {
    Follow,
    Keep,
}

/// A path without links in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    pub path: PathBuf,
    /// Whether there is anything there.
    pub exists: bool,
    /// Whether a link was followed on the way.
    pub through_link: bool,
}

/// `path` must be absolute.
pub fn resolve(path: &Path, links: LinkRule) -> io::Result<Resolved> {
    let mut todo: VecDeque<OsString> = VecDeque::new();
    let mut real = PathBuf::new();
    push_components(path, &mut todo, &mut real);
    let mut followed = 0;
    let mut missing = false;
    while let Some(name) = todo.pop_front() {
        if name == ".." {
            real.pop();
            missing = missing && !real.exists();
            continue;
        }
        real.push(&name);
        if missing {
            continue;
        }
        let meta = match fs::symlink_metadata(&real) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                missing = true;
                continue;
            }
            // A name too long, a file in the middle of the path, a folder that may not be entered.
            Err(error) => return Err(error),
        };
        if meta.is_symlink() && (links == LinkRule::Follow || !todo.is_empty()) {
            followed += 1;
            if followed > MOST_LINKS {
                // What the system says of too many links.
                return Err(fs::canonicalize(path)
                    .err()
                    .unwrap_or_else(|| io::Error::other("too many links")));
            }
            let target = fs::read_link(&real)?;
            real.pop();
            let rest = std::mem::take(&mut todo);
            push_components(&target, &mut todo, &mut real);
            todo.extend(rest);
        } else if !todo.is_empty() && !meta.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
    }
    Ok(Resolved { exists: !missing, through_link: followed > 0, path: real })
}

/// Queues the parts of a path; an absolute one starts `real` anew.
fn push_components(path: &Path, todo: &mut VecDeque<OsString>, real: &mut PathBuf) {
    for component in path.components() {
        match component {
            Component::Prefix(prefix) => *real = PathBuf::from(prefix.as_os_str()),
            Component::RootDir => {
                let prefix: PathBuf =
                    real.components().take_while(|c| matches!(c, Component::Prefix(_))).collect();
                *real = prefix.join(Component::RootDir.as_os_str());
            }
            Component::CurDir => {}
            Component::ParentDir => todo.push_back("..".into()),
            Component::Normal(name) => todo.push_back(name.to_owned()),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn follows_links_and_keeps_the_last_one_if_told() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().canonicalize().unwrap();
        fs::create_dir_all(at.join("real/sub")).unwrap();
        symlink("real", at.join("link")).unwrap();
        symlink("sub", at.join("real/inner")).unwrap();
        let get = |path: &str, links| resolve(&at.join(path), links).unwrap();
        assert_eq!(get("link/inner", LinkRule::Follow).path, at.join("real/sub"));
        assert_eq!(get("link/inner", LinkRule::Keep).path, at.join("real/inner"));
        assert_eq!(get("link/../x", LinkRule::Follow).path, at.join("x"));
        let new = get("link/new/deep", LinkRule::Follow);
        assert_eq!((new.path, new.exists, new.through_link), (at.join("real/new/deep"), false, true));
    }

    #[test]
    fn a_circle_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        symlink("b", dir.path().join("a")).unwrap();
        symlink("a", dir.path().join("b")).unwrap();
        let error = resolve(&dir.path().join("a"), LinkRule::Follow).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(40), "{error}");
    }

    #[test]
    fn a_file_in_the_middle_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("f"), "").unwrap();
        let error = resolve(&dir.path().join("f/x"), LinkRule::Follow).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
    }

    /// A random tree: folders, files, links to anywhere in it (or out of it), and random paths into it.
    #[allow(clippy::type_complexity)]
    fn tree() -> impl Strategy<Value = (Vec<(u8, u8, u8)>, Vec<Vec<u8>>)> {
        let entry = (0u8..3, 0u8..6, 0u8..8);
        let path = proptest::collection::vec(0u8..9, 1..6);
        (proptest::collection::vec(entry, 1..14), proptest::collection::vec(path, 1..12))
    }

    fn name(n: u8) -> String {
        match n {
            6 => "..".to_owned(),
            7 => ".".to_owned(),
            8 => "missing".to_owned(),
            n => format!("n{n}"),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn agrees_with_the_system((entries, paths) in tree()) {
            let dir = tempfile::tempdir().unwrap();
            let at = dir.path().canonicalize().unwrap();
            let mut folders = vec![at.clone()];
            for (kind, n, m) in entries {
                let here = folders[usize::from(n) % folders.len()].join(format!("n{}", m % 6));
                if here.symlink_metadata().is_ok() { continue }
                match kind {
                    0 => { fs::create_dir(&here).unwrap(); folders.push(here); }
                    1 => fs::write(&here, "x").unwrap(),
                    _ => {
                        let targets = ["n1", "../n2", ".", "..", "/", "n0/n1", "../../n3/n4", "n5"];
                        symlink(targets[usize::from(n + m) % targets.len()], &here).unwrap();
                    }
                }
            }
            for parts in paths {
                let path = parts.iter().fold(at.clone(), |p, &n| p.join(name(n)));
                let ours = resolve(&path, LinkRule::Follow);
                // Where the system finds something, so do we, and the same thing.
                if let Ok(theirs) = path.canonicalize() {
                    prop_assert_eq!(&ours.unwrap().path, &theirs);
                } else if let Ok(ours) = ours {
                    // Where the system finds nothing, what we say has no link in it.
                    let mut so_far = PathBuf::new();
                    for part in ours.path.components() {
                        so_far.push(part);
                        let link = so_far.symlink_metadata().is_ok_and(|m| m.is_symlink());
                        prop_assert!(!link, "{:?} has a link in it", ours.path);
                    }
                }
            }
        }
    }
}
