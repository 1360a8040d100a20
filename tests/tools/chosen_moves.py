#!/usr/bin/env python3
"""How good are the moves that an engine chooses with a number of nodes? A judge, another engine, values every chosen move.

    zstd -dc DATA/games/tcec.pgn.zst | python3 tests/tools/chosen_moves.py - --judgements judged.csv --choices base.json --nodes 30000
    zstd -dc DATA/games/tcec.pgn.zst | python3 tests/tools/chosen_moves.py - --judgements judged.csv --choices wide.json --nodes 30000 \\
        --option re_search_fraction=0.15 --against base.json

One position of each game is used, from ply 14 to 119, chosen by --seed; games of fewer than 40 plies are left out. Both engines begin every
search with an empty table. The judge searches the chosen move alone; its centipawns c become the expected score 1 / (1 + exp(-c / 174)).

The difference from an earlier run, over the same positions, has a small error, because most moves are the same: with 6,000 positions and
30,000 nodes about 0.04 points, where twice the nodes are worth 0.24. The judge values moves by its own taste, though, and one move is not a
game: what is found so must be confirmed by games. Positions of games of others serve to measure, never to learn from.

Judgements are appended to --judgements at once, so that a run that was stopped goes on where it was. Needs PyPI's chess.
"""

import argparse
import concurrent.futures
import csv
import json
import math
import os
import random
import statistics
import sys
import threading

import chess
import chess.pgn

from uci_engine import Engine, parse_option
from whole_file import write_whole

LOGISTIC_CENTIPAWNS = 174
FEWEST_PLIES = 40
PLIES = range(14, 120)
FEWEST_MOVES = 5


def main():
    options = arguments()
    positions = read_positions(options)
    judge = Judge(options)
    moves = choose(options, positions, judge)
    write_whole(options.choices, json.dumps(dict(zip(positions, moves))))
    scores = [judge.score(fen, move) for fen, move in zip(positions, moves)]
    print(f"{options.choices}: {len(scores)} moves, expected score {100 * statistics.fmean(scores):.3f} %")
    for path in options.against:
        compare(path, positions, moves, scores, judge)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", help="PGN file, or - for the standard input")
    parser.add_argument("--judgements", required=True, metavar="CSV", help="what the judge has said")
    parser.add_argument("--choices", required=True, metavar="JSON", help="the chosen moves, to write")
    parser.add_argument("--against", action="append", default=[], metavar="JSON", help="the choices of an earlier run")
    parser.add_argument("--engine", default="target/release/okapi", metavar="COMMAND")
    parser.add_argument("--option", action="append", default=[("Hash", "16")], type=parse_option, metavar="NAME=VALUE")
    parser.add_argument("--nodes", type=int, default=30_000)
    parser.add_argument("--judge", default="stockfish", metavar="COMMAND")
    parser.add_argument("--judge-nodes", type=int, default=30_000)
    parser.add_argument("--count", type=int, default=6_000, help="positions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--concurrency", type=int, default=1)
    options = parser.parse_args()
    if os.path.exists(options.choices):
        sys.exit(f"{options.choices} exists already")
    return options


def read_positions(options):
    """FENs, one of each game."""
    generator = random.Random(options.seed)
    positions = {}
    with sys.stdin if options.games == "-" else open(options.games, encoding="utf-8") as file:
        while len(positions) < options.count and (game := chess.pgn.read_game(file)) is not None:
            board, moves = game.board(), list(game.mainline_moves())
            if board.chess960 or len(moves) < FEWEST_PLIES:
                continue
            for move in moves[: generator.randrange(PLIES.start, min(len(moves) - 2, PLIES.stop))]:
                board.push(move)
            if board.legal_moves.count() >= FEWEST_MOVES:
                positions[board.fen()] = None
    if not positions:
        sys.exit(f"{options.games} has no game of {FEWEST_PLIES} plies or more")
    return list(positions)


class Judge:
    """What the judge says of moves: centipawns of the side to move, by position and move."""

    def __init__(self, options):
        search = f"{options.judge} {options.judge_nodes}"
        self.command, self.nodes = options.judge, options.judge_nodes
        self.lock = threading.Lock()
        self.values = {}
        if os.path.exists(options.judgements):
            with open(options.judgements, encoding="utf-8", newline="") as file:
                header, *rows = csv.reader(file)
            if header != [search]:
                sys.exit(f"{options.judgements} is of another judge: {','.join(header)}")
            # A row may have been cut short when its run was killed.
            self.values = {(fen, move): int(value) for fen, move, value in (row for row in rows if len(row) == 3)}
        self.file = open(options.judgements, "a", encoding="utf-8", newline="")
        if self.file.tell() == 0:
            self.file.write(search + "\n")

    def ask(self, engine, fen, move):
        if (fen, move) in self.values:
            return
        engine.new_game()
        value = engine.search(f"fen {fen}", f"nodes {self.nodes} searchmoves {move}", 600).score
        with self.lock:
            self.values[fen, move] = value
            csv.writer(self.file).writerow([fen, move, value])
            self.file.flush()

    def score(self, fen, move):
        centipawns = max(-2_000, min(2_000, self.values[fen, move]))
        return 1 / (1 + math.exp(-centipawns / LOGISTIC_CENTIPAWNS))


def choose(options, positions, judge):
    """The engine's moves, each judged."""
    local, done = threading.local(), 0
    lock = threading.Lock()

    def work(fen):
        nonlocal done
        if not hasattr(local, "engine"):
            local.engine = Engine(options.engine, options.option)
            local.judge = Engine(judge.command, [("Hash", "16")])
        local.engine.new_game()
        move = local.engine.search(f"fen {fen}", f"nodes {options.nodes}", 600).move
        judge.ask(local.judge, fen, move)
        with lock:
            done += 1
            if done % 500 == 0:
                print(f"{done} of {len(positions)} positions", file=sys.stderr)
        return move

    with concurrent.futures.ThreadPoolExecutor(options.concurrency) as pool:
        return list(pool.map(work, positions))


def compare(path, positions, moves, scores, judge):
    """Prints the mean difference from the moves of an earlier run, and its standard error."""
    with open(path, encoding="utf-8") as file:
        before = json.load(file)
    common = [index for index, fen in enumerate(positions) if fen in before]
    if len(common) < 2:
        sys.exit(f"{path} is of other positions")
    differences = [scores[index] - judge.score(positions[index], before[positions[index]]) for index in common]
    error = statistics.stdev(differences) / math.sqrt(len(common))
    others = sum(moves[index] != before[positions[index]] for index in common)
    print(
        f"against {path}: {100 * statistics.fmean(differences):+.3f} points, standard error {100 * error:.3f}, "
        f"{100 * others / len(common):.1f} % other moves"
    )


if __name__ == "__main__":
    main()
