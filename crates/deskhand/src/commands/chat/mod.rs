//! `deskhand chat`: one turn, or a conversation.

mod attach;
mod choose;
mod slash;
mod talk;
#[cfg(test)]
mod tests;

use std::{
    io::{self, IsTerminal},
    sync::Arc,
};

use anyhow::{Result, bail};
use deskhand_core::{
    Mode,
    session::{NewSession, Session, SessionMeta, SessionStore},
};

use crate::{
    assemble::App,
    cli::ChatArgs,
    language::Language,
    terminal::{
        Printer, Style, TerminalApprover, can_ask,
        chat::{
            CANCEL_LIMIT, Conversation, END_LIMIT, Ended, Follow, Interrupts, Output, Questions, Renderer,
            Screen, Turn,
        },
        terminal_width,
    },
};

/// What a conversation runs on.
pub struct Backing {
    pub sessions: Arc<dyn SessionStore>,
    pub agent: Arc<dyn Conversation>,
    /// The screen's end of the questions; the other end is among the approvers of the agent.
    pub questions: Questions,
}

/// What the command line says.
pub struct Wanted {
    pub chat: ChatArgs,
    /// `--session`
    pub session: Option<String>,
    /// `--model`
    pub model: Option<String>,
}

pub async fn run(app: &App, printer: Printer, wanted: Wanted, backing: Backing) -> Result<u8> {
    if wanted.chat.go_on && wanted.session.is_some() {
        bail!("--continue resumes the last session, --session the named one: give only one of them");
    }
    let mut chat = Chat::new(app, printer, &wanted, backing)?;
    let piped = if io::stdin().is_terminal() { None } else { attach::piped(&mut chat.interrupts).await? };
    let stays = wanted.chat.stay && !printer.json && io::stdin().is_terminal() && io::stdout().is_terminal();
    match attach::message(wanted.chat.message.as_deref(), piped.as_deref()) {
        Some(message) if stays => talk::run(chat, Some(message)).await,
        Some(message) => Ok(chat.say(&message).await?.exit_code()),
        None if !io::stdin().is_terminal() => {
            bail!(
                "there is no terminal to talk in: add a message, as in `deskhand chat \"MESSAGE\"`, or pipe text in"
            )
        }
        None if printer.json => bail!("--json prints the events of one turn: add a message"),
        None => talk::run(chat, None).await,
    }
}

/// A conversation: where it stands, and what it runs on.
pub struct Chat<'a> {
    app: &'a App,
    pub printer: Printer,
    backing: Backing,
    interrupts: Interrupts,
    output: Output,
    asks: Option<TerminalApprover>,
    /// `None` until something is said in a new one.
    session: Option<Session>,
    model: Option<String>,
    mode: Mode,
    /// Images for the next message.
    images: Vec<attach::Image>,
    /// The list that `/resume N` counts in.
    listed: Vec<String>,
}

impl<'a> Chat<'a> {
    pub fn new(app: &'a App, printer: Printer, wanted: &Wanted, backing: Backing) -> Result<Self> {
        let sessions = &*backing.sessions;
        let session = match (&wanted.session, wanted.chat.go_on) {
            (Some(id), _) => Some(sessions.find_session(id)?),
            (None, true) => Some(choose::last(sessions, app.paths.workspace())?.ok_or_else(|| {
                anyhow::anyhow!(
                    "there is no session in {} to resume: leave out --continue",
                    app.paths.workspace().display()
                )
            })?),
            (None, false) => None,
        };
        let images = wanted.chat.image.iter().map(|file| attach::Image::read(file)).collect::<Result<_>>()?;
        let asks =
            can_ask().then_some(TerminalApprover { language: app.language, data_dir: app.data_dir.clone() });
        Ok(Self {
            output: output(app, printer, asks.is_some()),
            app,
            printer,
            backing,
            interrupts: Interrupts::listen(),
            asks,
            mode: mode_of(session.as_ref(), app.mode),
            session,
            model: wanted.model.clone(),
            images,
            listed: Vec::new(),
        })
    }

    pub fn language(&self) -> Language {
        self.app.language
    }

    /// The session, made now if there is none yet.
    fn session(&mut self) -> Result<Session> {
        if let Some(session) = &self.session {
            return Ok(session.clone());
        }
        let metadata = SessionMeta {
            workspace: Some(self.app.paths.workspace().to_path_buf()),
            model: self.model.clone().or_else(|| self.backing.agent.usual_model()),
            ..SessionMeta::default()
        };
        let session = self.backing.sessions.create(&NewSession { metadata, ..NewSession::default() })?;
        self.session = Some(session.clone());
        Ok(session)
    }

    /// One turn: says this, and shows what comes of it.
    pub async fn say(&mut self, message: &str) -> Result<Ended> {
        let session = self.session()?;
        let mut uploads = Vec::new();
        for image in &self.images {
            uploads.push(self.backing.sessions.add_upload(&image.upload(&session.id))?.id);
        }
        let turn = self.backing.agent.start(Turn {
            session_id: session.id.clone(),
            message: message.to_owned(),
            uploads,
            model: self.model.clone(),
            mode: self.mode,
        })?;
        self.images.clear();
        let mut events = self.backing.agent.subscribe(&session.id, turn.first_event() - 1);
        self.interrupts.forget();
        if let Output::People(renderer) = &mut self.output {
            renderer.resize(terminal_width());
        }
        let printer = self.printer;
        let follow = Follow {
            output: &mut self.output,
            questions: &mut self.backing.questions,
            interrupts: &mut self.interrupts,
            asks: self.asks.as_ref().map(|asks| asks as &dyn deskhand_core::Approver),
            language: self.app.language,
            cancel_limit: CANCEL_LIMIT,
            end_limit: END_LIMIT,
            print: &mut |text| printer.piece(text),
            remark: &mut |text| printer.note(text),
        };
        Ok(follow.turn(&*turn, &mut *events).await)
    }
}

/// The mode of a session, or the one in force: the tighter of the two.
fn mode_of(session: Option<&Session>, in_force: Mode) -> Mode {
    let chosen = session.and_then(|session| session.metadata.mode);
    chosen.filter(|mode| mode.at_least_as_tight_as(in_force)).unwrap_or(in_force)
}

fn output(app: &App, printer: Printer, asks: bool) -> Output {
    if printer.json {
        return Output::Json;
    }
    let terminal = io::stdout().is_terminal();
    let screen = Screen {
        style: printer.style,
        language: app.language,
        width: terminal_width(),
        // A line that moves is a matter of the terminal; those who want no colours may not want it either.
        live: terminal && Style::for_stdout().is_on(),
        asks,
    };
    Output::People(Box::new(Renderer::new(screen).within(app.paths.workspace())))
}
