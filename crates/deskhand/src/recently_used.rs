//! A map of so many entries at most: the one that was not used for longest goes first. And what is opened once, kept in
//! such a map.

use std::{
    borrow::Borrow,
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Such a map.
pub struct RecentlyUsed<K, V> {
    most: usize,
    /// Grows with every use.
    uses: u64,
    entries: HashMap<K, Entry<V>>,
}

struct Entry<V> {
    value: V,
    used: u64,
}

impl<K: Clone + Eq + Hash, V> RecentlyUsed<K, V> {
    pub fn at_most(most: usize) -> Self {
        Self { most, uses: 0, entries: HashMap::new() }
    }

    pub fn get<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.uses += 1;
        let entry = self.entries.get_mut(key)?;
        entry.used = self.uses;
        Some(&entry.value)
    }

    pub fn insert(&mut self, key: K, value: V) {
        self.uses += 1;
        self.entries.insert(key, Entry { value, used: self.uses });
        while self.entries.len() > self.most {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else { return };
            self.entries.remove(&oldest);
        }
    }

    pub fn retain(&mut self, mut stays: impl FnMut(&K, &V) -> bool) {
        self.entries.retain(|key, entry| stays(key, &entry.value));
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

/// What takes its time to open, kept while it is used.
pub struct KeptOpen<K, V>(Mutex<RecentlyUsed<K, V>>);

impl<K: Clone + Eq + Hash, V: Clone> KeptOpen<K, V> {
    pub fn at_most(most: usize) -> Self {
        Self(Mutex::new(RecentlyUsed::at_most(most)))
    }

    fn kept(&self) -> MutexGuard<'_, RecentlyUsed<K, V>> {
        // Every single step leaves the map whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is kept and still fits, or what `open` makes. Nobody who wants something else waits for that.
    pub fn get_or_open<E>(
        &self,
        key: &K,
        fits: impl Fn(&V) -> bool,
        open: impl FnOnce() -> Result<V, E>,
    ) -> Result<V, E> {
        if let Some(kept) = self.kept().get(key).filter(|kept| fits(kept)) {
            return Ok(kept.clone());
        }
        let opened = open()?;
        let mut all = self.kept();
        // Two may have opened the same: the first counts, so that all share one.
        if let Some(first) = all.get(key).filter(|kept| fits(kept)) {
            return Ok(first.clone());
        }
        all.insert(key.clone(), opened.clone());
        Ok(opened)
    }

    pub fn retain(&self, stays: impl FnMut(&K, &V) -> bool) {
        self.kept().retain(stays);
    }
}

#[cfg(test)]
mod tests {
    use std::{convert::Infallible, sync::Arc};

    use super::*;

    fn open(kept: &KeptOpen<u8, Arc<u8>>, key: u8) -> Arc<u8> {
        kept.get_or_open(&key, |_| true, || Ok::<_, Infallible>(Arc::new(key))).unwrap()
    }

    #[test]
    fn what_is_opened_holds_nobody_up_and_is_shared() {
        let kept = KeptOpen::at_most(2);
        let mut in_between = None;
        let opened = kept
            .get_or_open(
                &1,
                |_| true,
                || {
                    // Would wait for ever if the lock were held.
                    assert!(kept.0.try_lock().is_ok());
                    in_between = Some(open(&kept, 1));
                    Ok::<_, Infallible>(Arc::new(1))
                },
            )
            .unwrap();
        assert!(Arc::ptr_eq(&opened, &in_between.unwrap()), "the first counts");
        assert!(Arc::ptr_eq(&opened, &open(&kept, 1)), "it is kept");
        let anew = kept.get_or_open(&1, |_| false, || Ok::<_, Infallible>(Arc::new(9))).unwrap();
        assert_eq!((*anew, *open(&kept, 1)), (9, 9), "what fits no more is opened anew");
        open(&kept, 2);
        open(&kept, 3);
        assert!(!Arc::ptr_eq(&anew, &open(&kept, 1)), "it had to make room");
    }

    #[test]
    fn the_one_that_was_not_used_for_longest_goes_first() {
        let mut map = RecentlyUsed::at_most(2);
        map.insert("a", 1);
        map.insert("b", 2);
        assert_eq!(map.get("a"), Some(&1));
        map.insert("c", 3);
        assert_eq!((map.get("a").copied(), map.entries.len()), (Some(1), 2));
        assert_eq!(map.get("b"), None);
        map.insert("c", 4);
        assert_eq!((map.get("c").copied(), map.entries.len()), (Some(4), 2));
        map.retain(|key, _| *key == "a");
        assert_eq!((map.get("a").copied(), map.get("c").copied()), (Some(1), None));
        map.clear();
        assert_eq!(map.get("a"), None);
    }
}
