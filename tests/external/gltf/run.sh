#!/usr/bin/env bash
# Tests glTF against other programs. The Khronos validator must report no errors or warnings for written files. Models of
# other writers must be read correctly. Also regenerates the compressed test data, and compares it.
#
# Usage: tests/external/gltf/run.sh
#
# Requires cargo, python3, and node with npm; installs the packages pinned in package.json beside this file into
# $MESHSPEC_CACHE (default: the user's cache folder). Converts the files in samples/ and random scenes. If
# $MESHSPEC_FIXTURES is a folder with an index.json, also converts every file in it that strict reading accepts.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
cache=${MESHSPEC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/meshspec}/gltf
out=$cache/out

rm -rf "$out"
mkdir -p "$out"
# Node resolves packages relative to the scripts.
cp "$here"/package.json "$here"/*.mjs "$cache/"
npm install --prefix "$cache" --no-audit --no-fund --loglevel=error

cd "$root"
cargo build --quiet --all-features --example write_gltf
target=$(cargo metadata --format-version 1 --no-deps | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
write=$target/debug/examples/write_gltf

mapfile -t files < <(
    find samples -type f
    "$write" --list-formats | python3 "$here/accepted.py" ${MESHSPEC_FIXTURES:+"$MESHSPEC_FIXTURES"}
)
"$write" "$out/files" "${files[@]}" > "$out/files.txt"
if grep -B1 'not written' "$out/files.txt"; then
    echo "not written, although all of these files are valid" >&2
    exit 1
fi
"$write" "$out/generated" --generated 600 > "$out/generated.txt"

validate() { find "$1" -name '*.gl*' -print0 | xargs -0 node "$cache/validate.mjs"; }
validate "$out/files"
validate "$out/generated"

# The compressed test data must match the output of the reference libraries.
node "$cache/make_packed.mjs" | cmp - tests/suite/gltf/packed.json

node "$cache/make_models.mjs" "$out/models"
MESHSPEC_GLTF_MODELS=$out/models cargo test --quiet -p meshspec-tests --test suite -- --ignored gltf::models::
