//! Arguments of a call as a person types them: JSON, or `name=value` pairs.

use std::io::Read;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

/// The arguments in these words. A single `-` reads JSON from stdin. `schema` is the tool's, where it is known: what
/// is a text there is a text here, even if it looks like a number.
pub fn parse_arguments(words: &[String], schema: &Value) -> Result<Value> {
    match words {
        [] => Ok(Value::Object(Map::new())),
        [only] if only == "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("cannot read the arguments from stdin")?;
            parse_json(&text)
        }
        [only] if looks_like_json(only) => parse_json(only),
        pairs => parse_pairs(pairs, schema),
    }
}

fn looks_like_json(text: &str) -> bool {
    let text = text.trim_start();
    text.is_empty() || text.starts_with(['{', '[', '"']) || !text.contains('=')
}

fn parse_json(text: &str) -> Result<Value> {
    let value = serde_json::from_str(text).with_context(|| {
        format!("the arguments are not JSON: {}", text.chars().take(80).collect::<String>())
    })?;
    match value {
        Value::Object(_) => Ok(value),
        other => bail!("the arguments must be a JSON object, and this is {}", kind(&other)),
    }
}

/// `path=README.md limit=3 recursive=true`: a value that is JSON is taken as such, anything else as text.
fn parse_pairs(words: &[String], schema: &Value) -> Result<Value> {
    let mut fields = Map::new();
    for word in words {
        let Some((name, text)) = word.split_once('=') else {
            bail!("«{word}» is neither JSON nor NAME=VALUE");
        };
        let is_text = schema["properties"][name]["type"] == "string";
        let value = Some(text).filter(|_| !is_text).and_then(|text| serde_json::from_str(text).ok());
        let value = value.unwrap_or_else(|| Value::String(text.to_owned()));
        if fields.insert(name.to_owned(), value).is_some() {
            bail!("«{name}» is given twice");
        }
    }
    Ok(Value::Object(fields))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(words: &[&str]) -> Result<Value> {
        let schema = json!({"properties": {"content": {"type": "string"}}});
        parse_arguments(&words.iter().map(ToString::to_string).collect::<Vec<_>>(), &schema)
    }

    #[test]
    fn reads_json_and_pairs() {
        assert_eq!(parse(&[]).unwrap(), json!({}));
        assert_eq!(parse(&[r#"{"path":"a=b"}"#]).unwrap(), json!({"path": "a=b"}));
        assert_eq!(
            parse(&["path=a b.txt", "limit=3", "recursive=true", "note=x=y", "content=12"]).unwrap(),
            json!({"path": "a b.txt", "limit": 3, "recursive": true, "note": "x=y", "content": "12"})
        );
    }

    #[test]
    fn says_what_is_wrong() {
        for (words, part) in [
            (&["{"][..], "not JSON"),
            (&["[1]"], "an array"),
            (&["hello"], "not JSON"),
            (&["a=1", "b"], "neither JSON nor"),
            (&["a=1", "a=2"], "twice"),
        ] {
            let error = format!("{:#}", parse(words).unwrap_err());
            assert!(error.contains(part), "{error}");
        }
    }
}
