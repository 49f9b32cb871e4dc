//! What happened meanwhile, for the next result: dialogs, new tabs, downloads, crashes.

use std::collections::VecDeque;

/// How many are kept, and how long each may be.
const MOST: usize = 20;
const LONGEST: usize = 600;

#[derive(Debug, Default)]
pub struct Notices {
    kept: VecDeque<String>,
    let_go: usize,
}

impl Notices {
    pub fn add(&mut self, notice: &str) {
        if self.kept.len() == MOST {
            self.kept.pop_front();
            self.let_go += 1;
        }
        let short: String = notice.chars().take(LONGEST).collect();
        let more = if notice.chars().nth(LONGEST).is_some() { "…" } else { "" };
        self.kept.push_back(short + more);
    }

    /// All of them; they are told once.
    pub fn take(&mut self) -> Vec<String> {
        let let_go = std::mem::take(&mut self.let_go);
        let earlier = (let_go > 0).then(|| format!("{let_go} earlier notices were left out."));
        earlier.into_iter().chain(self.kept.drain(..)).collect()
    }
}
