#!/usr/bin/env bash
# The script that Deskhand runs inside pages, in a real Chromium: `scripts/inject-tests.sh [OPTION…]`
#
# What stands in OPTION is handed to `node --test`, as --test-name-pattern=…; the browser is driven by the library that the
# web page's tests bring (web/node_modules).
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/web.sh

browser=
for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
    [ -z "$name" ] || browser=$(command -v "$name" || true)
    [ -z "$browser" ] || break
done
if [ -z "$browser" ]; then
    printf 'inject-tests: THERE IS NO CHROMIUM HERE: the page script was NOT tested. Install the package chromium for that.\n' >&2
    [ -z "${CI:-}" ] || exit 1
    exit 0
fi
export CHROMIUM=$browser
# shellcheck source=scripts/node.sh
. scripts/node.sh
find_node 20 || {
    printf 'inject-tests: there is no Node.js 20 or later here.\n' >&2
    exit 1
}
exec "$node" --test --test-concurrency=1 "$@" crates/browser/tests/inject/*.test.mjs
