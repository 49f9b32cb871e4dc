#!/usr/bin/env bash
# The desktop of Windows, as far as Wine has it: builds the tests for Windows, and runs them on a screen of their own.
# Not part of `make test`: it builds the tools once more, which takes minutes. Wine is not Windows; what passes here says
# that the calls are made right, not that every Windows does as Wine does.
#
# Needs: rustup's target x86_64-pc-windows-gnu, and Debian's gcc-mingw-w64-x86-64-win32, wine, xvfb, openbox.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/env.sh
. scripts/env.sh

target=x86_64-pc-windows-gnu
for program in x86_64-w64-mingw32-gcc wine Xvfb openbox; do
    command -v "$program" >/dev/null || {
        echo "$program is missing: apt-get install gcc-mingw-w64-x86-64-win32 wine xvfb openbox" >&2
        exit 1
    }
done
rustup target list --installed | grep -qx "$target" || rustup target add "$target"
# run_tests PACKAGE WHICH…
run_tests() { cargo test --quiet --locked --target "$target" -p "$@"; }
run_tests deskhand-native --lib --no-run
run_tests deskhand-tools --test windows_desktop --no-run

own=$(mktemp -d)
pids=()
clean() {
    WINEPREFIX=$own/wine wineserver -k 2>/dev/null || true
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$own"
}
trap clean EXIT

# The server takes a number that is free, and says which.
Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>"$own/display" 2>"$own/xvfb.log" &
pids+=($!)
for _ in $(seq 100); do
    [ -s "$own/display" ] && break
    sleep 0.1
done
DISPLAY=:$(cat "$own/display")
export DISPLAY
openbox >"$own/openbox.log" 2>&1 &
pids+=($!)

# A Windows of its own, which knows nothing of the person's files. Mono and Gecko would be fetched, and are not needed.
export WINEPREFIX=$own/wine WINEDEBUG=${WINEDEBUG:--all} WINEDLLOVERRIDES="mscoree,mshtml="
wine wineboot --init >"$own/wineboot.log" 2>&1
# Wine before 9 has not this library, which every program of Rust asks for random numbers.
library=bcryptprimitives.dll
if ! [ -e "$WINEPREFIX/drive_c/windows/system32/$library" ]; then
    x86_64-w64-mingw32-gcc -shared -x c -o "$WINEPREFIX/drive_c/windows/system32/$library" - -ladvapi32 <<'C'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) { return SystemFunction036(bytes, (ULONG)count); }
C
fi
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine
run_tests deskhand-native --lib -- --include-ignored --test-threads=1
run_tests deskhand-tools --test windows_desktop -- --ignored --test-threads=1
