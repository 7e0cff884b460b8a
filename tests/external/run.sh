#!/usr/bin/env bash
# Reads OBJ, PLY and STL files written by meshspec with trimesh, and compares the triangles. Then validates the corpus,
# the output of `meshspec diff --json` and the values of files against the published JSON Schemas.
#
# Usage: tests/external/run.sh
#
# Requires cargo and python3 with venv; installs trimesh and jsonschema, pinned in requirements.txt beside this file,
# into $MESHSPEC_CACHE (default: the user's cache folder). Converts the files in samples/ and, if $MESHSPEC_FIXTURES is
# a folder with an index.json, every accepted file in it.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${MESHSPEC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/meshspec}/external

mkdir -p "$cache"
[ -x "$cache/venv/bin/python" ] || python3 -m venv "$cache/venv"
"$cache/venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"

cd "$root"
target=$(cargo metadata --format-version 1 --no-deps | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
cargo build --quiet --all-features --example interchange
"$cache/venv/bin/python" "$here/compare.py" "$target/debug/examples/interchange" samples \
    ${MESHSPEC_FIXTURES:+"$MESHSPEC_FIXTURES"}
cargo build --quiet -p meshspec-cli
"$cache/venv/bin/python" "$here/schemas.py" "$root" "$target/debug/meshspec"
