//! What a command would do, as a plan; and the job that comes of it.

use std::{
    path::{Component, Path, PathBuf},
    time::Duration,
};

use deskhand_core::{
    Access, Cx, Effects, Permission, Plan, Preview, Runs, Shape, Status, ToolError, ToolResult,
};
use deskhand_guard::{
    BoundPaths, PathArg, Paths, PathsOf, PlanOn,
    paths::RootKind,
    sandbox::{InForce, Job, Sandbox, View},
    shell::{Analysis, PlaceUse, Setting, Shell},
};

use super::{
    super::{
        command_line::{base_name, short},
        lists::ShellLists,
        places::ShellPlaces,
        strict,
    },
    input::{Input, Profile},
};

/// How much of a command stands in the one sentence of its plan.
pub const MOST_SUMMARY: usize = 200;
/// Beyond a command's own limit, for ending it; then the gate ends the call.
const MARGIN: Duration = Duration::from_secs(10);
/// How long a command may wait for another one in the same workspace.
pub const MOST_WAIT: Duration = Duration::from_mins(10);
/// Programs whose business hooks and settings of git are.
const KEEPS_GIT: &[&str] =
    &["git", "gh", "hub", "glab", "jj", "tig", "lazygit", "pre-commit", "husky", "lefthook", "git-lfs"];
const SHELLS: &[&str] = &["bash", "sh", "dash", "zsh", "ksh", "fish", "ash", "busybox"];

pub fn plan(input: &Input, cx: &Cx) -> ToolResult<Plan> {
    let line = input.line()?;
    let cwd = folder(input, cx)?;
    let analysis = analyse(&line, &cwd, cx)?;
    check_rules(input, &analysis, cx)?;
    let summary = format!("Run: {}", short(&line, MOST_SUMMARY));
    if analysis.permission == Permission::Forbidden {
        let plan =
            Plan::new(summary).at_least(analysis.permission, analysis.rule.clone(), analysis.why.clone());
        return Ok(described(plan, input, &line, &analysis, cwd));
    }
    confinement(cx)?;
    let way = way(input, &analysis, cx)?;
    let mut plan = match way {
        Way::Layer | Way::ReadOnly => contained(Plan::new(summary), &analysis, cx)?,
        Way::Direct => {
            let why = analysis.why.clone();
            let plan = Plan::new(summary).at_least(analysis.permission, analysis.rule.clone(), why);
            let plan = with_places(plan.effects(analysis.effects), &analysis.places, cx)?;
            direct(plan, input)
        }
    };
    let is_escalated = way == Way::Direct && !input.background;
    if plan.permission == Permission::Moderate
        && !is_escalated
        && cx.service::<ShellLists>()?.allows(&analysis)
    {
        plan.permission = Permission::Public;
        "shell:allow".clone_into(&mut plan.rule);
        "The setting shell.allow lets it run without a question.".clone_into(&mut plan.why);
    }
    plan = with_network(plan, input, &analysis);
    let (_, network) = reach(input, &analysis, &plan);
    plan.runs = Some(way.runs());
    plan.confinement = Some(confinement(cx)?.words_for(way.runs(), network));
    plan.timeout = Some(if input.background {
        MARGIN
    } else {
        input.time_limit().unwrap_or_default() + MOST_WAIT + MARGIN
    });
    // A yes about a folder is not one about what runs in it.
    plan.shapes.clear();
    plan = with_shapes(plan, input, &analysis, &cwd, cx)?;
    Ok(described(plan, input, &line, &analysis, cwd))
}

/// How a command reaches the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Layer,
    ReadOnly,
    Direct,
}

impl Way {
    fn runs(self) -> Runs {
        match self {
            Self::Layer => Runs::Layer,
            Self::ReadOnly => Runs::ReadOnly,
            Self::Direct => Runs::Direct,
        }
    }
}

/// On a layer where there is one. Without one a command first runs read-only, and directly only if that was not enough.
/// What outlives its call has no moment at which its changes could be shown: it runs directly, unless it only reads.
fn way(input: &Input, analysis: &Analysis, cx: &Cx) -> ToolResult<Way> {
    if input.background {
        return Ok(if analysis.permission == Permission::Public { Way::ReadOnly } else { Way::Direct });
    }
    if cx.service::<ShellPlaces>()?.must_write(cx.call_id()) {
        return Ok(Way::Direct);
    }
    Ok(if cx.service::<Sandbox>()?.no_layer().is_none() { Way::Layer } else { Way::ReadOnly })
}

