//! What reading a command writes down.

use std::collections::HashSet;

use deskhand_core::{Effects, Permission};

use crate::shell::{analysis::PlaceUse, knowledge::Nature, text::shown};

/// A reason for a permission.
#[derive(Clone, Debug)]
pub struct Finding {
    pub permission: Permission,
    pub rule: String,
    pub why: String,
}

/// What a command is used for: which others are like it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Likeness {
    /// How many words after the program's name say what it does: 1 for `git push`.
    pub named: usize,
    pub nature: Nature,
}

/// What was found out.
#[derive(Default)]
pub struct Notes {
    pub findings: Vec<Finding>,
    pub steps: Vec<String>,
    pub programs: Vec<String>,
    pub hosts: Vec<String>,
    pub places: Vec<PlaceUse>,
    pub effects: Effects,
    pub needs_network: bool,
    /// All simple commands.
    pub all_commands: Vec<Vec<String>>,
    /// What is asked about, as words: commands, and `>` with a path for what is redirected.
    pub commands: Vec<Vec<String>>,
    /// For each of them, what other commands are like it.
    pub likenesses: Vec<Option<Likeness>>,
    pub(super) said: HashSet<String>,
}

impl Notes {
    /// A command is run. Beyond a number they are not listed, and the last one says so.
    pub(super) fn runs(&mut self, words: &[String]) {
        const MOST_COMMANDS: usize = 200;
        match self.all_commands.len() {
            0..MOST_COMMANDS => self.all_commands.push(words.iter().map(|word| shown(word)).collect()),
            MOST_COMMANDS => self.all_commands.push(vec!["…".to_owned()]),
            _ => {}
        }
    }
}
