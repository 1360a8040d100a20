#!/usr/bin/env bash
# Guess: where every line ends in a draw by the rules, an engine's score is 0 centipawns.
# True:  of five engines two say so. Stockfish with its network evaluates bare kings and knights like any position: at depth 8 king against
#        king is 3, a knight more -31, two knights more -94 for the side that has them; without the network all three are 0. Ethereal
#        calls draws -1 or 1. For Glaurung a lone queen is worth 86 pawns also where the halfmove clock is 99 and no move mates. Toga II
#        and GNU Chess say 0 each time.
# So:    labels and adjudication settle draws by the rules before they ask an engine, and a draw has a margin around 0.
# Seen:  stockfish 15.1-4, glaurung 2.2-4, toga2 3.0.0.1SE1-2+b1, gnuchess 6.2.7-1+deb12u1, ethereal-chess 12.00+ds1-1 (Debian 12);
#        2026-11-30.
source "$(dirname "$0")/common.bash"
debian stockfish=15.1-4 glaurung=2.2-4 toga2=3.0.0.1SE1-2+b1 gnuchess=6.2.7-1+deb12u1 ethereal-chess=12.00+ds1-1

cat > draws.py <<'PYTHON'
from uci import Engine, number

# Nothing can be won in the first, nobody can force a win in the third, and the fourth is drawn after any move.
POSITIONS = {
    "K-K": "8/8/4k3/8/8/4K3/8/8 w - - 0 1",
    "KN-K": "8/8/4k3/8/8/3NK3/8/8 w - - 0 1",
    "KNN-K": "8/8/4k3/8/8/3NKN2/8/8 w - - 0 1",
    "KQ-K, clock 99": "8/8/8/3k4/8/8/1Q6/K7 w - - 99 120",
}


def scores(*command, setup=()):
    """The last score at depth 8 of each position."""
    engine, found = Engine(*command), []
    engine.send(*setup)
    for position in POSITIONS.values():
        engine.send("ucinewgame", f"position fen {position}", "go depth 8")
        lines = [line for line in engine.until("bestmove") if " score cp " in line]
        found.append(number(lines[-1], "cp"))
    engine.quit()
    said = ", ".join(f"{name} {score}" for name, score in zip(POSITIONS, found))
    print(f"{engine.name}{' ' + ' '.join(setup) if setup else ''}: {said}")
    return found


assert scores("stockfish") == [3, -31, -94, 0]
assert scores("stockfish", setup=["setoption name Use NNUE value false"]) == [0, 0, 0, 0]
assert {abs(score) for score in scores("ethereal-chess")} == {1}
*drawn, won = scores("glaurung")
assert drawn == [0, 0, 0] and won > 8_000
for command in (["toga2"], ["gnuchess", "--uci"]):
    assert scores(*command) == [0, 0, 0, 0]
PYTHON
holds "a draw by the rules is not 0 for three of five engines" python3 draws.py
