#!/usr/bin/env bash
# The checks for every day: format, lints, the unit tests of the crates that changed, and the integration tests in files
# that changed. `scripts/check.sh [BASE]`
#
# Changed is what differs from BASE: by default from where this branch left its upstream, or the main branch; on the main
# branch itself, from the commit before the last one.
# Nothing is installed; `make test` does that, and checks all the rest.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/env.sh
. scripts/env.sh

step() { printf '\n── %s\n' "$*"; }

branched_off() {
    local other
    for other in '@{upstream}' origin/HEAD origin/main main origin/master master; do
        if git rev-parse --quiet --verify "$other^{commit}" >/dev/null && git merge-base HEAD "$other"; then
            return
        fi
    done
    git rev-parse HEAD
}

base=${1:-$(branched_off)}
if [ $# -eq 0 ] && [ "$base" = "$(git rev-parse HEAD)" ]; then
    base=$(git rev-parse --quiet --verify 'HEAD^' || git rev-parse HEAD)
fi
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
    # crates/a/tests/b/c/d.rs is the module c::d of the test program b.
    targets=() modules=()
    while IFS=/ read -r crates crate tests program rest; do
        [ "$tests" = tests ] && [ -f "$crates/$crate/Cargo.toml" ] || continue
        program=${program%.rs} rest=${rest%.rs} rest=${rest%main} rest=${rest%mod} rest=${rest%/}
        [ -f "$crates/$crate/tests/$program.rs" ] || [ -f "$crates/$crate/tests/$program/main.rs" ] || continue
        package=$(sed -nE '0,/^name = /s/^name = "(.*)"/\1/p' "$crates/$crate/Cargo.toml")
        targets+=(--test "$program")
        modules+=("(package(=$package) & binary(=$program) & test(/^${rest//\//::}/))")
    done < <(grep -E '^crates/[^/]+/tests/.*\.rs$' <<<"$changed" || true)

    if [ -n "$packages" ]; then
        step "unit tests of: $packages${modules[*]:+; integration tests: ${modules[*]}}"
        # Of the whole workspace, so that nothing is built with other features than `make test` uses.
        cargo nextest run --locked --workspace --lib --bins "${targets[@]}" --no-tests=pass \
            -E "((kind(lib) + kind(bin)) & ($packages))$(printf ' + %s' "${modules[@]}" | sed 's/^ + $//')"
    fi
fi

if grep -q '^web/' <<<"$changed"; then
    step "the web page: types, lints, units"
    cd web
    npx --no-install tsc --noEmit
    npm run --silent lint
    npm run --silent unit -- --reporter=dot
fi
