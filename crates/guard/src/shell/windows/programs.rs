//! What a program does with its arguments: the tables first, then the few programs that need a closer look.

use super::deletes::{self, Reach};
use super::report::{Report, Word};
use super::tables::forbidden::FORBIDDEN;
use super::tables::programs::{GIT_BARE, GIT_READS, PROGRAMS, Rule, SENDERS, TURNED, VERSION};
use super::{Level, nested, places};

/// The bare name of a program: no folder, no `.exe`, lower case.
pub(super) fn bare_name(word: &str) -> String {
    let name = places::file_name(word.trim_matches(['"', '\'']));
    let name = name.trim_end_matches(['.', ' ']);
    for ending in [".exe", ".com", ".cmd", ".bat"] {
        if let Some(stem) = name.strip_suffix(ending).filter(|stem| !stem.is_empty()) {
            return stem.to_owned();
        }
    }
    name.to_owned()
}

/// Arguments as the tables' marks are looked for in them.
fn marks_text(args: &[Word]) -> String {
    let mut text = String::from(" ");
    for arg in args {
        let lower = arg.lower().replace(['"', '\''], "");
        let trimmed = lower.trim();
        match trimmed.strip_prefix("--").or_else(|| trimmed.strip_prefix('-')) {
            Some(switch) => {
                text.push('/');
                text.push_str(switch);
            }
            None => text.push_str(trimmed),
        }
        text.push(' ');
    }
    text
}

fn fits(rule: &Rule, name: &str, text: &str) -> bool {
    rule.0.split('|').any(|p| p == name)
        && rule.1.iter().all(|mark| mark.split('|').any(|m| text.contains(m)))
}

/// Notes a use that is never run, if this is one.
pub(super) fn forbidden(report: &mut Report, name: &str, args: &[Word]) -> bool {
    let text = marks_text(args);
    let found = FORBIDDEN.iter().find(|rule| fits(rule, name, &text));
    if let Some(rule) = found {
        report.note(rule.2, rule.3, rule.4);
    }
    found.is_some()
}

/// `net user NAME PASSWORD`; the password may be empty.
fn sets_password(args: &[Word]) -> bool {
    args.len() > 2 && args[0].lower() == "user" && !args[2].lower().starts_with('/')
}

/// Judges one program with its arguments. `raw` is the text of the arguments as written, where it is at hand.
pub(super) fn judge(report: &mut Report, word: &str, args: &[Word], raw: Option<&str>) {
    let name = bare_name(word);
    report.program(&name);
    nested::runs_file(report, word);
    if matches!(name.as_str(), "net" | "net1") && sets_password(args) {
        let known = args[1].lower().trim_matches('"') == "administrator";
        let level = if known { Level::Forbid } else { Level::Sensitive };
        return report.note(level, "win-accounts", "Sets the password of an account");
    }
    match name.as_str() {
        "cmd" => return nested::cmd_program(report, args, raw),
        "powershell" | "pwsh" | "powershell_ise" => return nested::powershell_program(report, args),
        _ => {}
    }
    secrets_among(report, &name, args);
    if forbidden(report, &name, args) {
        return;
    }
    let text = marks_text(args);
    closer_look(report, &name, args, &text);
    if name == "git"
        && git_reads(args)
        && !text.contains("/ext")
        && !text.contains("/output")
        && !text.contains("/textconv")
    {
        report.note(Level::Allow, "win-reads", "Shows the state of the repository");
    } else if let Some(rule) =
        PROGRAMS.iter().find(|rule| fits(rule, &name, &text) && (rule.4 != VERSION || args.len() == 1))
    {
        report.note(rule.2, rule.3, rule.4);
    } else if GIT_BARE.iter().any(|_| name == "git") {
        report.note(Level::Moderate, "win-program", "Changes the repository");
    } else if ends_in_script(word) {
        report.note(
            Level::Sensitive,
            "win-runs",
            format!("Runs a script or program that was not read: {name}"),
        );
    } else {
        report.note(Level::Moderate, "win-program", format!("Runs {name}"));
    }
    if let Some((_, marks)) = TURNED.iter().find(|(program, _)| *program == name)
        && args.iter().any(|a| marks.iter().any(|m| a.lower().starts_with(m)))
    {
        report.note(Level::Moderate, "win-writes", format!("{name} writes a file or changes a setting here"));
    }
    if args.iter().any(|a| !a.known) {
        report.unresolved(&text);
    }
}

