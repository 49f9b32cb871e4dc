//! Walking a tree with several threads, as ripgrep does: ignore files honoured, links not followed, each
//! thread with results of its own.

use std::{
    collections::HashSet,
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use deskhand_core::{Cx, ToolError, ToolResult};
use deskhand_guard::paths::show_name;
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkBuilder, WalkState};

use super::counted::counted;

/// What belongs to a walk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'a> {
    pub include_hidden: bool,
    pub respect_gitignore: bool,
    /// 1: what is in the folder itself.
    pub max_depth: Option<usize>,
    /// The ignore file that the program whose habits we keep reads besides `.ignore` and `.gitignore`.
    pub ignore_file: &'a str,
}

impl Scope<'_> {
    /// Whether nothing is left out.
    pub fn is_everything(&self) -> bool {
        self.include_hidden && !self.respect_gitignore
    }

    pub fn walk(&self, root: &Path) -> ToolResult<Walk> {
        let mut builder = WalkBuilder::new(root);
        builder
            .standard_filters(self.respect_gitignore)
            .hidden(!self.include_hidden)
            .max_depth(self.max_depth)
            .follow_links(false)
            // As many as the machine runs at once.
            .threads(0);
        let passed_over = Arc::new(AtomicUsize::new(0));
        if self.respect_gitignore {
            builder.add_custom_ignore_filename(self.ignore_file);
            self.mind_odd_ignore_files(root, &mut builder, Arc::clone(&passed_over))?;
        }
        Ok(Walk { builder, passed_over, remembers: !self.is_everything() })
    }

    /// The walker opens ignore files where it meets them. One that is a pipe would hold it up for ever: a folder
    /// with such a one is not entered.
    fn mind_odd_ignore_files(
        &self,
        root: &Path,
        builder: &mut WalkBuilder,
        passed_over: Arc<AtomicUsize>,
    ) -> ToolResult<()> {
        let names = [".gitignore", ".ignore", ".git/info/exclude", self.ignore_file].map(str::to_owned);
        if let Some(odd) = root.ancestors().find_map(|folder| odd_file(folder, &names)) {
            let message =
                format!("{} is not a plain file but a pipe, socket or device.", show_name(odd.as_os_str()));
            return Err(ToolError::new("not_a_file", message)
                .hint("respect_gitignore: false leaves ignore files alone."));
        }
        builder.filter_entry(move |entry| {
            let odd = entry.file_type().is_some_and(|kind| kind.is_dir())
                && odd_file(entry.path(), &names).is_some();
            passed_over.fetch_add(usize::from(odd), Ordering::Relaxed);
            !odd
        });
        Ok(())
    }
}

/// The first of the files in a folder that is neither a plain file nor a folder.
fn odd_file(folder: &Path, names: &[String]) -> Option<PathBuf> {
    names
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_dir()))
}

/// A walk that is about to start.
pub(super) struct Walk {
    pub builder: WalkBuilder,
    /// Folders that are not entered for what their ignore files are.
    passed_over: Arc<AtomicUsize>,
    /// Whether to note what it meets.
    remembers: bool,
}

/// What a walk met, to tell what it left out.
#[derive(Default)]
pub(super) struct Met {
    /// Of paths: a hash takes less room, and two alike would at worst be one too few in a count.
    hashes: HashSet<u64>,
    state: RandomState,
}

impl Met {
    pub fn has(&self, path: &Path) -> bool {
        self.hashes.contains(&self.state.hash_one(path.as_os_str()))
    }
}

/// What one thread does with what it meets.
pub(super) trait Visitor: Send {
    fn entry(&mut self, entry: DirEntry) -> WalkState;
    fn unreadable(&mut self, error: &ignore::Error);
}

impl Walk {
    /// Walks, and hands back the visitors of all threads, and what they met.
    pub fn visit<V: Visitor>(
        self,
        cx: &Cx,
        make: impl Fn() -> V + Sync,
    ) -> ToolResult<(Vec<V>, Skipped, Met)> {
        let (done, seen) = (Mutex::new(Vec::new()), Seen::new(cx));
        let mut met = Met::default();
        let state = self.remembers.then(|| met.state.clone());
        self.builder.build_parallel().visit(&mut Threads { cx, make, done: &done, seen: &seen, state });
        cx.check()?;
        let skipped = Skipped { unreadable: self.passed_over.load(Ordering::Relaxed), ..Skipped::default() };
        let mut visitors = Vec::new();
        for (visitor, hashes) in done.into_inner().unwrap_or_else(PoisonError::into_inner) {
            visitors.push(visitor);
            met.hashes.extend(hashes);
        }
        Ok((visitors, skipped, met))
    }
}

struct Threads<'s, V, F> {
    cx: &'s Cx,
    make: F,
    done: &'s Mutex<Vec<(V, Vec<u64>)>>,
    seen: &'s Seen<'s>,
    /// To hash with, where what is met is noted.
    state: Option<RandomState>,
}

impl<'s, V: Visitor + 's, F: Fn() -> V> ParallelVisitorBuilder<'s> for Threads<'s, V, F> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 's> {
        let Self { cx, done, seen, .. } = *self;
        let (visitor, state) = (Some((self.make)()), self.state.clone());
        Box::new(Thread { cx, visitor, done, seen, met: 0, state, hashes: Vec::new() })
    }
}

