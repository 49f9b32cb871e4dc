//! Methods and properties of values.

use super::value::{UNKNOWN, Value};
use super::{Reader, run};
use crate::shell::windows::deletes::{self, Reach};
use crate::shell::windows::report::Word;
use crate::shell::windows::tables::cmdlets::METHODS_THAT_READ;
use crate::shell::windows::{Form, Level, base64, nested, places};

pub(super) fn property(target: &Value, name: &str) -> Value {
    match (target, name) {
        (Value::Download, _) => Value::Download,
        (_, "historysavepath") => Value::text("C:\\Users\\user\\ConsoleHost_history.txt"),
        (Value::Paths { .. }, "pspath" | "parent" | "directory" | "directoryname" | "name")
        | (Value::Paths { .. } | Value::Text(_), "path" | "value" | "fullname") => target.clone(),
        (Value::Text(text), "length") => Value::Number(i64::try_from(text.chars().count()).unwrap_or(0)),
        // Lists of drives: what is done with each is done with the first drive, too.
        (Value::Object(kind), "root" | "driveletter" | "name" | "deviceid")
            if ["get-psdrive", "get-volume", "get-partition"].iter().any(|k| kind.starts_with(k))
                || kind.contains("win32_logicaldisk") =>
        {
            Value::text(match name {
                "root" => "C:\\",
                "deviceid" => "C:",
                _ => "C",
            })
        }
        (Value::Object(kind), _) => Value::Object(kind.clone()),
        (Value::Type(name), _) => Value::Object(name.clone()),
        _ => Value::Unknown,
    }
}

/// Replaces without regard to case; the text stays bounded.
pub(super) fn replace_ignoring_case(text: &str, from: &str, to: &str) -> Value {
    if from.is_empty() || !text.is_ascii() || !from.is_ascii() {
        return Value::text(text.replace(from, to));
    }
    let (lower, wanted) = (text.to_ascii_lowercase(), from.to_ascii_lowercase());
    let (mut out, mut at) = (String::new(), 0);
    while let Some(found) = lower[at..].find(&wanted) {
        out.push_str(&text[at..at + found]);
        out.push_str(to);
        at += found + wanted.len();
        if out.len() > 64 * 1024 {
            return Value::Unknown;
        }
    }
    out.push_str(&text[at..]);
    Value::text(out)
}

fn shown(args: &[Value], at: usize) -> String {
    args.get(at).map(Value::shown).unwrap_or_default()
}

/// A method of a text, where it can be worked out.
fn of_text(text: &str, name: &str, args: &[Value]) -> Option<Value> {
    let chars: Vec<char> = text.chars().collect();
    let number = |at: usize| args.get(at).and_then(Value::number).and_then(|n| usize::try_from(n).ok());
    Some(match name {
        "tostring" | "normalize" => Value::text(text),
        "tolower" | "tolowerinvariant" => Value::text(text.to_lowercase()),
        "toupper" | "toupperinvariant" => Value::text(text.to_uppercase()),
        "trim" | "trimstart" | "trimend" => Value::text(text.trim()),
        "replace" if shown(args, 0).is_empty() => Value::text(text),
        "replace" if text.len() < 16 * 1024 && shown(args, 1).len() < 256 => {
            Value::text(text.replace(&shown(args, 0), &shown(args, 1)))
        }
        "tochararray" => Value::text(text).characters(),
        "substring" => {
            let from = number(0)?.min(chars.len());
            let to = number(1).map_or(chars.len(), |count| from.saturating_add(count).min(chars.len()));
            Value::text(chars[from..to].iter().collect::<String>())
        }
        "remove" => {
            let from = number(0)?.min(chars.len());
            let to = number(1).map_or(chars.len(), |count| from.saturating_add(count).min(chars.len()));
            Value::text(chars[..from].iter().chain(&chars[to..]).collect::<String>())
        }
        "insert" => {
            let from = number(0)?.min(chars.len());
            let middle = shown(args, 1);
            Value::text(format!(
                "{}{middle}{}",
                chars[..from].iter().collect::<String>(),
                chars[from..].iter().collect::<String>()
            ))
        }
        "split" => {
            let marks: Vec<char> = args.iter().flat_map(|a| a.shown().chars().collect::<Vec<_>>()).collect();
            Value::List(text.split(|c| marks.contains(&c)).take(8192).map(Value::text).collect())
        }
        _ => return None,
    })
}

