//! Microphone, camera and loudspeaker. Every desktop has some, and a page may count them, though it learns nothing else
//! of them before a person has said yes. Where there are none the browser's own pretended ones are counted.

use std::{env, fs, path::Path};

pub fn arguments() -> &'static [&'static str] {
    let some = env::var_os("PULSE_SERVER").is_some() || are_some(Path::new("/dev"));
    if cfg!(target_os = "linux") && !some { &["--use-fake-device-for-media-stream"] } else { &[] }
}

fn are_some(devices: &Path) -> bool {
    let any = |folder: &Path, begins: &str| {
        let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.any(|entry| entry.file_name().to_string_lossy().starts_with(begins))
    };
    any(&devices.join("snd"), "pcm") || any(devices, "video")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_devices_are_seen() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!are_some(folder.path()));
        fs::create_dir(folder.path().join("snd")).unwrap();
        fs::write(folder.path().join("snd/seq"), "").unwrap();
        assert!(!are_some(folder.path()), "that plays nothing");
        fs::write(folder.path().join("snd/pcmC0D0p"), "").unwrap();
        assert!(are_some(folder.path()));
        fs::remove_dir_all(folder.path().join("snd")).unwrap();
        fs::write(folder.path().join("video0"), "").unwrap();
        assert!(are_some(folder.path()));
    }
}
