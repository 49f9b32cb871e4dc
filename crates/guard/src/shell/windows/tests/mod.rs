//! What is recognised and how it is judged, as tables.

mod cmd_rows;
mod form_rows;
mod hostile;
mod obfuscated_rows;
mod powershell_rows;
mod wide_rows;

use super::{Form, Level, Verdict, analyze, base64, recognise};

/// Judges a text as the guard does: by its form, which must be seen.
fn judged(text: &str) -> (Option<Form>, Verdict) {
    let form = recognise(text);
    (form, analyze(text, form.unwrap_or(Form::Cmd)))
}

/// All rows at once, so that one run shows every row that is wrong.
fn check(form: Form, rows: &[(Level, &str)]) {
    let mut wrong = Vec::new();
    for (level, text) in rows {
        let (seen, verdict) = judged(text);
        if seen != Some(form) {
            wrong.push(format!("{text}\n    is seen as {seen:?}, not {form:?}"));
        }
        if verdict.level != *level {
            wrong.push(format!(
                "{text}\n    {:?}, not {level:?}: {} ({})",
                verdict.level, verdict.rule, verdict.why
            ));
        }
        if verdict.why.is_empty() {
            wrong.push(format!("{text}\n    has no reason"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

fn encoded(text: &str) -> String {
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    base64::encode(&bytes)
}
