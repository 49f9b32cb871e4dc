//! The folders that demos play in: below the system's folder for temporary things, for their owner alone.

use std::{
    convert::Infallible,
    env, fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use anyhow::{Context, Result};
use deskhand_core::id::new_id;

const PREFIX: &str = "deskhand-demo-";
const WORKSPACE: &str = "workspace";
/// What is older was left behind.
const OLDEST: Duration = Duration::from_hours(24);

/// A new folder, which goes away with this value.
pub struct Folder(PathBuf);

impl Folder {
    pub fn make() -> Result<Self> {
        let path = env::temp_dir().join(format!("{PREFIX}{}", new_id()));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path).with_context(|| format!("cannot make {}", path.display()))?;
        let folder = Self(path.canonicalize().with_context(|| format!("cannot find {}", path.display()))?);
        let workspace = folder.workspace();
        fs::create_dir(&workspace).with_context(|| format!("cannot make {}", workspace.display()))?;
        Ok(folder)
    }

    /// Where the demo's files lie.
    pub fn workspace(&self) -> PathBuf {
        self.0.join(WORKSPACE)
    }

    /// Beside it, out of the way.
    pub fn data(&self) -> PathBuf {
        self.0.join("data")
    }

    /// Leaves it there for a session that goes on.
    pub fn keep(self) -> PathBuf {
        let workspace = self.workspace();
        std::mem::forget(self);
        workspace
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

fn remove(folder: &Path) {
    if let Err(error) = fs::remove_dir_all(folder) {
        tracing::warn!(%error, folder = %folder.display(), "the folder of a demo could not be removed");
    }
}

/// Removes the folder of a demo, given its workspace. Anything but such a folder is left alone.
pub fn clear_away(workspace: &Path) {
    let Ok(temporary) = env::temp_dir().canonicalize() else { return };
    if workspace.file_name().is_none_or(|name| name != WORKSPACE) {
        return;
    }
    if let Some(folder) = workspace.parent().filter(|folder| is_ours(folder, &temporary)) {
        remove(folder);
    }
}

/// Removes the folders that were left behind a day ago or earlier.
pub fn clear_away_old() {
    let Ok(temporary) = env::temp_dir().canonicalize() else { return };
    let entries = fs::read_dir(&temporary).into_iter().flatten().flatten();
    for folder in entries.map(|entry| entry.path()).filter(|path| is_ours(path, &temporary)) {
        let changed = fs::symlink_metadata(&folder).and_then(|found| found.modified());
        let age = changed.ok().and_then(|changed| SystemTime::now().duration_since(changed).ok());
        if age.is_some_and(|age| age > OLDEST) {
            remove(&folder);
        }
    }
}

/// Does so again and again, for as long as it is waited for.
pub async fn keep_clearing_away(every: Duration) -> Infallible {
    loop {
        tokio::time::sleep(every).await;
        if let Err(error) = tokio::task::spawn_blocking(clear_away_old).await {
            tracing::warn!(%error, "old demos could not be looked for");
        }
    }
}

/// Whether it is a folder that a demo made: others can write where temporary things are.
fn is_ours(folder: &Path, temporary: &Path) -> bool {
    let is_named_so =
        folder.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(PREFIX));
    let Ok(found) = fs::symlink_metadata(folder) else { return false };
    #[cfg(unix)]
    let is_own = std::os::unix::fs::MetadataExt::uid(&found) == rustix::process::geteuid().as_raw();
    #[cfg(not(unix))]
    let is_own = true;
    is_named_so && is_own && found.is_dir() && folder.parent() == Some(temporary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_folder_of_a_demo_is_removed() {
        let kept = Folder::make().unwrap();
        let root = kept.0.clone();
        let workspace = kept.keep();
        assert!(workspace.is_dir());
        let other = tempfile::tempdir().unwrap();
        let elsewhere = other.path().join("deskhand-demo-x").join(WORKSPACE);
        fs::create_dir_all(&elsewhere).unwrap();
        clear_away(&elsewhere);
        clear_away(&root);
        clear_away_old();
        assert!(elsewhere.exists() && workspace.exists());
        let old = fs::FileTimes::new().set_modified(SystemTime::now() - OLDEST - Duration::from_mins(1));
        fs::File::open(&root).unwrap().set_times(old).unwrap();
        clear_away_old();
        assert!(!root.exists());
        let second = Folder::make().unwrap();
        let (root, workspace) = (second.0.clone(), second.keep());
        clear_away(&workspace);
        assert!(!root.exists());
        drop(Folder::make().unwrap());
    }

    #[tokio::test]
    async fn old_ones_are_cleared_away_while_the_server_runs() {
        let kept = Folder::make().unwrap();
        let root = kept.0.clone();
        kept.keep();
        let gone = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            assert!(root.exists(), "it is not old yet");
            let old = fs::FileTimes::new().set_modified(SystemTime::now() - OLDEST - Duration::from_mins(1));
            fs::File::open(&root).unwrap().set_times(old).unwrap();
            while root.exists() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::select! {
            never = keep_clearing_away(Duration::from_millis(10)) => match never {},
            in_time = tokio::time::timeout(Duration::from_secs(20), gone) => in_time.unwrap(),
        }
    }
}
