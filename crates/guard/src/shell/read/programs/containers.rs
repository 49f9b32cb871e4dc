//! Programs that run a command elsewhere: in a container, on what they find.

use super::{Reading, flags};
use crate::shell::{
    knowledge::Flag,
    text::{HOLE, STAR},
};

impl Reading<'_> {
    /// `fd PATTERN FOLDER -x COMMAND`: the command, on all that is in the folder.
    pub fn fd(&mut self, words: &[String]) {
        let Some(at) =
            words.iter().position(|word| matches!(word.as_str(), "-x" | "-X" | "--exec" | "--exec-batch"))
        else {
            return;
        };
        let folders: Vec<&String> =
            words[..at].iter().filter(|word| !word.starts_with('-')).skip(1).collect();
        let pattern = words[..at].iter().find(|word| !word.starts_with('-')).map_or(".", String::as_str);
        let all = matches!(pattern, "." | "" | ".*");
        for folder in folders {
            let found = if all {
                format!("{}/{STAR}", folder.trim_end_matches('/'))
            } else {
                format!("{}/{}", folder.trim_end_matches('/'), HOLE)
            };
            let mut command: Vec<String> = words[at + 1..].to_vec();
            if command.iter().any(|word| word.contains("{}")) {
                command = command.iter().map(|word| word.replace("{}", &found)).collect();
            } else {
                command.push(found);
            }
            self.argv(&command, false, None);
        }
    }

    /// `docker run -v HERE:THERE image command …`: the command sees other folders.
    pub fn in_container(&mut self, words: &[String]) {
        let flag = Flag::taking("-v --volume --mount");
        let told = flags::tell(words, &[&flag], None);
        let mounts = told
            .values(&["-v", "--volume", "--mount"])
            .iter()
            .filter_map(|value| self.mount(value))
            .collect();
        self.mounts = Some(mounts);
    }

    /// `HERE:THERE` or `source=HERE,target=THERE`, as (there, here).
    fn mount(&self, value: &str) -> Option<(String, String)> {
        let part = |names: &[&str]| {
            let named = |part: &str| names.iter().find_map(|name| part.strip_prefix(name).map(str::to_owned));
            value.split(',').find_map(named)
        };
        if let Some(here) = part(&["source=", "src="]) {
            return Some((part(&["target=", "dst=", "destination="])?, here));
        }
        let (here, rest) = value.split_once(':')?;
        Some((rest.split(':').next()?.to_owned(), self.written(here).path))
    }
}
