//! Cmdlets that touch files, the registry and the network.

use super::items::Items;
use super::value::{UNKNOWN, Value};
use super::{Reader, methods};
use crate::shell::windows::deletes::{self, Reach};
use crate::shell::windows::report::Word;
use crate::shell::windows::{Level, places, programs};

/// Runs the cmdlet if it is one of these.
pub(super) fn command(
    reader: &mut Reader,
    full: &str,
    items: &Items,
    input: Option<&Value>,
) -> Option<Value> {
    Some(match full {
        "remove-item" | "clear-item" => remove(reader, items, input),
        "get-childitem" | "get-item" => list(reader, full, items),
        "get-content"
        | "get-itemproperty"
        | "get-itempropertyvalue"
        | "get-filehash"
        | "import-csv"
        | "get-acl"
        | "import-clixml" => {
            let value = read(reader, items, input);
            reader.report.note(Level::Allow, "win-reads", "Reads a file");
            value
        }
        "select-string" => {
            let paths = items.of("path").into_iter().chain(items.values().into_iter().skip(1));
            for value in paths.collect::<Vec<_>>() {
                secret(reader, &value);
            }
            reader.report.note(Level::Allow, "win-reads", "Searches text");
            Value::Unknown
        }
        "set-content" | "add-content" | "out-file" | "clear-content" | "new-item" | "tee-object"
        | "export-csv" | "export-clixml" => {
            write(reader, full, items, input);
            Value::Unknown
        }
        "copy-item" | "move-item" | "rename-item" => {
            relocate(reader, full, items, input);
            Value::Unknown
        }
        "compress-archive" | "expand-archive" => {
            for value in items.paths() {
                secret(reader, &value);
            }
            reader.report.note(Level::Moderate, "win-writes", "Packs or unpacks an archive");
            Value::Unknown
        }
        "set-itemproperty" | "new-itemproperty" | "remove-itemproperty" | "set-item" => {
            properties(reader, full, items);
            Value::Unknown
        }
        "invoke-webrequest" | "invoke-restmethod" | "start-bitstransfer" => fetch(reader, full, items, input),
        "set-acl" => {
            let target = items.of_or_first("path").map(|v| v.shown()).unwrap_or_default();
            if places::tree(&target).is_vital() {
                let place = places::tree(&target).words();
                reader.report.note(Level::Forbid, "win-ownership", format!("Changes the rights of {place}"));
            }
            reader.report.note(Level::Sensitive, "win-ownership", "Changes who may use files");
            Value::Unknown
        }
        "invoke-item" => {
            for value in items.paths() {
                crate::shell::windows::nested::runs_file(reader.report, &value.shown());
            }
            reader.report.note(Level::Sensitive, "win-runs", "Opens a file with its program");
            Value::Unknown
        }
        _ => return None,
    })
}

fn secret(reader: &mut Reader, value: &Value) {
    for word in value.words() {
        if places::is_secret(&word.text) {
            reader.report.secret(&word.text);
        }
        if word.text.starts_with("\\\\") && places::is_remote(&word.text) {
            reader.report.note(Level::Sensitive, "win-network", "Reaches a folder on another machine");
        }
    }
}

/// A registry path as `reg` writes it.
fn registry(path: &str) -> Option<String> {
    let lower = path.to_lowercase().replace('/', "\\");
    let lower = lower.trim_start_matches("microsoft.powershell.core\\").trim_start_matches("registry::");
    let roots = ["hklm:", "hkcu:", "hkcr:", "hku:", "hkcc:", "hkey_"];
    let root = roots.iter().find(|root| lower.starts_with(**root))?;
    let plain = lower.replacen(':', "", usize::from(root.ends_with(':')));
    Some(plain.trim_end_matches(['*', '\\']).to_owned())
}

