#!/usr/bin/env python3
"""Drives a UCI engine through PyPI's chess, an independent client, and checks what it answers.

    python3 tests/tools/uci_client.py [target/release/okapi] [--games N] [--movetime SECONDS]

python-chess refuses illegal moves and PVs by itself; this script checks them once more and everything else as well.
The last line is `N passed, M failed`; the exit code is 1 if any check failed.
"""

import argparse
import asyncio
import random
import sys
import time
import traceback

import chess
import chess.engine

OPENINGS = [
    ("standard", chess.STARTING_FEN, False),
    ("queen's gambit", "rnbqkbnr/ppp1pppp/8/3p4/2PP4/8/PP2PPPP/RNBQKBNR b KQkq - 0 2", False),
    ("castling middlegame", "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 6 8", False),
    ("rook endgame", "8/5pk1/6p1/7p/1R5P/6P1/r4PK1/8 w - - 0 40", False),
    ("Chess960 518", chess.Board.from_chess960_pos(518).fen(), True),
    ("Chess960 0", chess.Board.from_chess960_pos(0).fen(), True),
    ("Chess960 castling", "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w BGbg - 0 1", True),
]


class Failure(Exception):
    """A check that did not hold; its message says which."""


def check(condition, message):
    if not condition:
        raise Failure(message)


def check_line(board, line, what):
    """Every move of a line is legal, one after the other."""
    board = board.copy()
    for move in line:
        check(board.is_legal(move), f"{what}: {move} is illegal in {board.fen()}")
        board.push(move)


async def handshake(engine, _):
    name = engine.id.get("name", "")
    check(name and engine.id.get("author"), f"the engine gives no name or author: {engine.id}")
    for option in ("Hash", "Threads", "MultiPV", "UCI_Chess960", "UCI_ShowWDL", "Move Overhead", "EvalFile"):
        check(option in engine.options, f"option {option} is not declared")
    await engine.ping()


async def self_play(engine, arguments):
    for number in range(arguments.games):
        name, fen, chess960 = OPENINGS[number % len(OPENINGS)]
        board = chess.Board(fen, chess960=chess960)
        plies = 0
        while not board.is_game_over(claim_draw=True) and plies < 120:
            limit = chess.engine.Limit(time=arguments.movetime)
            started = time.monotonic()
            result = await engine.play(board, limit, info=chess.engine.INFO_ALL, game=number)
            took = time.monotonic() - started
            check(result.move and board.is_legal(result.move), f"{name}: {result.move} in {board.fen()}")
            check(took < arguments.movetime + 1, f"{name}: a move took {took:.2f} s")
            check_line(board, result.info.get("pv", []), name)
            if result.ponder:
                check_line(board, [result.move, result.ponder], f"{name}, ponder move")
            board.push(result.move)
            plies += 1
        check(plies > 0, f"{name}: no move was played")


async def clocks(engine, _):
    """A whole game's clock is never overdrawn."""
    board = chess.Board()
    left = {chess.WHITE: 1.0, chess.BLACK: 1.0}
    while not board.is_game_over(claim_draw=True) and board.ply() < 100:
        limit = chess.engine.Limit(
            white_clock=left[chess.WHITE], black_clock=left[chess.BLACK], white_inc=0.02, black_inc=0.02
        )
        started = time.monotonic()
        result = await engine.play(board, limit, game="clocks")
        left[board.turn] -= time.monotonic() - started
        check(left[board.turn] > 0, f"the flag fell at ply {board.ply()}")
        left[board.turn] += 0.02
        board.push(result.move)


def check_lines(board, infos, wanted, name):
    """As many lines as are wanted or possible, each with another first move, the best first, all legal."""
    expected = min(wanted, board.legal_moves.count())
    check(len(infos) == expected, f"{name}: {len(infos)} lines instead of {expected}")
    firsts = [info["pv"][0] for info in infos]
    check(len(set(firsts)) == len(firsts), f"{name}: two lines begin with one move: {firsts}")
    scores = [info["score"].relative.score(mate_score=100_000) for info in infos]
    check(scores == sorted(scores, reverse=True), f"{name}: lines out of order: {scores}")
    for info in infos:
        check_line(board, info["pv"], name)


async def multipv(engine, _):
    for name, fen, chess960 in OPENINGS:
        board = chess.Board(fen, chess960=chess960)
        infos = await engine.analyse(board, chess.engine.Limit(depth=4), multipv=4)
        check_lines(board, infos, 4, name)
        for info in infos:
            for key in ("depth", "seldepth", "nodes", "nps", "time", "hashfull", "tbhits"):
                check(key in info, f"{name}: an info line lacks {key}")


def random_board(generator):
    """A position of a game of random moves, one in four of Chess960, that is not over."""
    while True:
        chess960 = generator.random() < 0.25
        board = chess.Board.from_chess960_pos(generator.randrange(960)) if chess960 else chess.Board()
        for _ in range(generator.randrange(90)):
            if board.is_game_over():
                break
            board.push(generator.choice(list(board.legal_moves)))
        if not board.is_game_over():
            return board


LIMITS = [
    lambda _: chess.engine.Limit(time=0.03),
    lambda generator: chess.engine.Limit(nodes=generator.randrange(1, 5_000)),
    lambda generator: chess.engine.Limit(depth=generator.randrange(1, 6)),
    lambda _: chess.engine.Limit(mate=2, nodes=20_000),
    lambda _: chess.engine.Limit(white_clock=0.5, black_clock=0.5, white_inc=0.01, black_inc=0.01),
]


