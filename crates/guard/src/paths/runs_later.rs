//! Files that decide what runs later, by their names: knowledge as data.
//!
//! File tools go by this alone. What a command changed is judged by its result, too, which for Git's own files
//! says more than their names (`effect::runs_later`).

use std::{borrow::Cow, path::Path};

use super::sensitive::{find_folder, folded};

/// In Git's own folder: names that follow it.
const GIT: &[(&str, &str, &str)] = &[
    (".git", "hooks", "Git runs what is in it"),
    (".git", "config", "it can name programs that Git runs"),
    (".git", "modules", "it holds the hooks and config of submodules"),
    (".git", "worktrees", "it holds the config of work trees"),
    (".git", "commondir", "it says where Git finds hooks and config"),
    (".git", "info/attributes", "it can name programs that Git runs"),
    (".git", "objects/info/alternates", "Git takes objects from where it says"),
    (".git", "remotes", "it says where Git fetches from and pushes to"),
    (".git", "branches", "it says where Git fetches from and pushes to"),
    (".git", "rebase-merge", "it can have commands that Git runs"),
    (".git", "rebase-apply", "it can have commands that Git runs"),
    (".git", "sequencer", "it can have commands that Git runs"),
];

const DESKHAND: &str = "it configures Deskhand";
const CI: &str = "CI runs what it says";
const EDITOR: &str = "an editor or a tool runs what it says";
const HOOK: &str = "Git hooks run what it says";
const AGENT: &str = "coding agents follow it";
const FOLDER: &str = "a shell runs it on entering the folder";

/// Folders, anywhere in a path, and what must follow them. All of them start with a dot.
const FOLDERS: &[(&str, &str, &str)] = &[
    (".deskhand", "", DESKHAND),
    (".github", "workflows", CI),
    (".github", "actions", CI),
    (".gitea", "workflows", CI),
    (".gitea", "actions", CI),
    (".forgejo", "workflows", CI),
    (".forgejo", "actions", CI),
    (".gitlab", "ci", CI),
    (".circleci", "", CI),
    (".buildkite", "", CI),
    (".woodpecker", "", CI),
    (".semaphore", "", CI),
    (".teamcity", "", CI),
    (".vscode", "tasks.json", EDITOR),
    (".vscode", "launch.json", EDITOR),
    (".vscode", "settings.json", EDITOR),
    (".vscode", "extensions.json", EDITOR),
    (".vscode", "mcp.json", EDITOR),
    (".idea", "", EDITOR),
    (".devcontainer", "", EDITOR),
    (".zed", "", EDITOR),
    (".fleet", "", EDITOR),
    (".helix", "", EDITOR),
    (".husky", "", HOOK),
    (".githooks", "", HOOK),
    (".git-hooks", "", HOOK),
    (".agents", "", AGENT),
    (".claude", "", AGENT),
    (".codex", "", AGENT),
    (".cursor", "", AGENT),
    (".gemini", "", AGENT),
    (".windsurf", "", AGENT),
    (".clinerules", "", AGENT),
    (".roo", "", AGENT),
    (".continue", "", AGENT),
    (".kiro", "", AGENT),
    (".opencode", "", AGENT),
    (".junie", "", AGENT),
    (".amazonq", "", AGENT),
    (".trae", "", AGENT),
    (".factory", "", AGENT),
    (".crush", "", AGENT),
    (".rules", "", AGENT),
    (".hg", "hgrc", HOOK),
    (".jj", "repo/config.toml", HOOK),
    (".mise", "config.toml", FOLDER),
    (".config", "mise", FOLDER),
    (".github", "copilot-instructions.md", AGENT),
    (".github", "instructions", AGENT),
    (".github", "prompts", AGENT),
    (".github", "agents", AGENT),
    (".github", "skills", AGENT),
    (".github", "hooks", AGENT),
];

