#!/usr/bin/env bash
# Guess: a game has one result, and a reader says where its Result tag and the end of its moves contradict each other.
# True:  with the tag 1-0 and 0-1 behind the moves, python-chess and polyglot take the tag without a word (python-chess lists no error,
#        and writes the game anew with 1-0 twice, so that the contradiction is gone). pgn-extract says so, keeps both and ends with the
#        status 0; what reads its output meets both again. A tag `*` gives way to the end of the moves in python-chess; pgn-extract calls
#        that a contradiction, too, and polyglot counts the game as a draw, whatever its end says. pgn-extract's --fixresulttags mends
#        only the `*`.
# So:    results as labels are compared at both places, and games that contradict themselves counted or left out.
# Seen:  chess 1.11.2 (PyPI), pgn-extract 19.04-1, polyglot 2.0.4+git20210322-1 (Debian 12); 2026-11-30.
source "$(dirname "$0")/common.bash"
debian pgn-extract=19.04-1 polyglot=2.0.4+git20210322-1
python chess==1.11.2

# game TAG END: a game with these results.
game() { printf '[Event "?"]\n[Site "?"]\n[Date "2026.11.30"]\n[Round "?"]\n[White "A"]\n[Black "B"]\n[Result "%s"]\n\n1. e4 e5 %s\n\n' "$1" "$2"; }
game 1-0 0-1 > decided.pgn
game "*" 0-1 > open.pgn

cat > results.py <<'PYTHON'
import chess
import chess.pgn
import chess.polyglot

for name in ("decided", "open"):
    with open(f"{name}.pgn", encoding="ascii") as file:
        game = chess.pgn.read_game(file)
    with chess.polyglot.open_reader(f"{name}.bin") as book:
        board, weights = chess.Board(), []
        for move in ("e2e4", "e7e5"):
            weights.append(next((entry.weight for entry in book.find_all(board) if entry.move.uci() == move), 0))
            board.push_uci(move)
    print(f"{name}: python-chess {game.headers['Result']}, {len(game.errors)} errors, written {str(game).split()[-1]};",
          f"polyglot's weights of e2e4 and e7e5: {weights[0]} {weights[1]}")
PYTHON
for name in decided open; do
    polyglot make-book -pgn $name.pgn -bin $name.bin -min-game 1 > polyglot.log
done
seen=$(python3 results.py)
echo "$seen"
same "python-chess and polyglot read the tag, but for python-chess's *" "$seen" "decided: python-chess 1-0, 0 errors, written 1-0; polyglot's weights of e2e4 and e7e5: 2 0
open: python-chess 0-1, 0 errors, written 0-1; polyglot's weights of e2e4 and e7e5: 1 1"

seen=$(for name in decided open; do
    pgn-extract $name.pgn > $name.out 2> $name.log
    echo "$name: status $?, $(grep -o 'Inconsistent result strings .* vs [^ ]*' $name.log), $(grep Result $name.out) $(grep -o 'e5 .*' $name.out)"
done)
echo "$seen"
fixed=$(for name in decided open; do pgn-extract -s --fixresulttags $name.pgn 2> $name.log | grep Result; done)
same "--fixresulttags writes the end's result for * alone" "$fixed" '[Result "1-0"]
[Result "0-1"]'
same "pgn-extract keeps both results" "$seen" 'decided: status 0, Inconsistent result strings 1-0 vs 0-1, [Result "1-0"] e5 0-1
open: status 0, Inconsistent result strings * vs 0-1, [Result "*"] e5 0-1'
