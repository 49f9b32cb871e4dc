//! Whether a text is Windows text, told by its form: by what stands in command position and its own arguments.
//! Text that is merely quoted never counts.

use super::segments::{Piece, Segment, segments};
use super::tables::cmdlets::CMDLETS;
use super::tables::names::{ALIASES, ONLY_CMD, ONLY_POWERSHELL, ONLY_WINDOWS, VERBS, WINDOWS_WITH};
use super::{Form, places, programs};

/// The form of a text, or None where nothing in it is unmistakably Windows.
pub fn recognise(text: &str) -> Option<Form> {
    let lead = text.trim_start();
    let trimmed = lead.trim_start_matches(['@', '(']).trim_start();
    if let Some(form) = by_opening(trimmed) {
        return Some(form);
    }
    let mut forms = segments(text).iter().filter_map(form_of).collect::<Vec<_>>().into_iter();
    let first = forms.next()?;
    // Lines of cmd's own grammar stay cmd; otherwise one cmdlet makes the whole PowerShell, which starts programs too.
    let word = trimmed.split([' ', '\t']).next().unwrap_or_default().to_ascii_lowercase();
    let grammar = matches!(word.as_str(), "for" | "if" | "set" | "echo")
        || ["cmd", "powershell", "pwsh"].contains(&programs::bare_name(&word).as_str());
    if !grammar && forms.any(|form| form == Form::PowerShell) { Some(Form::PowerShell) } else { Some(first) }
}

/// Is every command in the text Windows' own, so that no other shell would find anything of its own in it?
///
/// Where this is false, a text that might reach another shell must also be judged as that shell's text.
#[must_use]
pub fn is_only_windows(text: &str) -> bool {
    let Some(form) = recognise(text) else { return false };
    let substitutes = ["`", "$(", "<(", ">(", "<#", "<<"].iter().any(|mark| text.contains(mark));
    let parted = form == Form::Cmd && text.contains([';', '#', '$']);
    let all = segments(text);
    let mut commands = all.iter().filter(|s| !s.words.is_empty());
    !substitutes && !parted && commands.all(|s| form_of(s).is_some())
}

/// Openings that no other shell has.
fn by_opening(text: &str) -> Option<Form> {
    let bytes = text.as_bytes();
    let second = bytes.get(1).copied().unwrap_or_default();
    match bytes.first()? {
        b'%' => (second == b'0'
            || second.is_ascii_alphabetic() && bytes.iter().skip(1).take(60).any(|b| *b == b'%'))
        .then_some(Form::Cmd),
        b'[' if second.is_ascii_alphabetic() => {
            text.find(']').filter(|end| *end < 80).map(|_| Form::PowerShell)
        }
        b'&' => (text.len() > 1 && second != b'&').then_some(Form::PowerShell),
        b'.' if (second == b'(' && bytes.get(2) != Some(&b')'))
            || text.starts_with(". (")
            || text.starts_with(". {") =>
        {
            Some(Form::PowerShell)
        }
        b'$' => opens_with_variable(&text[1..]).then_some(Form::PowerShell),
        b'-' if text.len() > 5 && text.get(..5).is_some_and(|t| t.eq_ignore_ascii_case("-join")) => {
            Some(Form::PowerShell)
        }
        b':' if second.is_ascii_alphabetic() && text.to_ascii_lowercase().contains("goto") => Some(Form::Cmd),
        _ => None,
    }
}

/// `$x = …`, `$env:x`, `$x.y(`, `$x | …` of PowerShell; other shells do not begin so.
fn opens_with_variable(rest: &str) -> bool {
    let lower = rest.to_ascii_lowercase();
    if lower.starts_with("env:")
        || lower.starts_with("{env:")
        || lower.starts_with("executioncontext")
        || lower.starts_with("psversiontable")
        || lower.starts_with("pshome")
        || lower.starts_with("shellid")
        || lower.starts_with("global:")
        || lower.starts_with("script:")
    {
        return true;
    }
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let after = rest.get(end..).unwrap_or_default();
    let blank = after.trim_start();
    end > 0
        && (blank.starts_with('=') && !blank.starts_with("==")
            || blank.starts_with("+=")
            || (after.starts_with('.') && after.contains('(')))
}