/// File names, anywhere.
const FILES: &[(&str, &str)] = &[
    (".gitlab-ci.yml", CI),
    (".gitlab-ci.yaml", CI),
    ("jenkinsfile", CI),
    ("azure-pipelines.yml", CI),
    ("azure-pipelines.yaml", CI),
    (".travis.yml", CI),
    ("bitbucket-pipelines.yml", CI),
    (".drone.yml", CI),
    (".drone.yaml", CI),
    (".drone.star", CI),
    (".drone.jsonnet", CI),
    (".woodpecker.yml", CI),
    (".woodpecker.yaml", CI),
    ("appveyor.yml", CI),
    (".appveyor.yml", CI),
    (".cirrus.yml", CI),
    (".cirrus.star", CI),
    ("cloudbuild.yaml", CI),
    ("cloudbuild.yml", CI),
    ("buildspec.yml", CI),
    (".devcontainer.json", EDITOR),
    (".nvim.lua", EDITOR),
    (".nvimrc", EDITOR),
    (".exrc", EDITOR),
    (".vimrc", EDITOR),
    (".gvimrc", EDITOR),
    (".dir-locals.el", EDITOR),
    (".dir-locals-2.el", EDITOR),
    (".pre-commit-config.yaml", HOOK),
    (".pre-commit-config.yml", HOOK),
    (".pre-commit-hooks.yaml", HOOK),
    ("lefthook.yml", HOOK),
    ("lefthook.yaml", HOOK),
    ("lefthook.toml", HOOK),
    ("lefthook.json", HOOK),
    (".lefthook.yml", HOOK),
    (".lefthook.yaml", HOOK),
    (".lefthook.toml", HOOK),
    ("lefthook-local.yml", HOOK),
    ("lefthook-local.yaml", HOOK),
    (".lefthook-local.yml", HOOK),
    (".overcommit.yml", HOOK),
    (".huskyrc", HOOK),
    (".huskyrc.json", HOOK),
    (".huskyrc.js", HOOK),
    ("agents.md", AGENT),
    ("agents.override.md", AGENT),
    ("claude.md", AGENT),
    ("claude.local.md", AGENT),
    ("gemini.md", AGENT),
    ("agent.md", AGENT),
    ("qwen.md", AGENT),
    (".rules", AGENT),
    ("opencode.json", AGENT),
    ("opencode.jsonc", AGENT),
    ("crush.json", AGENT),
    (".crush.json", AGENT),
    (".aider.conf.yml", AGENT),
    ("skill.md", AGENT),
    (".cursorrules", AGENT),
    (".windsurfrules", AGENT),
    (".goosehints", AGENT),
    (".mcp.json", AGENT),
    (".envrc", FOLDER),
    (".autoenv", FOLDER),
    (".autoenv.zsh", FOLDER),
    (".mise.toml", FOLDER),
    ("mise.toml", FOLDER),
    ("mise.local.toml", FOLDER),
    (".mise.local.toml", FOLDER),
    (".gdbinit", EDITOR),
    (".lldbinit", EDITOR),
    (".rprofile", EDITOR),
    (".lvimrc", EDITOR),
    (".yarnrc.yml", EDITOR),
];

/// Endings of file names.
const ENDINGS: &[(&str, &str)] =
    &[(".code-workspace", EDITOR), (".run.xml", EDITOR), (".sublime-project", EDITOR)];

/// Installed packages bring such files along, and nothing looks for them there. (Git's own folders count even here.)
const PACKAGES: &[&str] = &["node_modules", "site-packages"];

/// Why writing to a path decides what runs later, if it does. `relative` starts at the workspace.
pub(super) fn by_path(relative: &Path) -> Option<&'static str> {
    let names = folded_names(relative);
    // A `.git` that is itself made or replaced can be a file that leads to any folder with any config.
    let whole = names.last().is_some_and(|name| name == ".git");
    find_folder(&names, GIT)
        .or(whole.then_some("Git takes hooks and config from where it says"))
        .or_else(|| by_folded_names(&names))
}

/// The same without Git's own folders.
#[cfg(unix)]
pub(crate) fn by_name(relative: &Path) -> Option<&'static str> {
    by_folded_names(&folded_names(relative))
}

/// The same for a link: whatever is looked for below its name is found where it leads.
#[cfg(unix)]
pub(crate) fn by_link(relative: &Path) -> Option<&'static str> {
    let names = folded_names(relative);
    let leads = || {
        let last = names.last()?;
        let (.., why) = FOLDERS.iter().find(|(first, then, _)| first == last && !then.is_empty())?;
        (!is_in_packages(relative)).then_some(*why)
    };
    by_folded_names(&names).or_else(leads)
}

