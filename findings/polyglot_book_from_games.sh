#!/usr/bin/env bash
# Guess: `polyglot make-book` counts what the games played: each move of a PGN is in the book, and a game without result weighs
#        nothing.
# True:  by default a move that fewer than 3 games played is left out, so that these four games give an empty book. With `-min-game 1`
#        a move weighs 2 for a win and 1 for a draw of the side that plays it, an unfinished game (`*`) counts as a draw, and a move
#        that only lost is left out, also by `-uniform`: 1. d4, lost here, is absent while the answer 1... d5 is present.
# So:    remove unfinished games first, give `-min-game 1` for few games, and make a book of all moves by another tool.
# Seen:  polyglot 2.0.4+git20210322-1 (Debian 12), chess 1.11.2 (PyPI, reads the book); 2026-11-27.
source "$(dirname "$0")/common.bash"
debian polyglot=2.0.4+git20210322-1
python chess==1.11.2

game() { printf '[Result "%s"]\n\n%s %s\n\n' "$1" "$2" "$1"; }
{
    game 1-0 "1. e4 e5"
    game 0-1 "1. d4 d5"
    game 1/2-1/2 "1. c4 e5"
    game "*" "1. Nf3 d5"
} > games.pgn

cat > book.py <<'PYTHON'
import sys
import chess.polyglot

def moves(*line):
    board = chess.Board()
    for move in line:
        board.push_uci(move)
    with chess.polyglot.open_reader(sys.argv[1]) as book:
        return " ".join(f"{entry.move.uci()}:{entry.weight}" for entry in book.find_all(board)) or "none"

print("start", moves())
for move in ("e2e4", "d2d4", "c2c4", "g1f3"):
    print(f"after {move}", moves(move))
PYTHON
for options in "" "-min-game 1" "-min-game 1 -uniform"; do
    # shellcheck disable=SC2086 # several words
    polyglot make-book -pgn games.pgn -bin book.bin -max-ply 4 $options > /dev/null
    echo "make-book $options"
    python3 book.py book.bin
done | tee seen
same "three games at least, losses left out, an unfinished game counts as a draw" "$(cat <<'SEEN'
make-book 
start none
after e2e4 none
after d2d4 none
after c2c4 none
after g1f3 none
make-book -min-game 1
start e2e4:2 c2c4:1 g1f3:1
after e2e4 none
after d2d4 d7d5:2
after c2c4 e7e5:1
after g1f3 d7d5:1
make-book -min-game 1 -uniform
start e2e4:1 c2c4:1 g1f3:1
after e2e4 none
after d2d4 d7d5:1
after c2c4 e7e5:1
after g1f3 d7d5:1
SEEN
)" "$(cat seen)"
