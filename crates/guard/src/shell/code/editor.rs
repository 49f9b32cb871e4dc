//! Commands of ed, and of ex, vi, vim and nvim.

use super::book::EMPTY;
use super::value::{Value, is_hole};
use super::world::World;
use super::{Facts, Language, inspect_within};

/// What follows an address such as `1,$`, `%`, `/re/`, `.+3`.
fn after_address(line: &str) -> &str {
    let mut rest = line.trim_start_matches([':', ' ', '\t']);
    loop {
        let next = rest.trim_start_matches(|c: char| {
            c.is_ascii_digit() || matches!(c, ',' | ';' | '$' | '.' | '%' | '+' | '-' | ' ')
        });
        let next = match next.chars().next() {
            Some('\'') => next.get(1..).map_or("", |mark| {
                mark.trim_start_matches(|c: char| c.is_ascii_lowercase() || matches!(c, '<' | '>'))
            }),
            Some(quote @ ('/' | '?')) => match next[1..].find(quote) {
                Some(end) => &next[end + 2..],
                None => "",
            },
            _ => next,
        };
        if next.len() == rest.len() {
            return rest;
        }
        rest = next;
    }
}

/// A file name or a command after an exclamation mark.
fn target(world: &mut World, text: &str, writes: bool) {
    let text = text.trim();
    let text = text.strip_prefix(">>").unwrap_or(text).trim();
    if let Some(command) = text.strip_prefix('!') {
        world.shell(&Value::Text(command.trim().to_owned()));
    } else if writes {
        // Without a name, the file being edited is written.
        world.impure = true;
        if !text.is_empty() {
            world.write(Some(&Value::Text(text.to_owned())));
        }
    } else if !text.is_empty() {
        world.read(Some(&Value::Text(text.to_owned())));
    }
}

/// What commands for ed do.
pub(super) fn inspect_ed(source: &str) -> Facts {
    let mut world = World::new(Language::Ed, &EMPTY);
    if source.contains(is_hole) {
        world.odd();
    }
    let mut text_mode = false;
    for line in source.lines() {
        if text_mode {
            text_mode = line != ".";
            continue;
        }
        text_mode = ed_command(&mut world, after_address(line), 0);
    }
    world.finish()
}

/// One command; whether text follows it.
fn ed_command(world: &mut World, command: &str, depth: usize) -> bool {
    let Some(letter) = command.chars().next() else { return false };
    let rest = &command[letter.len_utf8()..];
    match letter {
        '!' => world.shell(&Value::Text(rest.trim().to_owned())),
        'w' | 'W' => target(world, rest.strip_prefix('q').unwrap_or(rest), true),
        'r' | 'e' | 'E' | 'f' => target(world, rest, false),
        'a' | 'i' | 'c' => return rest.trim().is_empty(),
        'g' | 'v' | 'G' | 'V' if depth == 0 => {
            let delimiter = rest.chars().next().unwrap_or('/');
            let after = rest
                .get(delimiter.len_utf8()..)
                .and_then(|rest| rest.split_once(delimiter))
                .map_or("", |(_, after)| after);
            ed_command(world, after_address(after), 1);
        }
        's' | 'p' | 'n' | 'l' | 'd' | 'm' | 't' | 'j' | 'k' | 'q' | 'Q' | '=' | 'H' | 'h' | 'P' | 'u'
        | 'z' | '#' | 'y' | 'x' => {}
        _ => world.odd(),
    }
    false
}

/// Commands of vim that change nothing outside of its buffer.
const HARMLESS: &[&str] = &[
    "q",
    "qa",
    "qall",
    "quit",
    "quitall",
    "cq",
    "cquit",
    "version",
    "ver",
    "p",
    "print",
    "nu",
    "number",
    "l",
    "list",
    "d",
    "delete",
    "s",
    "substitute",
    "sort",
    "noh",
    "nohlsearch",
    "syntax",
    "sy",
    "j",
    "join",
    "m",
    "move",
    "t",
    "co",
    "copy",
    "y",
    "yank",
    "u",
    "undo",
    "=",
    "#",
    "z",
    "colorscheme",
    "filetype",
    "redraw",
    "pu",
    "put",
    "intro",
    "scriptnames",
    "ls",
    "buffers",
    "reg",
    "marks",
];

