//! A gate on a temporary data folder.

use deskhand_core::{Gate, GateSettings, Mode, Outcome, Registry, Request, SessionCx};
use deskhand_guard::{
    sandbox::{Limits, Sandbox, SandboxConfig, Wanted, layer::LayerPlaces},
    shell::Shell,
};
use deskhand_testkit::Fixture;
use deskhand_tools::shell::{ProcessTable, ShellLists, ShellPlaces};
use serde_json::Value;

pub struct Desk {
    fixture: Fixture,
    pub sandbox: Sandbox,
    pub gate: Gate,
    pub session: SessionCx,
}

impl std::ops::Deref for Desk {
    type Target = Fixture;

    fn deref(&self) -> &Fixture {
        &self.fixture
    }
}

impl Desk {
    pub fn new(registry: Registry) -> anyhow::Result<Self> {
        let fixture = Fixture::new();
        let sandbox = Sandbox::new(SandboxConfig {
            paths: fixture.paths.clone(),
            launcher: std::env::current_exe()?.with_file_name("deskhand"),
            wanted: Wanted::Auto,
            limits: Limits::default(),
            layers: LayerPlaces::new(&fixture.data),
        });
        let services = fixture
            .services
            .clone()
            .with(Shell::default())
            .with(sandbox.clone())
            .with(ShellLists::default())
            .with(ShellPlaces::new(&fixture.data, None))
            .with(ProcessTable::new(&fixture.data));
        let gate = deskhand::assemble::gate(registry, &fixture.store, GateSettings::default());
        let session = fixture.session(services).in_mode(Mode::Auto);
        Ok(Self { fixture, sandbox, gate, session })
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        let outcome = self.gate.call(Request::new(tool, arguments), &self.session).await;
        assert!(outcome.is_success(), "{}", outcome.text);
        outcome
    }
}
