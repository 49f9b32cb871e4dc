//! What runs later, in Git's own folders and outside of them.

use super::*;

#[test]
fn ordinary_work_with_git_is_undoable() {
    let workspace = Workspace::committed(
        "printf 'a\\n' > a; echo b > b; git add -A; git commit -qm zero; git branch other; git init -q --bare ../up.git; \
         git remote add origin ../up.git; echo c > c",
    );
    assert_rules(
        &workspace,
        &[
            ("echo x >> a; git commit -qam x", "workspace-change"),
            ("echo n > n; git add -A", "workspace-change"),
            ("git status", "none"),
            ("echo n > n; git add n; git stash -q; git stash pop -q", "workspace-change"),
            ("git checkout -qb work; git push -qu origin work", "workspace-change"),
            ("git checkout -q other", "workspace-change"),
            ("git tag v1; git branch -m other o2; git branch -D o2", "workspace-change"),
            ("git gc -q", "workspace-change"),
            ("git config user.name Ada", "workspace-change"),
            ("git init -q", "none"),
            (
                "echo n > n; git add n; git commit -qm c; git commit -q --amend -m d; git rebase -q --onto other HEAD~",
                "workspace-change",
            ),
            ("git mv a a2", "workspace-change"),
        ],
    );
}

#[test]
fn new_repositories_are_judged_by_their_config() {
    let workspace =
        Workspace::new("echo a > a; git init -q s; cd s; echo b > b; git add b; git commit -qm b");
    assert_rules(
        &workspace,
        &[
            ("git init -q", "workspace-change"),
            ("git init -q x --bare", "workspace-change"),
            // It has an address.
            ("git clone -q s t", "runs-later"),
            ("git init -q; git remote add origin https://example.org/x", "runs-later"),
            ("git init -q --bare evil; git -C evil config core.fsmonitor 'sh -c x'", "runs-later"),
            (
                "mkdir evil; cd evil; mkdir objects refs; echo ref: refs/heads/x > HEAD; \
              printf '[core]\\nfsmonitor = x\\n' > config",
                "runs-later",
            ),
            ("git init -q; mv .git/hooks/pre-commit.sample .git/hooks/pre-commit", "runs-later"),
            ("git init -q --separate-git-dir=g w2", "runs-later"),
        ],
    );
}

#[test]
fn folder_that_becomes_a_repository_is_judged_whole() {
    let ready = Workspace::new(
        "mkdir -p evil/objects evil/refs ready/hooks plain/objects plain/refs; printf '[alias]\\nx = !y\\n' > evil/config; \
         echo x > ready/hooks/pre-commit; mkdir ready/objects ready/refs; printf '[core]\\nbare = true\\n' > plain/config",
    );
    assert_rules(
        &ready,
        &[
            ("echo ref: refs/heads/x > evil/HEAD", "runs-later"),
            ("ln -s x evil/HEAD", "runs-later"),
            ("echo ref: refs/heads/x > ready/HEAD", "runs-later"),
            ("echo ref: refs/heads/x > plain/HEAD", "workspace-change"),
            ("echo ../evil > plain/commondir; echo x > plain/HEAD", "runs-later"),
            ("printf '[alias]\\nx = !z\\n' > evil/config", "workspace-change"),
            ("mv evil e2; echo x > e2/HEAD", "runs-later"),
            // The shape of an inner folder hides nothing.
            (
                "echo x > ready/HEAD; mkdir ready/hooks/objects ready/hooks/refs; echo x > ready/hooks/HEAD; \
                 echo y > ready/hooks/post-commit",
                "runs-later",
            ),
        ],
    );
}

