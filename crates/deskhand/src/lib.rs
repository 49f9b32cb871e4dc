//! The command line, the terminal, and the one place where everything is put together.

pub mod assemble;
pub mod cli;
mod commands;
mod demo;
mod language;
mod logging;
pub mod models;
mod page_address;
mod places;
mod private_file;
mod recently_used;
pub mod reference;
mod servers;
pub mod settings;
mod terminal;

use std::{ffi::OsString, process::ExitCode};

use crate::{
    cli::{Cli, Command},
    terminal::Printer,
};

/// Wrong usage, or arguments that do not fit.
const EXIT_USAGE: u8 = 2;

/// Runs the program with these arguments and says how it ended.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // First of all, while there is one thread: this program is its own launcher of confined jobs.
    #[cfg(unix)]
    if let Some(ended) = deskhand_guard::sandbox::launcher::run_if_asked(&arguments) {
        return ended;
    }
    // And it holds what was copied to the clipboard.
    if let Some(ended) = deskhand_tools::desktop::run_if_asked(&arguments) {
        return ended;
    }
    let cli = match cli::parse(&arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let json = error.use_stderr() && arguments.iter().any(|argument| argument == "--json");
            Printer::new(json).error_value("usage", error.to_string().trim_end());
            // Help and version are no errors; clap knows which stream they go to.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { EXIT_USAGE } else { 0 });
        }
    };
    logging::start();
    let printer = Printer::new(cli.shared.json);
    let runtime = match runtime_for(&cli).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return printer.failure(&anyhow::Error::new(error).context("the program cannot start")),
    };
    let ended = runtime.block_on(commands::dispatch(cli, printer));
    // A prompt that nobody answered must not keep the program from ending.
    runtime.shutdown_background();
    match ended {
        Ok(code) => ExitCode::from(code),
        Err(error) => printer.failure(&error),
    }
}

/// One client on a pipe is served by one thread: handing its messages from thread to thread would cost more than most
/// calls. What waits for the disk or computes for long has threads of its own in any case.
fn runtime_for(cli: &Cli) -> tokio::runtime::Builder {
    match &cli.command {
        Some(Command::Mcp(args)) if args.listen.is_none() => tokio::runtime::Builder::new_current_thread(),
        _ => {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            builder.worker_threads(2);
            builder
        }
    }
}
