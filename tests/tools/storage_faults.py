#!/usr/bin/env python3
"""Faults of storage, as SQLite's tests have them: each write, sync and rename of a job fails in turn, and the machine stops after each.

    python3 tests/tools/storage_faults.py target/release/okapi [--jobs play,match] [--every 3]

A job is a command that writes files in an empty folder. Errors: the program gets EIO from its n-th write, sync or rename, for every n.
It may end with 0 or 1, never by a signal or a panic. Stops: what was not on the disk for certain is lost, which is what was written to a
file after its last sync, a new name or another file under a name after the last sync of its folder, and what was cut or removed. After
each, the same command must end with 0 and leave what an undisturbed one leaves.

What was promised must be on the disk for certain. A save is promised as soon as the job writes something else, and is still there after an
error. All files of a job that ends with 0, whatever failed before, are promised, and its result is complete. A new folder counts as on the
disk. Needs strace, and the right to trace.
"""

import argparse
import collections
import functools
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path, PurePath

SMALL = "--topology 19x8+216x8+128x8-8-1 --batch 200 --threads 1"
NODES = "--sample-search-nodes 100 --min-depth 2 --nodes-per-search 4 --training-nodes 60 --validation-nodes 20"
LABELS = "--label-search-nodes 50 --validation-search-nodes 50 --topology 19x16+216x16+128x16-16-8-1"
PLAYERS = "--player 'okapi name=A nodes=30 hash=1' --player 'okapi name=B nodes=20 hash=1'"
ENGINE = "--engine '{okapi} option.Hash=1 option.Evaluator=material' --nodes 20"
POOL = 'nodes = 30\nrandom-openings = true\n[[opponent]]\nname = "material"\nplayer = "okapi eval=material nodes=20 hash=1"\n'
# Made once for all jobs, beside their folders.
INPUTS = [
    "train bootstrap --steps 100 --out small.safetensors",
    "train play kept --games 40 --nodes 20 --seed 3",
    f"match --games 12 --seed 2 --pgn games.pgn {PLAYERS}",
    f"match --games 6 --seed 2 --maxmoves 8 --pgn short.pgn {PLAYERS}",
]
# Each a command in an empty folder; the files of its result, of which times do not count; and its saves.
JOBS = {
    "play": ("train play out --games 6 --games-per-file 2 --nodes 20 --threads 1 --seed 3", ["out/*.okapi"], ["out/*.okapi"]),
    "values": (
        f"train values ../kept --out out --epochs 2 --checkpoint-minutes 0 {SMALL}",
        ["out/net.safetensors"],
        ["out/checkpoint.okapi"],
    ),
    "wdl": (
        "train wdl ../kept --out out --value-net ../small.safetensors --epochs 2 --games 30 --checkpoint-minutes 0 --threads 1",
        ["out/net.safetensors"],
        ["out/checkpoint.okapi"],
    ),
    "policy": (
        f"train policy out --starts ../games.pgn --seed 5 {NODES} {LABELS} --epochs 2 --checkpoint-minutes 0 --threads 1",
        ["out/*.nodes", "out/*.labels", "out/net.safetensors"],
        ["out/*.nodes", "out/*.labels", "out/checkpoint.okapi"],
    ),
    "tdleaf": (
        "train tdleaf out --initial ../small.safetensors --positions 2 --plies 2 --nodes 40 --iterations 3 "
        "--checkpoint-minutes 0 --suite-minutes 0 --threads 1",
        ["out/net.safetensors"],
        # Not the one of iteration 0: a run that cannot begin removes what it made.
        ["out/checkpoint-[1-9]*.okapi"],
    ),
    "contracts": ("train contracts ../kept --out games.jsonl --games 3 --nodes 20 --threads 1", ["games.jsonl"], ["games.jsonl"]),
    "learn": (
        "learn ../short.pgn --as A --nodes 20 --rehearsal 300 --rate 0.00002 --threads 1 --state turns --out net.safetensors --force",
        ["net.safetensors"],
        ["turns"],
    ),
    "match": (f"match --games 4 --seed 3 --state state --pgn games.pgn --force {PLAYERS}", ["state", "games.pgn"], ["state"]),
    "league": ("league out --config ../pool.toml --games 3", ["out/net.safetensors", "out/games.jsonl"], ["out/games.jsonl"]),
    "curve": (
        "mcts curve --limits 5 --games 2 --strength-games 2 --nodes 8 --state state --csv out.csv --force",
        ["state", "out.csv"],
        ["state"],
    ),
    "tune": (
        f"tune {ENGINE} --maxmoves 5 --pairs 1 --games 4 --parameter 'Hash start=2 min=1 max=4 step=1' --state state --csv out.csv",
        ["state", "out.csv"],
        ["state"],
    ),
    "sts": ("sts --nodes 20 --positions 1-5 --state state --json out.json --force", ["state"], ["state"]),
    "analyse": (
        "analyse ../short.pgn --games 1 --nodes 20 --pgn out.pgn --html pages --state state --threads 1",
        ["state", "out.pgn", "pages/*"],
        ["state"],
    ),
}
# Files whose lines with the same value of a key are one save.
GROUPED = {"turns": "game"}
# Of a record; others are the same after every run.
TIMED = re.compile("pgn|time|seconds|clock|lim")
SYNCS = ("fsync", "fdatasync")
RENAMES = ("rename", "renameat", "renameat2")
TRACED = ("openat", "write", "ftruncate", "lseek", "unlink", "unlinkat", *SYNCS, *RENAMES)


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stderr


