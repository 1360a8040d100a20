#!/usr/bin/env bash
# Guess: where tables know the result, Stockfish's score and its win, draw and loss say just that.
# True:  every win, near or far, is `cp 8795` at every depth, unless the search itself sees the mate. A draw is `cp 0`, but its chances
#        are 9, 982 and 9 per mille, those of any score of 0. A win that the fifty-move rule spoils is `cp 23`.
# So:    labels and calibration take positions of the tables out, or read the tables themselves; an adjudication by score alone ends
#        every game that enters a won ending at once, and one that waits for `mate` does not.
# Seen:  stockfish 15.1-4 (Debian 12), chess 1.11.2 (PyPI: its tables, and what they say); 2026-11-30.
source "$(dirname "$0")/common.bash"
debian stockfish=15.1-4
python chess==1.11.2
pip download --quiet --no-deps --no-binary :all: chess==1.11.2
tar xzf chess-1.11.2.tar.gz

cat > tables.py <<'PYTHON'
import chess
import chess.syzygy
from uci import Engine

TABLES = "chess-1.11.2/data/syzygy/regular"
# (position, what the tables say: 2 won, 1 won but for the fifty-move rule, 0 drawn; score and chances at depths 1 and 10)
POSITIONS = {
    "KQ-KR": ("8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1", 2, "cp 8795 wdl 1000 0 0"),
    "KBN-K": ("8/8/8/3k4/8/8/8/KBN5 w - - 0 1", 2, "cp 8795 wdl 1000 0 0"),
    "KR-K": ("8/8/8/3k4/8/8/8/KR6 w - - 0 1", 2, "cp 8795 wdl 1000 0 0"),
    "KR-K, mate in 1": ("8/8/8/8/8/1K6/7R/k7 w - - 0 1", 2, "mate 1 wdl 1000 0 0"),
    "KR-KB": ("8/8/8/3k4/5b2/8/8/KR6 w - - 0 1", 0, "cp 0 wdl 9 982 9"),
    "KBN-K, clock 60": ("8/8/8/3k4/8/8/8/KBN5 w - - 60 90", 1, "cp 23 wdl 23 974 3"),
}
tables = chess.syzygy.open_tablebase(TABLES)
engine = Engine("stockfish", SyzygyPath=TABLES, UCI_ShowWDL="true")
for name, (position, result, score) in POSITIONS.items():
    board = chess.Board(position)
    dtz = tables.probe_dtz(board)
    found = 1 if dtz > 0 and dtz + board.halfmove_clock > 100 else tables.probe_wdl(board)
    said = []
    for depth in (1, 10):
        engine.send("ucinewgame", f"position fen {position}", f"go depth {depth}")
        lines = [line for line in engine.until("bestmove") if " score " in line]
        said.append(lines[-1].split(" score ")[1].split(" nodes ")[0])
    print(f"{name}: table {found}, {dtz} plies to a pawn move, capture or mate; depth 1: {said[0]}; depth 10: {said[1]}")
    assert found == result and said == [score, score]
engine.quit()
PYTHON
holds "a table's win is 8795 centipawns, its draw 9, 982, 9 per mille" python3 tables.py
