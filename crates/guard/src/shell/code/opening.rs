//! Files that are opened, and the pipes that some languages open in the same way.

use super::Language;
use super::engine::Engine;
use super::value::{self, Value};

impl Engine<'_> {
    pub(super) fn open(&mut self, path: Option<&Value>, mode: Option<&Value>) {
        if let Some(command) = path.and_then(Value::text).and_then(|text| text.strip_prefix('|'))
            && self.lang() == Language::Ruby
        {
            self.world.shell(&Value::Text(command.to_owned()));
            return;
        }
        match mode {
            None | Some(Value::Local(_)) => self.world.read(path),
            Some(Value::Text(mode)) if !mode.contains(['w', 'a', 'x', '+', 'c', value::HOLE]) => {
                self.world.read(path);
            }
            _ => self.world.write(path),
        }
    }

    /// Perl's open, with two arguments or three.
    pub(super) fn open_handle(&mut self, positional: &[&Value]) {
        let (Some(mode), rest) = (positional.get(1), positional.get(2..).unwrap_or_default()) else {
            self.world.odd();
            return;
        };
        let Value::Text(mode) = mode else {
            self.world.odd();
            self.world.facts.executes = true;
            return;
        };
        let bare = mode.trim();
        let target = |text: &str| Value::Text(text.trim().to_owned());
        if bare.contains('&') && !bare.contains('|') {
            // A handle is copied, nothing is opened.
            self.world.impure = true;
        } else if bare.starts_with('|') || bare.ends_with('|') {
            match rest {
                [] => self.world.shell(&target(bare.trim_matches('|'))),
                [one] => self.world.shell(one),
                many => self.world.argv(&many.iter().map(|&value| value.clone()).collect::<Vec<_>>()),
            }
        } else if let Some(path) = bare.strip_prefix('+').unwrap_or(bare).strip_prefix('>') {
            let path = path.trim_start_matches('>').split(':').next().unwrap_or("");
            let named = target(path);
            self.world.write(Some(rest.first().copied().unwrap_or(&named)));
        } else {
            let named = target(bare.trim_start_matches('<'));
            let changes = bare.starts_with('+');
            let path = rest.first().copied().unwrap_or(&named);
            if changes { self.world.write(Some(path)) } else { self.world.read(Some(path)) }
        }
    }
}
