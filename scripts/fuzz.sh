#!/usr/bin/env bash
# Runs the fuzz target, started with the labelled commands: `scripts/fuzz.sh [-max_total_time=SECONDS …]`
#
# What stands after the name is handed to libFuzzer. There is no unsafe code of ours to watch, so it runs without a
# sanitizer, which a stable compiler can do; RUSTC_BOOTSTRAP is for the flags that cargo-fuzz always sets.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/env.sh
. scripts/env.sh

seeds=fuzz/corpus/shell_analysis
if [ ! -d "$seeds" ]; then
    mkdir -p "$seeds"
    # A file a line; JSON's escapes are left as they are, the fuzzer will not mind.
    sed -E 's/.*"command": "(([^"\\]|\\.)*)".*/\1/' crates/guard/corpus/*.jsonl | split -l 1 -a 5 - "$seeds/row-"
fi
[ $# -gt 0 ] || set -- -max_total_time=60
export RUSTC_BOOTSTRAP=1
exec cargo fuzz run --sanitizer none shell_analysis -- -max_len=4096 -timeout=10 "$@"
