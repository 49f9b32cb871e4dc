//! Times as people type them: `30m`, `2h`, `7d`, or RFC 3339.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use deskhand_core::Time;

/// A moment from now on.
pub fn parse_until(text: &str) -> Result<Time> {
    let time = match span(text)? {
        Some(span) => Time::now().plus(span),
        None => moment(text)?,
    };
    if time <= Time::now() {
        bail!("{text} is in the past");
    }
    Ok(time)
}

/// A moment before now.
pub fn parse_ago(text: &str) -> Result<Time> {
    Ok(match span(text)? {
        Some(span) => Time::now().minus(span),
        None => moment(text)?,
    })
}

fn moment(text: &str) -> Result<Time> {
    text.parse().with_context(|| format!("«{text}» is no time: write 30m, 2h, 7d or 2027-01-01T00:00:00Z"))
}

fn span(text: &str) -> Result<Option<Duration>> {
    let Some(unit) = text.chars().last().filter(char::is_ascii_alphabetic) else { return Ok(None) };
    let Ok(number) = text[..text.len() - 1].parse::<u64>() else { return Ok(None) };
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => bail!("«{text}»: the unit is s, m, h or d"),
    };
    Ok(Some(Duration::from_secs(number.saturating_mul(seconds))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_spans_and_moments() {
        let soon = parse_until("2h").unwrap();
        assert!(
            soon > Time::now().plus(Duration::from_secs(7_000))
                && soon < Time::now().plus(Duration::from_secs(7_300))
        );
        assert_eq!(parse_until("2999-01-01T00:00:00Z").unwrap().to_string(), "2999-01-01T00:00:00.000Z");
        assert!(parse_ago("1d").unwrap() < Time::now());
        for bad in ["", "soon", "5y", "2001-01-01T00:00:00Z"] {
            assert!(parse_until(bad).is_err(), "{bad}");
        }
    }
}
