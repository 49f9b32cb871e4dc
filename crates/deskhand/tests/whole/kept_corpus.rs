//! The catastrophic commands of the corpus, run for real: in the sandbox, on a layer, among decoys. Nothing outside the
//! layer changes. The program itself refuses them by their text; no setting of it lets them run, so these go to the
//! sandbox directly.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use deskhand_guard::sandbox::{
    Kind, Limits, View,
    layer::{Layer, RootChanges},
};
use deskhand_testkit::{is_running, mark};
use serde::Deserialize;

use crate::sandbox::Bench;

/// One command in so many is run, and of each category in each file at least [`LEAST`]. With
/// `DESKHAND_TEST_WHOLE_CORPUS` all of them are.
const ONE_IN: usize = 12;
const LEAST: usize = 5;
/// How long a command may take. What ends at all ends sooner.
const LIMIT: Duration = Duration::from_secs(2);
const LIMITS: Limits = Limits { memory_bytes: 512 << 20, processes: 64, file_bytes: 8 << 20, cpu_seconds: 1 };
const THREADS: usize = 4;

#[derive(Deserialize)]
struct Row {
    command: String,
    label: String,
    category: String,
}

/// What is run of the corpus, and of how many different commands.
fn sample() -> (Vec<Row>, usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guard/corpus");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let one_in = if std::env::var_os("DESKHAND_TEST_WHOLE_CORPUS").is_some() { 1 } else { ONE_IN };
    let (mut seen, mut chosen) = (BTreeSet::new(), Vec::new());
    for file in files {
        let mut by_category: BTreeMap<String, Vec<Row>> = BTreeMap::new();
        for line in fs::read_to_string(file).unwrap().lines() {
            let row: Row = serde_json::from_str(line).unwrap();
            if row.label == "deny" && seen.insert(row.command.clone()) {
                by_category.entry(row.category.clone()).or_default().push(row);
            }
        }
        for rows in by_category.into_values() {
            let step = one_in.min((rows.len() / LEAST).max(1));
            chosen.extend(rows.into_iter().step_by(step));
        }
    }
    (chosen, seen.len())
}

/// Puts something to lose where these commands look for it.
fn set_decoys(bench: &Bench) {
    for name in [
        "home/project/src/main.rs",
        "home/project/node_modules/a/index.js",
        "home/project/build/out",
        "home/project/.git/config",
        "home/project/.git/hooks/pre-commit",
        "home/Documents/letter",
        "home/.bashrc",
        "home/.profile",
        "home/.zsh_history",
        "home/.ssh/authorized_keys",
        "home/.ssh/config",
        "home/.gnupg/private-keys-v1.d/key",
        "home/.aws/credentials",
        "home/.config/autostart/app.desktop",
        "outside/precious",
        "outside/deep/er/file",
        "data/undo/entry",
        "data/audit/0.jsonl",
    ] {
        let path = bench.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "precious").unwrap();
    }
}

/// Every entry outside the layers and the job's own `/tmp`: kind, mode, times, content.
fn snapshot(bench: &Bench) -> BTreeMap<PathBuf, String> {
    let mut all = BTreeMap::new();
    let mut folders = vec![bench.path("home"), bench.path("data"), bench.path("outside")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path == bench.path("data/layers") {
                continue;
            }
            let meta = path.symlink_metadata().unwrap();
            let content = if meta.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            let (time, mode, links) = ((meta.mtime(), meta.mtime_nsec()), meta.mode(), meta.nlink());
            all.insert(path.clone(), format!("{mode:o} {links} {time:?} {}", content.escape_ascii()));
            if meta.is_dir() {
                folders.push(path);
            }
        }
    }
    all
}

/// The state of the machine itself, as far as it can be read.
fn machine() -> Vec<String> {
    let mut all = Vec::new();
    for folder in [
        "/",
        "/etc",
        "/etc/cron.d",
        "/etc/ssh",
        "/etc/pam.d",
        "/boot",
        "/usr",
        "/usr/bin",
        "/usr/lib",
        "/bin",
    ] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(meta) = path.symlink_metadata() else { continue };
            // Others make files in folders at the same time.
            let content = (!meta.is_dir()).then(|| (meta.size(), meta.mtime(), meta.mtime_nsec()));
            all.push(format!("{} {:?} {content:?}", path.display(), (meta.mode(), meta.uid(), meta.gid())));
        }
    }
    for setting in
        ["hostname", "domainname", "core_pattern", "sysrq", "pid_max", "randomize_va_space", "modprobe"]
    {
        all.push(format!(
            "{setting}: {:?}",
            fs::read_to_string(Path::new("/proc/sys/kernel").join(setting)).ok()
        ));
    }
    for file in
        ["/etc/passwd", "/etc/shadow", "/etc/hosts", "/etc/resolv.conf", "/proc/swaps", "/proc/modules"]
    {
        // Modules have counts of their users.
        let text = fs::read_to_string(file).unwrap_or_default();
        let text = if file.ends_with("modules") { text.lines().count().to_string() } else { text };
        all.push(format!("{file}: {text}"));
    }
    all.sort();
    all
}