/// The plan of a command that changes nothing by itself. What it names is judged all the same: what it would read, and
/// what it cannot do here.
fn contained(plan: Plan, analysis: &Analysis, cx: &Cx) -> ToolResult<Plan> {
    if asks_for_privileges(analysis) {
        let message = "A confined program gets no other rights than it has: sudo and its like do not work.";
        return Err(ToolError::blocked("shell:privileges", message)
            .hint("Ask the user to run it, or do it without other rights."));
    }
    let roots = cx.service::<Paths>()?.roots();
    let in_workspace =
        |path: &Path| roots.iter().any(|r| r.kind == RootKind::Workspace && path.starts_with(&r.path));
    let writes_outside = analysis.places.iter().find(|place| {
        let path = Path::new(&place.path);
        // A name of which a part is not known says nothing.
        let is_known = !place.path.contains('…');
        place.access.writes() && is_known && !in_workspace(path) && !is_sink(path)
    });
    if let Some(place) = writes_outside {
        let message = format!(
            "Commands can write the workspace and a private /tmp, and this one would write {}.",
            short(&place.path, MOST_SUMMARY)
        );
        return Err(ToolError::blocked("path:outside-write", message)
            .hint("write_file, file_copy, file_move and file_delete can ask the user for it."));
    }
    // What it changes in the workspace is judged when it has.
    let judged = with_places(Plan::new(""), &analysis.only_reading(), cx)?;
    let mut plan = plan.at_least(judged.permission, judged.rule, judged.why).effects(Effects::READS);
    plan.touches = judged.touches;
    let runs = |names: &[&str]| analysis.programs.iter().any(|program| names.contains(&base_name(program)));
    let reads_all = analysis.places.iter().any(|place| place.recursive);
    if reads_all
        && runs(&["grep", "egrep", "fgrep", "zgrep"])
        && !cx.service::<Sandbox>()?.finds_all_secrets()
    {
        let why = "The workspace is too large to hide every secret file in it from what reads all of it.";
        plan = plan.at_least(Permission::Moderate, "shell:not-all-hidden", why);
    }
    if plan.permission == Permission::Public {
        "shell:contained".clone_into(&mut plan.rule);
        "It is confined, and what it changes is shown before it is kept.".clone_into(&mut plan.why);
    }
    Ok(plan)
}

fn direct(plan: Plan, input: &Input) -> Plan {
    // A program decides by what it prints whether it gets here after its first try: nothing that was said before covers it.
    let (permission, why) = if input.background {
        (Permission::Moderate, "It continues after the call: its changes take effect at once.")
    } else {
        (Permission::Sensitive, "It needs more than a layer can give here: its changes take effect at once.")
    };
    plan.effects(Effects::EXECUTES)
        .at_least(permission, "shell:direct", why)
        .not_undoable("a command that runs directly is not journaled")
}

fn asks_for_privileges(analysis: &Analysis) -> bool {
    analysis.rule.contains("privilege:")
        || analysis.programs.iter().any(|name| matches!(base_name(name), "sudo" | "su" | "doas" | "pkexec"))
}

/// What people read of a plan, and what remembered answers are about.
fn described(mut plan: Plan, input: &Input, line: &str, analysis: &Analysis, cwd: PathBuf) -> Plan {
    plan.programs.clone_from(&analysis.programs);
    plan.hosts.clone_from(&analysis.hosts);
    plan.commands.clone_from(&analysis.commands);
    plan.all_commands.clone_from(&analysis.all_commands);
    plan.cwd = Some(cwd);
    plan.preview(Preview::Text(preview(input, line, analysis)))
}

/// What to run, for a plan that was approved.
pub struct Planned {
    pub sandbox: Sandbox,
    pub job: Job,
    pub way: Way,
    /// Whether it is a shell, which reads commands itself.
    pub shells: bool,
    /// Whether its text says that it writes.
    pub seems_to_write: bool,
    /// Whether `shell.allow` lists it: undoable changes are kept without a question.
    pub is_listed: bool,
}

