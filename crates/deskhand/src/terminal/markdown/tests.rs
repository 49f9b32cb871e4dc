//! Texts as a model writes them, and texts that no model would.

use proptest::prelude::*;

use super::{Markdown, Style, table::without_looks};
use crate::terminal::width::width;

/// Everything that comes out, fed in pieces of this many characters.
fn render_in(text: &str, style: Style, wide: usize, size: usize) -> String {
    let mut markdown = Markdown::new(style, wide);
    let characters: Vec<char> = text.chars().collect();
    let mut out = String::new();
    for piece in characters.chunks(size) {
        out.push_str(&markdown.feed(&piece.iter().collect::<String>()));
    }
    out.push_str(&markdown.finish());
    out
}

fn render(text: &str, wide: usize) -> String {
    render_in(text, Style::COLOURED, wide, 3)
}

/// The looks as words, so that a test can be read.
fn readable(text: &str) -> String {
    [
        ("\x1b[0;1m", "<b>"),
        ("\x1b[0;2m", "<dim>"),
        ("\x1b[0;3m", "<i>"),
        ("\x1b[0;1;3m", "<b,i>"),
        ("\x1b[0;4m", "<u>"),
        ("\x1b[0;9m", "<s>"),
        ("\x1b[0;36m", "<c>"),
        ("\x1b[0;1;36m", "<h>"),
        ("\x1b[0;1;4;36m", "<h1>"),
        ("\x1b[2m", "<dim>"),
        ("\x1b[0m", "</>"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[test]
fn lines_and_spans() {
    for (source, wanted) in [
        ("plain words", "plain words\n"),
        ("# Title", "<h1>Title</>\n"),
        ("### Part", "<h>Part</>\n"),
        ("a **b** c", "a <b>b</> c\n"),
        ("a *b* `c` ~~d~~", "a <i>b</> <c>c</> <s>d</>\n"),
        ("***x***", "<b,i>x</>\n"),
        ("**a *b***", "<b>a <b,i>b</>\n"),
        ("**a `*` b**", "<b>a <h>*<b> b</>\n"),
        ("snake_case_name 2 * 3 * 4", "snake_case_name 2 * 3 * 4\n"),
        ("open **bold and `code", "open **bold and `code\n"),
        ("`` a`b ``", "<c>a`b</>\n"),
        (r"\*not\* \d", "*not* \\d\n"),
        ("[docs](https://a.b/c)", "<u>docs<dim> (https://a.b/c)</>\n"),
        ("[https://a.b](https://a.b)", "<u>https://a.b</>\n"),
        ("a [x] b! [y", "a [x] b! [y\n"),
        ("- one\n  - two\n1. three", "<c>• </>one\n  <c>• </>two\n<c>1. </>three\n"),
        ("> said\n> > twice", "<dim>│ </>said\n<dim>│ │ </>twice\n"),
        ("a\n\n\n\nb\n\n", "a\n\nb\n"),
        ("a\n---\nb", &format!("a\n<dim>{}</>\nb\n", "─".repeat(40))),
    ] {
        assert_eq!(readable(&render(source, 60)), wanted, "{source}");
    }
}

#[test]
fn code_blocks_stay_as_they_are() {
    let source = "x\n```rust\nfn main() { /* a line that is much longer than the terminal is wide */ }\n\n    **no**\n```\ny";
    assert_eq!(
        readable(&render(source, 20)),
        "x\n<dim>  rust</>\n  fn main() { /* a line that is much longer than the terminal is wide */ }\n\n      **no**\ny\n"
    );
    assert_eq!(readable(&render("```a``` b", 20)), "<c>a</> b\n");
    assert_eq!(readable(&render("~~~\n```\n~~~\nx", 20)), "  ```\nx\n");
    assert_eq!(readable(&render("> ```\n> a\n> ```\n> b", 20)), "<dim>│ </>  a\n<dim>│ </>b\n");
    assert_eq!(readable(&render("```\nunclosed", 20)), "  unclosed\n");
}

#[test]
fn long_lines_are_wrapped_where_they_may_be() {
    for (source, wide, wanted) in [
        ("one two three four", 9, "one two\nthree\nfour\n"),
        ("- one two three", 9, "• one two\n  three\n"),
        ("> one two three", 9, "│ one two\n│ three\n"),
        ("一二三四五六七", 8, "一二三四\n五六七\n"),
        // A closing mark does not start a line, an opening one does not end it.
        ("一二三四。五", 8, "一二三\n四。五\n"),
        ("一二三（四五）", 8, "一二三\n（四五）\n"),
        ("ab中文 cd", 6, "ab中文\ncd\n"),
        ("abcdefghijkl", 5, "abcde\nfghij\nkl\n"),
        ("🦀🦀🦀", 4, "🦀🦀\n🦀\n"),
    ] {
        assert_eq!(without_looks(&render(source, wide)), wanted, "{source}");
    }
}

#[test]
fn tables_are_set_by_their_width() {
    let source = "| 名字 | n | x |\n|:--|--:|:-:|\n| 中文 | 1 | a |\n| b `|` c | 100 | **bcd** |\nafter";
    assert_eq!(
        without_looks(&render(source, 60)),
        "名字  │   n │  x\n──────┼─────┼────\n中文  │   1 │  a\nb | c │ 100 │ bcd\nafter\n"
    );
    // Cells are wrapped where the terminal is narrow.
    let narrow = without_looks(&render("| a | b |\n|---|---|\n| one two three four | x |\n", 20));
    assert_eq!(
        narrow,
        "a                │ b\n─────────────────┼──\none two three    │ x\nfour             │ \n"
    );
    // What only looks like one is text.
    assert_eq!(render("| not a table\nx", 40), "| not a table\nx\n");
    assert_eq!(render("| a |\n| b |\n", 40), "| a |\n| b |\n");
}

#[test]
fn what_is_settled_comes_out_at_once() {
    let mut markdown = Markdown::new(Style::COLOURED, 40);
    assert_eq!(markdown.feed("Some wor"), "Some");
    assert_eq!(markdown.feed("ds and"), " words");
    assert_eq!(markdown.feed(" `co"), " and");
    assert_eq!(without_looks(&markdown.feed("de` x")), " code");
    assert_eq!(without_looks(&markdown.feed("\n# ")), " x\n");
    assert_eq!(without_looks(&markdown.feed("Head ")), "Head");
    assert_eq!(markdown.feed("\n```sh\nls -"), "\x1b[0m\n\x1b[0;2m  sh\x1b[0m\n  ls -");
    assert_eq!(markdown.feed("l"), "l");
}

#[test]
fn without_colours_the_source_passes() {
    let source = "# T\n\n\n- **a**\n| x |\n```\ncode\n```";
    assert_eq!(render_in(source, Style::PLAIN, 20, 1), format!("{source}\n"));
    assert_eq!(render_in("a\r\nb\r\n", Style::PLAIN, 20, 1), "a\nb\n");
}

#[test]
fn no_sequence_of_a_model_reaches_the_terminal() {
    for style in [Style::COLOURED, Style::PLAIN] {
        for source in
            ["a\x1b[2Jb", "`\x1b]0;t\x07`", "```\n\x1b[31m\n```", "| \x1b[1m |\n|--|\n", "x\rover\r"]
        {
            let out = render_in(source, style, 40, 1);
            let left = without_looks(&out);
            assert!(!left.contains(['\x1b', '\x07', '\r']), "{source:?}: {out:?}");
        }
    }
}

#[test]
fn text_made_to_be_costly_is_not() {
    let source = "*a **b ~~c _d [e ".repeat(2_000);
    assert!(without_looks(&render(&source, 80)).contains("*a **b"));
}

/// Text with what Markdown is made of, much more often than people write it.
fn source() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-z]{1,6}",
        2 => Just(" ".to_owned()),
        2 => Just("\n".to_owned()),
        1 => Just("\r\n".to_owned()),
        1 => "[中文字，。（）🦀é]{1,4}",
        3 => prop::sample::select(vec![
            "*", "**", "`", "```", "_", "~~", "[", "](", ")", "!", "\\", "#", "# ", "- ", "1. ", "> ", "|", "|--|", "---", "    ", "\t", "\x1b[1m",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric() || *c == '🦀').collect()
}

proptest! {
    #[test]
    fn any_split_gives_the_same(text in source(), wide in 20_usize..100, size in 1_usize..9) {
        for style in [Style::COLOURED, Style::PLAIN] {
            prop_assert_eq!(render_in(&text, style, wide, size), render_in(&text, style, wide, usize::MAX));
        }
    }

    #[test]
    fn nothing_is_lost(text in source(), wide in 20_usize..100) {
        let wanted = letters(&super::super::safe(&text));
        prop_assert_eq!(letters(&without_looks(&render(&text, wide))), wanted);
    }

    #[test]
    fn lines_fit_where_nothing_forbids_it(text in "([a-zé]{1,12}[ \n]|[中文字🦀]){0,60}", wide in 20_usize..60) {
        for line in without_looks(&render(&text, wide)).lines() {
            prop_assert!(width(line) <= wide, "{line:?}");
        }
    }
}
