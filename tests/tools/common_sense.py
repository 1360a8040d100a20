#!/usr/bin/env python3
"""Does a side that must not be content with a draw win won positions sooner (CommonSense, SAI's parameter lambda)?

    python3 tests/tools/common_sense.py --games games.pgn --out folder [--engine target/release/okapi]

Positions of the games, one a game, that the engine finds won for the side to move (--least to --most centipawns) become openings; then, for
each value of CommonSense, the engine with it plays the won side and the engine without it defends, at --nodes a move. Reports
the results and the mean number of plies to mate. The same command goes on where it was stopped. Needs PyPI's chess.
"""

import argparse
import os
import statistics
import subprocess
import sys

import chess.pgn

from uci_engine import Engine


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", required=True, metavar="PGN")
    parser.add_argument("--out", required=True, metavar="FOLDER")
    parser.add_argument("--engine", default="target/release/okapi", metavar="PROGRAM")
    parser.add_argument("--count", type=int, default=500, help="positions")
    parser.add_argument("--least", type=int, default=300)
    parser.add_argument("--most", type=int, default=900)
    parser.add_argument("--nodes", type=int, default=2_000, help="nodes a move")
    parser.add_argument("--common-sense", type=int, nargs="+", default=[0, 50, 100])
    parser.add_argument("--concurrency", type=int, default=2)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    openings = os.path.join(options.out, "won.epd")
    if not os.path.exists(openings):
        with open(openings + ".part", "w") as file:
            file.writelines(f"{board.epd()}\n" for board in won_positions(options))
        os.replace(openings + ".part", openings)
    for value in options.common_sense:
        report(value, openings, play(options, openings, value))


def won_positions(options):
    engine, found = Engine(options.engine), 0
    with open(options.games) as file:
        while found < options.count:
            game = chess.pgn.read_game(file)
            if game is None:
                sys.exit(f"{options.games} has {found} such positions, fewer than {options.count}")
            for node in game.mainline():
                board = node.board()
                if board.ply() < 30 or board.ply() % 4 or board.is_check() or board.is_game_over():
                    continue
                score = engine.search(f"fen {board.fen()}", "nodes 500", 20).score
                if options.least <= score <= options.most:
                    found += 1
                    print(f"\r{found} of {options.count}", end="", file=sys.stderr)
                    yield board
                    break


def play(options, openings, value):
    pgn = os.path.join(options.out, f"{value}.pgn")
    command = [options.engine, "match", "--openings", openings, "--nodes", str(options.nodes), "--hash", "8",
               "--games", str(2 * options.count), "--concurrency", str(options.concurrency), "--pgn", pgn, "--force",
               "--state", os.path.join(options.out, f"{value}.state"),
               "--player", f"okapi name=a common-sense={value}", "--player", "okapi name=b"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return pgn


def report(value, openings, path):
    """Of the games in which `a` has the won side: its results, and the plies of those that it mated."""
    with open(openings) as file:
        won_by_white = {" ".join(line.split()[:4]): line.split()[1] == "w" for line in file}
    results, plies = {"won": 0, "drawn": 0, "lost": 0}, []
    with open(path) as file:
        while (game := chess.pgn.read_game(file)) is not None:
            start = game.board()
            strong = won_by_white[" ".join(start.epd().split()[:4])]
            if (game.headers["White"] == "a") != strong:
                continue
            result = game.headers["Result"]
            what = "drawn" if result == "1/2-1/2" else "won" if (result == "1-0") == strong else "lost"
            results[what] += 1
            end = game.end()
            if what == "won" and end.board().is_checkmate():
                plies.append(end.ply() - start.ply())
    error = statistics.stdev(plies) / len(plies) ** 0.5
    print(f"CommonSense {value}: {results}, {statistics.mean(plies):.1f} +- {1.96 * error:.1f} plies to mate in {len(plies)} games")


if __name__ == "__main__":
    main()
