# shellcheck shell=sh
# Sourced by the other scripts, from the project's folder: where tools are looked for.
# Our own .tools/ first; then what is on PATH; then where rustup puts cargo, for shells that do not know yet.
PATH="$PWD/.tools/bin:$PATH:${CARGO_HOME:-$HOME/.cargo}/bin"
export PATH