pub fn job(input: &Input, cx: &Cx) -> ToolResult<Planned> {
    let line = input.line()?;
    let argv = input.to_argv()?;
    let cwd = folder(input, cx)?;
    let analysis = analyse(&line, &cwd, cx)?;
    let Some(plan) = cx.plan() else {
        return Err(ToolError::new("not_planned", "There is no plan to run by."));
    };
    let secrets =
        plan.touches.iter().filter(|t| t.access == Access::Read && t.permission == Permission::Sensitive);
    let (view, network) = reach(input, &analysis, plan);
    let job = Job {
        argv: argv.into_iter().map(Into::into).collect(),
        cwd,
        view,
        network,
        layer: None,
        protects_git: !analysis.programs.iter().any(|name| KEEPS_GIT.contains(&base_name(name))),
        revealed: secrets.map(|touch| touch.path.clone()).collect(),
        temporary: cx.service::<ShellPlaces>()?.temporary(cx.session_id())?,
        env: Vec::new(),
    };
    confinement(cx)?;
    let shells = analysis.programs.iter().any(|program| SHELLS.contains(&base_name(program)));
    let seems_to_write = analysis.effects.writes;
    let is_listed = cx.service::<ShellLists>()?.allows(&analysis);
    let sandbox = cx.service::<Sandbox>()?.clone();
    Ok(Planned { sandbox, job, way: way(input, &analysis, cx)?, shells, seems_to_write, is_listed })
}

/// How much of the machine a command sees, and whether it gets the network. A person who said yes to reading outside, or
/// to running directly, said so knowing the command; one that runs unasked sees the workspace and the system.
fn reach(input: &Input, analysis: &Analysis, plan: &Plan) -> (View, bool) {
    let looks_up = analysis.permission == Permission::Public && analysis.needs_network;
    let is_asked = plan.permission != Permission::Public || plan.rule == "shell:allow";
    let view = if is_asked { View::Work } else { View::Look };
    (view, input.network || looks_up && !is_asked)
}

/// What a command would do if it ran in `cwd`.
pub fn analyse(line: &str, cwd: &Path, cx: &Cx) -> ToolResult<Analysis> {
    let roots = cx.service::<Paths>()?.roots().iter();
    let workspaces: Vec<&Path> =
        roots.filter(|root| root.kind == RootKind::Workspace).map(|root| root.path.as_path()).collect();
    let setting = Setting { cwd, home: cx.service::<ShellPlaces>()?.home(), workspaces: &workspaces };
    Ok(cx.service::<Shell>()?.analyze(line, &setting))
}

/// What is in force; where nothing is, the call is refused, never run bare.
pub fn confinement(cx: &Cx) -> ToolResult<&InForce> {
    let in_force = cx.service::<Sandbox>()?.in_force();
    in_force.map_err(|error| ToolError { status: Status::Blocked, ..error })
}

/// The folder to run in: a real one, in a root.
fn folder(input: &Input, cx: &Cx) -> ToolResult<PathBuf> {
    let paths = cx.service::<Paths>()?;
    let Some(cwd) = &input.cwd else { return Ok(paths.workspace().to_path_buf()) };
    let place = cx.paths()?.readable(cwd)?;
    let inside = paths.roots().iter().any(|root| place.path().starts_with(&root.path));
    if !inside || place.kind() != deskhand_guard::Kind::Folder {
        let message = format!("Commands cannot run in {cwd}: it is no folder in the workspace.");
        return Err(ToolError::invalid("invalid_cwd", message).hint("Leave cwd out to run in the workspace."));
    }
    Ok(place.path().to_path_buf())
}

/// The lists of the settings, and those of other systems under their own names.
fn check_rules(input: &Input, analysis: &Analysis, cx: &Cx) -> ToolResult<()> {
    cx.service::<ShellLists>()?.check(analysis)?;
    match input.profile {
        None => Ok(()),
        Some(Profile::Strict) => strict::check_lists(analysis),
        Some(Profile::TenCommands) => strict::check_ten(input.argv.as_deref().unwrap_or_default()),
    }
}

/// Puts every path that the command names through the path policy.
pub fn with_places(mut plan: Plan, places: &[PlaceUse], cx: &Cx) -> ToolResult<Plan> {
    let paths = cx.paths()?;
    for place in places {
        if is_private(place, &paths) {
            continue;
        }
        plan = if place.glob { by_name(plan, place, &paths)? } else { on_place(plan, place, &paths)? };
    }
    Ok(plan)
}

