#!/usr/bin/env python3
"""Learns how likely more time is to change the move (src/search/src/time/predictors.rs), from the search's own reports.

    okapi match --player "okapi name=one" --player "okapi name=two seed=2" --nodes 1000 --games 2000 --pgn games.pgn \\
        --openings balanced.epd --order random --seed 95
    python3 tests/tools/clock_model.py games.pgn --samples predictors.csv

for the search by depth; for the search by probability both players of the match get `search=probability`, and this program
`--search probability`.

One position of every game is searched with --nodes. At the end of every iteration the engine tells the predictors (`debug on`); the
label is whether the search has another best move after four times the nodes. A logistic regression of the labels, on four fifths of
the games, is compared on the other fifth with the rate of changes alone. The number of nodes is an input of the regression;
of the model it only moves the mean, so that moves are compared with others that were searched as long. Needs PyPI's chess and numpy.
"""

import argparse
import csv
import os
import random
import re

import chess.pgn
import numpy

from uci_engine import Engine

LINE = re.compile(
    r"predictors: nodes (\d+), stable (\d+), changes ([\d.]+), fall ([\d.]+), value (-?[\d.]+), other nodes ([\d.]+), worth"
)
COLUMNS = ["game", "nodes", "stable", "changes", "fall", "value", "other_nodes", "changed"]
NAMES = ["constant", "1 / (1 + stable)", "changes", "fall", "|value|", "other nodes", "log2 nodes"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", metavar="PGN")
    parser.add_argument("--samples", required=True, metavar="FILE", help="the samples; an existing file is used as it is")
    parser.add_argument("--engine", default="target/release/okapi", metavar="PROGRAM")
    parser.add_argument("--search", default="depth", help="the engine's option Search")
    parser.add_argument("--count", type=int, default=1000, help="games")
    parser.add_argument("--nodes", type=int, default=200_000)
    parser.add_argument("--least", type=int, default=2_000, help="nodes of a search that could have ended")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if not os.path.exists(options.samples):
        collect(options)
    with open(options.samples, newline="") as file:
        fit([{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)])


def collect(options):
    engine = Engine(options.engine, [("Hash", 16), ("Search", options.search)])
    engine.send("debug on")
    draw = random.Random(options.seed)
    with open(options.games) as games, open(options.samples + ".part", "w", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS)
        writer.writeheader()
        for number in range(options.count):
            game = chess.pgn.read_game(games)
            if game is None:
                break
            boards = [node.board() for node in game.mainline()]
            boards = [board for board in boards[8:] if board.legal_moves.count() > 1]
            if boards:
                writer.writerows(samples(engine, options, draw.choice(boards), number))
            print(f"\r{number + 1} of {options.count}", end="", flush=True)
    print()
    engine.close()
    os.replace(options.samples + ".part", options.samples)


def samples(engine, options, board, number):
    """A row for every iteration whose label is known."""
    engine.new_game()
    engine.send(f"position fen {board.fen()}")
    engine.send(f"go nodes {options.nodes}")
    best, ends = None, []
    for line in engine.lines_until("bestmove", 600):
        if " pv " in line and "upperbound" not in line:
            best = line.split(" pv ")[1].split()[0]
        elif match := LINE.search(line):
            ends.append(([float(value) for value in match.groups()], best))
        elif line.startswith("bestmove"):
            ends.append(([options.nodes] + [0] * 5, line.split()[1]))
    for row, move in ends:
        later = next((other for other, _ in ends if other[0] >= 4 * row[0]), None)
        if row[0] >= options.least and later is not None:
            after = next(other for values, other in ends if values is later)
            yield dict(zip(COLUMNS, [number, *row, int(after != move)]))


def inputs(row):
    return [1, 1 / (1 + row["stable"]), row["changes"], min(row["fall"], 0.2), abs(row["value"]), row["other_nodes"], numpy.log2(row["nodes"])]


def fit(rows):
    x = numpy.array([inputs(row) for row in rows])
    y = numpy.array([row["changed"] for row in rows])
    is_training = numpy.array([row["game"] % 5 != 0 for row in rows])
    weights = regression(x[is_training], y[is_training])
    p = 1 / (1 + numpy.exp(-x[~is_training] @ weights))
    held = y[~is_training]
    # By the number of nodes alone.
    plain = regression(x[is_training][:, [0, 6]], y[is_training])
    q = 1 / (1 + numpy.exp(-x[~is_training][:, [0, 6]] @ plain))
    print(f"{len(rows)} samples, {100 * y.mean():.1f} % changed; {len(held)} validation samples")
    print(f"log-loss {loss(p, held):.4f}; by nodes alone {loss(q, held):.4f}")
    for name, weight in zip(NAMES, weights):
        print(f"{name:>18} {weight:+.3f}")
    odds = x[:, 1:6] @ weights[1:6]
    print(f"mean of the predictors' sum {odds.mean():+.3f}, standard deviation {odds.std():.3f}")
    # The mean sample of its number of nodes has the usual time.
    slope, start = numpy.polyfit(x[:, 6], odds, 1)
    print(f"mean by nodes: {start:+.3f} {slope:+.4f} log2 nodes")
    for low, high in [(0, 0.05), (0.05, 0.1), (0.1, 0.2), (0.2, 0.4), (0.4, 1)]:
        inside = (p >= low) & (p < high)
        if inside.any():
            print(f"predicted {low:.2f} to {high:.2f}: {inside.sum()} samples, {100 * held[inside].mean():.1f} % changed")


def regression(x, y):
    """Maximum likelihood by Newton's method, with a little shrinkage."""
    weights = numpy.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + numpy.exp(-x @ weights))
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 1e-3 * numpy.eye(x.shape[1])
        weights += numpy.linalg.solve(hessian, x.T @ (y - p) - 1e-3 * weights)
    return weights


def loss(p, y):
    return -numpy.mean(y * numpy.log(p) + (1 - y) * numpy.log(1 - p))


if __name__ == "__main__":
    main()
