#!/usr/bin/env bash
# Guess: `go depth 5 searchmoves a2a3` values a2a3; an engine that does not know `searchmoves` says so.
# True:  Toga II, GNU Chess and Ethereal ignore it without a word and answer with a move that was not allowed. Stockfish and Glaurung
#        obey, but Stockfish takes every later word for a move: after `go searchmoves a2a3 depth 5` no depth limits it, Glaurung's
#        does.
# So:    put `searchmoves` last, and check that `bestmove` is one of them before its score is used for the move.
# Seen:  stockfish 15.1-4, glaurung 2.2-4, toga2 3.0.0.1SE1-2+b1, gnuchess 6.2.7-1+deb12u1, ethereal-chess 12.00+ds1-1 (Debian 12);
#        2026-11-27.
source "$(dirname "$0")/common.bash"
debian stockfish=15.1-4 glaurung=2.2-4 toga2=3.0.0.1SE1-2+b1 gnuchess=6.2.7-1+deb12u1 ethereal-chess=12.00+ds1-1

cat > moves.py <<'PYTHON'
from uci import Engine, number

def answers(*command, **options):
    """The moves for `searchmoves` last and first; None where the search goes on past three times the depth."""
    engine, moves = Engine(*command, **options), []
    for limits in ("depth 5 searchmoves a2a3", "searchmoves a2a3 depth 5"):
        engine.send("ucinewgame", "isready")
        engine.until("readyok")
        engine.send("position startpos", f"go {limits}")
        lines = engine.until("bestmove", 40, enough=lambda line: number(line, "depth") > 15)
        moves.append(lines[-1].split()[1] if lines[-1].startswith("bestmove") else None)
        if moves[-1] is None:
            engine.send("stop")
            engine.until("bestmove")
    engine.quit()
    print(f"{engine.name}: searchmoves last: {moves[0]}, first: {moves[1] or 'deeper than 15 when stopped'}")
    return moves

assert answers("stockfish", Threads=1) == ["a2a3", None]
assert answers("glaurung", Threads=1, OwnBook="false") == ["a2a3", "a2a3"]
for command in (["toga2"], ["gnuchess", "--uci"]):
    assert "a2a3" not in answers(*command, OwnBook="false")
assert "a2a3" not in answers("ethereal-chess")
PYTHON
holds "two engines obey searchmoves, three ignore it, and Stockfish reads no limit after it" python3 moves.py
