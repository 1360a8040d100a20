#!/usr/bin/env python3
"""Makes a tactical suite from games that an engine played against itself: positions in which a deep search overturns, by a
clear margin, the move of a shallow one.

    okapi match --player "okapi name=one" --player "okapi name=two seed=2" --nodes 1000 --games 6000 --pgn games.pgn \\
        --openings balanced.epd --order random --seed 90
    python3 tests/tools/tactical_suite.py games.pgn --out tactics.epd --state tactics.jsonl --exclude suite.epd --margin 100 --middle 100000

Candidates are positions in which a player's own evaluation, in the comments of the games, is --drop centipawns above that at its
next move: it misjudged something. A candidate is kept if

1. the shallow and the deep search choose different moves, and a middle one does not return to the shallow move;
2. the middle search's value is at least a third of --margin above that of the shallow move, searched alone with the same nodes, which
   spares the deep searches of the others;
3. the deep search's value is at least --margin above that of the shallow move, searched alone with the same nodes;
4. it matters: the first is not that of a lost game, nor the second that of a won one (--decided).

Games against other engines, with --player, show what the engine trusted in vain: with --drop 250 and --decided 1000, for example, kings that
walk and passed pawns that do not run.

    okapi match --player "okapi name=okapi" --player "cmd=toga2 name=toga2" --tc 1+0.01 --games 2000 --pgn gauntlet.pgn ...
    python3 tests/tools/tactical_suite.py gauntlet.pgn --player okapi --drop 250 --decided 1000 --out trust.epd --state trust.jsonl

The best move solves a position, and so does the best other move if it is within --second of it. Every search begins with an empty table,
so that the suite depends on games, nodes and engine alone. The positions are written in halves, to choose variants of a search by (the even
places of the order of their hashes) and to check the choice (the odd ones). Every candidate is recorded at once in --state; the same
command goes on. Needs PyPI's chess.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import sys
import threading

import chess
import chess.pgn

from uci_engine import Engine, parse_option
from whole_file import write_whole

EVALUATION = re.compile(r"^([+-])(M?)(\d+(?:\.\d+)?)/")
MATE = 100_000


def main():
    options = arguments()
    excluded = {key(position) for path in options.exclude for position in positions_of(path)}
    known = read_state(options)
    candidates = sorted(candidates_of(options, excluded), key=order)
    print(f"{len(candidates)} candidates, {len(known)} of them known", file=sys.stderr)
    kept = judge(options, [fen for fen in candidates if fen not in known], known, candidates)
    text = "".join(line(record, number, options.second) for number, record in enumerate(kept))
    write_whole(options.out, text)
    print(f"{options.out}: {len(kept)} positions of {len(known)} candidates")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", help="PGN with evaluations in the comments, as okapi match writes it")
    parser.add_argument("--out", required=True, help="the suite to write, as EPD")
    parser.add_argument("--state", required=True, help="the record of all candidates")
    parser.add_argument("--exclude", action="append", default=[], metavar="EPD", help="suites whose positions are not used")
    parser.add_argument("--player", metavar="NAME", help="only this player's moves")
    parser.add_argument("--engine", default="target/release/okapi", metavar="COMMAND")
    parser.add_argument("--option", action="append", default=[("Hash", "64")], type=parse_option, metavar="NAME=VALUE")
    parser.add_argument("--count", type=int, default=600, help="stop at so many positions")
    parser.add_argument("--drop", type=int, default=100, help="centipawns")
    parser.add_argument("--shallow", type=int, default=30_000, help="nodes")
    parser.add_argument("--middle", type=int, default=200_000, help="nodes")
    parser.add_argument("--deep", type=int, default=1_000_000, help="nodes")
    parser.add_argument("--margin", type=int, default=150, help="centipawns")
    parser.add_argument("--second", type=int, default=60, help="centipawns")
    parser.add_argument("--decided", type=int, default=500, help="centipawns")
    parser.add_argument("--concurrency", type=int, default=1)
    options = parser.parse_args()
    if os.path.exists(options.out):
        sys.exit(f"{options.out} exists already")
    return options


def positions_of(path):
    with open(path, encoding="utf-8") as file:
        for text in file:
            fields = text.split()
            if len(fields) >= 4:
                yield " ".join(fields[:4])


def key(fen):
    """A position without its counters and without an en passant square that no pawn can use."""
    fields = fen.split()
    return chess.Board(" ".join(fields[:4]) + " 0 1").epd(en_passant="legal") if len(fields) >= 4 else ""


def order(fen):
    return hashlib.sha256(fen.encode()).hexdigest()


def evaluation(comment):
    """Centipawns of the player that moved; None without an evaluation."""
    found = EVALUATION.match(comment.strip())
    if not found:
        return None
    sign, mate, number = found.groups()
    value = MATE if mate else round(100 * float(number))
    return value if sign == "+" else -value


def candidates_of(options, excluded):
    """FENs without repetition."""
    seen = set()
    with open(options.games, encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            nodes = list(game.mainline())
            values = [evaluation(node.comment) for node in nodes]
            players = [game.headers["White"], game.headers["Black"]]
            for ply in range(len(nodes) - 2):
                if options.player and options.player != players[0 if nodes[ply].parent.turn() else 1]:
                    continue
                before, after = values[ply], values[ply + 2]
                if before is None or after is None or before - after < options.drop or abs(before) > options.decided:
                    continue
                board = nodes[ply].parent.board()
                name = key(board.fen())
                if name not in seen and name not in excluded and board.legal_moves.count() > 2:
                    seen.add(name)
                    yield name


def read_state(options):
    """The candidates that are known, by position. The first line must be of the same search."""
    header = {name: getattr(options, name) for name in ("engine", "shallow", "middle", "deep", "margin")}
    if not os.path.exists(options.state):
        with open(options.state, "w", encoding="utf-8") as file:
            file.write(json.dumps(header) + "\n")
    with open(options.state, encoding="utf-8") as file:
        lines = [text for text in file.read().split("\n")[:-1]]
    if json.loads(lines[0]) != header:
        sys.exit(f"{options.state} is of another search: {lines[0]}")
    return {record["fen"]: record for record in map(json.loads, lines[1:])}


def is_kept(record, options):
    return (
        record.get("deep") is not None
        and record["deep"] - record["refuted"] >= options.margin
        and record["deep"] >= -options.decided
        and record["refuted"] <= options.decided
    )


def judge(options, unknown, known, candidates):
    """Examines candidates until there are enough; the kept ones in the order of their hashes."""
    local, lock = threading.local(), threading.Lock()
    enough = threading.Event()
    state = open(options.state, "a", encoding="utf-8")
    count = sum(is_kept(record, options) for record in known.values())

    def work(fen):
        nonlocal count
        if enough.is_set():
            return
        if not hasattr(local, "engine"):
            local.engine = Engine(options.engine, options.option)
        record = examine(local.engine, fen, options)
        with lock:
            known[fen] = record
            state.write(json.dumps(record) + "\n")
            state.flush()
            count += is_kept(record, options)
            if len(known) % 100 == 0:
                print(f"{len(known)} candidates, {count} kept, {len(candidates)} in all", file=sys.stderr)
            if count >= options.count:
                enough.set()

    with concurrent.futures.ThreadPoolExecutor(options.concurrency) as pool:
        for done in [pool.submit(work, fen) for fen in unknown]:
            done.result()
    state.close()
    kept = [known[fen] for fen in candidates if fen in known and is_kept(known[fen], options)]
    return kept[: options.count]


def search(engine, fen, nodes, moves=()):
    engine.new_game()
    only = " searchmoves " + " ".join(moves) if moves else ""
    return engine.search(f"fen {fen} 0 1", f"nodes {nodes}{only}", 600)


def examine(engine, fen, options):
    """What is known of a candidate: the record of one line."""
    shallow = search(engine, fen, options.shallow)
    middle = search(engine, fen, options.middle)
    record = {"fen": fen, "shallow": shallow.move}
    if middle.move == shallow.move:
        return record
    doubted = search(engine, fen, options.middle, [shallow.move])
    if middle.score - doubted.score < options.margin / 3:
        return record
    deep = search(engine, fen, options.deep)
    if deep.move == shallow.move:
        return record
    refuted = search(engine, fen, options.deep, [shallow.move])
    if deep.score - refuted.score < options.margin:
        return record
    moves = [move.uci() for move in chess.Board(f"{fen} 0 1").legal_moves if move.uci() != deep.move]
    others = search(engine, fen, options.deep, moves)
    values = {"deep": deep.score, "refuted": refuted.score, "others": others.score}
    return record | {"best": deep.move, "other": others.move} | values


def line(record, number, second):
    board = chess.Board(record["fen"] + " 0 1")
    moves = [record["best"]]
    if record["deep"] - record["others"] <= second and record["other"] != record["shallow"]:
        moves.append(record["other"])
    best = " ".join(board.san(chess.Move.from_uci(move)) for move in moves)
    half = "choose" if number % 2 == 0 else "check"
    return f'{record["fen"]} bm {best}; id "{half} {number // 2 + 1}";\n'


if __name__ == "__main__":
    main()
