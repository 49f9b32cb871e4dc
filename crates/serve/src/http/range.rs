//! Parts of a file, as `Range` asks for them (RFC 9110): one range; several at once are answered with the whole.

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Whole,
    /// From the first to the last byte, both included.
    Part {
        first: u64,
        last: u64,
    },
    /// Nothing of it is there.
    Nothing,
}

/// What a `Range` header asks for of so many bytes. What cannot be read is as if it were not there.
pub fn wanted(header: Option<&str>, size: u64) -> Wanted {
    let Some((first, last)) = header
        .and_then(|text| text.trim().strip_prefix("bytes="))
        .and_then(|range| range.trim().split_once('-'))
    else {
        return Wanted::Whole;
    };
    let end = size.saturating_sub(1);
    match (number(first), number(last), first.is_empty(), last.is_empty()) {
        // The last so many.
        (None, Some(0), true, _) => Wanted::Nothing,
        (None, Some(_), true, _) if size == 0 => Wanted::Nothing,
        (None, Some(many), true, _) => Wanted::Part { first: size.saturating_sub(many), last: end },
        (Some(first), None, _, true) if first < size => Wanted::Part { first, last: end },
        (Some(first), Some(last), ..) if last < first => Wanted::Whole,
        (Some(first), Some(last), ..) if first < size => Wanted::Part { first, last: last.min(end) },
        (Some(_), None, _, true) | (Some(_), Some(_), ..) => Wanted::Nothing,
        _ => Wanted::Whole,
    }
}

/// Digits alone: no sign, no blanks.
fn number(text: &str) -> Option<u64> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_as_a_table() {
        let part = |first, last| Wanted::Part { first, last };
        for (header, size, expected) in [
            (None, 10, Wanted::Whole),
            (Some("bytes=0-3"), 10, part(0, 3)),
            (Some("bytes=0-"), 10, part(0, 9)),
            (Some("bytes=9-"), 10, part(9, 9)),
            (Some("bytes=5-500"), 10, part(5, 9)),
            (Some("bytes=-3"), 10, part(7, 9)),
            (Some("bytes=-30"), 10, part(0, 9)),
            (Some("bytes=-0"), 10, Wanted::Nothing),
            (Some("bytes=10-"), 10, Wanted::Nothing),
            (Some("bytes=10-12"), 10, Wanted::Nothing),
            (Some("bytes=0-0"), 0, Wanted::Nothing),
            (Some("bytes=-1"), 0, Wanted::Nothing),
            (Some("bytes=4-2"), 10, Wanted::Whole),
            (Some("bytes=1-2,4-5"), 10, Wanted::Whole),
            (Some("bytes=a-b"), 10, Wanted::Whole),
            (Some("bytes=+1-2"), 10, Wanted::Whole),
            (Some("bytes=-"), 10, Wanted::Whole),
            (Some("lines=0-3"), 10, Wanted::Whole),
            (Some("bytes=99999999999999999999-"), 10, Wanted::Whole),
        ] {
            assert_eq!(wanted(header, size), expected, "{header:?} of {size}");
        }
    }
}
