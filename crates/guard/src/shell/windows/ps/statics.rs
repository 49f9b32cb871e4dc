//! Static members of types, and casts.

use super::value::Value;
use super::{Reader, methods};
use crate::shell::windows::deletes::{self, Reach};
use crate::shell::windows::report::Word;
use crate::shell::windows::tables::cmdlets::METHODS_THAT_READ;
use crate::shell::windows::tables::environment::ENVIRONMENT;
use crate::shell::windows::{Level, base64, nested, places};

pub(super) fn property(kind: &str, member: &str) -> Value {
    match kind {
        "text.encoding" => Value::Object(format!("encoding.{member}")),
        "string" if member == "empty" => Value::text(""),
        "environment" if member == "systemdirectory" => Value::text("C:\\Windows\\System32"),
        _ => Value::Unknown,
    }
}

pub(super) fn cast(reader: &mut Reader, kind: &str, value: &Value) -> Value {
    match kind {
        "char" => value.character(),
        "char[]" => match value {
            Value::Text(_) => value.characters(),
            other => other.character(),
        },
        "string" => match value {
            Value::List(_) => value.joined(" "),
            other => other.clone(),
        },
        "int" | "byte" | "int32" | "long" => value.number().map_or(Value::Unknown, Value::Number),
        "type" => Value::Type(value.shown().to_lowercase()),
        "void" => Value::text(""),
        "scriptblock" => Value::Block(value.shown()),
        "wmiclass" | "wmi" | "adsi" => {
            if kind == "adsi" {
                reader.report.note(Level::Sensitive, "win-accounts", "Works on accounts");
            }
            Value::Object(value.shown().to_lowercase())
        }
        _ => value.clone(),
    }
}

fn word(args: &[Value], at: usize) -> Word {
    args.get(at).and_then(|a| a.words().into_iter().next()).unwrap_or_else(|| Word::plain(""))
}

pub(super) fn call(
    reader: &mut Reader,
    kind: &str,
    member: &str,
    args: &[Value],
    named: Option<&str>,
) -> Value {
    let told: Vec<String> = args.iter().map(Value::shown).collect();
    methods::suspicious_text(reader, &told.join(" "));
    let short = kind.rsplit('.').next().unwrap_or(kind);
    match (short, member) {
        ("directory" | "directoryinfo", "delete") | ("filesystem", "deletedirectory") => {
            deletes::delete(reader.report, &word(args, 0), Reach::Tree);
            Value::Unknown
        }
        ("file", "delete") | ("filesystem", "deletefile") => {
            deletes::delete(reader.report, &word(args, 0), Reach::Files);
            Value::Unknown
        }
        ("directory" | "file", "move" | "replace") => {
            deletes::delete(reader.report, &word(args, 0), Reach::Tree);
            deletes::write(reader.report, &word(args, 1));
            Value::Unknown
        }
        ("file", "copy") => {
            if places::is_secret(&word(args, 0).text) {
                reader.report.secret(&word(args, 0).text);
            }
            deletes::write(reader.report, &word(args, 1));
            Value::Unknown
        }
        ("file" | "filestream" | "streamwriter" | "binarywriter" | "directory", member)
            if member.starts_with("write")
                || member.starts_with("append")
                || member.starts_with("create")
                || member.starts_with("open")
                || member == "new"
                || member.starts_with("encrypt") =>
        {
            deletes::write(reader.report, &word(args, 0));
            Value::Unknown
        }
        ("file", member) if member.starts_with("read") || member == "exists" => {
            if places::is_secret(&word(args, 0).text) {
                reader.report.secret(&word(args, 0).text);
            }
            reader.report.note(Level::Allow, "win-reads", "Reads a file");
            Value::Unknown
        }
        ("process", "start") => {
            reader.report.note(Level::Sensitive, "win-runs", "Starts a program through an object");
            reader.report.facts.runs_text = true;
            nested::command_line(reader.report, &told.join(" ").replace(super::value::UNKNOWN, ""));
            Value::Unknown
        }
        ("assembly" | "appdomain", member)
            if member.starts_with("load") || member.starts_with("unsafeload") =>
        {
            reader.report.note(Level::Sensitive, "win-runs", "Loads code into the shell");
            if args.iter().any(Value::is_download) {
                reader.report.note(
                    Level::Forbid,
                    "win-download-run",
                    "Runs what it fetches from the network",
                );
            }
            Value::Download
        }
        ("application", "setsuspendstate") => {
            reader.report.note(Level::Forbid, "win-power", "Puts the machine to sleep");
            Value::Unknown
        }
        ("scriptblock", "create") => match args.first() {
            Some(value) if value.is_download() => Value::Download,
            Some(value) => value.known().map_or(Value::Unknown, Value::Block),
            None => Value::Unknown,
        },
        (_, "new") => super::objects::object(reader, kind, args),
        ("array", "reverse") => {
            if let Some(name) = named
                && let Value::List(mut values) = reader.scope.get(name)
            {
                values.reverse();
                reader.scope.set(name, Value::List(values));
            }
            Value::text("")
        }
        ("eventlog", "deleteeventlog" | "delete" | "clear") => {
            reader.report.note(Level::Forbid, "win-defence", "Erases the event log");
            Value::Unknown
        }
        _ => computed(reader, short, member, args),
    }
}

