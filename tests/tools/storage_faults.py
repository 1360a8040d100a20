#!/usr/bin/env python3
"""Faults of storage, as SQLite's tests have them: each write, sync and rename of a job fails in turn, and the machine stops after each.

    python3 tests/tools/storage_faults.py target/release/okapi [--jobs play,match] [--every 3]

A job is a command that writes files in an empty folder. Errors: the program gets EIO from its n-th write, sync or rename, for every n.
It may end with 0 or 1, never by a signal or a panic. Stops: what was not on the disk for certain is lost, which is what was written to a
file after its last fsync, and a new name or another file under a name after the last fsync of its folder. After each, the same command
must end with 0 and leave what an undisturbed one leaves. Needs strace, and the right to trace.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SMALL = "--topology 19x8+216x8+128x8-8-1 --batch 200 --threads 1"
PLAYERS = "--player 'okapi name=A nodes=30 hash=1' --player 'okapi name=B nodes=20 hash=1'"
POOL = 'nodes = 30\nrandom-openings = true\n[[opponent]]\nname = "material"\nplayer = "okapi eval=material nodes=20 hash=1"\n'
# Each a command in an empty folder, and the files that it leaves, of which a record's times do not count.
JOBS = {
    "play": ("train play out --games 6 --games-per-file 2 --nodes 20 --threads 1 --seed 3", ["out/*.okapi"]),
    "values": (f"train values ../kept --out out --epochs 2 --checkpoint-minutes 0 {SMALL}", ["out/net.safetensors"]),
    "tdleaf": (
        "train tdleaf out --initial shipped --positions 2 --plies 2 --nodes 40 --iterations 3 --checkpoint-minutes 0 --suite-minutes 0 --threads 1",
        ["out/net.safetensors"],
    ),
    "contracts": ("train contracts ../kept --out games.jsonl --games 3 --nodes 20 --threads 1", ["games.jsonl"]),
    "match": (f"match --games 4 --seed 3 --state state --pgn games.pgn --force {PLAYERS}", ["state"]),
    "league": ("league out --config ../pool.toml --games 3", ["out/net.safetensors", "out/games.jsonl"]),
}
SYNCS = ("fsync", "fdatasync")
RENAMES = ("rename", "renameat", "renameat2")
TRACED = ("openat", "write", "ftruncate", "lseek", "unlink", "unlinkat", *SYNCS, *RENAMES)


def run(command, folder, strace=()):
    done = subprocess.run([*strace, *command], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stderr


def content(path):
    """What a file says, without clock times."""
    data = path.read_bytes()
    if path.suffix in (".safetensors", ".okapi"):
        return data
    records = [json.loads(line) for line in data.decode().splitlines()[1:]]
    untimed = [{key: value for key, value in record.items() if key not in ("pgn", "times", "seconds", "clock")} for record in records]
    return json.dumps([{key: value for key, value in record.items() if "time" not in key and "lim" not in key} for record in untimed])


def result(folder, patterns):
    found = {}
    for pattern in patterns:
        for path in sorted(folder.glob(pattern)):
            found[str(path.relative_to(folder))] = hashlib.sha256(repr(content(path)).encode()).hexdigest()
    return found


class Disk:
    """The files of a folder as the program sees them, and as they are on the disk for certain."""

    def __init__(self, root):
        self.root, self.inodes, self.next = str(root), {}, 0
        self.names, self.durable = {}, {}  # path: inode
        self.open = {}  # (process, descriptor): [inode, offset, appends]

    def inside(self, path):
        return path.startswith(self.root + "/")

    def apply(self, name, arguments, value):
        """One system call that succeeded; true if it was a sync."""
        if name == "openat":
            path = value[1]
            if not self.inside(path):
                return False
            flags = arguments[2]
            if path not in self.names:
                if "O_CREAT" not in flags:
                    return False
                self.names[path], self.next = self.next, self.next + 1
                self.inodes[self.names[path]] = [bytearray(), b""]
            if "O_TRUNC" in flags:
                self.inodes[self.names[path]][0].clear()
            self.open[value[0]] = [self.names[path], 0, "O_APPEND" in flags]
        elif name == "write" and arguments[0][0] in self.open and self.inside(arguments[0][1]):
            entry = self.open[arguments[0][0]]
            data = self.inodes[entry[0]][0]
            at = len(data) if entry[2] else entry[1]
            written = arguments[1][: value[0]]
            data[at : at + len(written)] = written
            entry[1] = at + len(written)
        elif name == "lseek" and arguments[0][0] in self.open:
            self.open[arguments[0][0]][1] = value[0]
        elif name == "ftruncate" and arguments[0][0] in self.open and self.inside(arguments[0][1]):
            del self.inodes[self.open[arguments[0][0]][0]][0][int(arguments[1]) :]
        elif name in SYNCS:
            path = arguments[0][1]
            if arguments[0][0] in self.open and path in self.names:
                inode = self.inodes[self.names[path]]
                inode[1] = bytes(inode[0])
                return True
            if (path + "/").startswith(self.root + "/"):
                here = lambda names: {name: inode for name, inode in names.items() if os.path.dirname(name) == path}
                for gone in here(self.durable).keys() - here(self.names).keys():
                    del self.durable[gone]
                self.durable.update(here(self.names))
                return True
        elif name in RENAMES:
            paths = [path if os.path.isabs(path) else os.path.join(self.root, path) for path in arguments if isinstance(path, str)]
            old, new = [os.path.normpath(path) for path in paths[:2]]
            if old in self.names:
                self.names[new] = self.names.pop(old)
        elif name in ("unlink", "unlinkat"):
            path = next((path for path in arguments if isinstance(path, str) and not path.startswith("AT_")), "")
            path = path if os.path.isabs(path) else os.path.join(self.root, path)
            self.names.pop(os.path.normpath(path), None)
        return False

    def left(self):
        """The files after a stop: (path, bytes)."""
        return [(path, self.inodes[inode][1]) for path, inode in self.durable.items()]


def unescaped(text):
    return bytes(int(byte, 16) for byte in text.split("\\x")[1:])


def calls(log):
    """The system calls of a log of strace, in the order of their ends: name, arguments, value."""
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
                data = unescaped(word.strip('."'))
                arguments.append(data if found[1] == "write" else data.decode())
            elif re.match(r"\d+<", word):
                number, path = word[:-1].split("<", 1)
                arguments.append((int(number), plain(path)))
            elif word.startswith("AT_FDCWD<"):
                arguments.append(("AT_FDCWD", plain(word[9:-1])))
            else:
                arguments.append(word)
        if found[1] == "openat":
            arguments = [arguments[0], arguments[1], arguments[2]]
        yield found[1], arguments, (int(found[3]), plain(found[4] or ""))


def plain(path):
    path = unescaped(path).decode() if path.startswith("\\x") else path
    return path.removesuffix(" (deleted)")


class Checker:
    def __init__(self, options, base, name):
        self.options, self.base, self.name = options, base, name
        words, self.patterns = JOBS[name]
        self.command = [options.okapi, *shlex.split(words)]
        self.faults = 0
        whole = self.folder("whole")
        status, said = run(self.command, whole)
        if status:
            sys.exit(f"{name}: {said}")
        self.expected = result(whole, self.patterns)
        if not self.expected:
            sys.exit(f"{name} leaves no file")

    def folder(self, name):
        folder = self.base / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def fault(self, what):
        self.faults += 1
        print(f"{self.name}: {what}", flush=True)

    def finish(self, folder, what):
        """The same command without a fault comes to the same end."""
        status, said = run(self.command, folder)
        if status:
            # Nothing that was promised is lost where nothing was there.
            self.fault(f"{what}: it does not continue: {said.strip().splitlines()[-1:]}")
        elif result(folder, self.patterns) != self.expected:
            self.fault(f"{what}: another result")

    def errors(self):
        injected = 0
        for kind in (("write",), SYNCS, RENAMES):
            for number in range(1, 10_000, self.options.every):
                folder, log = self.folder("broken"), self.base / "log"
                inject = f"inject={','.join(kind)}:error=EIO:when={number}"
                strace = ["strace", "-f", "-qq", "-o", str(log), "-e", f"trace={','.join(kind)}", "-e", inject]
                status, said = run(self.command, folder, strace)
                if "(INJECTED)" not in log.read_text():
                    break
                injected += 1
                what = f"{'/'.join(kind)} {number} fails"
                if status not in (0, 1) or "panicked" in said:
                    self.fault(f"{what}: status {status}: {said.strip()}")
                self.finish(folder, what)
        return injected

    def stops(self):
        folder, log = self.folder("broken"), self.base / "log"
        strace = ["strace", "-f", "-qq", "-y", "-xx", "-s", "100000000", "-o", str(log), "-e", f"trace={','.join(TRACED)}"]
        status, said = run(self.command, folder, strace)
        if status:
            sys.exit(f"{self.name}: {said}")
        disk, states = Disk(folder), []
        for name, arguments, value in calls(log):
            # Before a sync is as bad as after the one before it.
            if disk.apply(name, arguments, value):
                states.append(disk.left())
        for number, left in enumerate(states[:: self.options.every]):
            folder = self.folder("broken")
            for path, data in left:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                Path(path).write_bytes(data)
            self.finish(folder, f"a stop after sync {number * self.options.every + 1}")
        return len(states[:: self.options.every])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("okapi", type=os.path.abspath)
    parser.add_argument("--jobs", default=",".join(JOBS))
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th fault")
    options = parser.parse_args()
    faults = 0
    with tempfile.TemporaryDirectory() as base:
        base = Path(base).resolve()
        kept = shlex.split("train play kept --games 40 --nodes 20 --seed 3")
        subprocess.run([options.okapi, *kept], cwd=base, check=True, capture_output=True)
        (base / "pool.toml").write_text(POOL)
        for name in options.jobs.split(","):
            checker = Checker(options, base, name)
            errors, stops = checker.errors(), checker.stops()
            faults += checker.faults
            print(f"{name}: {errors} errors and {stops} stops, {checker.faults} not survived", flush=True)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
