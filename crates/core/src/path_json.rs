//! Paths in JSON: as text, or, where a path is not UTF-8, as `{"bytes": "hex"}`. Nothing is lost on the way.
//!
//! For `#[serde(with = "path_json")]`, `path_json::list` for many, `path_json::optional` for one or none.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form {
    Text(String),
    Odd { bytes: String },
}

pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    to_form(path).serialize(serializer)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    from_form(Form::deserialize(deserializer)?).map_err(de::Error::custom)
}

/// The same for a list of paths.
pub mod list {
    use super::{Deserialize, Deserializer, Form, PathBuf, Serializer, de, from_form, to_form};

    pub fn serialize<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().map(|path| to_form(path)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PathBuf>, D::Error> {
        let forms = Vec::<Form>::deserialize(deserializer)?;
        forms.into_iter().map(from_form).collect::<Result<_, _>>().map_err(de::Error::custom)
    }
}

/// The same for a path that may be absent.
pub mod optional {
    use super::{Deserialize, Deserializer, Form, PathBuf, Serialize, Serializer, de, from_form, to_form};

    #[allow(clippy::ref_option)] // serde's form
    pub fn serialize<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
        path.as_deref().map(to_form).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
        let form = Option::<Form>::deserialize(deserializer)?;
        form.map(from_form).transpose().map_err(de::Error::custom)
    }
}

fn to_form(path: &Path) -> Form {
    match path.to_str() {
        Some(text) => Form::Text(text.to_owned()),
        None => Form::Odd { bytes: crate::arguments::hex(path.as_os_str().as_encoded_bytes()) },
    }
}

#[cfg(unix)]
fn from_form(form: Form) -> Result<PathBuf, String> {
    use std::os::unix::ffi::OsStringExt;
    match form {
        Form::Text(text) => Ok(text.into()),
        Form::Odd { bytes } => {
            let digits = bytes.as_bytes().chunks(2);
            let bytes = digits.map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap_or("x"), 16));
            let bytes = bytes.collect::<Result<Vec<u8>, _>>().map_err(|error| error.to_string())?;
            Ok(std::ffi::OsString::from_vec(bytes).into())
        }
    }
}

#[cfg(not(unix))]
fn from_form(form: Form) -> Result<PathBuf, String> {
    match form {
        Form::Text(text) => Ok(text.into()),
        Form::Odd { .. } => Err("a path of another system".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Holder {
        #[serde(with = "super")]
        one: PathBuf,
        #[serde(with = "super::list")]
        many: Vec<PathBuf>,
        #[serde(default, skip_serializing_if = "Option::is_none", with = "super::optional")]
        perhaps: Option<PathBuf>,
    }

    #[test]
    fn plain_paths_are_plain_text() {
        let holder = Holder { one: "/a/b".into(), many: vec!["c\\xE9".into()], perhaps: None };
        let text = serde_json::to_string(&holder).unwrap();
        assert_eq!(text, r#"{"one":"/a/b","many":["c\\xE9"]}"#);
        assert_eq!(serde_json::from_str::<Holder>(&text).unwrap(), holder);
    }

    #[cfg(unix)]
    #[test]
    fn paths_that_are_not_utf8_come_back_as_they_were() {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
        let odd = PathBuf::from(OsStr::from_bytes(b"/caf\xE9"));
        let holder = Holder { one: odd.clone(), many: vec![odd.clone()], perhaps: Some(odd) };
        let text = serde_json::to_string(&holder).unwrap();
        assert!(text.contains(r#"{"bytes":"2f636166e9"}"#), "{text}");
        assert_eq!(serde_json::from_str::<Holder>(&text).unwrap(), holder);
        assert!(serde_json::from_str::<Holder>(r#"{"one":{"bytes":"zz"},"many":[]}"#).is_err());
    }
}
