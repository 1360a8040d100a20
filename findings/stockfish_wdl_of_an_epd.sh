#!/usr/bin/env bash
# Guess: `UCI_ShowWDL` follows from the position and its score, so that an EPD (a FEN without counters) gets the same win, draw and
#        loss.
# True:  Stockfish's model reads the fullmove number. The same rook ending has the same tree and score, 78 centipawns, at every number,
#        but 308 wins per mille at move 1 (which is what an EPD becomes) and 178 at move 120. python-chess's `Score.wdl()` takes ply 30
#        and the newest Stockfish's curve unless told otherwise: 302 at any move.
# So:    label with the FEN of the game, keep the fullmove number with the label, and compare no two WDL of different sources.
# Seen:  stockfish 15.1-4 (Debian 12), chess 1.11.2 (PyPI); 2026-11-27.
source "$(dirname "$0")/common.bash"
debian stockfish=15.1-4
python chess==1.11.2

cat > wdl.py <<'PYTHON'
from chess.engine import Cp
from uci import Engine, number

EPD = "2r3k1/5ppp/p7/1p1P4/8/1P6/P4PPP/3R2K1 w - -"

engine = Engine("stockfish", Threads=1, UCI_ShowWDL="true")
seen = {}
for counters in ("", " 0 1", " 0 30", " 0 120"):
    engine.send("ucinewgame", f"position fen {EPD}{counters}", "go depth 10")
    last = [line for line in engine.until("bestmove") if " wdl " in line and "bound" not in line][-1]
    words = last.split()
    wdl = tuple(int(word) for word in words[words.index("wdl") + 1 :][:3])
    seen[counters] = number(last, "cp"), number(last, "nodes"), wdl
    print(f"counters '{counters}': {number(last, 'cp')} cp, {number(last, 'nodes')} nodes, wdl {wdl}")
engine.quit()
cp = seen[""][0]
late = [Cp(cp).wdl().wins, Cp(cp).wdl(model="sf15.1", ply=238).wins]
print(f"python-chess, {cp} cp, wins: {late[0]} by default at every move number, {late[1]} with sf15.1 and move 120's ply")

assert len({(cp, nodes) for cp, nodes, _ in seen.values()}) == 1, "score or tree differ"
assert seen[""] == seen[" 0 1"]
wins = [seen[counters][2][0] for counters in (" 0 1", " 0 30", " 0 120")]
assert wins[0] > wins[1] + 30 > wins[2] + 60
assert late[0] > wins[2] + 100 and abs(late[1] - wins[2]) <= 15
PYTHON
holds "the same score has other win, draw and loss at another move number" python3 wdl.py
