//! The process that holds what was copied. It is the one that may outlive Deskhand, as the clipboard has to: it ends
//! when another program copies something, when the clipboard is cleared, and with the display.
//!
//! It is Deskhand's own program, begun with a word that nobody types. The first process only begins the second and ends,
//! so that the second has no parent here that would have to wait for it.

use std::{
    collections::HashMap,
    env,
    ffi::OsString,
    io::{self, Read, Write},
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use x11rb::{
    connection::Connection,
    protocol::{
        Event,
        xproto::{
            Atom, AtomEnum, ChangeWindowAttributesAux, ConnectionExt, CreateWindowAux, EventMask, PropMode,
            Property, PropertyNotifyEvent, SelectionNotifyEvent, SelectionRequestEvent, Timestamp,
            Window as Id, WindowClass,
        },
    },
    rust_connection::RustConnection,
    wrapper::ConnectionExt as _,
};

use super::{
    super::stream::{self, Patient},
    ClipAtoms, PIECE,
};
use crate::desktop::backend::{Selection, Wait};

/// The words: begin, and hold.
pub(super) const BEGIN: &str = "__clipboard-begin";
const HOLD: &str = "__clipboard-hold";
/// What is said on stdout once others can paste.
pub(super) const READY: &[u8] = b"held\n";
/// How long it may take to get hold of the clipboard.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a program may take for the next piece before it is given up.
const PATIENCE: Duration = Duration::from_secs(30);

/// Does it where these arguments ask for it: display, selection, form; the content is on stdin.
pub fn run_if_asked(arguments: &[OsString]) -> Option<ExitCode> {
    let words: Vec<&str> = arguments.get(1..)?.iter().filter_map(|word| word.to_str()).collect();
    let done = match words.as_slice() {
        [BEGIN, rest @ ..] => begin(rest).map_err(|error| error.to_string()),
        [HOLD, display, selection, form] => hold(display, selection, form).map_err(|error| error.to_string()),
        _ => return None,
    };
    Some(match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            let _ = writeln!(io::stderr(), "{why}");
            ExitCode::FAILURE
        }
    })
}

/// Begins the process that stays, and waits only until it holds.
fn begin(rest: &[&str]) -> io::Result<()> {
    let mut child = Command::new(env::current_exe()?)
        .arg(HOLD)
        .args(rest)
        .stdin(Stdio::inherit())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .current_dir("/")
        .spawn()?;
    let mut said = vec![0; READY.len()];
    let ready = child.stdout.take().map(|mut out| out.read_exact(&mut said));
    if matches!(ready, Some(Ok(()))) && said == READY {
        return Ok(());
    }
    child.wait()?;
    Err(io::Error::other("the clipboard could not be held"))
}

fn hold(display: &str, selection: &str, form: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mut content = Vec::new();
    io::stdin().read_to_end(&mut content)?;
    let selection = if selection == "primary" { Selection::Primary } else { Selection::Clipboard };
    let is_text = form == "text";
    let holder = Holder::take(display, selection, content, is_text)?;
    io::stdout().write_all(READY)?;
    io::stdout().flush()?;
    // No signal of the terminal that Deskhand runs in reaches it from here on. Not before: who waits for it ends it with
    // its group where it does not come to hold.
    let _ = rustix::process::setsid();
    let_go_of_the_streams();
    holder.serve()
}

/// Whoever reads the output of Deskhand must not wait for this process to end.
fn let_go_of_the_streams() {
    let Ok(nothing) = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null") else { return };
    let _ = rustix::stdio::dup2_stdin(&nothing);
    let _ = rustix::stdio::dup2_stdout(&nothing);
    let _ = rustix::stdio::dup2_stderr(&nothing);
}

struct Holder {
    connection: RustConnection<Patient>,
    atoms: ClipAtoms,
    window: Id,
    which: Atom,
    since: Timestamp,
    content: Vec<u8>,
    is_text: bool,
    /// What goes out in pieces: to which window and property, how far, since when nothing was taken.
    sending: HashMap<(Id, Atom), Sending>,
}

struct Sending {
    kind: Atom,
    at: usize,
    moved: Instant,
}

type Held<T> = Result<T, Box<dyn std::error::Error>>;

impl Holder {
    fn take(display: &str, selection: Selection, content: Vec<u8>, is_text: bool) -> Held<Self> {
        let (connection, screen) =
            stream::open(display, &Wait::at_most(CONNECT)).map_err(|trouble| trouble.0.message)?;
        let atoms = ClipAtoms::new(&connection)?.reply()?;
        let window = connection.generate_id()?;
        let root = connection.setup().roots[screen].root;
        let events = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        let kind = WindowClass::INPUT_ONLY;
        connection.create_window(0, window, root, 0, 0, 1, 1, 0, kind, x11rb::COPY_FROM_PARENT, &events)?;
        let mut holder = Self {
            which: atoms.of(selection),
            connection,
            atoms,
            window,
            since: x11rb::CURRENT_TIME,
            content,
            is_text,
            sending: HashMap::new(),
        };
        holder.since = holder.now()?;
        holder.connection.set_selection_owner(window, holder.which, holder.since)?.check()?;
        let owner = holder.connection.get_selection_owner(holder.which)?.reply()?.owner;
        if owner == window { Ok(holder) } else { Err("another program holds the clipboard".into()) }
    }

