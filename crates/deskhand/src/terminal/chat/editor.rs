//! Where a person types: history, more lines than one, completion of commands.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
};

use deskhand_core::Screener;
use deskhand_guard::SecretScreener;
use rustyline::{
    CompletionType, Config, Context, Editor, Helper,
    completion::Completer,
    error::ReadlineError,
    highlight::Highlighter,
    hint::Hinter,
    history::FileHistory,
    validate::{ValidationContext, ValidationResult, Validator},
};

use super::{COMMANDS, Interrupt, Interrupts};

const MOST_HISTORY: usize = 1_000;

/// What came of waiting for a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    Line(String),
    /// Ctrl-C: the line is gone.
    Interrupted,
    /// Ctrl-D, or the terminal went away.
    End,
}

pub struct ChatEditor {
    /// Away while a line is being typed.
    editor: Option<Editor<Assist, FileHistory>>,
    history: PathBuf,
}

impl ChatEditor {
    /// `tools` are the names that `/tools` is completed with.
    pub fn open(history: &Path, tools: BTreeSet<String>) -> anyhow::Result<Self> {
        let config = Config::builder()
            .max_history_size(MOST_HISTORY)?
            .history_ignore_dups(true)?
            .history_ignore_space(true)
            .completion_type(CompletionType::List)
            .bracketed_paste(true)
            .build();
        let mut editor = Editor::with_config(config)?;
        editor.set_helper(Some(Assist { tools }));
        // The first time there is none.
        let _ = editor.load_history(history);
        Ok(Self { editor: Some(editor), history: history.to_path_buf() })
    }

    /// Waits for a line, or several that belong together.
    pub async fn read(&mut self, prompt: &str, interrupts: &mut Interrupts) -> anyhow::Result<Typed> {
        let typed = self.ask(prompt, interrupts).await?;
        if let Typed::Line(line) = &typed {
            self.remember(line);
        }
        Ok(typed)
    }

    /// Waits for the answer to a question of ours, which is not kept.
    pub async fn ask(&mut self, prompt: &str, interrupts: &mut Interrupts) -> anyhow::Result<Typed> {
        let Some(mut editor) = self.editor.take() else { return Ok(Typed::End) };
        let terminal = TerminalState::save();
        let prompt = prompt.to_owned();
        let mut typing = tokio::task::spawn_blocking(move || {
            let read = editor.readline(&prompt);
            (editor, read)
        });
        loop {
            tokio::select! {
                typed = &mut typing => {
                    let (editor, read) = typed?;
                    self.editor = Some(editor);
                    return ended(read);
                }
                interrupt = interrupts.next() => if interrupt == Interrupt::End {
                    // The editor waits for a key that will not come; the terminal must not stay as it has it.
                    terminal.restore();
                    return Ok(Typed::End);
                }
            }
        }
    }

    /// Kept at once: the program may be killed. Secrets are not.
    fn remember(&mut self, line: &str) {
        let Some(editor) = &mut self.editor else { return };
        let line = SecretScreener.mask_text(line).into_string();
        if !line.trim().is_empty() && editor.add_history_entry(line).unwrap_or(false) {
            let _ = editor.append_history(&self.history);
        }
    }
}

fn ended(read: Result<String, ReadlineError>) -> anyhow::Result<Typed> {
    match read {
        Ok(line) => Ok(Typed::Line(line)),
        Err(ReadlineError::Interrupted) => Ok(Typed::Interrupted),
        Err(ReadlineError::Eof) => Ok(Typed::End),
        Err(error) => Err(error.into()),
    }
}

/// How the terminal was before a line was typed.
#[cfg(unix)]
struct TerminalState(Option<rustix::termios::Termios>);

#[cfg(unix)]
impl TerminalState {
    fn save() -> Self {
        Self(rustix::termios::tcgetattr(io::stdin()).ok())
    }

    fn restore(self) {
        use std::io::Write;
        if let Some(before) = self.0 {
            let now = rustix::termios::OptionalActions::Now;
            let _ = rustix::termios::tcsetattr(io::stdin(), now, &before);
            // Pasted text is not marked any more.
            let _ = writeln!(io::stdout(), "\x1b[?2004l");
        }
    }
}

#[cfg(not(unix))]
struct TerminalState;

#[cfg(not(unix))]
impl TerminalState {
    fn save() -> Self {
        Self
    }

    fn restore(self) {}
}

struct Assist {
    tools: BTreeSet<String>,
}

impl Assist {
    /// What the word that ends at the cursor could be, and where it starts.
    fn candidates(&self, typed: &str) -> (usize, Vec<String>) {
        let Some(text) = typed.strip_prefix('/') else { return (0, Vec::new()) };
        let Some((name, rest)) = text.split_once(' ') else {
            let names = COMMANDS.iter().map(|command| command.name).filter(|name| name.starts_with(text));
            return (0, names.map(|name| format!("/{name}")).collect());
        };
        let start = typed.len() - rest.len();
        let words: Vec<&str> = match name {
            "mode" => deskhand_core::Mode::ALL.iter().map(|mode| mode.as_str()).collect(),
            "tools" => self.tools.iter().map(String::as_str).collect(),
            "export" => vec!["md", "json"],
            "undo" => vec!["turn"],
            _ => Vec::new(),
        };
        (start, words.into_iter().filter(|word| word.starts_with(rest)).map(str::to_owned).collect())
    }
}

impl Completer for Assist {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.candidates(&line[..pos]))
    }
}

impl Validator for Assist {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let goes_on = context.input().ends_with('\\');
        Ok(if goes_on { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

impl Hinter for Assist {
    type Hint = String;
}

impl Highlighter for Assist {}

impl Helper for Assist {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_their_words_are_completed() {
        let assist = Assist { tools: ["read_file".to_owned(), "write_file".to_owned()].into() };
        for (typed, start, wanted) in [
            ("/se", 0, vec!["/sessions"]),
            ("/mo", 0, vec!["/model", "/mode"]),
            ("/mode re", 6, vec!["read-only"]),
            ("/tools r", 7, vec!["read_file"]),
            ("/export j", 8, vec!["json"]),
            ("hello /se", 0, vec![]),
            ("/nothing x", 9, vec![]),
        ] {
            assert_eq!(
                assist.candidates(typed),
                (start, wanted.iter().map(ToString::to_string).collect()),
                "{typed}"
            );
        }
    }
}
