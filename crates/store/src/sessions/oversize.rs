//! Making what a turn leaves behind small enough to be kept: it must be able to end, whatever it has done.

use deskhand_core::session::Step;

use super::{Tried, json};

/// How many characters are left of a text that has to be shortened.
const LEFT: usize = 1_000;

const NOTE: &str = "[… left out: the turn was too large to be kept whole …]";

/// The start of a text with at most `most` bytes, and a note where that is not all of it.
pub fn shorten(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let mut end = most.saturating_sub(NOTE.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{NOTE}", &text[..end])
}

/// Takes out of the largest steps what can be missed most easily, until all of them have at most `most` bytes.
pub fn fit(steps: &mut [Step], most: usize) -> Tried<()> {
    let mut sizes =
        steps.iter().map(|step| Ok(json("a step", step)?.len() + 1)).collect::<Tried<Vec<_>>>()?;
    while sizes.iter().sum::<usize>() + 1 > most {
        let largest = (0..sizes.len()).max_by_key(|n| sizes[*n]);
        let Some(n) = largest.filter(|n| reduce(&mut steps[*n])) else { break };
        sizes[n] = json("a step", &steps[n])?.len() + 1;
    }
    Ok(())
}

/// Makes one step smaller; says whether it could.
fn reduce(step: &mut Step) -> bool {
    let cut = |text: &mut String| {
        let long = text.len() > 2 * LEFT;
        if long {
            *text = shorten(text, LEFT);
        }
        long
    };
    match step {
        Step::Text { text, .. } | Step::Nudge { text, .. } => cut(text),
        Step::Thought { text, signature, .. } => cut(text) || signature.take().is_some(),
        Step::Call(call) => {
            let end = call.end.as_mut();
            if let Some(end) = end {
                if !end.images.is_empty() {
                    end.images.clear();
                    end.result += NOTE;
                    return true;
                }
                if cut(&mut end.result) {
                    return true;
                }
            }
            let large = call.arguments.to_string().len() > 2 * LEFT;
            if large {
                call.arguments = NOTE.into();
            }
            large
        }
    }
}

#[cfg(test)]
mod tests {
    use deskhand_core::outcome::Image;

    use super::{super::contract, *};

    fn call(result: &str, image: &str, argument: &str) -> Step {
        let mut end = contract::done(result);
        if !image.is_empty() {
            end.images.push(Image { mime: "image/png".into(), base64: image.into() });
        }
        let call = contract::call("screenshot");
        Step::Call(Box::new(deskhand_core::session::CallStep {
            arguments: argument.into(),
            end: Some(end),
            ..call
        }))
    }

    #[test]
    fn the_largest_go_first_and_only_as_far_as_needed() {
        let large = "x".repeat(50_000);
        let before = [
            call("small", &large, ""),
            call(&"y".repeat(20_000), "", ""),
            call("small", "", &"z".repeat(10_000)),
            Step::Text { round: 1, text: "字".repeat(2_000) },
        ];
        for (most, left_out) in [(1 << 20, 0), (60_000, 1), (30_000, 2), (12_000, 3), (6_000, 4)] {
            let mut steps = before.clone();
            fit(&mut steps, most).unwrap();
            assert!(serde_json::to_string(&steps).unwrap().len() <= most);
            let noted = steps.iter().filter(|step| serde_json::to_string(step).unwrap().contains("left out"));
            assert_eq!(noted.count(), left_out, "at most {most}");
        }
    }

    #[test]
    fn it_ends_where_nothing_can_be_left_out() {
        fit(&mut [call("a", "", "b")], 10).unwrap();
        fit(&mut [], 0).unwrap();
    }

    #[test]
    fn text_is_cut_between_characters() {
        let text = "字".repeat(100);
        let short = shorten(&text, 100);
        assert!(short.len() <= 100 && short.starts_with("字") && short.ends_with(NOTE));
        assert_eq!(shorten(&text, 300), text);
    }
}
