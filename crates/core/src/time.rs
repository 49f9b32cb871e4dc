//! Time as it stands on every wire and in the database: UTC, RFC 3339, milliseconds.

use std::{fmt, str::FromStr, time::Duration};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A moment, to the millisecond. Its text form sorts as the moments do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
#[schemars(with = "String")]
pub struct Time(Timestamp);

impl Time {
    pub fn now() -> Self {
        Self::from(Timestamp::now())
    }

    /// The moment `ago` before this one; the earliest moment there is, where that would be before it.
    pub fn minus(self, ago: Duration) -> Self {
        let span = jiff::SignedDuration::try_from(ago).unwrap_or(jiff::SignedDuration::MAX);
        Self(self.0.saturating_sub(span).unwrap_or(Timestamp::MIN))
    }

    pub fn plus(self, later: Duration) -> Self {
        let span = jiff::SignedDuration::try_from(later).unwrap_or(jiff::SignedDuration::MAX);
        Self(self.0.saturating_add(span).unwrap_or(Timestamp::MAX))
    }

    /// `YYYY-MM-DD` in UTC.
    pub fn day(self) -> String {
        self.0.strftime("%Y-%m-%d").to_string()
    }

    pub fn timestamp(self) -> Timestamp {
        self.0
    }
}

impl From<Timestamp> for Time {
    fn from(t: Timestamp) -> Self {
        Self(Timestamp::from_millisecond(t.as_millisecond()).unwrap_or(t))
    }
}

impl From<std::time::SystemTime> for Time {
    fn from(t: std::time::SystemTime) -> Self {
        Timestamp::try_from(t).unwrap_or(Timestamp::UNIX_EPOCH).into()
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

impl FromStr for Time {
    type Err = jiff::Error;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Timestamp::from_str(text).map(Self::from)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_written_with_milliseconds_and_read_back() {
        let t: Time = "2026-02-15T10:30:00Z".parse().unwrap();
        assert_eq!(t.to_string(), "2026-02-15T10:30:00.000Z");
        assert_eq!(serde_json::from_str::<Time>("\"2026-02-15T10:30:00.000Z\"").unwrap(), t);
        assert_eq!(t.day(), "2026-02-15");
        assert_eq!(t.plus(Duration::from_millis(5)).to_string(), "2026-02-15T10:30:00.005Z");
    }

    #[test]
    fn does_not_overflow() {
        assert!(Time::now().plus(Duration::MAX) > Time::now());
        assert!(Time::now().minus(Duration::MAX) < Time::now());
    }
}
