//! The first few of very many, in an order, in bounded memory.

use std::cmp::Ordering;

/// Keeps the first `keep` of all that it is given.
pub(super) struct First<T, F> {
    keep: usize,
    compare: F,
    items: Vec<T>,
    seen: usize,
}

/// How many more than needed are held before the rest is thrown away: it is done rarely.
const SLACK: usize = 1024;

impl<T, F: Fn(&T, &T) -> Ordering> First<T, F> {
    pub fn new(keep: usize, compare: F) -> Self {
        Self { keep, compare, items: Vec::new(), seen: 0 }
    }

    pub fn push(&mut self, item: T) {
        self.seen += 1;
        self.items.push(item);
        if self.items.len() >= self.keep.saturating_mul(2).saturating_add(SLACK) {
            self.prune();
        }
    }

    fn prune(&mut self) {
        if self.items.len() > self.keep {
            self.items.select_nth_unstable_by(self.keep, &self.compare);
            self.items.truncate(self.keep);
        }
    }

    /// Takes over what another has kept.
    pub fn merge(&mut self, other: Self) {
        self.seen += other.seen;
        self.items.extend(other.items);
        self.prune();
    }

    /// What was kept, in order, and how many there were in all.
    pub fn finish(mut self) -> (Vec<T>, usize) {
        self.prune();
        self.items.sort_by(&self.compare);
        (self.items, self.seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_sorting_everything(mut all in prop::collection::vec(0u32..5000, 0..6000), keep in 0usize..50) {
            let (left, right) = all.split_at(all.len() / 3);
            let mut first = First::new(keep, u32::cmp);
            for n in left { first.push(*n); }
            let mut other = First::new(keep, u32::cmp);
            for n in right { other.push(*n); }
            first.merge(other);
            let (kept, seen) = first.finish();
            prop_assert_eq!(seen, all.len());
            all.sort_unstable();
            all.truncate(keep);
            prop_assert_eq!(kept, all);
        }
    }
}
