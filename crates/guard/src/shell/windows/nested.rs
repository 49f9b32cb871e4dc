//! Text inside text: `cmd /c …`, `powershell -Command …`, `-EncodedCommand …`, and how deep that may go.

use super::report::{Report, Word};
use super::{Form, Level, base64, cmd, places, ps};

const DEEPEST: u32 = 12;

/// Reads a text in the given form, one level deeper.
pub(super) fn read(report: &mut Report, text: &str, form: Form) {
    if report.depth >= DEEPEST {
        report.note(Level::Sensitive, "win-too-complex", "Commands are nested too deep to be read");
        return;
    }
    report.depth += 1;
    match form {
        Form::Cmd => cmd::read(report, text),
        Form::PowerShell => ps::read(report, text),
    }
    report.depth -= 1;
}

/// Reads a command line that a program starts by itself: Windows text, or a bare program with arguments.
pub(super) fn command_line(report: &mut Report, text: &str) {
    let form = match super::recognise(text) {
        Some(Form::PowerShell) => Form::PowerShell,
        _ => Form::Cmd,
    };
    read(report, text, form);
}

fn joined(words: &[Word]) -> String {
    let texts: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
    texts.join(" ")
}

/// The arguments of `cmd`. `raw` is what stands after the program's name, quotes and all.
pub(super) fn cmd_program(report: &mut Report, args: &[Word], raw: Option<&str>) {
    let runs = |w: &Word| {
        let lower = w.lower();
        let mut letters = lower.split('/').skip(1);
        lower.starts_with('/') && letters.any(|s| s.starts_with(['c', 'k', 'r']))
    };
    let Some(at) = args.iter().position(runs) else {
        report.facts.runs_text = true;
        if args.is_empty() {
            report.note(
                Level::Sensitive,
                "win-runs",
                "Starts a shell that reads its commands from elsewhere",
            );
        } else {
            report.note(Level::Moderate, "win-runs", "Starts a shell");
        }
        return;
    };
    if args[at..].iter().any(|w| !w.known) {
        report.unresolved(&joined(&args[at..]));
    }
    // The text may be glued to the switch: `cmd /cdel x`.
    let switch = &args[at].text;
    let cut = switch.char_indices().find(|(_, c)| "ckrCKR".contains(*c)).map_or(switch.len(), |(i, _)| i + 1);
    let glued = switch.get(cut..).unwrap_or_default();
    let rest = raw.and_then(after_switch).map_or_else(|| joined(&args[at + 1..]), str::to_owned);
    let text = if glued.is_empty() { rest } else { format!("{glued} {rest}") };
    let text = text.trim();
    if text.is_empty() {
        report.note(Level::Sensitive, "win-runs", "Starts a shell that reads its commands from elsewhere");
    }
    // Outer quotes are taken off, as cmd does.
    let bare = text
        .strip_prefix('"')
        .map(|t| t.strip_suffix('"').unwrap_or(t))
        .or_else(|| text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')))
        .unwrap_or(text);
    let whole = bare.matches('"').count() % 2 == 0;
    read(report, if whole { bare } else { text }, Form::Cmd);
}

/// What follows `/c`, `/k` or `/r` in the raw text of the arguments.
fn after_switch(raw: &str) -> Option<&str> {
    let lower = raw.to_ascii_lowercase();
    let at = ["/c ", "/k ", "/r ", "/c\"", "/k\"", "/r\""].iter().filter_map(|s| lower.find(s)).min()?;
    raw.get(at + 2..)
}

/// The arguments of `powershell` or `pwsh`.
pub(super) fn powershell_program(report: &mut Report, args: &[Word]) {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let lower = arg.lower().replace(['\u{2013}', '\u{2014}', '\u{2015}'], "-");
        let Some(name) = lower.strip_prefix('-').or_else(|| lower.strip_prefix('/')) else {
            return run_text(report, &args[at..]);
        };
        let name = name.trim_start_matches('-').split(':').next().unwrap_or_default();
        let is = |full: &str, least: usize| name.len() >= least && full.starts_with(name);
        if is("encodedcommand", 1) || name == "ec" {
            return match args.get(at + 1) {
                Some(word) if word.known => encoded(report, &word.text),
                _ => report.unresolved("an encoded command"),
            };
        } else if is("command", 1) {
            return run_text(report, &args[at + 1..]);
        } else if is("commandwithargs", 8) || name == "cwa" {
            return run_text(report, args.get(at + 1..=at + 1).unwrap_or_default());
        } else if is("file", 1) {
            report.note(Level::Sensitive, "win-runs", "Runs a script that was not read");
            let script = args.get(at + 1).map(|w| w.text.clone()).unwrap_or_default();
            return runs_file(report, &script);
        } else if is("version", 1) || is("help", 1) || name == "?" {
            return report.note(Level::Allow, "win-reads", "Shows a version or help");
        }
        let takes = [
            "executionpolicy",
            "windowstyle",
            "inputformat",
            "outputformat",
            "configurationname",
            "psconsolefile",
        ];
        at += if takes.iter().any(|full| full.starts_with(name))
            || name == "ep"
            || name == "wd"
            || name == "if"
        {
            2
        } else {
            1
        };
    }
    report.facts.runs_text = true;
    report.note(Level::Sensitive, "win-runs", "Starts a shell that reads its commands from elsewhere");
}

fn run_text(report: &mut Report, words: &[Word]) {
    if words.iter().any(|w| !w.known) {
        report.unresolved(&joined(words));
    }
    let text = joined(words);
    let text = text.trim();
    if text == "-" || text.is_empty() {
        report.facts.runs_text = true;
        report.note(Level::Sensitive, "win-runs", "Starts a shell that reads its commands from elsewhere");
        return;
    }
    // A quoted text handed over by another shell keeps its quotes here and there.
    let bare = text
        .strip_prefix('\'')
        .and_then(|t| t.strip_suffix('\''))
        .filter(|t| !t.contains('\''))
        .unwrap_or(text);
    let bare =
        bare.strip_prefix('"').and_then(|t| t.strip_suffix('"')).filter(|t| !t.contains('"')).unwrap_or(bare);
    read(report, bare, Form::PowerShell);
}

/// The text of `-EncodedCommand`: base64 of UTF-16.
pub(super) fn encoded(report: &mut Report, text: &str) {
    match base64::decode(text.trim_matches(['"', '\''])) {
        Some(bytes) if bytes.len() >= 2 => {
            let decoded = base64::utf16le(&bytes);
            report.note(Level::Moderate, "win-encoded", "Runs an encoded command");
            read(report, &decoded, Form::PowerShell);
        }
        _ => report.unresolved("an encoded command"),
    }
}

/// Something from a file is run: what the text has fetched itself is never run.
pub(super) fn runs_file(report: &mut Report, word: &str) {
    if report.was_fetched(word) || places::is_remote(word) {
        let shown: String = word.chars().take(120).collect();
        report.note(Level::Forbid, "win-download-run", format!("Runs what comes from the network: {shown}"));
    }
}
