#!/usr/bin/env python3
"""Checks a UCI engine's use of Syzygy tables against those of PyPI's chess, an independent reader.

    pip download --no-binary :all: --no-deps chess==1.11.2 && tar xf chess-1.11.2.tar.gz
    python3 tests/tools/syzygy.py chess-1.11.2/data/syzygy/regular --engine target/release/okapi

Random positions of every material that the tables have: the engine's move keeps the result, its score has the sign of the
result, and it says that it asked the tables. Then it wins won positions of some endings against the longest resistance. The exit
code is 1 if anything fails. Needs PyPI's chess.
"""

import argparse
import random
import re
import sys
from pathlib import Path

import chess
import chess.syzygy

from uci_engine import Engine

MATED = 90_000
# No position of these can be won: the rules end the game.
DEAD = {"KBvK", "KNvK"}
ENDINGS = ["KBNvK", "KQvKR", "KRvKP", "KPvK"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", help="the folder of tables")
    parser.add_argument("--engine", default="target/release/okapi", metavar="COMMAND")
    parser.add_argument("--nodes", type=int, default=1_000)
    parser.add_argument("--count", type=int, default=10, help="positions of each material, and games of each ending")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tables = chess.syzygy.open_tablebase(options.tables)
    materials = sorted({path.stem for path in Path(options.tables).glob("*.rtbw")} - DEAD)
    engine = Engine(options.engine, [("SyzygyPath", options.tables)])
    generator = random.Random(options.seed)
    failed = checked = 0
    for material in materials:
        for _ in range(options.count):
            board = position(generator, material)
            fault = check(board, engine, tables, options.nodes)
            checked += 1
            if fault:
                failed += 1
                print(f"{material}, {board.fen()}: {fault}")
    print(f"{checked} positions of {len(materials)} materials, {failed} failed", flush=True)
    for ending in (ending for ending in ENDINGS if ending in materials):
        won = sum(game(won_position(generator, ending, tables), engine, tables, options.nodes) for _ in range(options.count))
        print(f"{ending}: {won} of {options.count} won", flush=True)
        failed += options.count - won
    sys.exit(failed > 0)


def position(generator, material):
    """A random legal position of a material such as KQvKR, with either side to move."""
    white, black = material.split("v")
    while True:
        board = chess.Board(None)
        board.turn = generator.random() < 0.5
        pieces = [chess.Piece.from_symbol(symbol) for symbol in white + black.lower()]
        for square, piece in zip(generator.sample(range(64), len(pieces)), pieces):
            board.set_piece_at(square, piece)
        if board.is_valid() and not board.is_game_over():
            return board


def won_position(generator, ending, tables):
    while True:
        board = position(generator, ending)
        if board.turn and tables.probe_wdl(board) == 2:
            return board


def sign(number):
    return (number > 0) - (number < 0)


def check(board, engine, tables, nodes):
    """What is wrong with the engine's answer; None if nothing is."""
    engine.new_game()
    hits = 0
    engine.send(f"position fen {board.fen()}")
    engine.send(f"go nodes {nodes}")
    score = move = None
    for line in engine.lines_until("bestmove", 60):
        if found := re.search(r"score (cp|mate) (-?\d+)", line):
            score = int(found[2]) * (MATED if found[1] == "mate" else 1)
        if found := re.search(r"tbhits (\d+)", line):
            hits = int(found[1])
        if line.startswith("bestmove"):
            move = chess.Move.from_uci(line.split()[1])
    wanted = tables.probe_wdl(board)
    # A result that the fifty-move rule makes a draw is one here.
    wanted = sign(wanted) if abs(wanted) == 2 else 0
    after = board.copy()
    after.push(move)
    kept = -tables.probe_wdl(after) if not after.is_checkmate() else 2
    kept = sign(kept) if abs(kept) == 2 else 0
    if kept != wanted:
        return f"{move} turns {wanted} into {kept}"
    if sign(score) != wanted:
        return f"the score {score} is not that of {wanted}"
    return None if hits > 0 else "no table was asked"


def game(board, engine, tables, nodes):
    """Whether the engine, White, wins against the longest resistance to the next capture or pawn move."""
    engine.new_game()
    start = board.fen()
    # A draw that one side could claim by another move is none yet.
    while not (board.is_game_over() or board.is_repetition(3) or board.halfmove_clock >= 100):
        if board.turn:
            moves = " ".join(move.uci() for move in board.move_stack)
            answer = engine.search(f"fen {start}" + (f" moves {moves}" if moves else ""), f"nodes {nodes}", 60)
            board.push_uci(answer.move)
        else:
            board.push(max(board.legal_moves, key=lambda move: resistance(board, move, tables)))
    return board.is_checkmate() and not board.turn


def resistance(board, move, tables):
    after = board.copy(stack=False)
    after.push(move)
    if after.is_checkmate() or after.is_stalemate() or after.is_insufficient_material():
        return 1_000
    return -sign(tables.probe_wdl(after)) * 500 + tables.probe_dtz(after)


if __name__ == "__main__":
    main()
