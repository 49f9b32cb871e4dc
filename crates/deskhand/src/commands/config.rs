//! `deskhand config`: every setting, its value and where it comes from; changing one; trusting a workspace's own config.

use std::{collections::BTreeMap, fmt::Write};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use crate::{
    assemble::{App, config_file, registry},
    cli::{ConfigAction, Shared},
    settings::{self, Source, Unchanged},
    terminal::{Printer, safe_line},
};

/// Writes one setting into the person's config file; without a value, takes it out. It works also while something
/// else in that file is wrong, as long as the change does not add to it.
pub fn change(shared: &Shared, printer: Printer, key: &str, text: Option<&str>) -> Result<u8> {
    let file =
        config_file(shared).context("there is no home folder to keep a config in: name one with --config")?;
    let registry = registry();
    let tools: Vec<&str> = registry.own().map(|entry| entry.spec().name).collect();
    if let Some(why) = settings::unknown_tool(key, &tools).filter(|_| text.is_some()) {
        bail!("{why}");
    }
    let value = text.map_or(Value::Null, |text| settings::value_of(key, text));
    settings::change(&file, &BTreeMap::from([(key.to_owned(), value.clone())])).map_err(|unchanged| {
        match unchanged {
            Unchanged::Wrong(wrong) => anyhow!("nothing was changed: {}", wrong.join("; ")),
            Unchanged::Broken(why) => anyhow!("nothing was changed: {why}"),
        }
    })?;
    let in_force = App::open(shared).map(|app| app.settings);
    let setting = in_force.as_ref().ok().and_then(|settings| settings.all().get(key));
    let overruled = setting.filter(|set| !matches!(set.source, Source::File { .. } | Source::Default));
    let shown = json!({
        "key": key,
        "value": settings::shown(key, &value),
        "file": file,
        "in_force": setting.map(|set| settings::shown(key, &set.value)),
        "overridden_by": overruled.map(|set| &set.source),
    });
    printer.print(&shown, |style| {
        let (name, path) = (style.bold(&safe_line(key)), file.display());
        match text {
            Some(_) => format!("{name} = {}  {}", line(&shown["value"]), style.dim(&format!("({path})"))),
            None => format!("{name} is not set in {path}."),
        }
    })?;
    match (&in_force, setting, overruled) {
        (Err(error), ..) => printer.note(&format!("deskhand: {}", safe_line(&format!("{error:#}")))),
        (_, _, Some(set)) => {
            let now = line(&settings::shown(key, &set.value));
            printer.note(&format!("{} overrides the file: {} is {now} here.", set.source, safe_line(key)));
        }
        (_, Some(set), None) if text.is_none() => {
            let now = line(&settings::shown(key, &set.value));
            printer.note(&format!("{} is {now} now ({}).", safe_line(key), set.source));
        }
        _ => {}
    }
    Ok(0)
}

fn line(value: &Value) -> String {
    safe_line(&value.to_string())
}

pub fn run(app: &App, printer: Printer, action: Option<&ConfigAction>) -> Result<u8> {
    let Some(action) = action else { return show(app, printer) };
    let file = app.settings.workspace_file.as_ref().context("this workspace has no .deskhand/config.toml")?;
    let path = file.path.display();
    match action {
        ConfigAction::Trust => {
            app.store.trust().trust(&file.path, &file.sha256)?;
            printer.print(&json!({"trusted": file.path}), |_| {
                format!("{path} is trusted as it is now; when its content changes, it is not any more.")
            })?;
        }
        ConfigAction::Untrust => {
            app.store.trust().revoke(&file.path)?;
            printer
                .print(&json!({"untrusted": file.path}), |_| format!("{path} may only tighten settings."))?;
        }
        // They are done before the program is put together.
        ConfigAction::Set { .. } | ConfigAction::Unset { .. } => {}
    }
    Ok(0)
}

fn show(app: &App, printer: Printer) -> Result<u8> {
    let settings = &app.settings.without_secrets();
    let value = json!({
        "settings": settings.all(),
        "ignored": settings.ignored,
        "workspace_config": settings.workspace_file,
        "data_dir": app.data_dir,
        "workspaces": app.paths.workspaces().collect::<Vec<_>>(),
        "read_only_roots": app.paths.further().collect::<Vec<_>>(),
    });
    printer.print(&value, |style| {
        let mut text = String::new();
        for (key, setting) in settings.all() {
            let source = style.dim(&format!("({})", setting.source));
            let (key, value) = (safe_line(key), safe_line(&setting.value.to_string()));
            let _ = writeln!(text, "{} = {value}  {source}", style.bold(&key));
        }
        for ignored in &settings.ignored {
            let (key, value) = (safe_line(&ignored.key), safe_line(&ignored.value.to_string()));
            let _ =
                writeln!(text, "{} {key} = {value}: {}", style.yellow("ignored"), safe_line(&ignored.why));
        }
        let _ = writeln!(text, "data: {}", app.data_dir.display());
        let _ = writeln!(text, "workspace: {}", app.paths.workspace().display());
        text
    })?;
    Ok(0)
}
