#!/usr/bin/env python3
"""Does an engine win the basic mates against the best defence that is at hand?

    python3 tests/tools/mates.py --engine target/release/okapi --nodes 10000 --defender stockfish

Random positions, White to move, of each ending; those that the defender does not call won after --check-nodes are left out. White
is the engine, Black the defender. A game that is not won before the rules end it is named with its position; the exit code is 1
if there is one. Needs PyPI's chess.
"""

import argparse
import random
import sys

import chess

from uci_engine import Engine, parse_option

ENDINGS = ["KQK", "KRK", "KBBK", "KBNK", "KPK"]
WON = 400


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="target/release/okapi", metavar="COMMAND")
    parser.add_argument("--option", action="append", default=[], type=parse_option, metavar="NAME=VALUE")
    parser.add_argument("--defender", default="stockfish", metavar="COMMAND")
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--defender-nodes", type=int, default=10_000)
    parser.add_argument("--check-nodes", type=int, default=100_000)
    parser.add_argument("--count", type=int, default=50, help="positions of each ending")
    parser.add_argument("--ending", action="append", default=[], help=f"one of these or another (default: {' '.join(ENDINGS)})")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    engine, defender = Engine(options.engine, options.option), Engine(options.defender)
    generator = random.Random(options.seed)
    failed = 0
    for ending in options.ending or ENDINGS:
        won, longest = 0, 0
        for _ in range(options.count):
            board = position(generator, ending, defender, options.check_nodes)
            fen = board.fen()
            play(board, engine, defender, options)
            won += board.is_checkmate()
            longest = max(longest, board.fullmove_number)
            if not board.is_checkmate():
                print(f"not won: {fen}")
        failed += options.count - won
        print(f"{ending}: {won} of {options.count} won, the longest in {longest} moves", flush=True)
    sys.exit(failed > 0)


def position(generator, ending, defender, nodes):
    """A random position of an ending such as KBNK or KQKR that the defender calls won for White."""
    white, _, black = ending[1:].partition("K")
    while True:
        board = chess.Board(None)
        squares = generator.sample(range(64), len(white) + len(black) + 2)
        pieces = ["K", *white, "k", *black.lower()]
        for square, symbol in zip(squares, pieces):
            board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        if not board.is_valid() or board.is_game_over():
            continue
        defender.new_game()
        answer = defender.search(f"fen {board.fen()}", f"nodes {nodes}", 60)
        if answer.score >= WON:
            return board


def play(board, engine, defender, options):
    start = board.fen()
    for player in (engine, defender):
        player.new_game()
    # A draw that one side could claim by another move is none yet.
    while not (board.is_game_over() or board.is_repetition(3) or board.halfmove_clock >= 100):
        player, nodes = (engine, options.nodes) if board.turn else (defender, options.defender_nodes)
        moves = " ".join(move.uci() for move in board.move_stack)
        answer = player.search(f"fen {start}" + (f" moves {moves}" if moves else ""), f"nodes {nodes}", 60)
        board.push_uci(answer.move)


if __name__ == "__main__":
    main()
