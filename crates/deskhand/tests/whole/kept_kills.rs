//! A process that is killed while a command runs, is asked about, is kept or is undone: the workspace is as it was
//! before the command or as it is after it, and the next start clears what is left.

use std::{
    collections::BTreeMap,
    fs::{self, File, FileTimes},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant, SystemTime},
};

use deskhand_testkit::block_until;
use serde_json::Value;

use crate::{command::Shop, try_command::layered};

/// Everything that can happen to a path, many times over.
const COMMAND: &str = "sed -i s/before/after/ many/* changed && rm -r gone && mv from to \
    && rm -r replaced && mkdir -p replaced/in && echo new > replaced/in/new && echo other > replaced/same \
    && rm -r was-folder && echo file > was-folder && rm was-file && mkdir was-file && echo x > was-file/x \
    && chmod 755 run.sh && ln -s changed link && mkdir -p fresh/deep && for n in 1 2 3 4 5 6 7 8 9; do \
    echo $n > fresh/deep/$n; done && git add changed && GIT_AUTHOR_DATE='@1000000000 +0000' GIT_COMMITTER_DATE='@1000000000 +0000' \
    git -c user.name=a -c user.email=a@b commit -qm second";
const FIRST: &str = "git init -q -b main --template= . && git config gc.auto 0 && git add changed && \
    GIT_AUTHOR_DATE='@1000000000 +0000' GIT_COMMITTER_DATE='@1000000000 +0000' git -c user.name=a -c user.email=a@b commit -qm first";

/// What a process is killed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// The command runs, and its changes are kept unasked; at any moment of the whole call.
    Whole,
    /// Once the changes are accepted.
    Accepted,
    /// A question about the changes waits, or has just been answered.
    Question,
    Undo,
}

/// How the workspace is after a kill and the next start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Before,
    After,
    /// The changes were accepted when it was killed; the next start did the rest.
    Finished,
    /// An undo goes path by path: another one does the rest.
    Between,
}

/// The same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: Duration) -> Duration {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        most.mul_f64(f64::from(u32::try_from(self.0 >> 32).unwrap()) / f64::from(u32::MAX))
    }
}

/// A workspace, what it is before and after the command, and how long things usually take.
struct Stage {
    shop: Shop,
    before: BTreeMap<String, String>,
    after: BTreeMap<String, String>,
    call: Duration,
    undo: Duration,
}

impl Stage {
    fn new() -> Option<Self> {
        let shop = layered()?;
        for name in ["a.txt", "b.txt"] {
            fs::remove_file(shop.path(name)).unwrap();
        }
        let mut names: Vec<String> = (0..12).map(|n| format!("many/{n}")).collect();
        names.extend(
            "changed gone/1 gone/deep/2 from replaced/same replaced/old/er was-folder/1 was-file run.sh"
                .split(' ')
                .map(str::to_owned),
        );
        for name in names {
            shop.write(&name, "before\n");
        }
        fs::set_permissions(shop.path("gone/deep"), fs::Permissions::from_mode(0o750)).unwrap();
        let git = shop.run(&["--json", "try", "--keep", FIRST]);
        assert_eq!(git.code, 0, "{git:?}");
        let mut stage = Self {
            shop,
            before: BTreeMap::new(),
            after: BTreeMap::new(),
            call: Duration::MAX,
            undo: Duration::MAX,
        };
        stage.before = stage.now();
        // The first call finds out what works here: the second one shows how long it takes.
        for _ in 0..2 {
            let begun = Instant::now();
            let ran = stage.shop.run(&["--mode", "auto", "--json", "call", "bash", &arguments()]);
            stage.call = begun.elapsed();
            assert_eq!((ran.code, &ran.json()["kept"]), (0, &Value::Bool(true)), "{ran:?}");
            stage.after = stage.now();
            let begun = Instant::now();
            let undone = stage.shop.run(&["undo"]);
            stage.undo = begun.elapsed();
            assert_eq!((undone.code, stage.now()), (0, stage.before.clone()), "{undone:?}");
        }
        assert_ne!(stage.before, stage.after);
        Some(stage)
    }

    fn now(&self) -> BTreeMap<String, String> {
        snapshot(&self.shop.path(""))
    }

    fn is_accepted(&self) -> bool {
        let layers = fs::read_dir(self.shop.root.join("data/layers")).into_iter().flatten().flatten();
        layers.map(|entry| entry.path()).any(|layer| layer.join("accepted.json").exists())
    }

