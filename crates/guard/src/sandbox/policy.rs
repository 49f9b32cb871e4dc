//! What a launcher is told: the confinement of one job, as it travels from Deskhand to its launcher.
//!
//! It travels in the environment, which only the same user can read; the command line is open to everyone.

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::layer::LayeredRoot;

/// How a job is shut in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// In a world of its own: user, mount, PID, network and IPC namespaces; Landlock on top where there is one.
    Namespaces,
    /// In the machine's own world, with Landlock and seccomp as the walls.
    Landlock,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Landlock => "landlock",
        }
    }
}

/// How much one job may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Of each process.
    pub memory_bytes: u64,
    pub processes: u64,
    /// Of each file that is written.
    pub file_bytes: u64,
    /// Of each process.
    pub cpu_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        const GIB: u64 = 1 << 30;
        Self { memory_bytes: 8 * GIB, processes: 2048, file_bytes: 8 * GIB, cpu_seconds: 3600 }
    }
}

/// A path or a text of the system's, of any bytes, as JSON text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Text(pub OsString);

impl From<Text> for String {
    fn from(text: Text) -> Self {
        let mut shown = String::new();
        for chunk in text.0.as_bytes().utf8_chunks() {
            shown.push_str(&chunk.valid().replace('%', "%25"));
            chunk.invalid().iter().for_each(|byte| shown.push_str(&format!("%{byte:02X}")));
        }
        shown
    }
}

impl From<String> for Text {
    fn from(shown: String) -> Self {
        let mut bytes = Vec::with_capacity(shown.len());
        let mut rest = shown.as_bytes();
        while let Some((&first, after)) = rest.split_first() {
            let escaped = (first == b'%')
                .then(|| after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok()))
                .flatten()
                .and_then(|hex| u8::from_str_radix(hex, 16).ok());
            bytes.push(escaped.unwrap_or(first));
            rest = if escaped.is_some() { &after[2..] } else { after };
        }
        Self(OsString::from_vec(bytes))
    }
}

impl Text {
    pub fn of(text: impl AsRef<OsStr>) -> Self {
        Self(text.as_ref().to_owned())
    }

    pub fn path(&self) -> &Path {
        Path::new(&self.0)
    }
}

/// A place that a job has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    pub path: Text,
    pub writable: bool,
    /// Where what the job writes there goes to, where that is not the place itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlay: Option<Overlay>,
}

/// The folders of a copy-on-write layer over one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlay {
    pub upper: Text,
    pub work: Text,
}

impl Shown {
    pub fn read_only(path: impl AsRef<Path>) -> Self {
        Self { path: Text::of(path.as_ref()), writable: false, overlay: None }
    }

    pub fn writable(path: impl AsRef<Path>) -> Self {
        Self { path: Text::of(path.as_ref()), writable: true, overlay: None }
    }

    pub fn on_layer(root: &LayeredRoot) -> Self {
        let overlay = Overlay { upper: Text::of(&root.upper), work: Text::of(&root.work) };
        Self { overlay: Some(overlay), ..Self::writable(&root.path) }
    }
}

/// The confinement of one job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    pub kind: Kind,
    /// Whether the whole machine is there to read, or only what is `shown`.
    pub whole_machine: bool,
    /// Inside what is hidden, it is there all the same.
    pub shown: Vec<Shown>,
    pub hidden: Vec<Text>,
    /// What is its `/tmp`.
    pub temporary: Text,
    pub cwd: Text,
    pub network: bool,
    pub limits: Limits,
    /// The whole environment of the job. The launcher itself has none of it: a variable such as `LD_PRELOAD`
    /// would act before the walls stand.
    pub env: Vec<(Text, Text)>,
    /// The number under which the launcher inherits its side of the life line.
    pub life: i32,
}

const VARIABLE: &str = "DESKHAND_JOB_";
/// The system takes at most 128 KiB in one variable.
const PIECE: usize = 100_000;

impl Policy {
    pub fn to_environment(&self) -> Result<Vec<(OsString, OsString)>, serde_json::Error> {
        let json = serde_json::to_vec(self)?;
        let pieces = json.chunks(PIECE).enumerate();
        Ok(pieces
            .map(|(i, piece)| (format!("{VARIABLE}{i}").into(), OsString::from_vec(piece.to_vec())))
            .collect())
    }

    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, serde_json::Error> {
        let mut json = Vec::new();
        let mut pieces = (0..).map_while(|i| variable(&format!("{VARIABLE}{i}")));
        pieces.by_ref().for_each(|piece| json.extend(piece.into_vec()));
        serde_json::from_slice(&json)
    }

    pub fn temporary(&self) -> PathBuf {
        self.temporary.path().to_path_buf()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_come_back() {
        for bytes in [&b"/a b/%41%"[..], b"", b"\xff/\xc3\x28%", "/ü/文".as_bytes(), b"%%25%zz"] {
            let text = Text(OsString::from_vec(bytes.to_vec()));
            assert_eq!(Text::from(String::from(text.clone())), text, "{bytes:?}");
        }
    }

    #[test]
    fn a_large_policy_travels_in_pieces() {
        let many = (0..20_000).map(|i| Text::of(format!("/w/ü{i}/.env"))).collect();
        let policy = Policy {
            kind: Kind::Namespaces,
            whole_machine: true,
            shown: vec![Shown::read_only("/w")],
            hidden: many,
            temporary: Text::of("/t"),
            cwd: Text::of("/w"),
            network: false,
            limits: Limits::default(),
            env: vec![(Text::of("A"), Text::of("b"))],
            life: 7,
        };
        let environment = policy.to_environment().unwrap();
        assert!(environment.len() > 1);
        let find =
            |name: &str| environment.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        assert_eq!(Policy::from_environment(find).unwrap(), policy);
        assert!(Policy::from_environment(|_| None).is_err());
    }
}
