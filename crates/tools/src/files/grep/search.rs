//! The search itself: the walk, one searcher for each thread, a limit that all of them share.

use std::{
    fs::FileType,
    io::{self, Read},
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
};

use deskhand_core::{Cx, ToolError, ToolResult};
use deskhand_guard::{Kind, PathsOf, Place, Tree};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::{DirEntry, WalkState, overrides::Override};

use super::{
    super::{
        entry::Names,
        left_out::{self, LeftOut},
        walk::{Met, Scope, Skipped, Visitor},
    },
    FileHits, Input, Line, Output, Wanted, pattern,
    sink::{Hits, Keep},
};

/// Memory that searching one file may take: only a line, or with multiline a file, longer than this needs more.
const HEAP: usize = 64 << 20;
/// Text that one call keeps.
const TOTAL_BYTES: usize = 2 << 20;
/// Hidden and ignored files that are searched to say what was left out, and how large they may be together.
const MOST_LEFT_OUT: (usize, u64) = (500, 16 << 20);

pub(super) fn search(input: &Input, cx: &Cx) -> ToolResult<Output> {
    let place = cx.paths()?.readable(&input.path)?;
    let job = Job {
        cx,
        input,
        matcher: pattern::matcher(input)?,
        found: AtomicU64::new(0),
        bytes: AtomicUsize::new(0),
        full: AtomicBool::new(false),
    };
    if place.kind() == Kind::Folder { job.folder(&place) } else { job.file(&place) }
}

/// What all threads share. Written to only where a file matches.
struct Job<'a> {
    cx: &'a Cx,
    input: &'a Input,
    matcher: RegexMatcher,
    found: AtomicU64,
    bytes: AtomicUsize,
    full: AtomicBool,
}

/// A file that matches.
struct Found {
    path: PathBuf,
    hits: Hits,
}

impl Job<'_> {
    fn folder(&self, place: &Place) -> ToolResult<Output> {
        let tree = self.cx.paths()?.tree(place)?;
        let scope = Scope {
            include_hidden: self.input.include_hidden,
            respect_gitignore: self.input.respect_gitignore,
            max_depth: None,
            ignore_file: ".rgignore",
        };
        let mut walk = scope.walk(place.path())?;
        let globs = pattern::overrides(self.input, place.path())?;
        walk.builder.overrides(globs.clone());
        let (threads, mut skipped, met) = walk.visit(self.cx, || Thread {
            job: self,
            tree: &tree,
            matcher: self.matcher.clone(),
            searcher: self.searcher(BinaryDetection::quit(0)),
            found: Vec::new(),
            searched: 0,
            skipped: Skipped::default(),
        })?;
        let mut found = Vec::new();
        let mut searched = 0;
        for thread in threads {
            found.extend(thread.found);
            searched += thread.searched;
            skipped.add(thread.skipped);
        }
        found.sort_unstable_by(|a: &Found, b: &Found| a.path.cmp(&b.path));
        let left_out = self.left_out(&tree, &scope, &met, &globs)?;
        let left_out_words = left_out.words("file that matches", "files that match", found.len(), &scope);
        let output = self.output(place, found, searched, skipped)?;
        Ok(Output { left_out, left_out_words, ..output })
    }

    /// Which hidden and ignored files match. Where the search ended early there is more anyway.
    fn left_out(&self, tree: &Tree, scope: &Scope<'_>, met: &Met, globs: &Override) -> ToolResult<LeftOut> {
        if self.full.load(Ordering::Relaxed) {
            return Ok(LeftOut::NOTHING);
        }
        let mut searcher = self.searcher(BinaryDetection::quit(0));
        let (mut files, mut bytes) = MOST_LEFT_OUT;
        let matches = |path: &Path, kind: FileType| {
            if !kind.is_file() || !tree.admits(path) || globs.matched(path, false).is_ignore() {
                return ControlFlow::Continue(false);
            }
            let Ok(inner) = tree.open(path) else { return ControlFlow::Continue(false) };
            let size = inner.metadata().map_or(0, |meta| meta.len());
            let (Some(files_left), Some(bytes_left)) = (files.checked_sub(1), bytes.checked_sub(size)) else {
                return ControlFlow::Break(());
            };
            (files, bytes) = (files_left, bytes_left);
            let mut keep = Keep { room: 1, wanted: Wanted::Files, ..self.keep(&self.matcher) };
            let reader = Watched { cx: self.cx, inner };
            let searched = searcher.search_reader(&self.matcher, reader, &mut keep);
            ControlFlow::Continue(searched.is_ok() && keep.hits.count > 0)
        };
        left_out::count(tree, scope, met, self.cx, matches, |folder| !globs.matched(folder, true).is_ignore())
    }

    fn file(&self, place: &Place) -> ToolResult<Output> {
        let file = place.open()?;
        // A file that was asked for by name is looked into even if it is no text.
        let mut searcher = self.searcher(BinaryDetection::convert(0));
        let mut keep = Keep { look_into_binary: true, ..self.keep(&self.matcher) };
        let reader = Watched { cx: self.cx, inner: file };
        let searched = searcher.search_reader(&self.matcher, reader, &mut keep);
        self.cx.check()?;
        searched.map_err(|error| too_long(place, &error).unwrap_or_else(|| place.io("search", &error)))?;
        let hits = keep.hits;
        let found = if hits.count == 0 {
            Vec::new()
        } else {
            self.count(&hits);
            vec![Found { path: place.path().to_path_buf(), hits }]
        };
        self.output(place, found, 1, Skipped::default())
    }

    fn searcher(&self, binary: BinaryDetection) -> Searcher {
        let input = self.input;
        let mut builder = SearcherBuilder::new();
        builder
            .line_number(input.output == Wanted::Matches)
            .multi_line(input.multiline)
            .heap_limit(Some(HEAP))
            .binary_detection(binary);
        if input.output == Wanted::Matches {
            builder
                .before_context(input.before.unwrap_or(input.context))
                .after_context(input.after.unwrap_or(input.context));
        }
        builder.build()
    }

    /// One more than the limit is looked for, so that it is known whether there is more.
    fn keep<'a>(&self, matcher: &'a RegexMatcher) -> Keep<'a> {
        let room = self.input.limit as u64 + 1;
        let wanted = self.input.output;
        Keep { matcher, wanted, room, look_into_binary: false, hits: Hits::default() }
    }

    /// Counts a file that matches, and says when there is enough.
    fn count(&self, hits: &Hits) {
        let new = if self.input.output == Wanted::Matches { hits.count } else { 1 };
        let found = self.found.fetch_add(new, Ordering::Relaxed) + new;
        let bytes = self.bytes.fetch_add(hits.bytes, Ordering::Relaxed) + hits.bytes;
        if found > self.input.limit as u64 || bytes > TOTAL_BYTES {
            self.full.store(true, Ordering::Relaxed);
        }
    }

    fn output(
        &self,
        place: &Place,
        found: Vec<Found>,
        searched: u64,
        skipped: Skipped,
    ) -> ToolResult<Output> {
        let names = Names::new(self.cx)?;
        let stopped = found.iter().any(|file| file.hits.stopped && !file.hits.binary);
        let more = self.full.load(Ordering::Relaxed) || stopped;
        let mut room = self.input.limit as u64;
        let mut files = Vec::new();
        for Found { path, hits } in found {
            if room == 0 {
                break;
            }
            files.push(self.shown(names.of(&path), hits, &mut room));
        }
        let matches = files.iter().filter_map(|file| file.count).sum();
        Ok(Output {
            path: place.text(),
            files,
            matches,
            more,
            searched,
            skipped_sensitive: skipped.sensitive,
            unreadable: skipped.unreadable,
            left_out: LeftOut::NOTHING,
            left_out_words: String::new(),
        })
    }

    /// What of a file there is room for.
    fn shown(&self, path: String, mut hits: Hits, room: &mut u64) -> FileHits {
        let binary = hits.binary;
        match self.input.output {
            Wanted::Matches => {
                let kept = hits.count.min(*room);
                if hits.count > kept {
                    let after = self.input.after.unwrap_or(self.input.context);
                    keep_first(&mut hits.lines, kept, after);
                }
                *room -= kept;
                FileHits { path, count: Some(kept).filter(|_| !binary), lines: hits.lines, binary }
            }
            Wanted::Counts => {
                *room -= 1;
                FileHits { path, count: Some(hits.count).filter(|_| !binary), lines: Vec::new(), binary }
            }
            Wanted::Files => {
                *room -= 1;
                FileHits { path, count: None, lines: Vec::new(), binary }
            }
        }
    }
}

