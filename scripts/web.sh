#!/usr/bin/env bash
# Sees to it that web/dist is the page as web/ has it now: `scripts/web.sh`
#
# With nothing changed it is silent and quick. The packages come from the npm registry, as package-lock.json pins them.
set -euo pipefail
cd "$(dirname "$0")/../web"

say() { printf 'web: %s\n' "$*" >&2; }

# Of every file that the page is made from. One that was deleted is still listed by git.
sources() {
    git ls-files -z --cached --others --exclude-standard . ':!e2e' | sort -zu |
        while IFS= read -rd '' file; do [ ! -f "$file" ] || printf '%s\0' "$file"; done | xargs -0 sha256sum | sha256sum
}

lock=$(sha256sum package-lock.json)
if [ "$(cat node_modules/.lock 2>/dev/null)" != "$lock" ]; then
    say "installing the packages of the web page (npm ci)"
    npm ci --no-audit --no-fund --loglevel=error >&2
    printf '%s' "$lock" >node_modules/.lock
fi
now=$(sources)
if [ "$(cat dist/.sources 2>/dev/null)" != "$now" ]; then
    say "building the web page (npm run build)"
    npm run --silent build >&2
    printf '%s' "$now" >dist/.sources
fi
