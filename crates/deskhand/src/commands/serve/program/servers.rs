//! Other MCP servers of a server that runs: shown, added, changed and removed as the command line does it, and begun or
//! ended at once.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use deskhand_core::Screener;
use deskhand_serve::{
    http::{
        Agree, AgreeToChange, ApiError, NewServers, ProposedServer, ServerChange, ServerDesk, ServerItem,
        ServerLink, ServerList, ServerProposal,
    },
    mcp::client::{
        Link, LogLine, ServerConfig, ServerState,
        sign_in::{self, Keeper, Login, SignIns, login},
    },
};
use futures_util::{FutureExt as _, future::BoxFuture};
use serde_json::json;

use crate::{
    assemble::App,
    cli::Shared,
    servers::{self, Configured, Proposal},
};

pub struct ManagedServers {
    app: Arc<App>,
    shared: Shared,
    sign_ins: SignIns,
    /// Held while `mcp.json` is changed: two changes at once must not undo each other.
    changing: Mutex<()>,
    /// Held while the running servers are made what the files say: an older reading must not undo a newer one.
    applying: tokio::sync::Mutex<()>,
}

impl ManagedServers {
    pub fn new(app: Arc<App>, shared: Shared) -> Self {
        Self {
            app,
            shared,
            sign_ins: SignIns::default(),
            changing: Mutex::default(),
            applying: tokio::sync::Mutex::default(),
        }
    }

    fn config_dir(&self) -> Result<PathBuf, ApiError> {
        let no_home = || ApiError::conflict("no_home", "there is no config folder to keep servers in");
        self.app.config_dir.clone().ok_or_else(no_home)
    }

    fn configured(&self) -> Result<Configured, ApiError> {
        configured(&self.app, &self.shared)
    }

    /// The same where nobody may wait for the disk.
    async fn configured_now(&self) -> Result<Configured, ApiError> {
        let (app, shared) = (Arc::clone(&self.app), self.shared.clone());
        let read = tokio::task::spawn_blocking(move || configured(&app, &shared)).await;
        read.unwrap_or_else(|error| Err(ApiError::broken(format!("the work broke down: {error}"))))
    }

    /// What somebody signs in to, and where the tokens are kept.
    fn to_sign_in(
        &self,
        name: &str,
        mut configured: Configured,
    ) -> Result<(sign_in::Server, Arc<dyn Keeper>), ApiError> {
        let config = configured.servers.remove(name).ok_or_else(|| no_server(name))?;
        self.app.to_sign_in(name, &config).map_err(|error| ApiError::invalid(format!("{error:#}")))
    }

    /// That a server can be changed from here.
    fn must_be_ours(&self, name: &str) -> Result<PathBuf, ApiError> {
        let config_dir = self.config_dir()?;
        let configured = self.configured()?;
        match configured.files.get(name) {
            Some(file) if *file == servers::file(&config_dir) => Ok(config_dir),
            Some(file) => Err(ApiError::conflict(
                "set_up_elsewhere",
                format!("{name} is set up in {}, which is not changed from here", file.display()),
            )
            .hint("Change it in that file, then restart Deskhand.")),
            None => Err(no_server(name)),
        }
    }

    fn proposal(&self, given: &NewServers) -> Result<Proposal, ApiError> {
        let config_dir = self.config_dir()?;
        let text = match given {
            NewServers::Imported(text) => text.clone(),
            NewServers::One { name, entry } => {
                let taken = self.configured()?.files.remove(name);
                if let Some(file) = taken {
                    return Err(ApiError::conflict(
                        "name_taken",
                        format!("there is a server {name} already, in {}", file.display()),
                    )
                    .hint("Choose another name, or remove that one first."));
                }
                json!({"mcpServers": {name: entry}}).to_string()
            }
        };
        servers::propose(&config_dir, &text).map_err(|error| ApiError::invalid(format!("{error:#}")))
    }

    fn answer(&self, proposal: &Proposal, added: bool) -> Result<ServerProposal, ApiError> {
        let screener = self.app.gate.screener.as_ref();
        let shown = |one: &servers::Proposed| ProposedServer {
            name: one.name.clone(),
            link: exact_link(&one.config.link, screener),
            replaces: one.replaces,
            disabled: one.config.disabled,
        };
        Ok(ServerProposal {
            added,
            confirm: proposal.hash(),
            servers: proposal.servers.iter().map(shown).collect(),
            left_out: proposal.left_out.clone(),
            file: servers::file(&self.config_dir()?).display().to_string(),
        })
    }

    fn item(&self, state: ServerState, config: &ServerConfig, file: Option<PathBuf>) -> ServerItem {
        let ours = self.app.config_dir.as_deref().map(servers::file);
        ServerItem {
            sign_in: self.sign_ins.state(&state.name),
            name: state.name,
            status: state.status,
            last_words: if state.error.is_some() { last_of(state.stderr) } else { Vec::new() },
            error: state.error,
            link: shown_link(&config.link, self.app.gate.screener.as_ref()),
            editable: file.is_some() && file == ours,
            file: file.map(|file| file.display().to_string()),
            disabled: config.disabled,
            permission: state.permission,
            shared: state.shared,
            tools: state.listed,
            refused: state.refused,
            said: state.server_info,
            protocol_version: state.protocol_version,
            restarts: state.restarts,
            last_seen: state.last_seen,
            notes: state.notes,
            signs_in: config.signs_in(),
            signed_in: state.signed_in,
        }
    }
}

/// As they are written down now. A workspace's config counts only while it is trusted.
fn configured(app: &App, shared: &Shared) -> Result<Configured, ApiError> {
    let settings = app.settings_now(shared).map_err(|error| {
        ApiError::conflict("bad_config", format!("{error:#}")).hint("Fix the file, then try again.")
    })?;
    Ok(servers::configured(&settings, app.config_dir.as_deref()))
}

