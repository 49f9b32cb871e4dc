//! Small command languages: AppleScript, the shells of databases, gdb, jq.

use super::book::EMPTY;
use super::value::{HOLE, Value, is_hole};
use super::world::World;
use super::{Facts, Language, inspect_within};

fn begin(language: Language, source: &str) -> World {
    let mut world = World::new(language, &EMPTY);
    if source.contains(is_hole) {
        world.odd();
    }
    world
}

fn text(text: &str) -> Value {
    Value::Text(text.trim().to_owned())
}

/// A literal in quotes at the start, and what follows it.
fn quoted(source: &str) -> Option<(String, &str)> {
    let quote = source.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut out = String::new();
    let mut chars = source.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return Some((out, &source[at + 1..]));
        }
        if c == '\\' {
            out.extend(chars.next().map(|(_, c)| if c == 'n' { '\n' } else { c }));
        } else {
            out.push(c);
        }
    }
    None
}

/// Literals and variables joined by `&`.
fn joined(source: &str, vars: &[(String, String)]) -> String {
    let mut out = String::new();
    let mut rest = source.trim_start_matches([' ', '(']);
    loop {
        if let Some((part, after)) = quoted(rest) {
            out.push_str(&part);
            rest = after;
        } else {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let known = vars.iter().rev().find(|(name, _)| *name == rest[..end]);
            out.push_str(known.map_or(&HOLE.to_string(), |(_, value)| value));
            rest = &rest[end..];
        }
        rest = rest.trim_start();
        match rest.strip_prefix('&') {
            Some(after) if out.len() < 65_536 => rest = after.trim_start(),
            _ => return out,
        }
    }
}

/// What an AppleScript does.
pub(super) fn inspect_applescript(source: &str) -> Facts {
    const HARMLESS: &[&str] = &["return ", "get ", "log ", "--", "current date", "count "];
    let mut world = begin(Language::AppleScript, source);
    let mut vars: Vec<(String, String)> = Vec::new();
    for line in source.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut harmless = HARMLESS.iter().any(|start| line.starts_with(start))
            || line.starts_with(|c: char| c.is_ascii_digit() || c == '"');
        if let Some((name, value)) = line.strip_prefix("set ").and_then(|rest| rest.split_once(" to ")) {
            if vars.len() < 256 {
                let value = joined(value, &vars);
                world.spend(value.len() / 8 + vars.len());
                vars.push((name.trim().to_owned(), value));
            }
            harmless = true;
        }
        for (phrase, runs_shell) in [("do shell script", true), ("do script", true), ("run script", false)] {
            let mut rest = line;
            while let Some(at) = rest.find(phrase) {
                world.spend(1 + rest.len() / 64);
                // Inside a text it is only mentioned.
                let mentioned = rest[..at].matches('"').count() % 2 == 1;
                rest = &rest[at + phrase.len()..];
                if mentioned || world.exhausted() {
                    break;
                }
                let command = joined(rest, &vars);
                if runs_shell {
                    world.shell(&Value::Text(command));
                } else {
                    world.facts.executes = true;
                    world.odd();
                }
            }
        }
        let outside: String = line.split('"').step_by(2).collect::<Vec<_>>().join(" ");
        if line.contains("System Events") || line.contains("Finder") || line.contains("loginwindow") {
            world.facts.powers_off |= outside.contains("shut down") || outside.contains("restart");
        }
        world.impure |= !harmless
            || outside.contains("application")
            || outside.contains("script")
            || outside.contains("read ");
    }
    world.finish()
}

/// Functions of SQL that only compute.
const SQL_FUNCTIONS: &[&str] = &[
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "length",
    "upper",
    "lower",
    "substr",
    "substring",
    "coalesce",
    "now",
    "date",
    "datetime",
    "time",
    "strftime",
    "round",
    "abs",
    "typeof",
    "version",
    "sqlite_version",
    "json_extract",
    "group_concat",
    "string_agg",
    "cast",
    "ifnull",
    "nullif",
    "row_number",
    "rank",
    "over",
    "in",
    "values",
    "exists",
    "and",
    "or",
    "not",
    "as",
    "on",
    "where",
    "using",
    "from",
    "select",
    "trim",
    "replace",
    "concat",
    "extract",
    "to_char",
    "date_trunc",
    "current_database",
    "current_user",
    "json_each",
    "instr",
    "printf",
    "random",
    "hex",
    "total",
    "distinct",
    "any",
    "all",
    "array_agg",
    "pg_size_pretty",
    "pg_database_size",
    "pg_total_relation_size",
    "database",
    "user",
    "by",
    "join",
    "like",
    "between",
    "then",
    "when",
    "else",
    "union",
    "limit",
];

