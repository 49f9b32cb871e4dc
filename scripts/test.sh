#!/usr/bin/env bash
# All that is checked before a change goes in: format, lints, dependencies, documentation, tests.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/env.sh
. scripts/env.sh
step() { printf '\n── %s\n' "$*"; }

scripts/setup.sh format
# By file, since cargo fmt does not see the modules that a macro declares. First, since it takes a second.
step "format: rustfmt --check"
git ls-files -z --cached --others --exclude-standard '*.rs' | xargs -0 rustfmt --check --edition 2024

scripts/setup.sh build test

step "lints: cargo clippy"
cargo clippy --locked --workspace --all-targets -- -D warnings

# Where these systems are not, that the calls fit their declarations is what can be found out.
for system in x86_64-pc-windows-gnu aarch64-apple-darwin; do
    step "the desktop of another system: cargo clippy --target $system"
    if rustup target list --installed 2>/dev/null | grep -qx "$system"; then
        cargo clippy --locked --target "$system" -p deskhand-native --all-targets -- -D warnings
    else
        echo "skipped: Rust's standard library for $system is not here (rustup target add $system)."
    fi
done

step "dependencies: cargo deny check bans licenses sources"
cargo deny --locked check --hide-inclusion-graph bans licenses sources

# The advisories live in a git repository of their own. Where it cannot be reached, that is said, and no more.
step "dependencies: cargo deny check advisories"
advisories=$(sed -n 's/^db-urls = \["\(.*\)"\]/\1/p' deny.toml)
if GIT_TERMINAL_PROMPT=0 timeout 5 git ls-remote --quiet "$advisories" HEAD >/dev/null 2>&1 &&
    timeout 120 cargo deny fetch db; then
    cargo deny --locked --offline check --hide-inclusion-graph advisories
else
    echo "skipped: the advisory database ($advisories) cannot be reached from here."
fi

step "documentation: cargo test --doc"
cargo test --locked --quiet --workspace --doc

step "tests: cargo nextest run"
cargo nextest run --locked --workspace

step "the web page"
# With the features of the whole workspace: it is the program that the tests have just built.
cargo build --locked --quiet --workspace --bin deskhand
scripts/page-tests.sh

step "the script that runs inside pages, in a browser"
scripts/inject-tests.sh

step "the HTTP API, with generated requests"
scripts/api-tests.sh

step "MCP, with the official SDKs, the Inspector, the conformance suite and the reference servers"
scripts/mcp-tests.sh
