//! Cmdlets that start programs, run blocks, make objects or reach the machine's management.

use super::items::Items;
use super::value::{UNKNOWN, Value};
use super::{Reader, methods};
use crate::shell::windows::{Level, nested, places};

pub(super) fn invoke_command(reader: &mut Reader, full: &str, items: &Items) -> Value {
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

pub(super) fn start_process(reader: &mut Reader, items: &Items) -> Value {
    let mut level = Level::Moderate;
    let marks = items.marks();
    if marks.contains("runas") {
        level = Level::Sensitive;
        reader.report.note(level, "win-privilege", "Asks for the rights of an administrator");
    }
    let file = items.of_or_first("filepath");
    let given =
        items.of("argumentlist").or_else(|| items.of("args")).or_else(|| items.values().into_iter().nth(1));
    let name = file.as_ref().map(Value::shown).unwrap_or_default();
    reader.report.note(level, "win-program", format!("Starts {}", name.replace(UNKNOWN, "…")));
    if name.contains(UNKNOWN) {
        reader.report.unresolved("the program it starts");
        if reader.report.facts.fetches {
            reader.report.note(
                Level::Forbid,
                "win-download-run",
                "Fetches something and then runs what cannot be resolved",
            );
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
    if kind.contains("tcpclient")
        || kind.contains("sockets.socket")
        || kind.contains("tcplistener")
        || kind.contains("udpclient")
        || kind.contains("clientwebsocket")
    {
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
pub(super) fn looked_up(items: &Items) -> Value {
    let Some(wanted) = items.of_or_first("name").and_then(|v| v.known()) else {
        return Value::Object("command:unknown".to_owned());
    };
    let wanted = wanted.to_lowercase();
    if !wanted.contains(['*', '?']) {
        return Value::text(wanted);
    }
    let known = [
        "invoke-expression",
        "remove-item",
        "iex",
        "invoke-command",
        "new-object",
        "start-process",
        "invoke-webrequest",
        "invoke-restmethod",
    ];
    let found = known.iter().find(|name| places::glob(&wanted, name));
    found.map_or(Value::Object("command:unknown".to_owned()), |name| Value::text(*name))
}

pub(super) fn management(reader: &mut Reader, full: &str, items: &Items, input: Option<&Value>) -> Value {
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
        reader.report.note(
            Level::Forbid,
            "win-backups",
            "Deletes the shadow copies that files are restored from",
        );
    } else if marks.contains("create") {
        let line =
            items.of("argumentlist").or_else(|| items.of("arguments")).map(|v| v.shown()).unwrap_or_default();
        nested::command_line(reader.report, &line.replace(UNKNOWN, ""));
        reader.report.note(Level::Sensitive, "win-runs", "Starts a program through the machine's management");
    } else if all.contains("win32_volume") && marks.contains("format") {
        reader.report.note(Level::Forbid, "win-format", "Formats a drive: everything on it is lost");
    }
    reader.report.note(
        Level::Sensitive,
        "win-system",
        "Changes the machine through its management interface",
    );
    Value::Unknown
}
