//! What real agents would have been asked: the shell calls of recorded runs, explained one after the other. Nothing runs.
//!
//! `TRACES` names a file of `{"run", "tool", "args", "cwd"}` lines. Each question is answered with the widest yes that
//! may be remembered, as a person would who wants to be asked little.

use std::{collections::BTreeMap, fs};

use anyhow::Context;
use deskhand_core::{
    Grant, GrantEffect, Mode, Request, Scope, SessionCx, Shape, Time, gate::Keep, id::new_id,
};
use serde_json::{Value, json};

use crate::{desk::Desk, report::Report};

/// The rules of effects that a person decides about each time.
const EACH_TIME: [&str; 2] = ["effect:large-delete", "effect:runs-later"];

#[derive(Default)]
struct Count {
    calls: usize,
    refused: usize,
    /// Questions before a call runs, by rule.
    to_run: BTreeMap<String, usize>,
    /// The first change in each workspace.
    to_keep: usize,
}

pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    let Ok(file) = std::env::var("TRACES") else {
        report.fact("questions on agent traces", "not measured: TRACES names no file".to_owned());
        return Ok(());
    };
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for mode in [Mode::Ask, Mode::Auto] {
        let mut count = Count::default();
        let desk = Desk::new(deskhand_tools::registry())?;
        for line in text.lines() {
            let row: Value = serde_json::from_str(line)?;
            runtime.block_on(one(&desk, &row, mode, &mut count))?;
        }
        say(report, mode, &count);
    }
    Ok(())
}

async fn one(desk: &Desk, row: &Value, mode: Mode, count: &mut Count) -> anyhow::Result<()> {
    let word = |field: &str| row[field].as_str().unwrap_or_default();
    let command = row["args"]["command"].as_str().context("a call without a command")?;
    // The folder that the agent worked in is the workspace here.
    let here = desk.workspace.display().to_string();
    let command =
        if word("cwd").len() > 1 { command.replace(word("cwd"), &here) } else { command.to_owned() };
    let mut session = desk.session.clone().in_mode(mode);
    word("run").clone_into(&mut session.id);
    count.calls += 1;
    let explained = desk.gate.explain(Request::new("bash", json!({"command": command})), &session).await;
    let Ok(explained) = explained else {
        count.refused += 1;
        return Ok(());
    };
    match explained.decision {
        "forbid" => count.refused += 1,
        "ask" => {
            *count.to_run.entry(explained.rule).or_default() += 1;
            let shapes = explained.plan.map(|plan| plan.shapes).unwrap_or_default();
            if let Some(shape) = shapes.into_iter().next_back() {
                grant(desk, &session, shape)?;
            }
        }
        _ => {}
    }
    if explained.keep == Some(Keep::Ask) {
        count.to_keep += 1;
        grant(desk, &session, Shape::Changes { workspace: desk.workspace.clone() })?;
    }
    Ok(())
}

fn grant(desk: &Desk, session: &SessionCx, shape: Shape) -> anyhow::Result<()> {
    desk.gate.grants.add(&Grant {
        id: new_id(),
        owner: None,
        effect: GrantEffect::Allow,
        tool: shape.tool("bash"),
        shape,
        scope: Scope::Session { id: session.id.clone() },
        until: None,
        created_at: Time::now(),
        created_by: "person:bench".to_owned(),
        reason: None,
    })?;
    Ok(())
}

fn say(report: &mut Report, mode: Mode, count: &Count) {
    let is_expected = |rule: &str| {
        EACH_TIME.contains(&rule)
            || ["network", "path:outside-read"].contains(&rule)
            || rule.starts_with("outside:")
    };
    let others: usize = count.to_run.iter().filter(|(rule, _)| !is_expected(rule)).map(|(_, n)| n).sum();
    let all: usize = count.to_run.values().sum::<usize>() + count.to_keep;
    let rules: Vec<String> = count.to_run.iter().map(|(rule, n)| format!("{n} {rule}")).collect();
    report.row(
        &format!("agent traces, mode {mode}: questions that are not about large deletions, what runs later, hosts, outside folders or the first change"),
        format!(
            "{others} of {all} questions on {} calls ({} first changes; {}); {} refused",
            count.calls,
            count.to_keep,
            rules.join(", "),
            count.refused
        ),
        "none",
        others == 0,
    );
}