fn remove(reader: &mut Reader, items: &Items, input: Option<&Value>) -> Value {
    // The switches of cmd come through where both shells are mixed up.
    let values = items.paths();
    let cmd_switch = |v: &Value| matches!(v, Value::Text(t) if t.len() <= 8 && t.starts_with('/') && t.len() > 1 && t[1..].split('/').all(|s| s.len() <= 1));
    let mut deep = items.has("recurse")
        || items
            .all
            .iter()
            .any(|i| matches!(i, super::items::Item::Parameter(n, None) if n == "rf" || n == "fr"));
    deep |= values.iter().any(|v| cmd_switch(v) && v.shown().to_lowercase().contains('s'));
    let mut targets: Vec<(Word, bool)> = Vec::new();
    for value in values.iter().filter(|v| !cmd_switch(v)) {
        let all = matches!(value, Value::Paths { deep: true, .. });
        let narrow = matches!(value, Value::Paths { narrowed: true, .. });
        targets.extend(value.words().into_iter().map(|w| (narrowed(w, narrow), all)));
    }
    if let Some(value @ (Value::Paths { .. } | Value::Text(_) | Value::List(_))) = input {
        let all = matches!(value, Value::Paths { deep: true, .. });
        let narrow = matches!(value, Value::Paths { narrowed: true, .. });
        targets.extend(value.words().into_iter().map(|w| (narrowed(w, narrow), all)));
    } else if input.is_some() && targets.is_empty() {
        reader.report.unresolved("the files that come through the pipe");
    }
    if items.has("whatif") {
        reader.report.note(Level::Moderate, "win-delete", "Shows what would be deleted");
        return Value::Unknown;
    }
    let filtered = items.has("include") || items.has("filter");
    for (word, all) in targets.into_iter().map(|(w, all)| (narrowed(w, filtered), all)) {
        if let Some(key) = registry(&word.text) {
            let words = [Word::plain("delete"), Word::plain(key), Word::plain("/f")];
            if !programs::forbidden(reader.report, "reg", &words) {
                reader.report.note(Level::Sensitive, "win-registry", "Deletes from the registry");
            }
        } else if word.text.to_lowercase().contains("consolehost_history") {
            reader.report.note(Level::Forbid, "win-defence", "Erases the history of commands");
        } else if word.text.to_lowercase().starts_with("env:") {
            reader.report.note(Level::Moderate, "win-changes", "Removes a variable of this session");
        } else {
            deletes::delete(reader.report, &word, if deep || all { Reach::Tree } else { Reach::Files });
        }
    }
    reader.report.note(Level::Moderate, "win-delete", "Deletes files");
    Value::Unknown
}

/// A filter leaves only some of what a path names: it is asked about, not refused.
fn narrowed(mut word: Word, narrow: bool) -> Word {
    if narrow {
        word.text = format!("{}\\filtered\\some", word.text.trim_end_matches(['*', '\\']));
        if places::tree(&word.text).is_vital() {
            return word;
        }
    }
    word
}

fn list(reader: &mut Reader, full: &str, items: &Items) -> Value {
    let mut paths = Vec::new();
    for value in items.paths() {
        secret(reader, &value);
        for word in value.words() {
            if word.text.to_lowercase().starts_with("env:") {
                reader.report.secret("the variables of the session");
            }
            if !word.known {
                reader.report.unresolved("the folder it lists");
            }
            paths.push(if word.known { word.text } else { format!("{}{UNKNOWN}", word.text) });
        }
    }
    reader.report.note(Level::Allow, "win-reads", "Lists files");
    let narrowed = items.has("filter") || items.has("include") || items.values().len() > 1;
    let all = full == "get-childitem";
    if paths.is_empty() {
        paths.push(".".to_owned());
    }
    let below = |p: String| {
        if all && !p.ends_with('*') { format!("{}\\*", p.trim_end_matches(['\\', '/'])) } else { p }
    };
    Value::Paths { paths: paths.into_iter().map(below).collect(), deep: items.has("recurse"), narrowed }
}

fn read(reader: &mut Reader, items: &Items, input: Option<&Value>) -> Value {
    let mut values = items.paths();
    values.extend(input.cloned());
    for value in &values {
        secret(reader, value);
        for word in value.words() {
            let lower = word.lower();
            if reader.report.was_fetched(&word.text) {
                return Value::Download;
            }
            if lower.starts_with("env:") {
                return reader.scope.get(&lower);
            }
            if let Some(key) = registry(&lower)
                && (key.contains("\\sam") || key.contains("\\security") || key.contains("winlogon"))
            {
                reader.report.secret(&key);
            }
            if !word.known && !matches!(value, Value::Object(_)) {
                reader.report.unresolved("the file it reads");
            }
        }
    }
    Value::Unknown
}

