//! Titles that nobody has to think of.

/// The most characters of a title that was made by us.
const MOST: usize = 40;

/// A title from the first words of a message.
pub fn from_message(message: &str) -> String {
    let line = message.lines().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric));
    let line = line.unwrap_or("…").trim_start_matches(['#', '>', '-', '*', ' ']);
    let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((end, _)) = words.char_indices().nth(MOST) else {
        return words.trim_end_matches(['。', '.', ':', '：', ',', '，']).to_owned();
    };
    // At the end of a word, where there is one not too far back.
    let cut = &words[..end];
    let cut = cut.rfind(' ').filter(|at| *at > end / 2).map_or(cut, |at| &cut[..at]);
    format!("{}…", cut.trim_end_matches(['。', '.', ':', '：', ',', '，', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_words_make_a_title() {
        for (message, title) in [
            ("Rename the thing.", "Rename the thing"),
            ("\n\n# Plan\nmore", "Plan"),
            ("帮我整理下载文件夹", "帮我整理下载文件夹"),
            (
                "Please have a look at all the tests that fail since yesterday",
                "Please have a look at all the tests…",
            ),
            ("???", "…"),
        ] {
            assert_eq!(from_message(message), title);
        }
        let chinese = from_message(&"整理".repeat(40));
        assert_eq!(chinese.chars().count(), MOST + 1);
    }
}
