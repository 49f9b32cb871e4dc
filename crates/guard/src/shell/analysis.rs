//! What comes out of reading a command.

use std::{path::Path, sync::Arc};

use deskhand_core::{Access, Effects, Permission};

use super::{
    knowledge::{Knowledge, Nature},
    read::{Likeness, MOST_STEPS, Reading, count_commands, runs_code},
    syntax, text, windows,
};

/// Where a command would run.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// Where it starts: absolute.
    pub cwd: &'a Path,
    pub home: Option<&'a Path>,
    /// Folders whose content may be changed with a moderate question.
    pub workspaces: &'a [&'a Path],
}

/// A path that the command names, as far as it could be resolved: absolute, lexically normal, `~` and variables
/// expanded. It may hold `*` where the command has a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceUse {
    pub path: String,
    pub access: Access,
    pub recursive: bool,
    pub glob: bool,
}

/// What reading a command found out.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Public: it only reads, and may run unasked. Paths in `places` still have to pass the path policy.
    pub permission: Permission,
    /// The rule that decided (`rm:root`, `program:git push`, `unresolved`, …), and why, in words.
    pub rule: String,
    pub why: String,
    /// What it would do, a sentence a command, in the order of the text.
    pub steps: Vec<String>,
    pub programs: Vec<String>,
    pub hosts: Vec<String>,
    /// Paths that it reads, writes or removes by name.
    pub places: Vec<PlaceUse>,
    pub effects: Effects,
    /// All that it does is read, some of it over the network as a program's entry allows (`ping -c`, `curl -I`): give it
    /// the network.
    pub needs_network: bool,
    /// The simple commands that make it more than public, as words: what a remembered answer is about.
    pub commands: Vec<Vec<String>>,
    /// All simple commands that it would run, as words, as far as they are known: what lists of commands are about.
    pub all_commands: Vec<Vec<String>>,
    /// How many steps reading it took: at most [`Shell::MOST_STEPS`], whatever the text.
    pub steps_taken: usize,
    /// Patterns under which a yes could be remembered, narrowest first: `git push origin *`.
    pub patterns: Vec<String>,
}

impl Analysis {
    pub fn only_reading(&self) -> Vec<PlaceUse> {
        self.places.iter().filter(|place| !place.access.writes()).cloned().collect()
    }
}

/// Reads commands: the knowledge of programs, and the rules that a user added. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Shell {
    /// What comes with the program, with a user's own entries; `None` where there are none.
    knowledge: Option<Arc<Knowledge>>,
    /// A user's entries cannot be read: without them nothing may run.
    broken: Option<Arc<str>>,
}

/// Longer than this, a command is not read but asked about.
const MOST_BYTES: usize = 64 * 1024;

impl Shell {
    /// The most steps that reading a command may take; a command that needs more is asked about.
    pub const MOST_STEPS: usize = MOST_STEPS;

    /// With entries of a user's own, in the form of the knowledge files: they win over those that come with it.
    pub fn with_entries(text: &str) -> Result<Self, String> {
        let mut knowledge = Knowledge::built_in().clone();
        knowledge.add(text)?;
        Ok(Self { knowledge: Some(Arc::new(knowledge)), broken: None })
    }

    /// For entries that cannot be read: no command is let through without the rules that its user wrote.
    pub fn broken(why: &str) -> Self {
        Self { knowledge: None, broken: Some(why.into()) }
    }

    /// Why no command is let through, where a user's entries cannot be read.
    pub fn why_broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// Says what `command` would do. Never panics, and takes a bounded number of steps.
    pub fn analyze(&self, command: &str, setting: &Setting<'_>) -> Analysis {
        let knowledge = self.knowledge.as_deref().unwrap_or_else(|| Knowledge::built_in());
        let mut reading = Reading::new(knowledge, setting);
        if let Some(why) = &self.broken {
            reading.forbid("own-rules", format!("Your own rules for programs cannot be read: {why}"));
            return conclude(reading);
        }
        if command.len() > MOST_BYTES {
            reading.unresolved(format!(
                "It is {} bytes long; more than {MOST_BYTES} are not read.",
                command.len()
            ));
            return conclude(reading);
        }
        let (text, odd) = text::cleaned(command);
        if odd || text.contains(text::is_deceptive) || text::has_lone_return(&text) {
            reading
                .unresolved("It holds invisible characters, or such that make it look like something else.");
        }
        if text.contains('\0') {
            reading.unresolved("It holds a NUL character.");
        }
        if let Some(form) = windows::recognise(&text) {
            reading.windows(&text, form);
            if windows::is_only_windows(&text) {
                return conclude(reading);
            }
            return conclude(stricter_as_posix(reading, &text, knowledge, setting));
        }
        if is_fork_bomb(&text) {
            reading.forbid("fork-bomb", "It starts itself again and again.");
        }
        let script = syntax::parse(&text);
        let (broken, commands) = (script.broken, count_commands(&script.root));
        reading.read(script);
        if broken {
            reading.unresolved("It cannot be read as a shell would: quotes or brackets do not match.");
        } else if reading.permission() == Permission::Public && !syntax::grammar::agrees(&text, commands) {
            reading.unresolved("It can be read in more than one way.");
        }
        conclude(reading)
    }
}

