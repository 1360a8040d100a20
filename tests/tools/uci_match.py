#!/usr/bin/env python3
"""Plays a match between two UCI engines and counts wins, draws, losses and every breach of the rules.

    python3 tests/tools/uci_match.py --a target/release/okapi --b gnuchess\\ --uci --openings openings.epd \\
        --games 400 --tc 5+0.05 --record match.jsonl
    ... --a okapi --b okapi --nodes-a 4000 --nodes-b 16000 ...

Every opening is played twice, with colors swapped. Each game is appended to the record as it ends; the same command
resumes an interrupted match. Elo is A's advantage with its 95 % interval, from the trinomial variance of the games. The
exit code is 1 if any game ended by an illegal move, a crash or a loss on time. With --overstep it is 1 as well if an
engine's own log (`debug on`, lines `info string time: ... hard H ms, used U ms`) has a move that took that much longer
than its hard limit. Needs PyPI's chess.
"""

import argparse
import collections
import json
import math
import multiprocessing
import os
import random
import signal
import sys

import chess

from uci_engine import Engine, EngineError, parse_option

ADJUDICATE_CENTIPAWNS = 1000
ADJUDICATE_PLIES = 6
LONGEST_GAME = 400
FAULTS = ("illegal move", "crash", "time")


class Player:
    """One side of the match: an engine that is started when needed and again after it has failed."""

    def __init__(self, command, options, nodes, debug):
        self.command, self.options, self.nodes, self.debug = command, options, nodes, debug
        self.engine = None

    def new_game(self):
        if self.engine is None:
            self.engine = Engine(self.command, self.options)
            if self.debug:
                self.engine.send("debug on")
        self.engine.new_game()

    def drop(self):
        if self.engine is not None:
            self.engine.close()
            self.engine = None


def limit(arguments, player, clocks, turn):
    """The text of `go`, and the timeout of its answer in seconds."""
    if player.nodes:
        return f"nodes {player.nodes}", 120
    if arguments.movetime:
        return f"movetime {arguments.movetime}", arguments.movetime / 1000 + 10
    milliseconds = {color: max(1, int(left * 1000)) for color, left in clocks.items()}
    increment = int(arguments.tc[1] * 1000)
    go = f"wtime {milliseconds[True]} btime {milliseconds[False]} winc {increment} binc {increment}"
    return go, clocks[turn] + 10


def end_by_rules(board):
    if board.is_checkmate():
        return ("0-1" if board.turn else "1-0"), "mate"
    if board.is_stalemate():
        return "1/2-1/2", "stalemate"
    if board.is_insufficient_material():
        return "1/2-1/2", "material"
    if board.halfmove_clock >= 100:
        return "1/2-1/2", "fifty moves"
    if board.is_repetition(3):
        return "1/2-1/2", "repetition"
    return None


def adjudge(board, scores):
    """`scores` are White's, one per ply."""
    last = scores[-ADJUDICATE_PLIES:]
    if len(last) == ADJUDICATE_PLIES and None not in last:
        if min(last) >= ADJUDICATE_CENTIPAWNS:
            return "1-0", "adjudication"
        if max(last) <= -ADJUDICATE_CENTIPAWNS:
            return "0-1", "adjudication"
    return ("1/2-1/2", "adjudication") if len(board.move_stack) >= LONGEST_GAME else None


def play_out(arguments, players, board, oversteps):
    """Plays one game; players[True] is White. Returns result, reason and, for a fault, its details. `oversteps` collects what
    the engines log for each move."""
    start = board.fen(en_passant="fen") if not board.chess960 else board.shredder_fen(en_passant="fen")
    clocks = {True: arguments.tc[0], False: arguments.tc[0]} if arguments.tc else None
    moves, scores = [], []
    for color, player in players.items():
        try:
            player.new_game()
        except (EngineError, OSError) as error:
            player.drop()
            return ("0-1" if color else "1-0"), "crash", str(error)
    while True:
        end = end_by_rules(board) or (adjudge(board, scores) if arguments.adjudicate else None)
        if end:
            return *end, ""
        turn, lost = board.turn, "0-1" if board.turn else "1-0"
        player = players[turn]
        go, patience = limit(arguments, player, clocks, turn)
        try:
            answer = player.engine.search(f"fen {start} moves {' '.join(moves)}" if moves else f"fen {start}", go, patience)
        except EngineError as error:
            player.drop()
            return lost, "crash", f"{error} at ply {len(moves)}"
        if answer.overstep is not None:
            oversteps[turn].append(answer.overstep)
        if clocks and not player.nodes:
            clocks[turn] -= answer.seconds
            if clocks[turn] < -arguments.margin / 1000:
                return lost, "time", f"{-clocks[turn] * 1000:.0f} ms over at ply {len(moves)}"
            clocks[turn] = max(0.0, clocks[turn]) + arguments.tc[1]
        try:
            move = board.parse_uci(answer.move)
            if not move:
                raise ValueError("a null move")
        except ValueError:
            return lost, "illegal move", f"{answer.move} in {board.fen()}"
        moves.append(board.uci(move))
        scores.append(None if answer.score is None else answer.score if turn else -answer.score)
        board.push(move)