struct Thread<'s, V> {
    cx: &'s Cx,
    visitor: Option<V>,
    done: &'s Mutex<Vec<(V, Vec<u64>)>>,
    seen: &'s Seen<'s>,
    met: u32,
    state: Option<RandomState>,
    hashes: Vec<u64>,
}

impl<V: Visitor> ParallelVisitor for Thread<'_, V> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        /// Asking whether the call was cancelled takes a lock: not at every entry.
        const ASK_EVERY: u32 = 32;
        self.met = self.met.wrapping_add(1);
        if self.met.is_multiple_of(ASK_EVERY) {
            if self.cx.check().is_err() {
                return WalkState::Quit;
            }
            self.seen.add(ASK_EVERY.into());
        }
        let Some(visitor) = &mut self.visitor else { return WalkState::Quit };
        match entry {
            Ok(entry) => {
                self.hashes.extend(self.state.as_ref().map(|state| state.hash_one(entry.path().as_os_str())));
                visitor.entry(entry)
            }
            Err(error) => {
                visitor.unreadable(&error);
                WalkState::Continue
            }
        }
    }
}

impl<V> Drop for Thread<'_, V> {
    fn drop(&mut self) {
        if let Some(visitor) = self.visitor.take() {
            let hashes = std::mem::take(&mut self.hashes);
            self.done.lock().unwrap_or_else(PoisonError::into_inner).push((visitor, hashes));
        }
    }
}

/// Counts what a walk has met, and tells whoever waits for it now and then.
pub(super) struct Seen<'a> {
    cx: &'a Cx,
    count: AtomicU64,
}

impl<'a> Seen<'a> {
    const TELL_EVERY: u64 = 2_000;

    pub fn new(cx: &'a Cx) -> Self {
        Self { cx, count: AtomicU64::new(0) }
    }

    pub fn add(&self, more: u64) {
        let before = self.count.fetch_add(more, Ordering::Relaxed);
        let now = before + more;
        if before / Self::TELL_EVERY < now / Self::TELL_EVERY {
            self.cx.progress(&format!("{now} files and folders looked at"), Some(now), None);
        }
    }
}

/// What a walk went past.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Skipped {
    /// Sensitive places.
    pub sensitive: usize,
    /// Files and folders that could not be read.
    pub unreadable: usize,
}

impl Skipped {
    pub fn add(&mut self, other: Self) {
        self.sensitive += other.sensitive;
        self.unreadable += other.unreadable;
    }

    /// What of it a model should know.
    pub fn words(self) -> String {
        let mut text = String::new();
        if self.sensitive > 0 {
            let (places, were) = (counted(self.sensitive, "sensitive place"), was(self.sensitive));
            text += &format!("\n{places} (keys, .env files and the like) {were} not looked into.");
        }
        if self.unreadable > 0 {
            let what = if self.unreadable == 1 { "file or folder" } else { "files or folders" };
            text += &format!("\n{} {what} could not be read.", self.unreadable);
        }
        text
    }
}

fn was(n: usize) -> &'static str {
    if n == 1 { "was" } else { "were" }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::testing::Desk;

    /// A tree with everything that decides what a walk sees: ignore files on several levels, negated rules,
    /// hidden files, binary files, links.
    pub fn tree() -> Desk {
        let desk = Desk::new();
        std::fs::create_dir(desk.path(".git")).unwrap();
        desk.write(".gitignore", "*.log\n/build\n!keep.log\nsecret/\n");
        desk.write("sub/.gitignore", "*.tmp\n!/important.log\n");
        desk.write("sub/deep/.ignore", "f2*\n");
        desk.write(".hidden/f1.txt", "needle in a hidden folder\n");
        desk.write(".dotfile", "needle in a hidden file\n");
        for folder in ["", "build/", "sub/", "sub/deep/", "sub/deep/er/", "secret/", "other/"] {
            for (n, ending) in ["txt", "rs", "log", "tmp", "md"].iter().enumerate().cycle().take(20) {
                let text =
                    format!("first line\nneedle {n} here\nNeedle again\n{}\n", "filler ".repeat(n * 40));
                desk.write(format!("{folder}f{}{n}.{ending}", n + 1), text);
            }
        }
        desk.write("keep.log", "needle kept\n");
        desk.write("sub/important.log", "needle important\n");
        desk.write("other/binary.bin", b"needle\0\x01\x02needle\n");
        desk.write(
            "other/late.bin",
            [&b"needle first\n"[..], "x".repeat(100_000).as_bytes(), b"\0needle\n"].concat(),
        );
        desk.write("other/utf16.txt", b"\xFF\xFEn\0e\0e\0d\0l\0e\0\n\0");
        desk.write("other/crlf.txt", "one\r\nneedle\r\nthree\r\n");
        desk.write("other/no-end.txt", "needle at the end");
        desk.write("other/chinese.txt", "针 needle 针\n");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("other", desk.path("link-to-folder")).unwrap();
            std::os::unix::fs::symlink("other/crlf.txt", desk.path("link-to-file")).unwrap();
            std::os::unix::fs::symlink("..", desk.path("other/up")).unwrap();
        }
        desk
    }
}
