//! One tool as it is listed, in more or less detail.

use std::{borrow::Cow, sync::Arc};

use deskhand_agent::chain::offer::{self, Detail};
use deskhand_core::{DialectEntry, Permission, SpecOf, ToolEntry};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use super::{
    super::Offer,
    output::{self, OutputDetail},
};

/// How much is said of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    input: Detail,
    output: OutputDetail,
}

impl Level {
    const fn new(input: Detail, output: OutputDetail) -> Self {
        Self { input, output }
    }

    /// From most to least: what results look like goes before what parameters mean.
    pub const ALL: &[Self] = &[
        Self::new(Detail::Full, OutputDetail::Described),
        Self::new(Detail::Full, OutputDetail::Types),
        Self::new(Detail::Full, OutputDetail::Fields),
        Self::new(Detail::Full, OutputDetail::Object),
        Self::new(Detail::Sentences, OutputDetail::Fields),
        Self::new(Detail::Sentences, OutputDetail::Object),
        Self::new(Detail::FewSentences, OutputDetail::Fields),
        Self::new(Detail::FewSentences, OutputDetail::Object),
        Self::new(Detail::ShortSentences, OutputDetail::Object),
        Self::new(Detail::Names, OutputDetail::Object),
    ];
}

/// A tool that is to be listed.
pub struct Subject<'a> {
    name: Cow<'static, str>,
    spec: SpecOf<'a>,
    description: &'a str,
    input: Cow<'a, Value>,
    /// `null`: nothing is said of its results.
    output: &'a Value,
    is_guest: bool,
}

/// Characters that are told of what another server says of a tool.
const MOST_OF_A_GUEST: usize = 300;
/// The same of one of its parameters.
const MOST_OF_A_PARAMETER: usize = 120;
/// What in a schema is there to be read, and not to be checked.
const WORDS: &[&str] = &["description", "title", "$comment"];

/// Shortens what another server says within a schema. Examples are left out: they check nothing and may say anything.
fn shorten_words(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            // A property may have this name, too; then it is a schema.
            if fields.get("examples").is_some_and(Value::is_array) {
                fields.remove("examples");
            }
            for (key, value) in fields {
                match value {
                    Value::String(text) if WORDS.contains(&key.as_str()) => {
                        *text = text.chars().take(MOST_OF_A_PARAMETER).collect();
                    }
                    inner => shorten_words(inner),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(shorten_words),
        _ => {}
    }
}

impl<'a> Subject<'a> {
    pub fn of(entry: &'a ToolEntry, offer: &Offer) -> Self {
        let spec = entry.spec();
        let is_guest = entry.host().is_some();
        let mut input = Cow::Borrowed(entry.input_schema());
        if is_guest {
            shorten_words(input.to_mut());
        }
        let output = if offer.gives_data_of(entry) { entry.output_schema() } else { &Value::Null };
        let description = spec.description;
        Self { name: spec.name.to_owned().into(), spec, description, input, output, is_guest }
    }

    /// In the words of another system, whose results have a shape of their own.
    pub fn in_dialect(entry: &DialectEntry, tool: &'a ToolEntry) -> Self {
        Self {
            name: Cow::Borrowed(entry.name),
            spec: tool.spec(),
            description: entry.description(Some(tool)).0,
            input: Cow::Owned(entry.input_schema(tool.input_schema())),
            output: &Value::Null,
            is_guest: false,
        }
    }

    /// With all that is known.
    pub fn whole(&self) -> Tool {
        let all = Level::new(Detail::Full, OutputDetail::Described);
        let mut tool = self.made(object(self.input.as_ref().clone()), all.output);
        tool.annotations = Some(all_annotations(self.spec));
        tool
    }

    pub fn at(&self, level: Level) -> Tool {
        self.made(object(offer::parameters(&self.input, level.input)), level.output)
    }

    fn made(&self, input: JsonObject, output: OutputDetail) -> Tool {
        let mut tool = Tool::new(self.name.clone(), self.description(), Arc::new(input));
        if self.output.is_object() {
            // What another server says of its results is not checked here, so a client must not rely on it.
            let output = if self.is_guest { OutputDetail::Object } else { output };
            tool.output_schema = Some(Arc::new(output::shrunk(self.output, output)));
        }
        tool.annotations = annotations(self.spec);
        tool
    }

    fn description(&self) -> String {
        let text = self.description;
        if self.is_guest { text.chars().take(MOST_OF_A_GUEST).collect() } else { text.to_owned() }
    }
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(fields) => fields,
        _ => JsonObject::new(),
    }
}

fn all_annotations(spec: SpecOf<'_>) -> ToolAnnotations {
    let changes = spec.effects.change_state();
    ToolAnnotations::new()
        .read_only(!changes)
        .destructive(changes && spec.permission >= Permission::Moderate)
        .idempotent(!changes)
        .open_world(spec.effects.network)
}

/// Those that are not what MCP takes for granted: that a tool changes things for good, in a world without bounds.
fn annotations(spec: SpecOf<'_>) -> Option<ToolAnnotations> {
    let changes = spec.effects.change_state();
    let mut told = ToolAnnotations::new();
    told.read_only_hint = (!changes).then_some(true);
    told.destructive_hint = (changes && spec.permission < Permission::Moderate).then_some(false);
    told.open_world_hint = (!spec.effects.network).then_some(false);
    (told != ToolAnnotations::default()).then_some(told)
}
