//! When a server wants to be asked again: in headers, or in its words.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

/// `Retry-After` as seconds, as a float, or as a date; `retry-after-ms` before it, since it is finer.
pub(super) fn in_headers(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(ms) = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok()) {
        return seconds(ms / 1000.0);
    }
    let value = text("retry-after")?;
    if let Ok(number) = value.parse::<f64>() {
        return seconds(number);
    }
    let date = jiff::fmt::rfc2822::parse(value).ok()?;
    let date = SystemTime::from(date.timestamp());
    Some(date.duration_since(now).unwrap_or(Duration::ZERO))
}

/// «Please try again in 1.5s», «retry in 6m0s», «wait 20 seconds».
pub(super) fn in_words(message: &str) -> Option<Duration> {
    let lower = message.to_ascii_lowercase();
    ["try again in ", "try again after ", "retry in ", "retry after ", "please wait "]
        .iter()
        .find_map(|phrase| span(&lower[lower.find(phrase)? + phrase.len()..]))
}

/// Reads `1.5s`, `6m0s`, `20 ms`, `3 seconds`.
fn span(mut text: &str) -> Option<Duration> {
    let mut total = None;
    loop {
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let Ok(number) = text[..digits].trim_end_matches('.').parse::<f64>() else { return total };
        let rest = text[digits..].trim_start();
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let scale = match &rest[..letters] {
            "ms" | "millisecond" | "milliseconds" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            _ => return total,
        };
        total = Some(total.unwrap_or(Duration::ZERO).saturating_add(seconds(number * scale)?));
        text = &rest[letters..];
    }
}

fn seconds(number: f64) -> Option<Duration> {
    // Not a number, negative or too large: as if nothing had been said.
    Duration::try_from_secs_f64(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_retry_after() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_445_412_400);
        let cases: &[(&str, &str, Option<f64>)] = &[
            ("retry-after", "7", Some(7.0)),
            ("retry-after", "1.25", Some(1.25)),
            ("retry-after", " 3 ", Some(3.0)),
            ("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT", Some(80.0)),
            ("retry-after", "Wed, 21 Oct 2009 07:28:00 GMT", Some(0.0)),
            ("retry-after-ms", "1500", Some(1.5)),
            ("retry-after", "-1", None),
            ("retry-after", "NaN", None),
            ("retry-after", "1e300", None),
            ("retry-after", "soon", None),
        ];
        for (name, value, want) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(*name, value.parse().unwrap());
            let got = in_headers(&headers, now).map(|after| after.as_secs_f64());
            assert_eq!(got, *want, "{name}: {value}");
        }
        let mut both = HeaderMap::new();
        both.insert("retry-after", "2".parse().unwrap());
        both.insert("retry-after-ms", "1700".parse().unwrap());
        assert_eq!(in_headers(&both, now), Some(Duration::from_millis(1700)));
    }

    #[test]
    fn every_form_in_words() {
        let cases: &[(&str, Option<f64>)] = &[
            ("Rate limit reached. Please try again in 1.5s. Visit …", Some(1.5)),
            ("Please try again in 6m0s.", Some(360.0)),
            ("try again in 20ms", Some(0.02)),
            ("Please retry in 34.074824224s.", Some(34.074_824_224)),
            ("retry after 5 seconds", Some(5.0)),
            ("Please wait 2 minutes and go on", Some(120.0)),
            ("try again in a moment", None),
            ("try again in 5 bananas", None),
            ("too many requests", None),
        ];
        for (text, want) in cases {
            assert_eq!(in_words(text).map(|after| after.as_secs_f64()), *want, "{text}");
        }
    }
}
