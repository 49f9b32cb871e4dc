#!/usr/bin/env bash
# Deskhand with the official parts of MCP: both SDKs, the Inspector, the conformance suite, the reference servers:
# `scripts/mcp-tests.sh [GROUP…]`, with GROUP one of typescript, python, inspector, server, client, servers.
#
# What it needs comes from npm and PyPI, as tests/mcp/ pins it, into tests/mcp/node_modules and .tools/mcp; what cannot
# be installed here is skipped, and that is said. $DESKHAND_BIN names another program than target/debug/deskhand,
# $DESKHAND_FIXTURES_BIN one that was built with the suite's fixtures, $DESKHAND_CONFORMANCE_CLIENT the suite's client.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/env.sh
. scripts/env.sh

# The suite and the Inspector want a newer Node than the web page; npm has one for Linux.
NODE_MIN=22.19
# A bound for one group, in seconds; all of them take about two minutes.
LIMIT=400

say() { printf 'mcp-tests: %s\n' "$*" >&2; }
step() { printf '\n── mcp: %s\n' "$*"; }

groups=("$@")
[ $# -gt 0 ] || groups=(typescript python inspector server client servers)

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")/debug
export DESKHAND_BIN=${DESKHAND_BIN:-$target/deskhand}
[ -x "$DESKHAND_BIN" ] || {
    say "there is no $DESKHAND_BIN; build it first (cargo build), or name one in DESKHAND_BIN."
    exit 1
}
DESKHAND_BIN=$(realpath "$DESKHAND_BIN")

packages=tests/mcp/node_modules
venv=.tools/mcp
# shellcheck source=scripts/node.sh
. scripts/node.sh

install_packages() {
    local lock
    lock=$(sha256sum tests/mcp/package-lock.json)
    [ "$(cat "$packages/.lock" 2>/dev/null)" != "$lock" ] || return 0
    say "installing the official packages into $packages (npm ci)"
    # No scripts: none of them needs one to be used from here.
    (cd tests/mcp && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 >&2) || return 1
    printf '%s' "$lock" >"$packages/.lock"
}

install_venv() {
    local wanted
    wanted=$(sha256sum tests/mcp/requirements.txt)
    [ "$(cat "$venv/.wanted" 2>/dev/null)" != "$wanted" ] || return 0
    say "installing the official Python packages into $venv (pip)"
    rm -rf "$venv"
    if ! python3 -m venv "$venv" >&2 ||
        ! "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 \
            --requirement tests/mcp/requirements.txt >&2; then
        rm -rf "$venv"
        return 1
    fi
    printf '%s' "$wanted" >"$venv/.wanted"
}

# The tools, prompts and resources that the suite wants to find are in a program of their own: the one that is shipped
# has none of them, and is put back where it was.
build_fixtures() {
    [ -z "${DESKHAND_FIXTURES_BIN:-}" ] || return 0
    cargo build --locked --quiet --workspace --bin deskhand --features deskhand/conformance-fixtures
    cp "$target/deskhand" "$target/deskhand-fixtures"
    cargo build --locked --quiet --workspace --bin deskhand
    export DESKHAND_FIXTURES_BIN=$target/deskhand-fixtures
}

build_client() {
    [ -z "${DESKHAND_CONFORMANCE_CLIENT:-}" ] || return 0
    cargo build --locked --quiet --workspace --example conformance_client
    export DESKHAND_CONFORMANCE_CLIENT=$target/examples/conformance_client
}

no_node='' no_python=''
if ! install_packages; then
    no_node="the npm packages cannot be installed here (npm ci in tests/mcp)"
elif ! find_node "$NODE_MIN"; then
    no_node="there is no Node.js $NODE_MIN or later here, and npm has none for this machine"
fi
install_venv || no_python="the Python packages cannot be installed here (it needs python3 with venv, and PyPI)"

ran=0 failed=() skipped=()
skip() {
    say "SKIPPED: $1: $2."
    skipped+=("$1")
}

# group NAME COMMAND…
group() {
    local name=$1 status=0
    shift
    ran=$((ran + 1))
    timeout "$LIMIT" "$@" || status=$?
    [ "$status" -ne 124 ] || say "$name took longer than $LIMIT s and was ended."
    [ "$status" -eq 0 ] || failed+=("$name")
}

# by_node NAME WHAT FILE…
by_node() {
    local name=$1 what=$2
    shift 2
    if [ -n "$no_node" ]; then
        skip "$name" "$no_node"
        return
    fi
    step "$what"
    group "$name" "$node" --test --test-reporter=spec --test-concurrency=1 "${@/#/tests/mcp/}"
}

for name in "${groups[@]}"; do
    case $name in
    typescript) by_node typescript "the TypeScript SDK as a client" typescript-sdk.test.mjs ;;
    inspector) by_node inspector "the Inspector" inspector.test.mjs ;;
    server)
        [ -n "$no_node" ] || build_fixtures
        by_node server "the conformance suite before the server" conformance-server.test.mjs
        ;;
    client)
        [ -n "$no_node" ] || build_client
        by_node client "the conformance suite before the client" conformance-client.test.mjs
        ;;
    servers)
        # Half of them are Python's.
        if [ -n "$no_python" ]; then
            skip "servers (fetch, git)" "$no_python"
        else
            export DESKHAND_MCP_VENV=$PWD/$venv
        fi
        by_node servers "reference servers behind our client" reference-servers.test.mjs
        ;;
    python)
        if [ -n "$no_python" ]; then
            skip python "$no_python"
            continue
        fi
        step "the Python SDK as a client"
        group python env PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" tests/mcp/python_sdk.py
        ;;
    *)
        say "there is no group «$name»: it is typescript, python, inspector, server, client or servers."
        exit 2
        ;;
    esac
done

printf '\nmcp-tests: %d groups ran, %d failed%s, %d skipped%s\n' "$ran" \
    "${#failed[@]}" "${failed[*]:+ (${failed[*]})}" "${#skipped[@]}" "${skipped[*]:+ (${skipped[*]})}"
[ -z "${CI:-}" ] || [ "${#skipped[@]}" -eq 0 ] || exit 1
[ "${#failed[@]}" -eq 0 ]
