#!/usr/bin/env python3
"""What more cores bring: measures the parts of a training on one and two cores, by threads and by ranks, and predicts more.

    python3 tests/tools/scale.py --prepare --state scale
    python3 tests/tools/scale.py --measure --state scale      # some 8 minutes, which need two idle cores
    python3 tests/tools/scale.py --state scale                # prints figures and predictions (docs/scale.md)

--prepare builds the program and the example `latency` for each MPI and plays the games to learn from. Configurations take turns, so that
an hour in which the machine is slow is one for all of them. The figures are medians.

The model. An iteration of TD-Leaf on n cores of m machines takes

    T(n) = rollouts(n) + parallel / min(n, 16) + serial + messages(m)

where rollouts(n) is the time at which the last of 64 rollouts ends if each core takes the next one as soon as it is free, by the measured
times of single rollouts; the step of the optimizer adds 16 shards. A step of kept games is the same without rollouts, with 8 shards and
the reading of the games, which every machine does. Messages go through a tree: log2(m) times latency and bytes, and rank 0 receives the
gradients one after the other, one of each machine that has shards.
"""

import argparse
import csv
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

MPIS = ["openmpi", "mpich"]
# Rounds, and seconds of a run of TD-Leaf.
ROUNDS, SECONDS = 4, 12
# The default of an iteration, and the shards of a step of `train tdleaf` and of `train values`.
ROLLOUTS, TD_SHARDS, VALUES_SHARDS, BATCH = 64, 16, 8, 4096
# Games of a measurement of `train play`, and of a file by default.
GAMES, FILE = 512, 2048
# Bytes of a gradient: of the shipped network, from which TD-Leaf goes on here, and of one without piece placement.
TD_GRADIENT, VALUES_GRADIENT = 1.7e6, 92e3
# Of the machines that are predicted for: a common cluster, not measured.
CORES_OF_MACHINE, NETWORK_LATENCY, NETWORK_BYTES = 16, 20e-6, 1.2e9


def run(command, **options):
    process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if process.returncode:
        sys.exit(f"status {process.returncode} of {' '.join(map(str, command))}\n{process.stdout}")
    return process.stdout


def mpirun(mpi):
    return [f"mpirun.{mpi}", *(["--bind-to", "none"] if mpi == "openmpi" else []), "-n", "2"]


