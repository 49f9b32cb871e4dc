//! The two wires, and a good answer on each.

use std::{fmt::Write as _, time::Duration};

use deskhand_agent::provider::{Arguments, Delta, ErrorClass, ModelName, ModelRequest, Reply, connect};
use proptest::{prelude::*, test_runner::Config};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::mock::{Answer, Mock, ask, ask_with};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    OpenAi,
    Anthropic,
}

pub const BOTH: [Wire; 2] = [Wire::OpenAi, Wire::Anthropic];

impl Wire {
    pub fn model(self) -> &'static str {
        match self {
            Self::OpenAi => "openai/gpt-5",
            Self::Anthropic => "anthropic/claude-sonnet-4-5",
        }
    }

    /// Events that say `text` and have not come to an end.
    pub fn beginning(self, text: &str) -> String {
        match self {
            Self::OpenAi => event(&json!({"choices": [{"index": 0, "delta": {"content": text}}]})),
            Self::Anthropic => {
                event(
                    &json!({"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}}),
                ) + &event(
                    &json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                ) + &event(
                    &json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
                )
            }
        }
    }

    /// A call with these pieces of arguments.
    pub fn call(self, pieces: &[&str]) -> String {
        let mut out = match self {
            Self::OpenAi => event(
                &json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "read_file", "arguments": ""}}]}}]}),
            ),
            Self::Anthropic => event(
                &json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "c1", "name": "read_file", "input": {}}}),
            ),
        };
        for piece in pieces {
            out += &match self {
                Self::OpenAi => event(
                    &json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}}]}),
                ),
                Self::Anthropic => event(
                    &json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": piece}}),
                ),
            };
        }
        out
    }

    /// The events that end an answer, without what says that nothing follows.
    pub fn reason(self) -> String {
        match self {
            Self::OpenAi => {
                event(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
                    + &event(&json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}))
            }
            Self::Anthropic => event(
                &json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}}),
            ),
        }
    }

    pub fn done(self) -> String {
        match self {
            Self::OpenAi => "data: [DONE]\n\n".to_owned(),
            Self::Anthropic => event(&json!({"type": "message_stop"})),
        }
    }

    pub fn good(self, text: &str) -> String {
        self.beginning(text) + &self.reason() + &self.done()
    }

    /// The same, not streamed.
    pub fn whole(self, text: &str) -> Value {
        match self {
            Self::OpenAi => {
                json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})
            }
            Self::Anthropic => {
                json!({"type": "message", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": {"input_tokens": 7, "output_tokens": 3}})
            }
        }
    }
}

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

#[tokio::test]
async fn a_good_answer_comes_through() {
    for wire in BOTH {
        let body =
            wire.beginning("Grüß 中") + &wire.call(&["{\"path\":", "\"a\"}"]) + &wire.reason() + &wire.done();
        let mock = Mock::start(vec![Answer::stream().send(body)]).await;
        let asked = ask_with(wire.model(), &mock.options()).await;
        let reply = asked.reply.as_ref().unwrap();
        assert_eq!(reply.text, "Grüß 中");
        assert_eq!(reply.calls[0].arguments, Arguments::Given(json!({"path": "a"})));
        let usage = reply.usage.unwrap();
        assert_eq!((usage.input_tokens, usage.output_tokens), (7, 3));
        assert!(usage.cost.unwrap() > 0.0, "the price of this model is known");
        assert_eq!(asked.deltas, [Delta::Text("Grüß 中".into()), Delta::Call { name: "read_file".into() }]);
        let seen = mock.seen();
        assert_eq!(seen.len(), 1);
        assert!(seen[0].headers.contains(concat!("user-agent: deskhand/", env!("CARGO_PKG_VERSION"))));
        assert!(seen[0].headers.contains("test-key"));
        let path = if wire == Wire::OpenAi { "POST /v1/chat/completions" } else { "POST /v1/messages" };
        assert_eq!((seen[0].line.as_str(), &seen[0].body["stream"]), (path, &json!(true)));
    }
}

