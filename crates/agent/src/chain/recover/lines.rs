//! `TOOL: name` and `ARGS: {json}`, as models really write them: in bold, in lists, with the colon of another
//! language, on one line or on several.

use super::{
    Found, Piece, json_call,
    source::{Source, word},
};
use crate::provider::Arguments;

const TOOL: &[&str] = &["tool", "工具"];
const ARGS: &[&str] = &["args", "arguments", "参数"];
/// What Markdown puts around words.
const MARKS: [char; 3] = ['*', '_', '`'];

/// The call whose `TOOL:` line starts at `start`, with its arguments wherever they are.
pub(super) fn tool_line(source: &Source<'_>, start: usize) -> Option<Piece> {
    let named = label(source, start, TOOL)?;
    let marked = skip(source, named, &[' ', '\t', '*', '_', '`', '"', '\'']);
    let name = word(source.rest(marked));
    if !source.knows(name) {
        return None;
    }
    let after_name = skip(source, marked + name.len(), &['*', '_', '`', '"', '\'', ' ', '\t', ',', '\r']);
    let (arguments, end) = arguments(source, after_name);
    let call = Found { name: name.to_owned(), arguments };
    Some(Piece { range: start..end, calls: vec![call] })
}

fn arguments(source: &Source<'_>, after_name: usize) -> (Arguments, usize) {
    let next = source.skip_space(after_name);
    // At most one blank line lies between a call and its arguments.
    let near = source.text[after_name..next].matches('\n').count() <= 2;
    let labelled = label(source, next, ARGS).filter(|_| near);
    let Some(value) = labelled else {
        if near && source.rest(next).starts_with('{') {
            return source.arguments(next);
        }
        let why =
            "There is no ARGS line after TOOL. Write ARGS: and a JSON object, {} if there is nothing to say.";
        return (Arguments::Broken { text: String::new(), why: why.to_owned() }, after_name);
    };
    let value = skip(source, value, &['*', '_', ' ', '\t']);
    let open = source.skip_space(value);
    let fenced = source.fence_opening(open).map(|inside| source.skip_space(inside));
    let object = fenced.unwrap_or_else(|| skip(source, open, &['`']));
    if !source.rest(object).starts_with('{') {
        let line = source.rest(value).lines().next().unwrap_or_default();
        return (json_call::from_text(line), value + line.len());
    }
    let (arguments, end) = source.arguments(object);
    let closed = skip(source, end, &MARKS);
    let behind = source.skip_space(end);
    let end = match source.rest(behind).strip_prefix("```") {
        Some(_) if fenced.is_some() => behind + "```".len(),
        _ if object > open => closed,
        _ => skip(source, end, &['*']),
    };
    (arguments, end)
}

/// Where the text behind `TOOL:` begins, if the line at `start` has such a label.
fn label(source: &Source<'_>, start: usize, labels: &[&str]) -> Option<usize> {
    let at = skip(source, start, &[' ', '\t', '*', '_', '`', '#', '>', '-', '•']);
    let rest = source.rest(at);
    let label = labels.iter().find(|label| {
        rest.get(..label.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(label))
    })?;
    let at = skip(source, at + label.len(), &['*', '_', '`', ' ']);
    let colon = source.rest(at).chars().next().filter(|letter| matches!(letter, ':' | '：'))?;
    Some(at + colon.len_utf8())
}

fn skip(source: &Source<'_>, at: usize, letters: &[char]) -> usize {
    let rest = source.rest(at);
    at + rest.len() - rest.trim_start_matches(letters).len()
}

/// Whether the line at `start` pretends to be the result of a call.
pub(super) fn is_invented_result(source: &Source<'_>, start: usize) -> bool {
    let at = skip(source, start, &[' ', '\t', '*', '_', '`', '#', '>', '«']);
    let rest = source.rest(at);
    let named = rest.get(.."RESULT of ".len()).filter(|start| start.eq_ignore_ascii_case("RESULT of "));
    named.is_some_and(|named| source.knows(word(rest[named.len()..].trim_start_matches(MARKS))))
        || rest.starts_with("<tool_response>")
        || rest.starts_with("<tool_result>")
}
