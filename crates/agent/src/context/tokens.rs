//! How many tokens a text, a message, a request is.
//!
//! Counted with the tokenizers of OpenAI's models. Those of other models differ, by a share that is much the same
//! from one request to the next: [`Calibrated`] learns it from what the server itself counts.

use bpe_openai::Tokenizer;

use crate::provider::{Arguments, ChatMessage, ToolDefinition};

/// Texts up to this many bytes are counted to the token; longer ones are estimated from samples.
const EXACT_BYTES: usize = 256 * 1024;
const SAMPLES: usize = 8;
const SAMPLE_BYTES: usize = 16 * 1024;
/// What a picture costs, about. Providers differ between 85 and 1,600.
const IMAGE_TOKENS: u64 = 1_100;
/// What surrounds a message: role and separators.
const MESSAGE_TOKENS: u64 = 4;
/// What surrounds a call or a result: id, type, brackets.
const CALL_TOKENS: u64 = 12;

/// Which tokenizer. Its table is loaded when something is first counted with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// GPT-4o and all that came after it.
    O200k,
    /// GPT-3.5 and GPT-4; for models of others, which it rather counts too long than too short.
    #[default]
    Cl100k,
}

/// How the names begin of models that use `o200k`.
const O200K: &[&str] = &["gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-oss", "chatgpt-4o", "o1", "o3", "o4"];

impl Encoding {
    /// By the name of the model, with or without its provider (`openai/gpt-4o-mini`).
    pub fn of_model(name: &str) -> Self {
        let name = name.rsplit('/').next().unwrap_or(name).to_lowercase();
        if O200K.iter().any(|start| name.starts_with(start)) { Self::O200k } else { Self::Cl100k }
    }

    fn tokenizer(self) -> &'static Tokenizer {
        match self {
            Self::O200k => bpe_openai::o200k_base(),
            Self::Cl100k => bpe_openai::cl100k_base(),
        }
    }

    pub fn count(self, text: &str) -> u64 {
        if text.is_empty() {
            return 0;
        }
        if text.len() <= EXACT_BYTES {
            return self.tokenizer().count(text) as u64;
        }
        let step = (text.len() - SAMPLE_BYTES) / (SAMPLES - 1);
        let (mut tokens, mut bytes) = (0, 0);
        for sample in 0..SAMPLES {
            let start = boundary(text, sample * step);
            let end = boundary(text, start + SAMPLE_BYTES);
            tokens += self.tokenizer().count(&text[start..end]) as u64;
            bytes += (end - start) as u64;
        }
        // Rounded up: too many is safer than too few.
        (tokens * text.len() as u64).div_ceil(bytes.max(1))
    }

    pub fn count_message(self, message: &ChatMessage) -> u64 {
        let images = |images: usize| images as u64 * IMAGE_TOKENS;
        MESSAGE_TOKENS
            + match message {
                ChatMessage::User { text, images: pictures } => self.count(text) + images(pictures.len()),
                ChatMessage::Assistant { thoughts, text, calls } => {
                    let thoughts: u64 = thoughts.iter().map(|thought| self.count(&thought.text)).sum();
                    let calls: u64 = calls
                        .iter()
                        .map(|call| {
                            let arguments = match &call.arguments {
                                Arguments::Given(value) => self.count(&value.to_string()),
                                Arguments::Broken { text, .. } => self.count(text),
                            };
                            CALL_TOKENS + self.count(&call.name) + arguments
                        })
                        .sum();
                    thoughts + self.count(text) + calls
                }
                ChatMessage::Results { results } => results
                    .iter()
                    .map(|result| CALL_TOKENS + self.count(&result.text) + images(result.images.len()))
                    .sum(),
            }
    }

    pub fn count_tools(self, tools: &[ToolDefinition]) -> u64 {
        let of = |tool: &ToolDefinition| {
            let parameters = self.count(&tool.parameters.to_string());
            CALL_TOKENS + self.count(&tool.name) + self.count(&tool.description) + parameters
        };
        tools.iter().map(of).sum()
    }

    pub fn count_request(self, system: &str, messages: &[ChatMessage], tools: &[ToolDefinition]) -> u64 {
        let messages: u64 = messages.iter().map(|message| self.count_message(message)).sum();
        MESSAGE_TOKENS + self.count(system) + messages + self.count_tools(tools)
    }
}

/// The nearest place at or before `at` where a character begins.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Our counts, corrected by what the server of the model counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibrated {
    /// What one token of ours is on the server.
    factor: f64,
    seen: bool,
}

impl Default for Calibrated {
    fn default() -> Self {
        Self { factor: 1.0, seen: false }
    }
}

impl Calibrated {
    /// Requests smaller than this say little: what surrounds them weighs too much.
    const LEAST: u64 = 200;
    /// A server that counts further off than this counts something else.
    const RANGE: (f64, f64) = (0.25, 4.0);
    /// How much of a new finding is taken over, after the first.
    const PACE: f64 = 0.5;

    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// The server counted `theirs` tokens of input where we counted `ours`.
    pub fn observe(&mut self, ours: u64, theirs: u64) {
        if ours < Self::LEAST || theirs == 0 {
            return;
        }
        #[allow(clippy::cast_precision_loss)] // token counts are far below 2^52
        let found = theirs as f64 / ours as f64;
        if found < Self::RANGE.0 || found > Self::RANGE.1 {
            return;
        }
        self.factor = if self.seen { self.factor + (found - self.factor) * Self::PACE } else { found };
        self.seen = true;
    }

