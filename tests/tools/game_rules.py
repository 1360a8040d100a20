#!/usr/bin/env python3
"""Games of Okapi against itself whose moves and results python-chess judges, before a release.

    pip install chess==1.11.2
    python3 tests/tools/game_rules.py target/release/okapi --games 2000 --folder target/game-rules

Half of the games are played here: python-chess holds the board, every move and every line that Okapi shows must be legal, and where a side is
mated or stalemated Okapi must say so. The other half `okapi match` plays, between Okapi in process and Okapi by UCI; python-chess plays
them again, and each must end where its rules end it first, with their result and reason. Of four openings one is of Chess960 and one an
endgame. The folder keeps what was played, and the same command continues. The last line counts games, moves and faults; the exit code is 1
if there is a fault.
"""

import argparse
import collections
import hashlib
import io
import json
import multiprocessing
import os
import random
import shlex
import signal
import subprocess
import sys

import chess
import chess.pgn

from uci_engine import Engine, EngineError
from uci_match import end_by_rules
from whole_file import write_whole

# The names of `okapi match` for the reasons of `end_by_rules`.
ENDINGS = {
    "mate": "mate", "stalemate": "stalemate", "insufficient-material": "material", "fifty-moves": "fifty moves", "repetition": "repetition",
}
HASH = 4


class Fault(Exception):
    """What is against the rules, in words."""


def endgame(generator):
    """Kings and one to four other pieces on any squares, with some of the fifty moves gone; perhaps no position."""
    board = chess.Board(None)
    pieces = [chess.Piece(chess.KING, color) for color in chess.COLORS]
    for _ in range(generator.randrange(1, 5)):
        pieces.append(chess.Piece(generator.randrange(chess.PAWN, chess.KING), generator.choice(chess.COLORS)))
    for square, piece in zip(generator.sample(chess.SQUARES, len(pieces)), pieces):
        board.set_piece_at(square, piece)
    board.turn, board.halfmove_clock = generator.choice(chess.COLORS), generator.randrange(100)
    return board


def opening(seed, number):
    """A position that is not over: of four, two after up to 11 random moves, one so of Chess960, and one endgame."""
    generator = random.Random(f"{seed} {number}")
    while True:
        if number % 4 == 1:
            board = endgame(generator)
        else:
            board = chess.Board.from_chess960_pos(generator.randrange(960)) if number % 4 == 3 else chess.Board()
            for _ in range(generator.randrange(12)):
                if end_by_rules(board):
                    break
                board.push(generator.choice(list(board.legal_moves)))
        if board.is_valid() and not end_by_rules(board):
            # The game begins here: what was before is no repetition.
            return chess.Board(fen(board), chess960=board.chess960)


def fen(board):
    return board.shredder_fen() if board.chess960 else board.fen()


def read_move(board, text, what):
    """A legal move as UCI writes it."""
    try:
        move = board.parse_uci(text)
    except ValueError as error:
        raise Fault(f"{what} {text} in {board.fen()}: {error}") from error
    if not move:
        raise Fault(f"{what} {text} in {board.fen()} is a null move")
    return move


def searched(engine, position, go):
    """The lines of a search."""
    engine.send(f"position {position}")
    engine.send(f"go {go}")
    return list(engine.lines_until("bestmove", 60))


def check_line(board, line):
    words = line.split()
    if words[:1] == ["info"] and "pv" in words and "string" not in words:
        played = board.copy(stack=False)
        for text in words[words.index("pv") + 1 :]:
            played.push(read_move(played, text, "a line has"))


def check_end(engine, position, reason):
    """Where there is no legal move Okapi has none, and knows whether that is a mate."""
    if reason in ("mate", "stalemate"):
        *_, info, best = searched(engine, position, "nodes 1")
        score = "score mate 0" if reason == "mate" else "score cp 0"
        if best != "bestmove (none)" or score not in f"{info} ":
            raise Fault(f"{reason} in {position}, but Okapi says: {info}; {best}")


def play(engine, board, nodes):
    """Plays a game out; returns its moves, result and reason."""
    start, moves = fen(board), []
    engine.send(f"setoption name UCI_Chess960 value {str(board.chess960).lower()}")
    engine.new_game()
    while True:
        position = f"fen {start} moves {' '.join(moves)}" if moves else f"fen {start}"
        end = end_by_rules(board)
        if end:
            check_end(engine, position, end[1])
            return moves, *end
        *infos, best = searched(engine, position, f"nodes {nodes}")
        for line in infos:
            check_line(board, line)
        words = best.split()
        move = read_move(board, words[1], "the move")
        moves.append(board.uci(move))
        board.push(move)
        if words[2:3] == ["ponder"]:
            read_move(board, words[3], "the expected reply")


worker = {}


def begin_worker(arguments):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    worker["arguments"], worker["engine"] = arguments, None


