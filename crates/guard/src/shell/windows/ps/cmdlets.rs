//! Commands of PowerShell by name: aliases, cmdlets, programs.

use super::items::Items;
use super::value::{UNKNOWN, Value};
use super::{Reader, files, methods, run};
use crate::shell::windows::report::Word;
use crate::shell::windows::tables::cmdlets::CMDLETS;
use crate::shell::windows::tables::names::{ALIASES, VERBS};
use crate::shell::windows::{Level, nested, places, programs};

/// The name an alias stands for, lower case, without a module before it.
fn full_name(reader: &Reader, name: &str) -> String {
    let lower = name.trim().to_lowercase();
    let own = reader.scope.aliases.iter().find(|(alias, _)| *alias == lower).map(|(_, full)| full.clone());
    let lower = own.unwrap_or(lower);
    let bare = match lower.rsplit_once('\\') {
        Some((module, rest)) if module.starts_with("microsoft.powershell") => rest.to_owned(),
        _ => lower,
    };
    ALIASES.iter().find(|(alias, _)| *alias == bare).map_or(bare.clone(), |(_, full)| (*full).to_owned())
}

fn is_cmdlet(name: &str) -> bool {
    name.split_once('-').is_some_and(|(verb, noun)| VERBS.contains(&verb) && !noun.is_empty() && noun.chars().all(char::is_alphanumeric))
}

pub(super) fn command(reader: &mut Reader, name: &str, items: &Items, input: Option<Value>) -> Value {
    let full = full_name(reader, name);
    if reader.scope.functions.contains(&full) {
        return Value::Unknown;
    }
    // `curl` and `sc` with a program's own switches, or with `.exe`, are the programs.
    let is_program = match full.as_str() {
        "invoke-webrequest" if name.eq_ignore_ascii_case("curl") || name.eq_ignore_ascii_case("wget") => {
            items.words().iter().any(|w| matches!(w.text.as_str(), "-o" | "-O" | "-d" | "-F" | "-T" | "-s" | "-I" | "-L" | "-fssl" | "-sl" | "-X" | "-k") || w.text.starts_with("--"))
        }
        "set-content" if name.eq_ignore_ascii_case("sc") => {
            let first = items.words().first().map(Word::lower).unwrap_or_default();
            ["stop", "delete", "config", "query", "start", "create", "qc", "failure", "sdset"].contains(&first.as_str())
        }
        full => !is_cmdlet(full) && !ALIASES.iter().any(|(_, known)| *known == full),
    };
    if is_program {
        let name = if full.contains('-') && name.contains("curl") { "curl" } else if full == "set-content" { "sc" } else if full == "invoke-webrequest" { name } else { &full };
        return program(reader, name, items, input.as_ref());
    }
    reader.report.program(&full);
    if reader.report.depth > 0 && reader.scope.endless && matches!(full.as_str(), "start-process" | "start-job" | "invoke-item") {
        reader.report.note(Level::Forbid, "win-fork-bomb", "Starts programs without end until the machine stands still");
    }
    if let Some(value) = files::command(reader, &full, items, input.as_ref()) {
        return value;
    }
    match full.as_str() {
        "invoke-expression" => {
            let text = items.of_or_first("command").or(input).unwrap_or(Value::Unknown);
            methods::run_value(reader, &text)
        }
        "invoke-command" | "start-job" | "start-threadjob" | "measure-command" | "trace-command" => invoke_command(reader, &full, items),
        "foreach-object" => {
            let input = input.unwrap_or(Value::Unknown);
            let mut last = Value::Unknown;
            for value in items.values() {
                last = match value {
                    Value::Block(body) => each(reader, &input, &body),
                    Value::Text(member) => methods::call(reader, &input, &member.to_lowercase(), &[]),
                    other => methods::run_value(reader, &other),
                };
            }
            last
        }
        "where-object" => {
            for value in items.values() {
                if let Value::Block(body) = value {
                    reader.scope.set("_", input.clone().unwrap_or(Value::Unknown));
                    run(reader.report, reader.scope, &body);
                }
            }
            match input {
                Some(Value::Paths { paths, deep, .. }) => Value::Paths { paths, deep, narrowed: true },
                other => other.unwrap_or(Value::Unknown),
            }
        }
        "start-process" => start_process(reader, items),
        "new-object" => {
            let kind = items.of("comobject").or_else(|| items.of_or_first("typename")).map(|v| v.shown()).unwrap_or_default();
            let given: Vec<Value> = items.of("argumentlist").into_iter().chain(items.values().into_iter().skip(1)).flat_map(|v| v.items()).collect();
            object(reader, &kind.to_lowercase(), &given)
        }
        "get-command" => looked_up(items),
        "set-alias" | "new-alias" => {
            let alias = items.of_or_first("name").map(|v| v.shown().to_lowercase()).unwrap_or_default();
            let target = items.of("value").or_else(|| items.values().into_iter().nth(1)).map(|v| v.shown().to_lowercase());
            reader.scope.aliases.push((alias, target.unwrap_or_default()));
            Value::text("")
        }
        "set-variable" | "new-variable" => {
            let name = items.of_or_first("name").map(|v| v.shown()).unwrap_or_default();
            let value = items.of("value").or_else(|| items.values().into_iter().nth(1)).unwrap_or(Value::Unknown);
            reader.scope.set(&name, value);
            Value::text("")
        }
        "get-variable" => items.of_or_first("name").map_or(Value::Unknown, |v| reader.scope.get(&v.shown())),
        "write-output" => {
            reader.report.note(Level::Allow, "win-reads", "Prints text");
            items.values().into_iter().reduce(|a, b| Value::List([a.items(), b.items()].concat())).or(input).unwrap_or(Value::Unknown)
        }
        "invoke-wmimethod" | "invoke-cimmethod" | "get-wmiobject" | "get-ciminstance" | "remove-wmiobject" | "remove-ciminstance" => management(reader, &full, items, input.as_ref()),
        _ => by_table(reader, &full, items, input),
    }
}

