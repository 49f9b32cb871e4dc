//! Markdown as it arrives, for a terminal.
//!
//! Pieces go in, text comes out, and what came out never changes: words of a paragraph pass as they end, a line's kind
//! is told from its start, a span is held until it closes, a table until it ends. Each line of the source is a line of
//! its own, wrapped where it is too long. Without colours the source passes as it is. Whatever went in, no sequence of
//! its own reaches the terminal.

mod flow;
mod inline;
mod line;
mod table;
#[cfg(test)]
mod tests;

use self::{
    flow::{Flow, Look, Margin, Piece},
    inline::Inline,
    line::{Kind, LineStart},
};
use super::{Style, style::SafeText};

/// A table longer than this is printed as it stands.
const MOST_ROWS: usize = 500;
/// A table's line, or the line that opens a code block, is not held past this.
const LONGEST_LINE: usize = 8_000;
/// What stands before the lines of a code block.
const CODE_INDENT: &str = "  ";

/// Renders one text after another.
pub struct Markdown {
    style: Style,
    safe: SafeText,
    flow: Flow,
    width: usize,
    line: Line,
    /// The code block that is open.
    fence: Option<Fence>,
    /// The rows of the table that is open, and where it stands.
    table: Option<(LineStart, Vec<String>)>,
    /// Something was printed, and a blank line belongs before the next.
    printed: bool,
    blank: bool,
    /// Without colours: whether a line is open.
    open: bool,
}

struct Fence {
    mark: char,
    marks: usize,
    quotes: usize,
}

enum Line {
    /// Its kind is not known yet.
    Start(Vec<char>),
    Text(Inline),
    /// Inside of a code block.
    Code,
    /// What follows the mark of a code block, with the mark.
    Info(LineStart, String),
    Row(LineStart, String),
}

impl Markdown {
    pub fn new(style: Style, width: usize) -> Self {
        Self {
            style,
            safe: SafeText::default(),
            flow: Flow::new(width),
            width,
            line: Line::Start(Vec::new()),
            fence: None,
            table: None,
            printed: false,
            blank: false,
            open: false,
        }
    }

    /// Takes a piece; returns what can be printed now.
    pub fn feed(&mut self, piece: &str) -> String {
        let text = self.safe.feed(piece);
        if !self.style.is_on() {
            self.open = text.chars().last().map_or(self.open, |last| last != '\n');
            return text;
        }
        for c in text.chars() {
            self.char(c);
        }
        self.flow.take()
    }

    /// The text has ended; returns the rest, whole lines. The next text starts anew.
    pub fn finish(&mut self) -> String {
        let rest = self.safe.finish();
        if !self.style.is_on() {
            let open = std::mem::take(&mut self.open) || !rest.is_empty();
            return if open { format!("{rest}\n") } else { rest };
        }
        for c in rest.chars() {
            self.char(c);
        }
        match &self.line {
            Line::Start(start) if start.is_empty() => {}
            _ => self.char('\n'),
        }
        self.end_table();
        let text = self.flow.take();
        *self = Self::new(self.style, self.width);
        text
    }

    fn char(&mut self, c: char) {
        match &mut self.line {
            Line::Start(start) => {
                if c != '\n' {
                    start.push(c);
                }
                let start = start.clone();
                self.start(&start, c == '\n');
            }
            Line::Text(inline) => {
                if c == '\n' {
                    self.end_text();
                } else {
                    inline.push(c).into_iter().for_each(|piece| self.flow.push(piece));
                }
            }
            Line::Code if c == '\n' => self.end_text(),
            Line::Code => self.flow.put((c, Look::PLAIN)),
            Line::Info(line, info) => {
                if c != '\n' && info.len() <= LONGEST_LINE {
                    info.push(c);
                    return;
                }
                let (line, info) = (line.clone(), std::mem::take(info));
                self.end_info(line, &info);
                if c != '\n' {
                    self.char(c);
                }
            }
            Line::Row(line, row) => {
                if c != '\n' && row.len() <= LONGEST_LINE {
                    row.push(c);
                    return;
                }
                let (line, row) = (line.clone(), std::mem::take(row));
                if c == '\n' {
                    self.line = Line::Start(Vec::new());
                    self.add_row(line, row);
                } else {
                    // Too long to be held: text after all.
                    self.end_table();
                    self.begin_text(&line, Vec::new(), Look::PLAIN, &row);
                    self.char(c);
                }
            }
        }
    }