async def random_positions(engine, arguments):
    """Every limit, and stops at random moments, with any number of lines: every list is complete and in order."""
    generator = random.Random(arguments.seed)
    for number in range(arguments.positions):
        board = random_board(generator)
        wanted = generator.randrange(1, 8)
        name = f"position {number}, {wanted} lines, {board.fen()}"
        if number % 2:
            limit = generator.choice(LIMITS)(generator)
            infos = await asyncio.wait_for(engine.analyse(board, limit, multipv=wanted, game=number), 20)
            check_lines(board, infos, wanted, f"{name}, {limit}")
            continue
        with await engine.analysis(board, multipv=wanted, game=number) as analysis:
            await asyncio.sleep(generator.choice([0.0, 0.003, 0.02, 0.1, 0.3]) * generator.random())
            analysis.stop()
            best = await asyncio.wait_for(analysis.wait(), 3)
        check_lines(board, analysis.multipv, wanted, name)
        check(best.move == analysis.multipv[0]["pv"][0], f"{name}: bestmove {best.move} is not the first line's")


async def chances(engine, _):
    await engine.configure({"UCI_ShowWDL": True})
    for fen, sign in ((chess.STARTING_FEN, 0), ("4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1", 1), ("4k3/8/8/8/8/8/8/QQ2K3 b - - 0 1", -1)):
        info = await engine.analyse(chess.Board(fen), chess.engine.Limit(depth=3))
        wdl = info["wdl"].relative
        check(wdl.total() == 1000, f"wdl {wdl} does not sum to 1000")
        check(sign == 0 or (wdl.wins - wdl.losses) * sign > 500, f"wdl {wdl} in {fen}")
    await engine.configure({"UCI_ShowWDL": False})


async def mates(engine, _):
    for fen, mate in (("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 2), ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1)):
        info = await engine.analyse(chess.Board(fen), chess.engine.Limit(mate=mate))
        check(info["score"].relative.mate() == mate, f"{info['score']} instead of a mate in {mate} in {fen}")


async def stopping(engine, _):
    board = chess.Board()
    with await engine.analysis(board) as analysis:
        await asyncio.sleep(0.3)
        started = time.monotonic()
        analysis.stop()
        best = await analysis.wait()
        took = time.monotonic() - started
        check(took < 0.5, f"stop took {took:.2f} s")
        check(board.is_legal(best.move), f"{best.move} after stop")
        check_line(board, analysis.info.get("pv", []), "infinite analysis")


async def pondering(engine, _):
    """Both ends of pondering: the expected reply is played, or another one."""
    for as_expected in (True, False):
        board = chess.Board()
        limit = chess.engine.Limit(time=0.2)
        result = await engine.play(board, limit, ponder=True, game="ponder")
        check(result.ponder is not None, "no ponder move")
        board.push(result.move)
        replies = [move for move in board.legal_moves if (move == result.ponder) == as_expected]
        await asyncio.sleep(0.2)
        board.push(replies[0])
        result = await asyncio.wait_for(engine.play(board, limit, ponder=False, game="ponder"), 3)
        check(board.is_legal(result.move), f"{result.move} after pondering")


async def restricted(engine, _):
    board = chess.Board()
    moves = [chess.Move.from_uci(text) for text in ("a2a3", "h2h4")]
    result = await engine.play(board, chess.engine.Limit(depth=3), root_moves=moves)
    check(result.move in moves, f"{result.move} is not one of {moves}")


async def exact_nodes(engine, _):
    for nodes in (1, 77, 5000):
        info = await engine.analyse(chess.Board(), chess.engine.Limit(nodes=nodes), game=nodes)
        check(info["nodes"] == nodes, f"{info['nodes']} nodes instead of {nodes}")


async def goodbye(engine, _):
    await asyncio.wait_for(engine.quit(), 3)
    check(engine.returncode.result() == 0, f"exit code {engine.returncode.result()}")


CHECKS = [
    handshake, self_play, clocks, multipv, random_positions, chances, mates, stopping, pondering, restricted, exact_nodes, goodbye,
]


async def run(arguments):
    _, engine = await chess.engine.popen_uci(arguments.engine)
    passed = failed = 0
    for one in CHECKS:
        try:
            await asyncio.wait_for(one(engine, arguments), 300)
            passed += 1
            print(f"ok      {one.__name__}", flush=True)
        except Exception as error:  # whatever goes wrong is a failed check, and the others still run
            failed += 1
            print(f"FAILED  {one.__name__}: {error or type(error).__name__}", flush=True)
            if not isinstance(error, Failure):
                traceback.print_exc()
            if engine.returncode.done() and one is not goodbye:
                print("the engine has died; the checks that remain are left out", flush=True)
                failed += len(CHECKS) - passed - failed
                break
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", nargs="?", default="target/release/okapi", help="the engine's program")
    parser.add_argument("--games", type=int, default=len(OPENINGS), help="games against itself")
    parser.add_argument("--positions", type=int, default=300, help="random positions to analyse")
    parser.add_argument("--seed", type=int, default=1, help="of the random positions")
    parser.add_argument("--movetime", type=float, default=0.05, help="seconds per move in these games")
    sys.exit(asyncio.run(run(parser.parse_args())))


if __name__ == "__main__":
    main()
