//! Whatever the text, reading it ends within its budget and never panics; and what a grammar cannot read is never
//! public.

// Helpers of a test are tests too; clippy's own exemption stops at `#[test]` functions.
#![allow(clippy::unwrap_used)]

use std::{fs, path::Path};

use deskhand_core::Permission;
use deskhand_guard::shell::{Analysis, Setting, Shell};
use proptest::prelude::*;

fn analyze(command: &str) -> Analysis {
    let workspace = Path::new("/home/ada/project");
    let setting = Setting { cwd: workspace, home: Some(Path::new("/home/ada")), workspaces: &[workspace] };
    let found = Shell::default().analyze(command, &setting);
    assert!(found.steps_taken <= Shell::MOST_STEPS);
    found
}

/// Pieces that commands are made of, and that go wrong together.
const PIECES: &[&str] = &[
    " ",
    " ",
    " ",
    "\n",
    ";",
    "|",
    "&",
    "&&",
    "(",
    ")",
    "{",
    "}",
    "{a,b}",
    "{1..9}",
    "'",
    "\"",
    "`",
    "\\",
    "$",
    "$(",
    "$((",
    "${",
    "}",
    "${x:-",
    "${x//a/b}",
    "${!x}",
    "${x@P}",
    "$'",
    "<",
    ">",
    "<(",
    ">(",
    "<<E\n",
    "\nE\n",
    "<<<",
    "2>&1",
    ">&",
    "#",
    "~",
    "*",
    "[",
    "]",
    "[[ ",
    " ]]",
    "((",
    "))",
    "=",
    "a=",
    "x=1",
    "if ",
    "then ",
    "fi",
    "for x in ",
    "do ",
    "done",
    "case x in ",
    ") ",
    ";;",
    "esac",
    "f() ",
    "function ",
    "eval ",
    "exec ",
    "rm ",
    "-rf ",
    "/",
    "echo ",
    "sh -c ",
    "xargs ",
    "env -S ",
    "curl ",
    "http://x",
    "cat ",
    "ls",
    "find . -exec ",
    "\\;",
    "printf ",
    "%s",
    "awk ",
    "python3 -c ",
    "base64 -d",
    "read x",
    "set -- ",
    "unset x",
    "x",
    "\u{E000}",
    "\u{202E}",
    "\0",
    "é",
    "\r",
    "cmd /c ",
    "powershell ",
];

/// Whether the grammar itself reads the text without an error.
fn grammar_reads(text: &str) -> bool {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).unwrap();
    parser.parse(text, None).is_some_and(|tree| !tree.root_node().has_error())
}

fn corpus() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut commands = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        for line in fs::read_to_string(entry.unwrap().path()).unwrap().lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            commands.push(row["command"].as_str().unwrap().to_owned());
        }
    }
    commands.sort();
    commands
}

fn check(text: &str) {
    let found = analyze(text);
    // Windows text has a reader of its own.
    let windows = deskhand_guard::shell::windows::recognise(text).is_some();
    if found.permission == Permission::Public && !windows {
        assert!(grammar_reads(text), "public, and the grammar cannot read it: {text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_soup_of_pieces_is_read(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        check(&pieces.concat());
    }

    #[test]
    fn a_labelled_command_with_a_change_is_read(
        command in prop::sample::select(corpus()),
        at in any::<prop::sample::Index>(),
        piece in prop::sample::select(PIECES),
        cut in 0usize..3,
    ) {
        let mut chars: Vec<char> = command.chars().collect();
        let at = at.index(chars.len() + 1);
        let end = (at + cut).min(chars.len());
        chars.splice(at..end, piece.chars());
        check(&chars.into_iter().collect::<String>());
    }
}

#[test]
fn hostile_texts_end_within_the_budget() {
    const MOST: usize = 64 * 1024;
    let full = |piece: &str| piece.repeat(MOST / piece.len());
    let functions: Vec<String> = (0..1_000).map(|n| format!("f{n}() {{ f{0}; f{0}; }}; ", n + 1)).collect();
    let value = "a".repeat(20_000);
    let texts = [
        full("$("),
        full("(((("),
        full("( "),
        full("$(("),
        full("${x:-"),
        full("${x:-${y:-"),
        full("`"),
        full("\\`"),
        full("{a,b}"),
        full("{"),
        full("a{1..9}"),
        full("<<A "),
        full("cat <<A\nA\n"),
        full("a|"),
        full("a;"),
        full("'a'\"b\""),
        full("[[ "),
        full("if "),
        full("case x in x) "),
        full("eval "),
        full("!"),
        full("x=$x$x;"),
        full("x=(${x[@]} a);"),
        full("for x in a b c; do "),
        full("env -S '"),
        full("sudo "),
        full("\\\n"),
        full("<("),
        full("a[$("),
        format!("x={value}; {}", "echo ${x//a/b};".repeat(1_000)),
        format!("x={value}; {}", "echo ${x//*a*b*c*/b};".repeat(1_000)),
        format!("x={value}; {}", "echo ${x##*a*a*a*b};".repeat(1_000)),
        format!("x={value}; {}", "eval \"$x\";".repeat(3_000)),
        format!("x='eval \"$x\"'; {}", "eval \"$x\";".repeat(3_000)),
        format!("{} f0", functions.concat()),
        format!("a=1; {}", "a=$((a*2));".repeat(4_000)),
        format!("f() {{ eval \"$1$1\"; }}; {}", "f 'f a';".repeat(4_000)),
        format!("printf '%s' {} | sh", "$x".repeat(20_000)),
    ];
    for text in texts {
        let found = analyze(&text);
        let start: String = text.chars().take(30).collect();
        assert!(found.permission > Permission::Public, "{start:?} is public");
    }
    // Text for other readers, which have limits of their own.
    for (program, piece) in
        [("awk", "{"), ("sed", "s"), ("python3 -c", "("), ("powershell -c", "$("), ("cmd /c", "(")]
    {
        analyze(&format!("{program} '{}'", piece.repeat(30_000)));
    }
}
