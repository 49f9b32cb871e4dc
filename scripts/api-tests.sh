#!/usr/bin/env bash
# Throws generated requests at every route of the HTTP API, as its OpenAPI document describes them: `scripts/api-tests.sh`
#
# Looks for answers that no client should get (5xx first of all). The server runs in read-only mode on folders of its
# own, with a model that answers from a script: nothing of this machine is changed. $DESKHAND_BIN names another program.
set -euo pipefail
cd "$(dirname "$0")/.."

SCHEMATHESIS_VERSION=4.32.5
EXAMPLES=${EXAMPLES:-15}
# The same requests every time, so that a run can be repeated; SEED=2 and so on look further.
# A bound for all of it, in seconds; a run takes about half a minute.
LIMIT=400

program=${DESKHAND_BIN:-${CARGO_TARGET_DIR:-target}/debug/deskhand}
tools=.tools/schemathesis
say() { printf 'api-tests: %s\n' "$*" >&2; }

[ -x "$program" ] || {
    say "there is no $program; build it first (cargo build), or name one in DESKHAND_BIN."
    exit 1
}
program=$(realpath "$program")

if [ "$(cat "$tools/.version" 2>/dev/null)" != "$SCHEMATHESIS_VERSION" ]; then
    say "installing schemathesis $SCHEMATHESIS_VERSION into $tools (pip)"
    rm -rf "$tools"
    if ! python3 -m venv "$tools" >&2 ||
        ! "$tools/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 \
            "schemathesis==$SCHEMATHESIS_VERSION" >&2; then
        rm -rf "$tools"
        say "SKIPPED: schemathesis cannot be installed here (it needs python3 with venv, and PyPI)."
        [ -z "${CI:-}" ] || exit 1
        exit 0
    fi
    printf '%s' "$SCHEMATHESIS_VERSION" >"$tools/.version"
fi

place=$(mktemp -d)
server=
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    [ -z "$server" ] || wait "$server" 2>/dev/null || true
    rm -rf "$place"
}
trap finish EXIT

mkdir "$place/home" "$place/workspace"
printf 'milk\nbread\n' >"$place/workspace/notes.txt"
# Said to every message: an empty text stands in each.
printf '{"matching":"by_message","replies":[{"when":"","text":"Yes."}]}' >"$place/script.json"
mkfifo "$place/ready"
# Nothing of the caller's environment but where programs are, so that no key and no setting has a part in it.
(
    cd "$place/workspace"
    # Nobody is there to answer, and no request waits long for it.
    exec env -i PATH="$PATH" HOME="$place/home" LC_ALL=C.UTF-8 DESKHAND_APPROVAL_TIMEOUT_S=2 "$program" serve --json --listen 127.0.0.1:0 \
        --mode read-only --data-dir "$place/data" --model "scripted/$place/script.json" \
        >"$place/ready" 2>"$place/complaints"
) &
server=$!
read -r -t 60 ready <"$place/ready" || {
    say "the server did not start: $(tail -n 5 "$place/complaints")"
    exit 1
}
field() { python3 -c 'import json, sys; print(json.loads(sys.argv[1])[sys.argv[2]])' "$ready" "$1"; }

# Left out are the streams, which do not end by themselves, and what would ask a provider on the network.
status=0
(
    cd "$place"
    timeout "$LIMIT" "$OLDPWD/$tools/bin/schemathesis" run "$(field openapi_url)" \
        --header "Authorization: Bearer $(field token)" \
        --phases examples,coverage,fuzzing --max-examples "$EXAMPLES" --workers 2 --request-timeout 30 --seed "${SEED:-1}" \
        --checks "${CHECKS:-not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance}" \
        --exclude-path-regex '/(events|ws|notices|output)$' --exclude-operation-id testModel \
        --generation-database none --warnings off --no-color --output-truncate true --continue-on-failure --suppress-health-check all
) || status=$?
if [ "$status" -eq 124 ]; then
    say "it took longer than $LIMIT s and was ended before it could tell what it found; EXAMPLES=5 makes it shorter."
fi
kill -0 "$server" 2>/dev/null || {
    say "the server has ended: $(tail -n 20 "$place/complaints")"
    status=1
}
exit "$status"
