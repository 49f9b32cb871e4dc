#!/usr/bin/env bash
# The checks for every day: format, lints, and the unit tests of the crates that changed. `scripts/check.sh [BASE]`
#
# Changed is what differs from BASE: by default from the upstream branch, or from the last commit where there is none.
# Nothing is installed; `make test` does that, and checks all the rest.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/env.sh
. scripts/env.sh

step() { printf '\n── %s\n' "$*"; }

base=${1:-$(git rev-parse --quiet --verify '@{upstream}' || git rev-parse HEAD)}
changed=$({ git diff --name-only "$base" && git ls-files --others --exclude-standard; } | sort -u)

step "format: rustfmt --check"
git ls-files -z --cached --others --exclude-standard '*.rs' | while IFS= read -rd '' file; do
    [ ! -f "$file" ] || printf '%s\0' "$file"
done | xargs -0 rustfmt --check --edition 2024

if ! grep -qE '\.rs$|Cargo\.(toml|lock)$|^crates/|^benches/' <<<"$changed"; then
    step "no Rust was changed since ${base:0:10}"
else
    step "lints: cargo clippy"
    cargo clippy --locked --workspace --all-targets -- -D warnings

    # A crate's package is the name in its Cargo.toml.
    packages=$(sed -nE 's#^(crates/[^/]+|benches)/.*#\1/Cargo.toml#p' <<<"$changed" | sort -u |
        while IFS= read -r file; do [ ! -f "$file" ] || echo "$file"; done |
        xargs --no-run-if-empty sed -nE 's/^name = "(.*)"/package(=\1)/p' | paste -sd '+')
    if [ -n "$packages" ]; then
        step "unit tests: $packages"
        # Of the whole workspace, so that nothing is built with other features than `make test` uses.
        cargo nextest run --locked --workspace --lib --bins --no-tests=pass -E "$packages"
    fi
fi

if grep -q '^web/' <<<"$changed"; then
    step "the web page: types, lints, units"
    cd web
    npx --no-install tsc --noEmit
    npm run --silent lint
    npm run --silent unit -- --reporter=dot
fi
