"""Converts a list of files with meshspec on the workers of a Dask cluster.

Each task converts some hundred files. It has a log of its own, which says what is done: when a worker dies, Dask gives
its tasks to others, and those go on where the log ends. Outputs appear whole, so nothing is half-written.
"""

import json
import subprocess
from pathlib import Path

FILES_PER_TASK = 250


def convert(program, files, out, log):
    """Converts the files, except those that the log has. Returns the exit status, 0 or 1."""
    command = [program, "convert", "--files-from", "-", "--out-dir", out, "--to", "glb", "--quiet"]
    command += ["--log", log, "--newer", "--jobs", "1"]
    status = subprocess.run(command, input="\0".join(files) + "\0", text=True, stderr=subprocess.DEVNULL).returncode
    if status not in (0, 1):
        raise RuntimeError(f"{command[0]} ended with {status}")
    # Files that are wrong stay wrong. What cannot be read or written fails the task, and Dask tries again.
    lines = lines_of([log])
    unread = [file for file in files if is_unread(lines.get(file))]
    if unread:
        raise RuntimeError(f"{len(unread)} files cannot be read or written, the first is {unread[0]}")
    return status


def is_unread(line):
    """Whether a file could not be read or written: by its line, or for want of one."""
    if line is None:
        return True
    return line["done"]["status"] == 3 if "done" in line else "error" in line


def submit(client, program, files, out, logs):
    """One future for each task."""
    Path(logs).mkdir(parents=True, exist_ok=True)
    starts = range(0, len(files), FILES_PER_TASK)
    tasks = [(files[start : start + FILES_PER_TASK], f"{logs}/{start}.jsonl") for start in starts]
    return [client.submit(convert, program, part, out, log, pure=False, retries=3) for part, log in tasks]


def results(logs):
    """The last line of each file in the logs of a folder."""
    return lines_of(sorted(Path(logs).glob("*.jsonl")))


def lines_of(logs):
    """The last line of each file in these logs."""
    lines = (json.loads(line) for log in logs for line in Path(log).open())
    return {line["file"]: line for line in lines}