/// What a text for a database's shell does outside of the database. Only plain queries are pure.
pub(super) fn inspect_sql(source: &str) -> Facts {
    let mut world = begin(Language::Sql, source);
    let mut statements = String::new();
    for line in source.lines() {
        let line = line.trim();
        if line.starts_with(['.', '\\']) && line.len() > 1 {
            meta(&mut world, line);
        } else if let Some((before, command)) = line.split_once("\\!") {
            world.shell(&text(command));
            statements.push_str(before);
        } else if let Some((_, command)) =
            line.split_once("\\g").filter(|(_, rest)| rest.trim_start().starts_with('|'))
        {
            world.shell(&text(command.trim_start().trim_start_matches('|')));
        } else if ["system ", "pager ", "source ", "tee "]
            .iter()
            .any(|word| line.to_ascii_lowercase().starts_with(word))
        {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word.to_ascii_lowercase().as_str() {
                "system" | "pager" => world.shell(&text(rest.trim_end_matches(';'))),
                "tee" => world.write(Some(&text(rest))),
                _ => world.odd(),
            }
        } else {
            statements.push_str(line);
            statements.push('\n');
        }
    }
    queries(&mut world, &statements);
    world.finish()
}

fn meta(world: &mut World, line: &str) {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let last = rest.split_whitespace().next_back().unwrap_or("").trim_matches(['\'', '"']);
    let piped = rest.trim_matches(['\'', '"']).strip_prefix('|');
    match word {
        ".shell" | ".system" | "\\!" => world.shell(&text(rest)),
        _ if word.starts_with("\\!") => world.shell(&text(&line[2..])),
        ".import" | ".read" | "\\i" | "\\ir" | "\\include" => {
            if let Some(command) = piped {
                world.shell(&text(command.split(['\'', '"']).next().unwrap_or(command)));
            } else {
                world.impure = true;
                world.read(Some(&text(last)));
            }
        }
        ".output" | ".once" | "\\o" | "\\g" | "\\w" | "\\out" | ".log" | ".trace" => match piped {
            Some(command) => world.shell(&text(command)),
            None if rest.is_empty() || rest == "stdout" => {}
            None => world.write(Some(&text(last))),
        },
        ".backup" | ".save" | ".clone" | ".open" | ".archive" | ".ar" => world.write(Some(&text(last))),
        ".load" => {
            world.facts.executes = true;
            world.odd();
        }
        "\\copy" => queries(world, &line[1..]),
        ".tables" | ".schema" | ".headers" | ".header" | ".mode" | ".databases" | ".indexes" | ".indices"
        | ".dump" | ".help" | ".quit" | ".exit" | ".show" | ".width" | ".timer" | ".version"
        | ".fullschema" | ".print" | ".separator" | ".nullvalue" | "\\q" | "\\x" | "\\timing" | "\\l"
        | "\\conninfo" | "\\pset" | "\\echo" | "\\?" | "\\h" | "\\z" | "\\a" | "\\t" => {}
        _ if word.starts_with("\\d") || word.starts_with("\\l") => {}
        _ => world.odd(),
    }
}

fn queries(world: &mut World, source: &str) {
    let lower = source.to_ascii_lowercase();
    let after =
        |word: &str| lower.find(word).and_then(|at| source.get(at + word.len()..)).map(str::trim_start);
    if let Some((command, _)) = after(" program ").and_then(quoted) {
        world.shell(&Value::Text(command));
    }
    for word in ["outfile ", "dumpfile ", "writefile("] {
        if let Some((path, _)) = after(word).and_then(quoted) {
            world.write(Some(&Value::Text(path)));
        }
    }
    for word in ["load_file(", "readfile(", "pg_read_file(", "infile "] {
        if let Some((path, _)) = after(word).and_then(quoted) {
            world.read(Some(&Value::Text(path)));
        }
    }
    if ["load_extension", "sys_exec", "sys_eval", "xp_cmdshell", "edit("]
        .iter()
        .any(|word| lower.contains(word))
    {
        world.facts.executes = true;
        world.odd();
    }
    for statement in lower.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
        let first = statement.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        let reads = matches!(first, "select" | "explain" | "show" | "describe" | "desc" | "with" | "values")
            || (first == "pragma" && !statement.contains('='));
        let changes = statement.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| {
            matches!(
                word,
                "insert"
                    | "update"
                    | "delete"
                    | "drop"
                    | "alter"
                    | "create"
                    | "into"
                    | "attach"
                    | "copy"
                    | "truncate"
                    | "grant"
                    | "call"
            )
        });
        world.impure |= !reads || changes || calls_unknown(statement);
    }
}

