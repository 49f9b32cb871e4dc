//! Masking of text that comes piece by piece, with what is known of secrets here.

use std::sync::Arc;

use deskhand_core::LiveMask;
use deskhand_guard::SecretScreener;

fn shown(pieces: &[&str]) -> String {
    let mut mask = LiveMask::new(Arc::new(SecretScreener));
    pieces.iter().map(|piece| mask.next(piece)).collect()
}

fn shown_in_words(pieces: &[&str]) -> String {
    let mut mask = LiveMask::new(Arc::new(SecretScreener));
    pieces.iter().map(|piece| mask.next_words(piece)).collect()
}

#[test]
fn ordinary_text_comes_as_it_is() {
    let text = "one\ntwo three\n四\n";
    assert_eq!(shown(&["one\n", "", "two ", "three\n", "四\n"]), text);
    assert_eq!(shown_in_words(&["one\nt", "", "wo th", "ree\n", "四\n", "not over"]), format!("{text}not "));
    // More than is looked at together.
    let long: Vec<String> = (0..40).map(|n| format!("line {n}: {}\n", "words ".repeat(400))).collect();
    let pieces: Vec<&str> = long.iter().map(String::as_str).collect();
    assert!(long.concat().len() > 64 * 1024);
    assert_eq!(shown(&pieces), long.concat());
    assert_eq!(shown_in_words(&pieces), long.concat());
    // One word without an end is not held for ever.
    assert_eq!(shown_in_words(&["-".repeat(20_000).as_str()]).len(), 20_000);
}

fn key() -> String {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    format!("-----BEGIN PRIVATE KEY-----\n{}-----END PRIVATE KEY-----\n", format!("{body}\n").repeat(6))
}

#[test]
fn a_key_that_comes_line_by_line_is_not_shown() {
    let key = key();
    let lines: Vec<&str> = key.split_inclusive('\n').collect();
    let pieces = [&["before\n"], &lines[..], &["after\n"]].concat();
    let text = shown(&pieces);
    // The first line may be out before it is known what it begins.
    assert!(text.starts_with("before\n") && text.ends_with("after\n"), "{text}");
    assert!(text.matches("MIIEvQ").count() <= 1, "{text}");
    let text = shown_in_words(&pieces);
    assert!(text.starts_with("before\n") && text.ends_with("after\n"), "{text}");
    assert!(!text.contains("MIIEvQ"), "{text}");
}

#[test]
fn wherever_a_token_is_cut_in_two_neither_half_is_shown() {
    let token = ["ghp", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let text = format!("here {token} there\n");
    for at in 0..text.len() {
        let shown = shown_in_words(&[&text[..at], &text[at..]]);
        assert_eq!(shown, "here ⟦masked:github⟧ there\n", "cut at {at}");
    }
}
