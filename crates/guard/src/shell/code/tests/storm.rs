//! No input makes the readers panic, hang or call noise pure that holds unknown text.

use super::*;

const ALL: &[Language] = &[
    Python,
    Perl,
    Ruby,
    JavaScript,
    Php,
    Lua,
    Awk,
    Sed,
    Ed,
    Vim,
    Make,
    AppleScript,
    Sql,
    Gdb,
    Tcl,
    R,
    Jq,
    Calculator,
    Groovy,
    Julia,
    Elixir,
    Other,
];

/// Pieces that the grammars care about.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "`",
    "\\",
    "/",
    "$",
    "@",
    "%",
    "&",
    "|",
    "<",
    ">",
    "=",
    "=>",
    "->",
    "::",
    ":",
    ";",
    ",",
    ".",
    "..",
    "#",
    "!",
    "?",
    "+",
    "-",
    "*",
    "**",
    "~",
    "^",
    "\n",
    " ",
    "\t",
    "\u{e001}",
    "é",
    "漢",
    "\u{0}",
    "0",
    "1",
    "0x",
    "a",
    "x",
    "s",
    "q",
    "qq",
    "qw",
    "qx",
    "y",
    "tr",
    "m",
    "f'",
    "r\"",
    "'''",
    "import",
    "from",
    "as",
    "for",
    "in",
    "if",
    "else",
    "while",
    "lambda",
    "def",
    "function",
    "sub",
    "do",
    "end",
    "eval",
    "exec",
    "system",
    "os",
    "open",
    "print",
    "getline",
    "${",
    "#{",
    "\\x",
    "\\u{",
    "\\0",
    "$(",
    "$(shell ",
    "<<",
    "[[",
    "]]",
    "--[[",
    "/*",
    "*/",
    "[::-1]",
    ".join",
    "chr(",
    "map",
    "s/",
    "/e",
    "%x{",
    "%w[",
    "@{[",
    "]}",
    "$#",
    "$$",
    "(?{",
    "set",
    "e",
    "w",
    "r",
    "g/",
    "1,",
    "py3",
    "do shell script",
    "copy",
    "program",
    ".shell",
    "python",
    "call",
    "proc",
    "&&",
    "||",
    "\r",
    "b'",
    "{|",
    "|&",
    "?:",
    "'a'",
    "\"b\"",
];

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides
    }
}

#[test]
fn noise_never_panics() {
    let mut dice = Dice(7);
    let mut seen = 0;
    for round in 0..2000 {
        let length = dice.roll(40);
        let source: String = if round % 3 == 0 {
            let bytes: Vec<u8> = (0..length * 3).map(|_| u8::try_from(dice.roll(256)).unwrap_or(0)).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        } else {
            (0..length).map(|_| PIECES[dice.roll(PIECES.len())]).collect()
        };
        for &language in ALL {
            let facts = inspect(language, &source);
            assert!(!facts.pure || (facts.shell.is_empty() && !facts.unresolved), "{language:?}: {source:?}");
            seen += usize::from(!facts.pure);
        }
    }
    assert!(seen > 0);
}

#[test]
fn deep_and_long_inputs_end() {
    for unit in PIECES.iter().chain(&[
        "((",
        "f(",
        "[x for x in ",
        "x=[x,x];",
        "x=x+x;",
        "x='a'*65536;",
        "\"#{",
        "`${",
        "f'{",
        "\"@{[",
        "a.b",
        "a(b)",
        "lambda: ",
        "x=>",
        "-",
        "not ",
        "eval('",
        "$($(",
        "[exec ",
        "{exec ",
        "print ",
        "a|getline ",
        "$(a)",
        "if 1 else ",
        "a?b:",
        "function(){",
        "sub{",
        "\"do shell script \" & ",
        "g/x/",
        "silent ",
        "do |x|",
        "a,",
        "x+='aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';",
        "1+",
        "a or ",
        "{a:",
        "\\(",
    ]) {
        let source = unit.repeat(1024 / unit.len());
        for &language in ALL {
            let facts = inspect(language, &source);
            assert!(!facts.pure || !source.contains('\u{e001}'), "{language:?}: {unit:?}");
        }
    }
}

#[test]
fn too_long_is_not_read() {
    let source = format!("print({})", "1+".repeat(40_000));
    let facts = inspect(Python, &source);
    assert!(facts.unresolved && !facts.pure);
}

#[test]
fn cut_off_sources_do_not_panic() {
    let whole = "import os; x = f\"{os.system('rm -rf /')}\" % [chr(c) for c in (1, 2)][::-1]; `a #{b}` s/x/${y}/e; $(shell x) {|a| b}";
    let places: Vec<usize> = whole.char_indices().map(|(at, _)| at).collect();
    for at in places {
        for &language in ALL {
            let facts = inspect(language, &whole[..at]);
            assert!(!(facts.pure && facts.executes), "{language:?} {at}");
        }
    }
}
