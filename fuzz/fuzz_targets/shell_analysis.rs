//! Any text may arrive as a command: reading it never panics and stays within its budget, and what cannot be read as
//! text of a shell is never public.

#![no_main]

use std::path::Path;

use deskhand_core::Permission;
use deskhand_guard::shell::{Setting, Shell, syntax, windows};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let workspace = Path::new("/home/ada/project");
    let setting = Setting { cwd: workspace, home: Some(Path::new("/home/ada")), workspaces: &[workspace] };
    let found = Shell::default().analyze(text, &setting);
    assert!(found.steps_taken <= Shell::MOST_STEPS);
    if syntax::parse(text).broken && windows::recognise(text).is_none() {
        assert!(found.permission > Permission::Public);
    }
});
