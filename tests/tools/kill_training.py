#!/usr/bin/env python3
"""Kills a training run at random moments, resumes it each time, and compares the end with an uninterrupted run.

    python3 tests/tools/kill_training.py --okapi target/release/okapi --kills 200

Both runs must be the same bit for bit. Lost work is counted in iterations: those in the log before a kill that are after the
checkpoint from which the next session continued.
"""

import argparse
import csv
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUN = "--initial shipped --positions 8 --plies 6 --nodes 128 --hash-kilobytes 64 --suite-minutes 0".split()


def train(okapi, folder, iterations, every):
    limits = ["--iterations", str(iterations), "--checkpoint-minutes", str(every)]
    return subprocess.Popen(
        [okapi, "train", "tdleaf", str(folder), *RUN, *limits], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def finish(process):
    _, errors = process.communicate()
    if process.returncode != 0:
        sys.exit(f"the run failed: {errors.decode()}")


def rows(folder):
    """(iteration, searches, loss) of every whole row; without clocks."""
    try:
        text = (folder / "log.csv").read_text()
    except FileNotFoundError:
        return []
    whole = text[: text.rfind("\n") + 1]
    return [(int(row["iteration"]), row["searches"], row["loss"]) for row in csv.DictReader(whole.splitlines())]


def newest(folder):
    numbers = [int(path.stem.split("-")[1]) for path in folder.glob("checkpoint-*.okapi")]
    return max(numbers, default=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--okapi", required=True)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--checkpoint-minutes", type=float, default=0.002)
    parser.add_argument("--longest", type=float, default=0.6, help="greatest number of seconds before a kill")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    moments = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as base:
        broken, whole = Path(base, "broken"), Path(base, "whole")
        kills, lost, worst, endless = 0, 0, 0, 10**9
        while kills < args.kills:
            process = train(args.okapi, broken, endless, args.checkpoint_minutes)
            time.sleep(moments.uniform(0.0, args.longest))
            process.kill()
            process.wait()
            kills += 1
            seen = rows(broken)
            beyond = (seen[-1][0] if seen else 0) - newest(broken)
            lost, worst = lost + beyond, max(worst, beyond)
            if sys.stderr.isatty():
                print(f"\r{kills} kills, at checkpoint {newest(broken)}", end="", file=sys.stderr)
        last = newest(broken) + 5
        finish(train(args.okapi, broken, last, args.checkpoint_minutes))
        finish(train(args.okapi, whole, last, args.checkpoint_minutes))
        same_rows = rows(broken) == rows(whole)
        nets = [(folder / "net.safetensors").read_bytes() for folder in (broken, whole)]
        same_net = nets[0] == nets[1]
        print(f"{kills} kills over {last} iterations; iterations to repeat: {lost}, at most {worst} at once")
        print(f"log equal to the uninterrupted run's: {same_rows}; net equal: {same_net}")
        sys.exit(0 if same_rows and same_net else 1)


if __name__ == "__main__":
    main()