/// Drops what comes after the `kept`th match and the lines around it.
fn keep_first(lines: &mut Vec<Line>, kept: u64, after: usize) {
    let mut matches = lines.iter().enumerate().filter(|(_, line)| !line.context).map(|(at, _)| at);
    let last = usize::try_from(kept).ok().and_then(|kept| matches.nth(kept.checked_sub(1)?));
    let next = matches.next();
    let end = last.map_or(0, |last| {
        let number = lines[last].line;
        let around = lines[last + 1..next.unwrap_or(lines.len())].iter();
        last + 1 + around.take_while(|line| line.line <= number + after as u64).count()
    });
    lines.truncate(end);
}

fn too_long(place: &Place, error: &io::Error) -> Option<ToolError> {
    error.to_string().contains("allocation limit").then(|| {
        let message = format!("{} has a line of more than {} MiB.", place.shown(), HEAP >> 20);
        ToolError::new("line_too_long", message).hint("read_file with offset and limit reads a part of it.")
    })
}

/// One thread of a search, with buffers of its own.
struct Thread<'a> {
    job: &'a Job<'a>,
    tree: &'a Tree,
    matcher: RegexMatcher,
    searcher: Searcher,
    found: Vec<Found>,
    searched: u64,
    skipped: Skipped,
}

impl Visitor for Thread<'_> {
    fn entry(&mut self, entry: DirEntry) -> WalkState {
        if self.job.full.load(Ordering::Relaxed) {
            return WalkState::Quit;
        }
        let Some(kind) = entry.file_type() else { return WalkState::Continue };
        if entry.depth() == 0 || !(kind.is_file() || kind.is_dir()) {
            return WalkState::Continue;
        }
        if !self.tree.admits(entry.path()) {
            self.skipped.sensitive += 1;
            return WalkState::Skip;
        }
        if kind.is_file() && self.search(entry.path()).is_err() {
            self.skipped.unreadable += 1;
        }
        WalkState::Continue
    }

    fn unreadable(&mut self, _: &ignore::Error) {
        self.skipped.unreadable += 1;
    }
}

impl Thread<'_> {
    fn search(&mut self, path: &Path) -> io::Result<()> {
        let inner = self.tree.open(path)?;
        self.searched += 1;
        let mut keep = self.job.keep(&self.matcher);
        self.searcher.search_reader(&self.matcher, Watched { cx: self.job.cx, inner }, &mut keep)?;
        if keep.hits.count > 0 {
            self.job.count(&keep.hits);
            self.found.push(Found { path: path.to_path_buf(), hits: keep.hits });
        }
        Ok(())
    }
}

/// A reader that stops when the call is cancelled.
struct Watched<'a, R> {
    cx: &'a Cx,
    inner: R,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.cx.check().map_err(|error| io::Error::other(error.message))?;
        self.inner.read(buffer)
    }
}
