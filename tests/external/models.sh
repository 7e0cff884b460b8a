#!/usr/bin/env bash
# Converts models of other projects to every format and back, and compares the results with the originals.
#
# Usage: tests/external/models.sh
#
# $MESHSPEC_MODELS is the folder of the models (default: ../shared/models), with an index and the script `check.py` for
# comparisons. Requires cargo and python3 with venv; installs numpy, pinned in requirements.txt beside this file, into
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

# With default features, the program reads compressed glTF.
for file in BoxMeshopt.glb BoxDraco.gltf; do
    "$target/release/meshspec" info --quiet "$models/files/gltf-transform/packages/extensions/test/in/$file"
done
