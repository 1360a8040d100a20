#!/usr/bin/env bash
# Guess: with `UCI_LimitStrength` the engine searches worse; its score and PV are those of the move that it plays.
# True:  Stockfish searches on at full strength and reports its best line, but draws the move from several lines by chance. At
#        `UCI_Elo` 1500 the last PV starts with another move than `bestmove` in most positions (8 and 11 of 12), and the score is that
#        of the move it did not play.
# So:    no adjudication, label or game annotation may use the score of a strength-limited engine for its move.
# Seen:  stockfish 15.1-4 (Debian 12); 2026-11-27. The draw is seeded by the clock, so that the count varies.
source "$(dirname "$0")/common.bash"
debian stockfish=15.1-4

cat > strength.py <<'PYTHON'
from uci import Engine, number

OPENINGS = ["", "e2e4", "d2d4 d7d5", "e2e4 c7c5 g1f3", "c2c4 e7e5", "e2e4 e7e5 g1f3 b8c6", "d2d4 g8f6 c2c4 e7e6",
            "e2e4 e7e6 d2d4 d7d5", "g1f3 d7d5 g2g3", "e2e4 c7c6 d2d4 d7d5", "d2d4 f7f5", "c2c4 c7c5"]

def differing(**options):
    """In how many openings `bestmove` is not the first move of the last PV; prints each."""
    engine, count = Engine("stockfish", Threads=1, **options), 0
    for moves in OPENINGS:
        engine.send("ucinewgame", "position startpos" + (f" moves {moves}" if moves else ""), "go depth 10")
        lines = engine.until("bestmove")
        assert not any(" multipv 2 " in line for line in lines)
        reported = [line.split(" pv ")[1].split()[0] for line in lines if " pv " in line][-1]
        played = lines[-1].split()[1]
        if reported != played:
            count += 1
            print(f"after '{moves}' the PV starts with {reported}, the move is {played}")
    engine.quit()
    print(f"{count} of {len(OPENINGS)} with {options}")
    return count

assert differing() == 0
assert differing(UCI_LimitStrength="true", UCI_Elo=1500) >= 3
PYTHON
holds "with UCI_LimitStrength the reported PV is often not the move's" python3 strength.py
