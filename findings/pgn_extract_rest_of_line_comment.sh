#!/usr/bin/env bash
# Guess: the standard filter for PGN reads both comments of the PGN standard, `{...}` and `;` to the end of the line.
# True:  pgn-extract 19.04 takes `;` for an unknown character and drops the rest: the game before it is written *without any move* but
#        with its tags and result, what follows it is refused as another game, and the exit status is 0. A `%` line it passes over as
#        it should. python-chess reads the game whole.
# So:    turn `;` comments into braces before pgn-extract (python-chess's exporter does), and count moves, not games, after it.
# Seen:  pgn-extract 19.04-1 (Debian 12), chess 1.11.2 (PyPI); 2026-11-27.
source "$(dirname "$0")/common.bash"
debian pgn-extract=19.04-1
python chess==1.11.2

tags='[Event "?"]
[Site "?"]
[Date "2026.11.27"]
[Round "?"]
[White "A"]
[Black "B"]
[Result "1-0"]
'
printf '%s\n1. e4 e5 2. Nf3 Nc6 {Spanish}\n3. Bb5 a6 1-0\n' "$tags" > brace.pgn
printf '%s\n1. e4 e5 2. Nf3 Nc6 ; Spanish\n3. Bb5 a6 1-0\n' "$tags" > semicolon.pgn
printf '%s\n1. e4 e5 2. Nf3 Nc6\n%% Spanish\n3. Bb5 a6 1-0\n' "$tags" > percent.pgn

cat > moves.py <<'PYTHON'
import sys
import chess.pgn

game = chess.pgn.read_game(open(sys.argv[1]))
print(sum(1 for _ in game.mainline()), "plies", len(game.errors), "errors")
PYTHON
for kind in brace percent semicolon; do
    pgn-extract -s $kind.pgn > out.pgn 2> errors && status=0 || status=$?
    echo "$kind: pgn-extract, status $status: $(grep -c '^\[Event' out.pgn) game: $(grep -v '^\[' out.pgn | tr -s '\n' ' ')"
    echo "$kind: python-chess: $(python3 moves.py $kind.pgn), of pgn-extract's output: $(python3 moves.py out.pgn)"
done | tee seen
same "a rest-of-line comment costs pgn-extract the game's moves" "$(cat <<'SEEN'
brace: pgn-extract, status 0: 1 game:  1. e4 e5 2. Nf3 Nc6 { Spanish } 3. Bb5 a6 1-0 
brace: python-chess: 6 plies 0 errors, of pgn-extract's output: 6 plies 0 errors
percent: pgn-extract, status 0: 1 game:  1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0 
percent: python-chess: 6 plies 0 errors, of pgn-extract's output: 6 plies 0 errors
semicolon: pgn-extract, status 0: 1 game:  1-0 
semicolon: python-chess: 6 plies 0 errors, of pgn-extract's output: 0 plies 0 errors
SEEN
)" "$(cat seen)"