fn ends_in_script(word: &str) -> bool {
    let name = places::file_name(word);
    [".bat", ".cmd", ".vbs", ".js", ".ps1", ".hta", ".wsf", ".msi", ".scr"]
        .iter()
        .any(|end| name.ends_with(end))
}

fn git_reads(args: &[Word]) -> bool {
    let Some((first, rest)) = args.split_first() else { return false };
    // Some options of reading subcommands write a file or start a program.
    let turned = ["-o", "--op", "--out", "--ext", "--textconv", "--exec"];
    if rest.iter().any(|w| turned.iter().any(|t| w.lower().starts_with(t))) {
        return false;
    }
    GIT_READS.contains(&first.text.as_str())
        || GIT_BARE.iter().any(|(name, may)| {
            *name == first.text
                && (!rest.is_empty() || *name == "branch" || *name == "tag" || *name == "remote")
                && rest.iter().all(|w| may.contains(&w.text.as_str()))
        })
}

/// Notes arguments that lead to secrets, and whether the program could carry them away.
pub(super) fn secrets_among(report: &mut Report, name: &str, args: &[Word]) {
    if SENDERS.contains(&name) {
        report.facts.sends = true;
    }
    let mut skip_next = name == "findstr" || name == "find";
    for arg in args {
        let switch = arg.text.starts_with('/') && arg.text.len() < 4;
        if skip_next && !switch {
            // What is searched for is no path.
            skip_next = false;
            continue;
        }
        if matches!(name, "ssh" | "scp" | "sftp" | "plink" | "pscp") && arg.text == "-i" {
            skip_next = true;
        }
        if places::is_secret(&arg.text) && !matches!(name, "echo" | "git" | "where") {
            report.secret(&arg.text);
        } else if arg.text.starts_with("\\\\") && places::is_remote(&arg.text) {
            report.note(Level::Sensitive, "win-network", "Reaches a folder on another machine");
        }
    }
}

/// Index of the first argument that is this switch, whatever its mark.
fn switch_at(args: &[Word], names: &[&str]) -> Option<usize> {
    args.iter().position(|a| {
        let lower = a.lower();
        lower.strip_prefix(['/', '-']).is_some_and(|s| names.contains(&s.trim_start_matches('-')))
    })
}

fn after<'a>(args: &'a [Word], names: &[&str]) -> Option<&'a Word> {
    args.get(switch_at(args, names)? + 1)
}

