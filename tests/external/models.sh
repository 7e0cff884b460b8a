#!/usr/bin/env bash
# Converts models of other projects to every format and back, and compares the results with the originals.
#
# Usage: tests/external/models.sh
#
# $MESHSPEC_MODELS names the folder of the models (default: ../shared/models), with an index and the script `check.py` for
# comparisons. Needs cargo and python3 with venv; installs numpy, pinned in requirements.txt beside this file, into
# $MESHSPEC_CACHE (default: the user's cache folder). Fails unless every conversion of every model is correct. A program
# without the decoders must reject compressed models.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${MESHSPEC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/meshspec}/external
models=${MESHSPEC_MODELS:-$root/../shared/models}

mkdir -p "$cache"
[ -x "$cache/venv/bin/python" ] || python3 -m venv "$cache/venv"
"$cache/venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"

cd "$root"
target=$(cargo metadata --format-version 1 --no-deps | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
cargo build --quiet --release -p meshspec-cli
"$cache/venv/bin/python" "$models/check.py" "$target/release/meshspec"

# With default features, the program reads compressed glTF; without them, it names the missing feature.
cargo build --quiet -p meshspec-cli --no-default-features
packed() {
    local file="$models/files/gltf-transform/packages/extensions/test/in/$2" said status=0
    "$target/release/meshspec" info --quiet "$file"
    said=$("$target/debug/meshspec" info "$file" 2>&1) || status=$?
    [[ $status == 1 && $said == *"lacks the feature \`$1\`"* ]] || { printf '%s: %s\n' "$2" "$said"; exit 1; }
}
packed meshopt BoxMeshopt.glb
packed draco BoxDraco.gltf
