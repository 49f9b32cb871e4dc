#!/usr/bin/env bash
# Sees to it that what the named jobs need is here: `scripts/setup.sh format|build|test|bench|fuzz …`
#
# Installs only what is missing, says what and how, and stops with a message where it cannot. Debian packages
# need root or a sudo that asks no password; cargo tools go into .tools/, so that nothing outside this folder
# changes. With nothing missing it is silent and quick.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/env.sh
. scripts/env.sh

NEXTEST_VERSION=0.9.151
DENY_VERSION=0.20.2
FUZZ_VERSION=0.13.2
NODE_MIN=20.19

say() { printf 'setup: %s\n' "$*" >&2; }
stop() {
    printf 'setup: cannot go on: %s\n' "$1" >&2
    shift
    [ $# -eq 0 ] || printf '       %s\n' "$@" >&2
    exit 1
}

# Some tests cannot run without this. In CI that is an error: there no test may be skipped.
lacks() {
    [ -z "${CI:-}" ] || stop "$1"
    say "note: $1"
}

# version_at_least HAVE WANT
version_at_least() { printf '%s\n%s\n' "$2" "$1" | sort --check=quiet --version-sort; }

# The first thing in a text that looks like a version.
version_in() { grep -oE '[0-9]+(\.[0-9]+)+' <<<"$1" | head -n 1 || true; }

need_rust() {
    local want have
    want=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
    if ! command -v cargo >/dev/null || ! command -v rustc >/dev/null; then
        stop "there is no Rust here; $want or later is needed." \
            "Install it with rustup (https://rustup.rs), open a new shell, and try again."
    fi
    have=$(version_in "$(rustc --version)")
    version_at_least "${have:-0}" "$want" || stop "Rust $have is too old; $want or later is needed." \
        "With rustup: rustup update stable && rustup default stable"
}

# need_component SUBCOMMAND COMPONENT
need_component() {
    cargo "$1" --version >/dev/null 2>&1 && return
    command -v rustup >/dev/null || stop "the Rust component $2 is missing." \
        "Install your distribution's package for it, or use rustup (https://rustup.rs)."
    say "adding the Rust component $2 (rustup component add $2)"
    rustup component add "$2" >&2 || stop "rustup could not add $2."
}

# Whether one of these commands is here.
any_of() {
    local command
    for command; do
        command -v "$command" >/dev/null && return
    done
    return 1
}

compiles_c() { cc -E -x c - <<<'#include <stdio.h>' >/dev/null 2>&1; }

# install_packages WHAT PACKAGE…: Debian packages, with root's rights where they can be had without a question.
install_packages() {
    local what=$1 apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq)
    shift
    command -v apt-get >/dev/null || stop "$what is missing." \
        "This is not a Debian system, so please install it yourself; Debian's package is: $*"
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
            stop "$what is missing, and installing it needs root." "Run: sudo apt-get install $*"
        fi
        apt=(sudo -n "${apt[@]}")
    fi
    say "installing $what (apt-get install $*)"
    # A fresh machine has no package lists yet, or old ones: fetch them once, then try again.
    "${apt[@]}" install -y --no-install-recommends "$@" >/dev/null 2>&1 && return
    "${apt[@]}" update >&2 || stop "apt-get update failed; Debian's packages cannot be reached." \
        "When they can: sudo apt-get install $*"
    "${apt[@]}" install -y --no-install-recommends "$@" >&2 || stop "apt-get could not install $*."
}

need_peers() {
    any_of rg || install_packages "ripgrep (our grep is compared with it)" ripgrep
    any_of fd fdfind || install_packages "fd (our file_search is compared with it)" fd-find
}

# Without it the browser tools are measured alone.
want_browser_peer() {
    local packages=benches/peers/node_modules lock
    lock=$(sha256sum benches/peers/package-lock.json)
    [ "$(cat "$packages/.lock" 2>/dev/null)" != "$lock" ] || return 0
    say "installing playwright's MCP server into $packages (npm ci)"
    # No scripts: it is to use the Chromium that is here.
    if (cd benches/peers && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 >&2); then
        printf '%s' "$lock" >"$packages/.lock"
    else
        say "note: without it, the browser tools are measured without a peer."
    fi
}

# Without it the tests of the keyring are skipped, and say so.
want_keyring() {
    any_of gnome-keyring-daemon && any_of dbus-run-session && return
    (install_packages "gnome-keyring (keys are kept in it)" dbus gnome-keyring) ||
        lacks "without gnome-keyring, the tests against a real keyring are skipped."
}

