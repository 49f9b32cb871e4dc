//! How long is waited, and how often is asked again.

use std::{
    hash::{BuildHasher as _, RandomState},
    time::Duration,
};

use super::ProviderError;

/// When to ask again.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// How often is asked at most, the first time included.
    pub tries: u32,
    /// The first wait; each further one is twice as long.
    pub first_wait: Duration,
    /// The longest wait that we choose ourselves.
    pub longest_wait: Duration,
    /// From the first request to the last: no wait goes beyond it.
    pub limit: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            tries: 5,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(30),
            limit: Duration::from_mins(5),
        }
    }
}

/// How long each step of a request may take.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimits {
    pub connect: Duration,
    /// From the request to the first byte of the answer. A local model reads a long prompt for minutes.
    pub first_byte: Duration,
    /// Between two chunks.
    pub between: Duration,
    /// The whole of one answer.
    pub whole: Duration,
}

impl Default for TimeLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_mins(5),
            between: Duration::from_mins(2),
            whole: Duration::from_mins(30),
        }
    }
}

/// What to do after a failure.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    Wait(Duration),
    /// With why, where the failure alone does not say.
    GiveUp(Option<String>),
}

impl RetryPolicy {
    /// `tried`: how often has been asked. `elapsed`: since the first time.
    pub(crate) fn next(&self, error: &ProviderError, tried: u32, elapsed: Duration) -> Next {
        if !error.class.is_retried() || error.partly_answered {
            return Next::GiveUp(None);
        }
        let left = self.limit.saturating_sub(elapsed);
        if let Some(after) = error.retry_after.filter(|after| *after > left) {
            return Next::GiveUp(Some(format!(
                "The server wants to be asked again in {}, which is longer than is waited for.",
                in_words(after)
            )));
        }
        if tried >= self.tries {
            return Next::GiveUp((tried > 1).then(|| format!("It was asked {tried} times.")));
        }
        let doubled =
            self.first_wait.saturating_mul(1 << (tried.saturating_sub(1)).min(16)).min(self.longest_wait);
        // Between half and all of it, so that many who failed together do not come back together.
        let jittered = doubled / 2 + (doubled / 2).mul_f64(chance());
        let wait =
            error.retry_after.map_or(jittered, |after| after.max(jittered.min(after + self.first_wait)));
        if wait > left {
            return Next::GiveUp(Some(format!("It was tried for {}.", in_words(elapsed))));
        }
        Next::Wait(wait)
    }
}

/// Somewhere from 0 to 1. Good enough to spread waits.
fn chance() -> f64 {
    let random = RandomState::new().hash_one(0u8) >> 32;
    u32::try_from(random).map_or(0.5, |random| f64::from(random) / f64::from(u32::MAX))
}

/// `2 min 5 s`, `1.5 s`.
pub(crate) fn in_words(span: Duration) -> String {
    match span.as_secs() {
        0..10 => format!("{:.1} s", span.as_secs_f64()),
        10..120 => format!("{} s", span.as_secs()),
        seconds @ 120..7200 => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::ErrorClass;

    fn failure(class: ErrorClass, after: Option<f64>) -> ProviderError {
        let mut error = ProviderError::new(class, "x");
        error.retry_after = after.map(Duration::from_secs_f64);
        error
    }

    #[test]
    fn only_what_may_pass_is_asked_again() {
        use ErrorClass::*;
        let policy = RetryPolicy::default();
        for class in [Auth, NoSuchModel, BadRequest, TooLong, NoTools, NoCredit, Malformed, Cancelled] {
            assert_eq!(
                policy.next(&failure(class, None), 1, Duration::ZERO),
                Next::GiveUp(None),
                "{class:?}"
            );
        }
        for class in [RateLimited, Server, Network, Silent] {
            assert!(
                matches!(policy.next(&failure(class, None), 1, Duration::ZERO), Next::Wait(_)),
                "{class:?}"
            );
            let mut partly = failure(class, None);
            partly.partly_answered = true;
            assert_eq!(policy.next(&partly, 1, Duration::ZERO), Next::GiveUp(None), "{class:?}");
        }
    }

    #[test]
    fn waits_double_and_are_spread() {
        let policy = RetryPolicy { tries: 100, ..RetryPolicy::default() };
        let error = failure(ErrorClass::Server, None);
        for (tried, most) in [(1, 0.5), (2, 1.0), (3, 2.0), (7, 30.0), (60, 30.0)] {
            let waits: Vec<_> = (0..20)
                .map(|_| match policy.next(&error, tried, Duration::ZERO) {
                    Next::Wait(wait) => wait.as_secs_f64(),
                    Next::GiveUp(_) => panic!("gave up"),
                })
                .collect();
            assert!(waits.iter().all(|wait| (most / 2.0..=most).contains(wait)), "{tried}: {waits:?}");
            assert!(waits.iter().any(|wait| (wait - waits[0]).abs() > f64::EPSILON), "{waits:?}");
        }
    }

    #[test]
    fn the_servers_wish_is_honoured_or_it_ends_at_once() {
        let policy = RetryPolicy::default();
        let wait = policy.next(&failure(ErrorClass::RateLimited, Some(20.0)), 1, Duration::ZERO);
        assert!(
            matches!(wait, Next::Wait(wait) if wait >= Duration::from_secs(20) && wait < Duration::from_secs(21))
        );
        let now = policy.next(&failure(ErrorClass::RateLimited, Some(0.0)), 1, Duration::ZERO);
        assert!(matches!(now, Next::Wait(wait) if wait <= Duration::from_millis(500)));
        let later = policy.next(&failure(ErrorClass::RateLimited, Some(4000.0)), 1, Duration::ZERO);
        assert!(matches!(&later, Next::GiveUp(Some(why)) if why.contains("66 min 40 s")), "{later:?}");
        let late = policy.next(&failure(ErrorClass::RateLimited, Some(20.0)), 1, Duration::from_secs(290));
        assert!(matches!(late, Next::GiveUp(Some(_))));
    }

    #[test]
    fn it_ends() {
        let policy = RetryPolicy::default();
        let error = failure(ErrorClass::Server, None);
        assert_eq!(
            policy.next(&error, 5, Duration::ZERO),
            Next::GiveUp(Some("It was asked 5 times.".into()))
        );
        assert!(matches!(policy.next(&error, 2, policy.limit), Next::GiveUp(Some(_))));
        let huge = RetryPolicy { tries: u32::MAX, ..policy };
        assert!(matches!(huge.next(&error, u32::MAX - 1, Duration::ZERO), Next::Wait(_)));
    }

    #[test]
    fn spans_read_well() {
        for (seconds, want) in [(1.46, "1.5 s"), (75.0, "75 s"), (125.0, "2 min 5 s"), (7260.0, "2 h 1 min")]
        {
            assert_eq!(in_words(Duration::from_secs_f64(seconds)), want);
        }
    }
}
