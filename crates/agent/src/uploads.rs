//! Pictures that came with a message, as models want them.

use std::collections::HashMap;

use base64::{Engine, engine::general_purpose::STANDARD};
use deskhand_core::{Image, session::Upload};

/// A larger picture is not sent.
const MOST_BYTES: u64 = 20 << 20;

/// The pictures among these uploads, by id.
pub async fn images(uploads: &[Upload]) -> HashMap<String, Image> {
    let pictures: Vec<Upload> = uploads
        .iter()
        .filter(|upload| upload.mime.starts_with("image/") && upload.size <= MOST_BYTES)
        .cloned()
        .collect();
    if pictures.is_empty() {
        return HashMap::new();
    }
    let read = move || {
        let read = pictures.into_iter().filter_map(|upload| {
            let bytes = std::fs::read(&upload.path)
                .inspect_err(|error| tracing::warn!(%error, upload = upload.id, "an upload cannot be read"))
                .ok()?;
            Some((upload.id, Image { mime: upload.mime, base64: STANDARD.encode(bytes) }))
        });
        read.collect()
    };
    tokio::task::spawn_blocking(read).await.unwrap_or_default()
}