fn closer_look(report: &mut Report, name: &str, args: &[Word], text: &str) {
    match name {
        "curl" | "wget" | "certutil" | "bitsadmin" | "aria2c" | "tftp" | "ftp" | "esentutl" | "expand"
        | "extrac32" | "certoc" | "hh" | "finger" => fetches(report, name, args, text),
        "deltree" => {
            for arg in args.iter().filter(|a| !a.text.starts_with('/')) {
                deletes::delete(report, arg, Reach::Tree);
            }
        }
        "robocopy" => {
            let mirrors = text.contains(" /mir") || text.contains(" /purge");
            let moves = text.contains(" /move") || text.contains(" /mov ");
            let places: Vec<&Word> = args.iter().filter(|a| !a.text.starts_with('/')).collect();
            if let (true, Some(to)) = (mirrors, places.get(1)) {
                deletes::delete(report, to, Reach::Tree);
            }
            if let (true, Some(from)) = (moves, places.first()) {
                deletes::delete(report, from, Reach::Tree);
            }
        }
        "takeown" | "icacls" | "cacls" | "xcacls" | "subinacl" | "attrib" => rights(report, name, args, text),
        "forfiles" => {
            let folder = after(args, &["p"]).map_or_else(|| ".".to_owned(), |w| w.text.clone());
            let what = after(args, &["c"]).map(|w| w.text.clone()).unwrap_or_default();
            let all = format!("{}\\*", folder.trim_end_matches('\\'));
            let line = what
                .replace("@path", &all)
                .replace("@file", &all)
                .replace("@fname", &all)
                .replace("0x22", "\"");
            let line = if text.contains(" /s ") { line.replace("del ", "del /s ") } else { line };
            nested::command_line(report, &line);
        }
        "schtasks" => {
            if let Some(line) = after(args, &["tr"]) {
                nested::command_line(report, &line.text.replace('\'', "\""));
            }
        }
        "wmic" => {
            if let Some(at) = args.iter().position(|a| a.text.eq_ignore_ascii_case("create")) {
                let words: Vec<&str> = args[at + 1..].iter().map(|w| w.text.as_str()).collect();
                nested::command_line(report, words.join(" ").trim_matches(['"', '\'']));
            }
        }
        "pcalua" => {
            if let Some(line) = after(args, &["a"]) {
                let given = after(args, &["c"]).map(|w| w.text.clone()).unwrap_or_default();
                nested::command_line(report, &format!("{} {given}", line.text));
            }
        }
        "runas" | "psexec" | "conhost" | "winrs" | "at" | "gsudo" | "sudo" | "nsudo" | "explorer"
        | "psexec64" | "paexec" | "start" => {
            let from = args.iter().position(|a| !a.text.starts_with(['/', '-', '\\'])).unwrap_or(args.len());
            let words: Vec<&str> = args[from..].iter().map(|w| w.text.as_str()).collect();
            if !words.is_empty() {
                nested::command_line(report, &words.join(" "));
            }
            report.note(
                Level::Sensitive,
                "win-runs",
                "Runs a command with other rights or on another machine",
            );
        }
        _ => {}
    }
    let runs = [
        "rundll32",
        "regsvr32",
        "msiexec",
        "cscript",
        "wscript",
        "mshta",
        "python",
        "python3",
        "py",
        "node",
        "java",
        "msbuild",
        "installutil",
        "regasm",
    ];
    if runs.contains(&name) {
        for arg in args {
            let file = arg.text.split(',').next().unwrap_or_default();
            if report.was_fetched(file) {
                nested::runs_file(report, file);
            }
        }
    }
}

fn fetches(report: &mut Report, name: &str, args: &[Word], text: &str) {
    let Some(url_at) =
        args.iter().position(|a| places::is_remote(&a.text) || (name == "curl" && a.text.contains("://")))
    else {
        if name == "certutil"
            && text.contains("/decode")
            && let Some(to) = args.last()
        {
            report.fetched(&to.text);
        }
        return;
    };
    report.facts.fetches = true;
    if let Some(to) = after(args, &["o", "output", "out", "output-document", "outfile"]) {
        report.fetched(&to.text);
        deletes::write(report, to);
    } else if matches!(name, "certutil" | "bitsadmin" | "esentutl" | "expand" | "extrac32")
        && let Some(to) = args.get(url_at + 1)
    {
        report.fetched(&to.text);
    }
    let url_name = places::file_name(&args[url_at].text);
    report.fetched(&url_name);
}

/// Changing owner, rights or marks of whole system trees locks people out.
fn rights(report: &mut Report, name: &str, args: &[Word], text: &str) {
    let deep = match name {
        "takeown" => text.contains(" /r"),
        "attrib" => text.contains(" /s") && text.contains('+'),
        _ => {
            text.contains(" /t")
                || text.contains("/deny")
                || text.contains("/reset")
                || text.contains("/inheritance:r")
        }
    };
    let changes = name == "takeown"
        || name == "attrib"
        || [
            "/grant",
            "/deny",
            "/remove",
            "/reset",
            "/setowner",
            "/inheritance",
            "/p ",
            "/e ",
            "/setintegrity",
        ]
        .iter()
        .any(|m| text.contains(m));
    for arg in args.iter().filter(|a| !a.text.starts_with('/')) {
        if deep
            && changes
            && (arg.text.contains(':') || arg.text.starts_with('\\'))
            && !arg.text.contains(":(")
            && places::tree(&arg.text).is_vital()
        {
            report.note(
                Level::Forbid,
                "win-ownership",
                format!("Changes owner or rights of {}", places::tree(&arg.text).words()),
            );
        }
    }
}