pub(super) fn call(reader: &mut Reader, target: &Value, name: &str, args: &[Value]) -> Value {
    let all: Vec<String> = args.iter().map(Value::shown).collect();
    let told = all.join(" ");
    suspicious_text(reader, &told);
    match name {
        "invoke" | "invokereturnasis" | "invokescript" | "newscriptblock" | "addscript" | "addcommand"
        | "begininvoke" | "invokewithcontext" => {
            let target =
                if matches!(target, Value::Object(_)) && !args.is_empty() { &args[0] } else { target };
            return run_value(reader, target);
        }
        "foreach" => {
            if let Some(Value::Block(body)) = args.first() {
                return super::cmdlets::each(reader, target, body);
            }
        }
        "downloadstring"
        | "downloaddata"
        | "getstringasync"
        | "openread"
        | "getbytearrayasync"
        | "getasync"
        | "downloadstringtaskasync"
        | "responsetext" => {
            reader.report.facts.fetches = true;
            reader.report.note(Level::Sensitive, "win-network", "Fetches from another machine");
            return Value::Download;
        }
        "downloadfile" | "downloadfileasync" | "downloadfiletaskasync" => {
            reader.report.note(Level::Sensitive, "win-network", "Fetches a file from another machine");
            reader.report.fetched(&shown(args, 1));
            deletes::write(reader.report, &Word::plain(shown(args, 1)));
            return Value::Unknown;
        }
        "uploadstring" | "uploadfile" | "uploaddata" | "postasync" | "send" | "uploadvalues" | "putasync" => {
            reader.report.facts.sends = true;
            reader.report.note(Level::Sensitive, "win-network", "Sends to another machine");
            for text in &all {
                if places::is_secret(text) {
                    reader.report.secret(text);
                }
            }
            return Value::Unknown;
        }
        "run" | "exec" | "shellexecute" | "start" | "executeshellcommand" | "create"
            if !matches!(target, Value::Text(_)) =>
        {
            return starts(reader, target, &told);
        }
        "delete" | "deletefolder" | "deletefile" | "deletetree" | "deletesubkeytree" => {
            return deletion(reader, target, args);
        }
        "win32shutdown"
        | "shutdown"
        | "reboot"
        | "win32shutdowntracker"
        | "shutdownwindows"
        | "restartcomputer" => {
            reader.report.note(Level::Forbid, "win-power", "Shuts the machine down or restarts it");
            return Value::Unknown;
        }
        "clearlog" => {
            reader.report.note(Level::Forbid, "win-defence", "Erases the event log");
            return Value::Unknown;
        }
        "getstring" => return decoded(target, args),
        "format" if matches!(target, Value::Object(_) | Value::Unknown) => {
            reader.report.note(Level::Sensitive, "win-disk", "May format a volume");
            return Value::Unknown;
        }
        _ => {}
    }
    if target.is_download() || args.iter().any(Value::is_download) {
        return Value::Download;
    }
    if let Value::Text(text) = target
        && !text.contains(UNKNOWN)
        && let Some(value) = of_text(text, name, args)
    {
        return value;
    }
    if name == "tochararray" || name == "tostring" {
        return target.clone();
    }
    if !METHODS_THAT_READ.contains(&name) {
        let shown: String = name.chars().filter(|c| *c != UNKNOWN).take(60).collect();
        reader.report.note(
            Level::Sensitive,
            "win-method",
            format!("Calls a method that was not read: {shown}"),
        );
    }
    if matches!(target, Value::Paths { .. }) { target.clone() } else { Value::Unknown }
}

/// Names that only serve to blind the machine's own protection.
pub(super) fn suspicious_text(reader: &mut Reader, text: &str) {
    let lower = text.to_lowercase();
    if ["amsiutils", "amsiinitfailed", "amsiscanbuffer", "amsicontext", "etweventwrite"]
        .iter()
        .any(|mark| lower.contains(mark))
    {
        reader.report.note(Level::Forbid, "win-defence", "Blinds the protection that reads scripts");
    }
}

/// Runs a value as PowerShell text.
pub(super) fn run_value(reader: &mut Reader, value: &Value) -> Value {
    reader.report.facts.runs_text = true;
    match value {
        value if value.is_download() => {
            reader.report.note(Level::Forbid, "win-download-run", "Runs what it fetches from the network");
            Value::Unknown
        }
        Value::Block(body) => run(reader.report, reader.scope, body),
        Value::Object(_) => Value::Unknown,
        value => {
            if let Some(text) = value.known() {
                run(reader.report, reader.scope, &text)
            } else {
                reader.report.unresolved("text that is run as a command");
                // What is known of it is read all the same.
                let text = value.shown().replace(UNKNOWN, " ");
                if !text.trim().is_empty() {
                    run(reader.report, reader.scope, &text);
                }
                Value::Unknown
            }
        }
    }
}

fn starts(reader: &mut Reader, target: &Value, line: &str) -> Value {
    reader.report.note(Level::Sensitive, "win-runs", "Starts a program through an object");
    reader.report.facts.runs_text = true;
    if target.is_download() {
        reader.report.note(Level::Forbid, "win-download-run", "Runs what it fetches from the network");
    }
    if line.contains(UNKNOWN) {
        reader.report.unresolved("the program it starts");
    }
    let line = line.replace(UNKNOWN, "");
    if !line.trim().is_empty() {
        nested::read(reader.report, &line, Form::Cmd);
    }
    Value::Unknown
}

fn deletion(reader: &mut Reader, target: &Value, args: &[Value]) -> Value {
    let words = match target {
        Value::Paths { .. } => target.words(),
        _ => args.first().map(Value::words).unwrap_or_default(),
    };
    for word in words.iter().filter(|w| !w.text.is_empty()) {
        deletes::delete(reader.report, word, Reach::Tree);
    }
    if let Value::Object(kind) = target
        && kind.contains("shadowcopy")
    {
        reader.report.note(
            Level::Forbid,
            "win-backups",
            "Deletes the shadow copies that files are restored from",
        );
    }
    reader.report.note(Level::Sensitive, "win-delete", "Deletes through an object");
    Value::Unknown
}

/// `[Text.Encoding]::UTF8.GetString(bytes)`
fn decoded(target: &Value, args: &[Value]) -> Value {
    let Some(first) = args.first() else { return Value::Unknown };
    if first.is_download() {
        return Value::Download;
    }
    let bytes = match first {
        Value::Bytes(bytes) => bytes.clone(),
        Value::List(values) => {
            values.iter().filter_map(Value::number).filter_map(|n| u8::try_from(n).ok()).collect()
        }
        _ => return Value::Unknown,
    };
    match target {
        Value::Object(kind) if kind.contains("unicode") => Value::text(base64::utf16le(&bytes)),
        Value::Object(_) => Value::text(String::from_utf8_lossy(&bytes).into_owned()),
        _ => Value::Unknown,
    }
}
