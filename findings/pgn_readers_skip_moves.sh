#!/usr/bin/env bash
# Guess: a PGN reader that cannot read a move reports an error, so that what it returns is the game that was played.
# True:  pgn-reader passes over every word of the movetext that is not SAN as it knows it, and python-chess over some, both without an
#        error. What follows may still be legal: of `1. e4 e5 2. Ng1-f3 Ng8-f6 3. d3 d6`, the export notation of older programs,
#        pgn-reader returns the legal game e4 e5 d3 d6, of which no position after move 1 was on the board. python-chess reads these
#        moves, but loses the short captures of `1. e4 d5 2. e5 f5 3. ef ef 4. d4 Nc6`. pgn-extract reads both games whole.
# So:    check the number of moves against the move numbers (or PlyCount), or rewrite foreign files by pgn-extract first.
# Seen:  pgn-reader 0.29.0 (crates.io), chess 1.11.2 (PyPI), pgn-extract 19.04-1 (Debian 12); 2026-11-27.
source "$(dirname "$0")/common.bash"
debian pgn-extract=19.04-1
python chess==1.11.2
crate pgn-reader==0.29.0

cat > hyphen.pgn <<'PGN'
[Result "*"]

1. e4 e5 2. Ng1-f3 Ng8-f6 3. d3 d6 *
PGN
cat > short.pgn <<'PGN'
[Result "*"]

1. e4 d5 2. e5 f5 3. ef ef 4. d4 Nc6 *
PGN

cat > src/main.rs <<'RUST'
use pgn_reader::{Reader, SanPlus, Visitor};
use std::ops::ControlFlow;

/// The moves of a game, as the reader passes them on.
struct Moves;

impl Visitor for Moves {
    type Tags = ();
    type Movetext = Vec<String>;
    type Output = String;
    fn begin_tags(&mut self) -> ControlFlow<String> {
        ControlFlow::Continue(())
    }
    fn begin_movetext(&mut self, _: ()) -> ControlFlow<String, Vec<String>> {
        ControlFlow::Continue(Vec::new())
    }
    fn san(&mut self, moves: &mut Vec<String>, san: SanPlus) -> ControlFlow<String> {
        moves.push(san.to_string());
        ControlFlow::Continue(())
    }
    fn end_game(&mut self, moves: Vec<String>) -> String {
        moves.join(" ")
    }
}

fn main() {
    let file = std::fs::File::open(std::env::args().nth(1).unwrap()).unwrap();
    println!("{}", Reader::new(file).read_game(&mut Moves).expect("no error").expect("a game"));
}
RUST
cat > moves.py <<'PYTHON'
import sys
import chess.pgn

game = chess.pgn.read_game(open(sys.argv[1]))
print(" ".join(node.san() for node in game.mainline()), *game.errors)
PYTHON
cargo build --quiet
extracted() { pgn-extract -s --quiet --notags --nomovenumbers --noresults "$1" 2> /dev/null | tr -s '\n ' ' ' | sed 's/^ //; s/ $//'; }
for file in hyphen short; do
    printf '%s: %s\n' "$file" "$(tail -1 $file.pgn)"
    printf '  %-13s %s\n' pgn-reader "$(target/debug/finding $file.pgn)" python-chess "$(python3 moves.py $file.pgn)" \
        pgn-extract "$(extracted $file.pgn)"
done | tee seen
same "readers skip what they cannot read, each something else" "$(cat <<'SEEN'
hyphen: 1. e4 e5 2. Ng1-f3 Ng8-f6 3. d3 d6 *
  pgn-reader    e4 e5 d3 d6
  python-chess  e4 e5 Nf3 Nf6 d3 d6
  pgn-extract   e4 e5 Nf3 Nf6 d3 d6
short: 1. e4 d5 2. e5 f5 3. ef ef 4. d4 Nc6 *
  pgn-reader    e4 d5 e5 f5 d4 Nc6
  python-chess  e4 d5 e5 f5 d4 Nc6
  pgn-extract   e4 d5 e5 f5 exf6 exf6 d4 Nc6
SEEN
)" "$(cat seen)"
