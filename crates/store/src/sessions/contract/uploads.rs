//! Files that people gave to a session: kept whole and private, or not at all.

use std::{fs, path::PathBuf};

use deskhand_core::session::{AdoptUpload, Deletion, MAX_UPLOAD, NewUpload, SessionStore};

use super::{Engine, create};

pub fn uploads_are_private_files(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    let upload = |session: &str, name: &str, size: usize| {
        store.add_upload(&NewUpload {
            session_id: session.into(),
            name: name.into(),
            mime: "text/plain".into(),
            content: vec![b'x'; size],
        })
    };
    let kept = upload(&id, "../../报告.txt", 5).unwrap();
    assert_eq!((kept.name.as_str(), kept.size), ("报告.txt", 5));
    assert_eq!(fs::read(&kept.path).unwrap(), b"xxxxx");
    let again = upload(&id, "报告.txt", 1).unwrap();
    assert_eq!(store.uploads(&id).unwrap(), [kept.clone(), again]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&kept.path), mode(kept.path.parent().unwrap())), (0o600, 0o700));
    }
    let folder = kept.path.parent().unwrap().parent().unwrap();
    for session in ["nobody", "../nobody", ""] {
        assert!(upload(session, "a", 1).unwrap_err().to_string().contains("there is no session"));
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1, "nothing is left of what was refused");
    let error = upload(&id, "large.bin", (100 << 20) + 1).unwrap_err().to_string();
    assert!(error.contains("large.bin") && error.contains("104857600"), "{error}");
}

/// A file that is finished, and not yet an upload.
fn finished(store: &dyn SessionStore, content: &[u8]) -> PathBuf {
    let file = store.upload_place().unwrap().join(deskhand_core::id::new_id());
    fs::write(&file, content).unwrap();
    file
}

fn adopt(session: &str, file: PathBuf, size: u64) -> AdoptUpload {
    AdoptUpload {
        session_id: session.into(), name: "../大 文件.bin".into(), mime: "a/b".into(), size, file
    }
}

pub fn a_finished_file_becomes_an_upload(engine: &impl Engine) {
    let (here, there) = (engine.handle(), engine.handle());
    let id = create(&*here).id;
    let file = finished(&*here, b"12345");
    let upload = here.adopt_upload(&adopt(&id, file.clone(), 5)).unwrap();
    assert_eq!((upload.name.as_str(), upload.mime.as_str(), upload.size), ("大 文件.bin", "a/b", 5));
    assert_eq!(fs::read(&upload.path).unwrap(), b"12345");
    assert!(!file.exists(), "it was moved");
    assert_eq!(there.upload(&upload.id).unwrap(), upload);
    assert_eq!(there.uploads(&id).unwrap(), std::slice::from_ref(&upload));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&upload.path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let missing = |id: &str| there.upload(id).unwrap_err().to_string();
    assert_eq!(missing("nothing"), "there is no upload nothing");
    here.delete(&id, Deletion::Soft).unwrap();
    assert_eq!(missing(&upload.id), format!("there is no upload {}", upload.id));
    here.delete(&id, Deletion::Hard).unwrap();
    assert!(!upload.path.exists());
    assert_eq!(missing(&upload.id), format!("there is no upload {}", upload.id));
}

pub fn a_file_that_is_not_adopted_stays_where_it_was(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    let file = finished(&*store, b"12345");
    let large = finished(&*store, b"");
    // As large as it says, without taking the room.
    fs::File::options().write(true).open(&large).unwrap().set_len(MAX_UPLOAD + 1).unwrap();
    let place = store.upload_place().unwrap();
    let uploads = place.parent().unwrap();
    let gone = place.join("gone");
    for (session, file, size, says) in [
        (id.as_str(), &file, 4, "not a file of 4 bytes"),
        (&id, &large, MAX_UPLOAD + 1, "an upload may have 104857600 at most"),
        (&id, &place, fs::metadata(&place).unwrap().len(), "not a file"),
        (&id, &gone, 5, "gone"),
        ("nobody", &file, 5, "there is no session nobody"),
        ("../x", &file, 5, "there is no session"),
    ] {
        let error = store.adopt_upload(&adopt(session, file.clone(), size)).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert_eq!(fs::read_dir(uploads).unwrap().count(), 1, "{session}: only the place is there");
    }
    #[cfg(unix)]
    {
        let link = place.join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let error = store.adopt_upload(&adopt(&id, link, 5)).unwrap_err().to_string();
        assert!(error.contains("not a file"), "{error}");
    }
    assert_eq!(fs::read(&file).unwrap(), b"12345");
    assert!(store.uploads(&id).unwrap().is_empty());
    // The largest that is allowed.
    fs::File::options().write(true).open(&large).unwrap().set_len(MAX_UPLOAD).unwrap();
    assert_eq!(store.adopt_upload(&adopt(&id, large, MAX_UPLOAD)).unwrap().size, MAX_UPLOAD);
}
