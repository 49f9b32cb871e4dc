//! The desktop is that of the machine and of its owner: whoever is elsewhere, or another user, may look at its windows
//! and no more. The real tools of the desktop take the same path as these two.

use deskhand_core::{Cx, Effects, Permission, Plan, Registry, Spec, Tool, ToolResult};
use reqwest::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::harness::{House, Who};

pub fn register(registry: &mut Registry) {
    registry.add(PressKey);
    registry.add(LookAtWindows);
}

#[derive(Clone, Deserialize, JsonSchema)]
pub struct Input {}

#[derive(Serialize, JsonSchema)]
pub struct Output {}

macro_rules! on_the_desktop {
    ($type:ident, $name:literal, $effects:expr) => {
        struct $type;

        impl Tool for $type {
            type Input = Input;
            type Output = Output;
            const SPEC: Spec = Spec::new($name, "A probe.")
                .permission(Permission::Public)
                .effects($effects)
                .toolsets(&["probe"]);

            async fn plan(&self, _: &Input, _: &Cx) -> ToolResult<Plan> {
                let mut plan = Plan::new($name);
                plan.effects = $effects;
                Ok(plan)
            }

            async fn run(&self, _: Input, _: &Cx) -> ToolResult<Output> {
                Ok(Output {})
            }
        }
    };
}

on_the_desktop!(PressKey, "press_key", Effects::DESKTOP);
on_the_desktop!(LookAtWindows, "look_at_windows", Effects::READS);

async fn call(house: &House, who: Who, tool: &str, forwarded: bool) -> Value {
    let mut request = house.ask(who, Method::POST, "/api/v1/tools/execute");
    if forwarded {
        // Somebody in between says that the asker is elsewhere.
        request = request.header("x-forwarded-for", "192.0.2.7");
    }
    let body = json!({"tool_name": tool, "parameters": {}}).to_string();
    let answer = request.header("content-type", "application/json").body(body).send().await.unwrap();
    serde_json::from_str(&answer.text().await.unwrap()).unwrap()
}

#[tokio::test]
async fn who_is_elsewhere_or_another_user_only_looks() {
    let house = House::start().await;
    for (who, forwarded, may_act) in [
        (Who::Owner, false, true),
        (Who::Owner, true, false),
        (Who::Bob, false, false),
        (Who::Bob, true, false),
    ] {
        let pressed = call(&house, who, "press_key", forwarded).await;
        assert_eq!(pressed["success"], may_act, "{who:?} {forwarded}: {pressed}");
        if !may_act {
            assert_eq!(pressed["status"], "blocked", "{pressed}");
            let said = pressed["message"].as_str().unwrap();
            assert!(said.contains("desktop"), "with the reason: {said}");
        }
        assert_eq!(
            call(&house, who, "look_at_windows", forwarded).await["success"],
            true,
            "{who:?} {forwarded}"
        );
    }
}
