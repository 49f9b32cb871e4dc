use super::*;

fn keys(before: &str, after: &str) -> Vec<String> {
    changed_keys(before.as_bytes(), after.as_bytes(), ConfigKind::Repository).unwrap()
}

/// A config with one setting, from `section.name` or `section.sub.name`.
fn with(key: &str, value: &str) -> String {
    let (section, rest) = key.split_once('.').unwrap();
    match rest.rsplit_once('.') {
        Some((subsection, name)) => format!("[{section} \"{subsection}\"]\n\t{name} = {value}\n"),
        None => format!("[{section}]\n\t{rest} = {value}\n"),
    }
}

const POWER: &[&str] = &[
    "core.hooksPath",
    "core.fsmonitor",
    "core.sshCommand",
    "core.editor",
    "core.pager",
    "core.askPass",
    "core.gitProxy",
    "core.alternateRefsCommand",
    "core.worktree",
    "core.attributesFile",
    "core.excludesFile",
    "core.ignoreStat",
    "core.protectNTFS",
    "core.somethingNew",
    "include.path",
    "includeIf.gitdir:/x.path",
    "alias.st",
    "filter.lfs.clean",
    "filter.lfs.smudge",
    "filter.lfs.process",
    "filter.lfs.required",
    "diff.pic.command",
    "diff.pic.textconv",
    "diff.external",
    "diff.tool",
    "merge.x.driver",
    "merge.tool",
    "mergetool.x.cmd",
    "difftool.x.path",
    "gpg.program",
    "gpg.ssh.program",
    "gpg.ssh.defaultKeyCommand",
    "credential.helper",
    "credential.https://x.helper",
    "url.https://a/.insteadOf",
    "remote.origin.url",
    "remote.origin.pushurl",
    "remote.origin.proxy",
    "remote.origin.vcs",
    "remote.origin.receivepack",
    "remote.origin.uploadpack",
    "remote.origin.push",
    "http.proxy",
    "http.https://x.sslVerify",
    "protocol.ext.allow",
    "pager.log",
    "sequence.editor",
    "interactive.diffFilter",
    "submodule.x.update",
    "submodule.x.url",
    "trailer.x.command",
    "trailer.x.cmd",
    "uploadpack.packObjectsHook",
    "sendemail.smtpServer",
    "web.browser",
    "browser.x.cmd",
    "man.x.cmd",
    "help.browser",
    "extensions.worktreeConfig",
    "safe.directory",
    "init.templateDir",
    "user.signingKey",
    "commit.template",
    "gc.recentObjectsHook",
    "branch.main.mergeoptions",
    "rebase.instructionFormat",
    "receive.denyCurrentBranch",
    "guitool.x.cmd",
    "unheard.of",
];

const HARMLESS: &[(&str, &str)] = &[
    ("user.name", "Ada"),
    ("user.email", "a@b.c"),
    ("branch.main.remote", "origin"),
    ("branch.main.merge", "refs/heads/main"),
    ("branch.a/b.rebase", "true"),
    ("branch.main.description", "x"),
    ("branch.main.pushRemote", "team/fork"),
    ("branch.main.remote", "."),
    ("core.autocrlf", "input"),
    ("core.fileMode", "true"),
    ("core.bare", "false"),
    ("core.ignorecase", "true"),
    ("core.logallrefupdates", "true"),
    ("core.repositoryformatversion", "0"),
    ("color.ui", "auto"),
    ("color.diff.new", "green"),
    ("pull.rebase", "true"),
    ("push.default", "simple"),
    ("push.autoSetupRemote", "true"),
    ("fetch.prune", "true"),
    ("merge.conflictStyle", "zdiff3"),
    ("merge.ff", "only"),
    ("rebase.autoStash", "true"),
    ("diff.algorithm", "histogram"),
    ("status.short", "true"),
    ("log.date", "iso"),
    ("advice.detachedHead", "false"),
    ("gc.auto", "0"),
    ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
    ("remote.pushDefault", "origin"),
    ("rerere.enabled", "true"),
    ("commit.gpgSign", "true"),
    ("tag.sort", "-v:refname"),
    ("init.defaultBranch", "main"),
    ("pager.branch", "false"),
];

