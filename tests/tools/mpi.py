#!/usr/bin/env python3
"""Checks training by several processes over MPI: the same bits for any number of ranks, and what happens when one dies.

    python3 tests/tools/mpi.py target/debug/okapi --mpirun mpirun.openmpi            # two ranks, about a minute: .ci/run
    python3 tests/tools/mpi.py target/debug/okapi --mpirun mpirun.mpich --all        # 1 to 4 ranks, ten kills, Ctrl-C

The program must be built with `--features mpi` for the MPI whose mpirun it is, `--plain` names one that is built without. Checkpoints are
compared byte by byte, without the seconds that a run has taken and the hash over all, which covers them.
"""

import argparse
import contextlib
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# No answer within this time is a hang, on a machine that has other work too.
DEADLINE = 900
TOPOLOGY = "19x4+216x8+128x4-8-1"
ITERATIONS, EPOCHS = 40, 40
# How much longer runs are that a signal stops.
LONGER = 6


class Setup:
    def __init__(self, arguments, folder):
        self.okapi, self.folder = str(Path(arguments.okapi).resolve()), folder
        self.mpirun = arguments.mpirun.split()
        self.open_mpi = "openmpi" in subprocess.run(
            [self.mpirun[0], "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        ).stdout.lower().replace(" ", "").replace("-", "")
        self.environment = dict(os.environ)
        if os.geteuid() == 0:
            self.environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def ranks(self, count):
        return self.mpirun + (["--oversubscribe"] if self.open_mpi else []) + ["-n", str(count)]

    def start(self, command, **options):
        # In a group of its own, as a shell starts it, and with signals as a terminal's programs have them.
        return subprocess.Popen(
            ["env", "--default-signal=INT,TERM", *command], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, start_new_session=True, **options
        )

    def run(self, command):
        process = self.start(command)
        try:
            said, _ = process.communicate(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            sys.exit(f"FAILED: no end within {DEADLINE} s: {' '.join(command)}")
        return process.returncode, said

    def must(self, command):
        status, said = self.run(command)
        if status != 0:
            sys.exit(f"FAILED: status {status} of {' '.join(command)}\n{said}")
        return said

    def tdleaf(self, name, iterations=ITERATIONS):
        return [
            self.okapi, "train", "tdleaf", name, "--iterations", str(iterations), "--initial", "net.safetensors",
            "--positions", "20", "--plies", "6", "--nodes", "48", "--hash-kilobytes", "16", "--replay", "3", "--suite-minutes", "0",
            "--checkpoint-minutes", "0", "--threads", "1",
        ]

    def values(self, name, epochs=EPOCHS):
        return [
            self.okapi, "train", "values", "data", "--out", name, "--epochs", str(epochs), "--topology", TOPOLOGY, "--batch", "256",
            "--checkpoint-minutes", "0", "--threads", "1",
        ]

    def checkpoint(self, name):
        """A hash of the newest checkpoint without times, and how far it is."""
        folder = self.folder / name
        files = sorted(folder.glob("checkpoint-[0-9]*.okapi"), key=lambda path: int(path.stem.split("-")[1]))
        path = files[-1] if files else folder / "checkpoint.okapi"
        data = path.read_bytes()
        length = int.from_bytes(data[:8], "little")
        header, tensors = json.loads(data[8:8 + length]), data[8 + length:]
        text = re.sub(r"^(epoch_)?seconds = .*$", "", header["__metadata__"]["okapi.checkpoint"], flags=re.MULTILINE)
        hasher = hashlib.sha256(text.encode())
        for tensor in sorted(set(header) - {"__metadata__", "sha256"}):
            begin, end = header[tensor]["data_offsets"]
            hasher.update(tensor.encode() + tensors[begin:end])
        done = re.search(r"^(iteration|epoch) = (\d+)$", text, flags=re.MULTILINE)
        return hasher.hexdigest()[:16], int(done[2])


def check(what, holds, detail=""):
    print(f"{'ok' if holds else 'FAILED'}: {what}{f' ({detail})' if detail else ''}", flush=True)
    if not holds:
        sys.exit(1)


def same_bits(setup, task, counts):
    command = getattr(setup, task)
    setup.must(command(f"{task}-alone"))
    expected, _ = setup.checkpoint(f"{task}-alone")
    seconds = {}
    for count in counts:
        begun = time.monotonic()
        setup.must([*setup.ranks(count), *command(f"{task}-{count}"), "--mpi"])
        found, _ = setup.checkpoint(f"{task}-{count}")
        seconds[count] = time.monotonic() - begun
        check(f"{task}, {count} ranks: the checkpoint of one process", found == expected, f"{found}, {seconds[count]:.1f} s")
    return expected, seconds[2]


def wait_for(path, process):
    begun = time.monotonic()
    while not path.exists():
        if time.monotonic() - begun > DEADLINE or process.poll() is not None:
            sys.exit(f"FAILED: {path} does not come: {process.communicate()[0]}")
        time.sleep(0.01)


def pids_of(setup, name):
    """The processes that train in this folder of this check; another one may run beside it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            inside = (process / "cwd").resolve().is_relative_to(setup.folder.resolve())
        except OSError:
            continue
        if inside and words[0].rpartition(b"/")[2].startswith(b"okapi") and b"--mpi" in words and name.encode() in words:
            found.append(int(process.name))
    return sorted(found)


def kills(setup, task, expected, times, seconds):
    """A rank is killed at random, and fewer ranks go on; the last session runs to the end. `seconds` are those of a whole run."""
    name, chance = f"{task}-killed", random.Random(f"{task} {setup.mpirun}")
    quoted, killed = "", 0
    for session in range(20 * times):
        if killed == times:
            break
        count = [4, 3, 2][killed % 3] if times > 3 else 2
        process = setup.start([*setup.ranks(count), *getattr(setup, task)(name), "--mpi"])
        begun, wait = time.monotonic(), chance.uniform(0.1, 0.6) * seconds
        while len(pids_of(setup, name)) < count and process.poll() is None and time.monotonic() - begun < 60:
            time.sleep(0.01)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(wait)
        taken, ranks = time.monotonic() - begun, pids_of(setup, name)
        if process.poll() is None and ranks:
            os.kill(chance.choice(ranks), signal.SIGKILL)
            killed += 1
        try:
            said, _ = process.communicate(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            sys.exit("FAILED: a dead rank does not end the job")
        if process.returncode == 0:
            # It was faster than the kill, and than the run that was timed, with which other programs ran: begin again.
            seconds = min(seconds, taken)
            check("the run that was done before the kill", setup.checkpoint(name)[0] == expected)
            shutil.rmtree(setup.folder / name)
        else:
            quoted = quoted or (process.returncode, said)
    check(f"{task}: a rank was killed {times} times", killed == times, f"status {quoted[0] if quoted else 'unknown'}")
    print("  mpirun said: " + " / ".join(line for line in quoted[1].splitlines() if line.strip("-= "))[:700])
    setup.must([*setup.ranks(1), *getattr(setup, task)(name), "--mpi"])
    check(f"{task}: after {times} kills the checkpoint of a run without", setup.checkpoint(name)[0] == expected)


def interrupts(setup, task):
    """Ctrl-C, which reaches mpirun alone (a scheduler) or its whole group (a terminal), and SIGTERM. The runs are long enough that they are not
    done before the signal has reached the ranks, for which Open MPI's mpirun takes a second."""
    whole = LONGER * (ITERATIONS if task == "tdleaf" else EPOCHS)
    command = lambda name: getattr(setup, task)(name, whole)
    setup.must(command(f"{task}-long"))
    expected, _ = setup.checkpoint(f"{task}-long")
    for whom, number in [("mpirun", signal.SIGINT), ("group", signal.SIGINT), ("mpirun", signal.SIGTERM)]:
        name = f"{task}-{whom}-{number.name}"
        # Without a checkpoint at every step: what is there in the end was saved because of the signal.
        long = [word if word != "0" or before != "--checkpoint-minutes" else "60" for before, word in zip([""] + command(name), command(name))]
        process = setup.start([*setup.ranks(2), *long, "--mpi"])
        log = setup.folder / name / ("net.safetensors")
        wait_for(log, process)
        time.sleep(0.7)
        if whom == "mpirun":
            # env has become mpirun.
            process.send_signal(number)
        else:
            os.killpg(process.pid, number)
        said, _ = process.communicate(timeout=DEADLINE)
        _, done = setup.checkpoint(name)
        # MPICH's mpirun, interrupted, may end with 0 (findings/mpich_interrupted_status.sh).
        saved = (done > 0 or task == "values") and done < whole and (process.returncode != 0 or not setup.open_mpi)
        check(f"{task}, {number.name} to {whom}: saved", saved, f"status {process.returncode}, {done} of {whole} done")
        setup.must([*setup.ranks(2), *command(name), "--mpi"])
        check(f"{task}: it goes on to the same bits", setup.checkpoint(name)[0] == expected)


def refusals(setup, plain):
    def refused(what, command, *words):
        begun = time.monotonic()
        status, said = setup.run(command)
        sentences = [line for line in said.splitlines() if line.startswith("okapi: ")]
        fits = status != 0 and len(sentences) == 1 and all(word in sentences[0] for word in words)
        check(what, fits, f"{time.monotonic() - begun:.1f} s, status {status}: {sentences[0] if sentences else said}")

    first, second = setup.ranks(1), [":", "-n", "1"]
    tdleaf, values = [*setup.tdleaf("refused"), "--mpi"], [*setup.values("refused"), "--mpi"]
    if plain:
        refused("a program without MPI", [*setup.ranks(2), plain, *tdleaf[1:]], "built without MPI")
    refused("mpirun without --mpi", [*setup.ranks(2), *tdleaf[:-1]], "has started 2 processes", "--mpi")
    other = setup.folder / "other" / "okapi"
    other.parent.mkdir(exist_ok=True)
    shutil.copy(setup.okapi, other)
    with other.open("ab") as file:
        file.write(b"another build")
    refused("another program", [*first, *tdleaf, *second, str(other), *tdleaf[1:]], "the hash of the program's file is")
    refused("another option", [*first, *tdleaf, *second, *tdleaf, "--rate", "2"], "the option rate is 60.0 on rank 0 and 2.0 on rank 1")
    refused("another command", [*first, *tdleaf, *second, *values], "the command is train tdleaf on rank 0 and train values on rank 1")
    net = (setup.folder / "net.safetensors").read_bytes()
    setup.must([setup.okapi, "train", "bootstrap", "--out", "other.safetensors", "--steps", "3", "--force"])
    # Another net behind the same name: the second rank sees another folder.
    (setup.folder / "elsewhere").mkdir(exist_ok=True)
    shutil.copy(setup.folder / "other.safetensors", setup.folder / "elsewhere" / "net.safetensors")
    absolute = [str(setup.folder / "refused") if word == "refused" else word for word in tdleaf]
    there = [*first, *absolute, *second, "env", "--chdir", str(setup.folder / "elsewhere"), *absolute]
    refused("another net", there, "the initial net is")
    assert (setup.folder / "net.safetensors").read_bytes() == net
    refused("a net that one rank does not have", [*first, *values, *second, *values, "--initial", "none"], "rank 1: cannot read the net none")
    elsewhere = [*setup.tdleaf("folder-of-rank-1"), "--mpi"]
    refused("another folder", [*first, *tdleaf, *second, *elsewhere], "rank 1 does not see the folder of rank 0 as folder-of-rank-1")
    if os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0:
        mounted = setup.folder / "mounted"
        mounted.mkdir(exist_ok=True)
        run = [word if word != "refused" else "mounted/run" for word in tdleaf]
        hidden = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none mounted && exec "$@"', "sh", *run]
        refused("another mount namespace", [*first, *run, *second, *hidden], "rank 1 does not see the folder of rank 0 as mounted/run")
    left = [name for name in ["refused", "folder-of-rank-1", "mounted/run"] if (setup.folder / name).exists()]
    check("nothing is left of what was refused", not left, ", ".join(left))


def hangs(setup):
    """A rank that stops before MPI begins, and one that does not come to compare what it has: the others end within their deadlines."""
    name = "refused"
    plain = [*setup.tdleaf(name), "--mpi"]
    os.mkfifo(setup.folder / "fifo")
    waits = [word if word != "net.safetensors" else "fifo" for word in plain]
    stops = ["sh", "-c", 'kill -STOP $$; exec "$@"', "sh", *plain]
    for what, first, second, least in [
        ("rank 1 stops before MPI begins", plain, stops, 60),
        ("rank 0 stops before MPI begins", stops, plain, 61),
        ("rank 1 stops behind it", plain, waits, 60),
        ("rank 0 stops behind it", waits, plain, 121),
    ]:
        begun = time.monotonic()
        process = setup.start([*setup.ranks(1), *first, ":", "-n", "1", *second])
        if waits in (first, second):
            # It reads a pipe into which nobody writes; so it is stopped at a place that is known.
            time.sleep(5)
            for rank in pids_of(setup, name):
                if b"fifo" in Path(f"/proc/{rank}/cmdline").read_bytes().split(b"\0"):
                    os.kill(rank, signal.SIGSTOP)
        try:
            said, _ = process.communicate(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            sys.exit(f"FAILED: {what}: the others wait for ever")
        seconds = time.monotonic() - begun
        sentences = [line for line in said.splitlines() if line.startswith("okapi: ")]
        fits = process.returncode != 0 and len(sentences) == 1 and "one of them hangs" in sentences[0] and seconds >= least
        check(what, fits, f"{seconds:.0f} s, status {process.returncode}: {sentences[0] if sentences else said}")
        time.sleep(1)
        check("no process is left", not pids_of(setup, name))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("okapi")
    parser.add_argument("--mpirun", default="mpirun", help="the command, such as mpirun.mpich")
    parser.add_argument("--all", action="store_true", help="1 to 4 ranks, ten kills, signals, ranks that hang")
    parser.add_argument("--plain", help="a program without MPI")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="okapi-mpi-") as folder:
        setup = Setup(arguments, Path(folder))
        setup.must([setup.okapi, "train", "bootstrap", "--out", "net.safetensors", "--steps", "20"])
        setup.must([setup.okapi, "train", "play", "data", "--games", "60", "--games-per-file", "20", "--nodes", "20", "--threads", "2"])
        counts = [1, 2, 3, 4] if arguments.all else [2]
        for task in ["tdleaf", "values"]:
            expected, seconds = same_bits(setup, task, counts)
            kills(setup, task, expected, 10 if arguments.all else 1, seconds)
            if arguments.all:
                interrupts(setup, task)
        refusals(setup, str(Path(arguments.plain).resolve()) if arguments.plain else None)
        if arguments.all:
            hangs(setup)


if __name__ == "__main__":
    main()