/// Functions of vim that reach out, and how.
const FUNCTIONS: &[(&str, char)] = &[
    ("system(", '!'),
    ("systemlist(", '!'),
    ("job_start(", '!'),
    ("jobstart(", '!'),
    ("term_start(", '!'),
    ("termopen(", '!'),
    ("delete(", 'd'),
    ("writefile(", 'w'),
    ("readfile(", 'r'),
    ("libcall(", 'x'),
    ("py3eval(", 'x'),
    ("luaeval(", 'x'),
    ("pyeval(", 'x'),
    ("execute(", 'c'),
    ("rename(", 'x'),
    ("mkdir(", 'x'),
    ("eval(", 'x'),
    ("feedkeys(", 'x'),
    ("timer_start(", 'x'),
    ("nvim_exec", 'x'),
];

/// What commands for vim do. `depth` tells how many sources deep they stand.
pub(super) fn inspect_vim(source: &str, depth: usize) -> Facts {
    let mut world = World::new(Language::Vim, &EMPTY);
    if source.contains(is_hole) {
        world.odd();
    }
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        vim_line(&mut world, line, depth, 0);
        let opener = line.trim_start_matches([':', ' ']);
        if let Some((word, end)) = opener.split_once("<<")
            && let Some(language) = embedded(word.trim())
        {
            let end = end.trim();
            let code: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != end).collect();
            absorb(&mut world, inspect_within(language, &code.join("\n"), depth + 1));
        }
    }
    world.finish()
}

fn embedded(word: &str) -> Option<Language> {
    Some(match word.trim_end_matches('!') {
        "py" | "python" | "py3" | "python3" | "pyx" | "pythonx" | "pydo" | "py3do" | "pyxdo" => {
            Language::Python
        }
        "lua" | "luado" => Language::Lua,
        "perl" | "pe" | "perldo" => Language::Perl,
        "ruby" | "rub" | "rubydo" => Language::Ruby,
        "tcl" | "tcldo" => Language::Tcl,
        _ => return None,
    })
}

fn absorb(world: &mut World, facts: Facts) {
    world.impure |= !facts.pure;
    world.facts.absorb(facts);
}

