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
pub fn check_lists(analysis: &Analysis) -> ToolResult<()> {
    let found = analysis
        .all_commands
        .iter()
        .find_map(|words| on_the_lists(words))
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

fn on_the_lists(words: &[String]) -> Option<&'static str> {
    let (program, arguments) = words.split_first()?;
    match base_name(program) {
        "rm" if removes_by_force(arguments) => Some("rm -rf in any form"),
        "dd" if arguments.iter().any(|word| word.starts_with("if=")) => Some("dd if="),
        name => formats(name),
    }
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
            ("ls | xargs -0 rm -r -f", false),
            ("r''m -r\\f x", false),
            ("c='rm -rf'; $c x", false),
            ("rm -r x", true),
            ("rm -f x", true),
            ("rm -f -- -r", true),
            ("git rm -rf x", true),
            ("echo rm -rf x", true),
            ("dd if=/dev/zero of=x", false),
            ("dd of=x", true),
            ("mkfs.ext4 x", false),
            ("mkfs x", false),
            ("format c:", false),
            ("cat x > /dev/sdb", false),
            ("cat /dev/sdb", true),
            ("cargo fmt", true),
        ] {
            assert_eq!(check_lists(&analysis(command)).is_ok(), runs, "{command}");
        }
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
