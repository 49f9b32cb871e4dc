//! bc and dc: sums, and dc's `!command`.

use super::book::EMPTY;
use super::value::{Value, is_hole};
use super::world::World;
use super::{Facts, Language};

/// What a text for bc or dc does.
pub(super) fn inspect(source: &str) -> Facts {
    let mut world = World::new(Language::Calculator, &EMPTY);
    // `?` in dc runs a line that it reads.
    if source.contains(|c: char| is_hole(c) || c == '?') {
        world.odd();
    }
    for line in source.lines() {
        let Some((_, command)) = line.split_once('!') else { continue };
        if !command.starts_with(['=', '<', '>']) {
            world.shell(&Value::Text(command.trim().trim_end_matches(']').to_owned()));
        } else if command.contains('!') {
            world.odd();
        }
    }
    world.finish()
}
