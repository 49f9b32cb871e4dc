//! What to look for, and in which files: patterns and globs, with words for those that are wrong.

use std::path::Path;

use deskhand_core::{ToolError, ToolResult};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use ignore::overrides::{Override, OverrideBuilder};

use super::{super::entry::on_one_line, Input};

pub(super) fn matcher(input: &Input) -> ToolResult<RegexMatcher> {
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).case_insensitive(input.ignore_case).fixed_strings(!input.regex);
    // Enough for any pattern that someone writes, and compiled in no time.
    builder.size_limit(10 << 20);
    if !input.multiline {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(&input.pattern).map_err(|error| not_a_pattern(input, &error))
}

fn not_a_pattern(input: &Input, error: &grep_regex::Error) -> ToolError {
    if let grep_regex::ErrorKind::NotAllowed(_) = error.kind() {
        return ToolError::invalid(
            "invalid_pattern",
            "The pattern has a line end in it, and lines are searched one by one.",
        )
        .hint("multiline: true lets matches span lines.");
    }
    let shown = shorten(&input.pattern);
    let message = match why_and_where(&input.pattern) {
        Some((why, at)) => {
            format!("The pattern {shown} is not a regular expression: {why}, at character {at}.")
        }
        None => format!("The pattern {shown} cannot be searched for: {}.", shorten(&error.to_string())),
    };
    let error = ToolError::invalid("invalid_pattern", message);
    if !input.regex {
        return error.hint("Search for a shorter text.");
    }
    error.hint("regex: false searches for the text as it stands; \\ before a character takes it literally.")
}

/// What the parser says of a pattern, and at which character, counted from 1.
fn why_and_where(pattern: &str) -> Option<(String, usize)> {
    let (why, span) = match regex_syntax::parse(pattern).err()? {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), *error.span()),
        regex_syntax::Error::Translate(error) => (error.kind().to_string(), *error.span()),
        _ => return None,
    };
    let before = pattern.get(..span.start.offset)?;
    Some((shorten(&why), before.chars().count() + 1))
}

fn shorten(text: &str) -> String {
    const MOST: usize = 200;
    let short: String = text.chars().take(MOST).collect();
    let dots = if text.chars().nth(MOST).is_some() { "…" } else { "" };
    format!("{}{dots}", on_one_line(&short))
}

/// The globs, as `rg -g` takes them.
pub(super) fn overrides(input: &Input, root: &Path) -> ToolResult<Override> {
    let mut builder = OverrideBuilder::new(root);
    let globs = input.glob.as_ref().map(super::Globs::as_slice).unwrap_or_default();
    let wrong = |glob: &str, error: &ignore::Error| {
        let message = format!("The glob {} is not valid: {}.", shorten(glob), shorten(&error.to_string()));
        ToolError::invalid("invalid_glob", message)
    };
    for glob in globs {
        if glob.is_empty() {
            return Err(ToolError::invalid("invalid_glob", "A glob is empty.")
                .hint("Leave glob out to search all files."));
        }
        builder.add(glob).map_err(|error| wrong(glob, &error))?;
    }
    builder.build().map_err(|error| wrong(globs.first().map_or("", String::as_str), &error))
}