/// Reads a block once for each value that comes in.
pub(super) fn each(reader: &mut Reader, input: &Value, body: &str) -> Value {
    let mut outputs = Vec::new();
    let values = input.items();
    let many = values.len() > 512;
    for value in values.into_iter().take(512) {
        reader.scope.set("_", value.clone());
        reader.scope.set("psitem", value);
        outputs.push(run(reader.report, reader.scope, body));
        if !reader.report.spend(1) {
            return Value::Unknown;
        }
    }
    if many {
        return Value::Unknown;
    }
    if outputs.len() == 1 { outputs.remove(0) } else { Value::List(outputs) }
}

fn program(reader: &mut Reader, name: &str, items: &Items, input: Option<&Value>) -> Value {
    if reader.scope.endless && matches!(programs::bare_name(name).as_str(), "powershell" | "cmd" | "pwsh" | "start") {
        reader.report.note(Level::Forbid, "win-fork-bomb", "Starts shells without end until the machine stands still");
    }
    let bare = programs::bare_name(name);
    let shell = matches!(bare.as_str(), "cmd" | "powershell" | "pwsh" | "bash" | "wsl" | "diskpart" | "python" | "node" | "cscript");
    if let (true, Some(given)) = (shell, input) {
        if given.is_download() {
            reader.report.note(Level::Forbid, "win-download-run", "Runs what it fetches from the network");
        } else if let Some(text) = given.known() {
            match bare.as_str() {
                "diskpart" => programs::judge(reader.report, "diskpart", &[Word::plain(text)], None),
                "cmd" => nested::read(reader.report, &text, crate::shell::windows::Form::Cmd),
                "powershell" | "pwsh" => drop(methods::run_value(reader, &Value::text(text))),
                _ => {}
            }
        }
    }
    let blocks: Vec<Value> = items.values().into_iter().filter(|v| matches!(v, Value::Block(_))).collect();
    if shell && !blocks.is_empty() {
        for block in &blocks {
            methods::run_value(reader, block);
        }
        return Value::Unknown;
    }
    programs::judge(reader.report, name, &items.words(), None);
    if matches!(bare.as_str(), "curl" | "wget") { Value::Download } else { Value::Unknown }
}

