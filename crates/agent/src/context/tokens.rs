//! How many tokens a text, a message, a request is, about.
//!
//! An estimate from the kinds of characters: words, digits, Chinese characters, signs. Its weights were fitted to the
//! counts of OpenAI's tokenizers on prose, code, JSON and logs in English and Chinese. English, code and logs come out
//! within 20 %, as does a longer Chinese text of mixed subjects; a single Chinese sentence differs more (from 0.6 to 1.6
//! tokens a character). Other models' tokenizers differ by a share that is much the same from one request to the next: [`Calibrated`]
//! learns it from the server's own counts.

use crate::provider::{Arguments, ChatMessage, ToolDefinition};

/// What a picture costs, about. Providers differ between 85 and 1,600.
const IMAGE_TOKENS: u64 = 1_100;
/// What surrounds a message: role and separators.
const MESSAGE_TOKENS: u64 = 4;
/// What surrounds a call or a result: id, type, brackets.
const CALL_TOKENS: u64 = 12;

/// Hundredths of a token. A word is one token and a little more for what is long or written in camel case.
const WORD: u64 = 105;
const LETTER_AFTER_FIVE: u64 = 5;
/// No word of a language is this long: it is a key, a hash or the like, which no tokenizer knows.
const LONGEST_WORD: u64 = 24;
const LETTER_OF_A_KEY: u64 = 40;
const CAPITAL_INSIDE: u64 = 83;
/// Digits come in threes.
const DIGITS: u64 = 129;
const SIGNS: u64 = 81;
const SIGN_AFTER_FIRST: u64 = 17;
/// A line break, an indentation. A single space belongs to its word.
const SPACES: u64 = 39;
/// Accents, other alphabets, emoji.
const OTHER: u64 = 47;

/// Which family of tokenizers. They differ in how many tokens a Chinese character is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// GPT-4o and all that came after it.
    O200k,
    /// GPT-3.5 and GPT-4; for models of others, too: a count that is too high is safer than one that is too low.
    #[default]
    Cl100k,
}

/// How the names begin of models that use `o200k`.
const O200K: &[&str] = &["gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-oss", "chatgpt-4o", "o1", "o3", "o4"];

/// What a character is to a tokenizer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Digit,
    Space,
    Sign,
    Han,
    Other,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' | 'A'..='Z' => Self::Letter,
            '0'..='9' => Self::Digit,
            _ if c.is_whitespace() => Self::Space,
            _ if c.is_ascii() => Self::Sign,
            // Chinese, Japanese and Korean, with their punctuation.
            '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' => Self::Han,
            _ => Self::Other,
        }
    }
}

impl Encoding {
    /// By the name of the model, with or without its provider (`openai/gpt-4o-mini`).
    pub fn of_model(name: &str) -> Self {
        let name = name.rsplit('/').next().unwrap_or(name).to_lowercase();
        if O200K.iter().any(|start| name.starts_with(start)) { Self::O200k } else { Self::Cl100k }
    }

    /// Hundredths of a token for a Chinese character.
    fn han(self) -> u64 {
        match self {
            Self::O200k => 78,
            Self::Cl100k => 115,
        }
    }

