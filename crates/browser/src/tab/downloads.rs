//! Downloads: they go into a folder of the session, under names of the browser's choice.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::notices::Notices;

/// How many are remembered.
const MOST: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Download {
    /// What it is called by; never used again for another.
    pub number: u32,
    /// The name of the file in the downloads folder.
    pub guid: String,
    pub url: String,
    /// What the page calls it.
    pub suggested_name: String,
    pub state: DownloadState,
    /// Bytes that are there.
    pub received: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DownloadState {
    InProgress,
    Completed,
    Cancelled,
}

#[derive(Debug, Default)]
pub struct Downloads(pub Vec<Download>, u32);

impl Downloads {
    /// `Browser.downloadWillBegin`.
    pub fn begins(&mut self, params: &Value) {
        let text =
            |key: &str| params[key].as_str().unwrap_or_default().chars().take(2000).collect::<String>();
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.1 += 1;
        self.0.push(Download {
            number: self.1,
            guid: text("guid"),
            url: text("url"),
            suggested_name: text("suggestedFilename"),
            state: DownloadState::InProgress,
            received: 0,
        });
    }

    /// `Browser.downloadProgress`.
    pub fn progresses(&mut self, params: &Value, notices: &mut Notices) {
        let guid = params["guid"].as_str().unwrap_or_default();
        let Some(download) = self.0.iter_mut().find(|download| download.guid == guid) else { return };
        // Sizes are numbers with a fraction in the protocol.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let received = params["receivedBytes"].as_f64().map_or(0, |bytes| bytes.max(0.0) as u64);
        download.received = received;
        let state = match params["state"].as_str() {
            Some("completed") => DownloadState::Completed,
            Some("canceled") => DownloadState::Cancelled,
            _ => DownloadState::InProgress,
        };
        if state != download.state {
            download.state = state;
            let words =
                if state == DownloadState::Completed { "was downloaded" } else { "was not downloaded" };
            notices.add(&format!(
                "«{}» {words} ({received} bytes), as download {}; browser_downloads saves it.",
                download.suggested_name, download.number
            ));
        }
    }
}
