//! Redirections: `>`, `2>&1`, `<<EOF`, …

use super::Parser;
use crate::shell::syntax::{
    ast::{HereDoc, Redirect, RedirectOp, Target, Unit, Word},
    words::{is_meta, literal},
};

impl Parser<'_> {
    pub fn redirect(&mut self) -> Option<Redirect> {
        let start = self.reader.at;
        let fd = self.descriptor();
        if self.at_process() {
            self.reader.at = start;
            return None;
        }
        const OPERATORS: &[(&str, RedirectOp)] = &[
            ("&>>", RedirectOp::OutputAll),
            ("&>", RedirectOp::OutputAll),
            ("<<<", RedirectOp::HereString),
            ("<<-", RedirectOp::HereDoc),
            ("<<", RedirectOp::HereDoc),
            ("<&", RedirectOp::Copy),
            ("<>", RedirectOp::Both),
            ("<", RedirectOp::Input),
            (">>", RedirectOp::Append),
            (">|", RedirectOp::Output),
            (">&", RedirectOp::Copy),
            (">", RedirectOp::Output),
        ];
        let Some((text, op)) = OPERATORS.iter().find(|(text, _)| self.reader.starts_with(text)) else {
            self.reader.at = start;
            return None;
        };
        self.reader.at += text.len();
        self.blanks();
        let word = match self.reader.peek(0) {
            Some(c) if !is_meta(c) || self.at_process() => self.reader.word(),
            _ => {
                self.broken = true;
                Word::new()
            }
        };
        let mut op = *op;
        if op == RedirectOp::HereDoc {
            let quoted = word.iter().any(|unit| !matches!(unit, Unit::Bare(_)));
            let delimiter = literal(&word).unwrap_or_else(|| {
                self.broken = true;
                String::new()
            });
            self.waiting.push(self.here_docs.len());
            self.here_docs.push(HereDoc {
                delimiter,
                strip_tabs: *text == "<<-",
                quoted,
                body: String::new(),
            });
            return Some(Redirect { fd, op, target: Target::HereDoc(self.here_docs.len() - 1) });
        }
        if op == RedirectOp::Copy {
            let number =
                literal(&word).is_some_and(|t| t.trim_end_matches('-').chars().all(|c| c.is_ascii_digit()));
            let copies = number || word.iter().any(|unit| matches!(unit, Unit::Sub { .. })) && *text == "<&";
            if !copies {
                op = if *text == ">&" { RedirectOp::OutputAll } else { RedirectOp::Input };
            }
        }
        Some(Redirect { fd, op, target: Target::Word(word) })
    }

    /// `2` or `{name}` right before an operator.
    pub fn descriptor(&mut self) -> Option<String> {
        let rest = &self.reader.chars[self.reader.at..];
        let length = match rest.first() {
            Some('{') => rest.iter().take(40).position(|c| *c == '}').map_or(0, |at| at + 1),
            _ => rest.iter().take(8).take_while(|c| c.is_ascii_digit()).count(),
        };
        if length > 0 && matches!(rest.get(length), Some('<' | '>')) {
            self.reader.at += length;
            return Some(rest[..length].iter().collect());
        }
        None
    }
}
