//! What the gate itself costs: a tool that does nothing, from find to record.

use std::time::Instant;

use deskhand_core::{Cx, Effects, Permission, Plan, Registry, Spec, Tool, ToolResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    desk::Desk,
    report::{Report, median},
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Anything.
    path: String,
    /// Anything.
    #[serde(default)]
    limit: u32,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    length: usize,
}

/// A tool that does nothing.
struct Nothing;

impl Tool for Nothing {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec =
        Spec::new("nothing", "Does nothing.").permission(Permission::Public).effects(Effects::READS);

    async fn plan(&self, _: &Input, _: &Cx) -> ToolResult<Plan> {
        Ok(Plan::new("Do nothing").effects(Effects::READS))
    }

    async fn run(&self, input: Input, _: &Cx) -> ToolResult<Output> {
        Ok(Output { length: input.path.len() + input.limit as usize })
    }
}

/// So many tools, each with a name of its own; the one that is called is among them.
pub fn registry_of(count: usize) -> Registry {
    let mut registry = Registry::new();
    registry.add(Nothing);
    for n in 1..count {
        let name: &'static str = Box::leak(format!("nothing_{n}").into_boxed_str());
        registry.add_as(Spec { name, ..Nothing::SPEC }, Nothing);
    }
    registry
}

pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    const CALLS: usize = 20_000;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let (small, large) = (Desk::new(registry_of(10))?, Desk::new(registry_of(1_000))?);
    runtime.block_on(async {
        let mut timed = (Vec::with_capacity(CALLS), Vec::with_capacity(CALLS));
        for n in 0..CALLS + 100 {
            let arguments = json!({"path": "src/main.rs", "limit": n % 50});
            let started = Instant::now();
            small.call("nothing", arguments.clone()).await;
            let one = started.elapsed();
            let started = Instant::now();
            large.call("nothing", arguments).await;
            if n >= 100 {
                timed.0.push(one);
                timed.1.push(started.elapsed());
            }
        }
        let (small, large) = (median(timed.0), median(timed.1));
        let micros = small.as_secs_f64() * 1e6;
        report.row(
            "gate, one call of a tool that does nothing, median",
            format!("{micros:.1} µs"),
            "at most 30 µs",
            micros <= 30.0,
        );
        let growth = large.as_secs_f64() / small.as_secs_f64();
        let measured = format!("{:.1} µs against {micros:.1} µs: {growth:.2} ×", large.as_secs_f64() * 1e6);
        report.row("gate, 1,000 tools against 10", measured, "no growth (at most 1.1 ×)", growth <= 1.1);
    });
    let desk = Desk::new(deskhand_tools::registry())?;
    runtime.block_on(async {
        let mut timed = Vec::new();
        for n in 0..300 {
            let started = Instant::now();
            desk.call("write_file", json!({"path": "a.txt", "content": format!("content {n}\n")})).await;
            timed.push(started.elapsed());
        }
        let millis = median(timed).as_secs_f64() * 1e3;
        report.fact(
            "write_file of one line, with journal and audit on disk, median",
            format!("{millis:.2} ms"),
        );
    });
    Ok(())
}
