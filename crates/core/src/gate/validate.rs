//! Validate: arguments against the tool's schema, all errors at once, each with its path.

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use crate::{
    arguments,
    error::{ToolError, ToolResult},
    registry::ToolEntry,
    schema, screener,
};

/// A hostile call could hold a million errors; this many help.
const MOST_ERRORS: usize = 20;

/// Checks the arguments and brings them into canonical form.
pub(super) fn validate(entry: &ToolEntry, arguments: &mut Value) -> ToolResult<()> {
    arguments::normalise(arguments, entry.input_schema());
    let validator = entry.validator()?;
    if !validator.is_valid(arguments) {
        let mut errors: Vec<String> = Vec::new();
        for error in validator.iter_errors(arguments) {
            if errors.len() == MOST_ERRORS {
                errors.push("… and more".to_owned());
                break;
            }
            errors.push(words(&error, entry));
        }
        let message = format!("{} does not take these arguments: {}.", entry.spec().name, errors.join("; "));
        return Err(ToolError::invalid("invalid_arguments", message).hint(usage(entry)));
    }
    if entry.spec().effects.change_state() {
        refuse_masks(arguments)?;
    }
    arguments.sort_all_objects();
    Ok(())
}

/// A secret that was masked must not come back as its mask.
fn refuse_masks(arguments: &Value) -> ToolResult<()> {
    let masks = screener::masks_in(arguments);
    if masks.is_empty() {
        return Ok(());
    }
    let message = format!(
        "The arguments hold a mask ({}…{}) at {}: running this would put the mask where a secret is.",
        screener::MASK_OPEN,
        screener::MASK_CLOSE,
        masks.join(", ")
    );
    Err(ToolError::invalid("contains_mask", message)
        .hint("Leave the lines with secrets as they are: edit only the text around them."))
}

/// One error in words, with the JSON pointer of the place.
fn words(error: &ValidationError<'_>, entry: &ToolEntry) -> String {
    let (schema, at) = (entry.input_schema(), error.instance_path().to_string());
    let shown = if at.is_empty() { "/" } else { at.as_str() };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let known = properties_at(schema, &at);
            let named = unexpected.iter().take(MOST_ERRORS).map(|name| unknown(&at, name, &known));
            let mut names: Vec<String> = named.collect();
            if unexpected.len() > MOST_ERRORS {
                names.push(format!("… and {} more", unexpected.len() - MOST_ERRORS));
            }
            names.join("; ")
        }
        ValidationErrorKind::Required { property } => {
            format!("{at}/{} is missing", property.as_str().unwrap_or_default())
        }
        _ if is_concealed(entry, &at) => format!("{shown}: {}", error.masked()),
        _ => format!("{shown}: {}", short(&error.to_string())),
    }
}

/// Whether what stands at this place is not to be repeated. At the top it is all of it.
fn is_concealed(entry: &ToolEntry, at: &str) -> bool {
    let conceals = entry.spec().conceals;
    let name = at.split('/').nth(1);
    name.map_or(!conceals.is_empty(), |name| conceals.contains(&name))
}

fn unknown(at: &str, name: &str, known: &[&str]) -> String {
    let shown = short(name);
    match arguments::nearest(name, known.iter().copied()) {
        Some(near) => format!("{at}/{shown} is unknown (did you mean {near}?)"),
        None => format!("{at}/{shown} is unknown (there are: {})", known.join(", ")),
    }
}

/// The parameter names that the schema knows at a place in the arguments.
fn properties_at<'a>(schema: &'a Value, at: &str) -> Vec<&'a str> {
    let mut here = schema;
    for part in at.split('/').skip(1) {
        here = match here.get("items").filter(|_| part.parse::<usize>().is_ok()) {
            Some(items) => items,
            None => &here["properties"][part],
        };
    }
    schema::property_names(here)
}

/// Error messages quote the instance; a megabyte of it would help nobody.
fn short(text: &str) -> String {
    const MOST: usize = 200;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    let head: String = text.chars().take(MOST / 2).collect();
    let tail: String = text.chars().skip(text.chars().count() - MOST / 2).collect();
    format!("{head} … {tail}")
}

fn usage(entry: &ToolEntry) -> String {
    let schema = entry.input_schema();
    let required: Vec<&str> = schema["required"]
        .as_array()
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let names: Vec<String> = schema::property_names(schema)
        .into_iter()
        .map(|name| if required.contains(&name) { format!("{name} (required)") } else { name.to_owned() })
        .collect();
    format!("Parameters: {}. Example: {}", names.join(", "), entry.spec().example)
}
