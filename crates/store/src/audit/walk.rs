//! Following the chain record by record, and telling from what does not fit what was done to it.
//!
//! A record fits if its content has the hash it states, its number is the next one, and the hash before it is
//! that of the record before. The database adds what the files cannot know: where the chain ends, and which
//! file held which records.

use std::{cmp::Ordering, collections::HashMap, ops::RangeInclusive};

use deskhand_core::audit::{AuditReport, ChainHead, Finding, FindingKind};

use super::{
    head::{FileRow, Head},
    line::{Hash, Line, Position},
    notice::Standing,
    verify::MAX_FINDINGS,
};

pub(super) struct Walk {
    head: Option<Head>,
    rows: Vec<FileRow>,
    /// The files that are there.
    lengths: HashMap<String, u64>,
    place: Place,
    records: u64,
    /// The last record that was in its place, and the file it stands in.
    last: Position,
    last_file: Option<String>,
    /// The hash of another record of the same number: one of the two was inserted.
    twin: Option<Hash>,
    /// Whether something was already said about the last record.
    last_is_reported: bool,
    /// Lines that are no records, since the last one that was.
    unreadable: Vec<Place>,
    missing: Vec<Missing>,
    /// Whether the record that the database knows as the last was seen; as itself, or with other content.
    head_seen: Option<bool>,
    findings: Vec<Finding>,
    more_findings: u64,
}

#[derive(Clone, Default)]
struct Place {
    file: String,
    line: u64,
}

/// Numbers that were left out.
struct Missing {
    seqs: RangeInclusive<u64>,
    /// The first record after them; `None` if there is none.
    noticed: Option<Place>,
}

impl Walk {
    pub fn new(head: Option<Head>, rows: Vec<FileRow>, lengths: HashMap<String, u64>) -> Self {
        Self {
            head,
            rows,
            lengths,
            place: Place::default(),
            records: 0,
            last: Position::START,
            last_file: None,
            twin: None,
            last_is_reported: false,
            unreadable: Vec::new(),
            missing: Vec::new(),
            head_seen: None,
            findings: Vec::new(),
            more_findings: 0,
        }
    }

    pub fn begin_file(&mut self, name: &str) {
        self.place = Place { file: name.to_owned(), line: 0 };
    }

    pub fn line(&mut self, bytes: &[u8]) {
        self.place.line += 1;
        let Some(line) = Line::parse(bytes) else {
            self.unreadable.push(self.place.clone());
            if self.unreadable.len() > MAX_FINDINGS {
                self.unreadable.pop();
                self.more_findings += 1;
            }
            return;
        };
        self.records += 1;
        let seq = line.at.seq;
        if let Some(head) = self.head.as_ref().filter(|head| head.at.seq == seq) {
            self.head_seen = Some(self.head_seen == Some(true) || head.at.hash == line.at.hash);
        }
        let intact = line.is_intact();
        if !intact {
            let text = format!("record {seq} was edited: its content does not have the hash it states");
            self.find_here(FindingKind::Edited, seq, &text);
        }
        if line.is_notice() {
            self.notice(&line);
        }
        if seq <= self.last.seq {
            self.out_of_place(&line);
        } else {
            self.in_place(&line);
            self.last_is_reported = !intact;
        }
    }

    /// What the log once said of itself stands for good: what was appended since does not bring anything back.
    fn notice(&mut self, line: &Line<'_>) {
        let seq = line.at.seq;
        let standing = line.record().ok().and_then(|record| Standing::of(&record));
        let (kind, text) = match standing {
            Some(Standing::HeadMissing) => (
                FindingKind::HeadMissing,
                format!(
                    "the database did not know this chain when record {seq} was written: it had been removed or \
                     replaced, and records before this one may have been cut off unnoticed"
                ),
            ),
            Some(Standing::RecordsLost) => (
                FindingKind::RecordsLost,
                format!(
                    "when record {seq} was written, the log did not end as it had been written: records before \
                     this one were cut off or changed"
                ),
            ),
            None => return,
        };
        self.find_here(kind, seq, &text);
    }

