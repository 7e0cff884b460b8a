"""Tests that the published JSON Schemas accept the corpus and reject modified data.

Usage: schemas.py REPOSITORY
"""

import copy
import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator

root = Path(sys.argv[1])
index_schema = json.loads((root / "corpus/index.schema.json").read_text())
contents_schema = json.loads((root / "docs/contents.schema.json").read_text())
index_validator = Draft202012Validator(index_schema)
contents_validator = Draft202012Validator(contents_schema)
diff_validator = Draft202012Validator(json.loads((root / "docs/diff.schema.json").read_text()))


def require(validator, value, place):
    for error in validator.iter_errors(value):
        sys.exit(f"{place}: {error.json_path}: {error.message}")


def refuse(validator, value):
    if validator.is_valid(value):
        sys.exit(f"the schema allows {json.dumps(value)}")


lines = [json.loads(line) for line in (root / "corpus/index.jsonl").read_text().splitlines()]
contents = [line["contents"] for line in lines if line["contents"]]
for line in lines:
    require(index_validator, line, line["file"])
for name in contents:
    require(contents_validator, json.loads((root / "corpus" / name).read_text()), name)

refuse(index_validator, {**lines[0], "strict": "maybe"})
refuse(index_validator, {key: value for key, value in lines[0].items() if key != "file"})
array = {"type": "f32", "shape": [1], "values": [1.0], "bits": ["3f800000"]}
file = {"format": "mesh", "dialect": "spec", "root_transform": array}
require(contents_validator, {**file, "root_transform": {**array, "tolerance": 0.5}}, "a tolerance")
for key, value in [
    ("type", "f31"),
    ("type", "u8"),
    ("shape", [-1]),
    ("values", ["NaN"]),
    ("bits", ["3F800000"]),
    ("bits", [1]),
    ("bit", []),
]:
    wrong = copy.deepcopy(file)
    wrong["root_transform"][key] = value
    refuse(contents_validator, wrong)
refuse(contents_validator, {"format": "mesh"})
refuse(contents_validator, {**file, "mesh": []})
change = {"path": "indices[3]", "kind": "changed", "count": 1, "from": "1", "to": "2", "by": 1.0}
differences = {"a": "a.mesh", "b": "b.mesh", "compared": "values", "total": 1, "differences": [change]}
require(diff_validator, differences, "a difference")
refuse(diff_validator, {**differences, "differences": [{**change, "kind": "moved"}]})
refuse(diff_validator, {**differences, "differences": [{**change, "by": "1"}]})
print(f"{len(lines)} lines of the index and {len(contents)} contents follow their schemas")
