"""Converts a list of files with meshspec on the workers of a Dask cluster.

Each task converts a few hundred files and has its own log. When a worker dies, Dask reassigns its tasks, which resume
from their logs. Outputs are written atomically, so no file is incomplete.
"""

import json
import subprocess
from pathlib import Path

FILES_PER_TASK = 250


def convert(program, files, out, log):
    """Converts the files that are not in the log. Returns the exit status, 0 or 1."""
    command = [program, "convert", "--files-from", "-", "--out-dir", out, "--to", "glb", "--quiet"]
    command += ["--log", log, "--newer", "--jobs", "1"]
    status = subprocess.run(command, input="\0".join(files) + "\0", text=True, stderr=subprocess.DEVNULL).returncode
    if status not in (0, 1):
        raise RuntimeError(f"{command[0]} ended with {status}")
    # Invalid files would fail again. After an I/O error, the task fails, and Dask retries it.
    lines = lines_of([log])
    without_result = [file for file in files if has_no_result(lines.get(file))]
    if without_result:
        raise RuntimeError(f"{len(without_result)} files cannot be read or written, the first is {without_result[0]}")
    return status


def has_no_result(line):
    """Returns True if a file could not be read or written, or has no line."""
    if line is None:
        return True
    return line["done"]["status"] == 3 if "done" in line else "error" in line


def submit(client, program, files, out, logs):
    """Returns one future per task."""
    Path(logs).mkdir(parents=True, exist_ok=True)
    starts = range(0, len(files), FILES_PER_TASK)
    tasks = [(files[start : start + FILES_PER_TASK], f"{logs}/{start}.jsonl") for start in starts]
    return [client.submit(convert, program, part, out, log, pure=False, retries=3) for part, log in tasks]


def results(logs):
    """Returns the last line of each file in the logs of a folder."""
    return lines_of(sorted(Path(logs).glob("*.jsonl")))


def lines_of(logs):
    """Returns the last line of each file in the given logs."""
    lines = (json.loads(line) for log in logs for line in Path(log).open())
    return {line["file"]: line for line in lines}
