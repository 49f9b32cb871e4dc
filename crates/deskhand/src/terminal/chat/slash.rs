//! Commands inside of a conversation: a line that starts with `/`.

use crate::{
    language::Language,
    terminal::{padded, width},
};

/// A command as people are told of it.
pub struct Described {
    pub name: &'static str,
    pub arguments: &'static str,
    english: &'static str,
    chinese: &'static str,
}

const fn command(
    name: &'static str,
    arguments: &'static str,
    english: &'static str,
    chinese: &'static str,
) -> Described {
    Described { name, arguments, english, chinese }
}

/// Every command there is.
pub const COMMANDS: &[Described] = &[
    command("help", "", "this list", "显示本列表"),
    command("new", "", "begin a new session", "新建会话"),
    command("sessions", "[QUERY]", "list sessions, or search in them", "列出会话，或按关键词搜索"),
    command("resume", "N|ID", "go on with a session of the list, or by id", "按编号或 ID 继续会话"),
    command("rename", "TITLE", "give this session a title", "修改会话标题"),
    command("fork", "[MESSAGE_ID]", "go on in a copy, up to this message", "从某条消息复制出新会话"),
    command("archive", "", "put this session aside", "归档会话"),
    command("delete", "", "delete this session for good", "彻底删除会话"),
    command("history", "", "what was said so far", "查看对话记录"),
    command("export", "[md|json] [FILE]", "print this session, or write it to a file", "导出会话"),
    command("model", "[PROVIDER/NAME]", "which model answers, or another one", "查看或切换模型"),
    command("mode", "[MODE]", "ask, auto, read-only or unattended", "查看或切换模式"),
    command("tools", "[NAME]", "what tools there are; with NAME its manual page", "列出工具，或查看某个工具"),
    command("image", "FILE", "send an image with the next message", "随下一条消息发送图片"),
    command("undo", "[CALL|turn]", "take back a change, or all of the last turn", "撤销改动"),
    command("compact", "[FOCUS]", "replace older parts by a summary", "压缩较早的对话"),
    command("thoughts", "", "the last thought in full", "查看完整的思考过程"),
    command("grants", "", "remembered answers", "查看已记住的授权"),
    command("approvals", "", "questions that wait for an answer", "查看等待批准的请求"),
    command("cost", "", "what this session has used", "查看用量和费用"),
    command("quit", "", "leave", "退出"),
];

/// A command as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slash {
    Help,
    New,
    Sessions(Option<String>),
    Resume(String),
    Rename(String),
    Fork(Option<i64>),
    Archive,
    Delete,
    History,
    Export { json: bool, file: Option<String> },
    Model(Option<String>),
    Mode(Option<String>),
    Tools(Option<String>),
    Image(String),
    Undo(Option<String>),
    Compact(Option<String>),
    Thoughts,
    Grants,
    Approvals,
    Cost,
    Quit,
}

impl Slash {
    /// The command in this line; `None` if it is a message. A path such as `/etc/hosts` begins a message, and so does
    /// what follows a second `/`.
    pub fn parse(line: &str, language: Language) -> Option<Result<Self, String>> {
        let text = line.trim().strip_prefix('/')?;
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        if name.contains('/') || name.is_empty() {
            return None;
        }
        let rest = rest.trim();
        let some = (!rest.is_empty()).then(|| rest.to_owned());
        let needed = |arguments: &str| some.clone().ok_or_else(|| missing(language, name, arguments));
        Some(match name {
            "help" | "?" => Ok(Self::Help),
            "new" => Ok(Self::New),
            "sessions" => Ok(Self::Sessions(some)),
            "resume" => needed("N|ID").map(Self::Resume),
            "rename" => needed("TITLE").map(Self::Rename),
            "fork" => match some.as_deref().map(str::parse::<i64>) {
                None => Ok(Self::Fork(None)),
                Some(Ok(id)) => Ok(Self::Fork(Some(id))),
                Some(Err(_)) => Err(missing(language, name, "[MESSAGE_ID]")),
            },
            "archive" => Ok(Self::Archive),
            "delete" => Ok(Self::Delete),
            "history" => Ok(Self::History),
            "export" => Ok(Self::export(rest)),
            "model" => Ok(Self::Model(some)),
            "mode" => Ok(Self::Mode(some)),
            "tools" => Ok(Self::Tools(some)),
            "image" => needed("FILE").map(Self::Image),
            "undo" => Ok(Self::Undo(some)),
            "compact" => Ok(Self::Compact(some)),
            "thoughts" => Ok(Self::Thoughts),
            "grants" => Ok(Self::Grants),
            "approvals" => Ok(Self::Approvals),
            "cost" => Ok(Self::Cost),
            "quit" | "exit" => Ok(Self::Quit),
            _ => Err(unknown(language, name)),
        })
    }

    fn export(rest: &str) -> Self {
        let (format, file) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let file_of = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
        match format {
            "json" => Self::Export { json: true, file: file_of(file) },
            "md" => Self::Export { json: false, file: file_of(file) },
            // A file's name alone says in which form.
            _ => {
                let json = std::path::Path::new(rest).extension().is_some_and(|end| end == "json");
                Self::Export { json, file: file_of(rest) }
            }
        }
    }
}

