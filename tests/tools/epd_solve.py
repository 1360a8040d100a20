#!/usr/bin/env python3
"""How many positions of an EPD suite does a UCI engine solve, by the moves to find (bm) or to avoid (am)?

    python3 tests/tools/epd_solve.py suite.epd --engine target/release/okapi --movetime 1000

Lines without a legal position or a legal move to look for are named and left out. Needs PyPI's chess.
"""

import argparse
import concurrent.futures
import sys
import threading

import chess

from uci_engine import Engine, EngineError, parse_option


def read_suite(path):
    """(id, FEN, moves to find, moves to avoid) of every sound line, and why the others are not."""
    sound, defects = [], []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                board, operations = read_line(line)
            except ValueError as error:
                defects.append(f"line {number}: {error}")
                continue
            name = operations.get("id", f"line {number}")
            sound.append((name, board.fen(), operations.get("bm", set()), operations.get("am", set())))
    return sound, defects


def read_line(line):
    """The board and its operations, the moves of bm and am as UCI. Other operations may be defective."""
    fields = line.split(None, 4)
    if len(fields) < 5:
        raise ValueError("no operations")
    board = chess.Board(" ".join(fields[:4]) + " 0 1")
    if not board.is_valid():
        raise ValueError(f"not a legal position ({board.status()!r})")
    operations = {}
    for operation in fields[4].split(";"):
        code, _, operand = operation.strip().partition(" ")
        if code in ("bm", "am"):
            operations[code] = {board.parse_san(san).uci() for san in operand.split()}
        elif code == "id":
            operations[code] = operand.strip().strip('"')
    if not (operations.get("bm") or operations.get("am")):
        raise ValueError("neither bm nor am")
    return board, operations


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite")
    parser.add_argument("--engine", default="target/release/okapi", metavar="COMMAND")
    parser.add_argument("--option", action="append", default=[], type=parse_option, metavar="NAME=VALUE")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--movetime", type=int, default=1000, metavar="MS")
    limit.add_argument("--nodes", type=int, metavar="N")
    parser.add_argument("--concurrency", type=int, default=2)
    arguments = parser.parse_args()
    sound, defects = read_suite(arguments.suite)
    for defect in defects:
        print(f"left out: {defect}")
    if not sound:
        sys.exit("epd_solve: no position to solve")
    go = f"nodes {arguments.nodes}" if arguments.nodes else f"movetime {arguments.movetime}"
    own, engines = threading.local(), []

    def solve(position):
        name, fen, wanted, avoided = position
        if getattr(own, "engine", None) is None:
            own.engine = Engine(arguments.engine, arguments.option)
            engines.append(own.engine)
        try:
            own.engine.new_game()
            move = own.engine.search(f"fen {fen}", go, arguments.movetime / 1000 + 120).move
        except EngineError as error:
            own.engine = None
            return name, False, str(error)
        return name, (not wanted or move in wanted) and move not in avoided, move

    with concurrent.futures.ThreadPoolExecutor(arguments.concurrency) as pool:
        results = list(pool.map(solve, sound))
    for engine in engines:
        engine.close()
    failed = [f"{name} ({move})" for name, solved, move in results if not solved]
    print("failed: " + (", ".join(failed) or "none"))
    print(f"solved {len(results) - len(failed)} of {len(results)} ({100 - 100 * len(failed) / len(results):.1f} %)")


if __name__ == "__main__":
    main()
