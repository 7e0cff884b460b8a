#!/usr/bin/env bash
# Parses files with parsers that Kaitai Struct makes of docs/schema/*.ksy and compares every value with the walker's.
#
# Usage: tests/kaitai/run.sh
#
# Needs cargo, node with npm, and python3 with venv; installs Kaitai's compiler and runtime, pinned in package.json
# and requirements.txt beside this file, into $MESHSPEC_CACHE (default: the user's cache folder). Compares the sample
# in tests/golden, the files in samples/ and, where $MESHSPEC_FIXTURES names a folder with an index.json, every file in
# it.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${MESHSPEC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/meshspec}/kaitai
parsers=$cache/parsers

rm -rf "$parsers"
mkdir -p "$parsers"
cp "$here/package.json" "$cache/"
npm install --prefix "$cache" --no-audit --no-fund --loglevel=error
[ -x "$cache/venv/bin/python" ] || python3 -m venv "$cache/venv"
"$cache/venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"

(cd "$cache" && node "$here/compile.mjs" "$parsers" "$root"/docs/schema/*.ksy "$root"/tests/golden/*.ksy)
cp "$here/meshspec_lz4.py" "$parsers/"

cd "$root"
target=$(cargo metadata --format-version 1 --no-deps | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
cargo build --quiet --example dump_values
"$cache/venv/bin/python" "$here/compare.py" "$parsers" "$target/debug/examples/dump_values" \
    ${MESHSPEC_FIXTURES:+"$MESHSPEC_FIXTURES"}
