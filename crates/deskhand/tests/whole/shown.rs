//! What reaches a terminal, a history or the store, and what must not.

use std::fs;

use crate::command::Shop;

fn config(shop: &Shop, text: &str) {
    let folder = shop.root.join("home/.config/deskhand");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), text).unwrap();
}

#[test]
fn headers_of_a_provider_are_shown_as_set() {
    let shop = Shop::new();
    config(
        &shop,
        "[providers.mine]\nbase_url = \"http://127.0.0.1:9\"\n[providers.mine.headers]\nX-Key = \"opensesame\"\n\
         [providers.mine.extra]\nuser = \"opensesame\"\n[providers.mine.extra.deep]\nx = \"opensesame\"\n",
    );
    shop.write(".deskhand/config.toml", "[providers.mine.headers]\nX-Other = \"opensesame\"\n");
    for arguments in [&["config"][..], &["--json", "config"]] {
        let ran = shop.run(arguments);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(!ran.stdout.contains("opensesame") && !ran.stderr.contains("opensesame"), "{ran:?}");
        for part in [
            "127.0.0.1:9",
            "mine.headers.X-Key",
            "mine.headers.X-Other",
            "mine.extra.deep.x",
            "(set, not shown)",
        ] {
            assert!(ran.stdout.contains(part), "{part}: {ran:?}");
        }
    }
}

#[test]
fn a_broken_config_is_named_without_what_stands_in_it() {
    let shop = Shop::new();
    config(&shop, "[providers.mine.headers]\nX-Key = \"opensesame\nX = 1\n");
    let ran = shop.run(&["config"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("config.toml") && ran.stderr.contains("line 2"), "{ran:?}");
    assert!(!ran.stderr.contains("opensesame"), "{ran:?}");
}