/// Runs a command for a while. Its code, none if it was still running; and how many changes are on its layer.
fn run(bench: &Bench, number: usize, command: &str) -> (Option<i32>, usize) {
    let layer: Arc<Layer> = Arc::new(bench.sandbox.layer(&number.to_string()).unwrap());
    let mut job = bench.job(View::Look, &["bash", "-c", command]);
    job.layer = Some(Arc::clone(&layer));
    let launch = bench.sandbox.launch(&job).unwrap();
    drop(job);
    let mut starting = Command::new(&launch.program);
    starting.args(&launch.args).env_clear().envs(launch.env).current_dir("/");
    let mut child =
        starting.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    drop(launch.inherited);
    let deadline = Instant::now() + LIMIT;
    let mut life = Some(launch.life);
    let ended = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > deadline {
            // Every process of the job ends with this.
            life = None;
        }
        assert!(Instant::now() < deadline + Duration::from_secs(30), "{command} does not end");
        thread::sleep(Duration::from_millis(5));
    };
    let code = life.is_some().then(|| ended.code().unwrap_or(-1));
    let layer = Arc::into_inner(layer).unwrap();
    let changes = RootChanges::read(&layer.roots()[0], &|| Ok(())).map_or(0, |root| root.changes.len());
    (code, changes)
}

/// How many there were of each kind.
#[derive(Debug, Default)]
struct Count {
    ran: AtomicUsize,
    cut_off: AtomicUsize,
    changed_their_layer: AtomicUsize,
    did_not_start: AtomicUsize,
}

#[test]
fn catastrophic_commands_change_nothing_outside_their_layer() {
    if Bench::new(Kind::Namespaces).sandbox.no_layer().is_some() {
        return deskhand_testkit::skip("no layer can be mounted here");
    }
    let (rows, of) = sample();
    let machine_before = machine();
    let (begun, then) = (Instant::now(), SystemTime::now());
    let count = Count::default();
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let bench = Bench::with(Kind::Namespaces, |config| config.limits = LIMITS);
                set_decoys(&bench);
                let before = snapshot(&bench);
                // A process outside, of the same user.
                let mark = mark();
                let mut sleeper = Command::new("sleep").arg(&mark).spawn().unwrap();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(row) = rows.get(number) else { break };
                    let (code, changes) = run(&bench, number, &row.command);
                    count.ran.fetch_add(1, Ordering::Relaxed);
                    count.cut_off.fetch_add(usize::from(code.is_none()), Ordering::Relaxed);
                    count.did_not_start.fetch_add(usize::from(code == Some(125)), Ordering::Relaxed);
                    count.changed_their_layer.fetch_add(usize::from(changes > 0), Ordering::Relaxed);
                    assert_eq!(snapshot(&bench), before, "{}", row.command);
                    assert!(is_running(&mark), "{} ended a process outside", row.command);
                }
                sleeper.kill().unwrap();
                sleeper.wait().unwrap();
            });
        }
    });
    println!("{count:?} of {of} in {:?}", begun.elapsed());
    let machine_after = machine();
    let new: Vec<&String> = machine_after.iter().filter(|line| !machine_before.contains(line)).collect();
    assert_eq!(new, [""; 0], "of {} and {}", machine_before.len(), machine_after.len());
    assert_eq!(machine_after.len(), machine_before.len());
    let by_wall = then.elapsed().unwrap_or_default();
    assert!(begun.elapsed().abs_diff(by_wall) < Duration::from_secs(5), "the clock was set");
    let [ran, changed, not_started] = [&count.ran, &count.changed_their_layer, &count.did_not_start]
        .map(|count| count.load(Ordering::Relaxed));
    // They did run, and many did what they could.
    assert!(not_started * 50 < ran && changed * 20 > ran, "{count:?}");
}
