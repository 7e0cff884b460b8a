#!/usr/bin/env bash
# Converts 10,000 generated files twice: in a single run, and as a Dask job on two workers, one of which is killed.
# Fails unless both produce the same files and results.
#
# Usage: examples/at_scale/run.sh [FILES]
#
# Requires cargo and python3 with venv; installs Dask, pinned in requirements.txt next to this file, into $MESHSPEC_CACHE
# (default: the user's cache folder).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${MESHSPEC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/meshspec}/at_scale

mkdir -p "$cache"
[ -x "$cache/venv/bin/python" ] || python3 -m venv "$cache/venv"
"$cache/venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"

cd "$root"
target=$(cargo metadata --format-version 1 --no-deps | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
cargo build --quiet --release -p meshspec-cli
"$cache/venv/bin/python" "$here/compare.py" "$target/release/meshspec" "${1:-10000}"