def content(path):
    """What a file says, without clock times: of games those are in comments; a record's name ends with `.jsonl` or has no dot. Whether
    what was tried again stands behind what came later does not matter."""
    data = path.read_bytes()
    if path.suffix == ".pgn":
        return re.sub(rb"\{[^}]*\}|\s", b"", data)
    if path.suffix not in ("", ".jsonl"):
        return data
    untimed = lambda record: {key: value for key, value in record.items() if not TIMED.search(key)}
    return sorted(json.dumps(json.loads(line, object_hook=untimed)) for line in data.decode().splitlines()[1:])


def files(folder):
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def result(folder, patterns):
    found = {}
    for pattern in patterns:
        for path in sorted(folder.glob(pattern)):
            found[str(path.relative_to(folder))] = hashlib.sha256(repr(content(path)).encode()).hexdigest()
    return found


class Disk:
    """The files of a folder as the program sees them, and as they are on the disk for certain: at first they are there."""

    def __init__(self, root):
        self.root, found = str(root), files(root)
        self.inodes = [[bytearray(data), data] for data in found.values()]  # seen, on the disk
        self.names = {path: inode for inode, path in enumerate(found)}  # path: inode
        self.durable = dict(self.names)
        self.open = {}  # descriptor: [inode, offset, appends]

    def inside(self, path):
        return path.startswith(self.root + "/")

    def paths(self, arguments):
        """The paths among the arguments, each below the folder that is named before it."""
        base, found = self.root, []
        for argument in arguments:
            if isinstance(argument, tuple):
                base = argument[1]
            elif isinstance(argument, bytes):
                found.append(os.path.normpath(os.path.join(base, os.fsdecode(argument))))
        return found

    def cut(self, inode, length):
        """What is cut off is not on the disk for certain."""
        data = self.inodes[inode]
        del data[0][length:]
        data[1] = data[1][:length]

    def apply(self, name, arguments, value):
        """One system call that succeeded."""
        if name == "openat":
            path, flags = value[1], arguments[2]
            # Other programs that the job starts have descriptors of their own, but no file in the folder.
            if not self.inside(path):
                return
            self.open.pop(value[0], None)
            if path not in self.names:
                if "O_CREAT" not in flags:
                    return
                self.names[path] = len(self.inodes)
                self.inodes.append([bytearray(), b""])
            if "O_TRUNC" in flags:
                self.cut(self.names[path], 0)
            self.open[value[0]] = [self.names[path], 0, "O_APPEND" in flags]
        elif name == "write" and arguments[0][0] in self.open and self.inside(arguments[0][1]):
            entry = self.open[arguments[0][0]]
            data = self.inodes[entry[0]][0]
            at = len(data) if entry[2] else entry[1]
            written = arguments[1][: value[0]]
            data[at : at + len(written)] = written
            entry[1] = at + len(written)
        elif name == "lseek" and arguments[0][0] in self.open and self.inside(arguments[0][1]):
            self.open[arguments[0][0]][1] = value[0]
        elif name == "ftruncate" and arguments[0][0] in self.open and self.inside(arguments[0][1]):
            self.cut(self.open[arguments[0][0]][0], int(arguments[1]))
        elif name in SYNCS:
            path = arguments[0][1]
            if arguments[0][0] in self.open and path in self.names:
                inode = self.inodes[self.names[path]]
                inode[1] = bytes(inode[0])
            elif (path + "/").startswith(self.root + "/"):
                here = lambda names: {name: inode for name, inode in names.items() if os.path.dirname(name) == path}
                for gone in here(self.durable).keys() - here(self.names).keys():
                    del self.durable[gone]
                self.durable.update(here(self.names))
        elif name in RENAMES:
            old, new = self.paths(arguments)
            if old in self.names:
                self.names[new] = self.names.pop(old)
        elif name in ("unlink", "unlinkat"):
            for path in self.paths(arguments):
                self.names.pop(path, None)
                self.durable.pop(path, None)

    def seen(self):
        """The files as the program sees them."""
        return {path: self.inodes[inode][0] for path, inode in self.names.items()}

    def left(self):
        """The files after a stop."""
        return {path: self.inodes[inode][1] for path, inode in self.durable.items()}


