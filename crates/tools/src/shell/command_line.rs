//! Command lines as words, and words as command lines.

/// The command line that a shell would read as exactly these words.
pub fn quoted(words: &[String]) -> String {
    // A first word with `=` in it would be a variable.
    let first = |at: usize, word: &String| at == 0 && word.contains('=');
    let one = |(at, word): (usize, &String)| if first(at, word) { single(word) } else { quote(word) };
    words.iter().enumerate().map(one).collect::<Vec<_>>().join(" ")
}

fn quote(word: &str) -> String {
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { single(word) }
}

fn single(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c)
}

/// The name of a program without its folder.
pub fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// One line of at most `most` characters, with control characters escaped.
pub fn short(text: &str, most: usize) -> String {
    let mut line = String::new();
    for (n, c) in text.trim().chars().enumerate() {
        if n == most {
            line.push('…');
            break;
        }
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_the_shell() {
        let words: Vec<String> = ["ls", "-l", "a b", "it's", "", "$HOME", "中"].map(str::to_owned).into();
        assert_eq!(quoted(&words), r"ls -l 'a b' 'it'\''s' '' '$HOME' '中'");
        let echoed = std::process::Command::new("sh")
            .args(["-c", &format!(r"printf '%s\n' {}", quoted(&words))])
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(echoed.stdout).unwrap(), words.join("\n") + "\n");
    }

    #[test]
    fn a_short_line_is_one_line() {
        assert_eq!(short(" a\nb\u{1b}c ", 10), "a\\nb\\u{1b}c");
        assert_eq!(short("abcdef", 3), "abc…");
    }
}
