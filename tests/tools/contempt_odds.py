#!/usr/bin/env python3
"""Search-contempt at queen odds against weak opponents, beside PUCT: is it worth points, and does that grow with the visits?

    python3 tests/tools/contempt_odds.py --state runs/odds
    python3 tests/tools/contempt_odds.py --state runs/odds --budgets 100,800

CITE: Joshi, "Search-contempt: a hybrid MCTS algorithm for training AlphaZero-like engines with better computational efficiency", 2025,
section 4.1: queen odds, N_scl = 28, 100 to 20,000 visits. The odds, the opponents and the openings below were chosen by some hundred
games of PUCT alone, from other openings, so that PUCT with 800 visits scores 20 to 50 %.

Both arms play the same openings: 8 random plies that keep the material of the odds, with both colors. A line for each opponent has the points
of both arms, in percent, and the difference with its 95 % interval, by openings; then all budgets together, and what the difference grows
by from the least to the greatest budget. The same command continues the matches.
"""

import argparse
import json
import math
import os
import statistics
import subprocess

ODDS = "queen"
ARMS = {"PUCT": "", "search-contempt": " sc-limit=28"}
BUDGETS = [100, 800, 20000]
GIVER = "okapi name=giver search=mcts nodes={nodes} hash=64{arm}"
TAKERS = {
    "weak": "okapi name=taker search=mcts nodes=28 temperature=30 hash=4",
    "stockfish": "cmd=stockfish name=taker option.Hash=16 option.UCI_LimitStrength=true option.UCI_Elo=1700 nodes=10000",
}
GAMES = 600
SEED = 20261129


def play(options, taker, budget, arm):
    """(opening): the giver's points of its two games, from 0 to 2."""
    state = os.path.join(options.state, f"{taker}-{budget}-{arm}.jsonl")
    players = GIVER.format(nodes=budget, arm=ARMS[arm]), TAKERS[taker]
    command = [options.engine, "match", "--odds", f"{ODDS}:giver", "--games", str(GAMES), "--seed", str(SEED)]
    command += ["--concurrency", str(options.concurrency), "--state", state]
    for player in players:
        command += ["--player", player]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    points = {}
    with open(state, encoding="utf-8") as lines:
        for line in lines:
            game = json.loads(line)
            if "game" in game:
                score = {"1-0": 1, "0-1": 0, "1/2-1/2": 0.5}[game["result"]]
                opening = (game["game"] - 1) // 2
                points[opening] = points.get(opening, 0) + (score if game["white"] == "giver" else 1 - score)
    return [points[opening] for opening in range(GAMES // 2)]


def interval(values):
    """The mean of points of two games and its 95 % interval, in percent of a game's point."""
    mean, error = statistics.mean(values), 1.96 * statistics.stdev(values) / math.sqrt(len(values))
    return f"{50 * mean:+.1f} [{50 * (mean - error):+.1f}, {50 * (mean + error):+.1f}]"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="target/release/okapi", metavar="PROGRAM")
    parser.add_argument("--state", required=True, metavar="FOLDER", help="the records of the matches")
    parser.add_argument("--takers", default=",".join(TAKERS), help=f"some of {','.join(TAKERS)}")
    parser.add_argument("--budgets", default=",".join(map(str, BUDGETS)), help="visits of a move")
    parser.add_argument("--concurrency", type=int, default=2)
    options = parser.parse_args()
    os.makedirs(options.state, exist_ok=True)
    budgets = [int(budget) for budget in options.budgets.split(",")]
    print("| opponent | visits | PUCT, % | search-contempt, % | difference |\n| --- | --- | --- | --- | --- |")
    for taker in options.takers.split(","):
        differences = []
        for budget in budgets:
            puct, contempt = (play(options, taker, budget, arm) for arm in ARMS)
            differences.append([one - other for one, other in zip(contempt, puct)])
            shares = (f"{50 * statistics.mean(points):.1f}" for points in (puct, contempt))
            print(f"| {taker} | {budget} | {' | '.join(shares)} | {interval(differences[-1])} |", flush=True)
        if len(budgets) > 1:
            print(f"| {taker} | all | | | {interval([statistics.mean(each) for each in zip(*differences)])} |")
            grown = [last - first for first, last in zip(differences[0], differences[-1])]
            print(f"| {taker} | {budgets[-1]} less {budgets[0]} | | | {interval(grown)} |", flush=True)


if __name__ == "__main__":
    main()