/// Windows text may be something else to bash (`find /var …`): where that is stricter, and means something, it counts.
fn stricter_as_posix<'a>(
    windows: Reading<'a>,
    text: &str,
    knowledge: &'a Knowledge,
    setting: &'a Setting<'a>,
) -> Reading<'a> {
    let script = syntax::parse(text);
    let broken = script.broken;
    let mut posix = Reading::new(knowledge, setting);
    posix.read(script);
    let means_something = !broken && posix.knows_its_programs() && !text.trim_end().ends_with("/?");
    let asks_for_help = text.trim_end().ends_with("/?");
    let forbidden = posix.permission() == Permission::Forbidden && !asks_for_help;
    if posix.permission() > windows.permission() && (means_something || forbidden) { posix } else { windows }
}

/// `:(){:|:&};:` by its looks, since other shells read it where bash would not.
fn is_fork_bomb(text: &str) -> bool {
    let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let Some((before, after)) = squeezed.split_once("(){") else { return false };
    let name = before.rsplit([';', '&', '|']).next().unwrap_or_default();
    !name.is_empty() && after.starts_with(&format!("{name}|{name}&}}"))
}

/// What the findings add up to.
fn conclude(mut reading: Reading<'_>) -> Analysis {
    reading.asks_about_the_folder();
    let steps_taken = reading.steps_taken();
    let notes = reading.notes;
    let strictest = notes.findings.iter().map(|found| found.permission).max().unwrap_or(Permission::Public);
    let decided =
        notes.findings.iter().find(|found| found.permission == strictest && strictest > Permission::Public);
    let (rule, mut why) = match decided {
        Some(found) => (found.rule.clone(), found.why.clone()),
        None => ("reads-only".to_owned(), "It only reads what may be read without a question.".to_owned()),
    };
    // What else is as bad is said too, a little of it.
    let mut said = vec![why.clone()];
    for found in
        notes.findings.iter().filter(|found| found.permission == strictest && strictest > Permission::Public)
    {
        if !said.contains(&found.why) && said.len() < 3 {
            why.push(' ');
            why.push_str(&found.why);
            said.push(found.why.clone());
        }
    }
    let patterns = if strictest == Permission::Moderate {
        patterns(&notes.commands, &notes.likenesses)
    } else {
        Vec::new()
    };
    Analysis {
        permission: strictest,
        rule: format!("shell:{rule}"),
        why,
        steps: notes.steps,
        programs: notes.programs,
        hosts: notes.hosts,
        places: notes.places,
        effects: notes.effects,
        // Beside a look-up, nothing else gets the network by it.
        needs_network: notes.needs_network && strictest == Permission::Public,
        all_commands: notes.all_commands,
        commands: notes.commands,
        steps_taken,
        patterns,
    }
}

/// The patterns that cover a single command that is asked about: `git push origin *`, `git push *`.
fn patterns(commands: &[Vec<String>], likenesses: &[Option<Likeness>]) -> Vec<String> {
    let ([words], [likeness]) = (commands, likenesses) else { return Vec::new() };
    let plain = |word: &String| {
        !word.is_empty()
            && !word.starts_with('-')
            && word.chars().all(|c| c.is_ascii_alphanumeric() || "._:-".contains(c))
    };
    let count = words.iter().take_while(|word| plain(word)).count();
    let takes: Vec<usize> = match likeness {
        // A subcommand, and its first word where that is a name: `git push origin`.
        Some(Likeness { named, .. }) if *named > 0 => vec![named + 2, named + 1],
        // What it changes are paths, which are judged each time.
        Some(Likeness { nature: Nature::Write, .. }) => vec![1],
        Some(Likeness { nature: Nature::Execute, .. }) | None => vec![2],
        _ => Vec::new(),
    };
    let is_interpreter = words.first().is_some_and(|name| runs_code(name));
    let fits = |take: &usize| *take <= count && !is_interpreter;
    takes.into_iter().filter(fits).map(|take| format!("{} *", words[..take].join(" "))).collect()
}
