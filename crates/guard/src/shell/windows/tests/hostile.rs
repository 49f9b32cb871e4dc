//! Text that is meant to break a reader: no panic, no endless work, never simply allowed when it is not understood.

use crate::shell::windows::{Form, Level, analyze, recognise};

/// A small generator, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

const PIECES: &[&str] = &[
    "%",
    "!",
    "^",
    "\"",
    "'",
    "`",
    "$",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "|",
    "&",
    "&&",
    "||",
    ";",
    ",",
    "=",
    "@",
    "\n",
    "\r",
    " ",
    "\\",
    "/",
    ":",
    "::",
    "~",
    "*",
    "<",
    ">",
    ">&1",
    "<<EOF",
    "#",
    "<#",
    "#>",
    "-f",
    "-join",
    "..",
    ".",
    "%x%",
    "%x:~1,2%",
    "%x:~-99999999999,9%",
    "%x:a=b%",
    "%~dp0",
    "!x!",
    "set x=",
    "set ",
    "for ",
    "for /f %i in (",
    " do ",
    "if ",
    "if exist",
    "else",
    "call ",
    "start ",
    "cmd /c ",
    "powershell -enc ",
    "AAAA",
    "iex ",
    "$x",
    "$x=",
    "$(",
    "@(",
    "@{",
    "@'",
    "@\"",
    "[char]",
    "[char]99999999999",
    "-9223372036854775808",
    "'{0}{9}' -f ",
    "foreach($a in ",
    "1..99999",
    "\u{e000}",
    "\u{2018}",
    "\u{201d}",
    "\u{2013}",
    "é",
    "日本",
    "\0",
    "\u{202e}",
    "C:\\",
    "\\\\.\\",
    "\\\\?\\",
    "..\\",
    ".Replace('a','aa')",
    ".Substring(3,-1)",
    "[-1..5]",
    "[0]",
    "::Delete(",
    "rm ",
    "del ",
    "/s",
    "0x",
    "0xfffffffffffffffffff",
];

#[test]
fn random_text_never_panics() {
    let mut dice = Dice(42);
    let mut read = 0;
    for _ in 0..3000 {
        let text: String = (0..dice.roll(24)).map(|_| PIECES[dice.roll(PIECES.len())]).collect();
        let _ = recognise(&text);
        for form in [Form::Cmd, Form::PowerShell] {
            assert!(!analyze(&text, form).why.is_empty(), "{text:?}");
            read += 1;
        }
    }
    assert_eq!(read, 6_000);
}

#[test]
fn random_bytes_never_panic() {
    let mut dice = Dice(7);
    for _ in 0..3000 {
        let bytes: Vec<u8> = (0..dice.roll(80)).map(|_| u8::try_from(dice.roll(256)).unwrap()).collect();
        let text = String::from_utf8_lossy(&bytes);
        let _ = recognise(&text);
        for form in [Form::Cmd, Form::PowerShell] {
            assert!(!analyze(&text, form).rule.is_empty(), "{text:?}");
        }
    }
}

#[test]
fn deep_and_long_text_ends() {
    for piece in [
        "(",
        "{",
        "[",
        "$(",
        "@(",
        "\"$(",
        "& {",
        "%x%",
        "cmd /c ",
        "iex '",
        "for %i in (a b c d e f g h) do ",
        "!",
        "-",
        "1,",
        "'a'+",
        "^",
        "if 1==1 ",
        "call ",
        "start ",
        "foreach($a in 1..99){",
        "$a+=$a;",
        "[char]",
        "powershell -c ",
        "a|",
        "a&",
        "<<E\n",
        "\"",
        "set x=%x%%x%&",
        ".a",
        "1..9|%{",
        "(a ",
        "<#",
        "\\",
        "$x.",
        "'{0}'-f",
        "\u{e000}",
    ] {
        let text = piece.repeat(20_000 / piece.len());
        let _ = recognise(&text);
        for form in [Form::Cmd, Form::PowerShell] {
            assert!(!analyze(&text, form).why.is_empty(), "{piece}");
        }
    }
}

#[test]
fn a_text_that_is_too_long_is_asked_about() {
    let verdict = analyze(&"dir & ".repeat(20_000), Form::Cmd);
    assert_eq!((verdict.level, verdict.rule), (Level::Sensitive, "win-too-long"));
}

#[test]
fn a_text_that_is_too_deep_is_not_allowed() {
    let deep = format!("{}dir", "cmd /c ".repeat(50));
    assert!(analyze(&deep, Form::Cmd).level >= Level::Sensitive);
    let nested = format!("{}Get-Date{}", "& {".repeat(60), "}".repeat(60));
    assert!(analyze(&nested, Form::PowerShell).level >= Level::Sensitive);
}
