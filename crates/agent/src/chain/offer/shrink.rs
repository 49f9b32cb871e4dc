//! Schemas made small: the definitions of tools can be most of a request, and are sent with each.

use serde_json::{Map, Value};

use crate::chain::constraint::inline_refs;

/// How much is said of the parameters of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// All that helps: descriptions, bounds, defaults.
    Full,
    /// One sentence for each parameter; neither bounds nor defaults.
    Sentences,
    /// The same, but for optional switches and numbers, whose names must do.
    FewSentences,
    /// Optional parameters keep a sentence only if it is short.
    ShortSentences,
    /// Optional parameters have a name and a type.
    Names,
}

impl Detail {
    /// From most to least.
    pub const ALL: &[Self] =
        &[Self::Full, Self::Sentences, Self::FewSentences, Self::ShortSentences, Self::Names];
    /// Characters of a short sentence.
    const SHORT: usize = 45;

    fn keeps(self, sentence: &str, schema: &Map<String, Value>) -> bool {
        let kind = schema.get("type").and_then(Value::as_str).unwrap_or_default();
        let plain = matches!(kind, "boolean" | "integer" | "number");
        match self {
            Self::Full | Self::Sentences => true,
            Self::FewSentences => !plain,
            Self::ShortSentences => !plain && sentence.chars().count() <= Self::SHORT,
            Self::Names => false,
        }
    }
}

/// Never of use to a model.
const NOISE: &[&str] = &[
    "$schema",
    "$id",
    "$comment",
    "title",
    "format",
    "examples",
    "additionalProperties",
    "readOnly",
    "writeOnly",
];
/// Bounds and defaults are checked and filled in anyway: a model is told of them where there is room.
const BOUNDS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "default",
];

/// The schema of the arguments of a tool, as a model is told of it.
pub fn parameters(schema: &Value, detail: Detail) -> Value {
    let mut schema = inline_refs(schema);
    let required: Vec<String> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    tidy(&mut schema, detail);
    let Some(root) = schema.as_object_mut() else { return schema };
    root.remove("description");
    if let Some(Value::Object(properties)) = root.get_mut("properties") {
        for (name, property) in properties.iter_mut() {
            if let Some(property) = property.as_object_mut().filter(|_| !required.contains(name)) {
                drop_description(property, detail);
            }
        }
    }
    root.entry("type").or_insert_with(|| "object".into());
    root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    schema
}

fn drop_description(schema: &mut Map<String, Value>, detail: Detail) {
    let sentence = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    if !detail.keeps(sentence, schema) {
        schema.remove("description");
    }
}

fn tidy(schema: &mut Value, detail: Detail) {
    let Some(fields) = schema.as_object_mut() else { return };
    drop_null(fields);
    // A map of anything is what it says only with this word; everywhere else it is noise.
    let is_free_map = !fields.contains_key("properties") && fields.get("additionalProperties").is_some();
    fields.retain(|key, value| {
        let noise = NOISE.contains(&key.as_str()) && !(is_free_map && key == "additionalProperties");
        let says_nothing = key == "default" && (value.is_null() || *value == Value::Bool(false));
        let bound = detail > Detail::Full && BOUNDS.contains(&key.as_str());
        !(noise || says_nothing || bound)
    });
    constants_to_enum(fields, detail);
    if let Some(Value::String(text)) = fields.get_mut("description") {
        let short = if detail == Detail::Full { text.trim() } else { first_sentence(text) };
        *text = short.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    for key in ["properties", "patternProperties"] {
        if let Some(Value::Object(properties)) = fields.get_mut(key) {
            properties.values_mut().for_each(|property| tidy(property, detail));
        }
    }
    for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        if let Some(Value::Array(options)) = fields.get_mut(key) {
            for option in options {
                tidy(option, detail);
            }
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = fields.get_mut(key) {
            tidy(inner, detail);
        }
    }
    if let Some(Value::Object(items)) = fields.get_mut("items")
        && detail > Detail::Full
    {
        items.remove("description");
    }
}

/// `anyOf [X, null]` is X: an optional parameter may be left out.
fn drop_null(fields: &mut Map<String, Value>) {
    for key in ["anyOf", "oneOf"] {
        let Some(Value::Array(options)) = fields.get_mut(key) else { continue };
        options.retain(|option| option.get("type").and_then(Value::as_str) != Some("null"));
        if options.len() == 1 {
            let only = options.remove(0);
            fields.remove(key);
            if let Value::Object(only) = only {
                for (key, value) in only {
                    fields.entry(key).or_insert(value);
                }
            }
        }
    }
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            fields.insert("type".into(), only);
        }
    }
}

/// Several constants are one list of values, where their descriptions need not be kept.
fn constants_to_enum(fields: &mut Map<String, Value>, detail: Detail) {
    let Some(Value::Array(options)) = fields.get("oneOf") else { return };
    let constants: Option<Vec<Value>> = options.iter().map(|option| option.get("const").cloned()).collect();
    let described = options.iter().any(|option| option.get("description").is_some());
    let Some(constants) = constants.filter(|_| detail > Detail::Full || !described) else { return };
    fields.remove("oneOf");
    if constants.iter().all(Value::is_string) {
        fields.insert("type".into(), "string".into());
    }
    fields.insert("enum".into(), constants.into());
}

/// Up to the first full stop that ends a sentence, without it.
fn first_sentence(text: &str) -> &str {
    let text = text.trim();
    let chinese = text.find('。');
    let english = text.match_indices(['.', ';']).map(|(at, _)| at).find(|at| {
        let after = &text[at + 1..];
        after.is_empty() || after.starts_with(char::is_whitespace)
    });
    match [chinese, english].into_iter().flatten().min() {
        Some(end) => &text[..end],
        None => text,
    }
}
