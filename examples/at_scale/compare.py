"""Converts files with a single run of the program and with a Dask job, one of whose two workers it kills.

Compares the outputs.
"""

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from dask.distributed import Client, LocalCluster, as_completed

import dask_job


def generate(folder, count):
    """Writes `count` distinct Seed files: strips of triangles. One in a hundred has an index out of range."""
    files = []
    for index in range(count):
        size = 3 + index % 40
        lines = [f"[name]=strip{index}", "[mat0]=DEFAULT", "[type]=STATIC"]
        for vertex in range(size):
            lines += [f"p {vertex}, {index}.5, {vertex % 2}", "n 0, 1, 0", "u0 0.5, 0.25"]
        lines += [f"f {corner}, {corner + 1}, {corner + 2}" for corner in range(size - 2)]
        if index % 100 == 99:
            lines.append(f"f 0, 1, {size}")
        path = folder / f"{index // 1000:03}" / f"{index:06}.mesh"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
        files.append(str(path))
    return files


def file_hashes(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def without_state(rows, out):
    return {
        file: {key: value for key, value in row.items() if key != "done"} | {"output": row["output"].removeprefix(out)}
        for file, row in rows.items()
    }


def main(program, count):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = generate(folder / "in", count)
        list_file = folder / "list"
        list_file.write_text("\n".join(files))

        single = folder / "single"
        (folder / "single_logs").mkdir()
        command = [program, "convert", "--files-from", list_file, "--out-dir", single, "--to", "glb", "--quiet"]
        start = time.monotonic()
        status = subprocess.run([*command, "--log", folder / "single_logs/log.jsonl"], stderr=subprocess.DEVNULL)
        seconds = time.monotonic() - start
        assert status.returncode == 1, "one in a hundred files is invalid"
        print(f"one run: {seconds:.1f} s, {seconds / count * 1000:.2f} ms per file")

        out = folder / "dask"
        with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
            start = time.monotonic()
            futures = dask_job.submit(client, program, files, str(out), str(folder / "logs"))
            workers = client.run(os.getpid)
            victim = min(workers.values())
            for done, _ in enumerate(as_completed(futures)):
                if done == len(futures) // 4:
                    os.kill(victim, signal.SIGKILL)
                    print(f"killed worker {victim} after {done + 1} of {len(futures)} tasks")
            statuses = client.gather(futures)
            seconds = time.monotonic() - start
        print(f"two workers: {seconds:.1f} s, {seconds / count * 1000:.2f} ms per file")

        assert set(statuses) <= {0, 1}, statuses
        expected = without_state(dask_job.results(folder / "single_logs"), str(single))
        found = without_state(dask_job.results(folder / "logs"), str(out))
        assert len(expected) == count and found == expected, "the results differ"
        assert file_hashes(out) == file_hashes(single), "the files differ"
        failed = sum("error" in row for row in found.values())
        print(f"equal results: {count - failed} files, {failed} errors")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), int(sys.argv[2]))