# need_cargo_tool NAME PINNED LEAST [FLAGS…]: takes one on PATH that is new enough, else builds the pinned one.
need_cargo_tool() {
    local name=$1 pinned=$2 least=$3 have=
    shift 3
    if command -v "$name" >/dev/null; then
        have=$(version_in "$("$name" --version 2>/dev/null | head -n 1)")
        version_at_least "${have:-0}" "$least" && return
        say "$name ${have:-of unknown version} is too old for this project ($least or later)"
    fi
    say "building $name $pinned into .tools/ (cargo install --locked; takes a few minutes, once)"
    cargo install --quiet --locked --root .tools --version "$pinned" "$@" "$name" >&2 ||
        stop "$name $pinned could not be built." \
            "Look at the messages above: no network, or no C compiler, are the usual reasons."
}

need_node() {
    local have=
    command -v node >/dev/null && have=$(version_in "$(node --version)")
    if ! version_at_least "${have:-0}" "$NODE_MIN" || ! command -v npm >/dev/null; then
        stop "Node.js $NODE_MIN or later, with npm, is needed to build the web page${have:+ (here is $have)}." \
            "Install it from https://nodejs.org or with your system's packages, then try again."
    fi
}

need_browser() {
    any_of chromium chromium-browser google-chrome ||
        install_packages "Chromium (the page is tested in it)" chromium
}

# A real X server, a window manager, programs with windows, and programs that confirm what ours claim.
need_desktop() {
    any_of Xvfb || install_packages "Xvfb (the tools of the desktop are tested on it)" xvfb
    any_of openbox || install_packages "openbox (a window manager for the tests)" openbox
    any_of xdotool || install_packages "xdotool (what windows do is confirmed by it)" xdotool
    any_of xclip || install_packages "xclip (the clipboard is confirmed by it)" xclip
    any_of xterm || install_packages "xterm (the keyboard is tested in it)" xterm
    { any_of xmessage && any_of xprop && any_of xev; } || install_packages "xmessage, xprop and xev" x11-utils
    any_of import || install_packages "ImageMagick (pictures are compared with its)" imagemagick
}

# Without them, what is for Windows and macOS is not compiled, and the tests say so.
want_other_systems() {
    local system
    command -v rustup >/dev/null || return 0
    for system in x86_64-pc-windows-gnu aarch64-apple-darwin; do
        rustup target list --installed | grep -qx "$system" && continue
        say "adding Rust's standard library for $system (rustup target add $system)"
        rustup target add "$system" >&2 || say "note: without it, what is for that system is not compiled."
    done
}

# The package that most programs use which speak OpenAI's chat completions; the server is tested with it.
want_openai() {
    [ -x .tools/openai/bin/python ] && return
    say "installing the Python package openai into .tools/openai"
    if ! { python3 -m venv .tools/openai && .tools/openai/bin/pip install --quiet openai; } >&2; then
        rm -rf .tools/openai
        lacks "without the Python package openai, the test with it is skipped."
    fi
}

for job; do
    case $job in
    build)
        need_rust
        compiles_c || install_packages "a C compiler (SQLite is built with it)" gcc libc6-dev
        need_node
        scripts/web.sh || stop "the web page could not be built; look at the messages above."
        ;;
    format)
        need_rust
        need_component fmt rustfmt
        ;;
    test)
        need_rust
        need_component clippy clippy
        need_peers
        need_browser
        need_desktop
        want_keyring
        python3 -c 'import ensurepip, venv' 2>/dev/null || install_packages "Python with venv" python3 python3-venv
        want_openai
        want_other_systems
        need_cargo_tool cargo-nextest "$NEXTEST_VERSION" 0.9.100 --no-default-features --features default-no-update
        need_cargo_tool cargo-deny "$DENY_VERSION" 0.19.0
        scripts/local-model.sh || lacks "without the local model, the tests against a real model are skipped."
        ;;
    bench)
        need_peers
        need_desktop
        any_of scrot || install_packages "scrot (our pictures are measured against it)" scrot
        need_browser
        want_browser_peer
        ;;
    fuzz) need_cargo_tool cargo-fuzz "$FUZZ_VERSION" 0.12.0 ;;
    *) stop "there is no job «$job»: it is build, test, bench or fuzz." ;;
    esac
done
