//! Counts in words.

use std::fmt::Display;

/// `1 file`, `2 files`.
pub(super) fn counted(n: impl Display, what: &str) -> String {
    let n = n.to_string();
    let ending = match (n.as_str(), what.ends_with("ch")) {
        ("1", _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{n} {what}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        for (n, what, words) in [
            (0, "byte", "0 bytes"),
            (1, "byte", "1 byte"),
            (2, "file", "2 files"),
            (1, "match", "1 match"),
            (11, "match", "11 matches"),
        ] {
            assert_eq!(counted(n, what), words);
        }
    }
}
