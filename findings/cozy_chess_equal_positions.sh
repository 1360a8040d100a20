#!/usr/bin/env bash
# Guess: two boards of the same position by the repetition rule have one `hash()` in cozy-chess, and its clock counts as far as FEN
#        does.
# True:  every double push sets the en passant file, which `hash()` and `==` read, also where no pawn can capture: after 1. e4 the hash
#        is not that of the same position read from a FEN that names no square (as python-chess writes it), nor that of its return. The
#        FEN parser refuses a halfmove clock of 101 and a fullmove number of 0, and `play` holds the clock at 100.
# So:    keep repetitions and tables on `hash_without_ep()` and the file only where a capture is legal, as `same_position` does;
#        nothing here can see the 75-move rule.
# Seen:  cozy-chess 0.3.4 (crates.io), chess 1.11.2 (PyPI); 2026-11-27.
source "$(dirname "$0")/common.bash"
python chess==1.11.2
crate cozy-chess==0.3.4

cat > src/main.rs <<'RUST'
use cozy_chess::Board;

fn played(fen: &str, moves: &str) -> Board {
    let mut board: Board = fen.parse().unwrap();
    moves.split_whitespace().for_each(|mv| board.play(mv.parse().unwrap()));
    board
}

fn main() {
    let pushed = played(&Board::default().to_string(), "e2e4");
    let read: Board = std::env::args().nth(1).unwrap().parse().unwrap();
    println!("pushed {pushed}\nread   {read}");
    println!("== {}, hash {}", pushed == read, pushed.hash() == read.hash());
    println!("hash_without_ep {}", pushed.hash_without_ep() == read.hash_without_ep());
    println!("same_position {}", pushed.same_position(&read));
    // Four knight moves bring back the position after 1. e4, which is then a repetition.
    let again = played(&pushed.to_string(), "g8f6 g1f3 f6g8 f3g1");
    println!("comes back: hash {}, same_position {}", pushed.hash() == again.hash(), pushed.same_position(&again));
    for counters in ["100 90", "101 90", "0 0"] {
        println!("{counters}: {:?}", format!("4k3/8/8/8/8/8/8/R3K3 w Q - {counters}").parse::<Board>().map(|_| "read"));
    }
    println!("clock {}", played("4k3/8/8/8/8/8/8/R3K3 w Q - 99 90", "a1a2 e8e7 a2a3 e7e8").halfmove_clock());
}
RUST
cargo build --quiet
fen=$(python3 -c 'import chess; board = chess.Board(); board.push_san("e4"); print(board.fen())')
target/debug/finding "$fen" | tee seen
same "the hash tells equal positions apart, and the clock ends at 100" "$(cat <<'SEEN'
pushed rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1
read   rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
== false, hash false
hash_without_ep true
same_position true
comes back: hash false, same_position true
100 90: Ok("read")
101 90: Err(InvalidHalfMoveClock)
0 0: Err(InvalidFullmoveNumber)
clock 100
SEEN
)" "$(cat seen)"
