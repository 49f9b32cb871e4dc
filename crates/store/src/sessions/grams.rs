//! How text is split for the search, so that Chinese is found without a dictionary.
//!
//! A run of Chinese, Japanese or Korean characters becomes its two-character grams, each one place after the
//! other, and then its last character alone: `中文搜索` is `中文 文搜 搜索 索`. Everything else becomes words in lower
//! case. A run of grams in a query then matches exactly where these characters follow each other; the single
//! character keeps two runs apart, and makes a search for one character a search for a beginning.

use std::ops::Range;

/// Longer words are cut here: they are not words.
const LONGEST_WORD: usize = 64;

/// The shortest word of a query that also finds longer ones: `a` would find half of everything.
const SHORTEST_BEGINNING: usize = 3;

/// The most bytes of one text that are looked at. What is longer is a log or a file, not something said.
pub const MOST_TEXT: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Word,
    Gram,
    /// The last character of a run.
    Single,
}

/// Hands each token, its place in `text` and its kind to `take`.
pub fn each(text: &str, mut take: impl FnMut(&str, Range<usize>, Kind)) {
    let mut word = String::new();
    let mut letters = 0;
    let mut place = 0..0;
    let mut before: Option<(char, usize)> = None;
    let mut gram = String::new();
    let mut ends = 0;
    for (at, raw) in text.char_indices() {
        let c = narrow(raw);
        let end = at + raw.len_utf8();
        if is_mark(c) {
            continue;
        }
        let cjk = is_cjk(c);
        if letters > 0 && (cjk || !c.is_alphanumeric()) {
            take(&word, place.clone(), Kind::Word);
            word.clear();
            letters = 0;
        }
        if cjk {
            if let Some((first, start)) = before {
                gram.clear();
                gram.extend([first, c]);
                take(&gram, start..end, Kind::Gram);
            }
            before = Some((c, at));
            ends = end;
            continue;
        }
        if let Some((last, start)) = before.take() {
            take(last.encode_utf8(&mut [0; 4]), start..ends, Kind::Single);
        }
        if c.is_alphanumeric() {
            if letters == 0 {
                place.start = at;
            }
            place.end = end;
            letters += 1;
            if letters <= LONGEST_WORD {
                word.extend(c.to_lowercase());
            }
        }
    }
    if letters > 0 {
        take(&word, place, Kind::Word);
    }
    if let Some((last, start)) = before {
        take(last.encode_utf8(&mut [0; 4]), start..ends, Kind::Single);
    }
}

/// The text as the index has it: its tokens with blanks between them.
pub fn spaced(text: &str) -> String {
    let text = start_of(text);
    let mut all = String::with_capacity(text.len() * 2);
    each(text, |token, _, _| {
        if !all.is_empty() {
            all.push(' ');
        }
        all.push_str(token);
    });
    all
}

/// As much of a text as is looked at.
pub fn start_of(text: &str) -> &str {
    let mut end = text.len().min(MOST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The letters and digits that are as wide as a Chinese character are the plain ones.
fn narrow(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(c as u32 - 0xFEE0).unwrap_or(c),
        _ => c,
    }
}

/// An accent that is a character of its own.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}')
}

fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{2E80}'..='\u{2FDF}'
        | '々' | '〆' | '〇'
        | '\u{3041}'..='\u{3096}' | '\u{309D}'..='\u{309F}' | '\u{30A1}'..='\u{30FA}' | 'ー'..='ヿ'
        | '\u{3105}'..='\u{312F}' | '\u{31A0}'..='\u{31BF}' | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7A3}' | '\u{1100}'..='\u{11FF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFD}')
}

/// Tokens that must follow each other.
#[derive(Debug, PartialEq, Eq)]
pub struct Phrase {
    pub tokens: Vec<String>,
    /// Whether the last of them may be the beginning of a longer one.
    pub open: bool,
}

/// What is searched for: all of the phrases, in any order.
#[derive(Debug, PartialEq, Eq)]
pub struct Wanted(pub Vec<Phrase>);

impl Wanted {
    /// Each term between blanks is a phrase. The last word may be unfinished, as it is while somebody types.
    pub fn new(text: &str) -> Self {
        let mut phrases: Vec<(Phrase, Kind)> = text.split_whitespace().filter_map(phrase).collect();
        if let Some((last, Kind::Word)) = phrases.last_mut() {
            last.open = last.tokens.last().is_some_and(|word| word.chars().count() >= SHORTEST_BEGINNING);
        }
        Self(phrases.into_iter().map(|(phrase, _)| phrase).collect())
    }

    /// As FTS5 reads it. Tokens hold neither quotes nor anything else that it would take for more than a word.
    pub fn expression(&self, session: Option<&str>) -> String {
        let phrases: Vec<String> = self
            .0
            .iter()
            .map(|phrase| {
                let open = if phrase.open { " *" } else { "" };
                format!("\"{}\"{open}", phrase.tokens.join(" "))
            })
            .collect();
        let text = format!("text : ({})", phrases.join(" AND "));
        session.map_or(text.clone(), |id| format!("session : \"{}\" AND {text}", session_token(id)))
    }