/// The end of what a server printed, short enough to stand beside its error.
fn last_of(mut lines: Vec<String>) -> Vec<String> {
    const SHOWN: usize = 5;
    lines.retain(|line| !line.trim().is_empty());
    lines.split_off(lines.len().saturating_sub(SHOWN))
}

fn no_server(name: &str) -> ApiError {
    ApiError::not_found(format!("there is no server {name:?}"))
}

fn wrong(error: &anyhow::Error) -> ApiError {
    ApiError::conflict("not_changed", format!("{error:#}"))
}

/// What would run, to the letter: that is what the owner is asked. Only values of variables that are secrets are masked.
fn exact_link(link: &Link, screener: &dyn Screener) -> ServerLink {
    match link {
        Link::Stdio { command, args, env, cwd } => {
            let env = env.iter().map(|(name, value)| {
                let masked = screener.mask_value(&json!({name: value.reveal()}));
                let masked = masked.as_object().and_then(|one| one.values().next()?.as_str());
                (name.clone(), masked.map(str::to_owned))
            });
            ServerLink::Stdio {
                command: command.clone(),
                args: args.clone(),
                env: env.collect(),
                cwd: cwd.clone(),
            }
        }
        Link::Http { url, headers, .. } => ServerLink::Http {
            host: servers::host(url.reveal()).to_owned(),
            headers: headers.keys().cloned().collect(),
            variables: link.variables().into_iter().collect(),
        },
    }
}

/// The same for those that are there: an argument may be a key, and no value is shown again.
fn shown_link(link: &Link, screener: &dyn Screener) -> ServerLink {
    match exact_link(link, screener).without_values() {
        ServerLink::Stdio { command, args, env, cwd } => ServerLink::Stdio {
            command: screener.mask_text(&command).into_string(),
            args: args.iter().map(|text| screener.mask_text(text).into_string()).collect(),
            env,
            cwd,
        },
        other @ ServerLink::Http { .. } => other,
    }
}

impl ServerDesk for ManagedServers {
    fn list(&self) -> Result<ServerList, ApiError> {
        let Configured { mut files, mut problems, .. } = self.configured()?;
        let running = self.app.servers();
        let configs = running.configs();
        let items = running.states().into_iter().filter_map(|state| {
            let config = configs.get(&state.name)?;
            let file = files.remove(&state.name);
            Some(self.item(state, config, file))
        });
        let items = items.collect();
        problems.extend(files.iter().map(|(name, file)| {
            format!("{}: {name} was added after Deskhand started: restart Deskhand to use it", file.display())
        }));
        Ok(ServerList {
            servers: items,
            problems,
            file: self.app.config_dir.as_deref().map(|dir| servers::file(dir).display().to_string()),
        })
    }

    fn log(&self, name: &str) -> Result<Vec<LogLine>, ApiError> {
        self.app.servers().log(name).ok_or_else(|| no_server(name))
    }

    fn propose(&self, given: &NewServers) -> Result<ServerProposal, ApiError> {
        self.answer(&self.proposal(given)?, false)
    }

    fn add(&self, given: &NewServers, confirmed: &str, agree: Agree<'_>) -> Result<ServerProposal, ApiError> {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let proposal = self.proposal(given)?;
        if proposal.hash() != confirmed {
            return Err(ApiError::conflict(
                "not_what_was_confirmed",
                "this is not what was confirmed: nothing was added",
            )
            .hint("Look at it again, and confirm that."));
        }
        agree()?;
        proposal.write(self.app.gate.grants.as_ref()).map_err(|error| wrong(&error))?;
        self.answer(&proposal, true)
    }

    fn change(&self, name: &str, change: &ServerChange, agree: AgreeToChange<'_>) -> Result<(), ApiError> {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let config_dir = self.must_be_ours(name)?;
        let change = servers::Change::new(&config_dir, name, change)
            .map_err(|error| ApiError::invalid(format!("{error:#}")))?;
        agree(&change.before, &change.after)?;
        change.write().map_err(|error| wrong(&error))
    }

    fn remove(&self, name: &str, agree: Agree<'_>) -> Result<(), ApiError> {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let config_dir = self.must_be_ours(name)?;
        agree()?;
        self.sign_ins.forget(name);
        servers::remove(&config_dir, name, self.app.gate.grants.as_ref()).map_err(|error| wrong(&error))
    }

    fn apply(&self) -> BoxFuture<'_, Result<(), ApiError>> {
        async {
            let _one_at_a_time = self.applying.lock().await;
            let configured = self.configured_now().await?;
            self.app.servers().exchange(configured.servers).await;
            Ok(())
        }
        .boxed()
    }

    fn restart<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), ApiError>> {
        async move { if self.app.servers().restart(name).await { Ok(()) } else { Err(no_server(name)) } }
            .boxed()
    }

    fn sign_in<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<String, ApiError>> {
        async move {
            let (server, keeper) = self.to_sign_in(name, self.configured_now().await?)?;
            let (app, restarted) = (Arc::clone(&self.app), name.to_owned());
            let then = async move {
                app.servers().restart(&restarted).await;
            };
            let begun = self.sign_ins.begin(name, Login::new(server, keeper), then).await;
            begun.map_err(|error| ApiError::conflict("cannot_sign_in", error.to_string()))
        }
        .boxed()
    }

    fn sign_out(&self, name: &str) -> Result<bool, ApiError> {
        let (server, keeper) = self.to_sign_in(name, self.configured()?)?;
        self.sign_ins.forget(name);
        login::logout(&server, keeper.as_ref()).map_err(|error| ApiError::broken(error.to_string()))
    }
}
