//! What a command would do, as a plan; and the job that comes of it.

use std::{
    path::{Component, Path, PathBuf},
    time::Duration,
};

use deskhand_core::{
    Access, Cx, Effects, Permission, Plan, Preview, Shape, Status, ToolError, ToolResult, Undoable,
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
const MOST_SUMMARY: usize = 200;
/// Beyond a command's own limit, for ending it; then the gate ends the call.
const MARGIN: Duration = Duration::from_secs(10);
/// Programs whose business hooks and settings of git are.
const KEEPS_GIT: &[&str] =
    &["git", "gh", "hub", "glab", "jj", "tig", "lazygit", "pre-commit", "husky", "lefthook", "git-lfs"];
const SHELLS: &[&str] = &["bash", "sh", "dash", "zsh", "ksh", "fish", "ash", "busybox"];

pub fn plan(input: &Input, cx: &Cx) -> ToolResult<Plan> {
    let line = input.line()?;
    let cwd = folder(input, cx)?;
    let analysis = analyse(&line, &cwd, cx)?;
    check_rules(input, &analysis, cx)?;
    let mut plan = Plan::new(format!("Run: {}", short(&line, MOST_SUMMARY)))
        .at_least(analysis.permission, analysis.rule.clone(), analysis.why.clone())
        .effects(analysis.effects);
    if plan.permission != Permission::Forbidden {
        confinement(cx)?;
        plan = with_places(plan, &analysis, cx)?;
    }
    plan = with_doubts(plan, &analysis, &cwd, cx)?;
    if plan.permission == Permission::Moderate && cx.service::<ShellLists>()?.allows(&analysis) {
        plan.permission = Permission::Public;
        "shell:allow".clone_into(&mut plan.rule);
        "The setting shell.allow lets it run without a question.".clone_into(&mut plan.why);
    }
    plan = with_network(plan, input, &analysis);
    if plan.permission != Permission::Forbidden {
        let (view, network) = reach(input, &analysis, &plan);
        plan.confinement = Some(confinement(cx)?.words_for(view, network));
    }
    if analysis.rule.contains("privilege:")
        || analysis.programs.iter().any(|name| matches!(base_name(name), "sudo" | "su" | "doas" | "pkexec"))
    {
        plan =
            plan.note("A confined program gets no other rights than it has: sudo and its like do not work.");
    }
    // A yes about a folder is not one about what runs in it.
    plan.shapes.clear();
    plan.programs.clone_from(&analysis.programs);
    plan.hosts.clone_from(&analysis.hosts);
    plan.commands.clone_from(&analysis.commands);
    plan.timeout =
        Some(if input.background { MARGIN } else { input.time_limit().unwrap_or_default() + MARGIN });
    plan = with_shapes(plan, input, &analysis, &cwd, cx)?;
    plan.cwd = Some(cwd);
    plan.undo = if plan.effects.change_state() {
        Undoable::No("what a command changes is not journaled".to_owned())
    } else {
        Undoable::NothingToUndo
    };
    Ok(plan.preview(Preview::Text(preview(input, &line, &analysis))))
}

/// What to run, for a plan that was approved; and whether it is a shell, which reads commands itself.
pub fn job(input: &Input, cx: &Cx) -> ToolResult<(Sandbox, Job, bool)> {
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
        protects_git: !analysis.programs.iter().any(|name| KEEPS_GIT.contains(&base_name(name))),
        revealed: secrets.map(|touch| touch.path.clone()).collect(),
        temporary: cx.service::<ShellPlaces>()?.temporary(cx.session_id())?,
        env: Vec::new(),
    };
    confinement(cx)?;
    let shells = analysis.programs.iter().any(|program| SHELLS.contains(&base_name(program)));
    Ok((cx.service::<Sandbox>()?.clone(), job, shells))
}

/// How much of the machine a command sees, and whether it gets the network. What a list or a setting let through
/// unasked was still found to do more than look.
fn reach(input: &Input, analysis: &Analysis, plan: &Plan) -> (View, bool) {
    let looks = plan.permission == Permission::Public && analysis.permission == Permission::Public;
    let view = if looks { View::Look } else { View::Work };
    (view, input.network || looks && analysis.needs_network)
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

/// What would only be a look is asked about where the sandbox cannot make sure of that.
fn with_doubts(plan: Plan, analysis: &Analysis, cwd: &Path, cx: &Cx) -> ToolResult<Plan> {
    if plan.permission != Permission::Public {
        return Ok(plan);
    }
    let sandbox = cx.service::<Sandbox>()?;
    let runs = |names: &[&str]| analysis.programs.iter().any(|program| names.contains(&base_name(program)));
    let named = analysis.places.iter().map(|place| Path::new(&place.path));
    if runs(&["git"]) && sandbox.git_names_programs(named.chain([cwd])) {
        let why = "The repository's own settings may name programs that git runs by itself.";
        return Ok(plan.at_least(Permission::Moderate, "shell:git-config", why));
    }
    let whole = analysis.places.iter().any(|place| place.recursive);
    if whole && runs(&["grep", "egrep", "fgrep", "zgrep"]) && !sandbox.finds_all_secrets() {
        let why = "The workspace is too large to hide every secret file in it from what reads all of it.";
        return Ok(plan.at_least(Permission::Moderate, "shell:not-all-hidden", why));
    }
    Ok(plan)
}

/// Puts every path that the command names through the path policy.
pub fn with_places(mut plan: Plan, analysis: &Analysis, cx: &Cx) -> ToolResult<Plan> {
    let paths = cx.paths()?;
    let roots = cx.service::<Paths>()?.roots();
    let in_workspace =
        |path: &Path| roots.iter().any(|r| r.kind == RootKind::Workspace && path.starts_with(&r.path));
    let mut refused = Vec::new();
    for place in &analysis.places {
        let path = Path::new(&place.path);
        if place.access.writes() && !in_workspace(path) && !is_sink(path) {
            refused.push(short(&place.path, MOST_SUMMARY));
        }
        if is_private(place, &paths) {
            continue;
        }
        plan = if place.glob { by_name(plan, place, &paths)? } else { on_place(plan, place, &paths)? };
    }
    for path in refused {
        plan = plan.note(format!(
            "Writing {path} will be refused: only the workspace and a private /tmp can be written."
        ));
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
