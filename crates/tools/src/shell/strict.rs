//! What other systems forbid outright under their own names for `bash`, read from the analysed command.

use deskhand_core::{ToolError, ToolResult};
use deskhand_guard::shell::Analysis;

use super::command_line::base_name;

/// The ten commands of `command_executor`.
const TEN: &[&str] = &["ls", "cat", "grep", "head", "tail", "ps", "pwd", "whoami", "df", "free"];
/// The characters that none of its arguments may have.
const ELEVEN: &[char] = &[';', '&', '|', '>', '<', '`', '$', '(', ')', '\n', '\r'];
/// How the devices of whole drives are called.
const DRIVES: &[&str] =
    &["/dev/sd", "/dev/hd", "/dev/vd", "/dev/xvd", "/dev/nvme", "/dev/mmcblk", "/dev/disk"];

/// An error for what `run_shell` and `exec` never run.
pub fn check_lists(analysis: &Analysis, plain: Option<&[String]>) -> ToolResult<()> {
    let found = analysis
        .commands
        .iter()
        .find_map(|words| on_the_lists(words, Wrapped::Perhaps))
        .or_else(|| plain.and_then(|words| on_the_lists(words, Wrapped::No)))
        .or_else(|| analysis.programs.iter().find_map(|name| formats(name)))
        .or_else(|| writes_a_drive(analysis));
    match found {
        None => Ok(()),
        Some(what) => Err(ToolError::blocked("shell:strict", format!("This name never runs {what}."))
            .hint("`bash` asks a person about it, where it is not forbidden altogether.")),
    }
}

/// An error for what `command_executor` does not take.
pub fn check_ten(argv: &[String]) -> ToolResult<()> {
    let program = argv.first().map_or("", String::as_str);
    if !TEN.contains(&program) {
        let message = format!("«{}» is none of its ten commands.", super::command_line::short(program, 60));
        return Err(
            ToolError::blocked("shell:ten_commands", message).hint(format!("It runs {}.", TEN.join(", ")))
        );
    }
    let odd = argv.iter().skip(1).find(|argument| argument.contains(ELEVEN));
    match odd {
        None => Ok(()),
        Some(argument) => {
            let shown = super::command_line::short(argument, 60);
            let message = format!("The argument «{shown}» has one of the characters that it never takes.");
            Err(ToolError::blocked("shell:ten_commands", message)
                .hint("They are ; & | > < ` $ ( ) and line ends: nothing here is read by a shell."))
        }
    }
}

/// Whether the words may belong to a program that runs another: `sudo rm -rf x`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrapped {
    Perhaps,
    No,
}

fn on_the_lists(words: &[String], wrapped: Wrapped) -> Option<&'static str> {
    let first = words.first()?;
    if let Some(found) = formats(first) {
        return Some(found);
    }
    let deepest = match wrapped {
        // `git rm` takes files out of the index, and is another program.
        Wrapped::Perhaps if base_name(first) != "git" => words.len(),
        _ => 1,
    };
    (0..deepest).find_map(|at| match base_name(&words[at]) {
        "rm" if removes_by_force(&words[at + 1..]) => Some("rm -rf in any form"),
        "dd" if words[at + 1..].iter().any(|word| word.starts_with("if=")) => Some("dd if="),
        _ => None,
    })
}

fn removes_by_force(arguments: &[String]) -> bool {
    let options = || arguments.iter().take_while(|argument| *argument != "--");
    let short = |letters: &[char]| {
        options().any(|option| {
            option.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.contains(letters))
        })
    };
    // Long options may be abbreviated.
    let long = |name: &str| options().any(|option| option.len() > 2 && name.starts_with(option.as_str()));
    (short(&['r', 'R']) || long("--recursive")) && (short(&['f']) || long("--force"))
}

fn formats(program: &str) -> Option<&'static str> {
    let name = base_name(program).to_ascii_lowercase();
    match name.trim_end_matches(".com").trim_end_matches(".exe") {
        "format" => Some("format"),
        name if name == "mkfs" || name.starts_with("mkfs.") => Some("mkfs"),
        _ => None,
    }
}

fn writes_a_drive(analysis: &Analysis) -> Option<&'static str> {
    let drive = |path: &str| DRIVES.iter().any(|drive| path.starts_with(drive));
    let writes = analysis.places.iter().any(|place| place.access.writes() && drive(&place.path));
    writes.then_some("anything that writes over a drive")
}

#[cfg(test)]
mod tests {
    use deskhand_core::{Access, Permission};
    use deskhand_guard::shell::PlaceUse;

    use super::{super::lists::tests::analysis, *};

    #[test]
    fn the_lists_hold_in_any_form() {
        for (command, runs) in [
            ("rm -rf x", false),
            ("rm -fr x", false),
            ("rm -r -f x", false),
            ("rm x -Rf", false),
            ("rm --recursive --force x", false),
            ("rm --rec --fo x", false),
            ("/bin/rm -vrf x", false),
            ("sudo rm -rf x", false),
            ("xargs -0 rm -r -f", false),
            ("rm -r x", true),
            ("rm -f x", true),
            ("rm -f -- -r", true),
            ("git rm -rf x", true),
            ("dd if=/dev/zero of=x", false),
            ("dd of=x", true),
            ("mkfs.ext4 x", false),
            ("mkfs x", false),
            ("format c:", false),
            ("format.com c:", false),
            ("cargo fmt", true),
        ] {
            let found = check_lists(&analysis(Permission::Moderate, &[command], &[]), None);
            assert_eq!(found.is_ok(), runs, "{command}");
        }
        let nothing = analysis(Permission::Public, &[], &[]);
        let plain = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(check_lists(&nothing, Some(&plain("rm -rf x"))).is_err());
        assert!(check_lists(&nothing, Some(&plain("echo rm -rf x"))).is_ok(), "it is only said");
        assert!(check_lists(&analysis(Permission::Moderate, &[], &["mkfs.xfs"]), None).is_err());
        let mut drive = analysis(Permission::Moderate, &[], &["cat"]);
        drive.places =
            vec![PlaceUse { path: "/dev/sdb".into(), access: Access::Modify, recursive: false, glob: false }];
        assert!(check_lists(&drive, None).is_err());
        drive.places[0].access = Access::Read;
        assert!(check_lists(&drive, None).is_ok());
    }

    #[test]
    fn ten_commands_and_no_odd_characters() {
        let argv = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert!(check_ten(&argv(&["ls", "-la", "/home"])).is_ok());
        for bad in ["find", "", "/bin/ls", "LS", "ls;"] {
            assert!(check_ten(&argv(&[bad])).is_err(), "{bad}");
        }
        assert!(check_ten(&[]).is_err());
        for odd in ELEVEN {
            assert!(check_ten(&argv(&["ls", &format!("a{odd}b")])).is_err(), "{odd:?}");
        }
        assert_eq!(ELEVEN.len(), 11);
    }
}
