//! `[file_ref:ID]` in a message: another way to say which upload goes along.

use deskhand_core::{CallId, session::Upload};

/// How a reference begins.
pub const REF: &str = "[file_ref:";

/// A message without its references.
#[derive(Debug, PartialEq, Eq)]
pub struct WithoutRefs {
    /// A reference at the end is gone; one among words became the name of its file.
    pub text: String,
    /// Those that were named, in their order.
    pub uploads: Vec<String>,
}

/// Resolves the references of a message. The error is an id that is no upload of the session. What cannot be an id of
/// ours stays as it was written.
pub fn without_refs(message: &str, uploads: &[Upload]) -> Result<WithoutRefs, String> {
    let (mut text, mut named) = (String::new(), Vec::new());
    let mut rest = message;
    while let Some(at) = rest.find(REF) {
        let (before, reference) = rest.split_at(at);
        text.push_str(before);
        let inner = &reference[REF.len()..];
        let id = inner.split_once(']').and_then(|(id, after)| Some((CallId::parse(id)?, id, after)));
        let Some((_, id, after)) = id else {
            text.push_str(REF);
            rest = inner;
            continue;
        };
        let Some(upload) = uploads.iter().find(|upload| upload.id.eq_ignore_ascii_case(id)) else {
            return Err(id.to_owned());
        };
        if !named.contains(&upload.id) {
            named.push(upload.id.clone());
        }
        if !is_end(after) {
            text.push_str(&upload.name);
        }
        rest = after;
    }
    text.push_str(rest);
    if !named.is_empty() {
        text.truncate(text.trim_end().len());
    }
    Ok(WithoutRefs { text, uploads: named })
}

/// Whether nothing but references comes.
fn is_end(rest: &str) -> bool {
    let mut rest = rest.trim_start();
    while let Some((_, after)) = rest.strip_prefix(REF).and_then(|inner| inner.split_once(']')) {
        rest = after.trim_start();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use deskhand_core::Time;
    use proptest::prelude::*;

    use super::*;

    const ONE: &str = "0192aaaa-0000-7000-8000-000000000001";
    const TWO: &str = "0192aaaa-0000-7000-8000-000000000002";

    fn uploads() -> Vec<Upload> {
        let upload = |id: &str, name: &str| Upload {
            id: id.into(),
            session_id: "s".into(),
            name: name.into(),
            mime: "text/plain".into(),
            size: 1,
            path: "/x".into(),
            created_at: Time::now(),
        };
        vec![upload(ONE, "a.txt"), upload(TWO, "乙.txt")]
    }

    #[test]
    fn references_become_attachments() {
        for (message, text, named) in [
            ("no file", "no file", &[][..]),
            (&format!("分析这个文件\n\n[file_ref:{ONE}]"), "分析这个文件", &[ONE]),
            (
                &format!("compare [file_ref:{ONE}] with [file_ref:{TWO}]!"),
                "compare a.txt with 乙.txt!",
                &[ONE, TWO],
            ),
            (&format!("both [file_ref:{TWO}] [file_ref:{ONE}]\n"), "both", &[TWO, ONE]),
            (&format!("[file_ref:{ONE}]"), "", &[ONE]),
            (&format!("[file_ref:{ONE}] twice [file_ref:{ONE}]"), "a.txt twice", &[ONE]),
            ("the form is [file_ref:abc123] here", "the form is [file_ref:abc123] here", &[]),
            ("[file_ref:", "[file_ref:", &[]),
        ] {
            let found = without_refs(message, &uploads()).unwrap();
            assert_eq!(
                (found.text.as_str(), found.uploads.as_slice()),
                (text, &named.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>()[..]),
                "{message}"
            );
        }
    }

    #[test]
    fn an_unknown_upload_is_an_error_that_names_it() {
        let unknown = "0192aaaa-0000-7000-8000-00000000000f";
        assert_eq!(without_refs(&format!("x [file_ref:{unknown}]"), &uploads()), Err(unknown.to_owned()));
    }

    proptest! {
        #[test]
        fn text_without_references_stays_as_it_is(text in "[\\[\\]a-f:_ \n]{0,40}|\\[file_ref:[a-f0-9-]{0,8}\\]?.{0,10}") {
            prop_assert_eq!(without_refs(&text, &uploads()).unwrap().text, text);
        }
    }
}
