#!/usr/bin/env python3
"""How much of their clocks do players leave unused? From the PGN that `okapi match --pgn` writes with a time control without moves to go.

    python3 tests/tools/time_left.py games.pgn

Per player: the mean and the least time on the clock at the end of a game, and the mean after every 20 own moves, with the number of games. Increments
are counted. Needs PyPI's chess.
"""

import collections
import re
import statistics
import sys

import chess
import chess.pgn

SPENT = re.compile(r"\s([\d.]+)s\b")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    ends, after = collections.defaultdict(list), collections.defaultdict(lambda: collections.defaultdict(list))
    with open(sys.argv[1], encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            start, increment = map(float, game.headers["TimeControl"].split("+"))
            for color, header in [(chess.WHITE, "White"), (chess.BLACK, "Black")]:
                name, left = game.headers[header], start
                spent = [seconds(node) for node in game.mainline() if node.turn() != color]
                for number, time in enumerate(spent, 1):
                    left += increment - time
                    if number % 20 == 0:
                        after[name][number].append(left)
                ends[name].append(left)
    for name, lefts in ends.items():
        print(f"{name}: {len(lefts)} games, at the end {statistics.fmean(lefts):.2f} s, at least {min(lefts):.2f} s")
        for number, values in sorted(after[name].items()):
            print(f"  after {number:3} moves {statistics.fmean(values):.2f} s in {len(values)} games")


def seconds(node):
    """The time of a move, from its comment."""
    match = SPENT.search(node.comment)
    if match is None:
        sys.exit(f"the move {node.move} has no time: {node.comment!r}")
    return float(match[1])


if __name__ == "__main__":
    main()
