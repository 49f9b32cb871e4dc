//! What well-known programs print, where it can be told: so that a command which another one prints is read, too.

mod filters;
mod print;

use super::{Reading, flags};
use crate::shell::{
    encoding,
    judge::Class,
    knowledge::Flag,
    text::{ENVIRONMENT, HOLE, STAR, is_known, origin},
};
pub use print::{echo, printf, unescape};

/// Longer texts are not followed.
const MOST: usize = 32 * 1024;

/// Parts of names that variables with secrets have.
const SECRET_PARTS: &[&str] = &["tok", "key", "sec", "pas", "pwd", "aut", "cre", "api", "aws", "git", "ope"];

impl Reading<'_> {
    /// What a program prints with these words and this input; `None` where that is not known here.
    pub fn simulate(&self, name: &str, words: &[String], input: Option<&str>) -> Option<String> {
        let is_flag = |word: &&str| word.starts_with('-') && word.len() > 1;
        let (flags, operands): (Vec<&str>, Vec<&str>) = words.iter().map(String::as_str).partition(is_flag);
        let text = match name {
            "cat" | "tee" | "less" | "more" | "bat" | "pv" | "sponge" | "dos2unix" => {
                self.passed_on(name, &operands, input)
            }
            "tac" | "sort" | "uniq" | "nl" | "fmt" | "column" | "envsubst" | "paste" | "fold" | "tsort"
            | "shuf" => Some(rearranged(name, &flags, input?)),
            "base64" | "gbase64" | "base32" | "openssl" | "xxd" | "hexdump" => {
                decoded(name, words, &flags, input?)
            }
            "rev" | "tr" | "sed" | "gsed" | "cut" | "awk" | "gawk" | "mawk" => {
                filtered(name, words, &operands, input)
            }
            "gzip" | "gunzip" | "zcat" | "bzip2" | "xz" | "zstd" => {
                input.map(|text| format!("{HOLE}{}", origin(text)))
            }
            "head" | "tail" => self.head_or_tail(name, words, input),
            "seq" => filters::sequence(&operands),
            "whoami" | "logname" => Some(format!("{HOLE}\n")),
            // Process 1 is among them.
            "ps" if words
                .iter()
                .any(|word| matches!(word.as_str(), "-e" | "-A" | "-ef" | "ax" | "aux" | "-eo")) =>
            {
                Some(format!("1\n{HOLE}\n"))
            }
            "grep" | "egrep" | "fgrep" | "rg" => grepped(&flags, &operands, input?),
            _ => self.named(name, &operands),
        }?;
        Some(if text.len() > MOST { format!("{HOLE}{}", origin(&text)) } else { text })
    }

    /// Programs that hand on what they read; files only where their content is known.
    fn passed_on(&self, name: &str, operands: &[&str], input: Option<&str>) -> Option<String> {
        if name == "cat" && !operands.is_empty() && operands != ["-"] {
            let content = |path: &&str| self.files.get(&self.written(path).path).cloned();
            return operands.iter().map(content).collect();
        }
        input.map(str::to_owned)
    }

    /// Programs that print a name they were given.
    fn named(&self, name: &str, operands: &[&str]) -> Option<String> {
        let path = match operands.first() {
            Some(path) => *path,
            None if name == "ls" => ".",
            None => return None,
        };
        let bare = path.trim_end_matches('/');
        match name {
            "basename" => Some(bare.rsplit('/').next().unwrap_or_default().to_owned() + "\n"),
            "dirname" => {
                let folder = bare.rsplit_once('/').map_or(".", |(folder, _)| folder);
                Some(format!("{}\n", if folder.is_empty() { "/" } else { folder }))
            }
            "realpath" | "readlink" => Some(self.written(path).path + "\n").filter(|path| is_known(path)),
            "which" | "whereis" => Some(format!("/usr/bin/{path}\n")),
            "ls" if self.class_of(path) == Class::Root => Some(format!("/{STAR}\n")),
            "ls" => Some(format!("{bare}/{HOLE}\n")),
            _ => None,
        }
    }

    fn head_or_tail(&self, name: &str, words: &[String], input: Option<&str>) -> Option<String> {
        let flag = Flag::taking("-n -c --lines --bytes");
        let told = flags::tell(words, &[&flag], None);
        let text = match told.operands.first() {
            Some(file) => self.files.get(&self.written(file).path)?.clone(),
            None => input?.to_owned(),
        };
        if !is_known(&text) {
            return Some(text);
        }
        let digits = || told.seen.iter().find(|seen| seen[1..].starts_with(|c: char| c.is_ascii_digit()));
        let count = told.known.iter().rev().find_map(|given| given.value.clone());
        let count = count.or_else(|| digits().map(|seen| seen[1..].to_owned()));
        let bytes = told.has_any(&["-c", "--bytes"]);
        filters::part(&text, name == "head", bytes, &count.unwrap_or_else(|| "10".to_owned()))
    }
}

/// Programs that put the lines of a text in another order, or break them elsewhere: what it says is kept, and that
/// it may not be so. A single line without flags stays as it is.
fn rearranged(name: &str, flags: &[&str], text: &str) -> String {
    let single = text.trim_end_matches('\n').lines().count() <= 1 && flags.is_empty();
    match name {
        "tac" if flags.is_empty() => {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.reverse();
            lines.join("\n") + "\n"
        }
        "tac" | "sort" | "uniq" | "tsort" | "shuf" | "paste" if single => text.to_owned(),
        _ => format!("{text}{HOLE}"),
    }
}

/// `base64 -d` and its like.
fn decoded(name: &str, words: &[String], flags: &[&str], text: &str) -> Option<String> {
    let short = |letter: char| flags.iter().any(|flag| !flag.starts_with("--") && flag.contains(letter));
    let decodes = match name {
        "openssl" => {
            let coding = ["-base64", "base64", "-a"];
            words.iter().any(|word| word == "-d") && words.iter().any(|word| coding.contains(&word.as_str()))
        }
        "xxd" => short('r'),
        "hexdump" => false,
        _ => short('d') || short('D') || flags.iter().any(|flag| flag.starts_with("--d")),
    };
    if !decodes {
        return Some(format!("{HOLE}{}", origin(text)));
    }
    if !is_known(text) {
        return Some(text.to_owned());
    }
    let bytes = match name {
        "base32" => encoding::base32(text),
        "xxd" => encoding::hex(text),
        _ => encoding::base64(text),
    }?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Filters that change a text.
fn filtered(name: &str, words: &[String], operands: &[&str], input: Option<&str>) -> Option<String> {
    if let Some(text) = input.filter(|text| !is_known(text)) {
        return Some(format!("{HOLE}{}", origin(text)));
    }
    match name {
        "rev" => Some(filters::reverse(input?)),
        "tr" => filters::transliterate(words, input?),
        "cut" => filters::cut(words, input?),
        "awk" | "gawk" | "mawk" => filters::awk_print(operands, input),
        _ => filters::substitute(operands, words, input?),
    }
}

/// `env | grep PATH` shows no secret.
fn grepped(flags: &[&str], operands: &[&str], text: &str) -> Option<String> {
    if !text.contains(ENVIRONMENT) {
        return None;
    }
    let pattern = operands.first()?.to_lowercase();
    let wide = flags.iter().any(|flag| flag.contains('v'))
        || pattern.len() < 3
        || pattern.contains(['.', '*', '|', '\\', '[']);
    let secret = SECRET_PARTS.iter().any(|part| pattern.contains(part));
    Some(if wide || secret { text.to_owned() } else { HOLE.to_string() })
}
