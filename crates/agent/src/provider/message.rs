//! What is said to a model, and what it answers, whoever's wire it goes over.

use deskhand_core::{CallId, Image, session::Usage};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One request to a model.
#[derive(Clone, Debug, Default)]
pub struct ModelRequest {
    pub system: String,
    /// Every call in it has exactly one result, which follows it before anything else is said.
    pub messages: Vec<ChatMessage>,
    /// In stable order, so that the caches of servers hit.
    pub tools: Vec<ToolDefinition>,
    /// The form that the answer must have.
    pub constraint: Option<Constraint>,
    /// The most tokens of an answer.
    pub max_tokens: Option<u64>,
    /// What goes into the body as it is: `temperature`, `logit_bias`, `grammar`, …
    pub extra: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "role")]
pub enum ChatMessage {
    User {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
    /// Never empty: it says something or calls something.
    Assistant {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        thoughts: Vec<Thought>,
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ModelCall>,
    },
    /// The results of the calls of the assistant's message before, all of them, in the same order.
    Results { results: Vec<ToolResult> },
}

/// What a model thought. `signature` is what some providers want back with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Thought {
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// A call that a model wants made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelCall {
    /// Not empty, and the only one of its kind in the reply.
    pub id: String,
    pub name: String,
    pub arguments: Arguments,
}

/// The arguments of a call as far as they can be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arguments {
    Given(Value),
    /// They are no JSON object, or end in the middle. Nothing runs on them.
    Broken {
        text: String,
        why: String,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call as we know it; not for the wire.
    #[serde(skip)]
    pub call: Option<CallId>,
    pub call_id: String,
    pub name: String,
    pub text: String,
    pub is_error: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
}

/// A tool as a model is told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
}

/// The form that an answer must have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constraint {
    pub name: String,
    pub schema: Value,
}

/// A piece of an answer, as it arrives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delta {
    Text(String),
    Thought(String),
    /// A call is being written.
    Call {
        name: String,
    },
    /// Not of the answer: it takes longer, or another answers, and why. For the person.
    Notice(String),
}

/// The whole answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thoughts: Vec<Thought>,
    #[serde(default)]
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ModelCall>,
    #[serde(default)]
    pub finish: Finish,
    /// As the server counts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    #[default]
    Stop,
    /// It was cut off: the answer is longer than it may be. A last call may lack its end.
    Length,
    /// The server withheld it.
    Filtered,
}
