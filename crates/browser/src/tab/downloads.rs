//! Downloads: they go into a folder of the session, under names of the browser's choice.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{fold::Then, notices::Notices};

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
    /// How many there are to be, as far as the server says.
    pub announced: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DownloadState {
    InProgress,
    Completed,
    Cancelled,
}

/// How many bytes pages may download: each file, and all that are there together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DownloadLimits {
    pub file: u64,
    pub total: u64,
}

impl Default for DownloadLimits {
    fn default() -> Self {
        Self { file: 2 << 30, total: 4 << 30 }
    }
}

#[derive(Debug, Default)]
pub struct Downloads {
    pub all: Vec<Download>,
    pub limits: DownloadLimits,
    last_number: u32,
}

impl Downloads {
    /// `Browser.downloadWillBegin`. The oldest is forgotten where there are too many, and its file goes with it.
    pub fn begins(&mut self, params: &Value) -> Vec<Then> {
        let text =
            |key: &str| params[key].as_str().unwrap_or_default().chars().take(2000).collect::<String>();
        let oldest = (self.all.len() == MOST).then(|| self.all.remove(0));
        self.last_number += 1;
        self.all.push(Download {
            number: self.last_number,
            guid: text("guid"),
            url: text("url"),
            suggested_name: text("suggestedFilename"),
            state: DownloadState::InProgress,
            received: 0,
            announced: 0,
        });
        oldest.map(|oldest| Then::DiscardDownload { guid: oldest.guid }).into_iter().collect()
    }

    /// `Browser.downloadProgress`. One that is too much is cancelled.
    pub fn progresses(&mut self, params: &Value, notices: &mut Notices) -> Vec<Then> {
        let guid = params["guid"].as_str().unwrap_or_default();
        let taken: u64 = self.all.iter().filter(|other| other.guid != guid).map(Download::takes).sum();
        let Some(download) = self.all.iter_mut().find(|download| download.guid == guid) else {
            return Vec::new();
        };
        let discard = || vec![Then::DiscardDownload { guid: guid.to_owned() }];
        let state = match params["state"].as_str() {
            Some("completed") => DownloadState::Completed,
            Some("canceled") => DownloadState::Cancelled,
            _ => DownloadState::InProgress,
        };
        if download.state == DownloadState::Cancelled {
            // It may have been complete before it could be cancelled.
            return if state == DownloadState::Completed { discard() } else { Vec::new() };
        }
        download.received = bytes(&params["receivedBytes"]);
        download.announced = bytes(&params["totalBytes"]);
        let (takes, DownloadLimits { file, total }) = (download.takes(), self.limits);
        let too_much = match state {
            DownloadState::Cancelled => None,
            _ if takes > file => Some(format!("it is larger than {file} bytes")),
            _ if taken + takes > total => {
                Some(format!("with those that are there it would be more than {total} bytes"))
            }
            _ => None,
        };
        let Download { suggested_name, number, .. } = &*download;
        let (words, then) = match (&too_much, state) {
            (Some(why), _) => (format!("«{suggested_name}» was not downloaded: {why}."), discard()),
            (_, DownloadState::InProgress) => return Vec::new(),
            (_, DownloadState::Completed) => {
                let of = format!("({} bytes), as download {number}", download.received);
                (format!("«{suggested_name}» was downloaded {of}; browser_downloads saves it."), Vec::new())
            }
            (_, DownloadState::Cancelled) => {
                (format!("«{suggested_name}» was not downloaded: it was cancelled."), Vec::new())
            }
        };
        notices.add(&words);
        download.state = if too_much.is_some() { DownloadState::Cancelled } else { state };
        then
    }
}

impl Download {
    /// How much room it takes, or will.
    fn takes(&self) -> u64 {
        match self.state {
            DownloadState::InProgress => self.received.max(self.announced),
            DownloadState::Completed => self.received,
            DownloadState::Cancelled => 0,
        }
    }
}

/// The name of a download's file. A guid is the browser's own; anything else would be a path.
pub fn file_of(guid: &str) -> Option<&str> {
    let is_guid = !guid.is_empty() && guid.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    is_guid.then_some(guid)
}

/// Sizes are numbers with a fraction in the protocol.
fn bytes(value: &Value) -> u64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    value.as_f64().map_or(0, |bytes| bytes.max(0.0) as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_files_of_those_that_are_forgotten_go_too() {
        let mut downloads = Downloads::default();
        for number in 0..=MOST {
            let then = downloads.begins(&json!({"guid": format!("g-{number}")}));
            let discarded = Then::DiscardDownload { guid: "g-0".to_owned() };
            assert_eq!(then, if number == MOST { vec![discarded] } else { Vec::new() });
        }
        assert_eq!((downloads.all.len(), downloads.all[0].number), (MOST, 2));
    }
}
