"""Prints the reference files that strict reading accepts: accepted.py [FOLDER] < format names, one per line."""

import json
import os
import sys

formats = sys.stdin.read().split()
for folder in sys.argv[1:]:
    with open(os.path.join(folder, "index.json"), encoding="utf-8") as index:
        for entry in json.load(index):
            if entry["strict"] == "accept" and entry["format"] in formats:
                print(os.path.join(folder, entry["file"]))