def unescaped(text):
    return bytes.fromhex(text.replace("\\x", ""))


def calls(log):
    """The system calls of a log of strace that succeeded, in the order of their ends: name, arguments, value."""
    begun = {}
    for line in log.read_text().splitlines():
        process, _, rest = line.partition(" ")
        rest = rest.strip()
        if rest.endswith("<unfinished ...>"):
            begun[process] = rest.removesuffix("<unfinished ...>").rstrip()
            continue
        resumed = re.match(r"<\.\.\. \w+ resumed>(.*)", rest)
        if resumed:
            rest = begun.pop(process, "") + resumed[1]
        found = re.match(r"(\w+)\((.*)\)\s+= (-?\d+)(?:<([^>]*)>)?", rest)
        if not found or found[3].startswith("-"):
            continue
        arguments = []
        for word in re.findall(r'"(?:\\x[0-9a-f]{2})*"(?:\.\.\.)?|\d+<[^>]*>|AT_FDCWD<[^>]*>|[^,\s]+', found[2]):
            if word.startswith('"'):
                arguments.append(unescaped(word.strip('."')))
            elif re.match(r"\d+<", word):
                number, path = word[:-1].split("<", 1)
                arguments.append((int(number), plain(path)))
            elif word.startswith("AT_FDCWD<"):
                arguments.append(("AT_FDCWD", plain(word[9:-1])))
            else:
                arguments.append(word)
        yield found[1], arguments, (int(found[3]), plain(found[4] or ""))


def plain(path):
    path = unescaped(path).decode() if path.startswith("\\x") else path
    return path.removesuffix(" (deleted)")