worker = {}


def begin_worker(arguments, openings):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    worker["arguments"], worker["openings"] = arguments, openings
    worker["a"] = Player(arguments.a, arguments.option_a, arguments.nodes_a, arguments.overstep is not None)
    worker["b"] = Player(arguments.b, arguments.option_b, arguments.nodes_b, arguments.overstep is not None)


def play(number):
    """Game `number`: A is White in the even ones."""
    arguments, openings = worker["arguments"], worker["openings"]
    fen = openings[number // 2 % len(openings)]
    a_is_white = number % 2 == 0
    players = {a_is_white: worker["a"], not a_is_white: worker["b"]}
    board = chess.Board(fen, chess960=arguments.chess960)
    oversteps = {True: [], False: []}
    result, reason, details = play_out(arguments, players, board, oversteps)
    return {
        "game": number,
        "match": arguments.identity,
        "fen": fen,
        "white": "a" if a_is_white else "b",
        "result": result,
        "reason": reason,
        "details": details,
        "timed": {name: len(oversteps[color]) for name, color in sides(a_is_white)},
        "overstep": {name: max(oversteps[color], default=None) for name, color in sides(a_is_white)},
        "moves": written(fen, board),
    }


def sides(a_is_white):
    return ("a", a_is_white), ("b", not a_is_white)


def clock_log(games):
    """The engines' own log of their hard limits: logged moves and the worst of each engine, and the worst of all."""
    told, worst = [], -math.inf
    for name in "ab":
        moves = sum(game["timed"][name] for game in games)
        if moves:
            own = max((game["overstep"][name], game["game"]) for game in games if game["timed"][name])
            told.append(f"{name} {moves} moves, at most {own[0]:+.3f} ms past the hard limit (game {own[1]})")
            worst = max(worst, own[0])
    return "; ".join(told) or "no engine said anything", worst


def written(fen, board):
    """The moves of the game on `board`, each as UCI writes it where it was played: castling depends on the position."""
    replay, moves = chess.Board(fen, chess960=board.chess960), []
    for move in board.move_stack:
        moves.append(replay.uci(move))
        replay.push(move)
    return moves


def points_of_a(game):
    white = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}[game["result"]]
    return white if game["white"] == "a" else 1.0 - white


def elo(score):
    return -400 * math.log10(1 / score - 1) if 0 < score < 1 else math.copysign(math.inf, score - 0.5)


def summary(games):
    points = collections.Counter(points_of_a(game) for game in games)
    count = len(games)
    score = sum(value * times for value, times in points.items()) / count
    variance = sum(times * (value - score) ** 2 for value, times in points.items()) / count
    error = 1.96 * math.sqrt(variance / count)
    low, high = elo(max(score - error, 0)), elo(min(score + error, 1))
    faults = collections.Counter(
        (("a" if (game["result"] == "0-1") == (game["white"] == "a") else "b"), game["reason"])
        for game in games
        if game["reason"] in FAULTS
    )
    told = ", ".join(f"{side} {reason} {times}" for (side, reason), times in sorted(faults.items())) or "none"
    return (
        f"games {count}  a +{points[1.0]} ={points[0.5]} -{points[0.0]}  score {100 * score:.1f} %  "
        f"elo {elo(score):+.1f} [{low:+.1f}, {high:+.1f}]  faults: {told}"
    )


def read_openings(path, seed):
    with open(path, encoding="utf-8") as file:
        lines = [line.split(";")[0].split() for line in file if line.strip()]
    # A FEN has four or six fields; the rest of an EPD line is ignored.
    fens = [" ".join(fields[:6] if fields[4:6] and all(f.isdigit() for f in fields[4:6]) else fields[:4]) for fields in lines]
    random.Random(seed).shuffle(fens)
    return fens