fn vim_line(world: &mut World, line: &str, depth: usize, nested: usize) {
    if nested > 8 {
        world.odd();
        return;
    }
    let command = after_address(line);
    if command.is_empty() {
        return;
    }
    let length = command.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(command.len());
    let (mut word, mut rest) = command.split_at(length);
    // `s/a/b/` and `g/re/cmd` may have digits nowhere; `py3` has.
    if word.is_empty() {
        let first = command.chars().next().map_or(0, char::len_utf8);
        (word, rest) = command.split_at(first);
    }
    let argument = rest
        .strip_prefix('!')
        .filter(|_| word != "!" && !matches!(word, "r" | "read" | "w" | "write"))
        .unwrap_or(rest);
    if let Some(language) = embedded(word) {
        if !argument.trim_start().starts_with("<<") {
            absorb(world, inspect_within(language, argument.trim(), depth + 1));
        }
        return;
    }
    match word {
        "!" | "terminal" | "term" | "ter" => {
            world.shell(&Value::Text(argument.trim_start_matches(['!', ' ']).trim().to_owned()));
            return;
        }
        "r" | "read" => return target(world, argument, false),
        "w" | "write" | "sav" | "saveas" | "up" | "update" | "wq" | "x" | "xit" | "wa" | "wall" | "wqa"
        | "xa" | "exit" | "wn" => {
            let forced = argument.strip_prefix("! ").unwrap_or(argument);
            let forced = if word == "w" || word == "write" { forced } else { forced.trim_start_matches('!') };
            let (one, others) = forced
                .split_once('|')
                .filter(|_| !forced.trim_start().starts_with('!'))
                .unwrap_or((forced, ""));
            // `w !cmd` pipes, `w! file` forces.
            if argument.starts_with('!') && !argument.starts_with("! ") && word != "w" {
                world.impure = true;
            }
            let one = if rest.starts_with('!') && !rest.starts_with("!!") {
                one.trim_start_matches('!')
            } else {
                one
            };
            target(world, one, true);
            return vim_line(world, others, depth, nested + 1);
        }
        "g" | "global" | "v" | "vglobal" => {
            let delimiter = argument.chars().next().unwrap_or('/');
            let after = argument
                .get(delimiter.len_utf8()..)
                .and_then(|rest| rest.split_once(delimiter))
                .map_or("", |(_, after)| after);
            return vim_line(world, after, depth, nested + 1);
        }
        "silent" | "sil" | "exe" | "exec" | "execute" | "noautocmd" | "noa" | "bufdo" | "argdo" | "windo"
        | "tabdo" | "keepalt" | "verbose" => {
            let inner = argument.trim().trim_matches(['"', '\'']);
            if word.starts_with("exe") && !argument.trim().starts_with(['"', '\'']) {
                world.odd();
            }
            return vim_line(world, inner, depth, nested + 1);
        }
        "e" | "edit" | "vi" | "visual" | "view" | "sp" | "vs" | "split" | "vsplit" | "tabe" | "tabnew" => {
            if !argument.trim().is_empty() {
                world.read(Some(&Value::Text(argument.trim().to_owned())));
            }
            return;
        }
        "sh" | "shell" => {
            world.argv(&[Value::Text("sh".into())]);
            return;
        }
        "so" | "source" | "ru" | "runtime" => {
            world.facts.executes = true;
            world.read(Some(&Value::Text(argument.trim().to_owned())));
            return;
        }
        _ => {}
    }
    functions(world, argument, depth);
    let calls = argument.contains('(') || argument.contains("\\=");
    let options = matches!(word, "set" | "se" | "setlocal") && !argument.contains('=');
    let speaks = matches!(word, "echo" | "echom" | "echomsg" | "ec") && !calls;
    let known = HARMLESS.contains(&word)
        || word.starts_with('s') && argument.starts_with('/')
        || word == "\""
        || options
        || speaks;
    if !known || (calls && !matches!(word, "s" | "substitute") || argument.contains("\\=")) {
        world.impure = true;
    }
    if let Some((_, others)) = argument.split_once('|')
        && word != "\""
    {
        vim_line(world, others, depth, nested + 1);
    }
}

/// Calls of functions, with the first text they are given.
fn functions(world: &mut World, text: &str, depth: usize) {
    for (name, kind) in FUNCTIONS {
        let Some(at) = text.find(name) else { continue };
        if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let arguments = &text[at + name.len()..];
        let constant = first_text(arguments);
        let value = constant.clone().map_or(Value::Unknown, Value::Text);
        match kind {
            '!' => world.shell(&value),
            'd' => world.delete(Some(&value), arguments.contains("rf")),
            'w' => {
                let last = arguments.rsplit(',').find_map(first_text);
                world.write(Some(&last.map_or(Value::Unknown, Value::Text)));
            }
            'r' => world.read(Some(&value)),
            'c' => match constant {
                Some(command) => absorb(world, inspect_within(Language::Vim, &command, depth + 1)),
                None => world.odd(),
            },
            _ => {
                world.odd();
                world.facts.executes = true;
            }
        }
    }
}

fn first_text(text: &str) -> Option<String> {
    let start = text.find(['"', '\''])?;
    let quote = &text[start..=start];
    let end = text[start + 1..].find(quote)?;
    Some(text[start + 1..start + 1 + end].to_owned())
}
