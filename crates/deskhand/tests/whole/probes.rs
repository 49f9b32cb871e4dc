//! Tools that show what the gate does: one that panics, one that is slow, one that tells secrets, …

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use deskhand_core::{
    Cx, Effects, Permission, Plan, Preview, Registry, Spec, Tool, ToolError, ToolResult, registry::Absent,
    tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub fn register(registry: &mut Registry) {
    registry.add(Public);
    registry.add(Moderate);
    registry.add(Sensitive);
    registry.add(OnDesktop);
    registry.add(Forbidden);
    registry.add(Panics);
    registry.add(Slow);
    registry.add(Tells);
    registry.add(NotHere);
    registry.add(Silent);
    registry.add(Types);
    registry.add(Meets(tokio::sync::Barrier::new(2)));
    registry.add(Fickle(AtomicUsize::new(0)));
}

/// A key of the form that a cloud gives out, put together here so that no scanner takes it for a real one.
pub fn secret() -> String {
    format!("AKIA{}", "QWERTYUIOPASDFGH")
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Given back as it is.
    #[serde(default)]
    text: String,
    /// How often.
    #[serde(default)]
    times: u32,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    text: String,
}

macro_rules! probe {
    ($type:ident, $name:literal, $permission:expr, $effects:expr) => {
        pub struct $type;

        impl Tool for $type {
            type Input = Input;
            type Output = Output;
            const SPEC: Spec = Spec::new($name, "A probe.").permission($permission).effects($effects);

            async fn plan(&self, input: &Input, _: &Cx) -> ToolResult<Plan> {
                let plan = Plan::new(format!("Say {}", input.text)).effects($effects);
                Ok(plan.at_least($permission, "probe:rule", "It is a probe."))
            }

            async fn run(&self, input: Input, _: &Cx) -> ToolResult<Output> {
                Ok(Output { text: input.text.repeat(input.times.max(1) as usize) })
            }

            fn render(output: &Output) -> Rendered {
                Rendered::text(output.text.clone())
            }
        }
    };
}

probe!(Public, "probe_public", Permission::Public, Effects::READS);
probe!(Moderate, "probe_moderate", Permission::Moderate, Effects::WRITES);
probe!(Sensitive, "probe_sensitive", Permission::Sensitive, Effects::EXECUTES);
probe!(OnDesktop, "probe_desktop", Permission::Public, Effects::DESKTOP);
probe!(Forbidden, "probe_forbidden", Permission::Forbidden, Effects::WRITES);

/// Breaks down.
pub struct Panics;

impl Tool for Panics {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec::new("probe_panics", "A probe that breaks down.").permission(Permission::Public);

    async fn plan(&self, input: &Input, _: &Cx) -> ToolResult<Plan> {
        assert!(input.text != "plan", "broken while planning");
        Ok(Plan::new("Break down"))
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |_| panic!("broken while running: {}", input.text)).await
    }
}

/// Takes a minute, unless it is told to stop.
pub struct Slow;

impl Tool for Slow {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec =
        Spec::new("probe_slow", "A probe that takes long.").permission(Permission::Public).timeout_s(1);

    async fn plan(&self, input: &Input, _: &Cx) -> ToolResult<Plan> {
        let mut plan = Plan::new("Take long");
        plan.timeout = (input.times > 0).then(|| Duration::from_secs(u64::from(input.times)));
        Ok(plan)
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| {
            for _ in 0..6_000 {
                if let Err(stopped) = cx.check() {
                    let so_far = deskhand_core::Reply { text: "half of it".into(), ..Default::default() };
                    return Err(stopped.partial(so_far));
                }
                cx.progress(&format!("working with {}", input.text), Some(1), Some(2));
                std::thread::sleep(Duration::from_millis(10));
            }
            Ok(Output { text: "done".into() })
        })
        .await
    }
}

/// Tells a secret: in text, data, progress and error.
pub struct Tells;

impl Tool for Tells {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec::new("probe_tells", "A probe that tells secrets.").permission(Permission::Public);

    async fn plan(&self, _: &Input, _: &Cx) -> ToolResult<Plan> {
        Ok(Plan::new(format!("Tell {}", secret())))
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.progress(&secret(), None, None);
        if input.text == "fail" {
            return Err(ToolError::new("failed", format!("It failed with {}", secret())).hint(secret()));
        }
        Ok(Output { text: format!("key {} end", secret()) })
    }

    fn render(output: &Output) -> Rendered {
        Rendered::text(output.text.clone())
    }
}

/// Cannot work here.
pub struct NotHere;

impl Tool for NotHere {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec::new("probe_not_here", "A probe that cannot work here.");

    fn available(&self, _: &deskhand_core::Services) -> Result<(), Absent> {
        Err(Absent::new("there is no flux capacitor", "Install one."))
    }

    async fn plan(&self, _: &Input, _: &Cx) -> ToolResult<Plan> {
        Ok(Plan::new("Nothing"))
    }

    async fn run(&self, _: Input, _: &Cx) -> ToolResult<Output> {
        Ok(Output { text: String::new() })
    }
}

/// Forgets to say what its calls need.
pub struct Silent;

impl Tool for Silent {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec::new("probe_silent", "A probe whose plan says nothing.")
        .permission(Permission::Sensitive)
        .effects(Effects::EXECUTES);

    async fn plan(&self, _: &Input, _: &Cx) -> ToolResult<Plan> {
        Ok(Plan::new("Something").effects(Effects::EXECUTES))
    }

    async fn run(&self, _: Input, _: &Cx) -> ToolResult<Output> {
        Ok(Output { text: "ran".into() })
    }
}

/// Plans something else each time it is asked.
pub struct Fickle(AtomicUsize);

impl Tool for Fickle {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec =
        Spec::new("probe_fickle", "A probe whose plan never holds.").permission(Permission::Moderate);

    async fn plan(&self, _: &Input, _: &Cx) -> ToolResult<Plan> {
        let mut plan = Plan::new("Something").at_least(Permission::Moderate, "probe:rule", "");
        plan.hosts.push(format!("host-{}", self.0.fetch_add(1, Ordering::Relaxed)));
        Ok(plan)
    }

    async fn run(&self, _: Input, _: &Cx) -> ToolResult<Output> {
        Ok(Output { text: "ran".into() })
    }
}

/// Types a text that may be a secret, and tells nothing of it.
pub struct Types;

impl Tool for Types {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec::new("probe_types", "A probe that types.")
        .permission(Permission::Moderate)
        .effects(Effects::WRITES)
        .conceals(&["text"]);

    async fn plan(&self, input: &Input, _: &Cx) -> ToolResult<Plan> {
        let plan = Plan::new("Type it").effects(Effects::WRITES).preview(Preview::Text(input.text.clone()));
        Ok(plan.at_least(Permission::Moderate, "probe:rule", "It is a probe."))
    }

    async fn run(&self, _: Input, _: &Cx) -> ToolResult<Output> {
        Ok(Output { text: "typed".to_owned() })
    }
}

/// Ends when it is called twice at the same time.
pub struct Meets(tokio::sync::Barrier);

impl Tool for Meets {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec::new("probe_meets", "A probe that waits for another.")
        .permission(Permission::Public)
        .timeout_s(20);

    async fn plan(&self, _: &Input, _: &Cx) -> ToolResult<Plan> {
        Ok(Plan::new("Meet"))
    }

    async fn run(&self, _: Input, _: &Cx) -> ToolResult<Output> {
        self.0.wait().await;
        Ok(Output { text: "met".to_owned() })
    }
}
