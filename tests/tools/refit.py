#!/usr/bin/env python3
"""Makes a value network the one that ships, and measures again what depends on the shipped networks.

    python3 tests/tools/refit.py nets/runs/values-5/net.safetensors --work refit --data ../shared/data

In this order; games, second output and matches that are in --work already are not made again, so that the same command goes on where it
was stopped (29 minutes on two cores with --games 80000, when neighboring levels still played 100 games):

1. games of the network with itself, from random openings and from positions of games (`okapi train play`);
2. the second output and kappa, from their results (`okapi train wdl`), examined on other games and on TCEC's (`okapi wdl examine`);
3. nets/trained/value.safetensors, and the program again (cargo build --release);
4. the Elo of the levels of strength (strength_levels.py --by-nodes: src/engine/strength.txt) and the worth of a draw by advantage
   (contempt_table.py: src/engine/contempt.txt), each with the hashes of the networks, which tests compare with those that ship;
5. the bench signature (src/engine/signature.txt) and the training signature (src/learn/signature.txt).

By hand remain nets/trained/PROVENANCE.md, whose hash a test compares, the net's name and topology in nets/tests/nets/golden.rs and tests/cli_net.rs,
the numbers in the documents, the constants of the search (`okapi tune`) and those of the clock (clock_model.py). Needs stockfish in PATH, and numpy.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

SHIPPED = "nets/trained/value.safetensors"
ENGINE = "target/release/okapi"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", help="the value network, whose second output, if any, is learned again")
    parser.add_argument("--work", required=True, metavar="FOLDER", help="games, networks and records of matches")
    parser.add_argument("--data", required=True, metavar="FOLDER", help="openings/, games/ and sts/ (MEASUREMENTS.md, Data)")
    parser.add_argument("--games", type=int, default=150_000, help="games that the second output learns from")
    parser.add_argument("--nodes", type=int, default=256, help="nodes a move of these games")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    run("cargo", "build", "--release", "--locked")
    second_output(options)
    shutil.copyfile(inside(options, "second-output/net.safetensors"), SHIPPED + ".part")
    os.replace(SHIPPED + ".part", SHIPPED)
    run("cargo", "build", "--release", "--locked")
    openings = os.path.join(options.data, "openings/balanced-3moves-20k.epd")
    tables = [("strength_levels.py", ["--by-nodes"]), ("contempt_table.py", ["--games", "300"])]
    for script, flags in tables:
        state = inside(options, script.removesuffix(".py"))
        run(sys.executable, os.path.join("tests/tools", script), "--openings", openings, "--state", state, *flags)
    run("cargo", "build", "--release", "--locked")
    signatures()


def second_output(options):
    random, starts, held = (inside(options, name) for name in ("random", "starts", "held"))
    tcec = os.path.join(options.data, "games/tcec.pgn.zst")
    suite = os.path.join(options.data, "sts/STS1-STS15_LAN_v3.epd")
    second, beginnings = inside(options, "second-output"), 20_480
    learned = os.path.join(second, "net.safetensors")
    play(options, random, beginnings, 4343)
    play(options, held, 6144, 990018)
    play(options, starts, options.games - beginnings, 6, "--starts", tcec, "--exclude", suite)
    okapi("train", "wdl", random, starts, "--value-net", options.net, "--games", options.games, "--epochs", 20, "--out", second)
    training = ["--training", random, starts, "--max-games", 30_000, "--value-net", learned]
    for examined in [[held], [tcec], [tcec, "--refit"]]:
        okapi("wdl", "examine", *examined, *training)


def play(options, folder, games, seed, *flags):
    okapi("train", "play", folder, "--games", games, "--nodes", options.nodes, "--seed", seed, "--value-net", options.net, *flags)


def signatures():
    bench = subprocess.run([ENGINE, "bench"], check=True, capture_output=True, text=True).stdout
    write("src/engine/signature.txt", re.search(r"^nodes (\d+)$", bench, re.MULTILINE)[1] + "\n")
    # The test prints the rows that it found before it fails, and says nothing where they are as recorded.
    test = subprocess.run(["cargo", "test", "--locked", "--test", "training_signature"], capture_output=True, text=True)
    if test.returncode != 0:
        rows = re.search(r"found:\n((?:[a-z_ ]+: [0-9a-f]{64}\n)+)", test.stdout + test.stderr)
        if rows is None:
            sys.exit("the training signature was not found in what its test printed:\n" + test.stdout + test.stderr)
        write("src/learn/signature.txt", rows[1])


def inside(options, name):
    return os.path.join(options.work, name)


def okapi(*words):
    run(ENGINE, *map(str, words))


def run(*command):
    print("$ " + " ".join(command), file=sys.stderr, flush=True)
    subprocess.run(command, check=True)


def write(path, text):
    with open(path + ".part", "w") as file:
        file.write(text)
    os.replace(path + ".part", path)


if __name__ == "__main__":
    main()
