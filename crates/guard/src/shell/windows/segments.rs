//! Commands of a text whose shell is not known yet: enough to see what stands in command position.

/// One command as far as its form matters.
#[derive(Debug, Default)]
pub(super) struct Segment {
    pub words: Vec<Piece>,
    pub piped: bool,
    pub first: bool,
}

#[derive(Debug, Default, Clone)]
pub(super) struct Piece {
    pub text: String,
    pub quoted: bool,
}

/// Takes the text apart into commands, minding quotes, comments and here-documents.
pub(super) fn segments(text: &str) -> Vec<Segment> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = vec![Segment { first: true, ..Segment::default() }];
    let mut piece = Piece::default();
    let last_line = chars.iter().rposition(|c| *c == '\n').unwrap_or_default();
    let (mut at, mut begun) = (0, false);
    while let Some(&c) = chars.get(at) {
        let mut closes = false;
        match c {
            '\'' | '"' => {
                let end = (at + 1..chars.len())
                    .find(|i| {
                        chars[*i] == c
                            && (c == '\''
                                || chars[*i - 1] != '\\'
                                || chars.get(*i + 1).is_none_or(|n| n.is_whitespace()))
                    })
                    .unwrap_or(chars.len());
                piece.text.extend(chars.get(at + 1..end).unwrap_or_default());
                piece.quoted = true;
                begun = true;
                at = end;
            }
            '#' if !begun => {
                while chars.get(at + 1).is_some_and(|c| *c != '\n') {
                    at += 1;
                }
            }
            '<' if chars.get(at + 1) == Some(&'<') && chars.get(at + 2) != Some(&'<') && at < last_line => {
                at = after_here_document(&chars, at);
            }
            ' ' | '\t' | '\r' => closes = true,
            '&' if at > 0 && matches!(chars[at - 1], '>' | '<') => {}
            ';' | '|' | '&' | '\n' | '(' | ')' | '{' | '}' => {
                push(&mut found, &mut piece, &mut begun);
                let piped = c == '|' && chars.get(at + 1) != Some(&'|') && (at == 0 || chars[at - 1] != '|');
                // `iex(` and `%{`: what follows belongs to the word before.
                if (c == '(' || c == '{')
                    && let Some(last) = found.last_mut()
                {
                    last.words.push(Piece { text: c.to_string(), quoted: false });
                }
                found.push(Segment { piped, ..Segment::default() });
            }
            ',' if !begun || found.last().is_some_and(|s| s.words.is_empty()) => closes = true,
            _ => {
                piece.text.push(c);
                begun = true;
            }
        }
        if closes {
            push(&mut found, &mut piece, &mut begun);
        }
        at += 1;
    }
    push(&mut found, &mut piece, &mut begun);
    found
}

fn push(found: &mut [Segment], piece: &mut Piece, begun: &mut bool) {
    if std::mem::take(begun)
        && let Some(segment) = found.last_mut()
    {
        segment.words.push(std::mem::take(piece));
    }
}

/// Skips the lines of a here-document that is opened at `at`.
fn after_here_document(chars: &[char], at: usize) -> usize {
    // No delimiter stands further off than this: the rest of a line is not gone through for every `<<` in it.
    const MOST: usize = 200;
    let opening = chars[at + 2..].iter().take(MOST).take_while(|c| **c != '\n');
    let word: Vec<char> = opening
        .skip_while(|c| matches!(c, '-' | ' ' | '\t' | '\'' | '"' | '\\'))
        .take_while(|c| c.is_alphanumeric() || **c == '_')
        .copied()
        .collect();
    let Some(line_end) = chars[at..].iter().position(|c| *c == '\n').filter(|_| !word.is_empty()) else {
        return at + 1;
    };
    let mut end = at + line_end + 1;
    for line in chars[end..].split(|c| *c == '\n') {
        end += line.len() + 1;
        if line.iter().filter(|c| !c.is_whitespace()).eq(&word) {
            break;
        }
    }
    end.min(chars.len()).saturating_sub(2).max(at + 1)
}