    /// The server's time, which it tells with a change of a property.
    fn now(&self) -> Held<Timestamp> {
        let place = self.atoms.DESKHAND_CLIP;
        self.connection.change_property8(PropMode::APPEND, self.window, place, AtomEnum::STRING, &[])?;
        self.connection.flush()?;
        loop {
            if let Event::PropertyNotify(notify) = self.connection.wait_for_event()? {
                return Ok(notify.time);
            }
        }
    }

    /// Answers until the clipboard is somebody else's.
    fn serve(mut self) -> Held<()> {
        // For whoever pastes it waits as long as there is a display.
        self.connection.stream().waits_for_ever();
        loop {
            self.connection.flush()?;
            match self.connection.wait_for_event()? {
                Event::SelectionClear(clear) if clear.selection == self.which => return self.finish(),
                event => self.take_up(&event)?,
            }
            self.sending.retain(|_, sending| sending.moved.elapsed() < PATIENCE);
        }
    }

    fn take_up(&mut self, event: &Event) -> Held<()> {
        match event {
            Event::SelectionRequest(request) => self.answer(request),
            Event::PropertyNotify(notify) if notify.state == Property::DELETE => self.send_on(*notify),
            _ => Ok(()),
        }
    }

    /// Who is in the middle of pasting gets the rest, unless they stop taking it.
    fn finish(mut self) -> Held<()> {
        const PAUSE: Duration = Duration::from_millis(5);
        while !self.sending.is_empty() {
            self.connection.flush()?;
            match self.connection.poll_for_event()? {
                Some(event) => self.take_up(&event)?,
                None => std::thread::sleep(PAUSE),
            }
            self.sending.retain(|_, sending| sending.moved.elapsed() < PATIENCE);
        }
        Ok(())
    }

    fn forms(&self) -> Vec<Atom> {
        let a = &self.atoms;
        if self.is_text {
            vec![a.UTF8_STRING, a.text_plain_utf8, a.text_plain, a.TEXT, AtomEnum::STRING.into()]
        } else {
            vec![a.image_png]
        }
    }

    fn answer(&mut self, request: &SelectionRequestEvent) -> Held<()> {
        // Very old programs name no property.
        let property = if request.property == x11rb::NONE { request.target } else { request.property };
        let given = request.selection == self.which && self.give(request, property).is_ok_and(|given| given);
        let notify = SelectionNotifyEvent {
            response_type: x11rb::protocol::xproto::SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: request.requestor,
            selection: request.selection,
            target: request.target,
            property: if given { property } else { x11rb::NONE },
        };
        self.connection.send_event(false, request.requestor, EventMask::NO_EVENT, notify)?;
        Ok(())
    }

    /// Puts the answer where it is wanted; false where there is none in this form.
    fn give(&mut self, request: &SelectionRequestEvent, property: Atom) -> Held<bool> {
        let (c, to, a) = (&self.connection, request.requestor, &self.atoms);
        if request.target == a.TARGETS {
            let mut forms = vec![a.TARGETS, a.TIMESTAMP];
            forms.extend(self.forms());
            c.change_property32(PropMode::REPLACE, to, property, AtomEnum::ATOM, &forms)?.check()?;
            return Ok(true);
        }
        if request.target == a.TIMESTAMP {
            c.change_property32(PropMode::REPLACE, to, property, AtomEnum::INTEGER, &[self.since])?
                .check()?;
            return Ok(true);
        }
        if !self.forms().contains(&request.target) {
            return Ok(false);
        }
        let kind = if request.target == a.TEXT { a.UTF8_STRING } else { request.target };
        if request.target == u32::from(AtomEnum::STRING) {
            return self.give_latin(to, property);
        }
        if self.content.len() <= PIECE {
            c.change_property8(PropMode::REPLACE, to, property, kind, &self.content)?.check()?;
            return Ok(true);
        }
        let listen = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        c.change_window_attributes(to, &listen)?.check()?;
        let length = u32::try_from(self.content.len()).unwrap_or(u32::MAX);
        c.change_property32(PropMode::REPLACE, to, property, a.INCR, &[length])?.check()?;
        self.sending.insert((to, property), Sending { kind, at: 0, moved: Instant::now() });
        Ok(true)
    }

    /// The old form of text is Latin-1; what does not fit is refused, since a wrong text is worse than none.
    fn give_latin(&self, to: Id, property: Atom) -> Held<bool> {
        let text = String::from_utf8_lossy(&self.content);
        let latin: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
        let Some(latin) = latin.filter(|latin| latin.len() <= PIECE) else { return Ok(false) };
        self.connection
            .change_property8(PropMode::REPLACE, to, property, AtomEnum::STRING, &latin)?
            .check()?;
        Ok(true)
    }

    /// The piece before was taken: the next one. An empty one says that this was all.
    fn send_on(&mut self, notify: PropertyNotifyEvent) -> Held<()> {
        let key = (notify.window, notify.atom);
        let Some(sending) = self.sending.get_mut(&key) else { return Ok(()) };
        let end = (sending.at + PIECE).min(self.content.len());
        let piece = &self.content[sending.at..end];
        let sent =
            self.connection.change_property8(PropMode::REPLACE, key.0, key.1, sending.kind, piece)?.check();
        (sending.at, sending.moved) = (end, Instant::now());
        if piece.is_empty() || sent.is_err() {
            self.sending.remove(&key);
        }
        Ok(())
    }
}