#[test]
fn keys_with_power_are_reported() {
    for key in POWER {
        let found = keys("", &with(key, "value"));
        assert_eq!(found.len(), 1, "{key}");
        // Taking it out changes what runs, too.
        assert_eq!(keys(&with(key, "value"), ""), found, "{key}");
        assert_eq!(keys(&with(key, "value"), &with(key, "other")), found, "{key}");
        assert!(keys(&with(key, "value"), &with(key, "value")).is_empty(), "{key}");
    }
}

#[test]
fn harmless_keys_are_not_reported() {
    let remotes = "[remote \"origin\"]\n\turl = x\n[remote \"team/fork\"]\n\turl = y\n";
    for (key, value) in HARMLESS {
        assert!(keys(remotes, &format!("{remotes}{}", with(key, value))).is_empty(), "{key}");
    }
}

#[test]
fn branch_remote_without_an_address_in_the_config_counts() {
    for value in ["origin", "evilrepo"] {
        assert_eq!(keys("", &with("branch.main.remote", value)), ["branch.main.remote"], "{value}");
    }
}

#[test]
fn push_with_upstream_is_no_such_change() {
    let before = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@x:y\n\tfetch = +refs/*:refs/*\n";
    let after = format!("{before}[branch \"work\"]\n\tremote = origin\n\tmerge = refs/heads/work\n");
    assert!(keys(before, &after).is_empty());
    assert_eq!(keys("[core]\n\tbare = false\n", before), ["remote.origin.url"]);
}

#[test]
fn addresses_in_place_of_remote_names_are_reported() {
    for value in ["ext::sh -c x", "git@host:x", "https://x", "/srv/x", "../x", "-x"] {
        assert_eq!(
            keys("", &with("branch.main.remote", &format!("\"{value}\""))),
            ["branch.main.remote"],
            "{value}"
        );
        assert_eq!(keys("", &with("remote.pushDefault", value)), ["remote.pushdefault"], "{value}");
    }
    assert_eq!(keys("", "[branch \"x\"]\n\tremote\n"), ["branch.x.remote"]);
    assert_eq!(keys("", &with("pager.log", "sh")), ["pager.log"]);
    assert_eq!(keys("", &with("core.repositoryformatversion", "2")), ["core.repositoryformatversion"]);
}

#[test]
fn spelling_and_repeats_of_keys_make_no_difference() {
    assert_eq!(keys("", "[CoRe] HOOKSPATH = x"), ["core.hookspath"]);
    assert!(keys("[core]pager=a", "[user]\nname=x\n[CORE]\n\tPager = a # c\n").is_empty());
    assert_eq!(keys("[a]b=1", "[a]b=1\nb=2"), ["a.b"]);
    assert_eq!(keys("[a]b=1\n[c]d=2", "[c]d=2\n[a]b=1"), ["a.b", "c.d"], "the order");
}

#[test]
fn secrets_in_keys_are_not_shown() {
    assert_eq!(keys("", "[url \"https://me:token@x/\"]insteadOf = y"), ["url.*.insteadof"]);
}

#[test]
fn unreadable_config_is_none() {
    assert_eq!(changed_keys(b"", b"[core", ConfigKind::Repository), None);
    let from_broken = changed_keys(b"[core", b"[alias]a=b", ConfigKind::Repository);
    assert_eq!(from_broken.unwrap(), ["alias.a"]);
}

#[test]
fn gitmodules_report_only_what_runs_or_leads_elsewhere() {
    let module = |name: &str, lines: &str| format!("[submodule \"{name}\"]\n{lines}");
    let found = |text: String| changed_keys(b"", text.as_bytes(), ConfigKind::Modules).unwrap();
    for lines in
        ["path = lib\nurl = https://x/y.git\n", "update = rebase\n", "branch = main\nshallow = true\n"]
    {
        assert!(found(module("lib", lines)).is_empty(), "{lines}");
    }
    for lines in [
        "update = !sh -c x\n",
        "url = ext::sh\n",
        "url = -ux\n",
        "path = ../../x\n",
        "path = -x\n",
        "other = 1\n",
    ] {
        assert_eq!(found(module("lib", lines)).len(), 1, "{lines}");
    }
    assert_eq!(found(module("../../x", "url = https://x\n")).len(), 1);
    assert_eq!(found("[core]\nfsmonitor = x\n".to_owned()).len(), 1);
}
