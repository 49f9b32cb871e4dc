//! Programs whose operands, after the first few, are a command.

/// A program whose operands, after the first few, are a command.
pub struct Wrapper {
    pub names: &'static [&'static str],
    /// Flags that take a value.
    pub takes: &'static str,
    /// Operands before the command.
    pub before: usize,
    /// What it is beside running the command.
    pub is: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing more.
    Plain,
    /// With more rights.
    Privilege,
    /// It watches the command, or shuts it in.
    Watched,
    /// It goes on by itself.
    Detached,
}

/// All of them, but those with a way of their own.
pub const WRAPPERS: &[Wrapper] = &[
    wrapper(
        &["sudo", "gsudo"],
        "-u --user -g --group -h --host -p --prompt -C --close-from -D --chdir -r --role -t --type -T --command-timeout -U --other-user -R --chroot",
        0,
        Kind::Privilege,
    ),
    wrapper(&["doas"], "-u -C", 0, Kind::Privilege),
    wrapper(
        &["pkexec", "kdesu", "gksu", "gksudo", "run0", "sudo-rs", "please"],
        "--user -u --unit --property --setenv",
        0,
        Kind::Privilege,
    ),
    wrapper(&["gosu", "su-exec", "setuidgid", "envuidgid"], "", 1, Kind::Privilege),
    wrapper(
        &[
            "catchsegv",
            "eatmydata",
            "unbuffer",
            "winpty",
            "linux64",
            "linux32",
            "i386",
            "fakeroot",
            "torsocks",
            "tsocks",
            "daemonize",
            "daemon",
            "dbus-run-session",
            "dbus-launch",
            "choom",
            "arch",
            "doit",
            "ccache",
            "distcc",
            "sccache",
            "aoss",
            "padsp",
            "optirun",
            "primusrun",
        ],
        "",
        0,
        Kind::Plain,
    ),
    wrapper(&["time", "gtime"], "-o --output -f --format", 0, Kind::Plain),
    wrapper(&["proxychains", "proxychains4"], "-f", 0, Kind::Plain),
    wrapper(&["faketime"], "-f", 1, Kind::Plain),
    wrapper(&["setarch"], "-p --pid", 0, Kind::Plain),
    wrapper(
        &["xvfb-run"],
        "-e --error-file -f --auth-file -n --server-num -p --xauth-protocol -s --server-args -w --wait",
        0,
        Kind::Plain,
    ),
    wrapper(&["systemd-inhibit"], "--what --who --why --mode", 0, Kind::Plain),
    wrapper(&["caffeinate"], "-t -w", 0, Kind::Plain),
    wrapper(&["prlimit"], "-p --pid", 0, Kind::Plain),
    wrapper(&["cgexec"], "-g", 0, Kind::Plain),
    wrapper(
        &["numactl"],
        "-N --cpunodebind -m --membind -C --physcpubind -i --interleave -p --preferred -l",
        0,
        Kind::Plain,
    ),
    wrapper(&["rlwrap"], "-a -b -c -f -H -l -p -P -q -s -S -z", 0, Kind::Plain),
    wrapper(&["timeout", "gtimeout"], "-k --kill-after -s --signal", 1, Kind::Plain),
    wrapper(&["nice", "gnice"], "-n --adjustment", 0, Kind::Plain),
    wrapper(&["ionice"], "-c --class -n --classdata -p --pid -P --pgid -u --uid", 0, Kind::Plain),
    wrapper(&["chrt"], "-T --sched-runtime -P --sched-period -D --sched-deadline -p --pid", 1, Kind::Plain),
    wrapper(&["taskset"], "-p --pid", 1, Kind::Plain),
    wrapper(&["stdbuf", "gstdbuf"], "-i --input -o --output -e --error", 0, Kind::Plain),
    wrapper(
        &["strace"],
        "-o --output -e --trace -p --attach -s --string-limit -S --summary-sort-by -u --user -E --env -a --columns -b -O -P -X -I",
        0,
        Kind::Watched,
    ),
    wrapper(&["ltrace"], "-o --output -e -p -s -u -a -A -l -n -F -w -x -D", 0, Kind::Watched),
    wrapper(
        &["unshare"],
        "--setuid --setgid -S -G --root -R --wd -w --map-users --map-groups --propagation",
        0,
        Kind::Privilege,
    ),
    wrapper(&["nsenter"], "-t --target -S --setuid -G --setgid --wdns", 0, Kind::Privilege),
    wrapper(
        &["setpriv"],
        "--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits --selinux-label --apparmor-profile --ptracer",
        0,
        Kind::Privilege,
    ),
    wrapper(&["runcon"], "-u -r -t -l --user --role --type --range", 0, Kind::Privilege),
    wrapper(&["chroot"], "--userspec --groups", 1, Kind::Privilege),
    wrapper(&["chpst", "softlimit"], "-u -U -b -e -/ -n -l -L -m -d -o -p -f -c", 0, Kind::Privilege),
    wrapper(
        &["systemd-run"],
        "-p --property -u --unit -E --setenv -M --machine -H --host --uid --gid --nice --working-directory --on-calendar --on-active --on-boot --description --slice",
        0,
        Kind::Detached,
    ),
    wrapper(&["nohup", "setsid"], "", 0, Kind::Watched),
    wrapper(&["busybox", "toybox"], "", 0, Kind::Plain),
    wrapper(&["sshpass"], "-p -f -d -P -e", 0, Kind::Watched),
];

const fn wrapper(names: &'static [&'static str], takes: &'static str, before: usize, is: Kind) -> Wrapper {
    Wrapper { names, takes, before, is }
}

/// Wrappers, and programs that can be one, with code of their own.
pub const OWN: &[&str] = &[
    "env", "xargs", "find", "su", "runuser", "ssh", "parallel", "flock", "script", "awk", "sed", "make",
    "ed", "vim",
];
