//! What is not Windows text, and what is.

use crate::shell::windows::{Form, Level, analyze, is_only_windows, recognise};

const NOT_WINDOWS: &[&str] = &[
    "dir",
    "type ls",
    "date",
    "find . -name x",
    "sort f",
    "more f",
    "tree",
    "mkdir x",
    "rm -rf build",
    "ls -la",
    "cat README.md",
    r#"echo "del /f /s /q C:\\*""#,
    "grep -c 'format c:' notes.txt",
    "git log --oneline -10",
    "git grep -n 'rm -rf' -- '*.sh'",
    "echo 'Remove-Item -Recurse C:\\'",
    "grep -rn 'Get-ChildItem' .",
    "rg 'powershell -enc'",
    "printf '%s\\n' x",
    "date +%Y-%m-%d",
    "apt-get install foo",
    "update-grub",
    "add-apt-repository ppa:x",
    "start-stop-daemon --start",
    "update-alternatives --list java",
    "iex -S mix",
    "iex",
    "set -e",
    "set -euo pipefail",
    "for f in *.txt; do cat $f; done",
    "if [ -f x ]; then ls; fi",
    "[ -f x ] && ls",
    "[[ -f x ]] && ls",
    "find /etc -name hosts",
    "ls /s",
    "sort -r f",
    "ping -c 4 example.com",
    "ping -n example.com",
    "shutdown -h now",
    "net ads info",
    "certutil -L -d sql:.",
    "curl -I https://example.com",
    "wget https://example.com/a",
    "cat <<EOF\ndel /f /s /q C:\\*\nEOF",
    "# del /f /s /q C:\\*",
    "x=1; echo $x",
    "echo $HOME",
    "$SHELL -c ls",
    "$(which ls) -la",
    "sleep 5 & wait",
    "make && ./run",
    "python3 -c 'print(1)'",
    "awk '{print $1}' f",
    "sed -n 1,5p f",
    "ls 2>/dev/null",
    "test -v 'a[$(ls)]'",
    "echo a\\;rm -rf /",
    "gdb -batch -ex 'shell id'",
    "bash -c 'ls'",
    "ssh host 'del /f C:\\x'",
    "git commit -m 'format C: drive fix'",
    "docker run -v /a:/b img",
    "scp a host:/b",
    "tar -C /tmp -xf a.tar",
    "pwsh --version",
    "man format",
    "which format",
    "vim -c 'set nu' f",
    "echo %PATH%",
    "git show HEAD:a/b",
    "grep -E '^C:' f",
    "jq '.a|.b' f",
    "ls | sort | uniq -c",
    "time ls",
    "! rm -rf /",
    "(cd x && ls)",
    "copy",
    "sc",
    "reg",
    "case x in a) ls;; esac",
    "function f { ls; }; f",
    "export A=b; ls",
    ": > f",
    ":(){ :|:& };:",
    "where",
    "where ls",
    "timeout 5 ls",
    "scp -o ProxyCommand=./x a h:",
    "kill -9 123",
    "ps aux | grep -v 'lsass'",
    "cd /data",
    "rmdir x",
    "mv a b",
    "cp -r a b",
    "curl -s https://example.com | jq .",
];

const WINDOWS: &[(Form, &str)] = &[
    (Form::Cmd, "FORMAT D: /FS:NTFS /Q"),
    (Form::Cmd, r"cd src && del /q C:\x"),
    (Form::Cmd, "ipconfig"),
    (Form::Cmd, "echo hi & rd /s /q x"),
    (Form::Cmd, r".\build.bat"),
    (Form::Cmd, r"C:\tools\x.exe -a"),
    (Form::Cmd, "type nul > nul"),
    (Form::PowerShell, "get-childitem"),
    (Form::PowerShell, "ls -Recurse -Filter *.rs"),
    (Form::PowerShell, r"cat C:\x"),
    (Form::PowerShell, "$x = 5"),
    (Form::PowerShell, "[IO.File]::ReadAllText('a')"),
    (Form::PowerShell, "Get-FooBar -X 1"),
    (Form::PowerShell, "ls | Where-Object Name"),
];

#[test]
fn other_text_is_left_alone() {
    let wrong: Vec<_> =
        NOT_WINDOWS.iter().filter(|t| recognise(t).is_some()).map(|t| (t, recognise(t))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn text_that_is_only_windows_is_told_from_mixed_text() {
    for text in [
        "ipconfig /all",
        "tasklist | findstr chrome",
        r"Get-Content .\README.md",
        "Get-Process | Select-Object Name",
    ] {
        assert!(is_only_windows(text), "{text}");
    }
    for text in [
        "ls",
        "ipconfig; rm -rf ~",
        "ipconfig && rm -rf ~",
        "ipconfig \"$(rm -rf ~)\"",
        "Get-Content `rm -rf ~`",
        "Get-Date; sort -o a b",
        "Get-Content $(ls)",
        "ver | sh",
    ] {
        assert!(!is_only_windows(text), "{text}");
    }
}

#[test]
fn mixed_signs_are_read_both_ways() {
    for text in [r"cd C:\; rm -r -fo Windows", r"ls -Recurse x & d^el /s /q C:\*"] {
        let form = recognise(text).unwrap();
        assert_eq!(analyze(text, form).level, Level::Forbid, "{text} as {form:?}");
    }
}

#[test]
fn windows_text_is_seen() {
    for (form, text) in WINDOWS {
        assert_eq!(recognise(text), Some(*form), "{text}");
    }
}
