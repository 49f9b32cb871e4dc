//! The whole system, with real parts: real files, the real store, the real policy; the gate as callers meet it
//! and the binary as people meet it.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a surprise ends the test

mod approvals;
mod bad_input;
mod browser;
mod chat_command;
mod command;
mod command_line;
mod config_set;
mod console;
mod conversation;
#[cfg(target_os = "linux")]
mod desktop;
mod dialects;
mod first_words;
mod kept;
#[cfg(target_os = "linux")]
mod kept_corpus;
mod kept_hostile;
mod kept_in_clients;
#[cfg(target_os = "linux")]
mod kept_kills;
mod kept_limits;
#[cfg(target_os = "linux")]
mod kept_users;
#[cfg(target_os = "linux")]
mod kept_without;
mod mcp_by_hand;
mod mcp_server;
mod one_path;
mod other_servers;
#[cfg(target_os = "linux")]
mod plans_hold;
mod private_text;
mod probes;
mod processes;
mod pty;
mod read_only_roots;
mod reference_pages;
mod results;
#[cfg(target_os = "linux")]
mod sandbox;
mod served;
#[cfg(unix)]
mod setup_command;
mod shell;
mod shell_background;
mod shell_bad_input;
mod shell_rules;
mod shown;
mod support;
mod system;
mod talk;
mod terminal;
mod try_command;
