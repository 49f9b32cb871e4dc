//! The script that reads and prepares pages from an isolated world. `README.md` beside this file is its contract.

/// Evaluates to one object of functions; evaluated once in each frame's isolated world.
pub const SOURCE: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("safe.js"),
    include_str!("words.js"),
    include_str!("refs.js"),
    include_str!("visible.js"),
    include_str!("roles.js"),
    include_str!("names.js"),
    include_str!("tree.js"),
    include_str!("outline.js"),
    include_str!("snapshot.js"),
    include_str!("find.js"),
    include_str!("act.js"),
    include_str!("describe.js"),
    include_str!("typing.js"),
    include_str!("scroll.js"),
    include_str!("wait.js"),
    include_str!("dom.js"),
    include_str!("api.js"),
    "return api;\n})()\n",
);
