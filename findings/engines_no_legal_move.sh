#!/usr/bin/env bash
# Guess: asked for a move where the game is over, an engine says `bestmove (none)` or the null move of UCI, `0000`.
# True:  none of five says 0000. Stockfish and Glaurung say (none), and only Stockfish a score, `mate 0` or `cp 0`. Toga II, GNU Chess
#        and Ethereal say `a1a1`, which is no move. With python-chess `play` returns no move for the first two and raises an EngineError
#        for the other three.
# So:    a match or an annotator ends games by its own rules and asks no engine about mate or stalemate.
# Seen:  stockfish 15.1-4, glaurung 2.2-4, toga2 3.0.0.1SE1-2+b1, gnuchess 6.2.7-1+deb12u1, ethereal-chess 12.00+ds1-1 (Debian 12),
#        chess 1.11.2 (PyPI); 2026-11-30.
source "$(dirname "$0")/common.bash"
debian stockfish=15.1-4 glaurung=2.2-4 toga2=3.0.0.1SE1-2+b1 gnuchess=6.2.7-1+deb12u1 ethereal-chess=12.00+ds1-1
python chess==1.11.2

cat > over.py <<'PYTHON'
import chess
import chess.engine
from uci import Engine

POSITIONS = {"mated": "6k1/5ppp/8/8/8/8/q7/3r2K1 w - - 0 1", "stalemate": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}


def answer(command, position):
    """What the engine sends from the first score on."""
    engine = Engine(*command)
    engine.send(f"position fen {position}", "go depth 5")
    lines = engine.until("bestmove")
    engine.quit()
    scores = [line.split(" score ")[1] for line in lines if " score " in line]
    return " ".join(scores[-1].split()[:2]) if scores else "no score", lines[-1]


def played(command, position):
    """What python-chess makes of it."""
    engine = chess.engine.SimpleEngine.popen_uci(command)
    try:
        return engine.play(chess.Board(position), chess.engine.Limit(depth=5)).move
    except chess.engine.EngineError as error:
        return type(error).__name__
    finally:
        engine.close()


SCORES = {"stockfish": ("mate 0", "cp 0")}
for command in (["stockfish"], ["glaurung"], ["toga2"], ["gnuchess", "--uci"], ["ethereal-chess"]):
    for number, (name, position) in enumerate(POSITIONS.items()):
        score, move = answer(command, position)
        made = played(command, position)
        print(f"{command[0]}, {name}: {score}, {move}; python-chess: {made}")
        assert score == SCORES.get(command[0], ("no score", "no score"))[number]
        if command[0] in ("stockfish", "glaurung"):
            assert (move, made) == ("bestmove (none)", None)
        else:
            assert (move, made) == ("bestmove a1a1", "EngineError")
PYTHON
holds "three of five engines answer a1a1 where the game is over" python3 over.py
