//! A tool that goes on until it is stopped, and tells how often it runs now.

use std::{
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use deskhand_core::{Cx, Effects, Permission, Plan, SessionEnd, Spec, Tool, ToolError, ToolResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

/// How many of its calls run.
#[derive(Clone, Default)]
pub struct Running(pub Arc<AtomicUsize>);

/// The sessions that are over.
#[derive(Clone, Default)]
pub struct Ended(pub tokio::sync::watch::Sender<Vec<String>>);

impl SessionEnd for Ended {
    fn session_ended<'a>(&'a self, session_id: &'a str) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        self.0.send_modify(|sessions| sessions.push(session_id.to_owned()));
        Box::pin(std::future::ready(()))
    }
}

/// What tells the calls that were made of it to stop.
#[derive(Clone, Default)]
pub struct Stops(pub Arc<Mutex<Vec<CancellationToken>>>);

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

#[derive(Serialize, JsonSchema)]
pub struct Output {}

/// Acts on the desktop, as far as the gate knows.
pub struct PressKey;

impl Tool for PressKey {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec::new("press_key", "A probe.")
        .permission(Permission::Public)
        .effects(Effects::DESKTOP)
        .toolsets(&["probe"]);

    async fn plan(&self, _: &Input, _: &Cx) -> ToolResult<Plan> {
        let mut plan = Plan::new("Press a key.");
        plan.effects = Effects::DESKTOP;
        Ok(plan)
    }

    async fn run(&self, _: Input, _: &Cx) -> ToolResult<Output> {
        Ok(Output {})
    }
}

/// Runs a program, as far as the gate knows.
pub struct RunThing;

impl Tool for RunThing {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec::new("run_thing", "A probe.")
        .permission(Permission::Moderate)
        .effects(Effects::EXECUTES)
        .toolsets(&["probe"]);

    async fn plan(&self, _: &Input, _: &Cx) -> ToolResult<Plan> {
        let mut plan = Plan::new("Run a thing.").at_least(Permission::Moderate, "probe", "it is a probe");
        plan.effects = Effects::EXECUTES;
        Ok(plan)
    }

    async fn run(&self, _: Input, _: &Cx) -> ToolResult<Output> {
        Ok(Output {})
    }
}

pub struct Endless;

impl Tool for Endless {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec::new("endless", "Goes on until it is stopped.")
        .permission(Permission::Public)
        .effects(Effects::READS)
        .toolsets(&["probe"]);

    async fn plan(&self, _: &Input, _: &Cx) -> ToolResult<Plan> {
        Ok(Plan::new("Go on."))
    }

    async fn run(&self, _: Input, cx: &Cx) -> ToolResult<Output> {
        let running = cx.service::<Running>()?.0.clone();
        cx.service::<Stops>()?.0.lock().unwrap().push(cx.cancel_token().clone());
        running.fetch_add(1, Ordering::SeqCst);
        for done in 0_u64.. {
            cx.progress(&format!("step {done}"), None, None);
            tokio::select! {
                () = cx.cancel_token().cancelled() => break,
                () = tokio::time::sleep(std::time::Duration::from_millis(5)) => {}
            }
        }
        running.fetch_sub(1, Ordering::SeqCst);
        Err(ToolError::cancelled())
    }
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pieces {
    #[serde(default)]
    pieces: Vec<String>,
    /// From where they are, as far as the gate knows.
    outside: Option<String>,
}

/// Prints what it is told to, piece by piece, slowly enough for each to be told.
pub struct Prints;

impl Tool for Prints {
    type Input = Pieces;
    type Output = Output;
    const SPEC: Spec = Spec::new("prints", "A probe.")
        .permission(Permission::Public)
        .effects(Effects::READS)
        .toolsets(&["probe"]);

    async fn plan(&self, input: &Pieces, _: &Cx) -> ToolResult<Plan> {
        let mut plan = Plan::new("Print.");
        plan.outside.clone_from(&input.outside);
        Ok(plan)
    }

    async fn run(&self, input: Pieces, cx: &Cx) -> ToolResult<Output> {
        for (done, piece) in (1..).zip(&input.pieces) {
            cx.prints(piece);
            tokio::time::sleep(std::time::Duration::from_millis(150)).await;
            cx.progress("", Some(done), None);
            tokio::time::sleep(std::time::Duration::from_millis(150)).await;
        }
        Ok(Output {})
    }
}

/// Runs a program, as far as the gate knows.
pub struct Runs;

impl Tool for Runs {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec::new("runs", "A probe.")
        .permission(Permission::Moderate)
        .effects(Effects::EXECUTES)
        .toolsets(&["probe"]);

    async fn plan(&self, _: &Input, _: &Cx) -> ToolResult<Plan> {
        let mut plan = Plan::new("Run a program.");
        plan.effects = Effects::EXECUTES;
        plan.programs = vec!["make".to_owned()];
        plan.commands = vec![vec!["make".to_owned()]];
        Ok(plan)
    }

    async fn run(&self, _: Input, _: &Cx) -> ToolResult<Output> {
        Ok(Output {})
    }
}
