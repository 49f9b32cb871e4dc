//! Whatever was done, undo restores it, and undo of undo brings it back.

use proptest::prelude::*;

use super::*;

/// Something that can be done to a small workspace.
fn action() -> impl Strategy<Value = (u8, String, String, String)> {
    let text = prop_oneof!["[a-c\n]{0,12}", "[a-c\r\n]{0,12}", "[一-三\n]{0,6}"];
    let path =
        prop_oneof![Just("f"), Just("g"), Just("d/f"), Just("d"), Just("e/x/y")].prop_map(str::to_owned);
    (0u8..9, path.clone(), path, text)
}

fn act(desk: &Desk, (what, path, other, text): &(u8, String, String, String)) -> ToolResult<Called> {
    match what {
        0 | 1 => desk.call(WriteFile, json!({"path": path, "content": text})),
        2 => desk.call(WriteFile, json!({"path": path, "content": text, "mode": "append"})),
        3 => {
            desk.call(EditFile, json!({"path": path, "old_text": "a", "new_text": text, "replace_all": true}))
        }
        4 => desk.call(EditFile, json!({"path": path, "insert_at_line": 0, "new_text": text})),
        5 => desk.call(FileDelete, json!({"path": path, "recursive": true})),
        6 => desk.call(FileMove, json!({"source": path, "destination": other, "overwrite": true})),
        7 => desk.call(FileCopy, json!({"source": path, "destination": other, "overwrite": true})),
        _ => desk.call(CreateDirectory, json!({"path": path})),
    }
}

/// Every path with its content, its mode and, for files, its time.
fn snapshot(desk: &Desk) -> Vec<(String, Vec<u8>, u32, Option<std::time::SystemTime>)> {
    let describe = |path: String| {
        let at = desk.path(&path);
        let (mode, modified) = look(&at);
        let content = fs::read(&at).unwrap_or_default();
        let time = at.is_file().then_some(modified);
        (path, content, mode, time)
    };
    desk.listing().into_iter().map(describe).collect()
}

/// Does all of it, then takes it back, each call once back, forth, and back again.
fn back_and_forth(desk: &Desk, actions: &[(u8, String, String, String)]) -> Result<(), TestCaseError> {
    set_mode(&desk.write("f", "a\nb\n"), 0o640);
    desk.write("d/f", "a\r\nb\r\n");
    let mut states = vec![snapshot(desk)];
    let mut calls = Vec::new();
    for action in actions {
        match act(desk, action) {
            Ok(called) if desk.entry(called.id).is_some() => {
                calls.push(called.id);
                states.push(snapshot(desk));
            }
            // What failed, or had nothing to do, changed nothing.
            _ => prop_assert_eq!(&snapshot(desk), states.last().unwrap(), "{:?}", action),
        }
    }
    for (at, call) in calls.iter().enumerate().rev() {
        let undone = undo(desk, *call).unwrap();
        prop_assert_eq!(&snapshot(desk), &states[at], "undo of {:?}", desk.entry(*call));
        let redone = undo(desk, undone.id).unwrap();
        prop_assert_eq!(&snapshot(desk), &states[at + 1], "redo of {:?}", desk.entry(*call));
        undo(desk, redone.id).unwrap();
        prop_assert_eq!(&snapshot(desk), &states[at], "undo again of {:?}", desk.entry(*call));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn undo_restores_and_undo_of_undo_redoes(actions in proptest::collection::vec(action(), 1..8)) {
        back_and_forth(&Desk::new(), &actions)?;
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn undo_restores_across_file_systems(actions in proptest::collection::vec(action(), 1..8)) {
        let Some(disk) = crate::testing::SmallDisk::mount("size=4m") else { return Ok(()) };
        back_and_forth(&Desk::in_workspace(disk.path()), &actions)?;
    }
}
