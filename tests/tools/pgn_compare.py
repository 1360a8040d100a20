#!/usr/bin/env python3
"""Compares the games that Okapi reads in PGN files with those that python-chess reads, move by move.

    pip install chess==1.11.2
    cargo build --release -p pgn --example moves
    python3 tests/tools/pgn_compare.py FILE.pgn ... [--games N] [--reader target/release/examples/moves]

Prints every difference, what Okapi says of it, and the times of both; exit code 1 if there is a difference.
"""

import argparse
import subprocess
import sys
import time

import chess.pgn


def theirs(path, most):
    """The moves of python-chess's games, as lists of UCI moves."""
    games = []
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        while len(games) < most and (game := chess.pgn.read_game(file)) is not None:
            board = game.board()
            games.append([])
            for move in game.mainline_moves():
                games[-1].append(board.uci(move))
                board.push(move)
    return games


def ours(reader, path, most):
    """Okapi's games by their number, and its faults."""
    output = subprocess.run([reader, path], check=True, capture_output=True, text=True).stdout
    games, faults = {}, []
    for line in output.splitlines():
        kind, _, rest = line.partition(": ")
        if kind == "fault":
            faults.append(rest)
        elif (number := int(line.split(":")[0].split()[1])) <= most:
            games[number] = line.split(":", 1)[1].split()
    return games, faults


def main():
    """See the description of this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE.pgn")
    parser.add_argument("--games", type=int, default=1_000_000_000, metavar="N", help="compare the first N games of a file")
    parser.add_argument("--reader", default="target/release/examples/moves", metavar="PROGRAM")
    arguments = parser.parse_args()
    differences = 0
    for path in arguments.files:
        begun = time.perf_counter()
        expected = theirs(path, arguments.games)
        middle = time.perf_counter()
        found, faults = ours(arguments.reader, path, arguments.games)
        ended = time.perf_counter()
        print(f"{path}: {len(expected)} games, python-chess {middle - begun:.2f} s, Okapi {ended - middle:.2f} s (whole file)")
        for number, moves in enumerate(expected, 1):
            if found.get(number) != moves:
                differences += 1
                print(f"  game {number}: python-chess {' '.join(moves)}\n    Okapi {' '.join(found.get(number, ['none']))}")
        if len(found) > len(expected) and len(expected) < arguments.games:
            differences += 1
            print(f"  Okapi reads {len(found)} games")
        for fault in faults:
            print(f"  {fault}")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
