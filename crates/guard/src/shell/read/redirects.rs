//! Redirections: where a command's input comes from, and where its output goes.

use std::rc::Rc;

use deskhand_core::Permission;

use super::Reading;
use crate::shell::{
    judge::{Class, Reach, Writing},
    syntax::{Redirect, RedirectOp, Script, Target, here_text},
    text::{HOLE, NET, SHELL, is_known, is_secret},
};

impl Reading<'_> {
    /// What the redirections put on standard input.
    pub fn redirect_input(&mut self, redirects: &[Redirect], script: &Rc<Script>) -> Option<String> {
        let before = self.notes.findings.len();
        let mut input = None;
        for redirect in redirects {
            let standard = redirect.fd.as_deref().is_none_or(|fd| fd == "0");
            let text = match (redirect.op, &redirect.target) {
                (RedirectOp::HereDoc, Target::HereDoc(index)) => {
                    let Some(doc) = script.here_docs.get(*index) else { continue };
                    if doc.quoted {
                        doc.body.clone()
                    } else {
                        let (word, whole) = here_text(&doc.body);
                        if !whole {
                            self.unresolved("A here-document cannot be read.");
                        }
                        self.scalar(&word)
                    }
                }
                (RedirectOp::HereString, Target::Word(word)) => self.scalar(word) + "\n",
                (RedirectOp::Input | RedirectOp::Both, Target::Word(word)) => {
                    let path = self.pattern(word);
                    self.reads(&path, Reach::One)
                }
                (RedirectOp::Copy, Target::Word(word)) if standard => {
                    let number = self.scalar(word);
                    match self.files.get(&format!("/dev/fd/{number}")) {
                        Some(text) => text.clone(),
                        None if self.is_connected() => NET.to_string(),
                        None => continue,
                    }
                }
                _ => continue,
            };
            if standard || self.is_connected() {
                input = Some(text);
            } else if let Some(fd) = &redirect.fd {
                self.files.insert(format!("/dev/fd/{fd}"), text);
            }
        }
        self.asks_about_redirection(before);
        input
    }

    /// Where the output goes; gives what is left of it on standard output. `shell` says that a shell which does what
    /// it is fed printed it.
    pub fn redirect_output(&mut self, redirects: &[Redirect], output: String, shell: bool) -> String {
        let before = self.notes.findings.len();
        let mut left = Some(output);
        for redirect in redirects {
            let Target::Word(word) = &redirect.target else { continue };
            let append = match redirect.op {
                RedirectOp::Output | RedirectOp::OutputAll | RedirectOp::Both => Writing::Whole,
                RedirectOp::Append => Writing::Append,
                RedirectOp::Copy if self.is_connected() && left.as_deref().is_some_and(is_secret) => {
                    self.forbid("exfiltration", "It sends a secret to another host.");
                    continue;
                }
                RedirectOp::Copy if shell && self.is_connected() => {
                    self.forbid("reverse-shell", "It connects a shell to another host.");
                    continue;
                }
                _ => continue,
            };
            let path = self.pattern(word);
            if shell && self.is_connected() && !is_known(&path) {
                self.forbid("reverse-shell", "It connects a shell to another host.");
            }
            let class = self.class_of(&path);
            let errors_only = redirect.fd.as_deref() == Some("2");
            let output = if errors_only { None } else { left.take() };
            if let Class::Connection(_) = class {
                if shell || output.as_deref().is_some_and(|text| text.contains(SHELL)) {
                    self.forbid("reverse-shell", "It connects a shell to another host.");
                }
                if output.as_deref().is_some_and(is_secret) {
                    self.forbid("exfiltration", "It sends a secret to another host.");
                }
            }
            if class == Class::Unknown && shell && self.is_connected() {
                self.forbid("reverse-shell", "It connects a shell to another host.");
            }
            self.writes(&path, append);
            let place = self.written(&path);
            self.drains(&place.path, output.as_deref().unwrap_or_default());
            if class == Class::Nothing {
                continue;
            }
            let text = output.unwrap_or_else(|| HOLE.to_string());
            self.runs_later(&place.path, &text);
            if append == Writing::Append {
                let file = self.files.entry(place.path).or_default();
                file.push_str(&text);
            } else {
                self.files.insert(place.path, text);
            }
        }
        self.asks_about_redirection(before);
        left.unwrap_or_default()
    }

    /// What is redirected is asked about by itself: a yes to the command is none to that.
    fn asks_about_redirection(&mut self, before: usize) {
        let asked = self.notes.findings[before..].iter().find(|found| found.permission > Permission::Public);
        if let Some(why) = asked.map(|found| found.why.clone()) {
            self.asks_about(vec![">".to_owned(), why], None);
        }
    }
}