def play_number(number):
    """The game of this number as a record."""
    arguments = worker["arguments"]
    game = {"game": number, "moves": [], "result": "*", "reason": "", "fault": ""}
    try:
        if worker["engine"] is None:
            worker["engine"] = Engine(shlex.quote(arguments.okapi), [("Hash", HASH)])
        board = opening(arguments.seed, number)
        game["moves"], game["result"], game["reason"] = play(worker["engine"], board, arguments.nodes)
    except (Fault, EngineError) as error:
        game["fault"] = str(error)
        if worker["engine"]:
            worker["engine"].close()
        worker["engine"] = None
    return game


def played_here(arguments, games):
    """The games with python-chess's board, those of the record included."""
    path = os.path.join(arguments.folder, "games.jsonl")
    known = {}
    with open(path, "ab+") as record:
        record.seek(0)
        lines = record.read().split(b"\n")
        for line in lines[:-1]:
            game = json.loads(line)
            known[game["game"]] = game
        # A line that a killed run left without its end.
        record.truncate(record.tell() - len(lines[-1]))
        missing = [number for number in range(games) if number not in known]
        with multiprocessing.Pool(arguments.threads, begin_worker, (arguments,)) as pool:
            for game in pool.imap_unordered(play_number, missing):
                known[game["game"]] = game
                record.write(json.dumps(game).encode() + b"\n")
                record.flush()
    return [known[number] for number in sorted(known) if number < games]


def match(arguments, games):
    """The games of `okapi match`, those of its record included."""
    openings, record = (os.path.join(arguments.folder, name) for name in ("openings.epd", "match.jsonl"))
    if not os.path.exists(openings):
        boards = [opening(arguments.seed + 1, number) for number in range(games)]
        write_whole(openings, "".join(f"{fen(board)}\n" for board in boards))
    players = [f"okapi name=process hash={HASH}", f"cmd={shlex.quote(os.path.abspath(arguments.okapi))} name=uci option.Hash={HASH}"]
    command = [arguments.okapi, "match", "--games", str(games), "--nodes", str(arguments.nodes), "--concurrency", str(arguments.threads)]
    command += ["--openings", openings, "--state", record]
    for player in players:
        command += ["--player", player]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"game_rules: {shlex.join(command)} ended with {done.returncode}: {done.stderr}")
    with open(record, encoding="utf-8") as file:
        return [game for game in map(json.loads, file) if "pgn" in game]


def judge(game):
    """Plays a game of `okapi match` again; returns the moves and the reason, or raises what is wrong."""
    read = chess.pgn.read_game(io.StringIO(game["pgn"]))
    if read.errors:
        raise Fault(f"{read.errors}")
    board, count = read.board(), 0
    for move in read.mainline_moves():
        end = end_by_rules(board)
        if end:
            raise Fault(f"it goes on after {end[1]} in {board.fen()}")
        if not board.is_legal(move):
            raise Fault(f"{move} in {board.fen()} is illegal")
        board.push(move)
        count += 1
    reason = ENDINGS.get(game["ending"])
    found, end = (game["result"], reason), end_by_rules(board)
    if found != end or read.headers["Result"] != end[0] or int(read.headers["PlyCount"]) != count:
        raise Fault(f"{found} ({game['ending']}: {game['reason']}) after {count} plies, by python-chess {end}, in {board.fen()}")
    return count, reason


def identity(arguments):
    """What the games of the folder depend on."""
    with open(arguments.okapi, "rb") as file:
        program = hashlib.sha256(file.read()).hexdigest()
    return {"program": program, "games": arguments.games, "nodes": arguments.nodes, "seed": arguments.seed}


def open_folder(arguments):
    os.makedirs(arguments.folder, exist_ok=True)
    path, this = os.path.join(arguments.folder, "setup.json"), identity(arguments)
    if not os.path.exists(path):
        write_whole(path, json.dumps(this))
    with open(path, encoding="utf-8") as file:
        before = json.load(file)
    if before != this:
        sys.exit(f"game_rules: {arguments.folder} has other games: {before}; remove it or name another folder")


def main():
    """See the description of this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("okapi", nargs="?", default="target/release/okapi", help="the program")
    parser.add_argument("--games", type=int, default=2000, metavar="N", help="both halves together; an even number")
    parser.add_argument("--nodes", type=int, default=60, metavar="N", help="of a move")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the openings")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="games at the same time")
    parser.add_argument("--folder", default="target/game-rules", metavar="FOLDER", help="what was played; the same command continues")
    arguments = parser.parse_args()
    open_folder(arguments)
    half = arguments.games // 2
    moves, faults, reasons = 0, 0, collections.Counter()

    def report(what, game, fault):
        print(f"{what} game {game}: {fault}", flush=True)
        return 1

    for game in played_here(arguments, half):
        moves += len(game["moves"])
        faults += report("played", game["game"], game["fault"]) if game["fault"] else 0
        reasons["played", game["reason"]] += not game["fault"]
    print(f"played: {half} games", flush=True)
    for game in match(arguments, half):
        try:
            count, reason = judge(game)
            moves += count
            reasons["judged", reason] += 1
        except Fault as fault:
            faults += report("judged", game["game"], fault)
    print(f"judged: {half} games", flush=True)
    for half_of, reason in sorted(reasons):
        print(f"  {half_of} {reason}: {reasons[half_of, reason]}")
    print(f"{2 * half} games, {moves} moves, {faults} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