    /// A record whose number is not after that of the one before.
    fn out_of_place(&mut self, line: &Line<'_>) {
        let seq = line.at.seq;
        if self.fill(seq) {
            let text = format!("record {seq} is not in its place: it stands after record {}", self.last.seq);
            self.find_here(FindingKind::Reordered, seq, &text);
            return;
        }
        if seq == self.last.seq {
            self.twin = Some(line.at.hash);
        }
        let text = format!("there is a second record {seq}: one of the two was inserted");
        self.find_here(FindingKind::Inserted, seq, &text);
    }

    fn in_place(&mut self, line: &Line<'_>) {
        let (seq, next) = (line.at.seq, self.last.seq + 1);
        let left_out = seq - next;
        let unreadable = self.unreadable.len() as u64;
        self.explain_unreadable(left_out);
        let first_missing = next + unreadable.min(left_out);
        if first_missing < seq {
            let noticed = Some(self.place.clone());
            self.missing.push(Missing { seqs: first_missing..=seq - 1, noticed });
        }
        let follows = line.prev == self.last.hash || self.twin == Some(line.prev);
        if left_out == 0 && !follows && !self.last_is_reported {
            self.broken_link(seq);
        }
        self.last = line.at;
        self.last_file = Some(self.place.file.clone());
        self.twin = None;
    }

    fn broken_link(&mut self, seq: u64) {
        if seq == 1 {
            self.find_here(FindingKind::Edited, 1, "record 1 was edited: it does not start the chain");
            return;
        }
        let before = seq - 1;
        let text = format!(
            "record {before} was edited, its hash included: record {seq} after it names another hash"
        );
        self.find_here(FindingKind::Edited, before, &text);
    }

    /// Lines that are no records stand for records that are missing, as far as any are.
    fn explain_unreadable(&mut self, left_out: u64) {
        for (before, place) in (0..).zip(std::mem::take(&mut self.unreadable)) {
            if before < left_out {
                let seq = self.last.seq + 1 + before;
                let text = format!("record {seq} was edited: its line is no record any more");
                self.find(FindingKind::Edited, &place, Some(seq), &text);
            } else {
                self.find(FindingKind::Inserted, &place, None, "a line that is no record was inserted");
            }
        }
    }

    /// Takes a number off those that were left out. Whether it was one of them.
    fn fill(&mut self, seq: u64) -> bool {
        let Some(at) = self.missing.iter().position(|missing| missing.seqs.contains(&seq)) else {
            return false;
        };
        let Missing { seqs, noticed } = self.missing.swap_remove(at);
        for rest in [*seqs.start()..=seq.saturating_sub(1), seq.saturating_add(1)..=*seqs.end()] {
            if !rest.is_empty() {
                self.missing.push(Missing { seqs: rest, noticed: noticed.clone() });
            }
        }
        true
    }

    pub fn report(mut self) -> AuditReport {
        let known = self.head.as_ref().map_or(0, |head| head.at.seq);
        let lacking = known.saturating_sub(self.last.seq);
        let unreadable = self.unreadable.len() as u64;
        self.explain_unreadable(lacking);
        let first_missing = self.last.seq.saturating_add(1 + unreadable.min(lacking));
        if first_missing <= known {
            self.missing.push(Missing { seqs: first_missing..=known, noticed: None });
        }
        for missing in std::mem::take(&mut self.missing) {
            self.explain_missing(&missing);
        }
        self.compare_head();
        self.findings.sort_by(|a, b| (&a.file, a.line, a.seq).cmp(&(&b.file, b.line, b.seq)));
        AuditReport {
            records: self.records,
            files: self.lengths.len() as u64,
            findings: self.findings,
            more_findings: self.more_findings,
            head: ChainHead { seq: self.last.seq, hash: self.last.hash.to_string(), file: self.last_file },
        }
    }

