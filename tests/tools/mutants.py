#!/usr/bin/env python3
"""The mutation score: how many deliberate faults, drawn at random, the tests of their own crate notice.

    cargo install cargo-mutants --version 27.1.0 --locked
    python3 tests/tools/mutants.py /tmp/mutants --seed 1            # 150 mutants, two to three hours on two cores
    python3 tests/tools/mutants.py /tmp/mutants                     # goes on after Ctrl-C, or shows what was found

cargo-mutants lists the mutants of search, learn, sts, matches and kernels, no file excluded; `--seed` draws `--count` of them, each as
likely as any other. Each is put into a copy of the tree and tested by `cargo test --tests -p CRATE`. cargo-mutants
is not asked to do that, because its filter by name does not leave out mutants that delete a field. The score is caught / compiled: a
mutant whose tests do not end in five times their time counts as caught, and one that changes nothing that can be observed as missed. It
holds for the tree that the folder was begun with; another tree needs another folder. The status is 1 if a complete sample scores less than
90 %, as docs/RELIABILITY.md promises, or is not complete.
"""

import argparse
import json
import os
import pathlib
import queue
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRATES = ["search", "learn", "sts", "matches", "kernels"]
# The least score, in percent.
LEAST = 90


def listed():
    """All mutants, by their names."""
    crates = [word for crate in CRATES for word in ("-p", crate)]
    command = ["cargo", "mutants", "--list", "--json", *crates]
    output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {mutant["name"]: mutant for mutant in json.loads(output)}


def mutated(text, mutant):
    """The text with the mutant's replacement in place of its span, whose lines and columns count characters from 1."""
    lines = text.splitlines(keepends=True)
    place = lambda at: sum(map(len, lines[: at["line"] - 1])) + at["column"] - 1
    return text[: place(mutant["span"]["start"])] + mutant["replacement"] + text[place(mutant["span"]["end"]) :]


class Tree:
    """A copy of the tree, in which one mutant at a time is tested."""

    def __init__(self, folder):
        self.folder = folder
        files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for name in filter(None, files.split("\0")):
            target = folder / name
            if not target.exists() or target.read_bytes() != (ROOT / name).read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, target)
        self.child = None
        self.seconds = {}

    def cargo_test(self, crate, *more, limit=None):
        """The status of the tests of a crate; `None` if they did not end in time."""
        log = (self.folder.parent / f"{self.folder.name}.log").open("a")
        # A job of its own, so that what the tests start ends with them.
        command = ["cargo", "test", "--locked", "-p", crate, *more]
        self.child = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log, start_new_session=True)
        try:
            return self.child.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            return None
        finally:
            self.end()

    def end(self):
        if self.child and self.child.poll() is None:
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()

    def limit(self, crate):
        """Five times the seconds that the crate's tests take without a mutant, which are measured once."""
        if crate not in self.seconds:
            if self.cargo_test(crate, "--tests", "--no-run") != 0:
                # What was stopped while it compiled can leave a cache whose objects do not link.
                for cache in self.folder.glob(f"target/debug/incremental/{crate}-*"):
                    shutil.rmtree(cache)
                assert self.cargo_test(crate, "--tests", "--no-run") == 0, f"{crate} does not compile without a mutant"
            start = time.monotonic()
            assert self.cargo_test(crate, "--tests") == 0, f"the tests of {crate} fail without a mutant"
            self.seconds[crate] = time.monotonic() - start
        return 20 + 5 * self.seconds[crate]

    def test(self, mutant):
        """What becomes of a mutant."""
        crate, path = mutant["package"], self.folder / mutant["file"]
        limit = self.limit(crate)
        text = path.read_text()
        try:
            path.write_text(mutated(text, mutant))
            # Most are caught by the crate's unit tests; the programs of its folder `tests` are compiled for the others.
            for tests in ["--lib", "--tests"]:
                if self.cargo_test(crate, tests, "--no-run") != 0:
                    return "unviable"
                status = self.cargo_test(crate, tests, limit=limit)
                if status is None:
                    return "timeout"
                if status:
                    return "caught"
            return "missed"
        finally:
            path.write_text(text)