    pub fn count(self, text: &str) -> u64 {
        let mut rest = text.chars().peekable();
        let mut hundredths = 0;
        while let Some(first) = rest.next() {
            let kind = Kind::of(first);
            let (mut length, mut capitals, mut last) = (1, 0, first);
            while let Some(c) = rest.next_if(|c| Kind::of(*c) == kind) {
                capitals += u64::from(c.is_ascii_uppercase() && !last.is_ascii_uppercase());
                last = c;
                length += 1;
            }
            hundredths += match kind {
                Kind::Letter if length > LONGEST_WORD => length * LETTER_OF_A_KEY,
                Kind::Letter => {
                    WORD + length.saturating_sub(5) * LETTER_AFTER_FIVE + capitals * CAPITAL_INSIDE
                }
                Kind::Digit => length.div_ceil(3) * DIGITS,
                Kind::Space if length == 1 && first == ' ' => 0,
                Kind::Space => SPACES,
                Kind::Sign => SIGNS + (length - 1) * SIGN_AFTER_FIRST,
                Kind::Han => length * self.han(),
                Kind::Other => length * OTHER,
            };
        }
        hundredths.div_ceil(100)
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
    fn estimates_are_near_what_the_tokenizers_count() {
        // Counted once with OpenAI's tokenizers.
        let cases = [
            (
                "The server keeps a log of every request. When the disk is full it stops writing, tells the operator once, and continues to answer; nothing that was accepted before is lost.",
                36,
                36,
            ),
            (
                "fn main() {\n    let total: u64 = items.iter().filter(|item| item.is_open()).map(|item| item.price).sum();\n    println!(\"{total}\");\n}\n",
                37,
                37,
            ),
            (
                "{\"id\": 48213, \"name\": \"report-2026.pdf\", \"size\": 1048576, \"tags\": [\"finance\", \"draft\"], \"modified\": \"2026-11-16T15:05:12.000Z\"}",
                54,
                54,
            ),
            (
                "数据库连接失败时，请先检查网络，再确认用户名和密码是否正确。如果问题仍然存在，请查看日志文件并联系管理员。",
                34,
                28,
            ),
            ("在 src 目录里搜索 TODO，列出每一处的文件名和行号，然后把结果写入 notes.txt。", 31, 27),
            (
                "2026-11-16T15:05:12Z ERROR worker-7 db.pool: timeout after 30000 ms (attempt 3/5) host=10.0.3.17 port=5432\n2026-11-16T15:05:13Z INFO worker-7 db.pool: reconnected\n",
                70,
                70,
            ),
            (
                "$ git log --oneline -3\n901bba6 Take out a case that nothing could fail\n565488e Build the page when a file was deleted\n$ cargo nextest run -p deskhand-serve --test http\n",
                49,
                49,
            ),
            (
                "export function useArguments(schema: Schema, initialValue?: JsonObject) {\n  const [values, setValues] = useState(() => initialValue ?? defaultsOf(schema))\n  return { values, setValues }\n}\n",
                40,
                44,
            ),
        ];
        let chinese = [
            "昨天下午我和几个朋友去了城外的湖边散步。天气有点冷，但是阳光很好，湖面上没有风。我们在岸边坐了一会儿，聊起小时候的事情，后来又在附近的小饭馆吃了一顿热腾腾的面条。回家的路上堵车，到家已经快九点了，不过大家都觉得这一天过得很值得。",
            "据报道，该市今年前三季度新建城镇保障性住房四万余套，完成年度计划的九成以上。相关负责人表示，下一步将继续优化审批流程，加大财政支持力度，确保项目按期交付使用，让更多群众早日住上新房。专家认为，稳定的住房供给有助于改善民生，也有利于促进消费和经济平稳运行。",
            "甲方应当于合同签订之日起十五个工作日内向乙方支付合同总价款的百分之三十作为预付款。乙方未按照约定期限交付货物的，每逾期一日应当向甲方支付合同总价款千分之五的违约金；逾期超过三十日的，甲方有权解除合同并要求乙方赔偿由此造成的全部损失。",
            "为了减少内存占用，程序会把较早的对话压缩成摘要，并把完整内容保存到文件中。模型需要时可以通过工具重新读取。每次调用都会记录在审计日志里，包括参数、执行结果以及由谁批准；任何修改都可以撤销，除非文件之后又被其他程序改动过。",
        ]
        .concat();
        for (encoding, counted) in [(Encoding::Cl100k, 531), (Encoding::O200k, 348)] {
            let estimate = encoding.count(&chinese);
            assert!(estimate.abs_diff(counted) * 5 <= counted, "{estimate} for {counted} of Chinese");
        }
        for (text, cl100k, o200k) in cases {
            for (encoding, counted) in [(Encoding::Cl100k, cl100k), (Encoding::O200k, o200k)] {
                let estimate = encoding.count(text);
                let near = if text.is_ascii() {
                    estimate.abs_diff(counted) * 5 <= counted
                } else {
                    (counted..counted * 2).contains(&estimate)
                };
                assert!(near, "{estimate} for {counted}: {text}");
            }
        }
    }

    #[test]
    fn a_key_without_spaces_is_many_tokens() {
        assert!(Encoding::O200k.count(&"abcdefghij".repeat(1_000)) > 2_500);
        assert!(Encoding::O200k.count(&" ".repeat(10_000)) < 10);
    }

    #[test]
    fn every_part_of_a_request_counts() {
        let encoding = Encoding::Cl100k;
        let hello = encoding.count("hello world");
        let image = Image { mime: "image/png".into(), base64: "x".repeat(100_000) };
        let user = |images| ChatMessage::User { text: "hello world".into(), images };
        assert_eq!(encoding.count_message(&user(vec![])), hello + MESSAGE_TOKENS);
        assert_eq!(encoding.count_message(&user(vec![image.clone()])), hello + MESSAGE_TOKENS + IMAGE_TOKENS);
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
        let wanted = MESSAGE_TOKENS + 2 * (CALL_TOKENS + hello + IMAGE_TOKENS);
        assert_eq!(encoding.count_message(&results), wanted);
        let tool = ToolDefinition {
            name: "grep".into(),
            description: "hello world".into(),
            parameters: json!({"type": "object"}),
        };
        let without = encoding.count_request("hello world", std::slice::from_ref(&results), &[]);
        assert_eq!(without, MESSAGE_TOKENS + hello + wanted);
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
            prop_assert!(tokens <= 2 * text.len() as u64);
            prop_assert_eq!(tokens == 0, text.is_empty() || text == " ");
        }
    }
}