class Checker:
    def __init__(self, options, base, name):
        self.options, self.base, self.name = options, base, name
        words, self.results, self.saves = JOBS[name]
        self.command = [options.okapi, *shlex.split(words.format(okapi=options.okapi))]
        self.faults = collections.Counter()
        whole = self.folder("whole")
        status, said = run(self.command, whole)
        if status:
            sys.exit(f"{name}: {said}")
        self.expected = result(whole, self.results)
        if not self.expected:
            sys.exit(f"{name} leaves no file")

    def folder(self, name):
        folder = self.base / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def fault(self, when, what):
        """Shows a fault, but the same one three times only."""
        self.faults[what] += 1
        if self.faults[what] <= 3:
            print(f"{self.name}: {when}: {what}", flush=True)

    @functools.cache
    def is_save(self, path):
        return any(PurePath(path).match(pattern) for pattern in self.saves)

    def unsafe(self, disk):
        """The saves that are seen but not on the disk, and what is of those that are."""
        left, unsafe, safe = disk.left(), set(), {}
        for path, seen in disk.seen().items():
            kept = left.get(path, b"")
            key = GROUPED.get(os.path.basename(path))
            if not self.is_save(path):
                continue
            if seen == kept:
                safe[path] = kept
            elif not key or len({json.loads(line)[key] for line in seen[len(kept) :].splitlines()}) > 1:
                unsafe.add(path)
        return unsafe, safe

    def go(self, folder, disk, when, inject=()):
        """Runs the job in the folder, whose files this disk has: its status, what it said, and the files after a stop at each moment."""
        log = self.base / "log"
        strace = ["strace", "-f", "-qq", "-y", "-xx", "-s", "100000000", "-o", str(log), "-e", f"trace={','.join(TRACED)}", *inject]
        status, said = run([*strace, *self.command], folder)
        if status not in (0, 1) or "panicked" in said:
            self.fault(when, f"status {status}: {said.strip()}")
        before, promised, states = self.unsafe(disk)[0], {}, []
        for name, arguments, value in calls(log):
            if name in RENAMES or (name == "write" and disk.inside(arguments[0][1])):
                unsafe, safe = self.unsafe(disk)
                promised |= safe
                if not inject:
                    for path in unsafe - before:
                        self.fault(when, f"{os.path.relpath(path, folder)} is not on the disk when the job goes on")
                    before |= unsafe
            disk.apply(name, arguments, value)
            states.append(disk.left())
        promised |= self.unsafe(disk)[1]
        left, seen = disk.left(), disk.seen()
        if seen != files(folder):
            sys.exit(f"{self.name}: {when}: the calls that are traced do not explain the files")
        for path, data in promised.items():
            beside = (kept for other, kept in left.items() if os.path.dirname(other) == os.path.dirname(path))
            if data and not any(kept.startswith(data) for kept in beside):
                self.fault(when, f"{os.path.relpath(path, folder)} was saved, and a stop loses it")
        if status == 0:
            if result(folder, self.results) != self.expected:
                self.fault(when, "done, with another result")
            for path in seen:
                if seen[path] != left.get(path) and os.path.basename(path) != "lock":
                    self.fault(when, f"done, and a stop loses {os.path.relpath(path, folder)}")
        return status, said, states

    def finish(self, folder, disk, when):
        """The same command without a fault comes to the same end."""
        status, said, _ = self.go(folder, disk, f"{when}, and it continues")
        if status:
            self.fault(when, f"it does not continue: {said.strip().splitlines()[-1:]}")

    def errors(self):
        injected = 0
        # Each alone: strace counts the calls of each name, in each thread.
        for kind in ("write", *SYNCS, *RENAMES):
            for number in range(1, 10_000, self.options.every):
                folder = self.folder("broken")
                disk, when = Disk(folder), f"{kind} {number} fails"
                self.go(folder, disk, when, ("-e", f"inject={kind}:error=EIO:when={number}"))
                if "(INJECTED)" not in (self.base / "log").read_text():
                    break
                injected += 1
                self.finish(folder, disk, when)
        return injected

    def stops(self):
        folder = self.folder("broken")
        status, said, states = self.go(folder, Disk(folder), "no fault")
        if status:
            sys.exit(f"{self.name}: {said}")
        # Between two changes of what is on the disk each moment is like the others.
        changes = [after for before, after in zip([{}, *states], states) if after != before]
        for number, left in enumerate(changes[:: self.options.every]):
            folder = self.folder("broken")
            for path, data in left.items():
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                Path(path).write_bytes(data)
            self.finish(folder, Disk(folder), f"a stop after change {number * self.options.every + 1} of the disk")
        return len(changes[:: self.options.every])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("okapi", type=os.path.abspath)
    parser.add_argument("--jobs", default=",".join(JOBS))
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th fault")
    options = parser.parse_args()
    faults = 0
    with tempfile.TemporaryDirectory() as base:
        base = Path(base).resolve()
        for words in INPUTS:
            subprocess.run([options.okapi, *shlex.split(words)], cwd=base, check=True, capture_output=True)
        (base / "pool.toml").write_text(POOL)
        for name in options.jobs.split(","):
            checker = Checker(options, base, name)
            errors, stops = checker.errors(), checker.stops()
            if not errors or not stops:
                checker.fault("the whole run", "no call failed, or the machine never stopped: nothing was tested")
            faults += checker.faults.total()
            print(f"{name}: {errors} errors and {stops} stops, {checker.faults.total()} faults found", flush=True)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
