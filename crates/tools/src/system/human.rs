//! Numbers as people read them. The numbers themselves always stand beside.

use schemars::JsonSchema;
use serde::Serialize;

/// An amount of memory, disk space or traffic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Size {
    pub bytes: u64,
    /// Such as `15.6 GiB`.
    pub text: String,
}

impl Size {
    pub fn of(bytes: u64) -> Self {
        Self { bytes, text: size(bytes) }
    }
}

/// `512 B`, `1.5 KiB`, `15.6 GiB`.
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut amount = as_f64(bytes) / 1024.0;
    let mut unit = 0;
    // 1023.96 would be written as 1024.0.
    while amount >= 1023.95 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{amount:.1} {}", UNITS[unit])
}

/// `3 d 4 h`, `4 h 5 min`, `5 min`, `12 s`.
pub(super) fn span(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min"),
        (0, _, _) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

/// Percent to one decimal; 0 of nothing.
pub(super) fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { tenths(as_f64(part) * 100.0 / as_f64(whole)) }
}

/// To one decimal.
pub(super) fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

#[allow(clippy::cast_precision_loss)] // for one decimal, 52 bits are enough
pub(super) fn as_f64(number: u64) -> f64 {
    number as f64
}

/// The first `most` characters; what was cut shows as `…`.
pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_words() {
        for (bytes, words) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1536, "1.5 KiB"),
            (1024 * 1024 - 1, "1.0 MiB"),
            (16 << 30, "16.0 GiB"),
            (u64::MAX, "16.0 EiB"),
        ] {
            assert_eq!(size(bytes), words);
        }
    }

    #[test]
    fn spans_and_percents() {
        for (seconds, words) in
            [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3 * 3600 + 60, "3 h 1 min"), (90_000, "1 d 1 h")]
        {
            assert_eq!(span(seconds), words);
        }
        for (part, whole, wanted) in [(1, 3, 33.3), (0, 0, 0.0), (2, 2, 100.0)] {
            assert!((percent(part, whole) - wanted).abs() < 1e-9, "{part} of {whole}");
        }
    }

    #[test]
    fn cutting_counts_characters() {
        for (text, cut) in [("abc", "abc"), ("abcd", "abc…"), ("进程名称", "进程名…"), ("", "")] {
            assert_eq!(shortened(text, 3), cut);
        }
    }
}
