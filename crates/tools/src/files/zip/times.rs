//! Times in archives: two-second steps of local time, and beside them seconds of Unix time.

use std::time::{Duration, SystemTime};

use ::zip::{DateTime, ExtraField};
use jiff::{Timestamp, tz::TimeZone};

/// The extra field with Unix times.
pub const UNIX_TIMES: u16 = 0x5455;

/// The local time of the format; its earliest where it cannot be said.
pub fn to_dos(time: SystemTime) -> DateTime {
    let local = Timestamp::try_from(time).map(|time| time.to_zoned(TimeZone::system()).datetime());
    local
        .ok()
        .and_then(|at| {
            DateTime::from_date_and_time(
                at.year().try_into().ok()?,
                at.month().try_into().ok()?,
                at.day().try_into().ok()?,
                at.hour().try_into().ok()?,
                at.minute().try_into().ok()?,
                at.second().try_into().ok()?,
            )
            .ok()
        })
        .unwrap_or_default()
}

pub fn from_dos(time: DateTime) -> Option<SystemTime> {
    let local = jiff::civil::DateTime::new(
        time.year().try_into().ok()?,
        time.month().try_into().ok()?,
        time.day().try_into().ok()?,
        time.hour().try_into().ok()?,
        time.minute().try_into().ok()?,
        time.second().try_into().ok()?,
        0,
    );
    Some(local.ok()?.to_zoned(TimeZone::system()).ok()?.timestamp().into())
}

/// The content of the extra field with the time of the last change; `None` for a time beyond its range.
pub fn to_unix(time: SystemTime) -> Option<[u8; 5]> {
    /// Says that the time of the last change is there.
    const MODIFIED: u8 = 1;
    let seconds = i32::try_from(Timestamp::try_from(time).ok()?.as_second()).ok()?;
    let [a, b, c, d] = seconds.to_le_bytes();
    Some([MODIFIED, a, b, c, d])
}

/// The Unix time of the last change, where the extra fields have it.
pub fn from_unix<'a>(mut fields: impl Iterator<Item = &'a ExtraField>) -> Option<SystemTime> {
    let seconds = fields.find_map(|field| match field {
        ExtraField::ExtendedTimestamp(times) => times.mod_time(),
        _ => None,
    })?;
    // The field is signed: what is before 1970 is negative.
    let seconds = seconds.cast_signed();
    let distance = Duration::from_secs(seconds.unsigned_abs().into());
    let epoch = SystemTime::UNIX_EPOCH;
    if seconds < 0 { epoch.checked_sub(distance) } else { epoch.checked_add(distance) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_time_and_back_within_two_seconds() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_750_000_001);
        let back = from_dos(to_dos(time)).unwrap();
        assert!(time.duration_since(back).unwrap() < Duration::from_secs(2));
    }

    #[test]
    fn times_beyond_the_range() {
        let old = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        assert_eq!(to_dos(old), DateTime::default());
        assert_eq!(to_unix(old), Some([1, 0xff, 0xff, 0xff, 0xff]));
        let far = SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 33);
        assert_eq!(to_unix(far), None);
        assert_eq!(to_dos(far), DateTime::default());
    }
}