#[test]
fn what_git_runs_or_follows_is_asked_about() {
    let workspace = Workspace::committed(
        "echo a > a; echo 'echo hi' > .git/hooks/pre-push; mkdir -p shared own; printf '[user]\\nname = a\\n' > shared/config; \
         git config include.path ../shared/config; git config core.hooksPath own; echo x > own/pre-commit",
    );
    assert_rules(
        &workspace,
        &[
            ("git config core.fsmonitor 'sh -c x'", "runs-later"),
            ("git config core.hooksPath x", "runs-later"),
            ("git config alias.x '!sh'", "runs-later"),
            ("git config include.path x", "runs-later"),
            ("git config filter.x.clean y", "runs-later"),
            ("echo x > .git/hooks/pre-commit", "runs-later"),
            ("ln -s ../../a .git/hooks/pre-commit", "runs-later"),
            ("chmod +x .git/hooks/pre-push", "runs-later"),
            ("chmod o-r .git/hooks/pre-push", "workspace-change"),
            ("rm .git/hooks/pre-push", "runs-later"),
            ("mv .git x; printf '[core]\\nfsmonitor = y\\n' >> x/config; mv x .git", "runs-later"),
            ("mv .git x", "runs-later"),
            ("mv .git x; mv x .git", "none"),
            ("cp -r .git x", "runs-later"),
            ("echo ../x > .git/commondir", "runs-later"),
            ("echo > .git/config.worktree", "runs-later"),
            ("mkdir -p .git/info; echo '* filter=x' > .git/info/attributes", "runs-later"),
            ("echo /x > .git/objects/info/alternates", "runs-later"),
            ("mkdir -p .git/modules/m/hooks; echo x > .git/modules/m/hooks/post-checkout", "runs-later"),
            (
                "mkdir -p .git/modules/a/b; printf '[core]\\npager = x\\n' > .git/modules/a/b/config",
                "runs-later",
            ),
            ("rm .git/config; ln -s ../a .git/config", "runs-later"),
            ("rm -r .git/hooks; ln -s ../own .git/hooks", "runs-later"),
            ("mkdir sub; echo 'gitdir: ../shared' > sub/.git", "runs-later"),
            ("git worktree add -q ../copy/wt", "runs-later"),
            ("mkdir .git/rebase-merge; echo 'exec sh' > .git/rebase-merge/git-rebase-todo", "runs-later"),
            (
                "mkdir .git/rebase-merge; echo 'pick a' > .git/rebase-merge/git-rebase-todo",
                "workspace-change",
            ),
            (
                "printf '[submodule \"m\"]\\npath = m\\nurl = https://x/y\\n' > .gitmodules",
                "workspace-change",
            ),
            ("printf '[submodule \"m\"]\\npath = m\\nupdate = !x\\n' > .gitmodules", "runs-later"),
            // What the config leads to.
            ("printf '[core]\\npager = x\\n' >> shared/config", "runs-later"),
            ("printf '[user]\\nemail = x\\n' >> shared/config", "workspace-change"),
            ("echo y > own/pre-commit", "runs-later"),
            ("echo y > own/post-merge", "runs-later"),
        ],
    );
}

#[test]
fn names_that_run_later_are_asked_about() {
    let workspace = Workspace::new(
        "mkdir -p docs .github ci scripts .git/hooks; echo a > docs/guide; ln -s docs/guide AGENTS.md; ln -s ../a ci/x; echo a > a; \
         ln -s ../docs/guide .github/workflows; echo s > scripts/h; ln -s ../../scripts/h .git/hooks/pre-commit; echo t > t; \
         ln -s t via; ln -s via CLAUDE.md; mkdir node_modules",
    );
    assert_rules(
        &workspace,
        &[
            ("echo x > .envrc", "runs-later"),
            ("echo x > sub.txt; mv sub.txt .envrc", "runs-later"),
            ("mkdir -p .github/x; echo a > .gitlab-ci.yml", "runs-later"),
            ("mkdir .vscode; echo {} > .vscode/tasks.json", "runs-later"),
            ("mkdir -p deep/er; echo x > deep/er/AGENTS.md", "runs-later"),
            ("echo x > node_modules/AGENTS.md", "workspace-change"),
            ("ln -s ci .husky", "runs-later"),
            ("mkdir sub; ln -s ../ci sub/.github", "runs-later"),
            ("rm AGENTS.md", "runs-later"),
            ("echo x >> docs/guide", "runs-later"),
            ("rm docs/guide", "runs-later"),
            ("echo x > scripts/h", "runs-later"),
            ("echo x > t", "runs-later"),
            ("rm via; ln -s a via", "runs-later"),
            ("echo x > a; echo y > ci/y", "workspace-change"),
            ("echo all: > Makefile; echo '{}' > package.json", "workspace-change"),
            ("mkdir .claude", "workspace-change"),
        ],
    );
}

#[test]
fn worktree_of_another_repository_is_judged_like_any() {
    let workspace = Workspace::new(
        "git init -q -b main m; cd m; echo a > a; git add a; git commit -qm a; git worktree add -q ../wt",
    );
    assert_rules(
        &workspace,
        &[
            ("cd m; printf '[core]\\npager = x\\n' >> .git/config", "runs-later"),
            ("echo x > m/.git/worktrees/wt/config.worktree", "runs-later"),
            ("echo x > m/.git/worktrees/wt/commondir", "runs-later"),
            ("rm wt/.git", "runs-later"),
        ],
    );
}

#[test]
fn reason_names_the_file_and_the_setting() {
    let workspace = Workspace::committed("echo a > a");
    let Some(judged) = workspace.judge("git config core.fsmonitor x; echo y > .envrc; echo z > a") else {
        return;
    };
    assert_eq!(judged.permission, Permission::Sensitive);
    assert_eq!(
        judged.why,
        "It changes what runs later: .envrc: a shell runs it on entering the folder (and 1 more)."
    );
    let config = judged.entries.iter().find(|entry| entry.path == Path::new(".git/config")).unwrap();
    assert_eq!(config.runs_later.as_deref(), Some("it changes core.fsmonitor in Git's config"));
}
