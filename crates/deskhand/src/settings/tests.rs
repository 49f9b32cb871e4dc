//! Layers over layers, and what a workspace may do by itself.

use std::{fs, path::PathBuf};

use deskhand_core::Mode;
use deskhand_store::{Store, StoreOptions};
use serde_json::json;
use tempfile::TempDir;

use super::*;

struct Desk {
    _folder: TempDir,
    root: PathBuf,
    store: Store,
    environment: Vec<(&'static str, &'static str)>,
    mode_flag: Option<Mode>,
}

impl Desk {
    fn new(person: &str, workspace: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_path_buf();
        fs::create_dir_all(root.join("workspace/.deskhand")).unwrap();
        fs::write(root.join("config.toml"), person).unwrap();
        if !workspace.is_empty() {
            fs::write(root.join("workspace/.deskhand/config.toml"), workspace).unwrap();
        }
        let store = Store::open(&root.join("data"), &StoreOptions::default()).unwrap();
        Self { _folder: folder, root, store, environment: Vec::new(), mode_flag: None }
    }

    fn load(&self) -> Result<Settings> {
        let environment = |name: &str| {
            self.environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        load(&Load {
            named_file: None,
            usual_file: Some(self.root.join("config.toml")),
            workspaces: &["workspace", "second"].map(|folder| self.root.join(folder)),
            trust: &self.store.trust(),
            mode_flag: self.mode_flag,
            model_flag: None,
            tools: &["write_file"],
            environment: &environment,
        })
    }
}

#[test]
fn later_layers_win_and_say_where_they_are_from() {
    let mut desk = Desk::new("mode = \"auto\"\n[undo]\nmax_age_days = 3\n", "");
    assert_eq!(desk.load().unwrap().mode().unwrap(), Mode::Auto);
    desk.environment.push(("DESKHAND_MODE", "unattended"));
    desk.environment.push(("DESKHAND_UNDO_MAX_AGE_DAYS", "5"));
    desk.environment.push(("DESKHAND_TOOLS_WRITE_FILE_REQUIRES_RESULT_APPROVAL", "true"));
    let settings = desk.load().unwrap();
    assert_eq!(settings.mode().unwrap(), Mode::Unattended);
    assert_eq!(settings.store().undo_max_age.as_secs(), 5 * 86_400);
    assert_eq!(settings.gate().tools["write_file"].requires_result_approval, Some(true));
    assert_eq!(settings.all()["mode"].source.to_string(), "DESKHAND_MODE");
    desk.mode_flag = Some(Mode::ReadOnly);
    let settings = desk.load().unwrap();
    assert_eq!(
        (settings.mode().unwrap(), settings.all()["mode"].source.to_string().as_str()),
        (Mode::ReadOnly, "--mode")
    );
    assert_eq!(settings.all()["approval_timeout_s"].source, Source::Default);
}

#[test]
fn a_workspace_may_only_tighten_until_it_is_trusted() {
    let loosening = "mode = \"auto\"\naudit.enabled = false\napproval_timeout_s = 600\n\
                     [tools.write_file]\nrequires_execution_approval = false\n[undo]\nmax_bytes = 1\n";
    let desk = Desk::new("", loosening);
    let settings = desk.load().unwrap();
    assert_eq!(settings.mode().unwrap(), Mode::Ask);
    assert!(settings.store().audit_enabled);
    assert!(settings.gate().tools.is_empty());
    assert_eq!(settings.ignored.len(), 5, "{:?}", settings.ignored);

    let tightening = "mode = \"read-only\"\nrestrict_to_workspace = true\napproval_timeout_s = 10\n\
                      [tools.read_file]\nrequires_result_approval = true\n";
    let settings = Desk::new("", tightening).load().unwrap();
    assert_eq!(settings.mode().unwrap(), Mode::ReadOnly);
    assert!(settings.restrict_to_workspace() && settings.ignored.is_empty());
    assert_eq!(settings.gate().tools["read_file"].requires_result_approval, Some(true));

    // Trusted by content: a changed file is not trusted any more.
    let file = settings_file(&desk);
    desk.store.trust().trust(&file.path, &file.sha256).unwrap();
    let settings = desk.load().unwrap();
    assert_eq!(settings.mode().unwrap(), Mode::Auto);
    assert!(settings.workspace_file.unwrap().trusted);
    fs::write(&file.path, format!("{loosening}# one byte more\n")).unwrap();
    assert_eq!(desk.load().unwrap().mode().unwrap(), Mode::Ask);
}

#[test]
fn the_strictest_of_several_workspaces_holds() {
    let desk = Desk::new("", "mode = \"auto\"\nrestrict_to_workspace = true\nlanguage = \"zh\"\n");
    let file = settings_file(&desk);
    desk.store.trust().trust(&file.path, &file.sha256).unwrap();
    assert_eq!(desk.load().unwrap().mode().unwrap(), Mode::Auto);
    let second = desk.root.join("second/.deskhand/config.toml");
    fs::create_dir_all(second.parent().unwrap()).unwrap();
    let text =
        "mode = \"read-only\"\nrestrict_to_workspace = false\nlanguage = \"en\"\napproval_timeout_s = 10\n";
    fs::write(&second, text).unwrap();
    let sha256 = deskhand_core::arguments::sha256_hex(text.as_bytes());
    desk.store.trust().trust(&second, &sha256).unwrap();
    let settings = desk.load().unwrap();
    assert_eq!(settings.mode().unwrap(), Mode::ReadOnly);
    assert!(settings.mode_is_fixed() && settings.restrict_to_workspace());
    assert_eq!((settings.language(), settings.value("approval_timeout_s")), ("zh", &json!(10)));
    let mut ignored: Vec<&str> = settings.ignored.iter().map(|ignored| ignored.key.as_str()).collect();
    ignored.sort_unstable();
    assert_eq!(ignored, ["language", "restrict_to_workspace"]);
    assert_eq!(settings.workspace_file.unwrap().path, file.path);
}

fn settings_file(desk: &Desk) -> WorkspaceFile {
    desk.load().unwrap().workspace_file.unwrap()
}

#[test]
fn a_workspace_cannot_loosen_what_the_person_tightened() {
    let desk = Desk::new(
        "mode = \"read-only\"\n[tools.write_file]\nrequires_result_approval = true\n",
        "mode = \"ask\"\n[tools.write_file]\nrequires_result_approval = false\n",
    );
    let settings = desk.load().unwrap();
    assert_eq!(settings.mode().unwrap(), Mode::ReadOnly);
    assert_eq!(settings.gate().tools["write_file"].requires_result_approval, Some(true));
}

#[test]
fn what_is_wrong_is_named_with_its_file() {
    for (text, part) in [
        ("mod = \"ask\"", "did you mean mode?"),
        ("mode = \"sometimes\"", "must be ask, auto, read-only or unattended"),
        ("mode = ", "not valid TOML"),
        ("approval_timeout_s = 0", "from 1 to 86400"),
        ("audit.enabled = \"no\"", "true or false"),
        ("[tools.write_file]\nrequires_nothing = true", "there is no setting"),
    ] {
        let error = format!("{:#}", Desk::new(text, "").load().unwrap_err());
        assert!(error.contains(part) && error.contains("config.toml"), "{text}: {error}");
    }
    let mut desk = Desk::new("", "");
    desk.environment.push(("DESKHAND_MODE", "sometimes"));
    assert!(format!("{:#}", desk.load().unwrap_err()).contains("DESKHAND_MODE"));
}

#[test]
fn a_broken_workspace_file_is_a_warning() {
    let settings = Desk::new("", "mode = ").load().unwrap();
    assert_eq!(settings.warnings.len(), 1, "{:?}", settings.warnings);
    let settings = Desk::new("", "nonsense = 1\nmode = \"read-only\"").load().unwrap();
    assert_eq!((settings.ignored[0].key.as_str(), &settings.ignored[0].value), ("nonsense", &json!(1)));
    assert_eq!(settings.mode().unwrap(), Mode::ReadOnly);
}