fn missing(language: Language, name: &str, arguments: &str) -> String {
    match language {
        Language::English => format!("write /{name} {arguments}"),
        Language::Chinese => format!("用法：/{name} {arguments}"),
    }
}

fn unknown(language: Language, name: &str) -> String {
    let near = COMMANDS.iter().find(|command| command.name.starts_with(name.get(..2).unwrap_or(name)));
    let near = near.map_or_else(String::new, |near| format!(" (/{}?)", near.name));
    match language {
        Language::English => format!(
            "there is no command /{name}{near}: /help lists them. To send it as a message, write //{name}"
        ),
        Language::Chinese => {
            format!("没有命令 /{name}{near}：/help 列出全部命令。要作为消息发送，请写 //{name}")
        }
    }
}

/// The list of commands, on lines of at most `room` places where the words allow it.
pub fn help(language: Language, room: usize) -> String {
    let forms: Vec<String> =
        COMMANDS.iter().map(|command| format!("/{} {}", command.name, command.arguments)).collect();
    let widest = forms.iter().map(|form| width(form)).max().unwrap_or(0);
    let mut text = String::new();
    for (form, command) in forms.iter().zip(COMMANDS) {
        let words = language.say(command.english, command.chinese);
        text.push_str(&hung(&padded(form, widest), words, room));
    }
    for words in [
        language.say(
            "A line that ends in \\ goes on; a pasted text stays one message.",
            "以 \\ 结尾的行可以续行；粘贴的文本是一条消息。",
        ),
        language.say("Ctrl-C cancels a turn, twice leaves.", "Ctrl-C 取消本轮，连按两次退出。"),
    ] {
        text.push_str(&hung("", words, room));
    }
    text.trim_end().to_owned()
}

/// Words after a head; the lines that they go on in begin below the first word.
fn hung(head: &str, words: &str, room: usize) -> String {
    let gap = if head.is_empty() { "" } else { "  " };
    let indent = width(head) + width(gap);
    let mut text = format!("{head}{gap}");
    let mut at = indent;
    for (n, word) in words.split(' ').enumerate() {
        if n > 0 && at + 1 + width(word) > room {
            text.push_str(&format!("\n{}", " ".repeat(indent)));
            at = indent;
        } else if n > 0 {
            text.push(' ');
            at += 1;
        }
        text.push_str(word);
        at += width(word);
    }
    text + "\n"
}

/// A message as it is sent: `//x` stands for `/x`, and a `\` before a line end for the line end alone.
pub fn message(typed: &str) -> String {
    let text = typed.replace("\\\n", "\n");
    let text = text.trim();
    text.strip_prefix("//").map_or_else(|| text.to_owned(), |rest| format!("/{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_messages() {
        let parse = |line: &str| Slash::parse(line, Language::English);
        for (line, wanted) in [
            ("/help", Slash::Help),
            ("  /quit ", Slash::Quit),
            ("/sessions two words", Slash::Sessions(Some("two words".into()))),
            ("/resume 3", Slash::Resume("3".into())),
            ("/fork 12", Slash::Fork(Some(12))),
            ("/export", Slash::Export { json: false, file: None }),
            ("/export json a b.json", Slash::Export { json: true, file: Some("a b.json".into()) }),
            ("/export talk.json", Slash::Export { json: true, file: Some("talk.json".into()) }),
            ("/undo turn", Slash::Undo(Some("turn".into()))),
        ] {
            assert_eq!(parse(line), Some(Ok(wanted)), "{line}");
        }
        for line in ["hello", "/etc/hosts: what is it?", "//help", "/", "a /help"] {
            assert_eq!(parse(line), None, "{line}");
        }
        for (line, part) in [("/resume", "N|ID"), ("/fork x", "MESSAGE_ID"), ("/sesions", "/sessions?")] {
            let error = parse(line).unwrap().unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn every_command_is_described_in_both_languages_and_understood() {
        for described in COMMANDS {
            assert!(!described.english.is_empty() && !described.chinese.is_empty());
            let line = format!("/{} 1", described.name);
            assert!(matches!(Slash::parse(&line, Language::English), Some(Ok(_))), "{line}");
        }
    }

    #[test]
    fn the_list_fits_a_small_terminal() {
        for language in [Language::English, Language::Chinese] {
            let list = help(language, 80);
            let wide = list.lines().find(|line| width(line) > 80);
            assert_eq!(wide, None);
        }
    }

    #[test]
    fn a_message_is_what_was_meant() {
        assert_eq!(message("one \\\ntwo"), "one \ntwo");
        assert_eq!(message("//help me "), "/help me");
    }

    #[test]
    fn in_a_narrow_terminal_words_stay_whole() {
        for language in [Language::English, Language::Chinese] {
            let list = help(language, 60);
            assert!(list.lines().all(|line| width(line) <= 60), "{list}");
            assert_eq!(
                list.split_whitespace().collect::<Vec<_>>(),
                help(language, 200).split_whitespace().collect::<Vec<_>>()
            );
        }
        assert_eq!(hung("/x", "one two three", 10), "/x  one\n    two\n    three\n");
        assert_eq!(hung("", "one two", 10), "one two\n");
    }
}
