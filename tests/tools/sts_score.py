#!/usr/bin/env python3
"""Scores a UCI engine on the Strategic Test Suite by opcodes c9 (moves) and c8 (their points).

    python3 tests/tools/sts_score.py STS1-STS15_LAN_v3.epd --engine stockfish --movetime 100

A second opinion on `okapi sts`: it shares no code with it and needs only PyPI's chess. Of a move that a line lists
twice the first listing counts. An engine that crashes, hangs or plays an illegal move gets no points for that position,
and is started anew.
"""

import argparse
import collections
import concurrent.futures
import json
import re
import sys
import threading
import time

import chess

from uci_engine import Engine, EngineError, parse_option

Position = collections.namedtuple("Position", "line id theme board points")
Result = collections.namedtuple("Result", "position move points nodes seconds fault")


def read_suite(path, wanted):
    """The positions on the wanted lines (every one if None); the theme is named by the first of its number."""
    positions, names = [], {}
    with open(path, encoding="latin-1") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            fields = line.split(None, 4)
            board = chess.Board(" ".join(fields[:4]) + " 0 1")
            operations = dict(re.findall(r'(\w+) "([^"]*)"', fields[4]))
            moves, worth = operations["c9"].split(), operations["c8"].split()
            if len(moves) != len(worth):
                raise ValueError(f"line {number}: {len(moves)} moves in c9, {len(worth)} points in c8")
            points = {}
            for move, value in zip(moves, worth):
                points.setdefault(board.parse_uci(move), int(value))
            name, _, _ = operations["id"].rpartition(".")
            version = re.match(r"STS\(v(\d+)", name)
            theme = names.setdefault(version.group(1) if version else name, name)
            if wanted is None or number in wanted:
                positions.append(Position(number, operations["id"], theme, board, points))
    return positions


def parse_lines(text):
    """`1-100,205,1-1500:5` as a set of line numbers; the number after a colon is the step."""
    lines = set()
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)(?:-(\d+)(?::(\d+))?)?", part.strip())
        if not match or match.group(3) == "0":
            raise argparse.ArgumentTypeError(f"lines are like 1-100,205,1-1500:5, not {part}")
        first = int(match.group(1))
        lines.update(range(first, int(match.group(2) or first) + 1, int(match.group(3) or 1)))
    return lines


class Players:
    """An engine for each thread, started when first needed and after every fault."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.own = threading.local()
        self.started, self.lock = [], threading.Lock()
        if arguments.nodes:
            self.go, self.patience = f"nodes {arguments.nodes}", arguments.patience
        elif arguments.depth:
            self.go, self.patience = f"depth {arguments.depth}", arguments.patience
        else:
            self.go, self.patience = f"movetime {arguments.movetime}", arguments.movetime / 1000 + arguments.patience

    def answer(self, position):
        """The engine's move in a fresh game, and its points."""
        began = time.monotonic()
        try:
            if getattr(self.own, "engine", None) is None:
                self.own.engine = Engine(self.arguments.engine, self.arguments.option)
                with self.lock:
                    self.started.append(self.own.engine)
            self.own.engine.new_game()
            began = time.monotonic()
            answer = self.own.engine.search(f"fen {position.board.fen()}", self.go, self.patience)
        except EngineError as error:
            return self.failed(position, None, None, time.monotonic() - began, str(error))
        try:
            move = position.board.parse_uci(answer.move)
        except ValueError:
            return self.failed(position, answer.move, answer.nodes, answer.seconds, f"illegal move {answer.move!r}")
        return Result(position, move.uci(), position.points.get(move, 0), answer.nodes, answer.seconds, None)

    def failed(self, position, move, nodes, seconds, fault):
        if getattr(self.own, "engine", None) is not None:
            self.own.engine.process.kill()
            self.own.engine = None
        return Result(position, move, 0, nodes, seconds, fault)

    def close(self):
        for engine in self.started:
            engine.close()


def print_table(results):
    """Points, maximum and best-move hits by theme, and the total scaled to 15,000."""
    themes = collections.OrderedDict()
    for result in results:
        themes.setdefault(result.position.theme, []).append(result)
    themes["total"] = results
    print(f"{'theme':60}{'points':>8}{'maximum':>9}{'%':>7}{'best':>6}{'nodes':>11}{'ms':>8}{'longest':>9}")
    for theme, own in themes.items():
        points = sum(result.points for result in own)
        maximum = sum(max(result.position.points.values()) for result in own)
        best = sum(result.points == max(result.position.points.values()) for result in own)
        nodes = [result.nodes for result in own if result.nodes is not None]
        average = f"{sum(nodes) / len(nodes):.0f}" if nodes else "-"
        times = [1000 * result.seconds for result in own]
        print(
            f"{theme:60}{points:8}{maximum:9}{100 * points / maximum:7.2f}{best:6}"
            f"{average:>11}{sum(times) / len(times):8.1f}{max(times):9.1f}"
        )
    print(f"scaled to 15,000: {15000 * points / maximum:.0f}")
    for result in results:
        if result.fault:
            print(f"fault: line {result.position.line}, {result.position.id}: {result.fault}")


def as_json(engine, go, results):
    """The results in a form that other programs read."""
    positions = [
        {
            "line": result.position.line, "id": result.position.id, "theme": result.position.theme,
            "played": result.move, "points": result.points, "maximum": max(result.position.points.values()),
            "nodes": result.nodes, "seconds": round(result.seconds, 6), "fault": result.fault,
        }
        for result in results
    ]
    total, maximum = (sum(position[key] for position in positions) for key in ("points", "maximum"))
    return {"engine": engine, "go": go, "total": total, "maximum": maximum, "positions": positions}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite")
    parser.add_argument("--engine", default="target/release/okapi", metavar="COMMAND")
    parser.add_argument("--option", action="append", default=[], type=parse_option, metavar="NAME=VALUE")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--movetime", type=int, default=100, metavar="MS")
    limit.add_argument("--nodes", type=int, metavar="N")
    limit.add_argument("--depth", type=int, metavar="PLIES")
    parser.add_argument("--lines", type=parse_lines, metavar="RANGES", help="such as 1-100,205,1-1500:5 (every fifth)")
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--patience", type=float, default=60, metavar="S", help="timeout of an answer")
    parser.add_argument("--json", metavar="FILE", help="also write every answer there")
    arguments = parser.parse_args()
    try:
        positions = read_suite(arguments.suite, arguments.lines)
    except (OSError, LookupError, ValueError) as error:
        sys.exit(f"sts_score: {arguments.suite}: {error}")
    if not positions:
        sys.exit("sts_score: no position to score")
    players = Players(arguments)
    try:
        Engine(arguments.engine, arguments.option).close()  # not an engine: report it once, not for every position
        with concurrent.futures.ThreadPoolExecutor(arguments.concurrency) as pool:
            results = list(pool.map(players.answer, positions))
    except (OSError, EngineError) as error:
        sys.exit(f"sts_score: {arguments.engine}: {error}")
    finally:
        players.close()
    print_table(results)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(as_json(arguments.engine, players.go, results), file, indent=1)


if __name__ == "__main__":
    main()
