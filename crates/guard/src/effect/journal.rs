//! Which output that Git ignores is too much for the undo journal.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    rc::Rc,
};

use super::tree::Item;

/// Where the rest of the output fits into the budget.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Unjournaled {
    /// Files, and folders with everything in them.
    pub paths: Vec<PathBuf>,
    pub bytes: u64,
}

struct Output<'a> {
    folder: &'a Rc<Path>,
    numbers: Vec<usize>,
    bytes: u64,
}

/// Leaves out the largest folders until the rest fits. `ignored` has the folder of each ignored item.
/// What `may_leave_out` says no to always has its place.
pub(super) fn beyond(
    budget: u64,
    items: &[Item<'_>],
    ignored: &[Option<Rc<Path>>],
    may_leave_out: &dyn Fn(&Item<'_>) -> bool,
) -> Unjournaled {
    let mut outputs: BTreeMap<&Path, Output<'_>> = BTreeMap::new();
    for (number, folder) in ignored.iter().enumerate() {
        let Some(folder) = folder.as_ref().filter(|_| may_leave_out(&items[number])) else { continue };
        let output =
            outputs.entry(folder).or_insert_with(|| Output { folder, numbers: Vec::new(), bytes: 0 });
        output.numbers.push(number);
        output.bytes += bytes(&items[number]);
    }
    let mut total: u64 = outputs.values().map(|output| output.bytes).sum();
    let mut largest: Vec<Output<'_>> = outputs.into_values().collect();
    // Of the same size, the first in the order of paths.
    largest.sort_by_key(|output| std::cmp::Reverse(output.bytes));
    let mut beyond = Unjournaled::default();
    for output in largest {
        if total <= budget {
            break;
        }
        total -= output.bytes;
        beyond.bytes += output.bytes;
        beyond.paths.extend(output.paths(items));
    }
    beyond
}

impl Output<'_> {
    /// The folder itself if all that changed in it is output, else its entries one by one.
    fn paths(&self, items: &[Item<'_>]) -> Vec<PathBuf> {
        let inside = items.iter().filter(|item| item.path.starts_with(self.folder)).count();
        if inside == self.numbers.len() {
            return vec![self.folder.to_path_buf()];
        }
        let files = self.numbers.iter().map(|number| &items[*number]).filter(|item| !item.is_folder());
        files.map(|item| item.path.clone()).collect()
    }
}

/// What keeping an item in the journal can take.
fn bytes(item: &Item<'_>) -> u64 {
    let size =
        |state: &Option<crate::sandbox::layer::EntryState>| state.as_ref().map_or(0, |state| state.size);
    size(&item.change.before).max(size(&item.change.after))
}
