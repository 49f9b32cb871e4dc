//! Files that people gave to a session: `uploads/SESSION_ID/UPLOAD_ID-NAME`, each with a row.
//!
//! The file comes first and the row after it, so that a row always has its file.

use std::{
    fs,
    path::{Path, PathBuf},
};

use deskhand_core::{
    Time,
    id::new_id,
    session::{NewUpload, SessionError, SessionResult, Upload},
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Tried, from_text, invalid, rows};
use crate::{
    error::Doing,
    folder::{self, Durable},
};

const MAX_SIZE: usize = 50 << 20;

/// Bytes. With the id before it, it fits every file system.
const MAX_NAME: usize = 150;

/// A file that was written, and has no row yet.
pub struct Kept {
    id: String,
    name: String,
    folder: PathBuf,
    file: String,
}

impl Kept {
    /// Takes the file back.
    pub fn discard(&self) {
        let _ = fs::remove_file(self.folder.join(&self.file));
        // Only where nothing else is in it.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// The last component of a name, whatever system it comes from, as every system accepts it.
fn clean_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let forbidden = |c: char| c.is_control() || matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*');
    let clean: String = last.chars().map(|c| if forbidden(c) { '_' } else { c }).collect();
    let clean = clean.trim().trim_end_matches('.');
    if clean.is_empty() {
        return "file".to_owned();
    }
    shorten(clean)
}

/// Cuts a long name before its ending.
fn shorten(name: &str) -> String {
    if name.len() <= MAX_NAME {
        return name.to_owned();
    }
    let ending =
        name.rfind('.').map(|at| &name[at..]).filter(|ending| ending.len() <= 16).unwrap_or_default();
    let mut end = MAX_NAME - ending.len();
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{ending}", &name[..end])
}

fn clean_mime(mime: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/.+-;= ".contains(c);
    let fits = (1..=100).contains(&mime.len()) && mime.chars().all(plain);
    if fits { mime.to_owned() } else { "application/octet-stream".to_owned() }
}

/// Writes the file of an upload.
pub fn keep(uploads: &Path, new: &NewUpload) -> SessionResult<Kept> {
    if new.content.len() > MAX_SIZE {
        return Err(SessionError::Invalid(format!(
            "{} has {} bytes; an upload may have {MAX_SIZE} at most",
            clean_name(&new.name),
            new.content.len()
        )));
    }
    // The id stands in a path: one that cannot be an id leads nowhere.
    rows::check_id(&new.session_id).map_err(|_| SessionError::NoSuchSession(new.session_id.clone()))?;
    let (id, name) = (new_id(), clean_name(&new.name));
    let folder = uploads.join(&new.session_id);
    let kept = Kept { file: format!("{id}-{name}"), id, name, folder };
    let action = || format!("keep the upload {}", kept.folder.join(&kept.file).display());
    folder::create_private(&kept.folder).doing(action)?;
    folder::write_whole(&kept.folder, &kept.file, &new.content, Durable::Yes).doing(action)?;
    Ok(kept)
}

pub fn add(c: &Connection, new: &NewUpload, kept: &Kept) -> Tried<Upload> {
    rows::get(c, &new.session_id)?;
    let upload = Upload {
        id: kept.id.clone(),
        session_id: new.session_id.clone(),
        name: kept.name.clone(),
        mime: clean_mime(&new.mime),
        size: new.content.len() as u64,
        path: kept.folder.join(&kept.file),
        created_at: Time::now(),
    };
    insert(c, &upload, &kept.file)?;
    Ok(upload)
}

fn insert(c: &Connection, upload: &Upload, file: &str) -> Tried<()> {
    c.prepare_cached(
        "INSERT INTO uploads (id, session_id, name, mime, size, file, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![
        upload.id,
        upload.session_id,
        upload.name,
        upload.mime,
        upload.size,
        file,
        upload.created_at.to_string()
    ])?;
    Ok(())
}

fn from_row(row: &Row<'_>, uploads: &Path) -> rusqlite::Result<Upload> {
    let session_id: String = row.get(1)?;
    let file: String = row.get(5)?;
    Ok(Upload {
        id: row.get(0)?,
        path: uploads.join(&session_id).join(file),
        session_id,
        name: row.get(2)?,
        mime: row.get(3)?,
        size: row.get(4)?,
        created_at: from_text(row, 6)?,
    })
}

const COLUMNS: &str = "id, session_id, name, mime, size, file, created_at";

pub fn list(c: &Connection, session_id: &str, uploads: &Path) -> Tried<Vec<Upload>> {
    let mut query =
        c.prepare_cached(&format!("SELECT {COLUMNS} FROM uploads WHERE session_id = ? ORDER BY id"))?;
    Ok(query.query_map([session_id], |row| from_row(row, uploads))?.collect::<rusqlite::Result<_>>()?)
}

/// Refuses ids that are none of the session's uploads.
pub fn check(c: &Connection, session_id: &str, ids: &[String]) -> Tried<()> {
    for id in ids {
        let mut query = c.prepare_cached("SELECT 1 FROM uploads WHERE session_id = ? AND id = ?")?;
        if !query.exists(params![session_id, id])? {
            return Err(invalid(format!("there is no upload {id:?} in the session {session_id}")));
        }
    }
    Ok(())
}

/// Gives another session an upload of its own with the same content; returns its id. `None` where it is not there.
pub fn copy(c: &Connection, id: &str, session_id: &str, uploads: &Path) -> Tried<Option<String>> {
    let mut query = c.prepare_cached(&format!("SELECT {COLUMNS} FROM uploads WHERE id = ?"))?;
    let Some(original) = query.query_row([id], |row| from_row(row, uploads)).optional()? else {
        return Ok(None);
    };
    let new = new_id();
    let folder = uploads.join(session_id);
    let file = format!("{new}-{}", original.name);
    let path = folder.join(&file);
    let action = || format!("copy the upload {}", original.path.display());
    folder::create_private(&folder).doing(action)?;
    // Nobody writes to an upload, so that two names for one file do.
    fs::hard_link(&original.path, &path)
        .or_else(|_| fs::copy(&original.path, &path).map(drop))
        .doing(action)?;
    let copy = Upload { id: new.clone(), session_id: session_id.to_owned(), path, ..original };
    insert(c, &copy, &file)?;
    Ok(Some(new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_last_component() {
        for (given, name) in [
            ("报告 1.pdf", "报告 1.pdf"),
            ("../../etc/passwd", "passwd"),
            ("C:\\temp\\a.txt", "a.txt"),
            ("..", "file"),
            ("a/", "file"),
            ("", "file"),
            ("x\0y\n.txt", "x_y_.txt"),
            ("a:b?.txt", "a_b_.txt"),
            (".env", ".env"),
        ] {
            assert_eq!(clean_name(given), name, "{given}");
        }
        let long = clean_name(&format!("{}.tar.gz", "名".repeat(200)));
        assert!(long.len() <= MAX_NAME && long.ends_with("名.gz"), "{long}");
    }

    #[test]
    fn a_type_that_is_none_is_that_of_any_bytes() {
        for (given, mime) in [
            ("image/png", "image/png"),
            ("text/plain; charset=utf-8", "text/plain; charset=utf-8"),
            ("", "application/octet-stream"),
            ("a\r\nSet-Cookie: x", "application/octet-stream"),
        ] {
            assert_eq!(clean_mime(given), mime);
        }
    }
}