/// Writing here changes nothing that lasts: devices that keep nothing, and what is a private folder inside.
fn is_sink(path: &Path) -> bool {
    ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/tmp", "/var/tmp"]
        .iter()
        .any(|sink| path.starts_with(sink))
}

/// Whether the policy has nothing to say of a path because it is not the machine's own.
fn is_private(place: &PlaceUse, paths: &BoundPaths<'_>) -> bool {
    let path = Path::new(&place.path);
    let rule = || paths.verdict(path, place.access).map(|(_, rule, _)| rule);
    let outside =
        |rule: &str| matches!(rule, "path:outside-write" | "path:outside-read" | "path:system-private");
    let replaced =
        place.access == Access::Read && ["/dev", "/proc", "/run"].iter().any(|own| path.starts_with(own));
    (is_sink(path) || replaced) && rule().is_ok_and(outside)
}

fn on_place(plan: Plan, place: &PlaceUse, paths: &BoundPaths<'_>) -> ToolResult<Plan> {
    let arg = PathArg::new(&place.path);
    let found = match place.access {
        Access::Read => paths.readable(&arg),
        Access::Create | Access::Modify => paths.writable(&arg),
        Access::Delete => paths.removable(&arg),
    };
    match found {
        Ok(found) if place.recursive => Ok(plan.on_tree(&found)),
        Ok(found) => Ok(plan.on(&found)),
        Err(error) if error.status == Status::Blocked => Err(error),
        // What is not there (yet), or cannot be looked at, is judged by its name.
        Err(_) => by_name(plan, place, paths),
    }
}

/// Judges a path by its name, and a pattern of names also by the folder that it is about.
fn by_name(mut plan: Plan, place: &PlaceUse, paths: &BoundPaths<'_>) -> ToolResult<Plan> {
    let named = &normal(Path::new(&place.path));
    let folder: PathBuf = named
        .components()
        .take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '[']))
        .collect();
    // The folder itself is not removed by what removes things in it.
    let inside = if place.access == Access::Delete { Access::Modify } else { place.access };
    let judged = [(named.as_path(), place.access), (folder.as_path(), inside)];
    for (path, access) in judged.into_iter().take(if place.glob { 2 } else { 1 }) {
        let (permission, rule, why) = paths.verdict(path, access)?;
        plan = plan.at_least(permission, rule, why);
    }
    Ok(plan)
}

/// Without `..`: a name is judged by where it is.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

fn with_network(mut plan: Plan, input: &Input, analysis: &Analysis) -> Plan {
    if input.network {
        plan = plan.effects(Effects::NETWORK).at_least(
            Permission::Moderate,
            "network",
            "It asks for the network.",
        );
        plan.with_network = true;
        plan = plan.note(if analysis.hosts.is_empty() {
            "It gets the network, and could reach any host.".to_owned()
        } else {
            format!("It gets the network. It names {}, and could reach any host.", analysis.hosts.join(", "))
        });
    } else if analysis.needs_network && plan.permission == Permission::Public {
        plan = plan.effects(Effects::NETWORK);
    } else if analysis.effects.network && plan.permission != Permission::Forbidden {
        plan = plan
            .note("It would use the network, which it does not get: the call does not ask for it (network).");
    }
    plan
}

/// The patterns that a yes can be remembered for. One that holds a secret is not offered.
fn with_shapes(mut plan: Plan, input: &Input, analysis: &Analysis, cwd: &Path, cx: &Cx) -> ToolResult<Plan> {
    let roots = cx.service::<Paths>()?.roots().iter();
    let Some(root) =
        roots.filter(|root| cwd.starts_with(&root.path)).max_by_key(|root| root.path.components().count())
    else {
        return Ok(plan);
    };
    for pattern in &analysis.patterns {
        if cx.mask(pattern) != *pattern {
            continue;
        }
        if let Ok(pattern) = pattern.parse() {
            plan = plan.shape(Shape::Command { pattern, folder: root.path.clone(), network: input.network });
        }
    }
    Ok(plan)
}

/// The whole command, and what it would do step by step.
fn preview(input: &Input, line: &str, analysis: &Analysis) -> String {
    let mut text =
        if input.argv.is_some() { format!("{line}\n(started without a shell)") } else { format!("$ {line}") };
    for (n, step) in analysis.steps.iter().enumerate() {
        text.push_str(&format!("\n{}. {step}", n + 1));
    }
    text
}
