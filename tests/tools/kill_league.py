#!/usr/bin/env python3
"""Kills a league and a learner at random moments: no game may be lost, and the networks must be the same.

    python3 tests/tools/kill_league.py pool.toml --work kills --kills 100 --games 60
    python3 tests/tools/kill_league.py pool.toml --work kills --learn "games.pgn --as Okapi --nodes 100"

The pool is played once in peace and then under kills (SIGKILL), from the beginning again whenever it comes to its end before the kills
are spent; games, checkpoints and network must be the same files, and every game that was recorded before a kill must be there after it.
With --learn, the words of okapi learn, its network's file must be whole or absent after every kill. Opponents must be limited by depth
or nodes. The exit status is 1 if anything differs.
"""

import argparse
import os
import random
import shlex
import signal
import subprocess
import sys
import time

SAME = ["games.jsonl", "net.safetensors"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pool", help="the league's configuration")
    parser.add_argument("--engine", default="target/release/okapi", metavar="PROGRAM")
    parser.add_argument("--work", required=True, metavar="FOLDER", help="a folder that is made")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--longest", type=float, default=2.0, help="seconds after which the league is killed at the latest")
    parser.add_argument("--learn", metavar="WORDS", help="games and options of okapi learn, without --out")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.random = random.Random(options.seed)
    os.makedirs(options.work)
    faults = kill_league(options) + (kill_learner(options) if options.learn else 0)
    sys.exit(1 if faults else 0)


def killed(command, seconds):
    """Kills the command after so many seconds; false if it ended before."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        if process.wait(seconds) not in (0, 3):
            sys.exit(f"{shlex.join(command)}: status {process.returncode}")
        return False
    except subprocess.TimeoutExpired:
        # Programs that do not see that their input has ended (gnuchess) would run on.
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True).stdout.split()
        process.kill()
        process.wait()
        for child in map(int, children):
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return True


def read(*path):
    """The bytes of a file; none if there is none."""
    name = os.path.join(*path)
    if not os.path.exists(name):
        return None
    with open(name, "rb") as file:
        return file.read()


def kill_league(options):
    def command(folder):
        return [options.engine, "league", folder, "--config", options.pool, "--games", str(options.games)]

    whole = os.path.join(options.work, "whole")
    subprocess.run(command(whole), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    same = SAME + [os.path.join("checkpoints", name) for name in os.listdir(os.path.join(whole, "checkpoints"))]
    kills = faults = lost = rounds = 0
    while kills < options.kills:
        rounds += 1
        folder, before = os.path.join(options.work, f"killed-{rounds}"), b""
        while True:
            seconds = options.random.uniform(0, options.longest) if kills < options.kills else None
            if not killed(command(folder), seconds):
                break
            kills += 1
            now = read(folder, "games.jsonl") or b""
            # All but a line that was being written.
            lost += not now.startswith(before[: before.rfind(b"\n") + 1])
            before = now
        different = [name for name in same if read(folder, name) != read(whole, name)]
        faults += len(different)
        print(f"league {rounds}: {options.games} games, {kills} kills so far, different files: {different or 'none'}", flush=True)
    print(f"league: {kills} kills, after {lost} of them a game was lost")
    return faults + lost


def kill_learner(options):
    def command(name):
        return [options.engine, "learn", *shlex.split(options.learn), "--out", os.path.join(options.work, name)]

    begun = time.monotonic()
    subprocess.run(command("whole.safetensors"), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    longest = 1.05 * (time.monotonic() - begun)
    whole, kills, faults, written = read(options.work, "whole.safetensors"), 0, 0, 0
    while kills < options.kills:
        kills += killed(command("killed.safetensors"), options.random.uniform(0, longest))
        found = read(options.work, "killed.safetensors")
        faults += found not in (None, whole)
        if found is not None:
            written += 1
            os.remove(os.path.join(options.work, "killed.safetensors"))
    print(f"learner: {kills} kills, {written} networks written, {faults} that differ")
    return faults


if __name__ == "__main__":
    main()
