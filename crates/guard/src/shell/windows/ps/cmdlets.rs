//! Commands of PowerShell by name: aliases, cmdlets, programs.

use super::items::Items;
use super::value::Value;
use super::{Reader, files, methods, objects, run};
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
    name.split_once('-').is_some_and(|(verb, noun)| {
        VERBS.contains(&verb) && !noun.is_empty() && noun.chars().all(char::is_alphanumeric)
    })
}

/// Programs go by the names of aliases too: `curl` and `sc` with the program's own switches are the programs.
fn as_program(name: &str, full: &str, items: &Items) -> Option<String> {
    let lower = name.to_lowercase();
    match full {
        "invoke-webrequest" if lower == "curl" || lower == "wget" => {
            const SWITCHES: &[&str] = &["-o", "-d", "-f", "-t", "-s", "-i", "-l", "-fssl", "-sl", "-x", "-k"];
            let own = |w: &Word| SWITCHES.contains(&w.text.as_str()) || w.text.starts_with("--");
            items.words().iter().any(own).then_some(lower)
        }
        "set-content" if lower == "sc" => {
            const VERBS_OF_SC: &[&str] =
                &["stop", "delete", "config", "query", "start", "create", "qc", "failure", "sdset"];
            let first = items.words().first().map(Word::lower).unwrap_or_default();
            VERBS_OF_SC.contains(&first.as_str()).then_some(lower)
        }
        full => {
            (!is_cmdlet(full) && !ALIASES.iter().any(|(_, known)| *known == full)).then(|| full.to_owned())
        }
    }
}

fn call_function(reader: &mut Reader, names: &[String], body: &str, items: &Items) -> Value {
    let given = items.values();
    for (at, name) in names.iter().enumerate() {
        let value = items.of(&name.to_lowercase()).or_else(|| given.get(at).cloned());
        reader.scope.set(name, value.unwrap_or(Value::Unknown));
    }
    reader.scope.set("args", Value::List(given));
    run(reader.report, reader.scope, body)
}

pub(super) fn command(reader: &mut Reader, name: &str, items: &Items, input: Option<Value>) -> Value {
    let full = full_name(reader, name);
    if let Some((_, names, body)) = reader.scope.functions.iter().find(|f| f.0 == full).cloned() {
        return call_function(reader, &names, &body, items);
    }
    if let Some(program_name) = as_program(name, &full, items) {
        return program(reader, &program_name, items, input.as_ref());
    }
    reader.report.program(&full);
    if reader.report.depth > 0
        && reader.scope.endless
        && matches!(full.as_str(), "start-process" | "start-job" | "invoke-item")
    {
        reader.report.note(
            Level::Forbid,
            "win-fork-bomb",
            "Starts programs without end until the machine stands still",
        );
    }
    if let Some(value) = files::command(reader, &full, items, input.as_ref()) {
        return value;
    }
    match full.as_str() {
        "invoke-expression" => {
            let text = items.of_or_first("command").or(input).unwrap_or(Value::Unknown);
            methods::run_value(reader, &text)
        }
        "invoke-command" | "start-job" | "start-threadjob" | "measure-command" | "trace-command" => {
            objects::invoke_command(reader, &full, items)
        }
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
                Some(Value::Object(kind)) => Value::Object(format!("{kind} narrowed")),
                other => other.unwrap_or(Value::Unknown),
            }
        }
        "start-process" => objects::start_process(reader, items),
        "new-object" => {
            let kind = items
                .of("comobject")
                .or_else(|| items.of_or_first("typename"))
                .map(|v| v.shown())
                .unwrap_or_default();
            let given: Vec<Value> = items
                .of("argumentlist")
                .into_iter()
                .chain(items.values().into_iter().skip(1))
                .flat_map(|v| v.items())
                .collect();
            objects::object(reader, &kind.to_lowercase(), &given)
        }
        "get-command" => objects::looked_up(items),
        "set-alias" | "new-alias" | "set-variable" | "new-variable" | "set-location" | "push-location"
        | "get-variable" => session(reader, &full, items),
        "write-output" => {
            reader.report.note(Level::Allow, "win-reads", "Prints text");
            items
                .values()
                .into_iter()
                .reduce(|a, b| Value::List([a.items(), b.items()].concat()))
                .or(input)
                .unwrap_or(Value::Unknown)
        }
        "invoke-wmimethod" | "invoke-cimmethod" | "get-wmiobject" | "get-ciminstance"
        | "remove-wmiobject" | "remove-ciminstance" => {
            objects::management(reader, &full, items, input.as_ref())
        }
        _ => by_table(reader, &full, items, input),
    }
}

