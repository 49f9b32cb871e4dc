//! What paths are, by name alone.

use std::path::Path;

use super::places::{Class, classify, written};
use crate::shell::text::{HOLE, STAR};

fn class(word: &str) -> Class {
    let workspace = Path::new("/home/ada/project");
    let word = word.replace('*', &STAR.to_string()).replace('…', &HOLE.to_string());
    classify(&written(&word, "/home/ada/project"), "/home/ada", &[workspace])
}

#[test]
fn paths_are_told_apart_by_name() {
    let secret = |word: &str| matches!(class(word), Class::Secret(_));
    for (word, expected) in [
        ("/", Class::Root),
        ("//", Class::Root),
        ("/.", Class::Root),
        ("/*", Class::Root),
        ("/etc/..", Class::Root),
        ("../../..", Class::Root),
        ("/proc/1/root", Class::Root),
        ("/home", Class::Home),
        ("/home/ada", Class::Home),
        ("/home/bob/*", Class::Home),
        ("..", Class::Home),
        ("/root", Class::Home),
        ("/etc", Class::System),
        ("/usr/bin", Class::System),
        ("/usr/../etc", Class::System),
        ("/b*", Class::System),
        ("/var/lib", Class::System),
        ("/etc/passwd", Class::Account),
        ("/etc/sudoers.d/x", Class::Account),
        ("/boot/vmlinuz", Class::Account),
        ("/dev/sda", Class::Device),
        ("/dev/nvme0n1p1", Class::Device),
        ("/dev/sd*", Class::Device),
        ("/dev/mapper/root", Class::Device),
        ("/dev/null", Class::Nothing),
        ("/dev/fd/3", Class::Nothing),
        ("/dev/tcp/host/80", Class::Connection("host:80".to_owned())),
        ("/proc/sysrq-trigger", Class::Kernel),
        ("/tmp/x", Class::Temporary),
        ("/dev/shm/x", Class::Temporary),
        ("a.txt", Class::Workspace),
        ("./a/../b", Class::Workspace),
        ("/home/ada/project", Class::Workspace),
        ("/home/ada/projects", Class::Elsewhere),
        ("/home/ada/notes", Class::Elsewhere),
        ("../notes", Class::Elsewhere),
        ("/mnt/disk/x", Class::Elsewhere),
        ("/usr/share/doc/x", Class::SystemFile),
        ("/etc/hosts", Class::SystemFile),
        ("…", Class::Unknown),
        ("…/x", Class::Unknown),
        ("a/…", Class::Workspace),
        ("/…", Class::Unknown),
        ("/…/x", Class::Unknown),
    ] {
        assert_eq!(class(word), expected, "{word}");
    }
    for word in [
        "~/.ssh",
        "/home/ada/.ssh/id_rsa",
        ".env",
        "/home/ada/.ss*",
        "/proc/self/environ",
        "/root/.aws/credentials",
    ] {
        assert!(secret(word), "{word}: {:?}", class(word));
    }
}
