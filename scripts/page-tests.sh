#!/usr/bin/env bash
# Everything that is checked about the web page: lints, units, size, and the page in a browser against the real program:
# `scripts/page-tests.sh [FILTER…]`
#
# What stands in FILTER is handed to Playwright. $DESKHAND_BIN names another program than target/debug/deskhand.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/web.sh

say() { printf 'page-tests: %s\n' "$*" >&2; }
step() { printf '\n── page: %s\n' "$*"; }

export DESKHAND_BIN=${DESKHAND_BIN:-$(realpath -m "${CARGO_TARGET_DIR:-target}")/debug/deskhand}
[ -x "$DESKHAND_BIN" ] || {
    say "there is no $DESKHAND_BIN; build it first (cargo build), or name one in DESKHAND_BIN."
    exit 1
}

# The browser of the system, as the tests look for it.
browser=
for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
    [ -z "$name" ] || browser=$(command -v "$name" || true)
    [ -z "$browser" ] || break
done
export CHROMIUM=$browser

cd web
if [ $# -eq 0 ]; then
    step "lints (eslint, types of the browser tests)"
    npm run --silent lint
    npx --no-install tsc --project e2e
    step "units (vitest)"
    npm run --silent unit -- --reporter=dot
    step "size of the first load"
    npm run --silent size
fi

if [ -z "$browser" ]; then
    say "THERE IS NO CHROMIUM HERE: the page was NOT tested in a browser. Install the package chromium for that."
    [ -z "${CI:-}" ] || exit 1
    exit 0
fi
step "in the browser (Playwright, $browser)"
npm run --silent e2e -- "$@"