fn form_of(segment: &Segment) -> Option<Form> {
    let mut words = segment.words.as_slice();
    // Words of the shells that stand before a command.
    while let [first, rest @ ..] = words {
        let lower = first.text.trim_start_matches('@').to_ascii_lowercase();
        let starts = matches!(
            lower.as_str(),
            "do" | "then" | "else" | "!" | "time" | "call" | "" | "." | "return" | "try"
        ) && !rest.is_empty();
        if lower == "call"
            && rest.first().is_some_and(|w| {
                w.text.starts_with(['%', ':']) || w.text.to_ascii_lowercase().ends_with(".bat")
            })
        {
            return Some(Form::Cmd);
        }
        if !starts {
            break;
        }
        words = rest;
    }
    let (first, args) = words.split_first()?;
    let raw = first.text.trim_start_matches('@');
    let plain: String = raw.chars().filter(|c| !matches!(c, '^' | '`')).collect();
    if plain.starts_with('$') && opens_with_variable(&plain[1..]) && !segment.first
        || (plain.starts_with('$') && args.first().is_some_and(|a| a.text.starts_with('=')))
    {
        return Some(Form::PowerShell);
    }
    if plain.starts_with('[') && plain.contains("]::") {
        return Some(Form::PowerShell);
    }
    let lower = plain.to_lowercase();
    cmdlet_form(&plain, &lower)
        .or_else(|| powershell_form(segment, &lower, args))
        .or_else(|| cmd_form(&plain, &lower, args, raw.contains('^')))
        .or_else(|| path_form(&lower, args))
}

fn cmdlet_form(plain: &str, lower: &str) -> Option<Form> {
    let (verb, noun) = lower.rsplit('\\').next()?.split_once('-')?;
    if !VERBS.contains(&verb) || noun.is_empty() || !noun.chars().all(char::is_alphanumeric) {
        return None;
    }
    let capitals = plain.split('-').all(|part| part.chars().next().is_some_and(char::is_uppercase));
    let known = ALIASES.iter().any(|(_, full)| *full == lower)
        || CMDLETS.iter().any(|c| c.0.split('|').any(|n| n == lower));
    let more = [
        "get-computerinfo",
        "get-hotfix",
        "get-netadapter",
        "get-netipaddress",
        "get-volume",
        "get-disk",
        "get-eventlog",
        "get-winevent",
        "get-date",
        "get-host",
        "get-culture",
        "get-executionpolicy",
        "out-file",
        "start-bitstransfer",
        "set-acl",
        "get-acl",
        "write-host",
        "write-output",
    ];
    (capitals || known || more.contains(&lower)).then_some(Form::PowerShell)
}

fn is_powershell_parameter(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let name = lower.split(':').next().unwrap_or_default();
    [
        "-recurse",
        "-rec",
        "-force",
        "-fo",
        "-literalpath",
        "-path",
        "-erroraction",
        "-ea",
        "-confirm",
        "-outfile",
        "-uri",
        "-filter",
        "-include",
        "-usebasicparsing",
        "-useb",
        "-whatif",
        "-itemtype",
        "-destination",
    ]
    .contains(&name)
}

