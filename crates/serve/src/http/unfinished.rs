//! Uploads that are not finished. Beside the data, `ID.part`, lies `ID.json`, which says whose it is and what is to
//! come; so they outlive the server. Whoever writes to one holds a lock on its data.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use deskhand_core::{
    CallId, arguments,
    id::new_id,
    session::{AdoptUpload, SessionStore, Upload},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{error::ApiError, mime};

/// How many somebody may have at a time.
pub const MOST_OF_A_PERSON: usize = 20;

/// Two that are begun at once must not both be the last that is allowed.
static BEGINNING: Mutex<()> = Mutex::new(());

/// What was said of an upload before its first byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announced {
    /// `None`: the owner of this installation.
    pub owner: Option<String>,
    pub session_id: String,
    pub name: String,
    /// Bytes.
    pub size: u64,
    pub mime: Option<String>,
    /// In lower-case hex.
    pub sha256: Option<String>,
    /// Kept for whoever did not hear that it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<Finished>,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    pub upload_id: String,
    pub sha256: String,
}

/// One upload that was begun.
#[derive(Clone, Debug)]
pub struct Unfinished {
    pub id: String,
    pub announced: Announced,
    folder: PathBuf,
}

impl Unfinished {
    /// Begins one. `folder` is [`SessionStore::upload_place`].
    pub fn begin(folder: PathBuf, announced: Announced) -> Result<Self, ApiError> {
        let _one_at_a_time = BEGINNING.lock().unwrap_or_else(PoisonError::into_inner);
        if count_of(&folder, announced.owner.as_deref()) >= MOST_OF_A_PERSON {
            return Err(ApiError::conflict(
                "too_many_uploads",
                format!(
                    "{MOST_OF_A_PERSON} uploads are begun and not finished, which is the most there may be"
                ),
            )
            .hint("Finish some of them, or give them up with DELETE /api/v1/uploads/{upload_id}."));
        }
        let begun = Self { id: new_id(), announced, folder };
        let doing = "begin the upload";
        new_file(&begun.data()).map_err(|error| ApiError::disk(doing, &error))?;
        if let Err(error) = begun.write_down() {
            begun.remove();
            return Err(ApiError::disk(doing, &error));
        }
        Ok(begun)
    }

    /// The one of this id, if it is this owner's. To others it does not exist.
    pub fn find(folder: PathBuf, id: &str, owner: Option<&str>) -> Option<Self> {
        // The id becomes part of a path.
        let id = CallId::parse(id)?.to_string();
        let announced = read(&folder.join(format!("{id}.json")))?;
        let found = Self { id, announced, folder };
        let is_there = found.announced.finished.is_some() || found.data().exists();
        (is_there && found.announced.owner.as_deref() == owner).then_some(found)
    }

    fn data(&self) -> PathBuf {
        self.folder.join(format!("{}.part", self.id))
    }