def prepare(state):
    state.mkdir(parents=True, exist_ok=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", "target"))
    for mpi in MPIS:
        if not (state / f"latency-{mpi}").exists():
            # The crate does not notice another MPICC.
            run(["cargo", "clean", "--release", "-p", "mpi-sys"])
            cargo = ["cargo", "build", "--release", "--locked"]
            environment = os.environ | {"MPICC": f"mpicc.{mpi}"}
            run([*cargo, "--features", "mpi"], env=environment)
            run([*cargo, "-p", "mpi_ranks", "--features", "mpi", "--example", "latency"], env=environment)
            shutil.copy(target / "release" / "okapi", state / f"okapi-{mpi}")
            shutil.copy(target / "release" / "examples" / "latency", state / f"latency-{mpi}")
    if not (state / "data").exists():
        run([state / "okapi-openmpi", "train", "play", state / "data.part", "--games", "8192", "--nodes", "32", "--seed", "3"])
        (state / "data.part").rename(state / "data")


def rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def self_play(said):
    """The part of the time that `train tdleaf` says it spent on rollouts."""
    return float(re.search(r"([\d.]+) % of the time is self-play", said)[1]) / 100


class Session:
    """Runs configurations in turn, each in a new folder."""

    def __init__(self, state):
        self.state = state
        self.environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        okapi = lambda mpi: [state / f"okapi-{mpi}", "train"]
        self.configurations = {
            "1 thread": ([*okapi("openmpi")], ["--threads", "1"]),
            "2 threads": ([*okapi("openmpi")], ["--threads", "2"]),
        } | {f"2 ranks, {mpi}": ([*mpirun(mpi), *okapi(mpi)], ["--threads", "1", "--mpi"]) for mpi in MPIS}

    def run(self, configuration, task, *options):
        folder = self.state / "run"
        shutil.rmtree(folder, ignore_errors=True)
        begin, end = self.configurations[configuration]
        places = {"tdleaf": [folder], "values": [self.state / "data", "--out", folder]}
        said = run([*begin, task, *places[task], *options, *end], env=self.environment)
        return said, rows(folder / "log.csv")

    def tdleaf(self, configuration):
        said, log = self.run(
            configuration, "tdleaf", "--initial", "shipped", "--suite-minutes", "0", "--checkpoint-minutes", "60",
            "--minutes", str(SECONDS / 60)
        )
        iteration = float(log[-1]["seconds"]) / int(log[-1]["iteration"])
        play = self_play(said)
        return {"iteration": iteration, "rollouts": iteration * play, "rest": iteration * (1 - play)}

    def values(self, configuration):
        _, log = self.run(configuration, "values", "--epochs", "3", "--topology", "19x19+216x54+128x32-64-1")
        return {"positions a second": statistics.median(float(row["positions_per_second"]) for row in log)}

    def single_rollouts(self):
        """The times of single rollouts: of iterations of one, less the mean time of their steps."""
        said, log = self.run(
            "1 thread", "tdleaf", "--initial", "shipped", "--suite-minutes", "0", "--checkpoint-minutes", "60", "--minutes", "0.1",
            "--positions", "1", "--replay", "0"
        )
        seconds = [float(row["seconds"]) for row in log]
        times = [later - before for before, later in zip(seconds, seconds[1:])]
        step = statistics.mean(times) * (1 - self_play(said))
        return [max(0.0, time - step) for time in times]

    def play(self, parts, threads):
        """The seconds in which so many processes play the games."""
        folder = self.state / "play"
        shutil.rmtree(folder, ignore_errors=True)
        begun = time.monotonic()
        processes = [
            subprocess.Popen(
                [self.state / "okapi-openmpi", "train", "play", folder / str(part), "--shard", f"{part}/{parts}", "--games", str(GAMES),
                 "--games-per-file", "32", "--nodes", "256", "--threads", str(threads)],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            ) for part in range(1, parts + 1)
        ]
        if any(process.wait() for process in processes):
            sys.exit("train play has failed")
        return time.monotonic() - begun


def measure(state):
    session, figures = Session(state), {"cores": os.cpu_count(), "load before": os.getloadavg()[0]}
    for mpi in MPIS:
        said = run([*mpirun(mpi), state / f"latency-{mpi}"], env=session.environment)
        print(said, end="", flush=True)
        figures[f"latency, {mpi}"] = {name: float(time) / 1e6 for name, time in re.findall(r"ranks, (.*): (\d+) us", said)}
    figures["single rollouts"] = session.single_rollouts()
    for round_number in range(ROUNDS):
        for task in ["tdleaf", "values"]:
            for configuration in session.configurations:
                found = getattr(session, task)(configuration)
                print(round_number + 1, task, configuration, found, flush=True)
                figures.setdefault(task, {}).setdefault(configuration, []).append(found)
    for _ in range(3):
        for parts, threads in [(1, 1), (1, 2), (2, 1)]:
            seconds = session.play(parts, threads)
            print("play", parts, threads, f"{seconds:.2f} s", flush=True)
            figures.setdefault("play", {}).setdefault(f"{parts} processes of {threads} threads", []).append(seconds)
    (state / "figures.json").write_text(json.dumps(figures, indent=1))


def median(figures, task, configuration, key):
    return statistics.median(found[key] for found in figures[task][configuration])


def ratio(figures, task, key, inverse):
    """Two ranks against two threads, the median of the rounds; more is faster."""
    for mpi in MPIS:
        pairs = zip(figures[task]["2 threads"], figures[task][f"2 ranks, {mpi}"])
        found = sorted(threads[key] / ranks[key] if inverse else ranks[key] / threads[key] for threads, ranks in pairs)
        yield mpi, statistics.median(found), found


def last_of(times, rollouts, cores, chance):
    """When the last of so many rollouts ends: each core takes the next one as soon as it is free."""
    free = [0.0] * min(cores, rollouts)
    for _ in range(rollouts):
        core = min(range(len(free)), key=free.__getitem__)
        free[core] += chance.choice(times)
    return max(free)


def tree(machines, bytes_, times=1):
    return times * math.ceil(math.log2(machines)) * (NETWORK_LATENCY + bytes_ / NETWORK_BYTES) if machines > 1 else 0.0


def to_first(machines, bytes_):
    """All ranks but the first have a part of these bytes."""
    return NETWORK_LATENCY * math.ceil(math.log2(machines)) + bytes_ * (1 - 1 / machines) / NETWORK_BYTES if machines > 1 else 0.0


def two_points(one, two):
    """What is shared by two cores and what is not."""
    parallel = 2 * (one - two)
    return max(0.0, parallel), max(0.0, one - parallel)


def predict(figures):
    one, two = (lambda key: median(figures, "tdleaf", "1 thread", key)), (lambda key: median(figures, "tdleaf", "2 threads", key))
    parallel, serial = two_points(one("rest"), two("rest"))
    mean, chance = one("rollouts") / ROLLOUTS, random.Random(1)
    singles = figures["single rollouts"]
    # Scaled to the mean of a rollout among 64.
    times = [single * mean / statistics.mean(singles) for single in singles]
    print("\nTD-Leaf: cores, machines, rollouts an iteration, ms of rollouts, step and messages, rollouts a second to one core")
    base = ROLLOUTS / one("iteration")
    for cores, rollouts in [(8, 64), (16, 64), (64, 64), (64, 512), (1024, 64), (1024, 1024), (1024, 8192)]:
        machines = max(1, cores // CORES_OF_MACHINE)
        played = statistics.mean(last_of(times, rollouts, cores, chance) for _ in range(50))
        leaves = rollouts / ROLLOUTS
        step = parallel * leaves / min(cores, TD_SHARDS) + serial
        episodes = 1100 * rollouts
        messages = (tree(machines, 16, 2) + to_first(machines, episodes) + tree(machines, episodes, 2)
                    + to_first(machines, TD_GRADIENT * min(machines, TD_SHARDS)) + tree(machines, TD_GRADIENT))
        total = played + step + messages
        print(f"{cores:5} {machines:3} {rollouts:5} {1e3 * played:7.2f} {1e3 * step:6.2f} {1e3 * messages:6.2f}"
              f" {rollouts / total / base:7.1f}")
    speed = lambda configuration: median(figures, "values", configuration, "positions a second")
    step_parallel, step_serial = two_points(BATCH / speed("1 thread"), BATCH / speed("2 threads"))
    print("\nkept games: cores, machines, ms of a step of 4,096 positions, positions a second to one core")
    for cores in [2, 4, 8, 64, 1024]:
        machines = max(1, cores // CORES_OF_MACHINE)
        messages = tree(machines, 16, 2) + to_first(machines, VALUES_GRADIENT * min(machines, VALUES_SHARDS)) + tree(machines, VALUES_GRADIENT)
        total = step_parallel / min(cores, VALUES_SHARDS) + step_serial + messages
        print(f"{cores:5} {machines:3} {1e3 * total:6.2f} {BATCH / total / speed('1 thread'):6.1f}")
    seconds = {name: statistics.median(found) for name, found in figures["play"].items()}
    one, two = seconds["1 processes of 1 threads"], seconds["2 processes of 1 threads"]
    file, kept = one * FILE / GAMES, one / two / 2
    print(f"\ndata generation: a file of {FILE} games takes a core {file:.0f} s; each of two processes has {kept:.2f} of the speed of one")
    for cores in [8, 64, 1024]:
        # The last core may begin its last file when the others end.
        print(f"{cores:5} cores: {cores * kept:6.0f} times one core, less at most {file:.0f} s at the end")


def listed(values):
    return ", ".join(f"{value:.3f}" for value in values)


def report(state):
    figures = json.loads((state / "figures.json").read_text())
    print(f"{figures['cores']} cores, load before {figures['load before']:.2f}")
    for mpi in MPIS:
        messages = figures[f"latency, {mpi}"].items()
        print(f"latency, {mpi}: " + "; ".join(f"{name} {1e6 * seconds:.0f} us" for name, seconds in messages))
    for configuration in figures["tdleaf"]:
        parts = [f"{key} {1e3 * median(figures, 'tdleaf', configuration, key):.2f} ms" for key in ("iteration", "rollouts", "rest")]
        speed = median(figures, "values", configuration, "positions a second")
        print(f"{configuration}: TD-Leaf {', '.join(parts)}; kept games {speed:.0f} positions a second")
    singles = sorted(figures["single rollouts"])
    print(f"single rollouts: mean {1e3 * statistics.mean(singles):.2f} ms, median {1e3 * singles[len(singles) // 2]:.2f}, "
          f"99 % {1e3 * singles[len(singles) * 99 // 100]:.2f}")
    for task, key, inverse in [("tdleaf", "iteration", True), ("values", "positions a second", False)]:
        for mpi, middle, found in ratio(figures, task, key, inverse):
            print(f"{task}, two ranks ({mpi}) to two threads: {middle:.3f} of {listed(found)}")
    for name, seconds in figures["play"].items():
        print(f"{GAMES} games of train play, {name}: {statistics.median(seconds):.2f} s of {listed(seconds)}")
    predict(figures)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--state", required=True, type=Path, metavar="FOLDER", help="programs, data and figures")
    parser.add_argument("--prepare", action="store_true", help="build and play")
    parser.add_argument("--measure", action="store_true", help="measure, with the machine idle")
    options = parser.parse_args()
    if options.prepare:
        return prepare(options.state)
    if options.measure:
        measure(options.state)
    report(options.state)


if __name__ == "__main__":
    main()