fn invoke_command(reader: &mut Reader, full: &str, items: &Items) -> Value {
    if items.has("computername") || items.has("session") {
        reader.report.note(Level::Sensitive, "win-network", "Runs commands on another machine");
    }
    if items.has("filepath") {
        reader.report.note(Level::Sensitive, "win-runs", "Runs a script that was not read");
    }
    let mut last = Value::Unknown;
    for value in items.values() {
        if matches!(value, Value::Block(_)) || value.is_download() {
            last = methods::run_value(reader, &value);
        } else if items.has("scriptblock") && value.known().is_none() {
            reader.report.unresolved("the block it runs");
        }
    }
    if full != "measure-command" {
        reader.report.note(Level::Moderate, "win-runs", "Runs a block of commands");
    }
    last
}

fn start_process(reader: &mut Reader, items: &Items) -> Value {
    let mut level = Level::Moderate;
    let marks = items.marks();
    if marks.contains("runas") {
        level = Level::Sensitive;
        reader.report.note(level, "win-privilege", "Asks for the rights of an administrator");
    }
    let file = items.of_or_first("filepath");
    let given = items.of("argumentlist").or_else(|| items.of("args")).or_else(|| items.values().into_iter().nth(1));
    let name = file.as_ref().map(Value::shown).unwrap_or_default();
    reader.report.note(level, "win-program", format!("Starts {}", name.replace(UNKNOWN, "…")));
    if name.contains(UNKNOWN) {
        reader.report.unresolved("the program it starts");
        if reader.report.facts.fetches {
            reader.report.note(Level::Forbid, "win-download-run", "Fetches something and then runs what cannot be resolved");
        }
        return Value::Unknown;
    }
    nested::runs_file(reader.report, &name);
    let rest = given.map(|v| v.shown()).unwrap_or_default();
    if rest.contains(UNKNOWN) {
        reader.report.unresolved("the arguments of the program it starts");
    }
    let line = if name.contains(' ') { format!("\"{name}\" {rest}") } else { format!("{name} {rest}") };
    nested::read(reader.report, &line.replace(UNKNOWN, ""), crate::shell::windows::Form::Cmd);
    Value::Unknown
}

/// A new object; some are doors to the network or to disks.
pub(super) fn object(reader: &mut Reader, kind: &str, args: &[Value]) -> Value {
    if kind.contains("tcpclient") || kind.contains("sockets.socket") || kind.contains("tcplistener") || kind.contains("udpclient") || kind.contains("clientwebsocket") {
        reader.report.facts.opens_socket = true;
        reader.report.facts.sends = true;
        reader.report.note(Level::Sensitive, "win-network", "Opens a connection to another machine");
    } else if kind.contains("filestream") || kind.contains("streamwriter") {
        for word in args.first().map(Value::words).unwrap_or_default() {
            crate::shell::windows::deletes::write(reader.report, &word);
        }
    } else if kind.contains("directoryinfo") || kind.contains("fileinfo") {
        let paths = args.first().map(|a| vec![a.shown()]).unwrap_or_default();
        return Value::Paths { paths, deep: true, narrowed: false };
    } else if kind == "string" || kind == "system.string" {
        return Value::List(args.to_vec()).joined("");
    } else if args.iter().any(Value::is_download) {
        return Value::Download;
    }
    Value::Object(kind.to_owned())
}

/// `gcm *ke-e*`: which dangerous command could be meant?
fn looked_up(items: &Items) -> Value {
    let Some(wanted) = items.of_or_first("name").and_then(|v| v.known()) else { return Value::Object("command:unknown".to_owned()) };
    let wanted = wanted.to_lowercase();
    if !wanted.contains(['*', '?']) {
        return Value::text(wanted);
    }
    let known = ["invoke-expression", "remove-item", "iex", "invoke-command", "new-object", "start-process", "invoke-webrequest", "invoke-restmethod"];
    let found = known.iter().find(|name| places::glob(&wanted, name));
    found.map_or(Value::Object("command:unknown".to_owned()), |name| Value::text(*name))
}

