//! What goes into a program and what comes out of it: secrets that are sent, files that are filled, code that was fetched.

use super::{Call, Gathered, Reading, flags::Told};
use crate::shell::{
    knowledge::Nature,
    read::commands::{in_program_folder, quoted},
    text::{HOLE, NET, SECRET, SHELL, is_known, is_secret, origin},
};

impl Reading<'_> {
    /// What the files that it writes hold afterwards: what it fetched, or what it read.
    pub(super) fn fills(
        &mut self,
        name: &str,
        nature: Nature,
        gathered: &Gathered,
        told: &Told<'_>,
        operands: &[String],
    ) {
        let Gathered { marks, written, .. } = gathered;
        let moved = self.moved_content(name, operands);
        let fetched = is_network(nature) || marks.contains(NET);
        let content = if fetched { NET.to_string() } else { moved.unwrap_or_else(|| marks.clone()) };
        if !origin(&content).is_empty() || is_known(&content) && !content.is_empty() {
            for path in written {
                let place = self.written(path).path;
                self.drains(&place, &content);
                // A folder gets a file of the same name.
                for source in operands.iter().filter(|source| *source != path) {
                    let name = source.rsplit(['/', ':']).next().unwrap_or_default();
                    self.files.insert(format!("{place}/{name}"), content.clone());
                }
                self.files.insert(place, content.clone());
            }
        }
        // `curl -O URL`, `wget URL`: a file named as in the URL.
        let named = matches!(name, "wget" | "wget2" | "aria2c" | "axel" | "fetch") && written.is_empty()
            || name == "curl" && told.has_any(&["-O", "--remote-name", "-J", "--remote-name-all"]);
        if named {
            for url in operands {
                let file = url.split(['?', '#']).next().unwrap_or(url).rsplit('/').next().unwrap_or_default();
                let path = self.written(file).path;
                self.files.insert(path, NET.to_string());
            }
        }
    }

    /// What a file holds under its new name after `mv`, `ln` and the like.
    fn moved_content(&self, name: &str, operands: &[String]) -> Option<String> {
        let moves = matches!(name, "cp" | "mv" | "ln" | "link" | "install" | "rename");
        let from = operands.first().filter(|_| moves)?;
        let path = self.written(from).path;
        if in_program_folder(&path) {
            // A program under another name is a script that runs it.
            return Some(format!("exec {} \"$@\"\n", quoted(&path)));
        }
        let filled = self.files.get(&path).cloned();
        filled.or_else(|| self.leaks(from).then(|| SECRET.to_string()))
    }

    /// Whether a word names a secret whose loss would matter, or a file that this command filled with one.
    pub fn leaks(&self, word: &str) -> bool {
        let secret = |part: &str| {
            let filled = self.files.get(&self.written(part).path).is_some_and(|text| is_secret(text));
            filled || self.secret_at(part).is_some_and(|what| !what.contains("start-up"))
        };
        word.split(['@', '=', ',', ';'])
            .chain(word.split_once(':').map(|(_, path)| path))
            .any(|part| part.len() > 3 && !part.contains("://") && !is_public_key(part) && secret(part))
    }

    /// What goes in and comes out: secrets that are sent, code that was fetched.
    pub(super) fn flows(&mut self, call: Call<'_>, nature: Nature, gathered: &Gathered) -> String {
        let Call { name, words, input } = call;
        let given = input.unwrap_or_default();
        if is_network(nature) {
            let marked =
                is_secret(given) || is_secret(&gathered.marks) || words.iter().any(|word| is_secret(word));
            // A key to log in with is not sent.
            let logs_in = matches!(name, "ssh-keygen" | "ssh-add")
                || words
                    .iter()
                    .any(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('i'));
            let named = !logs_in && words.iter().any(|word| !word.starts_with('-') && self.leaks(word));
            if marked || named {
                self.forbid("exfiltration", format!("It sends a secret to another host with {name}."));
            }
            if given.contains(SHELL) {
                self.forbid("reverse-shell", format!("It connects a shell to another host with {name}."));
            }
            return if gathered.shows_secret { format!("{NET}{SECRET}") } else { NET.to_string() };
        }
        if gathered.shows_secret {
            // What is asked about because it shows a secret, shows a secret.
            return format!("{HOLE}{SECRET}");
        }
        self.simulate(name, words, input).unwrap_or_else(|| {
            let mut output = HOLE.to_string() + &origin(given) + &origin(&gathered.marks);
            output.extend(words.iter().map(|word| origin(word)));
            output
        })
    }
}

fn is_network(nature: Nature) -> bool {
    matches!(nature, Nature::Network | Nature::LookUp)
}

fn is_public_key(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| extension == "pub")
}
