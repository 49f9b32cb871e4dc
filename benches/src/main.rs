//! Measurements. `make bench` builds everything in release and runs this; each row says what was measured, what
//! was wanted, and against which peer in the same run. The machine is noisy, so nothing here is a test.

// A program whose job is to print, to stop at the first surprise, and to round.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, clippy::cast_precision_loss)]

mod browser;
mod commands;
mod desk;
mod desktop;
mod files;
mod gate;
mod layers;
mod mcp;
mod mcp_client;
mod model_server;
mod program;
mod report;
mod serve;
mod sessions;
mod shell;
mod talk;
mod traces;

use report::Report;

fn main() -> anyhow::Result<()> {
    let only = std::env::args().nth(1);
    let wanted = |name: &str| only.as_deref().is_none_or(|only| name.contains(only));
    let mut report = Report::default();
    if wanted("gate") {
        gate::measure(&mut report)?;
    }
    if wanted("files") {
        files::measure(&mut report)?;
    }
    if wanted("commands") {
        commands::measure(&mut report)?;
    }
    if wanted("shell") {
        shell::measure(&mut report)?;
    }
    if wanted("shell") || wanted("layers") {
        layers::measure(&mut report)?;
    }
    if wanted("shell") || wanted("traces") {
        traces::measure(&mut report)?;
    }
    if wanted("desktop") {
        desktop::measure(&mut report)?;
    }
    if wanted("sessions") {
        sessions::measure(&mut report)?;
    }
    if wanted("talk") {
        talk::measure(&mut report)?;
    }
    if wanted("serve") {
        serve::measure(&mut report)?;
    }
    if wanted("mcp") {
        mcp::measure(&mut report)?;
    }
    if wanted("browser") {
        browser::measure(&mut report)?;
    }
    if wanted("program") {
        program::measure(&mut report)?;
    }
    report.print();
    Ok(())
}
