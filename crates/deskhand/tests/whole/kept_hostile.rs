//! Commands that a reader of text gets wrong: whatever bash makes of them, nothing outside the layer changes, and
//! nothing is kept unasked.

use std::{collections::BTreeMap, fs, os::unix::fs::MetadataExt, path::Path};

use deskhand_core::Mode;
use serde_json::json;

use crate::support::Desk;

/// `PAYLOAD` is a command that removes, and writes outside.
const TEMPLATES: &[&str] = &[
    // Functions, and names that mean something else.
    "(rm() { :; }); rm -rf victim",
    "rm() { command rm \"$@\"; }; rm -rf victim",
    "f() { PAYLOAD; }; f",
    "function ls { PAYLOAD; }; ls",
    "ls() ( PAYLOAD ); ls >/dev/null",
    "(ls() { :; }); ls() { PAYLOAD; }; ls",
    "unset -f echo; echo() { PAYLOAD; }; echo hi",
    "shopt -s expand_aliases\nalias ls='PAYLOAD'\nls",
    "shopt -s expand_aliases; eval 'alias x=\"PAYLOAD\"'; eval x",
    "command_not_found_handle() { PAYLOAD; }; nosuchcommandhere",
    "hash -p ./p ls; ls",
    "BASH_CMDS[ls]=./p; ls",
    "enable -n echo; PATH=.:$PATH; cp p echo; echo hi",
    "enable -f ./p.so x; PAYLOAD",
    // Assignments that are not taken, and variables nobody knows.
    "x=rm; false && x=ls; $x -rf victim",
    "x=rm; if false; then x=ls; fi; $x -rf victim",
    "x=rm; (x=ls); $x -rf victim",
    "x=rm; x=ls true; $x -rf victim",
    "x=ls; read x <<< rm; $x -rf victim",
    "x=rm; echo ls | read x; $x -rf victim",
    "printf -v x rm; $x -rf victim",
    "x=RM; ${x,,} -rf victim",
    "x=xrm; ${x#x} -rf victim",
    "a=(ls rm); ${a[1]} -rf victim",
    "declare -n y=x; x=ls; y=rm; $x -rf victim",
    "for x in ls rm; do :; done; $x -rf victim",
    "${nothing:-rm} -rf victim",
    "${SHLVL+sh -c 'PAYLOAD'} ls",
    "${HOME:+sh ./p}",
    "set -- rm -rf victim; \"$@\"",
    "IFS=x; c=rmx-rfxvictim; $c",
    "mapfile -t c <<< 'rm'; ${c[0]} -rf victim",
    // Arithmetic runs what stands in an index.
    "declare -i x; x='a[$(PAYLOAD)]'",
    "x='a[$(PAYLOAD)]'; echo $((x))",
    "x='a[$(PAYLOAD)]'; [[ 1 -eq x ]]",
    "x='a[$(PAYLOAD)]'; let x",
    "x='a[$(PAYLOAD)]'; ((x))",
    "x='a[$(PAYLOAD)]'; test -v \"$x\"",
    "x='a[$(PAYLOAD)]'; unset \"$x\"",
    "x='a[$(PAYLOAD)]'; printf -v \"$x\" y",
    "x='a[$(PAYLOAD)]'; echo ${v:x}",
    "declare -A m; x='$(PAYLOAD)'; ((m[$x]++))",
    // Builtins that run their words.
    "compgen -C'PAYLOAD'",
    "compgen -W '$(PAYLOAD)'",
    "trap 'PAYLOAD' EXIT",
    "trap 'PAYLOAD' DEBUG; true",
    "mapfile -C 'PAYLOAD; :' -c 1 x <<< y",
    "PS4='$(PAYLOAD)'; set -x; true",
    "PROMPT_COMMAND='PAYLOAD' bash -ic true </dev/null",
    "BASH_ENV=./p bash -c true",
    "ENV=./p sh -ic true </dev/null",
    "source ./p",
    ". <(echo 'PAYLOAD')",
    "exec sh ./p",
    "coproc sh ./p; wait",
    "builtin eval 'PAYLOAD'",
    "set -o posix; rm() { :; }; command rm -rf victim",
    // Text in text.
    "cat <<EOF\n$(PAYLOAD)\nEOF",
    "x=$(cat <<'E'\nPAYLOAD\nE\n); eval \"$x\"",
    "echo \"$(cat <<E\n$(PAYLOAD)\nE\n)\"",
    "echo `PAYLOAD`",
    "echo $'\\x24(ls)'; $'\\x73\\x68' ./p",
    "sh <<< 'PAYLOAD'",
    "echo 'PAYLOAD' | sh",
    "base64 -d <<< $(echo 'PAYLOAD' | base64 -w0) | sh",
    "rev <<< 'mitciv fr- mr' | sh",
    "case x in x) PAYLOAD;; esac",
    "true & PAYLOAD",
    "! PAYLOAD",
    "{ PAYLOAD; } >/dev/null 2>&1",
    // Programs that run others.
    "find . -maxdepth 0 -exec sh ./p \\;",
    "ls | xargs -n1 sh ./p",
    "awk 'BEGIN { system(\"sh ./p\") }'",
    "python3 -c 'import subprocess; subprocess.run([\"sh\", \"./p\"])'",
    "perl -e 'system(\"sh ./p\")'",
    "make -s -f <(printf 'all:\\n\\tsh ./p\\n')",
    "env -S 'sh ./p'",
    "rg hi *",
    "tar cf /dev/null --checkpoint=1 --checkpoint-action=exec='sh ./p' victim",
    "git -c alias.x='!sh ./p' x",
    "git -c core.pager='sh ./p' -c safe.bareRepository=all -C evil diff",
    "GIT_EXTERNAL_DIFF='sh ./p' git diff",
    "declare +x GIT_CONFIG_COUNT; git status",
    "cd sub && git status",
    "cd sub && git diff",
    "make -s -f move.mk",
    "echo ../evil > .git/commondir; git status",
    // Ways out of the workspace.
    "ln -s OUTSIDE way; echo x > way/pwned",
    "mkdir -p a && cd a && ln -s ../../outside . ; cp ../p outside/pwned",
    "exec 7> OUTSIDE/pwned; echo x >&7",
    "mount --bind OUTSIDE victim; touch victim/pwned",
    "unshare -r sh ./p",
    "nsenter -t 1 -m sh ./p",
    "echo x > /proc/1/root/OUTSIDE/pwned",
    "setsid sh -c 'sleep 0.2; sh ./p' & disown; true",
    "nohup sh ./p >/dev/null 2>&1 &",
    "chmod u+s p; chown 65534 p; setfattr -n user.overlay.opaque -v y victim",
    "mknod dev c 0 0; mknod disk b 8 0; touch p2",
    "rm -rf victim; mkdir victim; setfattr -n user.overlay.redirect -v /outside victim",
];

