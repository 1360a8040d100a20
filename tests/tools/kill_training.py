#!/usr/bin/env python3
"""Kills a training run at random moments, resumes it each time, and compares the end with an uninterrupted run.

    python3 tests/tools/kill_training.py --okapi target/release/okapi --kills 200

Both runs must be the same bit for bit. Three kills of four come at a random moment after a new checkpoint, while the training goes on; the
fourth comes at a random moment after the start, mostly before one. Fewer than half after a new checkpoint would be a test of starts. Lost
work is counted in iterations: those in the log before a kill that are after the newest checkpoint, from which the next session must
continue. A checkpoint is due when the training has taken `--checkpoint-minutes` since the one before, so a kill loses what came since
then: an iteration that began when one was due is too much.
"""

import argparse
import csv
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUN = "--positions 8 --plies 6 --nodes 128 --hash-kilobytes 64 --suite-minutes 0".split()


def train(okapi, folder, iterations, every):
    # A net of little training has iterations of some 20 ms, several for each checkpoint.
    net = str(folder.parent / "initial.safetensors")
    limits = ["--iterations", str(iterations), "--checkpoint-minutes", str(every)]
    return subprocess.Popen(
        [okapi, "train", "tdleaf", str(folder), "--initial", net, *RUN, *limits], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def finish(process):
    _, errors = process.communicate()
    if process.returncode != 0:
        sys.exit(f"the run failed: {errors.decode()}")


def rows(folder):
    """(iteration, seconds, searches, loss) of every whole row."""
    try:
        text = (folder / "log.csv").read_text()
    except FileNotFoundError:
        return []
    whole = text[: text.rfind("\n") + 1]
    values = lambda row: (int(row["iteration"]), float(row["seconds"]), row["searches"], row["loss"])
    return [values(row) for row in csv.DictReader(whole.splitlines())]


def newest(folder):
    numbers = [int(path.stem.split("-")[1]) for path in folder.glob("checkpoint-*.okapi")]
    return max(numbers, default=0)


def kill(process, folder, begun, moments, longest, waits):
    """Kills a training that began at this checkpoint, after it has made a new one if it `waits` for that; what it said."""
    deadline = time.monotonic() + 60
    while waits and newest(folder) <= begun and process.poll() is None:
        if time.monotonic() > deadline:
            process.kill()
            sys.exit(f"there is no checkpoint after that of iteration {begun} within a minute")
        time.sleep(0.001)
    time.sleep(moments.uniform(0.0, longest))
    ended = process.poll() is not None
    process.kill()
    said = process.communicate()[1].decode()
    if ended:
        sys.exit(f"the run ended before it was killed: {said}")
    return said


def lost(seen, checkpoint, every):
    """The iterations of the log after the checkpoint, and those of them that began when a checkpoint was due."""
    beyond = [row for row in seen if row[0] > checkpoint]
    saved = max((seconds for iteration, seconds, *_ in seen if iteration <= checkpoint), default=0.0)
    due = [row for row in beyond if row[1] - saved >= 60 * every]
    return len(beyond), max(0, len(due) - 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--okapi", required=True)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--checkpoint-minutes", type=float, default=0.002)
    parser.add_argument("--longest", type=float, default=0.3, help="most seconds from the checkpoint, or the start, to the kill (0.3)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    moments = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as base:
        broken, whole = Path(base, "broken"), Path(base, "whole")
        bootstrap = ["train", "bootstrap", "--steps", "100", "--out", str(Path(base, "initial.safetensors"))]
        subprocess.run([args.okapi, *bootstrap], check=True, capture_output=True)
        fresh, repeated, worst, endless = 0, 0, 0, 10**9
        for number in range(1, args.kills + 1):
            begun = newest(broken)
            process = train(args.okapi, broken, endless, args.checkpoint_minutes)
            said = kill(process, broken, begun, moments, args.longest, number % 4 != 0)
            if (first := re.search(r": iteration (\d+) of", said)) and int(first[1]) != begun + 1:
                sys.exit(f"kill {number}: the run continued at iteration {first[1]}, but it had the checkpoint of {begun}: {said}")
            checkpoint = newest(broken)
            if checkpoint < begun:
                sys.exit(f"kill {number}: the checkpoint of iteration {begun} is gone, and the newest is that of {checkpoint}")
            beyond, overdue = lost(rows(broken), checkpoint, args.checkpoint_minutes)
            if overdue:
                sys.exit(f"kill {number} lost {beyond} iterations, and {overdue} of them began when a checkpoint was due")
            fresh, repeated, worst = fresh + (checkpoint > begun), repeated + beyond, max(worst, beyond)
            if sys.stderr.isatty():
                print(f"\r{number} kills, at checkpoint {checkpoint}", end="", file=sys.stderr)
        last = newest(broken) + 5
        finish(train(args.okapi, broken, last, args.checkpoint_minutes))
        finish(train(args.okapi, whole, last, args.checkpoint_minutes))
        untimed = [[(iteration, *rest) for iteration, _, *rest in rows(folder)] for folder in (broken, whole)]
        nets = [(folder / "net.safetensors").read_bytes() for folder in (broken, whole)]
        same_rows, same_net = untimed[0] == untimed[1], nets[0] == nets[1]
        print(f"{args.kills} kills over {last} iterations, {fresh} of them after a new checkpoint")
        print(f"iterations to repeat: {repeated}, at most {worst} at once")
        print(f"log equal to the uninterrupted run's: {same_rows}; net equal: {same_net}")
        if 2 * fresh < args.kills:
            sys.exit(f"only {fresh} of {args.kills} kills came after a new checkpoint: the others tested the start alone")
        sys.exit(0 if same_rows and same_net else 1)


if __name__ == "__main__":
    main()