def show(sample, found, packages):
    """Shows the scores, and returns that of all crates: mutants caught and compiled."""
    tested = [name for name in sample["mutants"] if name in found]
    count = lambda names, *results: sum(found[name] in results for name in names)
    of = f"{len(tested)} of {len(sample['mutants'])} tested ({sample['of']} in all)"
    print(f"\nseed {sample['seed']}: {of}, {count(tested, 'unviable')} do not compile")
    for crate in [*CRATES, "all"]:
        names = [name for name in tested if crate in ("all", packages[name])]
        caught, compiled = count(names, "caught", "timeout"), len(names) - count(names, "unviable")
        print(f"{crate:8} {caught:3} of {compiled:3} caught" + (f", {100 * caught / compiled:.0f} %" if compiled else ""))
    missed = [name for name in tested if found[name] == "missed"]
    print("missed:" if missed else "none missed", *missed, sep="\n  ")
    return caught, compiled


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="the sample and what is found; made if it is missing")
    parser.add_argument("--seed", type=int, help="of the sample; needed for a new folder")
    parser.add_argument("--count", type=int, default=150, help="mutants to draw (150)")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time (2)")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)

    every = listed()
    sample_file, results_file = folder / "sample.json", folder / "results.jsonl"
    if sample_file.exists():
        sample = json.loads(sample_file.read_text())
        if options.seed not in (None, sample["seed"]):
            sys.exit(f"{folder} holds the sample of seed {sample['seed']}: name another folder")
        if unknown := set(sample["mutants"]).difference(every):
            sys.exit(f"the tree is not that of {sample_file}: it has no mutant '{min(unknown)}'")
    elif options.seed is None:
        sys.exit(f"{folder} holds no sample: give its --seed")
    else:
        drawn = random.Random(options.seed).sample(sorted(every), min(options.count, len(every)))
        sample = {"seed": options.seed, "of": len(every), "mutants": drawn}
        sample_file.write_text(json.dumps(sample, indent=1))
    rows = [json.loads(line) for line in results_file.read_text().splitlines()] if results_file.exists() else []
    found = {row["name"]: row["result"] for row in rows}

    left = queue.Queue()
    for name in sample["mutants"]:
        if name not in found:
            left.put(name)
    total, start = left.qsize(), time.monotonic()
    if total:
        print(f"{total} of {len(sample['mutants'])} mutants are to be tested; output in {folder}", flush=True)
        # The copies lie beside a link to the data that lies beside the checkout, so that their tests find it.
        shared = ROOT.parent / "shared"
        if shared.exists() and not (folder / "shared").exists():
            (folder / "shared").symlink_to(shared)
    lock = threading.Lock()
    stop = threading.Event()
    trees = [Tree(folder / f"tree-{number}") for number in range(1, options.jobs + 1)] if total else []

    def work(tree):
        while not stop.is_set():
            try:
                name = left.get_nowait()
            except queue.Empty:
                return
            result = tree.test(every[name])
            # What was tested when all was stopped is tested again.
            if stop.is_set():
                return
            with lock:
                found[name] = result
                with results_file.open("a") as file:
                    file.write(json.dumps({"name": name, "result": result}) + "\n")
                done = total - left.qsize()
                minutes = (time.monotonic() - start) / 60
                print(f"{len(found):4} {result:8} {name}   [{minutes:.0f} min, about {minutes / done * left.qsize():.0f} left]", flush=True)

    # Also where the shell has told a job in the background to ignore them.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    threads = [threading.Thread(target=work, args=(tree,)) for tree in trees]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        stop.set()
        for tree in trees:
            tree.end()
        for thread in threads:
            thread.join()
        print("stopped; the same command goes on")
    caught, compiled = show(sample, found, {name: mutant["package"] for name, mutant in every.items()})
    if len(found) < len(sample["mutants"]):
        return 130 if stop.is_set() else 1
    if not compiled or 100 * caught < LEAST * compiled:
        print(f"the tests catch {caught} of {compiled} mutants, and {LEAST} % is the least", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
