//! Secret masking: what a secret looks like, and how it becomes `⟦masked:kind⟧`.
//!
//! Quick searches find the places worth a look: [`formats`] the fixed beginnings of [`known`] keys (and
//! [`blocks`], [`links`] what needs more than a beginning), [`dotted`] and [`key_lines`] what has no
//! beginning, [`assignments`] the words that say «secret» ([`names`]), whose value [`values`] then judges. Everything looks a bounded way around such a place, so
//! the time is linear in the text whatever the text is.
//!
//! What is masked is the secret alone: the name, the quotes and the rest of the line stay, so that JSON stays
//! JSON. Masking what is masked changes nothing.

use std::ops::Range;

use deskhand_core::{
    Masked, Screener,
    screener::{MASK_CLOSE, MASK_OPEN},
};
use serde_json::{Map, Value};

mod assignments;
mod blocks;
mod dotted;
mod formats;
mod key_lines;
mod known;
mod links;
mod names;
mod ordinary;
mod plain;
mod sign;
mod values;

#[cfg(test)]
mod tests;

pub use names::is_secret_name;
use names::{Strength, classify};

/// Knows what secrets look like. Has no state of its own: make one wherever one is needed.
#[derive(Clone, Copy, Debug, Default)]
pub struct SecretScreener;

impl Screener for SecretScreener {
    fn mask_text(&self, text: &str) -> Masked {
        Masked::assume(masked(text).unwrap_or_else(|| text.to_owned()))
    }

    fn mask_value(&self, value: &Value) -> Value {
        masked_value(value).unwrap_or_else(|| value.clone())
    }
}

/// A secret in a text, by bytes.
#[derive(Debug, PartialEq, Eq)]
struct Span {
    range: Range<usize>,
    kind: &'static str,
}

/// The text without its secrets; `None` if there are none.
fn masked(text: &str) -> Option<String> {
    if plain::is_plain_word(text) {
        return None;
    }
    // A mask can make visible what stood too close to a secret to be seen: hence the second look, which
    // costs nothing where there was no secret. What is masked is never looked at again, so this ends; the
    // limit is for texts made to have many such layers.
    let mut out = mask_once(text)?;
    for _ in 0..4 {
        match mask_once(&out) {
            Some(again) => out = again,
            None => break,
        }
    }
    Some(out)
}

fn mask_once(text: &str) -> Option<String> {
    let mut spans = Vec::new();
    formats::find(text, &mut spans);
    dotted::find(text, &mut spans);
    let public = key_lines::find(text, &mut spans);
    let formats = spans.len();
    assignments::find(text, &mut spans);
    if !public.is_empty() {
        // Among many characters of a certificate or a picture, some spell `pw` by chance.
        let named = spans.split_off(formats);
        spans.extend(named.into_iter().filter(|span| !is_within(&public, &span.range)));
    }
    if spans.is_empty() {
        return None;
    }
    // The first of two that begin together is the one with the more telling kind: formats came first.
    spans.sort_by_key(|span| span.range.start);
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    let mut spans = spans.into_iter().peekable();
    while let Some(Span { mut range, kind }) = spans.next() {
        while let Some(next) = spans.next_if(|next| next.range.start < range.end) {
            range.end = range.end.max(next.range.end);
        }
        out.push_str(&text[copied..range.start]);
        push_mask(&mut out, kind);
        copied = range.end;
    }
    out.push_str(&text[copied..]);
    Some(out)
}

/// Whether one of the places, which are in order, holds the range.
fn is_within(places: &[Range<usize>], range: &Range<usize>) -> bool {
    let after = places.partition_point(|place| place.start <= range.start);
    after > 0 && range.end <= places[after - 1].end
}

fn push_mask(out: &mut String, kind: &str) {
    out.push_str(MASK_OPEN);
    out.push_str(kind);
    out.push(MASK_CLOSE);
}

fn mask_of(kind: &str) -> Value {
    let mut mask = String::new();
    push_mask(&mut mask, kind);
    Value::String(mask)
}

/// The value without its secrets; `None` if there are none.
fn masked_value(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => masked(text).map(Value::String),
        Value::Array(items) => masked_items(items, masked_value),
        Value::Object(fields) => masked_fields(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn masked_items(items: &[Value], mask: impl Fn(&Value) -> Option<Value>) -> Option<Value> {
    let mut copy: Option<Vec<Value>> = None;
    for (i, item) in items.iter().enumerate() {
        if let Some(new) = mask(item) {
            copy.get_or_insert_with(|| items.to_vec())[i] = new;
        }
    }
    copy.map(Value::Array)
}

fn masked_fields(fields: &Map<String, Value>) -> Option<Value> {
    // `{"name": "DB_PASSWORD", "value": …}`, as containers and build systems list their variables.
    let listed =
        ["name", "key", "Name", "Key"].iter().find_map(|key| fields.get(*key)?.as_str()).and_then(classify);
    let mut changes = Vec::new();
    for (key, item) in fields {
        let named = match key.as_str() {
            "value" | "Value" => listed.or_else(|| classify(key)),
            _ => classify(key),
        };
        let new_key = masked(key);
        let new_item = match named {
            Some((strength, kind)) if strength != Strength::Hint => masked_under(strength, kind, item),
            _ => masked_value(item),
        };
        if new_key.is_some() || new_item.is_some() {
            changes.push((key, new_key, new_item));
        }
    }
    if changes.is_empty() {
        return None;
    }
    let mut changes = changes.into_iter().peekable();
    let mut copy = Map::with_capacity(fields.len());
    for (key, item) in fields {
        let (new_key, new_item) = match changes.next_if(|(changed, ..)| *changed == key) {
            Some((_, new_key, new_item)) => (new_key, new_item),
            None => (None, None),
        };
        let key = new_key.map_or_else(|| key.clone(), |new_key| free_key(fields, &copy, new_key));
        copy.insert(key, new_item.unwrap_or_else(|| item.clone()));
    }
    Some(Value::Object(copy))
}

/// What stands under a key that names a secret is one, whatever it looks like.
fn masked_under(strength: Strength, kind: &'static str, value: &Value) -> Option<Value> {
    let found = match value {
        Value::String(text) if values::is_named_secret(text, strength) => Some(mask_of(kind)),
        // A number under `token` may count something; a long one does not.
        Value::Number(number) if strength == Strength::Strong || number.to_string().len() >= 4 => {
            Some(mask_of(kind))
        }
        Value::Array(items) => return masked_items(items, |item| masked_under(strength, kind, item)),
        _ => None,
    };
    found.or_else(|| masked_value(value))
}

/// Two keys that were different secrets must not become one key.
fn free_key(fields: &Map<String, Value>, copy: &Map<String, Value>, key: String) -> String {
    let is_taken = |key: &String| copy.contains_key(key) || fields.contains_key(key);
    let mut numbered = (2..=2 * fields.len() + 2).map(|n| format!("{key}{n}"));
    let free = if is_taken(&key) { numbered.find(|key| !is_taken(key)) } else { None };
    free.unwrap_or(key)
}