    fn description(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.id))
    }

    /// How many bytes are there.
    pub fn offset(&self) -> u64 {
        match self.announced.finished {
            Some(_) => self.announced.size,
            None => fs::metadata(self.data()).map_or(0, |meta| meta.len()),
        }
    }

    /// The data, for writing at its end. Nobody else can write to it, or finish it, while this is held.
    pub fn hold(&self) -> Result<File, ApiError> {
        let gone = || ApiError::not_found(format!("there is no unfinished upload {:?}", self.id));
        let held = OpenOptions::new().read(true).write(true).open(self.data());
        let mut file = held.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => gone(),
            _ => ApiError::disk("open the upload", &error),
        })?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(ApiError::conflict("busy", "another request is writing to this upload")
                    .hint("Wait for its end, then ask how far the upload is."));
            }
            Err(TryLockError::Error(error)) => return Err(ApiError::disk("lock the upload", &error)),
        }
        // Whoever held it before may have finished it: what was opened is then not an upload in progress any more.
        if !self.data().exists() {
            return Err(gone());
        }
        // What is still being written to is not old, though nothing else changes in its description.
        let touched = File::open(self.description()).and_then(|file| file.set_modified(SystemTime::now()));
        touched.map_err(|error| ApiError::disk("note that the upload goes on", &error))?;
        file.seek(SeekFrom::End(0)).map_err(|error| ApiError::disk("go to the end of the upload", &error))?;
        Ok(file)
    }

    /// Makes it an upload of its session, if its content is what was announced. If not, it is gone.
    pub fn finish(mut self, mut held: File, store: &dyn SessionStore) -> Result<(Self, Upload), ApiError> {
        let checked = check(&mut held).map_err(|error| ApiError::disk("read the upload", &error))?;
        if self.announced.sha256.as_ref().is_some_and(|wanted| *wanted != checked.sha256) {
            self.remove();
            return Err(ApiError::invalid(format!(
                "the content of {:?} has the SHA-256 {}, not the one that was announced: it was not kept",
                self.announced.name, checked.sha256
            ))
            .hint("Upload it again from the beginning."));
        }
        let upload = adopt(&self.announced, &checked, self.data(), store)?;
        self.announced.finished = Some(Finished { upload_id: upload.id.clone(), sha256: checked.sha256 });
        if let Err(error) = self.write_down() {
            // The upload is there; only who asks again by this id will not find it.
            tracing::warn!(%error, "the end of an upload could not be written down");
        }
        Ok((self, upload))
    }

    /// Gives it up.
    pub fn remove(&self) {
        for path in [self.data(), self.description()] {
            if let Err(error) = fs::remove_file(&path)
                && error.kind() != io::ErrorKind::NotFound
            {
                tracing::warn!(%error, path = %path.display(), "an unfinished upload could not be removed");
            }
        }
    }

    fn write_down(&self) -> io::Result<()> {
        let new = self.folder.join(format!("{}.new", self.id));
        let written = (|| {
            let mut file = new_file(&new)?;
            serde_json::to_writer(&mut file, &self.announced)?;
            file.sync_all()?;
            fs::rename(&new, self.description())
        })();
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written
    }
}

/// A file that comes in one request. It is gone when this is, unless it was kept.
pub struct OneShot {
    path: PathBuf,
}

impl OneShot {
    pub fn begin(folder: &Path) -> Result<(Self, File), ApiError> {
        let path = folder.join(format!("{}.part", new_id()));
        let file = new_file(&path).map_err(|error| ApiError::disk("begin the upload", &error))?;
        Ok((Self { path }, file))
    }

    pub fn keep(
        self,
        mut file: File,
        told: &Announced,
        store: &dyn SessionStore,
    ) -> Result<Upload, ApiError> {
        let checked = check(&mut file).map_err(|error| ApiError::disk("read the upload", &error))?;
        adopt(told, &checked, self.path.clone(), store)
    }
}

impl Drop for OneShot {
    fn drop(&mut self) {
        // Where it was kept, it is not there any more.
        let _ = fs::remove_file(&self.path);
    }
}

fn adopt(
    told: &Announced,
    checked: &Checked,
    file: PathBuf,
    store: &dyn SessionStore,
) -> Result<Upload, ApiError> {
    let mime = told.mime.clone().unwrap_or_else(|| mime::of(&told.name, &checked.head).to_owned());
    let (session_id, name) = (told.session_id.clone(), told.name.clone());
    Ok(store.adopt_upload(&AdoptUpload { session_id, name, mime, size: told.size, file })?)
}

/// What the content came to.
struct Checked {
    sha256: String,
    head: Vec<u8>,
}

/// Reads all of it, and sees to it that it is on disk.
fn check(file: &mut File) -> io::Result<Checked> {
    file.sync_all()?;
    file.rewind()?;
    let (mut hash, mut head, mut buffer) = (Sha256::new(), Vec::new(), vec![0; 256 * 1024]);
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        if head.is_empty() {
            head = buffer[..read.min(mime::HEAD)].to_vec();
        }
        hash.update(&buffer[..read]);
    }
    let sha256 = arguments::hex(&hash.finalize());
    Ok(Checked { sha256, head })
}

fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

fn read(description: &Path) -> Option<Announced> {
    serde_json::from_slice(&fs::read(description).ok()?).ok()
}

fn count_of(folder: &Path, owner: Option<&str>) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let paths = entries.flatten().map(|entry| entry.path());
    let told = paths.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    told.filter_map(|path| read(&path).filter(|_| path.with_extension("part").exists()))
        .filter(|told| told.owner.as_deref() == owner && told.finished.is_none())
        .count()
}
