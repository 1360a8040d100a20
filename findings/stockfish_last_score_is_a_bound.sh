#!/usr/bin/env bash
# Guess: the last `info score` before `bestmove`, which is what python-chess's `analyse` returns, is the search's value.
# True:  a limit of nodes or time mostly ends a search inside an iteration. Stockfish then sends one more line, and where an aspiration
#        window has failed the score in it is a `lowerbound` or `upperbound`, not a value. python-chess overwrites the value by the
#        bound: 17 of 40 positions with 5,000 nodes each get one, 1 to 133 centipawns from the last value.
# So:    a label or an adjudication takes the last score without a bound, or searches by depth.
# Seen:  stockfish 15.1-4 (Debian 12), chess 1.11.2 (PyPI); 2026-11-27.
source "$(dirname "$0")/common.bash"
debian stockfish=15.1-4
python chess==1.11.2

cat > labels.py <<'PYTHON'
import random
import chess
import chess.engine

def opening(seed):
    generator, board = random.Random(seed), chess.Board()
    for _ in range(8 + seed % 12):
        board.push_uci(generator.choice(sorted(move.uci() for move in board.legal_moves)))
    return board

def is_bound(info):
    return "lowerbound" in info or "upperbound" in info

def bounds(limit):
    """Prints every bound that stands where a value is expected; returns how many of 40 there are."""
    count = 0
    for seed in range(40):
        board, values = opening(seed), []
        with engine.analysis(board, limit, game=object()) as analysis:
            for info in analysis:
                if "score" in info and not is_bound(info):
                    values.append(info["score"].relative)
        last = analysis.info  # as `engine.analyse` returns it
        if is_bound(last):
            count += 1
            print(f"seed {seed}: analyse returns {last['score'].relative!r}, the last value is {values[-1]!r}")
    return count

engine = chess.engine.SimpleEngine.popen_uci("stockfish")
engine.configure({"Threads": 1, "Hash": 16})
nodes, depth = bounds(chess.engine.Limit(nodes=5000)), bounds(chess.engine.Limit(depth=6))
print(f"bounds among 40 scores: {nodes} with 5,000 nodes, {depth} with depth 6")
engine.quit()
assert nodes >= 4 and depth == 0
PYTHON
holds "scores of searches ended by nodes are often bounds, by depth never" python3 labels.py