fn write(reader: &mut Reader, full: &str, items: &Items, input: Option<&Value>) {
    let target = items
        .of("path")
        .or_else(|| items.of("filepath"))
        .or_else(|| items.of("literalpath"))
        .or_else(|| items.of_or_first("path"));
    if let Some(target) = target {
        for word in target.words() {
            match registry(&word.text) {
                Some(_) => reader.report.note(Level::Sensitive, "win-registry", "Changes the registry"),
                None => deletes::write(reader.report, &word),
            }
            if input.is_some_and(Value::is_download) || items.values().iter().any(Value::is_download) {
                reader.report.fetched(&word.text);
            }
        }
    }
    reader.report.note(
        Level::Moderate,
        "win-writes",
        if full == "new-item" { "Makes a file or folder" } else { "Writes a file" },
    );
}

fn relocate(reader: &mut Reader, full: &str, items: &Items, input: Option<&Value>) {
    let values = items.paths();
    let source = items
        .of("path")
        .or_else(|| items.of("literalpath"))
        .or_else(|| values.first().cloned())
        .or_else(|| input.cloned());
    let target = items.of("destination").or_else(|| items.of("newname")).or_else(|| values.get(1).cloned());
    for word in source.iter().flat_map(Value::words) {
        if full != "copy-item" && (places::tree(&word.text).is_vital() || places::file(&word.text).is_vital())
        {
            let place = places::tree(&word.text).words();
            reader.report.note(Level::Forbid, "win-delete", format!("Moves away {place}: {}", word.text));
        }
        if places::is_hive(&word.text) {
            reader.report.note(Level::Forbid, "win-secret-dump", "Copies the machine's password store");
        } else if places::is_secret(&word.text) {
            reader.report.secret(&word.text);
        }
        if places::is_remote(&word.text) {
            reader.report.note(Level::Sensitive, "win-network", "Fetches from another machine");
            reader.report.fetched(&word.text);
        }
    }
    for word in target.iter().flat_map(Value::words) {
        if places::is_remote(&word.text) {
            reader.report.facts.sends = true;
        }
        deletes::write(reader.report, &word);
    }
    reader.report.note(Level::Moderate, "win-writes", "Copies, moves or renames files");
}

/// Properties in the registry are judged as `reg` would write them.
fn properties(reader: &mut Reader, full: &str, items: &Items) {
    let path = items.of("path").or_else(|| items.of_or_first("path")).map(|v| v.shown()).unwrap_or_default();
    let Some(key) = registry(&path) else {
        reader.report.note(Level::Moderate, "win-changes", "Changes a property of a file");
        return;
    };
    let values = items.values();
    let name = items.of("name").or_else(|| values.get(1).cloned()).map(|v| v.shown()).unwrap_or_default();
    let value = items.of("value").or_else(|| values.get(2).cloned()).map(|v| v.shown()).unwrap_or_default();
    let verb = if full.starts_with("remove") { "delete" } else { "add" };
    let words = [verb, &key, "/v", &name, "/d", &value].map(Word::plain);
    if !programs::forbidden(reader.report, "reg", &words) {
        reader.report.note(Level::Sensitive, "win-registry", "Changes the registry");
    }
}

fn fetch(reader: &mut Reader, full: &str, items: &Items, input: Option<&Value>) -> Value {
    let url = items
        .of("uri")
        .or_else(|| items.of("source"))
        .or_else(|| items.of_or_first("uri"))
        .map(|v| v.shown())
        .unwrap_or_default();
    reader.report.note(
        Level::Sensitive,
        "win-network",
        format!(
            "Reaches another machine: {}",
            url.replace(UNKNOWN, "…").chars().take(120).collect::<String>()
        ),
    );
    reader.report.facts.fetches = true;
    let method = items.of("method").map(|v| v.shown().to_lowercase()).unwrap_or_default();
    if items.has("body")
        || items.has("infile")
        || items.has("form")
        || matches!(method.as_str(), "post" | "put" | "patch")
        || input.is_some()
    {
        reader.report.facts.sends = true;
    }
    for value in items.values() {
        secret(reader, &value);
        methods::suspicious_text(reader, &value.shown());
    }
    let target = items.of("outfile").or_else(|| items.of("destination"));
    let target = target
        .or_else(|| if full == "start-bitstransfer" { items.values().into_iter().nth(1) } else { None });
    if let Some(target) = target {
        for word in target.words() {
            reader.report.fetched(&word.text);
            deletes::write(reader.report, &word);
        }
    }
    Value::Download
}