    /// Where in `text` the phrases stand, from front to back, none within another.
    pub fn places(&self, text: &str) -> Vec<Range<usize>> {
        let mut tokens: Vec<(String, Range<usize>)> = Vec::new();
        each(start_of(text), |token, place, _| tokens.push((token.to_owned(), place)));
        let mut places = Vec::new();
        for phrase in &self.0 {
            for window in tokens.windows(phrase.tokens.len()) {
                if phrase.matches(window) {
                    places.push(window[0].1.start..window[window.len() - 1].1.end);
                }
            }
        }
        places.sort_by_key(|place| (place.start, place.end));
        places.dedup_by(|next, before| {
            let within = next.start < before.end;
            if within {
                before.end = before.end.max(next.end);
            }
            within
        });
        places
    }
}

impl Phrase {
    fn matches(&self, window: &[(String, Range<usize>)]) -> bool {
        let last = self.tokens.len() - 1;
        self.tokens.iter().zip(window).enumerate().all(|(n, (wanted, (token, _)))| {
            if n == last && self.open { token.starts_with(wanted.as_str()) } else { token == wanted }
        })
    }
}

/// The tokens of one term, and the kind of the last one; `None` where it has none.
fn phrase(term: &str) -> Option<(Phrase, Kind)> {
    let mut tokens: Vec<(String, Kind)> = Vec::new();
    each(term, |token, _, kind| tokens.push((token.to_owned(), kind)));
    // The run may go on in the text, so its last character stands alone only where it is all there is.
    let runs_on = matches!(tokens.as_slice(), [.., (_, Kind::Gram), (_, Kind::Single)]);
    if runs_on {
        tokens.pop();
    }
    let kind = tokens.last()?.1;
    let tokens = tokens.into_iter().map(|(token, _)| token).collect();
    Some((Phrase { tokens, open: kind == Kind::Single }, kind))
}

/// The id of a session as one token. Ids that differ in their marks alone share it: whoever uses it compares the
/// id, too.
pub fn session_token(id: &str) -> String {
    id.chars().filter(char::is_ascii_alphanumeric).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn splits_chinese_into_grams_and_the_rest_into_words() {
        for (text, tokens) in [
            ("", ""),
            ("中", "中"),
            ("中文搜索", "中文 文搜 搜索 索"),
            ("使用Rust语言, ok", "使用 用 rust 语言 言 ok"),
            ("Foo_bar-BAZ 3.14", "foo bar baz 3 14"),
            ("ＡＢＣ１２", "abc12"),
            ("人民。民主", "人民 民 民主 主"),
            ("カタカナ ひらがな 한국어", "カタ タカ カナ ナ ひら らが がな な 한국 국어 어"),
            ("cafe\u{301} Ünï", "cafe ünï"),
            ("𠀀𠀁", "𠀀𠀁 𠀁"),
            ("\"quoted\" * AND", "quoted and"),
        ] {
            assert_eq!(spaced(text), tokens, "{text}");
        }
        assert_eq!(spaced(&"x".repeat(1_000)).len(), LONGEST_WORD);
    }

    #[test]
    fn a_query_asks_for_what_follows_each_other() {
        for (query, expression) in [
            ("文件", r#"text : ("文件")"#),
            ("中文搜", r#"text : ("中文 文搜")"#),
            ("我", r#"text : ("我" *)"#),
            ("我 的文", r#"text : ("我" * AND "的文")"#),
            ("用Rust写", r#"text : ("用 rust 写" *)"#),
            ("使用Rust", r#"text : ("使用 用 rust" *)"#),
            ("error Lo", r#"text : ("error" AND "lo")"#),
            ("error Log", r#"text : ("error" AND "log" *)"#),
            ("a\" OR b", r#"text : ("a" AND "or" AND "b")"#),
        ] {
            assert_eq!(Wanted::new(query).expression(None), expression, "{query}");
        }
        assert_eq!(Wanted::new("。 -- ").0, []);
        let expression = Wanted::new("文件").expression(Some("a-1.b_2"));
        assert_eq!(expression, r#"session : "a1b2" AND text : ("文件")"#);
    }

    #[test]
    fn a_long_text_is_looked_at_from_its_start() {
        let text = "字".repeat(MOST_TEXT);
        assert!(start_of(&text).len() <= MOST_TEXT && start_of(&text).len() > MOST_TEXT - 3);
    }

    proptest! {
        /// In text of one script, a run of characters is found exactly where it stands.
        #[test]
        fn a_run_is_found_exactly_where_it_stands(
            text in "[人民主]{0,6}([ ，a][人民主]{0,6}){0,3}", query in "[人民主]{1,4}",
        ) {
            prop_assert_eq!(!Wanted::new(&query).places(&text).is_empty(), text.contains(&query));
        }

        #[test]
        fn places_are_in_the_text_and_do_not_overlap(text in "\\PC{0,80}", query in "\\PC{0,10}") {
            let mut end = 0;
            for place in Wanted::new(&query).places(&text) {
                prop_assert!(place.start >= end && place.start < place.end);
                prop_assert!(text.get(place.clone()).is_some());
                end = place.end;
            }
        }
    }
}
