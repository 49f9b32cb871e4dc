//! Reading the command line: what clap makes of it, and a message where a command would stand.

use std::ffi::OsString;

use clap::{
    CommandFactory, Parser,
    error::{ContextKind, ContextValue, ErrorKind},
};

use super::{Cli, Command};

/// Reads the command line. One argument of several words where a command would stand is a message to the model.
pub fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let error = match Cli::try_parse_from(arguments) {
        Ok(cli) => return cli.settled(),
        Err(error) => error,
    };
    let Some(text) = unknown_command(&error).filter(|text| is_a_message(text)).map(OsString::from) else {
        return Err(error);
    };
    let places = arguments.iter().enumerate().skip(1).filter(|(_, argument)| **argument == text);
    for (at, _) in places {
        let mut as_chat = arguments.to_vec();
        as_chat.insert(at, "chat".into());
        match Cli::try_parse_from(&as_chat) {
            // It stood where only a command of a command can stand, or was the value of an option.
            Err(error) if error.kind() == ErrorKind::InvalidSubcommand => {}
            Err(error) => return Err(error),
            Ok(mut cli) => {
                if let Some(Command::Chat(chat)) = &mut cli.command {
                    chat.stay = true;
                }
                return cli.settled();
            }
        }
    }
    Err(error)
}

fn unknown_command(error: &clap::Error) -> Option<&str> {
    match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(text))) => Some(text),
        _ => None,
    }
}

/// Several words, or a text in a script that has no spaces between words: no command is written like that.
fn is_a_message(text: &str) -> bool {
    let is_cjk =
        |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
    text.trim().contains(char::is_whitespace) || text.contains(is_cjk)
}

impl Cli {
    /// `--continue` before `chat` means the same as after it. No other command continues anything.
    fn settled(mut self) -> Result<Self, clap::Error> {
        match &mut self.command {
            Some(Command::Chat(chat)) => chat.go_on |= self.go_on,
            Some(_) if self.go_on => {
                let mut command = Self::command();
                let why = "--continue resumes a conversation: use it alone, with a message, or with chat";
                return Err(command.error(ErrorKind::ArgumentConflict, why));
            }
            _ => {}
        }
        Ok(self)
    }
}
