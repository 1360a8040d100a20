#!/usr/bin/env python3
"""Fits what a draw should be worth against weaker and stronger opponents (Contempt), and writes src/engine/contempt.txt.

    python3 tests/tools/contempt_table.py --openings book.epd --state contempt

Okapi at --nodes a move, with every DrawScore of WORTHS, meets itself at other numbers of nodes. The points per game are fitted by

    points = c(opponent) + x (a0 + a1 advantage) + b x^2

where x is the worth of a draw (-1 to 1) and the advantage (in Elo) follows from the games with x = 0. If draws are worth points where the
curve has a maximum, that is the table; where none gains points (the estimate of b not below 0, or a1 not below 0 by 95 %), the table is 0.
The same command goes on where it was stopped. Needs numpy.
"""

import argparse
import json
import math
import os
import subprocess
import sys

import measured_table
import numpy

TABLE = "src/engine/contempt.txt"
WORTHS = [-50, -20, 0, 20, 50]
OPPONENTS = [0.25, 0.5, 1.0, 2.0, 4.0]
ADVANTAGES = [-400, -200, -100, 0, 100, 200, 400]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="target/release/okapi", metavar="PROGRAM")
    parser.add_argument("--openings", required=True, metavar="FILE", help="openings for the games (.epd or .pgn)")
    parser.add_argument("--state", required=True, metavar="FOLDER", help="the records of the matches")
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--games", type=int, default=500, help="games of a worth against an opponent")
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--out", default=TABLE, metavar="FILE")
    options = parser.parse_args()
    os.makedirs(options.state, exist_ok=True)
    scores = {}
    for factor in OPPONENTS:
        for worth in WORTHS:
            scores[factor, worth] = play(options, factor, worth)
    write(options.out, fit(scores))


def play(options, factor, worth):
    """Wins, draws and losses."""
    record = os.path.join(options.state, f"{factor}-{worth}.state")
    command = [options.engine, "match", "--games", str(options.games), "--openings", options.openings, "--order", "random",
               "--state", record, "--concurrency", str(options.concurrency), "--hash", "8", "--seed", "3",
               "--player", f"okapi name=a nodes={options.nodes} draw-score={worth}",
               "--player", f"okapi name=b nodes={round(factor * options.nodes)}"]
    print(f"a draw worth {worth} against {factor} times the nodes", file=sys.stderr)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    merged = subprocess.run([options.engine, "match", "--merge", record, "--json", "-"], check=True, capture_output=True)
    encounter = json.loads(merged.stdout)["encounters"][0]
    counts = [encounter["score"][key] for key in ("wins", "draws", "losses")]
    return counts if encounter["player"] == "a" else counts[::-1]


def fit(scores):
    """The worth for each of ADVANTAGES."""
    advantage = {factor: elo(points(scores[factor, 0])) for factor in OPPONENTS}
    rows, values, weights = [], [], []
    print("| opponent's nodes | advantage, Elo | a draw is worth | won | drawn | lost | points, % |\n|" + " --- |" * 7)
    for (factor, worth), counts in scores.items():
        x = worth / 100
        constants = [float(factor == other) for other in OPPONENTS]
        rows.append(constants + [x, x * advantage[factor] / 100, x * x])
        values.append(points(counts))
        weights.append(1 / math.sqrt(variance(counts)))
        print(f"| {factor} | {advantage[factor]:+.0f} | {x:+.1f} | " + " | ".join(map(str, counts)) + f" | {100 * points(counts):.1f} |")
    matrix = numpy.array(rows) * numpy.array(weights)[:, None]
    covariance = numpy.linalg.inv(matrix.T @ matrix)
    a0, a1, b = (covariance @ matrix.T @ (numpy.array(values) * weights))[-3:]
    e0, e1, eb = 1.96 * numpy.sqrt(numpy.diag(covariance))[-3:]
    print(f"\npoints = c + x ({a0:+.4f} +- {e0:.4f} + ({a1:+.4f} +- {e1:.4f}) advantage / 100) + ({b:+.4f} +- {eb:.4f}) x^2")
    if b >= 0 or a1 + e1 >= 0:
        print("no worth but half a win gains points by 95 %")
        return [0.0] * len(ADVANTAGES)
    # Against an equal opponent a draw is worth half a win: a0, which belongs to no opponent, is left out.
    return [min(max(-a1 * value / 100 / (2 * b), -1), 1) + 0.0 for value in ADVANTAGES]


def points(counts):
    wins, draws, losses = counts
    return (wins + draws / 2) / (wins + draws + losses)


def variance(counts):
    """Of the mean of points."""
    wins, draws, _ = counts
    total, mean = sum(counts), points(counts)
    return ((wins + draws / 4) / total - mean * mean) / total


def elo(share):
    return -400 * math.log10(1 / share - 1)


def write(path, worths):
    comment = "The worth of a draw, -1 to 1, by the advantage over the opponent in Elo: fitted by tests/tools/contempt_table.py."
    rows = [f"{advantage} {worth:.2f}" for advantage, worth in zip(ADVANTAGES, worths)]
    print(measured_table.write(path, comment, rows), end="")


if __name__ == "__main__":
    main()
