//! What the log says about itself: records that are not of a call.

use deskhand_core::{AuditRecord, Phase, Time};
use serde_json::{Value, json};

use super::{files::Torn, head::Switch, line::Position};

const LOST: &str = "records_lost";
const NO_HEAD: &str = "head_missing";

/// What a record says about the log that stays true for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    RecordsLost,
    HeadMissing,
}

impl Standing {
    /// A repaired end is none: nothing that had been recorded was lost by it.
    pub fn of(record: &AuditRecord) -> Option<Self> {
        match record.status.as_str() {
            _ if record.phase != Phase::Notice => None,
            LOST => Some(Self::RecordsLost),
            NO_HEAD => Some(Self::HeadMissing),
            _ => None,
        }
    }
}

fn notice(status: &str, result: String, details: Value, now: Time) -> AuditRecord {
    AuditRecord { result: Some(result), ..AuditRecord::notice("audit", status, details, now) }
}

/// A writer was killed in the middle of a record; its bytes were removed.
pub(super) fn torn(torn: &Torn, now: Time) -> AuditRecord {
    let Torn { file, bytes, sha256 } = torn;
    notice(
        "repaired",
        format!("{bytes} bytes of a record that was not written to its end were removed from {file}."),
        json!({"file": file, "bytes": bytes, "sha256": sha256.to_string()}),
        now,
    )
}

/// The files end before what is known to have been written.
pub(super) fn lost(found: Position, known: Position, now: Time) -> AuditRecord {
    notice(
        LOST,
        format!(
            "The files end with record {}, but record {} had been written: records were removed or changed. \
             The chain goes on after record {}.",
            found.seq, known.seq, known.seq
        ),
        json!({
            "found_seq": found.seq, "found_hash": found.hash.to_string(),
            "known_seq": known.seq, "known_hash": known.hash.to_string(),
        }),
        now,
    )
}

/// There are records, but the database has never heard of them.
pub(super) fn no_head(found: Position, now: Time) -> AuditRecord {
    notice(
        NO_HEAD,
        format!(
            "The database did not know the head of this chain (it was removed or replaced). What was cut off \
             the end before cannot be known; the chain goes on after record {}.",
            found.seq
        ),
        json!({"found_seq": found.seq, "found_hash": found.hash.to_string()}),
        now,
    )
}

pub(super) fn switched(to: Switch, now: Time) -> AuditRecord {
    let (status, text) = match to {
        Switch::On => ("switched_on", "The audit log was switched on again."),
        Switch::Off => {
            ("switched_off", "The audit log was switched off by a setting: calls are not recorded.")
        }
    };
    notice(status, text.to_owned(), json!({}), now)
}
