//! Layers of an ordinary user, and of files of their other groups.

use std::{
    fs,
    os::unix::{
        fs::{MetadataExt, PermissionsExt, chown},
        process::CommandExt,
    },
    process::Command,
};

use crate::command::{Ran, Shop};

/// A user and a group that nobody has, and another group of theirs.
const USER: u32 = 54_321;
const OTHER_GROUP: u32 = 54_322;

/// The program of a user who is not root, in a folder that they can reach.
struct Ordinary {
    shop: Shop,
}

impl Ordinary {
    /// `None` where tests do not run as root, who alone can become another user.
    fn new() -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            deskhand_testkit::skip("becoming another user takes root");
            return None;
        }
        let shop = Shop::new();
        fs::set_permissions(&shop.root, fs::Permissions::from_mode(0o755)).unwrap();
        let program = shop.command(&[]).get_program().to_owned();
        fs::copy(program, shop.root.join("deskhand")).unwrap();
        Some(Self { shop })
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        for path in ["", "ws", "home"] {
            chown(self.shop.root.join(path), Some(USER), Some(USER)).unwrap();
        }
        let usual = self.shop.command(arguments);
        let mut command = Command::new("setpriv");
        let groups = format!("{USER},{OTHER_GROUP}");
        let user = USER.to_string();
        command.args(["--reuid", &user, "--regid", &user, "--groups", &groups]);
        command.arg(self.shop.root.join("deskhand")).args(usual.get_args());
        command.current_dir(usual.get_current_dir().unwrap()).env_clear().env("PATH", "/usr/bin:/bin");
        command.envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.process_group(0).output().unwrap().into()
    }
}

#[test]
fn ordinary_user_has_layers_and_changes_files_of_another_group() {
    let Some(user) = Ordinary::new() else { return };
    let shop = &user.shop;
    for (name, group) in
        [("own", USER), ("shared", OTHER_GROUP), ("folder/inner", OTHER_GROUP), ("folder", OTHER_GROUP)]
    {
        if name != "folder" {
            shop.write(name, "before\n");
        }
        chown(shop.path(name), Some(USER), Some(group)).unwrap();
    }
    let doctor = user.run(&["doctor"]);
    assert!(doctor.stdout.contains("commands run on a copy-on-write layer"), "{doctor:?}");
    let script = "echo after > own; echo after > shared; rm folder/inner; echo new > folder/new";
    let arguments = serde_json::json!({"command": script}).to_string();
    let ran = user.run(&["--json", "--mode", "auto", "call", "bash", &arguments]).json();
    assert_eq!((&ran["status"], &ran["kept"]), (&"success".into(), &true.into()), "{ran}");
    assert_eq!(ran["data"]["stderr"], "", "{ran}");
    assert_eq!((shop.read("own"), shop.read("shared")), ("after\n".to_owned(), "after\n".to_owned()));
    assert!(!shop.path("folder/inner").exists() && shop.path("folder/new").exists());
    let group = |name: &str| fs::metadata(shop.path(name)).unwrap().gid();
    assert_eq!((group("own"), group("shared"), group("folder")), (USER, OTHER_GROUP, OTHER_GROUP));
    let undone = user.run(&["--mode", "auto", "undo"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!((shop.read("shared"), group("shared")), ("before\n".to_owned(), OTHER_GROUP));
    assert_eq!((shop.read("folder/inner"), group("folder/inner")), ("before\n".to_owned(), OTHER_GROUP));
}