    fn compare_head(&mut self) {
        match &self.head {
            Some(head) if self.head_seen == Some(false) => {
                let (seq, file) = (head.at.seq, head.file.clone());
                let place = Place { file, line: 0 };
                let text = format!(
                    "record {seq}, or one before it, was edited: the database knows another hash of it"
                );
                self.find(FindingKind::Edited, &place, Some(seq), &text);
            }
            None if !self.lengths.is_empty() => {
                let text = "the database does not know the head of this chain: it was removed or replaced, so that \
                            a missing end of the log cannot be seen";
                self.find(FindingKind::HeadMissing, &Place::default(), None, text);
            }
            _ => {}
        }
    }

    /// Names the file that held the records which are missing, as far as that is known.
    fn explain_missing(&mut self, missing: &Missing) {
        let mut from = *missing.seqs.start();
        let end = *missing.seqs.end();
        while from <= end {
            let row = self.rows.iter().filter(|row| row.last_seq >= from && row.first_seq <= end);
            let row = row.min_by_key(|row| row.first_seq).cloned();
            let (seqs, file) = match row {
                Some(row) if row.first_seq <= from => (from..=end.min(row.last_seq), Some(row.name)),
                Some(row) => (from..=row.first_seq - 1, None),
                None => (from..=end, None),
            };
            from = seqs.end().saturating_add(1);
            self.explain_missing_part(&seqs, file, missing.noticed.as_ref());
            if from == u64::MAX {
                break;
            }
        }
    }

    fn explain_missing_part(
        &mut self,
        seqs: &RangeInclusive<u64>,
        file: Option<String>,
        noticed: Option<&Place>,
    ) {
        let (first, last) = (*seqs.start(), *seqs.end());
        let which = match first.cmp(&last) {
            Ordering::Equal => format!("record {first}"),
            _ => format!("records {first} to {last}"),
        };
        // Records that no row tells of were appended after the newest row: at the end, or where they are missed.
        let file =
            file.or_else(|| noticed.is_none().then(|| self.head.as_ref().map(|head| head.file.clone()))?);
        let (kind, place, text) = match (file, noticed) {
            (Some(file), _) if !self.lengths.contains_key(&file) => {
                let text = format!("the file was deleted, and {which} with it");
                (FindingKind::FileDeleted, Place { file, line: 0 }, text)
            }
            (Some(file), _) if self.lengths.get(&file) == Some(&0) => {
                (FindingKind::Emptied, Place { file, line: 0 }, format!("the file was emptied of {which}"))
            }
            (Some(file), noticed) if noticed.is_none_or(|place| place.file != file) => {
                let text = format!("the end of the file was cut off: {which} should be there");
                (FindingKind::Truncated, Place { file, line: 0 }, text)
            }
            (_, noticed) => {
                let place = noticed.cloned().unwrap_or_default();
                let text = format!("{which} should stand before this line: removed");
                (FindingKind::Removed, place, text)
            }
        };
        self.find(kind, &place, Some(first), &text);
    }

    fn find_here(&mut self, kind: FindingKind, seq: u64, what: &str) {
        let place = self.place.clone();
        self.find(kind, &place, Some(seq), what);
    }

    fn find(&mut self, kind: FindingKind, place: &Place, seq: Option<u64>, what: &str) {
        if self.findings.len() >= MAX_FINDINGS {
            self.more_findings += 1;
            return;
        }
        let file = (!place.file.is_empty()).then(|| place.file.clone());
        let line = (place.line > 0).then_some(place.line);
        let message = match (&file, line) {
            (Some(file), Some(line)) => format!("{file}, line {line}: {what}."),
            (Some(file), None) => format!("{file}: {what}."),
            (None, _) => format!("{what}."),
        };
        self.findings.push(Finding { file, line, seq, kind, message });
    }
}
