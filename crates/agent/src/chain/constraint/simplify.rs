//! JSON schemas brought down to what the grammars of local servers understand.

use serde_json::{Map, Value, json};

/// How often a reference is followed inside itself before its place may hold anything.
const MAX_REFS: usize = 4;
const MAX_DEPTH: usize = 32;
/// A small model that does not know where its list ends must end it somewhere.
const MAX_ITEMS: u64 = 100;
/// Longer bounds are refused by some grammars, and are left out.
const MAX_LENGTH: u64 = 1_000;

/// More than this is in no schema that a model could fill in. References that fan out reach it with a few lines.
const MOST_NODES: usize = 10_000;

/// The schema with every reference replaced by what it refers to, and without definitions. What is beyond all bounds
/// may hold anything.
pub fn inline_refs(schema: &Value) -> Value {
    inline_all(schema, &mut Budget(MOST_NODES))
}

/// The same, but nothing where the schema is beyond all bounds.
pub fn inline_refs_in_bounds(schema: &Value) -> Option<Value> {
    let mut budget = Budget(MOST_NODES);
    let inlined = inline_all(schema, &mut budget);
    (budget.0 > 0).then_some(inlined)
}

/// How many more parts of a schema are looked at.
struct Budget(usize);

impl Budget {
    fn is_spent(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 == 0
    }
}

fn inline_all(schema: &Value, budget: &mut Budget) -> Value {
    let mut inlined = Inlining { root: schema, within: Vec::new(), budget }.inline(schema, 0);
    if let Some(root) = inlined.as_object_mut() {
        root.remove("$defs");
        root.remove("definitions");
    }
    inlined
}

struct Inlining<'a> {
    root: &'a Value,
    /// The references that are being followed.
    within: Vec<String>,
    budget: &'a mut Budget,
}

impl Inlining<'_> {
    fn inline(&mut self, schema: &Value, depth: usize) -> Value {
        if depth > MAX_DEPTH || self.budget.is_spent() {
            return json!({});
        }
        match schema {
            Value::Array(items) => items.iter().map(|item| self.inline(item, depth + 1)).collect(),
            Value::Object(fields) => {
                if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                    return self.follow(reference, fields, depth);
                }
                fields
                    .iter()
                    .filter(|(key, _)| depth > 0 || !matches!(key.as_str(), "$defs" | "definitions"))
                    .map(|(key, value)| (key.clone(), self.inline(value, depth + 1)))
                    .collect()
            }
            other => other.clone(),
        }
    }

    fn follow(&mut self, reference: &str, fields: &Map<String, Value>, depth: usize) -> Value {
        let times = self.within.iter().filter(|other| *other == reference).count();
        let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let Some(target) = target.filter(|_| times < MAX_REFS && self.within.len() < MAX_DEPTH) else {
            return json!({});
        };
        self.within.push(reference.to_owned());
        let mut inlined = self.inline(target, depth + 1);
        self.within.pop();
        // What stands beside a reference holds, too.
        if let Some(into) = inlined.as_object_mut() {
            let before = std::mem::take(&mut self.within);
            for (key, value) in fields.iter().filter(|(key, _)| *key != "$ref") {
                into.insert(key.clone(), self.inline(value, depth + 1));
            }
            self.within = before;
        }
        inlined
    }
}

/// The schema with only what grammars understand. It allows no more than the original does, but where the original
/// says something that no grammar can (`pattern`, `not`, `if`, very long bounds); the gate checks that anyway.
pub fn simplify(schema: &Value) -> Value {
    simple(&inline_refs(schema), 0, &mut Budget(MOST_NODES))
}