fn powershell_form(segment: &Segment, lower: &str, args: &[Piece]) -> Option<Form> {
    let opens = args.first().is_some_and(|a| a.quoted || a.text.starts_with(['$', '(', '[', '"', '\'']));
    if lower == "iex" && (segment.piped || opens) {
        return Some(Form::PowerShell);
    }
    if lower == "gc" && !args.is_empty() || lower == "foreach" && args.first().is_some_and(|a| a.text == "(")
    {
        return Some(Form::PowerShell);
    }
    if segment.piped && args.is_empty() && matches!(programs::bare_name(lower).as_str(), "cmd" | "powershell")
    {
        return Some(Form::Cmd);
    }
    if ONLY_POWERSHELL.contains(&lower)
        || lower.starts_with("%{")
        || lower.starts_with("?{")
        || (segment.piped && matches!(lower, "%" | "?"))
    {
        return Some(Form::PowerShell);
    }
    if ["powershell", "pwsh"].contains(&programs::bare_name(lower).as_str()) {
        // A text in single quotes is handed over whole, which only PowerShell's own reading keeps.
        let command = args.iter().position(|a| a.text.to_ascii_lowercase().starts_with("-c"));
        let single =
            command.and_then(|at| args.get(at + 1)).is_some_and(|a| a.quoted && a.text.contains('"'));
        return single.then_some(Form::PowerShell);
    }
    let alias = ALIASES.iter().any(|(name, _)| *name == lower);
    let taken = args.iter().any(|a| {
        !a.quoted && (is_powershell_parameter(&a.text) || a.text.to_ascii_lowercase().starts_with("$env:"))
    });
    if matches!(lower, "sal" | "nal") && args.len() == 2 {
        return Some(Form::PowerShell);
    }
    let only = ["sal", "nal", "gi", "gp", "gc", "sp", "ri", "ni", "sls", "sv", "saps"].contains(&lower)
        && args.iter().any(|a| is_windows_path(a) || a.text.starts_with('-') && a.text.len() > 3);
    (alias && lower != "echo" && (taken || only)).then_some(Form::PowerShell)
}

fn is_windows_path(piece: &Piece) -> bool {
    let text = piece.text.trim_matches(['"', '\'']);
    let bytes = text.as_bytes();
    let drive = bytes.len() >= 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && (bytes.len() == 2
            || matches!(bytes[2], b'\\' | b'*')
            || (bytes[2] == b'/' && bytes.get(3) != Some(&b'/')));
    let variable = text.starts_with('%') && text.len() > 2 && text[1..].contains('%');
    let environment =
        text.to_ascii_lowercase().starts_with("$env:") || text.to_ascii_lowercase().starts_with("${env:");
    drive
        || variable
        || environment
        || places::is_device(text)
        || text.starts_with(".\\")
        || text.starts_with("..\\")
        || text.starts_with("~\\")
        || text.starts_with("\\\\") && text.matches('\\').count() > 2
}

fn is_switch(text: &str) -> bool {
    let mut parts = text.split('/');
    parts.next() == Some("")
        && text.len() > 1
        && parts.all(|p| p.len() == 1 || p.len() <= 4 && p.contains([':', '-']))
}