    fn spawn(&self, arguments: &[&str]) -> Child {
        let mut command = self.shop.command(arguments);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Starts something and kills it in this phase, `dice` saying when.
    fn kill_in(&self, phase: Phase, dice: &mut Dice) {
        let call = arguments();
        let mut child = match phase {
            Phase::Whole | Phase::Accepted => self.spawn(&["--mode", "auto", "call", "bash", &call]),
            Phase::Question => self.spawn(&["call", "bash", &call, "--wait"]),
            Phase::Undo => self.spawn(&["undo"]),
        };
        match phase {
            Phase::Whole => thread::sleep(dice.below(self.call * 5 / 4)),
            Phase::Undo => {
                let names = || fs::read_dir(self.shop.path("")).unwrap().count();
                let (all, begun) = (names(), Instant::now());
                let most = dice.below(self.undo * 3);
                // Either at any moment of it, or soon after its first change is visible.
                while names() == all && begun.elapsed() < most && child.try_wait().unwrap().is_none() {
                    thread::sleep(Duration::from_micros(200));
                }
                thread::sleep(dice.below(Duration::from_millis(4)));
            }
            Phase::Accepted => {
                // An accepted list is there for a moment only.
                while !self.is_accepted() && child.try_wait().unwrap().is_none() {
                    thread::sleep(Duration::from_micros(200));
                }
                thread::sleep(dice.below(Duration::from_millis(4)));
            }
            Phase::Question => {
                let ids = || -> Vec<String> {
                    let all = self.shop.run(&["approvals", "--json"]).json()["approvals"].take();
                    all.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
                };
                block_until("a question", || !ids().is_empty());
                let mut answer = self.spawn(&["approvals", "answer", &ids()[0], "yes"]);
                thread::sleep(dice.below(self.call / 2));
                child.kill().unwrap();
                answer.wait().unwrap();
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// What the next starts do: two processes at once. How the workspace is then.
    fn sweep(&self, phase: Phase) -> End {
        let layers = self.shop.root.join("data/layers");
        let left = || -> Vec<PathBuf> {
            fs::read_dir(&layers).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
        };
        block_until("the layers are gone", || {
            let mut two = [(); 2].map(|()| self.spawn(&["undo", "--list"]));
            assert!(two.iter_mut().all(|child| child.wait().unwrap().success()), "{phase:?}");
            for layer in left().into_iter().filter(|layer| !layer.join("held").exists()) {
                // One that was just being made is left for a while.
                let long_ago = FileTimes::new().set_modified(SystemTime::now() - Duration::from_hours(1));
                let _ = File::open(layer).and_then(|folder| folder.set_times(long_ago));
            }
            left().is_empty()
        });
        let now = self.now();
        if now == self.after {
            return End::After;
        }
        let different = differences(&self.before, &now);
        if different.is_empty() {
            return End::Before;
        }
        let missing = differences(&self.after, &now);
        assert_eq!(phase, Phase::Undo, "neither before:\n{different}nor after:\n{missing}");
        End::Between
    }
}

/// What is different, a line each.
fn differences(was: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> String {
    let mut all: Vec<&String> =
        was.keys().chain(now.keys()).filter(|path| was.get(*path) != now.get(*path)).collect();
    all.dedup();
    let lines: Vec<String> =
        all.into_iter().map(|path| format!("{path}: {:?} is {:?}\n", was.get(path), now.get(path))).collect();
    lines.concat()
}

fn arguments() -> String {
    serde_json::json!({"command": COMMAND}).to_string()
}

/// Every entry with its kind, mode and content. What an index of Git holds depends on when a file was written.
fn snapshot(top: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut folders = vec![top.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            let content = if meta.is_dir() {
                folders.push(path.clone());
                String::new()
            } else if meta.is_symlink() {
                fs::read_link(&path).unwrap().display().to_string()
            } else if path.ends_with(".git/index") {
                "an index".to_owned()
            } else {
                String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned()
            };
            let name = path.strip_prefix(top).unwrap().display().to_string();
            all.insert(name, format!("{:o} {content}", meta.mode()));
        }
    }
    all
}

/// Two hundred kills, each followed by the next start.
#[test]
fn kill_at_any_moment_leaves_no_command_half_kept() {
    const EACH: &[(Phase, usize)] =
        &[(Phase::Whole, 14), (Phase::Accepted, 16), (Phase::Question, 6), (Phase::Undo, 14)];
    let parts: Vec<_> = (1..=4)
        .map(|seed| {
            thread::spawn(move || {
                let Some(stage) = Stage::new() else { return BTreeMap::new() };
                let mut dice = Dice(seed);
                let mut ends: BTreeMap<(Phase, End), usize> = BTreeMap::new();
                for &(phase, times) in EACH {
                    for _ in 0..times {
                        *ends.entry((phase, round(&stage, phase, &mut dice))).or_default() += 1;
                    }
                }
                let verified = stage.shop.run(&["audit", "verify"]);
                assert_eq!(verified.code, 0, "{verified:?}");
                ends
            })
        })
        .collect();
    for ends in parts {
        let ends = ends.join().unwrap();
        println!("{ends:?}");
        let count = |phase, end| ends.get(&(phase, end)).copied().unwrap_or_default();
        // The moments are not all the same.
        let is_spread = count(Phase::Accepted, End::Finished) > 0 && count(Phase::Whole, End::Before) > 0;
        assert!(ends.is_empty() || is_spread, "{ends:?}");
    }
}

fn round(stage: &Stage, phase: Phase, dice: &mut Dice) -> End {
    if phase == Phase::Undo {
        let ran = stage.shop.run(&["--mode", "auto", "call", "bash", &arguments()]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    stage.kill_in(phase, dice);
    let was_accepted = stage.is_accepted();
    let mut end = stage.sweep(phase);
    if was_accepted {
        assert_eq!(end, End::After, "what was accepted is kept");
        end = End::Finished;
    }
    if end != End::Before {
        let undone = stage.shop.run(&["undo"]);
        assert_eq!(undone.code, 0, "{phase:?}: {undone:?}");
        assert_eq!(differences(&stage.before, &stage.now()), "", "{phase:?}: {undone:?}");
    }
    end
}
