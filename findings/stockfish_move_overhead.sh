#!/usr/bin/env bash
# Guess: with half a second left a strong engine still thinks some 10 ms a move, and Stockfish's Move Overhead of 10 ms takes 10 ms off.
# True:  Stockfish sets the overhead of 52 moves aside. With 500 ms and no increment, or 200 or 300 ms and 5 ms, next to nothing is
#        left to divide: it answers after depth 1, with 1 to 3 nodes, though its time would last for thousands. With 1000 ms, or without
#        overhead, it searches to depth 8 to 17.
# So:    a match whose clocks fall there, such as 0.2 s + 0.005 s, measures Stockfish at depth 1; set `Move Overhead` to 0 for both
#        players, or play longer games.
# Seen:  stockfish 15.1-4 (Debian 12); 2026-11-30.
source "$(dirname "$0")/common.bash"
debian stockfish=15.1-4

cat > overhead.py <<'PYTHON'
from uci import Engine, number

POSITIONS = ["startpos",
             "fen r2q1rk1/pp2bppp/2n1bn2/3p4/3N4/1PN1B3/P3BPPP/R2Q1RK1 w - - 0 12",
             "fen 2r3k1/pp3ppp/4b3/3p4/3P4/2N1P3/PP3PPP/2R3K1 w - - 0 25",
             "fen 8/5pk1/4p1p1/1p1pP2p/1P1P1P1P/4K1P1/8/8 w - - 0 40"]

def searched(clock, increment, overhead):
    """The depth and the nodes of the first move of each position with this clock (ms) and this Move Overhead (ms)."""
    engine, found = Engine("stockfish", **{"Threads": 1, "Move Overhead": overhead}), []
    for position in POSITIONS:
        engine.send("ucinewgame", f"position {position}",
                    f"go wtime {clock} btime {clock} winc {increment} binc {increment}")
        last = [line for line in engine.until("bestmove") if " pv " in line][-1]
        found.append((number(last, "depth"), number(last, "nodes")))
    engine.quit()
    text = ", ".join(f"{depth} ({nodes:,})" for depth, nodes in found)
    print(f"{clock} ms + {increment} ms, Move Overhead {overhead}: depth (nodes) {text}")
    return found

for clock in ((500, 0, 10), (300, 5, 10), (200, 5, 10)):
    assert all(depth == 1 and nodes < 10 for depth, nodes in searched(*clock))
for clock in ((1000, 0, 10), (500, 0, 0), (300, 5, 0)):
    assert all(depth > 5 and nodes > 1_000 for depth, nodes in searched(*clock))
PYTHON
holds "where the overhead of 52 moves leaves next to nothing of the clock, Stockfish plays at depth 1" python3 overhead.py
