//! Tables: held back until they end, then set in columns.

use super::{
    flow::{Flow, Look, Piece},
    inline,
};
use crate::terminal::width::width;

/// A column is not made narrower than this.
const NARROWEST_COLUMN: usize = 6;
const BETWEEN: &str = " │ ";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Align {
    Left,
    Right,
    Centre,
}

/// The lines of a table set in columns, each without its line end; `None` if these lines are none, or do not fit.
pub fn lay_out(rows: &[String], room: usize) -> Option<Vec<String>> {
    let aligns = alignment(rows.get(1)?)?;
    let cells: Vec<Vec<Vec<Piece>>> = rows
        .iter()
        .enumerate()
        .filter(|(n, _)| *n != 1)
        .map(|(n, row)| {
            let look = if n == 0 { Look::BOLD } else { Look::PLAIN };
            cells_of(row, aligns.len()).iter().map(|cell| inline::pieces(cell, look)).collect()
        })
        .collect();
    let widths = widths(&cells, aligns.len(), room)?;
    let mut lines = Vec::new();
    for (n, row) in cells.iter().enumerate() {
        lines.extend(row_lines(row, &widths, &aligns));
        if n == 0 {
            let dashes: Vec<String> = widths.iter().map(|wide| "─".repeat(*wide)).collect();
            lines.push(dim(&dashes.join("─┼─")));
        }
    }
    Some(lines)
}

fn alignment(row: &str) -> Option<Vec<Align>> {
    split(row)
        .iter()
        .map(|cell| {
            let dashes = cell.trim_start_matches(':').trim_end_matches(':');
            let is_dashes = !dashes.is_empty() && dashes.chars().all(|c| c == '-');
            is_dashes.then(|| match (cell.starts_with(':'), cell.ends_with(':')) {
                (true, true) => Align::Centre,
                (false, true) => Align::Right,
                _ => Align::Left,
            })
        })
        .collect()
}

/// As many cells as there are columns; what is too many stays in the last.
fn cells_of(row: &str, columns: usize) -> Vec<String> {
    let mut cells = split(row);
    if cells.len() > columns {
        let rest = cells.split_off(columns.saturating_sub(1));
        cells.push(rest.join(" | "));
    }
    cells.resize(columns, String::new());
    cells
}

/// The cells of a row: parted at `|`, but not inside of code or after a backslash.
fn split(row: &str) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut cells = vec![String::new()];
    let (mut in_code, mut escaped) = (false, false);
    for c in row.chars() {
        if c == '|' && !in_code && !escaped {
            cells.push(String::new());
            continue;
        }
        in_code ^= c == '`' && !escaped;
        escaped = c == '\\' && !escaped;
        if let Some(cell) = cells.last_mut() {
            cell.push(c);
        }
    }
    if cells.len() > 1 && cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

fn widths(rows: &[Vec<Vec<Piece>>], columns: usize, room: usize) -> Option<Vec<usize>> {
    let mut widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().map(|row| pieces_width(&row[column])).max().unwrap_or(0).max(1))
        .collect();
    let room = room.checked_sub(width(BETWEEN) * columns.saturating_sub(1))?;
    while widths.iter().sum::<usize>() > room {
        let widest = widths.iter_mut().max()?;
        if *widest <= NARROWEST_COLUMN {
            return None;
        }
        *widest -= 1;
    }
    Some(widths)
}

fn pieces_width(pieces: &[Piece]) -> usize {
    width(&pieces.iter().map(|(c, _)| *c).collect::<String>())
}

fn row_lines(row: &[Vec<Piece>], widths: &[usize], aligns: &[Align]) -> Vec<String> {
    let cells: Vec<Vec<String>> = row
        .iter()
        .zip(widths)
        .map(|(cell, wide)| {
            let mut flow = Flow::new(*wide);
            for piece in cell {
                flow.push(*piece);
            }
            flow.end_line();
            flow.take().lines().map(str::to_owned).collect()
        })
        .collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    (0..height)
        .map(|n| {
            let parts: Vec<String> = cells
                .iter()
                .zip(widths)
                .zip(aligns)
                .map(|((cell, wide), align)| aligned(cell.get(n).map_or("", String::as_str), *wide, *align))
                .collect();
            parts.join(&dim(BETWEEN)).trim_end().to_owned()
        })
        .collect()
}

fn aligned(text: &str, wide: usize, align: Align) -> String {
    let blanks = wide.saturating_sub(width(&without_looks(text)));
    let left = match align {
        Align::Left => 0,
        Align::Right => blanks,
        Align::Centre => blanks / 2,
    };
    format!("{}{text}{}", " ".repeat(left), " ".repeat(blanks - left))
}

fn dim(text: &str) -> String {
    format!("\x1b[2m{text}\x1b[0m")
}

/// The text without the sequences that this module and its siblings write.
pub fn without_looks(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    plain.push_str(rest);
    plain
}
