//! Tools for models that have none of their own: calls are lines of text, `TOOL: name` and `ARGS: {json}`, and results
//! come back as messages of the user.
//!
//! Where the server forces the answer into a form ([`super::constraint`]), calls are JSON objects instead.

mod history;
mod signature;

pub use history::{render, render_as};

use super::Language;
use crate::provider::ToolDefinition;

/// How a model writes calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// `TOOL:` and `ARGS:` lines.
    #[default]
    Lines,
    /// The JSON of [`super::constraint`].
    Json,
}

/// What a model is told of the tools and of how to call them. It goes to the end of the system prompt.
pub fn prompt(tools: &[ToolDefinition], language: Language) -> String {
    prompt_as(tools, language, Form::Lines)
}

pub fn prompt_as(tools: &[ToolDefinition], language: Language, form: Form) -> String {
    if tools.is_empty() {
        return String::new();
    }
    let how = match form {
        Form::Lines => language.say(LINES, LINES_ZH),
        Form::Json => language.say(JSON, JSON_ZH),
    };
    let list: Vec<String> = tools.iter().map(signature::line).collect();
    let heading = language.say(
        "Tools (* marks what must be given, | separates values to choose from):",
        "工具（* 表示必填，| 分隔可选值）：",
    );
    format!("{how}\n\n{heading}\n{}", list.join("\n"))
}

const LINES: &str = "\
You can use tools. To call one, write these two lines and nothing after them:
TOOL: the name of the tool
ARGS: its arguments as one JSON object, {} if there are none

Write several such pairs to make several calls at once, when none needs the result of another. Then stop: the results \
come in the next message, each as «RESULT of NAME (ID): …». Never write a RESULT yourself. When you have what you need, \
answer in plain text without TOOL.";

const LINES_ZH: &str = "\
你可以使用工具。要调用工具，请写下面两行，之后不要再写任何内容：
TOOL: 工具名
ARGS: 一个 JSON 对象形式的参数，没有参数就写 {}

互不依赖的调用可以一次写多组。写完就停下：结果会在下一条消息中给出，每个结果形如 «RESULT of NAME (ID): …»。\
绝不要自己写 RESULT。信息足够时，直接用普通文字回答，不写 TOOL。";

const JSON: &str = "\
You can use tools. Each of your messages is one JSON object: to call a tool, \
{\"name\": \"the tool\", \"parameters\": {its arguments}}; to answer, {\"answer\": \"your answer\"}. The result of a call \
comes in the next message as «RESULT of NAME (ID): …». When you have what you need, answer.";

const JSON_ZH: &str = "\
你可以使用工具。你的每条消息都是一个 JSON 对象：调用工具时写 {\"name\": \"工具名\", \"parameters\": {参数}}；\
回答时写 {\"answer\": \"你的回答\"}。调用的结果会在下一条消息中给出，形如 «RESULT of NAME (ID): …»。信息足够时就回答。";

#[cfg(test)]
mod tests;
