//! A second opinion on how a text is to be read, by the bash grammar of tree-sitter.

use std::cell::RefCell;

use tree_sitter::{Node, Parser};

thread_local! {
    /// Making one costs more than using it.
    static PARSER: RefCell<Option<Parser>> = RefCell::new(new_parser());
}

fn new_parser() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    Some(parser)
}

/// Whether the grammar reads the whole text without an error, and sees as many commands outside substitutions as
/// our reader does.
pub fn agrees(text: &str, commands: usize) -> bool {
    PARSER.with_borrow_mut(|parser| {
        let Some(tree) = parser.as_mut().and_then(|parser| parser.parse(text, None)) else { return false };
        let root = tree.root_node();
        !root.has_error() && count(root, text, 0) == commands
    })
}

fn count(node: Node<'_>, text: &str, deep: usize) -> usize {
    const MOST_DEEP: usize = 200;
    match node.kind() {
        "command_substitution" | "process_substitution" | "expansion" | "string" | "heredoc_body" => {
            return 0;
        }
        // The last two have rules of their own in the grammar.
        "command_name" | "declaration_command" | "unset_command" => return 1,
        "test_command" => return usize::from(text[node.start_byte()..].starts_with("[ ")),
        _ if deep > MOST_DEEP => return 0,
        _ => {}
    }
    let mut cursor = node.walk();
    node.children(&mut cursor).map(|child| count(child, text, deep + 1)).sum()
}
