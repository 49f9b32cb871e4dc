//! The file tools' way of writing, for tools of other crates.

use std::io::{self, Read, Write};

use deskhand_core::{Cx, ToolError, ToolResult};
use deskhand_guard::{Kind, NewFiles, Place};

use super::change::{Changes, Look};

/// Writes new files through [`Changes`].
pub struct JournalledFiles;

impl NewFiles for JournalledFiles {
    fn write_new(
        &self,
        place: &Place,
        from: &mut dyn Read,
        summary: &str,
        cx: &Cx,
    ) -> ToolResult<(u64, Vec<String>)> {
        if place.kind() != Kind::Absent {
            let message = format!("{} exists already.", place.shown());
            return Err(ToolError::new("already_exists", message).hint("Give another path."));
        }
        let mut changes = Changes::begin(cx, summary)?;
        let written = changes.replace_file(place, Look::Kept, |file| {
            copy(from, file, cx)?.map_err(|error| place.io("write", &error))
        });
        changes.end(written)
    }
}

/// All of it, unless the call is cancelled meanwhile.
fn copy(from: &mut dyn Read, to: &mut impl Write, cx: &Cx) -> ToolResult<io::Result<()>> {
    const PIECE: u64 = 8 << 20;
    loop {
        cx.check()?;
        match io::copy(&mut (&mut *from).take(PIECE), to) {
            Ok(0) => return Ok(Ok(())),
            Ok(_) => {}
            Err(error) => return Ok(Err(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use deskhand_core::{Effects, Permission, Plan, Spec, Tool, tool::Rendered};
    use deskhand_guard::{PathArg, PathsOf, PlanOn};
    use serde_json::json;

    use super::*;
    use crate::{files::undo::Undo, testing::Desk};

    #[derive(Clone, serde::Deserialize, schemars::JsonSchema)]
    struct Input {
        path: PathArg,
    }

    /// As a tool of another crate would write.
    struct Saves;

    impl Tool for Saves {
        type Input = Input;
        type Output = u64;

        const SPEC: Spec =
            Spec::new("saves", "Saves.").permission(Permission::Moderate).effects(Effects::WRITES);

        async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
            let place = cx.paths()?.writable(&input.path)?;
            Ok(Plan::new("Save").on(&place))
        }

        async fn run(&self, input: Input, cx: &Cx) -> ToolResult<u64> {
            cx.blocking(move |cx| {
                let place = cx.paths()?.writable(&input.path)?;
                let written = JournalledFiles.write_new(&place, &mut &b"new"[..], "Saved", cx)?;
                Ok(written.0)
            })
            .await
        }

        fn render(output: &u64) -> Rendered {
            Rendered::text(output.to_string())
        }
    }

    #[test]
    fn what_is_new_is_written_and_taken_back_and_what_is_there_stays() {
        let desk = Desk::new();
        let saved = desk.call(Saves, json!({"path": "sub/new.bin"})).unwrap();
        assert_eq!((saved.data, desk.text("sub/new.bin").as_str()), (json!(3), "new"));
        assert_eq!(desk.call(Saves, json!({"path": "sub/new.bin"})).unwrap_err().code, "already_exists");
        desk.call(Undo, json!({})).unwrap();
        assert!(!desk.path("sub").exists());
    }
}
