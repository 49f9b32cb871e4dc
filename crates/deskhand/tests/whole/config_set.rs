//! `deskhand config set` and `unset`: one value in the person's file, and nothing else in it.

use std::fs;

use serde_json::json;

use crate::command::Shop;

#[test]
fn a_setting_is_written_with_comments_and_order_kept() {
    let shop = Shop::new();
    let file = shop.root.join("home/.config/deskhand/config.toml");
    let first = shop.run(&["config", "set", "mode", "auto"]);
    assert!(first.code == 0 && first.stdout.contains(file.to_str().unwrap()), "{first:?}");
    let mine = "# mine\nlanguage = \"zh\" # for now\n\n[chain]\n# enough\nmax_rounds = 3\n";
    fs::write(&file, mine).unwrap();
    for (key, value) in [
        ("chain.max_rounds", "4"),
        ("shell.deny", "[\"git push *\"]"),
        ("instructions", "42"),
        ("language", "en"),
    ] {
        let ran = shop.run(&["--json", "config", "set", key, value]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!((&ran.json()["key"], &ran.json()["file"]), (&json!(key), &json!(file)));
    }
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "# mine\nlanguage = \"en\" # for now\ninstructions = \"42\"\n\n[chain]\n# enough\nmax_rounds = 4\n\n[shell]\ndeny = [\"git push *\"]\n"
    );
    let taken_out = shop.run(&["config", "unset", "chain.max_rounds"]);
    assert!(taken_out.code == 0 && taken_out.stderr.contains("is 50 now (default)"), "{taken_out:?}");
    assert!(!fs::read_to_string(&file).unwrap().contains("max_rounds"));
    let named = shop.root.join("named.toml");
    let ran = shop.run(&["config", "set", "mode", "read-only", "--config", named.to_str().unwrap()]);
    assert_eq!(
        (ran.code, fs::read_to_string(&named).unwrap().as_str()),
        (0, "mode = \"read-only\"\n"),
        "{ran:?}"
    );
}

#[test]
fn a_wrong_name_or_value_changes_nothing_and_says_what_is_right() {
    let shop = Shop::new();
    let file = shop.root.join("home/.config/deskhand/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "mode = \"ask\"\n").unwrap();
    for (key, value, says) in [
        ("mdoe", "auto", "did you mean mode?"),
        ("mode", "sometimes", "read-only or unattended"),
        ("chain.max_rounds", "0", "from 1 to 10000"),
        ("approval_timeout_s", "soon", "from 1 to 86400"),
        ("tools.wirte_file.requires_execution_approval", "true", "did you mean write_file?"),
        ("providers.openai.base_ur", "http://127.0.0.1:1", "did you mean providers.openai.base_url?"),
        ("providers.openai.api_key", "sk-sesame", "OPENAI_API_KEY"),
    ] {
        let ran = shop.run(&["config", "set", key, value]);
        assert!(ran.code == 2 && ran.stderr.contains(says), "{key}: {ran:?}");
        assert!(!ran.stderr.contains("sesame"), "{ran:?}");
    }
    let unknown = shop.run(&["config", "unset", "mdoe"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("did you mean mode?"), "{unknown:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mode = \"ask\"\n");
    let header = shop.run(&["config", "set", "providers.custom.headers.x-token", "sesame"]);
    assert!(header.code == 0 && !format!("{header:?}").contains("sesame"), "{header:?}");
}

#[test]
fn an_override_is_named_and_a_broken_file_can_be_repaired() {
    let shop = Shop::new();
    let overridden =
        shop.command(&["config", "set", "mode", "auto"]).env("DESKHAND_MODE", "read-only").output().unwrap();
    let said = String::from_utf8(overridden.stderr).unwrap();
    assert!(overridden.status.success() && said.contains("DESKHAND_MODE overrides the file"), "{said}");
    let file = shop.root.join("home/.config/deskhand/config.toml");
    fs::write(&file, "mdoe = \"auto\"\nlanguage = \"xx\"\n").unwrap();
    assert_eq!(shop.run(&["tools"]).code, 2);
    for key in ["mdoe", "language"] {
        let ran = shop.run(&["config", "unset", key]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    assert_eq!(shop.run(&["tools"]).code, 0);
    fs::write(&file, "mode = \n").unwrap();
    let broken = shop.run(&["config", "set", "mode", "auto"]);
    assert!(broken.code == 2 && broken.stderr.contains("line 1"), "{broken:?}");
}