#[tokio::test]
async fn pieces_are_passed_on_as_they_arrive() {
    for wire in BOTH {
        let answer = Answer::stream().send(wire.beginning("early")).hang();
        let mock = Mock::start(vec![answer]).await;
        let provider = connect(&ModelName::parse(wire.model()).unwrap(), &mock.options()).unwrap();
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        let cancel = CancellationToken::new();
        let asking = {
            let cancel = cancel.clone();
            tokio::spawn(async move {
                let request = ModelRequest::default();
                provider.complete(&request, &mut |delta| sender.send(delta).unwrap(), &cancel).await
            })
        };
        let first = tokio::time::timeout(Duration::from_secs(20), receiver.recv()).await.unwrap();
        assert_eq!(first, Some(Delta::Text("early".into())));
        cancel.cancel();
        let error =
            tokio::time::timeout(Duration::from_secs(20), asking).await.unwrap().unwrap().unwrap_err();
        assert!(error.partly_answered);
        assert_eq!(error.class, ErrorClass::Cancelled);
    }
}

#[tokio::test]
async fn a_body_may_be_compressed() {
    for wire in BOTH {
        let body = gzip(wire.good("packed").as_bytes());
        let mut head =
            String::from("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\n");
        write!(head, "content-length: {}\r\n\r\n", body.len()).unwrap();
        let mock = Mock::start(vec![Answer::raw(head).send(body)]).await;
        let asked = ask_with(wire.model(), &mock.options()).await;
        assert_eq!(asked.reply.unwrap().text, "packed", "{wire:?}");
    }
}

#[tokio::test]
async fn a_connection_is_used_again() {
    for wire in BOTH {
        let body = wire.good("ok");
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        // The end comes a moment after what says that nothing follows.
        let answer =
            Answer::raw(format!("{head}{:x}\r\n{body}\r\n", body.len())).wait(20).send("0\r\n\r\n").keep();
        let mock = Mock::start(vec![answer]).await;
        let model = ModelName::parse(wire.model()).unwrap();
        let provider = connect(&model, &mock.options()).unwrap();
        for _ in 0..3 {
            assert_eq!(ask(&*provider, &CancellationToken::new()).await.reply.unwrap().text, "ok");
            // The client puts it back in a task of its own.
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert_eq!((mock.seen().len(), mock.connections()), (3, 1), "{wire:?}");
    }
}

/// One block that is stored as it is: enough of the format to be unpacked.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xEDB8_8320 } else { sum >> 1 };
        }
    }
    let length = u16::try_from(bytes.len()).unwrap();
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend(bytes);
    out.extend((!sum).to_le_bytes());
    out.extend(u32::from(length).to_le_bytes());
    out
}

proptest! {
    #![proptest_config(Config { cases: 24, ..Config::default() })]
    #[test]
    fn any_chunking_of_a_stream_gives_the_same_reply(sizes in prop::collection::vec(1usize..60, 1..30), openai in any::<bool>()) {
        let wire = if openai { Wire::OpenAi } else { Wire::Anthropic };
        let body = wire.beginning("Grüß 中文 🎉") + ": comment\r\n\r\n" + &wire.call(&["{\"path\":", "\"中\"}"]) + &wire.reason() + &wire.done();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let replies: Vec<Reply> = runtime.block_on(async {
            let mut pieces = Answer::stream();
            let mut rest = body.as_bytes();
            for (sent, size) in sizes.iter().cycle().enumerate() {
                if rest.is_empty() || sent > 40 {
                    break;
                }
                let (piece, after) = rest.split_at((*size).min(rest.len()));
                pieces = pieces.send(piece).wait(1);
                rest = after;
            }
            let mut replies = Vec::new();
            for answer in [Answer::stream().send(body.clone()), pieces.send(rest)] {
                let mock = Mock::start(vec![answer]).await;
                replies.push(ask_with(wire.model(), &mock.options()).await.reply.unwrap());
            }
            replies
        });
        prop_assert_eq!(&replies[0], &replies[1]);
        prop_assert_eq!(&replies[0].calls[0].arguments, &Arguments::Given(json!({"path": "中"})));
    }
}
