#!/usr/bin/env python3
"""With how many nodes does an engine see that moves of earlier games were wrong?

    pip install chess==1.11.2
    okapi match --player "okapi name=new" ... --state games.jsonl
    python3 tests/tools/refutations.py games.jsonl --player new --engine target/release/okapi --option Hash=64

A fall is a move of the player after which its own value is lower by at least --fall pawns at its next move; before, it was between -3 and 3.
The engine searches the position of each fall, with the moves that led there, up to --nodes. The refutation is seen once another move is the best
or the value is lower by at least half of the fall, until the end of the search. The report has how many are seen, and the median of the nodes
until then, where a refutation that is not seen counts as --nodes. Compare engines and options on the same games: this takes minutes where games
take hours, but only matches decide what is kept.
"""

import argparse
import io
import json
import re
import statistics

import chess.pgn

from uci_engine import MATE, Engine, parse_option

LARGEST = 3.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", help="what `okapi match --state` wrote")
    parser.add_argument("--player", required=True, help="whose moves")
    parser.add_argument("--engine", required=True, metavar="COMMAND")
    parser.add_argument("--option", action="append", default=[], type=parse_option, metavar="NAME=VALUE")
    parser.add_argument("--fall", type=float, default=1.0, metavar="PAWNS")
    parser.add_argument("--nodes", type=int, default=300_000)
    parser.add_argument("--most", type=int, metavar="N", help="the first N falls; default: all")
    options = parser.parse_args()
    positions, moves = falls(options.games, options.player, options.fall)
    print(f"{len(positions)} falls in {moves} moves with a value")
    positions = positions[: options.most]
    if not positions:
        parser.error(f"{options.games} has no fall of {options.player}")
    engine = Engine(options.engine, options.option)
    nodes = [seen(engine, fall, options.nodes) for fall in positions]
    count = sum(number is not None for number in nodes)
    median = statistics.median(options.nodes if number is None else number for number in nodes)
    print(f"of {len(positions)} falls seen {count} with {options.nodes} nodes, median nodes {median:.0f}")


def falls(path, player, least):
    """(position as UCI has it, the move, the value before, the value after), in pawns for the mover, of each fall; and the number of moves with
    a value."""
    found, moves = [], 0
    with open(path, encoding="utf-8") as file:
        for record in map(json.loads, file):
            if player not in (record.get("white"), record.get("black")):
                continue
            game = chess.pgn.read_game(io.StringIO(record["pgn"]))
            position, last = f"fen {game.board().fen()} moves", None
            for node in game.mainline():
                value = re.match(r"([+-]\d+\.\d+)/", node.comment)
                is_players = record["black" if node.turn() else "white"] == player
                if is_players and value:
                    moves += 1
                    value = float(value[1])
                    if last and last[2] - value >= least and abs(last[2]) < LARGEST:
                        found.append((*last, value))
                    last = (position, node.move.uci(), value)
                elif is_players:
                    last = None
                position += f" {node.move.uci()}"
    return found, moves


def seen(engine, fall, limit):
    """The nodes with which the engine saw the refutation for good; None if it did not."""
    position, move, before, after = fall
    engine.new_game()
    engine.send(f"position {position.removesuffix(' moves')}")
    engine.send(f"go nodes {limit}")
    first_right = None
    for line in engine.lines_until("bestmove", 600):
        info = re.match(r"info .*\bscore (cp|mate) (-?\d+)(?! (?:lower|upper)bound)\b.* nodes (\d+) .*\bpv (\S+)", line)
        if info:
            value = int(info[2]) / 100 if info[1] == "cp" else MATE * (1 if int(info[2]) > 0 else -1)
            is_right = info[4] != move or value <= (before + after) / 2
            if not is_right:
                first_right = None
            elif first_right is None:
                first_right = int(info[3])
    return first_right


if __name__ == "__main__":
    main()
