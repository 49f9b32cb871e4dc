//! What is stored while a question is open and not after: a result that is asked about has gone where it may go, or nowhere;
//! what a plan shows for the person alone was seen by them, or by nobody.

use std::{sync::Arc, time::Duration};

use crate::{
    database::{Database, WrittenBack},
    later::{Later, Work},
};

/// How long it may still stand in the log of the database: to write that back takes longer than many calls.
const WRITTEN_BACK_AFTER: Duration = Duration::from_millis(200);

/// Writes the log of the database back once something was taken out.
pub(crate) fn written_back(database: &Arc<Database>) -> Arc<Later> {
    let database = Arc::clone(database);
    Arc::new(Later::new("write-back", WRITTEN_BACK_AFTER, move || match database.write_back() {
        Ok(WrittenBack::All) => Work::Done,
        Ok(WrittenBack::NotAll) => Work::NotYet,
        Err(error) => {
            tracing::warn!(%error, "what was asked about may still be stored");
            Work::Done
        }
    }))
}

/// A question inside of JSON, for SQL.
#[derive(Clone, Copy)]
pub(crate) struct Question {
    pub column: &'static str,
    /// The path to it.
    pub at: &'static str,
}

impl Question {
    /// Whether any of that is there.
    pub fn has_any(self) -> String {
        let Self { column, at } = self;
        format!(
            "CASE WHEN json_extract({column}, '{at}.subject.about') = 'result'
                 THEN json_extract({column}, '{at}.subject.text') IS NOT ''
                     OR json_type({column}, '{at}.subject.data') IS NOT 'null'
                     OR json_type({column}, '{at}.subject.images') IS NOT NULL
                 ELSE json_extract({column}, '{at}.subject.plan.private_preview') IS 1
                     AND json_type({column}, '{at}.subject.plan.preview') IS NOT NULL END"
        )
    }

    /// The JSON without it.
    pub fn without(self) -> String {
        let Self { column, at } = self;
        format!(
            "CASE WHEN json_extract({column}, '{at}.subject.about') = 'result'
                 THEN json_remove(json_set({column}, '{at}.subject.text', '', '{at}.subject.data', json('null')),
                                  '{at}.subject.images')
                 ELSE json_remove({column}, '{at}.subject.plan.preview') END"
        )
    }
}