    /// What the server will probably count.
    pub fn apply(&self, ours: u64) -> u64 {
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // positive, and far below 2^52
        let theirs = (ours as f64 * self.factor).ceil() as u64;
        theirs
    }
}

#[cfg(test)]
mod tests {
    use deskhand_core::Image;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::provider::{ModelCall, Thought, ToolResult};

    #[test]
    fn models_have_their_tokenizer() {
        let cases = [
            ("gpt-4o-mini", Encoding::O200k),
            ("openai/gpt-5", Encoding::O200k),
            ("openrouter/openai/o3-mini", Encoding::O200k),
            ("GPT-4.1", Encoding::O200k),
            ("gpt-4-turbo", Encoding::Cl100k),
            ("gpt-3.5-turbo", Encoding::Cl100k),
            ("qwen3:8b", Encoding::Cl100k),
            ("olmo", Encoding::Cl100k),
        ];
        for (name, wanted) in cases {
            assert_eq!(Encoding::of_model(name), wanted, "{name}");
        }
    }

    #[test]
    fn counts_as_the_tokenizers_do() {
        // Known counts of the two encodings.
        let cases = [("", 0, 0), ("hello world", 2, 2), ("你好，世界", 6, 3), ("tiktoken is great!", 6, 6)];
        for (text, cl100k, o200k) in cases {
            assert_eq!(Encoding::Cl100k.count(text), cl100k, "{text}");
            assert_eq!(Encoding::O200k.count(text), o200k, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_estimated_near_the_truth() {
        let text: String = (0..80_000)
            .flat_map(|i| ["line ", if i % 3 == 0 { "7" } else { "of a log 日志" }, "\n"])
            .collect();
        assert!(text.len() > EXACT_BYTES);
        let exact = Encoding::O200k.tokenizer().count(text.as_str()) as u64;
        let estimate = Encoding::O200k.count(&text);
        assert!(estimate.abs_diff(exact) * 20 < exact, "{estimate} for {exact}");
    }

    #[test]
    fn of_a_very_long_text_only_samples_are_looked_at() {
        let plain = "word ".repeat(2_000_000);
        let mut odd = plain.clone();
        // Between the first sample and the second.
        odd.replace_range(100_000..200_000, &"¤§".repeat(25_000));
        assert_eq!(odd.len(), plain.len());
        assert_eq!(Encoding::Cl100k.count(&odd), Encoding::Cl100k.count(&plain));
        assert!(Encoding::Cl100k.count(&plain).abs_diff(2_000_000) < 20_000);
    }

    #[test]
    fn every_part_of_a_request_counts() {
        let encoding = Encoding::Cl100k;
        let image = Image { mime: "image/png".into(), base64: "x".repeat(100_000) };
        let user = |images| ChatMessage::User { text: "hello world".into(), images };
        assert_eq!(encoding.count_message(&user(vec![])), 2 + MESSAGE_TOKENS);
        assert_eq!(encoding.count_message(&user(vec![image.clone()])), 2 + MESSAGE_TOKENS + IMAGE_TOKENS);
        let call = |arguments| ModelCall { id: "1".into(), name: "grep".into(), arguments };
        let assistant = |thought: &str, text: &str, calls| ChatMessage::Assistant {
            thoughts: vec![Thought { text: thought.into(), signature: None }],
            text: text.into(),
            calls,
        };
        let least = encoding.count_message(&assistant("", "", vec![]));
        let given = Arguments::Given(json!({"pattern": "hello"}));
        let broken = Arguments::Broken { text: "hello world".into(), why: String::new() };
        for more in [
            assistant("hello", "", vec![]),
            assistant("", "hello", vec![]),
            assistant("", "", vec![call(given)]),
            assistant("", "", vec![call(broken)]),
        ] {
            assert!(encoding.count_message(&more) > least, "{more:?}");
        }
        let result = ToolResult {
            call: None,
            call_id: "1".into(),
            name: "grep".into(),
            text: "hello world".into(),
            is_error: false,
            images: vec![image],
        };
        let results = ChatMessage::Results { results: vec![result.clone(), result] };
        let wanted = MESSAGE_TOKENS + 2 * (CALL_TOKENS + 2 + IMAGE_TOKENS);
        assert_eq!(encoding.count_message(&results), wanted);
        let tool = ToolDefinition {
            name: "grep".into(),
            description: "hello world".into(),
            parameters: json!({"type": "object"}),
        };
        let without = encoding.count_request("hello world", std::slice::from_ref(&results), &[]);
        assert_eq!(without, MESSAGE_TOKENS + 2 + wanted);
        assert!(encoding.count_request("hello world", &[results], &[tool]) > without + CALL_TOKENS);
    }

    #[test]
    fn learns_what_the_server_counts() {
        let mut calibrated = Calibrated::default();
        assert_eq!(calibrated.apply(1000), 1000);
        calibrated.observe(1000, 1300);
        assert_eq!(calibrated.apply(2000), 2600);
        calibrated.observe(1000, 1500);
        assert!((calibrated.factor() - 1.4).abs() < 1e-9);
        // says nothing: too small, not counted, something else
        for (ours, theirs) in [(10, 100), (1000, 0), (1000, 100_000), (100_000, 3)] {
            let mut after = calibrated;
            after.observe(ours, theirs);
            assert_eq!(after, calibrated);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_counted(text in ".{0,200}") {
            let tokens = Encoding::O200k.count(&text);
            prop_assert!(tokens <= text.len() as u64);
            prop_assert_eq!(tokens == 0, text.is_empty());
        }
    }
}
