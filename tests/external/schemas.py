"""Tests that the published JSON Schemas accept the corpus and what the program prints, and reject modified data.

Usage: schemas.py REPOSITORY PROGRAM
"""

import copy
import json
import subprocess
import sys
from pathlib import Path

from jsonschema import Draft202012Validator

root, program = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
index_schema = json.loads((root / "corpus/index.schema.json").read_text())
contents_schema = json.loads((root / "docs/contents.schema.json").read_text())
index_validator = Draft202012Validator(index_schema)
contents_validator = Draft202012Validator(contents_schema)
diff_validator = Draft202012Validator(json.loads((root / "docs/diff.schema.json").read_text()))


def assert_valid(validator, value, source):
    for error in validator.iter_errors(value):
        sys.exit(f"{source}: {error.json_path}: {error.message}")


def assert_invalid(validator, value):
    if validator.is_valid(value):
        sys.exit(f"the schema allows {json.dumps(value)}")


lines = [json.loads(line) for line in (root / "corpus/index.jsonl").read_text().splitlines()]
contents = [line["contents"] for line in lines if line["contents"]]
for line in lines:
    assert_valid(index_validator, line, line["file"])
for name in contents:
    assert_valid(contents_validator, json.loads((root / "corpus" / name).read_text()), name)

assert_invalid(index_validator, {**lines[0], "strict": "maybe"})
assert_invalid(index_validator, {key: value for key, value in lines[0].items() if key != "file"})
array = {"type": "f32", "shape": [1], "values": [1.0], "bits": ["3f800000"]}
file = {"format": "mesh", "dialect": "spec", "root_transform": array}
assert_valid(contents_validator, {**file, "root_transform": {**array, "tolerance": 0.5}}, "a tolerance")
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
    assert_invalid(contents_validator, wrong)
assert_invalid(contents_validator, {"format": "mesh"})
assert_invalid(contents_validator, {**file, "mesh": []})
change = {"path": "indices[3]", "kind": "changed", "count": 1, "from": "1", "to": "2", "by": 1.0}
differences = {"a": "a.mesh", "b": "b.mesh", "compared": "values", "total": 1, "differences": [change]}
assert_valid(diff_validator, differences, "a difference")
assert_invalid(diff_validator, {**differences, "differences": [{**change, "kind": "moved"}]})
assert_invalid(diff_validator, {**differences, "differences": [{**change, "by": "1"}]})


def diff(*arguments):
    """Runs `meshspec diff --json` in the folder of the samples, and returns the parsed output."""
    command = [program, "diff", "--json", *arguments]
    run = subprocess.run(command, cwd=root / "samples", capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        sys.exit(f"{command}: {run.stderr}")
    printed = json.loads(run.stdout)
    assert_valid(diff_validator, printed, command)
    return printed


# Each way to compare, and each kind of difference, with and without values.
printed = [
    diff("mesh/tentacle.mesh", "mesh/tentacle.mesh"),
    diff("mesh/tentacle.mesh", "mesh/flag.mesh"),
    diff("mesh/tentacle.mesh", "mesh/flag.mesh", "--verbose"),
    diff("seed/facets.mesh", "seed/channels.mesh"),
    diff("iyma/quads.ima", "iyma/usages.ima"),
    diff("mesh/tentacle.mesh", "bmd/tentacle.bmd"),
]
found = {(one["compared"], each["kind"]) for one in printed for each in one["differences"]}
for expected in [("values", "changed"), ("values", "removed"), ("values", "added"), ("scenes", "changed")]:
    if expected not in found:
        sys.exit(f"no difference of the samples is {expected}")
if printed[0]["total"] or not all(one["total"] for one in printed[1:]):
    sys.exit("files differ from themselves, or others do not")


def run(*command):
    """Runs the program, and returns the parsed output."""
    return json.loads(subprocess.run([program, *command], capture_output=True, text=True, check=True).stdout)


def keys(value, path=()):
    """Returns the path of each key in a value, in the first items of lists."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield (*path, key)
            # The names of blocks are not in the schema.
            if key != "$blocks":
                yield from keys(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value[:2]):
            yield from keys(part, (*path, index))


def misspelt(document, path):
    """Returns a copy of the document in which the key at a path of its value is misspelt."""
    document = copy.deepcopy(document)
    place = document["value"]
    for step in path[:-1]:
        place = place[step]
    place[path[-1] + "_"] = place.pop(path[-1])
    return document


valid = [
    (line["format"], root / "corpus" / line["file"], line["dialect"]) for line in lines if line["kind"] == "valid"
]


def check_values(schema_path, documents, least):
    """Asserts that a schema accepts the documents, and rejects each of their keys if it is misspelt. There must be at least
    `least` keys. Returns the number of documents."""
    schema = json.loads(schema_path.read_text())
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    misspelt_keys, count = set(), 0
    for source, document in documents:
        assert_valid(validator, document, source)
        count += 1
        assert_invalid(validator, {**document, "layout": "none"})
        for place in keys(document["value"]):
            if place[-1] not in misspelt_keys:
                misspelt_keys.add(place[-1])
                assert_invalid(validator, misspelt(document, place))
    if len(misspelt_keys) < least:
        sys.exit(f"{schema_path}: only the keys {misspelt_keys} were misspelt")
    return count


def printed_values(name):
    """Returns the values of the samples and of the valid files in the corpus, as `convert` and `dump` print them."""
    files = [(path, []) for path in sorted((root / "samples" / name).iterdir())]
    files += [(path, ["--dialect", dialect]) for (own, path, dialect) in valid if own == name]
    for path, options in files:
        yield path, run("convert", path, "-", "--to", "json", *options)
        # The dump of a text format has lines.
        if name != "seed":
            yield path, run("dump", "--json", path, *options)


# A declaration with one field of each kind.
golden = root / "tests/golden"
values = check_values(
    golden / "sample.schema.json", [("sample.bin", json.loads((golden / "sample.bin.json").read_text()))], 30
)
for name in sorted({line["format"] for line in lines}):
    values += check_values(root / f"docs/schema/{name}.schema.json", printed_values(name), 8)
print(
    f"{len(lines)} lines of the index, {len(contents)} contents, {len(printed)} differences and the values of {values}"
    " files follow their schemas"
)