    /// The line starts like this; goes on once it is known what it is.
    fn start(&mut self, start: &[char], ended: bool) {
        if self.fence.is_some() {
            return self.start_in_fence(start, ended);
        }
        let Some(line) = line::decide(start, ended) else { return };
        self.line = Line::Start(Vec::new());
        if line.kind != Kind::Row {
            self.end_table();
        }
        let rest: String = start[line.content..].iter().collect();
        match line.kind.clone() {
            Kind::Blank => {
                self.blank = self.printed;
                return;
            }
            Kind::Text => self.begin_text(&line, Vec::new(), Look::PLAIN, &rest),
            Kind::Heading(level) => {
                let look = Look { underline: level == 1, cyan: true, ..Look::BOLD };
                self.begin_text(&line, Vec::new(), look, &rest);
            }
            Kind::Item(mark) => {
                let mark = format!("{mark} ").chars().map(|c| (c, Look::CYAN)).collect();
                self.begin_text(&line, mark, Look::PLAIN, &rest);
            }
            Kind::Rule => {
                self.begin(&line, Vec::new());
                let dashes = self.width.min(40);
                self.flow.put_all(&vec![('─', Look::DIM); dashes]);
                self.line = Line::Code;
            }
            Kind::Fence(mark, marks) => {
                self.line = Line::Info(line, std::iter::repeat_n(mark, marks).chain(rest.chars()).collect());
            }
            Kind::Row => self.line = Line::Row(line, rest),
        }
        if ended {
            self.char('\n');
        }
    }

    fn start_in_fence(&mut self, start: &[char], ended: bool) {
        let Some(fence) = &self.fence else { return };
        let (quotes, after) = line::quotes(start);
        let from = if fence.quotes > 0 && quotes > 0 { after } else { 0 };
        let body: String = start[from..].iter().collect();
        let trimmed = body.trim();
        let may_close = trimmed.chars().all(|c| c == fence.mark);
        let may_be_quote = fence.quotes > 0 && from == start.len();
        if !ended && (may_close || may_be_quote) && start.len() < LONGEST_LINE {
            return;
        }
        self.line = Line::Start(Vec::new());
        if ended && may_close && trimmed.chars().count() >= fence.marks {
            self.fence = None;
            return;
        }
        let quotes = fence.quotes;
        let line = LineStart { quotes, indent: 0, kind: Kind::Text, content: 0 };
        self.begin(&line, Vec::new());
        self.line = Line::Code;
        let indent = if body.is_empty() { "" } else { CODE_INDENT };
        for c in indent.chars().chain(body.chars()) {
            self.flow.put((c, Look::PLAIN));
        }
        if ended {
            self.end_text();
        }
    }

    /// The first line of a code block is whole.
    fn end_info(&mut self, line: LineStart, info: &str) {
        let Kind::Fence(mark, marks) = line.kind else { return };
        let words = info.trim_start_matches(mark);
        if mark == '`' && words.contains('`') {
            // Code in a line, and not a block.
            self.begin_text(&line, Vec::new(), Look::PLAIN, info);
            return self.end_text();
        }
        self.fence = Some(Fence { mark, marks, quotes: line.quotes });
        let words = words.trim();
        self.line = Line::Start(Vec::new());
        if words.is_empty() {
            return;
        }
        self.begin(&LineStart { indent: 0, ..line }, Vec::new());
        for c in CODE_INDENT.chars().chain(words.chars()) {
            self.flow.put((c, Look::DIM));
        }
        self.end_text();
    }

    fn begin_text(&mut self, line: &LineStart, mark: Vec<Piece>, look: Look, rest: &str) {
        self.begin(line, mark);
        let mut inline = Inline::new(look);
        for c in rest.chars() {
            inline.push(c).into_iter().for_each(|piece| self.flow.push(piece));
        }
        self.line = Line::Text(inline);
    }

    /// Starts a line: the blank one before it, the bars of quotes, the indent, the mark of a list.
    fn begin(&mut self, line: &LineStart, mark: Vec<Piece>) {
        if std::mem::take(&mut self.blank) {
            self.flow.end_line();
        }
        self.printed = true;
        let mut first = self.margin(line);
        let mut hanging = first.clone();
        hanging.extend(mark.iter().map(|_| (' ', Look::PLAIN)));
        first.extend(mark);
        self.flow.begin(Margin { first, hanging });
    }

    fn margin(&self, line: &LineStart) -> Vec<Piece> {
        let bars = "│ ".repeat(line.quotes.min(5));
        let blanks = line.indent.min(self.width / 3);
        bars.chars().map(|c| (c, Look::DIM)).chain(std::iter::repeat_n((' ', Look::PLAIN), blanks)).collect()
    }

    fn end_text(&mut self) {
        if let Line::Text(inline) = &mut self.line {
            inline.end().into_iter().for_each(|piece| self.flow.push(piece));
        }
        self.flow.end_line();
        self.line = Line::Start(Vec::new());
    }

    fn add_row(&mut self, line: LineStart, row: String) {
        let (_, rows) = self.table.get_or_insert_with(|| (line, Vec::new()));
        rows.push(row);
        let is_table = rows.len() != 2 || table::lay_out(rows, usize::MAX).is_some();
        if !is_table || rows.len() > MOST_ROWS {
            self.end_table();
        }
    }

    fn end_table(&mut self) {
        let Some((line, rows)) = self.table.take() else { return };
        let margin = self.margin(&line).len();
        match table::lay_out(&rows, self.width.saturating_sub(margin)) {
            Some(lines) => {
                for text in lines {
                    self.begin(&line, Vec::new());
                    self.flow.put_line(&text);
                }
            }
            None => {
                for row in rows {
                    self.begin_text(&line, Vec::new(), Look::PLAIN, &row);
                    self.end_text();
                }
            }
        }
    }
}
