//! The console: lists, explains and calls tools, one line at a time.

use std::io::{self, BufRead, IsTerminal};

use anyhow::Result;
use clap::Parser;
use deskhand_core::{Request, Screener, SessionCx};
use deskhand_guard::SecretScreener;
use rustyline::{DefaultEditor, error::ReadlineError};

use super::{call, explain, with_app};
use crate::{
    assemble::App,
    cli::Cli,
    language::Language,
    terminal::{Printer, parse_arguments},
};

pub async fn run(app: &App, printer: Printer) -> Result<u8> {
    app.servers();
    let session = app.session("console", call::surfaces(app, printer, false, false));
    let console = Console { app, printer, session };
    if io::stdin().is_terminal() { console.interactive().await } else { console.piped().await }
}

struct Console<'a> {
    app: &'a App,
    printer: Printer,
    session: SessionCx,
}

enum Next {
    Line,
    Quit,
}

impl Console<'_> {
    async fn interactive(&self) -> Result<u8> {
        self.printer.line(greeting(self.app.language))?;
        let mut editor = DefaultEditor::new()?;
        let history = self.app.data_dir.join("console-history.txt");
        let _ = editor.load_history(&history);
        loop {
            match editor.readline("deskhand> ") {
                Ok(line) => {
                    // The history is a file.
                    let _ = editor.add_history_entry(SecretScreener.mask_text(&line).into_string());
                    if let Next::Quit = self.line(&line).await {
                        break;
                    }
                }
                Err(ReadlineError::Interrupted) => {}
                Err(ReadlineError::Eof) => break,
                Err(error) => return Err(error.into()),
            }
        }
        let _ = editor.save_history(&history);
        Ok(0)
    }

    async fn piped(&self) -> Result<u8> {
        for line in io::stdin().lock().lines() {
            if let Next::Quit = self.line(&line?).await {
                break;
            }
        }
        Ok(0)
    }

    async fn line(&self, line: &str) -> Next {
        let line = line.trim();
        if matches!(line, "quit" | "exit") {
            return Next::Quit;
        }
        if !line.is_empty()
            && let Err(error) = self.command(line).await
        {
            self.printer.note(&format!("{error:#}"));
        }
        Next::Line
    }

    async fn command(&self, line: &str) -> Result<()> {
        let (word, rest) = split(line);
        self.app.servers_for(word).await;
        match word {
            "help" | "?" => self.printer.line(help(self.app.language)),
            "call" => self.call(rest).await,
            "explain" => {
                let (tool, arguments) = split(rest);
                explain::one(self.app, self.printer, tool, &words(arguments), None).await.map(|_| ())
            }
            // A tool's name is a call; anything else is a command as on the command line.
            _ if self.app.gate.registry.find(word, None).is_ok() && !is_command(word) => {
                self.call(line).await
            }
            _ => self.other(line).await,
        }
    }

    async fn call(&self, line: &str) -> Result<()> {
        let (tool, arguments) = split(line);
        self.app.servers_for(tool).await;
        let request =
            Request::new(tool, parse_arguments(&words(arguments), &self.app.schema_of(tool, None))?);
        let outcome = call::call(self.app, request, &self.session).await;
        call::print(self.app, self.printer, &outcome, None)
    }

    async fn other(&self, line: &str) -> Result<()> {
        let words = std::iter::once("deskhand").chain(line.split_whitespace());
        match Cli::try_parse_from(words) {
            Ok(Cli { command: Some(command), .. }) => {
                Box::pin(with_app(command, self.app, self.printer)).await.map(|_| ())
            }
            Ok(_) => Ok(()),
            Err(error) => self.printer.line(error.to_string().trim_end()),
        }
    }
}

/// `undo` is both a tool and a command; the command is what a person means.
fn is_command(word: &str) -> bool {
    use clap::CommandFactory;
    Cli::command().get_subcommands().any(|command| command.get_name() == word)
}

fn split(line: &str) -> (&str, &str) {
    let line = line.trim();
    line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()))
}

/// Arguments on one line: JSON stays in one piece, with or without the quotes that a shell wants; pairs are parted
/// at blanks outside quotes.
fn words(text: &str) -> Vec<String> {
    let unquoted = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or(text);
    if unquoted.starts_with('{') {
        return vec![unquoted.to_owned()];
    }
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            _ => word.push(c),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn greeting(language: Language) -> &'static str {
    match language {
        Language::English => {
            "Deskhand. `tools` lists what there is, `explain TOOL JSON` says what a call would do, `TOOL JSON` does it \
             after asking, `undo` takes it back. `help` says more."
        }
        Language::Chinese => {
            "Deskhand。tools 列出工具，explain TOOL JSON 说明调用会做什么，TOOL JSON 在询问后执行，undo 撤销。help 查看更多。"
        }
    }
}

fn help(language: Language) -> &'static str {
    match language {
        Language::English => {
            "tools [NAME]            what there is; with NAME its manual page\n\
             explain TOOL JSON       the plan, the decision and the rule; runs nothing\n\
             TOOL JSON               make a call, e.g.  read_file {\"path\": \"README.md\"}\n\
             TOOL NAME=VALUE …       the same without quotes, e.g.  list_dir path=. limit=10\n\
             undo [CALL]             take the last change back, or that of one call\n\
             audit [verify]          what was done; whether the record is whole\n\
             grants, approvals       remembered answers; open questions\n\
             config, doctor          settings; what works here\n\
             quit                    leave"
        }
        Language::Chinese => {
            "tools [NAME]            列出工具；带 NAME 时显示其手册页\n\
             explain TOOL JSON       显示计划、决定和规则，不执行\n\
             TOOL JSON               调用工具，例如  read_file {\"path\": \"README.md\"}\n\
             TOOL NAME=VALUE …       同上，无需引号，例如  list_dir path=. limit=10\n\
             undo [CALL]             撤销最近一次改动，或某次调用的改动\n\
             audit [verify]          查看记录；验证记录是否完整\n\
             grants, approvals       已记住的授权；等待批准的请求\n\
             config, doctor          设置；本机状态\n\
             quit                    退出"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_line_is_parted_as_a_person_means_it() {
        assert_eq!(words(""), [""; 0]);
        assert_eq!(words(r#"{"path": "a b"}"#), [r#"{"path": "a b"}"#]);
        assert_eq!(words(r#"'{"path": "a b"}'"#), [r#"{"path": "a b"}"#]);
        assert_eq!(
            words(r#"path=a  content="hello world" x='y z'"#),
            ["path=a", "content=hello world", "x=y z"]
        );
    }
}
