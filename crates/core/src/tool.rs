//! A tool, and its form with the types erased.

use std::{future::Future, sync::Arc};

use futures_util::{FutureExt, future::BoxFuture};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    cx::{Cx, Services},
    error::{ToolError, ToolResult},
    outcome::Image,
    plan::Plan,
    registry::Absent,
    spec::Spec,
};

/// One thing that hands can do.
///
/// Adding one is one file with a type that implements this, and one line in the list of its family. There is
/// nothing in it of permissions checked, output cut, secrets masked or calls logged: the gate does that.
pub trait Tool: Send + Sync + 'static {
    /// What a caller gives. Derive `JsonSchema` for it, and give it `#[serde(deny_unknown_fields)]`.
    type Input: DeserializeOwned + JsonSchema + Clone + Send + Sync + 'static;
    /// What programs get.
    type Output: Serialize + JsonSchema + Send;

    const SPEC: Spec;

    /// Whether it can work here, and if not why, and what would help.
    fn available(&self, _services: &Services) -> Result<(), Absent> {
        Ok(())
    }

    /// Says what `run` would do with this input. Changes nothing.
    fn plan(&self, input: &Self::Input, cx: &Cx) -> impl Future<Output = ToolResult<Plan>> + Send;

    /// Does it. What its caller would find elsewhere, and may have only with the result, is put off by
    /// [`Cx::once_passed_on`].
    fn run(&self, input: Self::Input, cx: &Cx) -> impl Future<Output = ToolResult<Self::Output>> + Send;

    /// What the model reads. By default the output as JSON.
    fn render(output: &Self::Output) -> Rendered {
        Rendered::text(serde_json::to_string_pretty(output).unwrap_or_default())
    }
}

/// What a model gets to see of an output.
#[derive(Debug, Default)]
pub struct Rendered {
    pub text: String,
    pub images: Vec<Image>,
}

impl Rendered {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), images: Vec::new() }
    }
}

/// What a run produced, before it is screened.
#[derive(Debug, Default)]
pub struct Reply {
    pub text: String,
    pub data: Value,
    pub images: Vec<Image>,
}

/// A tool with its types erased: what the registry holds and the gate calls.
pub trait ErasedTool: Send + Sync {
    fn available(&self, services: &Services) -> Result<(), Absent>;
    fn plan<'a>(&'a self, arguments: &'a Value, cx: &'a Cx) -> BoxFuture<'a, ToolResult<Plan>>;
    fn run<'a>(&'a self, arguments: Value, cx: &'a Cx) -> BoxFuture<'a, ToolResult<Reply>>;
}

impl<T: Tool> ErasedTool for T {
    fn available(&self, services: &Services) -> Result<(), Absent> {
        Tool::available(self, services)
    }

    fn plan<'a>(&'a self, arguments: &'a Value, cx: &'a Cx) -> BoxFuture<'a, ToolResult<Plan>> {
        async move {
            let input = read_input::<T>(arguments)?;
            Tool::plan(self, &input, cx).await
        }
        .boxed()
    }

    fn run<'a>(&'a self, arguments: Value, cx: &'a Cx) -> BoxFuture<'a, ToolResult<Reply>> {
        async move {
            let input = read_input::<T>(&arguments)?;
            let output = Tool::run(self, input, cx).await?;
            let Rendered { text, images } = T::render(&output);
            let data = serde_json::to_value(&output).map_err(|error| {
                ToolError::new("output_not_json", format!("The output cannot be written as JSON: {error}."))
            })?;
            Ok(Reply { text, data, images })
        }
        .boxed()
    }
}

/// The schema is the first check; this is for what a schema cannot say.
fn read_input<T: Tool>(arguments: &Value) -> ToolResult<T::Input> {
    serde::Deserialize::deserialize(arguments).map_err(|error| {
        // Errors quote what they are about.
        let message = match T::SPEC.conceals {
            [] => format!("{error}."),
            _ => format!("{} cannot read these arguments.", T::SPEC.name),
        };
        ToolError::invalid("invalid_arguments", message)
    })
}

/// A tool on its way into a registry.
pub type SharedTool = Arc<dyn ErasedTool>;
