//! Texts in which there is nothing to be found.

/// Whether a text is a short plain word, as most names of fields are. No search finds anything in one.
pub(super) fn is_plain_word(text: &str) -> bool {
    const LONGEST: usize = 16;
    text.len() <= LONGEST && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::{known::FORMATS, mask_once},
        *,
    };

    #[test]
    fn every_known_key_is_more() {
        for format in FORMATS {
            let shortest = format!("{}{}", format.prefix, "a".repeat(format.least));
            assert!(!is_plain_word(&shortest), "{}", format.kind);
        }
    }

    proptest! {
        #[test]
        fn nothing_would_be_found(word in "(|pass|pwd|secret|token|api_key|bearer|sk_|ghp_)[a-z_]{0,9}") {
            prop_assert!(is_plain_word(&word), "{}", word);
            prop_assert_eq!(mask_once(&word), None);
        }
    }
}
