//! Finding tools by need, in both languages.
//!
//! English by words (their endings cut off), Chinese by grams of two characters. A word that no tool knows is taken
//! for the known ones that are near it.

use std::{collections::HashMap, sync::Arc};

use deskhand_core::{Registry, ToolEntry, arguments};

/// A longer need is cut: nobody says it in so many words.
const MAX_QUERY_CHARS: usize = 400;
/// What a term is worth that was only nearly right.
const NEARLY: f64 = 0.5;

/// A tool that was found, and how well it fits; the figures of one search can be compared with each other.
pub struct Hit {
    pub entry: Arc<ToolEntry>,
    pub score: f64,
}

/// The offered tools that fit a need and are there for this owner, best first.
pub fn search(registry: &Registry, owner: Option<&str>, need: &str, limit: usize) -> Vec<Hit> {
    let entries: Vec<Arc<ToolEntry>> = registry.offered().filter(|entry| entry.is_for(owner)).collect();
    let described: Vec<HashMap<String, f64>> = entries.iter().map(|entry| weights(registry, entry)).collect();
    let mut spread: HashMap<&str, u32> = HashMap::new();
    for term in described.iter().flat_map(HashMap::keys) {
        *spread.entry(term).or_default() += 1;
    }
    let need: String = need.chars().take(MAX_QUERY_CHARS).collect();
    let wanted = wanted_terms(&need, &spread);
    let all = f64::from(u32::try_from(entries.len()).unwrap_or(u32::MAX));
    let mut hits: Vec<Hit> = entries
        .iter()
        .zip(&described)
        .filter_map(|(entry, weights)| {
            if entry.spec().name == need.trim() {
                return Some(Hit { entry: Arc::clone(entry), score: f64::MAX });
            }
            let score: f64 = wanted
                .iter()
                .filter_map(|(term, worth)| {
                    // A term that many tools have says little.
                    let rarity = (1.0 + all / f64::from(*spread.get(term.as_str())?)).ln();
                    Some(weights.get(term)? * worth * rarity)
                })
                .sum();
            (score > 0.0).then(|| Hit { entry: Arc::clone(entry), score })
        })
        .collect();
    // One that was asked for by its name comes before all. Those that come first in the registry come first where two fit the same.
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    hits.truncate(limit);
    hits
}

/// The terms of a tool, each with the weight of the best place where it stands.
fn weights(registry: &Registry, entry: &ToolEntry) -> HashMap<String, f64> {
    let spec = entry.spec();
    let foreign = registry.dialects().iter().flat_map(|dialect| dialect.entries);
    let foreign = foreign.filter(|other| other.tool == spec.name).map(|other| (other.name, 1.5));
    let places = [(spec.name, 3.0), (spec.description, 1.0), (spec.description_zh, 1.0)];
    let keywords = spec.keywords.iter().map(|keyword| (*keyword, 2.5));
    let mut weights: HashMap<String, f64> = HashMap::new();
    for (text, weight) in places.into_iter().chain(keywords).chain(foreign) {
        for term in terms(text) {
            let known = weights.entry(term).or_default();
            *known = known.max(weight);
        }
    }
    weights
}

/// Words that people use for one another, by their stems.
const ALIKE: &[&[&str]] = &[
    &["find", "search", "look", "locat"],
    &["text", "content"],
    &["folder", "directory", "dir"],
    &["mak", "creat", "new"],
    &["delet", "remov", "eras"],
    &["show", "view", "display", "read"],
    &["run", "execut", "start", "launch"],
    &["stop", "kill", "end", "terminat"],
    &["chang", "edit", "modify"],
];

fn alike(term: &str) -> impl Iterator<Item = &'static str> + '_ {
    let group = ALIKE.iter().find(|group| group.contains(&term));
    group.into_iter().flat_map(|group| group.iter().copied()).filter(move |other| *other != term)
}

/// The terms of a need with what each is worth; unknown words are replaced by what is near.
fn wanted_terms(need: &str, spread: &HashMap<&str, u32>) -> Vec<(String, f64)> {
    let mut wanted: Vec<(String, f64)> = Vec::new();
    for term in terms(need) {
        wanted.extend(alike(&term).map(|other| (other.to_owned(), NEARLY)));
        if spread.contains_key(term.as_str()) || !term.is_ascii() || term.len() < 4 {
            wanted.push((term, 1.0));
        } else {
            // Sorted, so that the same need always finds the same.
            let mut known: Vec<&str> = spread.keys().copied().filter(|known| known.len() >= 4).collect();
            known.sort_unstable();
            let near = arguments::ranked(&term, known).into_iter().take(3);
            wanted.extend(near.map(|near| (near.to_owned(), NEARLY)));
        }
    }
    wanted.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    wanted.dedup_by(|a, b| a.0 == b.0);
    wanted
}

/// Words that say nothing of what is needed.
const EMPTY_WORDS: &[&str] = &[
    "a", "an", "the", "of", "in", "on", "to", "and", "or", "is", "are", "it", "its", "for", "with", "by",
    "that", "this", "what", "which", "how", "do", "does", "can", "i", "me", "my", "we", "you", "want",
    "need", "tool", "some", "all", "be", "as", "at", "from", "if", "into", "not", "one", "there",
];

/// The words and the two-character grams of a text.
fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    let mut lone: Option<char> = None;
    let end_word = |word: &mut String, terms: &mut Vec<String>| {
        if !word.is_empty() && !EMPTY_WORDS.contains(&word.as_str()) {
            terms.push(stem(word).to_owned());
        }
        word.clear();
    };
    for letter in text.chars().chain([' ']) {
        let is_cjk = is_cjk(letter);
        if !is_cjk {
            // A character alone between others is a term, too.
            terms.extend(lone.take().map(String::from));
        }
        if is_cjk {
            end_word(&mut word, &mut terms);
            match before {
                Some(first) => {
                    terms.push(String::from_iter([first, letter]));
                    lone = None;
                }
                None => lone = Some(letter),
            }
            before = Some(letter);
        } else {
            before = None;
            if letter.is_alphanumeric() {
                word.extend(letter.to_lowercase());
            } else {
                end_word(&mut word, &mut terms);
            }
        }
    }
    terms
}

fn is_cjk(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// A word without its usual ending: searches, searched and searching are one.
fn stem(word: &str) -> &str {
    for ending in ["ing", "es", "ed", "s", "e"] {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() >= 3 && stem.is_ascii()) {
            return stem.strip_suffix('e').filter(|stem| stem.len() >= 3).unwrap_or(stem);
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_grams() {
        let cases: &[(&str, &[&str])] = &[
            ("Searches the files", &["search", "fil"]),
            ("read_file", &["read", "fil"]),
            ("压缩文件", &["压缩", "缩文", "文件"]),
            ("把zip解压", &["把", "zip", "解压"]),
            ("查 找", &["查", "找"]),
            ("", &[]),
        ];
        for (text, wanted) in cases {
            assert_eq!(terms(text), *wanted, "{text}");
        }
        for (a, b) in [("search", "searching"), ("file", "files"), ("change", "changed"), ("move", "moving")]
        {
            assert_eq!(stem(a), stem(b));
        }
    }
}