fn cmd_form(plain: &str, lower: &str, args: &[Piece], careted: bool) -> Option<Form> {
    let glued = lower.split('/').next().unwrap_or_default();
    let has_switch = args.iter().any(|a| !a.quoted && is_switch(&a.text));
    if careted && args.iter().any(|a| is_switch(&a.text) || is_windows_path(a))
        || glued != lower && ONLY_CMD.contains(&glued)
    {
        return Some(Form::Cmd);
    }
    let name = programs::bare_name(plain);
    let ends = |ending: &[&str]| lower.len() > 4 && ending.iter().any(|e| lower.ends_with(e));
    let in_place = !lower.contains('/');
    if in_place && ends(&[".bat", ".cmd", ".exe"])
        || ends(&[".exe", ".com", ".bat", ".cmd"])
            && (ONLY_WINDOWS.contains(&name.as_str())
                || WINDOWS_WITH.iter().any(|(p, _)| *p == name)
                || lower.contains('\\'))
        || lower.contains(":\\")
        || lower.starts_with(".\\")
        || lower.starts_with("..\\")
    {
        return Some(Form::Cmd);
    }
    if ONLY_WINDOWS.contains(&name.as_str())
        && (!args.is_empty() || !matches!(name.as_str(), "sc" | "reg" | "hh"))
    {
        return Some(Form::Cmd);
    }
    if name == "format" && args.iter().any(is_windows_path) {
        return Some(Form::Cmd);
    }
    if let Some((_, marks)) = WINDOWS_WITH.iter().find(|(p, _)| *p == name)
        && args.iter().any(|a| marks.iter().any(|m| is_mark(&a.text, m, &name)))
    {
        return Some(Form::Cmd);
    }
    if ONLY_CMD.contains(&lower) && (lower == "ver" || lower == "cls" || !args.is_empty()) {
        return Some(Form::Cmd);
    }
    let numbered =
        |flag: &str| args.windows(2).any(|w| w[0].text == flag && w[1].text.parse::<u32>().is_ok());
    match lower {
        "nc" | "ncat" | "netcat"
            if args.windows(2).any(|w| {
                matches!(w[0].text.as_str(), "-e" | "-c" | "--exec")
                    && matches!(programs::bare_name(&w[1].text).as_str(), "cmd" | "powershell" | "pwsh")
            }) =>
        {
            Some(Form::Cmd)
        }
        "ping" if args.len() > 2 && numbered("-n") => Some(Form::Cmd),
        "shutdown" if numbered("-t") => Some(Form::Cmd),
        "if" if args.iter().take(3).any(|a| {
            matches!(a.text.to_ascii_lowercase().as_str(), "exist" | "defined" | "errorlevel" | "/i")
        }) =>
        {
            Some(Form::Cmd)
        }
        "for" if args.first().is_some_and(|a| a.text.starts_with('%') || is_switch(&a.text)) => {
            Some(Form::Cmd)
        }
        "set" if args.iter().any(|a| a.text.contains('=') && !a.text.starts_with('-')) => Some(Form::Cmd),
        "start" if args.iter().any(|a| a.text.starts_with("%0") || a.quoted && a.text.is_empty()) => {
            Some(Form::Cmd)
        }
        "dir" | "type" | "rmdir" | "mkdir" | "tree" | "more" | "cd" | "attrib" | "pushd" | "start"
            if has_switch && lower != "type" || args.iter().any(is_windows_path) =>
        {
            Some(Form::Cmd)
        }
        _ => None,
    }
}

/// Does an argument carry this mark? A switch may have a value after it, but is no path.
fn is_mark(text: &str, mark: &str, name: &str) -> bool {
    if !starts_ignoring_case(text, mark) {
        return false;
    }
    let rest = text.get(mark.len()..).unwrap_or_default();
    match mark {
        "/" => !rest.contains('/'),
        _ if mark.starts_with('/') => {
            rest.is_empty() || rest.starts_with([':', '/', '-', '+']) || name == "dir" && rest.len() == 1
        }
        _ => true,
    }
}

fn starts_ignoring_case(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// Programs of other systems whose own arguments are Windows paths, and output to Windows places.
fn path_form(lower: &str, args: &[Piece]) -> Option<Form> {
    let changes = [
        "rm", "cp", "mv", "rmdir", "mkdir", "cat", "ls", "del", "dd", "cd", "type", "curl", "wget", "scp",
        "sftp", "ftp",
    ];
    if changes.contains(&lower) {
        // `b:` alone may as well be a host.
        let bare = |a: &Piece| {
            (!a.quoted || lower == "rm") && (a.text.len() > 2 || matches!(lower, "rm" | "del" | "cd"))
        };
        let own = args.iter().any(|a| bare(a) && is_windows_path(a) || a.text.starts_with("of=\\\\.\\"));
        if own {
            return Some(if lower == "dd" { Form::Cmd } else { Form::PowerShell });
        }
    }
    for (at, arg) in args.iter().enumerate().filter(|(_, a)| !a.quoted) {
        let Some(target) = arg.text.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('>') else {
            continue;
        };
        let target = target.trim_start_matches('>');
        let next = args.get(at + 1).cloned().unwrap_or_default();
        let target = if target.is_empty() { next } else { Piece { text: target.to_owned(), quoted: false } };
        if target.text.eq_ignore_ascii_case("nul") || is_windows_path(&target) {
            return Some(Form::Cmd);
        }
    }
    None
}