/// Members that only work something out.
fn computed(reader: &mut Reader, kind: &str, member: &str, args: &[Value]) -> Value {
    if args.iter().any(Value::is_download) {
        return Value::Download;
    }
    let first = args.first().cloned().unwrap_or(Value::Unknown);
    match (kind, member) {
        ("convert", "frombase64string") => {
            first.known().and_then(|t| base64::decode(&t)).map_or(Value::Unknown, Value::Bytes)
        }
        ("convert", "tochar") | ("char", "convertfromutf32" | "parse") => first.character(),
        ("convert", "toint32" | "tobyte" | "toint16") => match args.get(1).and_then(Value::number) {
            Some(base @ (2 | 8 | 10 | 16)) => {
                let base = u32::try_from(base).unwrap_or(10);
                i64::from_str_radix(first.shown().trim_start_matches("0x"), base)
                    .map_or(Value::Unknown, Value::Number)
            }
            _ => first.number().map_or(Value::Unknown, Value::Number),
        },
        ("string", "join") => {
            let rest = Value::List(args.iter().skip(1).flat_map(Value::items).collect());
            rest.joined(&first.shown())
        }
        ("string", "concat") => Value::List(args.iter().flat_map(Value::items).collect()).joined(""),
        ("string", "format") => {
            let rest: Vec<Value> = args.iter().skip(1).flat_map(Value::items).collect();
            super::operators::formatted(&first.shown(), &rest)
        }
        ("regex", "replace") => {
            methods::replace_ignoring_case(&first.shown(), &word(args, 1).text, &word(args, 2).text)
        }
        ("regex", "matches") if word(args, 2).text.eq_ignore_ascii_case("righttoleft") => {
            let mut letters = first.characters().items();
            letters.reverse();
            Value::List(letters)
        }
        ("environment", "getenvironmentvariable") => {
            let wanted = first.shown().to_lowercase();
            ENVIRONMENT
                .iter()
                .find(|(name, _)| *name == wanted)
                .map_or(Value::Unknown, |(_, value)| Value::text(*value))
        }
        ("environment", "getfolderpath") => match first.shown().to_lowercase().as_str() {
            "userprofile" => Value::text("C:\\Users\\user"),
            "windows" => Value::text("C:\\Windows"),
            "system" => Value::text("C:\\Windows\\System32"),
            "programfiles" => Value::text("C:\\Program Files"),
            _ => Value::Unknown,
        },
        ("path", "combine") => args
            .iter()
            .map(Value::shown)
            .reduce(|a, b| format!("{a}\\{b}"))
            .map_or(Value::Unknown, Value::text),
        ("path", "gettemppath") => Value::text("C:\\Users\\user\\AppData\\Local\\Temp\\"),
        _ => {
            if !METHODS_THAT_READ.contains(&member) {
                reader.report.note(
                    Level::Sensitive,
                    "win-method",
                    format!(
                        "Calls a member that was not read: {}",
                        member.chars().take(60).collect::<String>()
                    ),
                );
            }
            Value::Unknown
        }
    }
}