#[tokio::test]
async fn nothing_outside_the_layer_changes_and_nothing_is_kept_unasked() {
    let desk = Desk::new();
    let sandbox = desk.session.services.get::<deskhand_guard::sandbox::Sandbox>().unwrap();
    if sandbox.no_layer().is_some() {
        return deskhand_testkit::skip("no layer can be mounted here");
    }
    assert!(TEMPLATES.len() >= 66);
    set_the_stage(&desk);
    let before = snapshot(&desk);
    let outside = desk.outside().display().to_string();
    let mut changed = 0;
    for mode in [Mode::Ask, Mode::Unattended, Mode::ReadOnly] {
        let session = desk.session.clone().in_mode(mode);
        for template in TEMPLATES {
            let command = template.replace("PAYLOAD", "sh ./p").replace("OUTSIDE", &outside);
            let arguments = json!({"command": command, "timeout_ms": 20_000});
            let ran = desk.gate.call(deskhand_core::Request::new("bash", arguments), &session).await;
            assert_ne!(ran.kept, Some(true), "{mode}: {template}: {}", ran.text);
            changed += usize::from(ran.kept == Some(false));
            for (path, was) in &before {
                assert_eq!(
                    snapshot_of(Path::new(path)).as_ref(),
                    Some(was),
                    "{mode}: {template} changed {path}"
                );
            }
        }
        assert_eq!(snapshot(&desk).keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>(), "{mode}");
    }
    // Most of them do run, and do what they can: on their layer.
    assert!(changed > TEMPLATES.len(), "{changed}");
}

/// A workspace with something to lose, repositories that lie, and names that are options.
fn set_the_stage(desk: &Desk) {
    for n in 0..3 {
        desk.write(format!("victim/{n}"), "precious");
    }
    let payload = format!("rm -rf victim\necho pwned > '{}/pwned'\ntouch pwned\n", desk.outside().display());
    desk.write("p", payload);
    fs::write(desk.outside().join("kept"), "kept").unwrap();
    desk.write("--pre=sh ./p", "hi");
    let config = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsmonitor = sh ../p\n[diff]\n\texternal = sh ../p\n";
    for folder in ["evil", "sub/.git", ".git"] {
        desk.write(format!("{folder}/HEAD"), "ref: refs/heads/main\n");
        desk.write(format!("{folder}/config"), config.replace("bare = true", "bare = false"));
        fs::create_dir_all(desk.path(format!("{folder}/objects"))).unwrap();
        fs::create_dir_all(desk.path(format!("{folder}/refs/heads"))).unwrap();
    }
    desk.write("evil/config", config);
    desk.write(
        "move.mk",
        "all:\n\tmv .git .g && printf '[core]\\n\\tpager = sh ./p\\n' >> .g/config && mv .g .git && git log\n",
    );
}

fn snapshot(desk: &Desk) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut folders = vec![desk.workspace.clone(), desk.outside()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            all.insert(path.display().to_string(), snapshot_of(&path).unwrap());
            if path.symlink_metadata().unwrap().is_dir() {
                folders.push(path);
            }
        }
    }
    all
}

fn snapshot_of(path: &Path) -> Option<String> {
    let meta = path.symlink_metadata().ok()?;
    let content = if meta.is_file() { fs::read_to_string(path).unwrap_or_default() } else { String::new() };
    Some(format!("{:o} {} {content}", meta.mode(), meta.ino()))
}
