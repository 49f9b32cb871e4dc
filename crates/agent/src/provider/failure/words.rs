//! What a server says of a failure: found in every shape of body, and read for what it means.

use serde_json::Value;

use super::{super::ErrorClass, after};

/// What stands in an error body.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub message: String,
    /// `code` and `type`, in small letters, between blanks.
    codes: String,
    /// The status that the body itself names.
    pub status: Option<u16>,
    /// It is a web page: the message is ours, not the server's.
    pub is_page: bool,
}

impl Words {
    pub fn read(body: &[u8]) -> Self {
        if let Ok(value) = serde_json::from_slice::<Value>(body) {
            return Self::of(&value);
        }
        let text = String::from_utf8_lossy(body);
        let text = text.trim();
        let is_page = text.starts_with('<');
        let message = if is_page { page_title(text) } else { text.to_owned() };
        Self { message, is_page, ..Self::default() }
    }

    pub fn of(value: &Value) -> Self {
        let mut words = Self::default();
        words.collect(value, 0);
        if words.message.is_empty() && !value.is_null() {
            words.message = value.to_string();
        }
        words
    }

    fn collect(&mut self, value: &Value, depth: usize) {
        match value {
            Value::String(text) => self.say(text),
            // Gemini's compatible endpoint wraps the object into a list; others list several errors.
            Value::Array(items) => items.iter().take(3).for_each(|item| self.collect(item, depth + 1)),
            Value::Object(fields) if depth < 5 => {
                for key in ["code", "type", "status", "error_code"] {
                    match fields.get(key) {
                        Some(Value::String(text)) => self.note_code(text),
                        Some(Value::Number(number)) => self.note_code(&number.to_string()),
                        _ => {}
                    }
                }
                for key in ["message", "msg", "detail", "error_msg", "error", "errors", "metadata", "raw"] {
                    if let Some(inner) = fields.get(key) {
                        self.collect(inner, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }

    fn say(&mut self, text: &str) {
        // A router passes on the body of the server behind it as a text.
        if let Ok(inner @ Value::Object(_)) = serde_json::from_str(text) {
            self.collect(&inner, 1);
        } else if !text.is_empty() && !self.message.contains(text) {
            if !self.message.is_empty() {
                self.message.push_str(" / ");
            }
            self.message.push_str(text);
        }
    }

    fn note_code(&mut self, code: &str) {
        if let Ok(status @ 400..=599) = code.parse::<u16>() {
            self.status.get_or_insert(status);
        }
        self.codes.push(' ');
        self.codes.push_str(&code.to_ascii_lowercase());
        self.codes.push(' ');
    }

    /// Whether a 404 is about the path and not about a model: what web servers say of a page that is not there.
    pub fn names_no_model(&self) -> bool {
        let lower = self.message.to_lowercase();
        let plain = lower.trim_start_matches("404").trim_matches(|c: char| !c.is_ascii_alphanumeric());
        self.is_page
            || ["", "not found", "page not found", "file not found", "method not allowed"].contains(&plain)
            || lower.starts_with("unexpected endpoint")
    }

    fn has_code(&self, codes: &[&str]) -> bool {
        codes.iter().any(|code| self.codes.contains(&format!(" {code} ")))
    }

    /// Whether they are about the key itself.
    pub fn refuse_key(&self) -> bool {
        let lower = self.message.to_lowercase();
        self.has_code(AUTH_CODES) || AUTH.iter().any(|phrase| lower.contains(phrase))
    }

    /// What it means. `status` is the one of the response, or what the body names.
    pub fn class(&self, status: Option<u16>) -> ErrorClass {
        let lower = self.message.to_lowercase();
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
        let may_be_request = !matches!(status, Some(401..=403 | 429));
        if self.has_code(TOO_LONG_CODES)
            || status == Some(413)
            || says(TOO_LARGE_FOR_EVER)
            || (may_be_request && says(TOO_LONG))
        {
            return ErrorClass::TooLong;
        }
        // One that says «quota» and when to come back means the quota of a minute.
        let passes = status == Some(429) && after::in_words(&self.message).is_some();
        if status == Some(402) || self.has_code(NO_CREDIT_CODES) || (!passes && says(NO_CREDIT)) {
            return ErrorClass::NoCredit;
        }
        if may_be_request && says(NO_TOOLS) {
            return ErrorClass::NoTools;
        }
        if matches!(status, Some(401 | 403)) || self.has_code(&["permission_error"]) || self.refuse_key() {
            return ErrorClass::Auth;
        }
        if status == Some(429) || self.has_code(RATE_CODES) {
            return ErrorClass::RateLimited;
        }
        if status == Some(404) || self.has_code(NO_MODEL_CODES) || (may_be_request && says(NO_MODEL)) {
            return ErrorClass::NoSuchModel;
        }
        if self.has_code(BAD_REQUEST_CODES) {
            return ErrorClass::BadRequest;
        }
        match status {
            Some(501 | 505) => ErrorClass::BadRequest,
            // The server gave up waiting, or was not ready: the same request may do better.
            Some(408 | 425 | 500..) | None => ErrorClass::Server,
            Some(_) => ErrorClass::BadRequest,
        }
    }
}

const TOO_LONG_CODES: &[&str] = &[
    "context_length_exceeded",
    "exceed_context_size_error",
    "context_window_exceeded",
    "request_too_large",
    "1261",
];
/// Limits per minute that this one request exceeds: waiting does not help.
const TOO_LARGE_FOR_EVER: &[&str] = &["request too large for"];
const TOO_LONG: &[&str] = &[
    "maximum context length",
    "context length exceeded",
    "exceeds the available context size",
    "exceed context size",
    "context size has been exceeded",
    "exceeds the context",
    "exceed the context",
    "context window",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input token length too long",
    "reduce the length",
    "range of input length should be",
    "exceeded model token limit",
    "tokens in request more than max tokens",
    "input token count",
    "exceeds max length",
    "exceeds the maximum number of tokens",
    "greater than the context length",
    "larger than the maximum context",
    "longer than the maximum model length",
    "max_prompt_tokens",
    "超过最大长度",
    "prompt 超长",
    "上下文长度",
];

const NO_CREDIT_CODES: &[&str] = &[
    "insufficient_quota",
    "insufficient_balance",
    "billing_not_active",
    "billing_hard_limit_reached",
    "exceeded_current_quota_error",
    "billing_error",
    "arrearage",
    "1113",
];
const NO_CREDIT: &[&str] = &[
    "credit balance is too low",
    "insufficient balance",
    "insufficient credit",
    "exceeded your current quota",
    "requires more credits",
    "余额不足",
    "欠费",
];

const NO_TOOLS: &[&str] = &[
    "does not support tools",
    "does not support tool",
    "doesn't support tool",
    "support tool use",
    "enable-auto-tool-choice",
    "tool-call-parser",
    "tools param requires",
    "tools is not supported",
    "tools are not supported",
    "tool use is not supported",
    "tool calling is not supported",
    "does not support function",
    "function calling is not supported",
    "function calling is not enabled",
];

const AUTH_CODES: &[&str] = &[
    "invalid_api_key",
    "authentication_error",
    "invalidapikey",
    "invalid_authentication_error",
    "unauthorized",
    "1000",
    "1001",
    "1002",
    "1003",
    "1004",
];
const AUTH: &[&str] = &["api key not valid", "invalid api key", "incorrect api key", "api key expired"];

const RATE_CODES: &[&str] = &[
    "rate_limit_exceeded",
    "rate_limit_error",
    "throttling",
    "throttling.ratequota",
    "1302",
    "1303",
    "1305",
];

const NO_MODEL_CODES: &[&str] = &[
    "model_not_found",
    "not_found_error",
    "model_not_exist",
    "modelnotfound",
    "resource_not_found_error",
    "1211",
];
const NO_MODEL: &[&str] = &[
    "model not exist",
    "model not found",
    "is not a valid model",
    "no such model",
    "unknown model",
    "模型不存在",
];

const BAD_REQUEST_CODES: &[&str] =
    &["invalid_request_error", "invalid_request", "bad_request", "badrequesterror", "invalidparameter"];

/// What a page says in its title: the rest of it is for a browser.
fn page_title(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let title = lower.find("<title").and_then(|at| {
        let start = at + lower[at..].find('>')? + 1;
        let end = start + lower[start..].find("</title")?;
        Some(page[start..end].trim().to_owned())
    });
    match title {
        Some(title) if !title.is_empty() => format!("a web page («{title}»), not an answer of a model"),
        _ => "a web page, not an answer of a model".to_owned(),
    }
}