/// Whether a path lies among installed packages.
#[cfg(unix)]
pub(crate) fn is_in_packages(relative: &Path) -> bool {
    relative.components().any(|part| PACKAGES.iter().any(|packages| part.as_os_str() == *packages))
}

fn folded_names(path: &Path) -> Vec<Cow<'_, str>> {
    path.components().map(|part| folded(part.as_os_str())).collect()
}

fn by_folded_names(names: &[Cow<'_, str>]) -> Option<&'static str> {
    let last = names.last()?;
    let file = FILES
        .iter()
        .find_map(|(known, why)| (known == last).then_some(*why))
        .or_else(|| ENDINGS.iter().find_map(|(ending, why)| last.ends_with(ending).then_some(*why)));
    // Most paths have no name with a dot in front, and need no more than this look.
    let folder = || {
        let dotted = names.iter().position(|name| name.starts_with('.'))?;
        find_folder(&names[dotted..], FOLDERS)
    };
    let why = file.or_else(folder)?;
    let in_packages = names.iter().any(|name| PACKAGES.contains(&name.as_ref()));
    (!in_packages).then_some(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATER: &[&str] = &[
        ".deskhand/config.toml",
        "sub/.deskhand/x",
        ".github/workflows/ci.yml",
        ".GitHub/Workflows/ci.yml",
        "nested/.github/workflows/deep/ci.yml",
        ".github/actions/build/action.yml",
        ".gitlab-ci.yml",
        ".circleci/config.yml",
        "Jenkinsfile",
        "azure-pipelines.yml",
        ".travis.yml",
        "bitbucket-pipelines.yml",
        ".drone.yml",
        ".woodpecker.yml",
        ".woodpecker/build.yaml",
        "appveyor.yml",
        ".buildkite/pipeline.yml",
        ".gitea/workflows/a.yaml",
        ".forgejo/workflows/a.yaml",
        ".vscode/tasks.json",
        ".vscode/launch.json",
        ".vscode/settings.json",
        ".vscode/extensions.json",
        "x.code-workspace",
        ".idea/runConfigurations/Run.xml",
        ".idea/externalTools.xml",
        ".devcontainer/devcontainer.json",
        ".nvim.lua",
        ".exrc",
        "sub/.vimrc",
        ".dir-locals.el",
        ".pre-commit-config.yaml",
        ".husky/pre-commit",
        "lefthook.yml",
        ".githooks/pre-push",
        "AGENTS.md",
        "agents.md",
        "sub/CLAUDE.md",
        "GEMINI.md",
        ".cursorrules",
        ".cursor/rules/a.mdc",
        ".claude/settings.json",
        ".agents/skills/x/run.sh",
        "skills/a/SKILL.md",
        ".mcp.json",
        ".envrc",
        "sub/.envrc",
        ".ＣＬＡＵＤＥ/x", // full-width letters
    ];

    const NOT_LATER: &[&str] = &[
        "Makefile",
        "package.json",
        "build.rs",
        "src/main.rs",
        ".gitignore",
        ".gitattributes",
        ".github/CODEOWNERS",
        ".github/ISSUE_TEMPLATE/bug.md",
        "github/workflows/ci.yml",
        ".vscode/snippets.json",
        ".editorconfig",
        ".cargo/config.toml",
        "docs/my-agents.md",
        "skills/a/README.md",
        "travis.yml",
        "node_modules/x/.github/workflows/ci.yml",
        "node_modules/x/.travis.yml",
        "venv/lib/site-packages/x/AGENTS.md",
        ".git/info/exclude",
        "git/hooks/x",
        "",
    ];

    #[test]
    fn names_that_run_later_are_known() {
        for path in LATER {
            assert!(by_path(Path::new(path)).is_some(), "{path}");
        }
        for path in NOT_LATER {
            assert_eq!(by_path(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn git_files_that_run_later_are_known() {
        for path in [
            ".git/hooks/pre-commit",
            ".git/config",
            "sub/.git/hooks/x",
            "node_modules/x/.git/config",
            ".git/commondir",
            "sub/.git",
            ".GIT",
        ] {
            assert!(by_path(Path::new(path)).is_some(), "{path}");
        }
        for path in [".git/HEAD", ".git/index", ".git/refs/heads/main", ".git/COMMIT_EDITMSG"] {
            assert_eq!(by_path(Path::new(path)), None, "{path}");
        }
    }
}
