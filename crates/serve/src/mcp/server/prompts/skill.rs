//! A skill as it lies on the disk: `NAME/SKILL.md`, a text with a few lines about it in front.
//!
//! Of YAML only what such lines need is read: `key: value`, and a list of arguments.

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
};

/// The most skills that are read, and bytes of one.
const MOST: usize = 500;
const MOST_BYTES: u64 = 128 << 10;

#[derive(Debug, PartialEq, Eq)]
pub struct Skill {
    pub name: String,
    pub description: String,
    pub arguments: Vec<Argument>,
    text: String,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Argument {
    pub name: String,
    pub description: Option<String>,
    pub required: bool,
}

/// All that lie in a folder, by name. What cannot be read is not there.
pub fn all(folder: &Path) -> Vec<Skill> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let mut skills: Vec<Skill> = folders
        .iter()
        .take(MOST)
        .filter_map(|folder| {
            let name = folder.file_name()?.to_str()?;
            read(name, &text_of(&folder.join("SKILL.md"))?)
        })
        .collect();
    skills.sort_by(|a, b| a.name.cmp(&b.name));
    skills.dedup_by(|a, b| a.name == b.name);
    skills
}

fn text_of(file: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(MOST_BYTES + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > MOST_BYTES {
        return None;
    }
    String::from_utf8(bytes).ok()
}

fn read(folder: &str, text: &str) -> Option<Skill> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let (front, body) = match text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---")) {
        Some((front, body)) => (front, body.trim_start_matches(['-']).trim_start_matches('\n')),
        None => ("", text.as_str()),
    };
    let front = Front::read(front);
    let body = body.trim().to_owned();
    if body.is_empty() {
        return None;
    }
    Some(Skill {
        name: front.name.filter(|name| !name.is_empty()).unwrap_or_else(|| folder.to_owned()),
        description: front.description.unwrap_or_default(),
        arguments: front.arguments,
        text: body,
    })
}

#[derive(Default)]
struct Front {
    name: Option<String>,
    description: Option<String>,
    arguments: Vec<Argument>,
}

impl Front {
    fn read(text: &str) -> Self {
        let mut front = Self::default();
        // The key whose value goes on in the lines below.
        let mut open = "";
        for line in text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        {
            let is_below = line.starts_with([' ', '-']);
            if !is_below {
                let Some((key, value)) = line.split_once(':') else { continue };
                open = key.trim();
                front.set(key.trim(), value.trim());
            } else if open == "arguments" {
                front.argument_line(line.trim());
            } else if let (Some(description), "description") = (&mut front.description, open) {
                if !description.is_empty() {
                    description.push(' ');
                }
                description.push_str(line.trim());
            }
        }
        front
    }

    fn set(&mut self, key: &str, value: &str) {
        match key {
            "name" => self.name = Some(plain(value)),
            // A block that follows below.
            "description" if value.starts_with(['|', '>']) => self.description = Some(String::new()),
            "description" => self.description = Some(plain(value)),
            "arguments" => {
                let listed = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
                let names = listed.into_iter().flat_map(|all| all.split(',')).map(plain);
                let named = names.filter(|name| !name.is_empty());
                self.arguments = named.map(|name| Argument { name, ..Argument::default() }).collect();
            }
            _ => {}
        }
    }

    fn argument_line(&mut self, line: &str) {
        let (starts, rest) = match line.strip_prefix('-') {
            Some(rest) => (true, rest.trim()),
            None => (false, line),
        };
        if starts {
            self.arguments.push(Argument::default());
        }
        let Some(argument) = self.arguments.last_mut() else { return };
        match rest.split_once(':').map(|(key, value)| (key.trim(), plain(value))) {
            Some(("name", value)) => argument.name = value,
            Some(("description", value)) => argument.description = Some(value),
            Some(("required", value)) => argument.required = value == "true",
            None if starts => argument.name = plain(rest),
            _ => {}
        }
    }
}

/// A value without its quotes.
fn plain(value: &str) -> String {
    let value = value.trim();
    let inner = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    inner.unwrap_or(value).to_owned()
}

impl Skill {
    /// The text with the arguments in their places: `{{name}}` each, `$ARGUMENTS` all of them. What is put in is not
    /// looked at again.
    pub fn filled_in(&self, given: &[(String, String)]) -> String {
        let all: Vec<&str> = given.iter().map(|(_, value)| value.as_str()).collect();
        let all = all.join(" ");
        let mut filled = String::with_capacity(self.text.len());
        let mut rest = self.text.as_str();
        while let Some(at) = rest.find(['{', '$']) {
            filled.push_str(&rest[..at]);
            rest = &rest[at..];
            let (put, length) = match place(rest) {
                Some(Place::All(length)) => (Some(all.as_str()), length),
                Some(Place::Of(name, length)) => {
                    let value =
                        given.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str());
                    let is_known = self.arguments.iter().any(|argument| argument.name == name);
                    (value.or(is_known.then_some("")), length)
                }
                None => (None, 1),
            };
            filled.push_str(put.unwrap_or(&rest[..length]));
            rest = &rest[length..];
        }
        filled.push_str(rest);
        filled
    }
}

enum Place<'a> {
    All(usize),
    Of(&'a str, usize),
}

/// The place for an argument with which a text begins, and its length.
fn place(text: &str) -> Option<Place<'_>> {
    const ALL: &str = "$ARGUMENTS";
    if text.starts_with(ALL) {
        return Some(Place::All(ALL.len()));
    }
    let inner = text.strip_prefix("{{")?;
    let end = inner.find("}}").filter(|end| *end <= 100)?;
    Some(Place::Of(inner[..end].trim(), end + "{{}}".len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REVIEW: &str = "---\nname: review\ndescription: \"Reviews: a change\"\narguments:\n  - name: path\n    \
        description: Which file\n    required: true\n  - depth\n---\n\n# Review\nLook at {{path}} ({{ depth }}). {{other}} $5 \
        $ARGUMENTS\n";

    #[test]
    fn what_stands_in_front_is_read() {
        let skill = read("folder", REVIEW).unwrap();
        assert_eq!((skill.name.as_str(), skill.description.as_str()), ("review", "Reviews: a change"));
        let path = Argument { name: "path".into(), description: Some("Which file".into()), required: true };
        let depth = Argument { name: "depth".into(), ..Argument::default() };
        assert_eq!(skill.arguments, [path, depth]);
        let plain = read("folder", "Just words").unwrap();
        assert_eq!((plain.name.as_str(), plain.text.as_str()), ("folder", "Just words"));
        let folded =
            read("f", "---\r\ndescription: >\r\n  two\r\n  lines\r\narguments: [a, 'b']\r\n---\r\nx")
                .unwrap();
        assert_eq!(folded.description, "two lines");
        assert_eq!(folded.arguments.len(), 2);
        assert_eq!(read("f", "---\nname: x\n---\n"), None);
    }

    #[test]
    fn arguments_are_put_in_once() {
        let skill = read("folder", REVIEW).unwrap();
        let given = [("path".to_owned(), "{{depth}} $ARGUMENTS".to_owned())];
        assert_eq!(
            skill.filled_in(&given),
            "# Review\nLook at {{depth}} $ARGUMENTS (). {{other}} $5 {{depth}} $ARGUMENTS"
        );
    }
}