fn simple(schema: &Value, depth: usize, budget: &mut Budget) -> Value {
    let Some(fields) = schema.as_object().filter(|_| depth <= MAX_DEPTH) else { return json!({}) };
    if budget.is_spent() {
        return json!({});
    }
    if let Some(constant) = fields.get("const") {
        return json!({ "const": constant });
    }
    if let Some(Value::Array(values)) = fields.get("enum") {
        let values: Vec<&Value> = values.iter().filter(|value| !value.is_null()).collect();
        return json!({ "enum": values });
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(Value::Array(options)) = fields.get(key) {
            return alternatives(options.iter().filter(|option| !is_null(option)), depth, budget);
        }
    }
    if let Some(Value::Array(parts)) = fields.get("allOf") {
        return simple(&merged(fields, parts), depth + 1, budget);
    }
    match fields.get("type") {
        Some(Value::Array(types)) => {
            let typed = types.iter().filter(|kind| *kind != "null").map(|kind| {
                let mut option = fields.clone();
                option.insert("type".into(), kind.clone());
                Value::Object(option)
            });
            let typed: Vec<Value> = typed.collect();
            alternatives(typed.iter(), depth, budget)
        }
        Some(Value::String(kind)) => of_type(kind, fields, depth, budget),
        _ if fields.contains_key("properties") => of_type("object", fields, depth, budget),
        _ if fields.contains_key("items") => of_type("array", fields, depth, budget),
        _ => json!({}),
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("null")
}

fn alternatives<'a>(options: impl Iterator<Item = &'a Value>, depth: usize, budget: &mut Budget) -> Value {
    let options: Vec<Value> = options.map(|option| simple(option, depth + 1, budget)).collect();
    super::any_of(options)
}

/// All parts of an `allOf` in one: properties and what is required put together, of other words the last one.
fn merged(fields: &Map<String, Value>, parts: &[Value]) -> Value {
    let mut whole: Map<String, Value> = fields.clone();
    whole.remove("allOf");
    for (key, value) in parts.iter().filter_map(Value::as_object).flatten() {
        match (whole.get_mut(key), value) {
            (Some(Value::Object(known)), Value::Object(more)) if key == "properties" => {
                known.extend(more.clone());
            }
            (Some(Value::Array(known)), Value::Array(more)) if key == "required" => {
                known.extend(more.iter().cloned());
            }
            _ => {
                whole.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(whole)
}

fn of_type(kind: &str, fields: &Map<String, Value>, depth: usize, budget: &mut Budget) -> Value {
    let mut kept = Map::from_iter([("type".to_owned(), Value::from(kind))]);
    let mut keep = |key: &str| {
        if let Some(value) = fields.get(key) {
            kept.insert(key.to_owned(), value.clone());
        }
    };
    match kind {
        "integer" | "number" => {
            ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].into_iter().for_each(&mut keep);
        }
        "string" => {
            keep("minLength");
            // No bound of our own: a text that the grammar cuts off would look whole, and be written like that. One
            // that runs into the limit of tokens is seen to have no end.
            if fields.get("maxLength").and_then(Value::as_u64).is_some_and(|most| most <= MAX_LENGTH) {
                keep("maxLength");
            }
        }
        "array" => {
            keep("minItems");
            let least = fields.get("minItems").and_then(Value::as_u64).unwrap_or(0);
            let most = fields.get("maxItems").and_then(Value::as_u64).unwrap_or(MAX_ITEMS);
            kept.insert("maxItems".into(), most.min(MAX_ITEMS).max(least).into());
            let items =
                fields.get("items").map_or_else(|| json!({}), |items| simple(items, depth + 1, budget));
            kept.insert("items".into(), items);
        }
        "object" => object(fields, depth, &mut kept, budget),
        _ => {}
    }
    Value::Object(kept)
}

fn object(fields: &Map<String, Value>, depth: usize, kept: &mut Map<String, Value>, budget: &mut Budget) {
    let properties = fields.get("properties").and_then(Value::as_object);
    let simple_one =
        |(name, property): (&String, &Value)| (name.clone(), simple(property, depth + 1, budget));
    let simpler: Map<String, Value> = properties.into_iter().flatten().map(simple_one).collect();
    // A map of anything to something: there is nothing to close.
    let values = fields.get("additionalProperties").filter(|_| simpler.is_empty());
    let additional = match values {
        Some(Value::Object(_)) => {
            values.map_or(Value::Bool(false), |values| simple(values, depth + 1, budget))
        }
        Some(Value::Bool(true)) => Value::Bool(true),
        None if properties.is_none() => Value::Bool(true),
        _ => Value::Bool(false),
    };
    kept.insert("properties".into(), Value::Object(simpler));
    if let Some(required) = fields.get("required") {
        kept.insert("required".into(), required.clone());
    }
    kept.insert("additionalProperties".into(), additional);
}
