//! Files that people gave to a session: `uploads/SESSION_ID/UPLOAD_ID-NAME`, each with a row.
//!
//! The file comes first and the row after it, so that a row always has its file.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use deskhand_core::{
    Time,
    id::new_id,
    session::{AdoptUpload, MAX_UPLOAD, MOST_FILES, NewUpload, SessionError, SessionResult, Upload},
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Failure, Tried, from_text, invalid, rows};
use crate::{
    error::Doing,
    folder::{self, Durable},
};

/// Bytes. With the id before it, it fits every file system.
const MAX_NAME: usize = 150;

/// A file that is in its place, and has no row yet.
pub struct Kept {
    upload: Upload,
    folder: PathBuf,
    file: String,
}

impl Kept {
    /// A place for a file of this size, which is not there yet.
    fn new(uploads: &Path, session_id: &str, name: &str, mime: &str, size: u64) -> SessionResult<Self> {
        let name = clean_name(name);
        if size > MAX_UPLOAD {
            return Err(SessionError::Invalid(format!(
                "{name} has {size} bytes; an upload may have {MAX_UPLOAD} at most"
            )));
        }
        // The id stands in a path: one that cannot be an id leads nowhere.
        rows::check_id(session_id).map_err(|_| SessionError::NoSuchSession(session_id.to_owned()))?;
        let id = new_id();
        let folder = uploads.join(session_id);
        let file = format!("{id}-{name}");
        let upload = Upload {
            id,
            session_id: session_id.to_owned(),
            name,
            mime: clean_mime(mime),
            size,
            path: folder.join(&file),
            created_at: Time::now(),
        };
        Ok(Self { upload, folder, file })
    }

    fn action(&self) -> String {
        format!("keep the upload {}", self.upload.path.display())
    }

    /// Takes the file back.
    pub fn discard(&self) {
        let _ = fs::remove_file(&self.upload.path);
        self.forget_folder();
    }

    /// Moves the file back to where it came from, if it has left it.
    pub fn give_back(&self, to: &Path) {
        if let Err(error) = fs::rename(&self.upload.path, to)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!("cannot move {} back to {}: {error}", self.upload.path.display(), to.display());
        }
        self.forget_folder();
    }

    /// Only where nothing is in it.
    fn forget_folder(&self) {
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
    let kept = Kept::new(uploads, &new.session_id, &new.name, &new.mime, new.content.len() as u64)?;
    folder::create_private(&kept.folder).doing(|| kept.action())?;
    folder::write_whole(&kept.folder, &kept.file, &new.content, Durable::Yes).doing(|| kept.action())?;
    Ok(kept)
}

/// Moves a file that has been written already to where the uploads of the session lie.
pub fn adopt(uploads: &Path, new: &AdoptUpload) -> SessionResult<Kept> {
    let kept = Kept::new(uploads, &new.session_id, &new.name, &new.mime, new.size)?;
    let file = new.file.display();
    let found = fs::symlink_metadata(&new.file).doing(|| format!("look at the upload {file}"))?;
    if !found.is_file() || found.len() != new.size {
        return Err(SessionError::Invalid(format!(
            "{file} is not a file of {} bytes, which {} should have: upload it again",
            new.size, kept.upload.name
        )));
    }
    folder::create_private(&kept.folder).doing(|| kept.action())?;
    folder::move_whole(&new.file, &kept.upload.path)
        .inspect_err(|_| kept.give_back(&new.file))
        .doing(|| format!("move {file} to {}", kept.upload.path.display()))?;
    Ok(kept)
}

pub fn add(c: &Connection, kept: &Kept) -> Tried<Upload> {
    rows::get(c, &kept.upload.session_id)?;
    insert(c, &kept.upload, &kept.file)?;
    Ok(kept.upload.clone())
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

fn by_id(c: &Connection, id: &str, uploads: &Path) -> Tried<Option<Upload>> {
    let mut query = c.prepare_cached(&format!("SELECT {COLUMNS} FROM uploads WHERE id = ?"))?;
    Ok(query.query_row([id], |row| from_row(row, uploads)).optional()?)
}

/// One of a session that is not deleted.
pub fn get(c: &Connection, id: &str, uploads: &Path) -> Tried<Upload> {
    let missing = || SessionError::NoSuchUpload(id.to_owned());
    let upload = by_id(c, id, uploads)?.ok_or_else(missing)?;
    rows::get(c, &upload.session_id).map_err(|failure| match failure {
        Failure::Refused(SessionError::NoSuchSession(_)) => missing().into(),
        other => other,
    })?;
    Ok(upload)
}

/// Refuses ids that are none of the session's uploads, and too many.
pub fn check(c: &Connection, session_id: &str, ids: &[String]) -> Tried<()> {
    if ids.len() > MOST_FILES {
        return Err(invalid(format!("{} files; at most {MOST_FILES} go along with a message", ids.len())));
    }
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
    let Some(original) = by_id(c, id, uploads)? else { return Ok(None) };
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