def read_record(path, identity):
    games = {}
    if path and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    game = json.loads(line)
                except json.JSONDecodeError:
                    continue  # the last line of a run that was cut off
                if game["match"] != identity:
                    sys.exit(f"uci_match: {path} is the record of another match: {game['match']}")
                games[game["game"]] = game
    return games


def cut_torn_line(path):
    """The last line of a run that was cut off: behind it, the next game could not be read either."""
    with open(path, "r+b") as file:
        games = file.read()
        if games and not games.startswith(b"{"):
            sys.exit(f"uci_match: {path} is no record of a match; it is left as it is")
        file.truncate(games.rfind(b"\n") + 1)


def parse_tc(text):
    base, _, increment = text.partition("+")
    return float(base), float(increment or 0)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for side in "ab":
        parser.add_argument(f"--{side}", required=True, metavar="COMMAND", help=f"engine {side.upper()}")
        parser.add_argument(f"--option-{side}", action="append", default=[], type=parse_option, metavar="NAME=VALUE")
        parser.add_argument(f"--nodes-{side}", type=int, metavar="N", help="nodes per move instead of a clock")
    parser.add_argument("--openings", required=True, metavar="EPD")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--tc", type=parse_tc, metavar="SECONDS+INCREMENT", help="a clock for each side")
    parser.add_argument("--movetime", type=int, metavar="MS", help="milliseconds per move")
    parser.add_argument("--margin", type=float, default=0, metavar="MS", help="by how much a clock may be exceeded")
    parser.add_argument(
        "--overstep", type=float, metavar="MS", help="let the engines log their limits, and fail if one exceeds its limit by more"
    )
    parser.add_argument("--chess960", action="store_true")
    parser.add_argument("--adjudicate", action="store_true", help="end decided and endless games")
    parser.add_argument("--seed", type=int, default=1, help="the order of the openings")
    parser.add_argument("--record", metavar="FILE", help="one JSON line per game; the match is resumed from it")
    arguments = parser.parse_args()
    if not (arguments.tc or arguments.movetime or (arguments.nodes_a and arguments.nodes_b)):
        parser.error("give --tc, --movetime, or both of --nodes-a and --nodes-b")
    if arguments.chess960:
        for options in (arguments.option_a, arguments.option_b):
            options.append(("UCI_Chess960", "true"))
    left_out = ("games", "concurrency", "record")
    arguments.identity = repr(sorted((key, value) for key, value in vars(arguments).items() if key not in left_out))
    return arguments


def main():
    arguments = parse_arguments()
    for command, options in ((arguments.a, arguments.option_a), (arguments.b, arguments.option_b)):
        try:
            Engine(command, options).close()  # not an engine: report it once, not as a crash in every game
        except (OSError, EngineError) as error:
            sys.exit(f"uci_match: {command}: {error}")
    openings = read_openings(arguments.openings, arguments.seed)
    games = read_record(arguments.record, arguments.identity)
    numbers = [number for number in range(arguments.games) if number not in games]
    if games:
        print(f"resuming: {len(games)} games are in {arguments.record}", flush=True)
    if arguments.record and os.path.exists(arguments.record):
        cut_torn_line(arguments.record)
    record = open(arguments.record, "a", encoding="utf-8") if arguments.record else None
    every = max(1, arguments.games // 20)
    with multiprocessing.Pool(arguments.concurrency, begin_worker, (arguments, openings)) as pool:
        for game in pool.imap_unordered(play, numbers):
            games[game["game"]] = game
            if record:
                record.write(json.dumps(game) + "\n")
                record.flush()
            if game["reason"] in FAULTS:
                print(f"game {game['game']}: {game['result']} by {game['reason']}: {game['details']}", flush=True)
            if len(games) % every == 0:
                print(summary(list(games.values())), flush=True)
    if not games:
        sys.exit("uci_match: no game was played")
    reasons = collections.Counter(game["reason"] for game in games.values())
    print("ends: " + ", ".join(f"{reason} {times}" for reason, times in reasons.most_common()))
    print(summary(list(games.values())))
    overstepped = False
    if arguments.overstep is not None:
        told, worst = clock_log(list(games.values()))
        overstepped = worst > arguments.overstep
        print(f"clock log: {told}")
    sys.exit(1 if overstepped or any(game["reason"] in FAULTS for game in games.values()) else 0)


if __name__ == "__main__":
    main()
