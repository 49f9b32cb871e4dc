//! Whether this is a container or a virtual machine. A hint for people, not a proof: nothing is decided by it.

use std::{fs, path::Path};

/// Such as `container (docker)` or `virtual machine (KVM)`; `None` where nothing tells.
pub(in crate::system) fn hint(root: &Path) -> Option<String> {
    let mut found = Vec::new();
    found.extend(container(root).map(|kind| described("container", kind)));
    found.extend(virtual_machine(root).map(|kind| described("virtual machine", &kind)));
    (!found.is_empty()).then(|| found.join(" in a "))
}

fn described(what: &str, kind: &str) -> String {
    if kind.is_empty() { what.to_owned() } else { format!("{what} ({kind})") }
}

fn text(root: &Path, path: &str) -> String {
    fs::read(root.join(path)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

fn container(root: &Path) -> Option<&'static str> {
    if root.join(".dockerenv").exists() {
        return Some("docker");
    }
    if root.join("run/.containerenv").exists() {
        return Some("podman");
    }
    let groups = text(root, "proc/self/cgroup");
    let known = [
        ("kubepods", "kubernetes"),
        ("docker", "docker"),
        ("libpod", "podman"),
        ("lxc", "lxc"),
        ("containerd", "containerd"),
    ];
    // By whole names: a folder that someone called my-docker-notes is no container.
    let names =
        || groups.lines().filter_map(|line| line.splitn(3, ':').nth(2)).flat_map(|path| path.split('/'));
    known.into_iter().find_map(|(mark, kind)| {
        let is_it = |name: &str| {
            name.strip_prefix(mark)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.', '_', ':']))
        };
        names().any(is_it).then_some(kind)
    })
}

fn virtual_machine(root: &Path) -> Option<String> {
    let kernel = text(root, "proc/sys/kernel/osrelease").to_lowercase();
    if kernel.contains("microsoft") {
        return Some("WSL".to_owned());
    }
    let maker = text(root, "sys/class/dmi/id/sys_vendor") + &text(root, "sys/class/dmi/id/product_name");
    let known =
        ["QEMU", "KVM", "VMware", "VirtualBox", "Xen", "Parallels", "Amazon EC2", "Google Compute Engine"];
    if let Some(kind) = known.into_iter().find(|kind| maker.contains(kind)) {
        return Some(kind.to_owned());
    }
    if maker.contains("Virtual Machine") {
        return Some("Hyper-V".to_owned());
    }
    let processor = text(root, "proc/cpuinfo");
    let has_hypervisor = processor
        .lines()
        .find(|line| line.starts_with("flags"))
        .is_some_and(|flags| flags.split_ascii_whitespace().any(|flag| flag == "hypervisor"));
    has_hypervisor.then(String::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_machines() {
        for (files, wanted) in [
            (&[][..], None),
            (&[(".dockerenv", "")], Some("container (docker)")),
            (&[("run/.containerenv", "")], Some("container (podman)")),
            (&[("proc/self/cgroup", "0::/kubepods.slice/pod1\n")], Some("container (kubernetes)")),
            (&[("proc/self/cgroup", "4:memory:/docker/abc\n0::/\n")], Some("container (docker)")),
            (&[("proc/self/cgroup", "0::/user.slice/my-docker-notes\n")], None),
            (&[("proc/sys/kernel/osrelease", "5.15-microsoft-standard-WSL2")], Some("virtual machine (WSL)")),
            (&[("sys/class/dmi/id/sys_vendor", "QEMU\n")], Some("virtual machine (QEMU)")),
            (&[("proc/cpuinfo", "flags : fpu hypervisor sse\n")], Some("virtual machine")),
            (&[("proc/cpuinfo", "flags : fpu sse\n")], None),
            (
                &[(".dockerenv", ""), ("sys/class/dmi/id/sys_vendor", "VMware, Inc.")],
                Some("container (docker) in a virtual machine (VMware)"),
            ),
        ] {
            let root = tempfile::tempdir().unwrap();
            for (path, content) in files {
                let path = root.path().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, content).unwrap();
            }
            assert_eq!(hint(root.path()).as_deref(), wanted, "{files:?}");
        }
    }
}