fn management(reader: &mut Reader, full: &str, items: &Items, input: Option<&Value>) -> Value {
    let marks = items.marks();
    let about = input.map(Value::shown).unwrap_or_default();
    let of_input = match input {
        Some(Value::Object(kind)) => kind.clone(),
        _ => about,
    };
    if full.starts_with("get-") {
        if marks.contains("-computername") || marks.contains("-cimsession") {
            reader.report.note(Level::Sensitive, "win-network", "Asks another machine");
        }
        reader.report.note(Level::Allow, "win-reads", "Shows facts of the machine");
        return Value::Object(format!("management:{marks}"));
    }
    let all = format!("{marks} {of_input}");
    if all.contains("shutdown") || all.contains("reboot") {
        reader.report.note(Level::Forbid, "win-power", "Shuts the machine down or restarts it");
    } else if all.contains("shadowcopy") && full.starts_with("remove") {
        reader.report.note(Level::Forbid, "win-backups", "Deletes the shadow copies that files are restored from");
    } else if marks.contains("create") {
        let line = items.of("argumentlist").or_else(|| items.of("arguments")).map(|v| v.shown()).unwrap_or_default();
        nested::command_line(reader.report, &line.replace(UNKNOWN, ""));
        reader.report.note(Level::Sensitive, "win-runs", "Starts a program through the machine's management");
    } else if all.contains("win32_volume") && marks.contains("format") {
        reader.report.note(Level::Forbid, "win-format", "Formats a drive: everything on it is lost");
    }
    reader.report.note(Level::Sensitive, "win-system", "Changes the machine through its management interface");
    Value::Unknown
}

fn by_table(reader: &mut Reader, full: &str, items: &Items, input: Option<Value>) -> Value {
    let mut marks = items.marks();
    if let Some(input) = &input
        && let Value::Object(kind) = input
    {
        marks.push_str(kind);
    }
    let fits = |names: &str, needed: &[&str]| names.split('|').any(|n| n == full) && needed.iter().all(|m| m.split('|').any(|m| marks.contains(m)));
    if let Some(found) = CMDLETS.iter().find(|c| fits(c.0, c.1)) {
        reader.report.note(found.2, found.3, found.4);
    } else if full.starts_with("get-") {
        reader.report.note(Level::Allow, "win-reads", "Shows something of the machine");
    } else {
        reader.report.note(Level::Moderate, "win-program", format!("Runs {full}"));
    }
    if full == "send-mailmessage" {
        reader.report.facts.sends = true;
    }
    let blocks = items.values().into_iter().filter_map(|v| if let Value::Block(body) = v { Some(body) } else { None });
    for body in blocks.collect::<Vec<_>>() {
        reader.scope.set("_", Value::Unknown);
        run(reader.report, reader.scope, &body);
    }
    let reaching = ["format-", "write-", "select-object", "measure", "sort-", "group-", "convert", "out-"];
    if !reaching.iter().any(|r| full.starts_with(r)) && full != "select-string" {
        for value in items.values() {
            let text = value.shown();
            if places::is_secret(&text) {
                reader.report.secret(&text);
            } else if text.starts_with("\\\\") && places::is_remote(&text) || items.has("computername") && !full.starts_with("test-") {
                reader.report.note(Level::Sensitive, "win-network", "Reaches another machine");
            }
        }
    }
    if full.starts_with("get-") && full != "get-date" {
        // The names of services or processes go on through the pipe.
        return Value::Object(format!("{full}:{}", items.marks()));
    }
    match full {
        "select-object" | "sort-object" | "out-string" | "out-host" | "tee-object" | "get-unique" => input.unwrap_or(Value::Unknown),
        "join-path" => {
            let parts: Vec<String> = items.values().iter().map(Value::shown).collect();
            Value::text(parts.join("\\"))
        }
        "resolve-path" | "convert-path" => items.of_or_first("path").unwrap_or(Value::Unknown),
        "convertfrom-json" | "convertto-json" | "select-string" | "test-path" => input.filter(Value::is_download).unwrap_or(Value::Unknown),
        _ => Value::Unknown,
    }
}