/// Whether a function may be called that is not in the list: by its name, as a quoted name, or behind a comment.
fn calls_unknown(statement: &str) -> bool {
    let mut before_parentheses = statement.split('(').rev().skip(1).map(str::trim_end);
    statement.contains("--")
        || statement.contains("/*")
        || before_parentheses.any(|before| {
            let word = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
            before.ends_with(['"', '`', ']', '\'']) || !word.is_empty() && !SQL_FUNCTIONS.contains(&word)
        })
}

/// What commands for gdb or lldb do. `depth` tells how many sources deep they stand.
pub(super) fn inspect_gdb(source: &str, depth: usize) -> Facts {
    const HARMLESS: &[&str] = &[
        "bt",
        "backtrace",
        "where",
        "info",
        "help",
        "quit",
        "q",
        "list",
        "l",
        "disassemble",
        "disas",
        "show",
        "frame",
        "f",
        "up",
        "down",
        "thread",
        "threads",
        "image",
        "version",
    ];
    let mut world = begin(Language::Gdb, source);
    for line in source.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(command) = line.strip_prefix('!') {
            world.shell(&text(command));
            continue;
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "shell" | "she" => world.shell(&text(rest)),
            "platform" if rest.starts_with("shell") => world.shell(&text(&rest[5..])),
            "make" => world.shell(&text(line)),
            "pipe" | "|" => match rest.split_once('|') {
                Some((_, command)) => world.shell(&text(command)),
                None => world.odd(),
            },
            "python" | "py" | "pi" | "python-interactive" | "script" => {
                let facts = inspect_within(Language::Python, rest, depth + 1);
                world.impure |= !facts.pure;
                world.facts.absorb(facts);
            }
            "call" | "print" | "p" | "expr" | "expression" | "compile" | "output" | "printf" => {
                for name in ["system", "popen", "execl", "execv"] {
                    if let Some((_, after)) = rest.split_once(name)
                        && let Some((command, _)) =
                            after.find(['"', '\'']).and_then(|at| quoted(&after[at..]))
                    {
                        world.shell(&Value::Text(command));
                    }
                }
                world.impure |= rest.contains(['(', '=']) || word == "compile";
                world.facts.executes |= rest.contains('(');
            }
            "run" | "r" | "start" | "starti" | "attach" | "source" | "target" | "process" => {
                world.facts.executes = true;
                world.impure = true;
            }
            "set" => {
                world.impure |= !matches!(
                    rest.split_whitespace().next(),
                    Some("pagination" | "confirm" | "height" | "width" | "print")
                );
            }
            _ if HARMLESS.contains(&word) || word.starts_with("x/") => world.impure |= rest.contains('('),
            _ => world.odd(),
        }
    }
    world.finish()
}

/// What a filter for jq does: it computes, unless it loads files or looks at the environment.
pub(super) fn inspect_jq(source: &str) -> Facts {
    let mut world = begin(Language::Jq, source);
    let outside: String = without_texts(source);
    for word in outside.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$' && c != '.') {
        match word {
            "import" | "include" | "load" | "load_str" | "strload" => {
                world.facts.reads.push(HOLE.to_string());
                world.odd();
            }
            "env" | "$ENV" | "strenv" | "envsubst" => world.impure = true,
            _ if word.starts_with("$ENV.") || word.starts_with("env.") || word.starts_with("load_") => {
                world.impure = true;
            }
            _ => {}
        }
    }
    world.finish()
}

/// The source without its literals; what is interpolated in them stays.
fn without_texts(source: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    // For each interpolation that is open, how many parentheses within it are.
    let mut open: Vec<usize> = Vec::new();
    let mut chars = source.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if inside => {
                if chars.next() == Some('(') {
                    open.push(0);
                    inside = false;
                }
                out.push(' ');
            }
            '"' => {
                inside = !inside;
                out.push(' ');
            }
            _ if inside => {}
            '(' => {
                if let Some(depth) = open.last_mut() {
                    *depth += 1;
                }
                out.push(c);
            }
            ')' if open.last() == Some(&0) => {
                open.pop();
                inside = true;
                out.push(' ');
            }
            ')' => {
                if let Some(depth) = open.last_mut() {
                    *depth -= 1;
                }
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}
