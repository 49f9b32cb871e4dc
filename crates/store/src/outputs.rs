//! Outputs too long to hand over at once, kept whole: `outputs/CALL_ID.txt`.

use std::path::PathBuf;

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

    #[test]
    fn old_ones_go() {
        let folder = tempfile::tempdir().unwrap();
        let outputs = outputs(&folder, 1000);
        let old = call_made(Duration::from_secs(4000));
        fs::write(folder.path().join(name(old)), "x").unwrap();
        outputs.keep(CallId::new(), &Masked::assume("x")).unwrap();
        assert_eq!(outputs.path(old), None);
    }
}
