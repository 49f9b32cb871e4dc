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

/// A tool that does nothing. `N` gives it a name of its own.
struct Nothing<const N: usize>;

const NAMES: [&str; 1_000] = names();

/// A thousand names, made at compile time.
const fn names() -> [&'static str; 1_000] {
    // Names are only told apart by their place in this text.
    const TEXT: &str = include_str!("names.txt");
    let mut all = [""; 1_000];
    let mut n = 0;
    while n < 1_000 {
        let (_, rest) = TEXT.split_at(n * 8);
        let (name, _) = rest.split_at(7);
        all[n] = name;
        n += 1;
    }
    all
}

impl<const N: usize> Tool for Nothing<N> {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec =
        Spec::new(NAMES[N], "Does nothing.").permission(Permission::Public).effects(Effects::READS);

    async fn plan(&self, _: &Input, _: &Cx) -> ToolResult<Plan> {
        Ok(Plan::new("Do nothing").effects(Effects::READS))
    }

    async fn run(&self, input: Input, _: &Cx) -> ToolResult<Output> {
        Ok(Output { length: input.path.len() + input.limit as usize })
    }
}

macro_rules! ten {
    ($registry:ident, $($tens:literal)*) => { $(
        $registry.add(Nothing::<{ $tens * 10 }>); $registry.add(Nothing::<{ $tens * 10 + 1 }>);
        $registry.add(Nothing::<{ $tens * 10 + 2 }>); $registry.add(Nothing::<{ $tens * 10 + 3 }>);
        $registry.add(Nothing::<{ $tens * 10 + 4 }>); $registry.add(Nothing::<{ $tens * 10 + 5 }>);
        $registry.add(Nothing::<{ $tens * 10 + 6 }>); $registry.add(Nothing::<{ $tens * 10 + 7 }>);
        $registry.add(Nothing::<{ $tens * 10 + 8 }>); $registry.add(Nothing::<{ $tens * 10 + 9 }>);
    )* };
}

fn few() -> Registry {
    let mut registry = Registry::new();
    ten!(registry, 0);
    registry
}

fn many() -> Registry {
    let mut registry = Registry::new();
    ten!(registry, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35
        36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72
        73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99);
    registry
}

pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    const CALLS: usize = 20_000;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let (small, large) = (Desk::new(few())?, Desk::new(many())?);
    runtime.block_on(async {
        let mut timed = (Vec::with_capacity(CALLS), Vec::with_capacity(CALLS));
        for n in 0..CALLS + 100 {
            let arguments = json!({"path": "src/main.rs", "limit": n % 50});
            let started = Instant::now();
            small.call(NAMES[3], arguments.clone()).await;
            let one = started.elapsed();
            let started = Instant::now();
            large.call(NAMES[3], arguments).await;
            if n >= 100 {
                timed.0.push(one);
                timed.1.push(started.elapsed());
            }
        }
        let (small, large) = (median(timed.0), median(timed.1));
        let micros = small.as_secs_f64() * 1e6;
        report.row("gate, one call of a tool that does nothing, median", format!("{micros:.1} µs"), "at most 30 µs", micros <= 30.0);
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
        report.row("write_file of one line, on disk with journal and audit, median", format!("{millis:.2} ms"), "one durable append more than the write", true);
    });
    Ok(())
}