/// Aliases, variables and the folder of the session.
fn session(reader: &mut Reader, full: &str, items: &Items) -> Value {
    match full {
        "set-alias" | "new-alias" => {
            let alias = items.of_or_first("name").map(|v| v.shown().to_lowercase()).unwrap_or_default();
            let target = items
                .of("value")
                .or_else(|| items.values().into_iter().nth(1))
                .map(|v| v.shown().to_lowercase());
            reader.scope.aliases.push((alias, target.unwrap_or_default()));
            Value::text("")
        }
        "set-variable" | "new-variable" => {
            let name = items.of_or_first("name").map(|v| v.shown()).unwrap_or_default();
            let value =
                items.of("value").or_else(|| items.values().into_iter().nth(1)).unwrap_or(Value::Unknown);
            reader.scope.set(&name, value);
            Value::text("")
        }
        "set-location" | "push-location" => {
            if let Some(folder) = items.of_or_first("path") {
                reader.report.enter(&folder.shown());
            }
            reader.report.note(Level::Allow, "win-reads", "Changes the folder of this session");
            Value::text("")
        }
        _ => items.of_or_first("name").map_or(Value::Unknown, |v| reader.scope.get(&v.shown())),
    }
}

/// Reads a block once for each value that comes in.
pub(super) fn each(reader: &mut Reader, input: &Value, body: &str) -> Value {
    let mut outputs = Vec::new();
    let values = input.items();
    let many = values.len() > 512;
    reader.scope.endless |= values.len() > 100;
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
    if reader.scope.endless
        && matches!(programs::bare_name(name).as_str(), "powershell" | "cmd" | "pwsh" | "start")
    {
        reader.report.note(
            Level::Forbid,
            "win-fork-bomb",
            "Starts shells without end until the machine stands still",
        );
    }
    let bare = programs::bare_name(name);
    let shell = matches!(
        bare.as_str(),
        "cmd" | "powershell" | "pwsh" | "bash" | "wsl" | "diskpart" | "python" | "node" | "cscript"
    );
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

fn by_table(reader: &mut Reader, full: &str, items: &Items, input: Option<Value>) -> Value {
    let mut marks = items.marks();
    if let Some(input) = &input
        && let Value::Object(kind) = input
    {
        marks.push_str(kind);
    }
    if full == "stop-process" && matches!(&input, Some(Value::Object(kind)) if kind.trim() == "get-process:")
    {
        reader.report.note(Level::Forbid, "win-critical", "Ends every process");
    }
    let fits = |names: &str, needed: &[&str]| {
        names.split('|').any(|n| n == full) && needed.iter().all(|m| m.split('|').any(|m| marks.contains(m)))
    };
    if items.all.iter().any(|i| matches!(i, super::items::Item::Parameter(n, None) if n == "whatif")) {
        reader.report.note(Level::Moderate, "win-reads", "Shows what would be done");
    } else if let Some(found) = CMDLETS.iter().find(|c| fits(c.0, c.1)) {
        reader.report.note(found.2, found.3, found.4);
    } else if full.starts_with("get-") {
        reader.report.note(Level::Allow, "win-reads", "Shows something of the machine");
    } else {
        reader.report.note(Level::Moderate, "win-program", format!("Runs {full}"));
    }
    if full == "send-mailmessage" {
        reader.report.facts.sends = true;
    }
    let blocks =
        items.values().into_iter().filter_map(|v| if let Value::Block(body) = v { Some(body) } else { None });
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
            } else if text.starts_with("\\\\") && places::is_remote(&text)
                || items.has("computername") && !full.starts_with("test-")
            {
                reader.report.note(Level::Sensitive, "win-network", "Reaches another machine");
            }
        }
    }
    if full.starts_with("get-") && full != "get-date" {
        // The names of services or processes go on through the pipe.
        return Value::Object(format!("{full}:{}", items.marks()));
    }
    match full {
        "select-object" | "sort-object" | "out-string" | "out-host" | "tee-object" | "get-unique" => {
            input.unwrap_or(Value::Unknown)
        }
        "join-path" => {
            let parts: Vec<String> = items.values().iter().map(Value::shown).collect();
            Value::text(parts.join("\\"))
        }
        "resolve-path" | "convert-path" => items.of_or_first("path").unwrap_or(Value::Unknown),
        "convertfrom-json" | "convertto-json" | "select-string" | "test-path" => {
            input.filter(Value::is_download).unwrap_or(Value::Unknown)
        }
        _ => Value::Unknown,
    }
}
