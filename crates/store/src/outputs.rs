//! Outputs too long to hand over at once, kept whole: `outputs/CALL_ID.txt`.

use std::path::{Path, PathBuf};

use deskhand_core::{CallId, Masked, OutputKeeper, StoreResult};

use crate::{
    budget::Budget,
    error::Doing,
    folder::{self, Durable},
};

/// The kept outputs of one data folder.
pub struct Outputs {
    budget: Budget,
}

impl Outputs {
    pub(crate) fn new(budget: Budget) -> Self {
        Self { budget }
    }
}

fn name(call: CallId) -> String {
    format!("{call}.txt")
}

impl OutputKeeper for Outputs {
    fn keep(&self, call: CallId, text: &Masked) -> StoreResult<()> {
        let name = name(call);
        let action = || format!("keep the output {}", self.budget.folder().join(&name).display());
        self.budget.reserve(text.len() as u64, &name).doing(action)?;
        // Not worth waiting for the disk: after a power cut nobody asks for the output of a call.
        folder::write_whole(self.budget.folder(), &name, text.as_bytes(), Durable::No).doing(action)
    }

    fn path(&self, call: CallId) -> Option<PathBuf> {
        Some(self.budget.folder().join(name(call))).filter(|path| path.is_file())
    }

    fn mark_outside(&self, call: CallId, source: &str) -> StoreResult<()> {
        let name = mark_name(call);
        let action = || format!("mark the output {}", self.budget.folder().join(&name).display());
        self.budget.reserve(source.len() as u64, &name).doing(action)?;
        folder::write_whole(self.budget.folder(), &name, source.as_bytes(), Durable::No).doing(action)
    }

    fn call_of(&self, path: &Path) -> Option<CallId> {
        // What a call printed may lie in several files; all begin with its id. First, since it is asked of every file
        // that any call touches, and hardly one has such a name.
        let call = CallId::parse(path.file_name()?.to_str()?.get(..ID_LENGTH)?)?;
        // The data folder may be named through a link; what a plan touches is resolved.
        let folder = std::fs::canonicalize(self.budget.folder()).ok()?;
        (std::fs::canonicalize(path.parent()?).ok()? == folder).then_some(call)
    }

    fn source_of(&self, path: &Path) -> Option<String> {
        let call = self.call_of(path)?;
        std::fs::read_to_string(self.budget.folder().join(mark_name(call))).ok()
    }
}

/// A UUID in its usual form.
const ID_LENGTH: usize = 36;

fn mark_name(call: CallId) -> String {
    format!("{call}.outside")
}

#[cfg(test)]
mod tests {
    use std::{fs, time::Duration};

    use super::*;
    use crate::budget::tests::call_made;

    fn outputs(folder: &tempfile::TempDir, max_bytes: u64) -> Outputs {
        Outputs::new(Budget::new(folder.path().into(), max_bytes, Duration::from_hours(1)))
    }

    #[test]
    fn what_is_kept_is_found_whole() {
        let folder = tempfile::tempdir().unwrap();
        let outputs = outputs(&folder, 1000);
        let call = CallId::new();
        assert_eq!(outputs.path(call), None);
        for text in ["one", "two, longer"] {
            outputs.keep(call, &Masked::assume(text)).unwrap();
            assert_eq!(fs::read_to_string(outputs.path(call).unwrap()).unwrap(), text);
        }
    }

    #[test]
    fn the_oldest_make_room_and_what_never_fits_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let outputs = outputs(&folder, 1000);
        let [old, new] = [20, 10].map(|s| call_made(Duration::from_secs(s)));
        let text = Masked::assume("x".repeat(600));
        outputs.keep(old, &text).unwrap();
        outputs.keep(new, &text).unwrap();
        assert_eq!((outputs.path(old), outputs.path(new).is_some()), (None, true));
        let error = outputs.keep(CallId::new(), &Masked::assume("x".repeat(1001))).unwrap_err().to_string();
        assert!(error.contains("1001 bytes do not fit"), "{error}");
    }

    /// A text from outside never stays without its mark: of one call the text goes first, and neither goes for the other.
    #[test]
    fn room_is_made_without_leaving_a_text_unmarked() {
        let folder = tempfile::tempdir().unwrap();
        let outputs = outputs(&folder, 1000);
        let [call, other] = [20, 10].map(|s| call_made(Duration::from_secs(s)));
        outputs.keep(other, &Masked::assume("x".repeat(100))).unwrap();
        outputs.mark_outside(call, "evil.example").unwrap();
        outputs.keep(call, &Masked::assume("x".repeat(950))).unwrap();
        let marked = |outputs: &Outputs| outputs.path(call).map(|path| outputs.source_of(&path));
        assert_eq!(marked(&outputs), Some(Some("evil.example".to_owned())), "another one made room for it");
        // So little is wanted that one of the two is enough.
        outputs.keep(CallId::new(), &Masked::assume("x".repeat(100))).unwrap();
        assert_eq!(marked(&outputs), None);
        assert!(folder.path().join(mark_name(call)).exists());
    }

    #[test]
    fn old_ones_go() {
        let folder = tempfile::tempdir().unwrap();
        let outputs = outputs(&folder, 1000);
        let old = call_made(Duration::from_secs(4000));
        fs::write(folder.path().join(name(old)), "x").unwrap();
        outputs.keep(CallId::new(), &Masked::assume("x")).unwrap();
        assert_eq!(outputs.path(old), None);
    }

    #[test]
    fn what_holds_text_from_outside_is_known_by_any_of_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let outputs = outputs(&folder, 10_000);
        let [marked, plain] = [(); 2].map(|()| CallId::new());
        for call in [marked, plain] {
            outputs.keep(call, &Masked::assume("text")).unwrap();
        }
        outputs.mark_outside(marked, "evil.example").unwrap();
        assert_eq!(outputs.source_of(&outputs.path(marked).unwrap()).as_deref(), Some("evil.example"));
        let stream = folder.path().join(format!("{marked}-stdout.log"));
        assert_eq!(outputs.source_of(&stream).as_deref(), Some("evil.example"));
        assert_eq!(outputs.source_of(&outputs.path(plain).unwrap()), None);
        assert_eq!(outputs.source_of(Path::new("/elsewhere/x.txt")), None);
    }
}
