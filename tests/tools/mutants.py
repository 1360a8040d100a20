#!/usr/bin/env python3
"""The mutation score: how many deliberate faults, drawn at random, the tests of their own crate notice.

    cargo install cargo-mutants --version 27.1.0 --locked
    python3 tests/tools/mutants.py /tmp/mutants --seed 1            # 150 mutants, about two hours on two cores
    python3 tests/tools/mutants.py /tmp/mutants                     # goes on after Ctrl-C, or shows what was found

cargo-mutants lists the mutants of search, learn, sts, matches and kernels, no file excluded; `--seed` draws `--count` of them, each as
likely as any other. Each is compiled and tested by `cargo test --tests -p CRATE`. The score is caught / compiled: a mutant that ends
in a timeout counts as caught, and one that changes nothing that can be observed as missed. It holds for the tree that the folder
was begun with; another tree needs another folder.
"""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRATES = ["search", "learn", "sts", "matches", "kernels"]
CAUGHT = {"CaughtMutant", "Timeout"}


def cargo_mutants(*arguments, **options):
    return subprocess.run(["cargo", "mutants", *arguments], cwd=ROOT, **options)


def listed():
    """The names of all mutants."""
    crates = [word for crate in CRATES for word in ("-p", crate)]
    output = cargo_mutants("--list", "--json", *crates, check=True, capture_output=True, text=True).stdout
    return [mutant["name"] for mutant in json.loads(output)]


def outcomes(folder):
    """`{name: outcome}` of the mutants that were tested, in all runs of this folder."""
    found = {}
    for path in sorted(folder.glob("run-*/mutants.out/outcomes.json")):
        for outcome in json.loads(path.read_text())["outcomes"]:
            if isinstance(outcome["scenario"], dict):
                found[outcome["scenario"]["Mutant"]["name"]] = outcome["summary"]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="the sample and what is found; made if it is missing")
    parser.add_argument("--seed", type=int, help="of the sample; needed for a new folder")
    parser.add_argument("--count", type=int, default=150, help="mutants to draw (150)")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time (2)")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)

    sample_file = folder / "sample.json"
    if sample_file.exists():
        sample = json.loads(sample_file.read_text())
        if options.seed not in (None, sample["seed"]):
            sys.exit(f"{folder} holds the sample of seed {sample['seed']}: name another folder")
    elif options.seed is None:
        sys.exit(f"{folder} holds no sample: give its --seed")
    else:
        names = listed()
        drawn = random.Random(options.seed).sample(sorted(names), min(options.count, len(names)))
        sample = {"seed": options.seed, "of": len(names), "mutants": drawn}
        sample_file.write_text(json.dumps(sample, indent=1))

    left = [name for name in sample["mutants"] if name not in outcomes(folder)]
    if left:
        if unknown := set(left) - set(listed()):
            sys.exit(f"the tree is not that of {sample_file}: it has no mutant '{min(unknown)}'")
        print(f"{len(left)} of {len(sample['mutants'])} mutants are to be tested; output in {folder}", flush=True)
        # The copies of the tree lie here, so that their tests find the data beside the checkout.
        trees = folder / "trees"
        trees.mkdir(exist_ok=True)
        shared = ROOT.parent / "shared"
        if shared.exists() and not (trees / "shared").exists():
            (trees / "shared").symlink_to(shared)
        run = folder / f"run-{len(list(folder.glob('run-*'))) + 1}"
        run.mkdir()
        wanted = [word for name in left for word in ("-F", f"^{re.escape(name)}$")]
        jobs = ["--jobs", str(options.jobs)] if options.jobs > 1 else []
        status = cargo_mutants(*wanted, *jobs, "--output", run, "--cargo-test-arg=--tests", "--caught", "--no-shuffle",
                               env={**os.environ, "TMPDIR": str(trees), "RUST_BACKTRACE": "0"}).returncode
        if status not in (0, 2, 3):
            print(f"cargo mutants ended with status {status}")

    found = outcomes(folder)
    by_crate = {crate: [0, 0] for crate in CRATES}
    for name in sample["mutants"]:
        if name in found and found[name] != "Unviable":
            crate = next(crate for crate in CRATES if f"{crate}/" in name.split(":")[0])
            by_crate[crate][0] += found[name] in CAUGHT
            by_crate[crate][1] += 1
    tested = [name for name in sample["mutants"] if name in found]
    unviable = sum(found[name] == "Unviable" for name in tested)
    print(f"\nseed {sample['seed']}: {len(tested)} of {len(sample['mutants'])} tested ({sample['of']} in all), {unviable} do not compile")
    for crate, (caught, compiled) in [*by_crate.items(), ("all", [sum(column) for column in zip(*by_crate.values())])]:
        print(f"{crate:8} {caught:3} of {compiled:3} caught" + (f", {100 * caught / compiled:.0f} %" if compiled else ""))
    missed = [name for name in tested if found[name] == "MissedMutant"]
    print("missed:" if missed else "none missed", *missed, sep="\n  ")
    return 0 if len(tested) == len(sample["mutants"]) else 1


if __name__ == "__main__":
    sys.exit(main())
