//! Perft counts of the shared data: standard chess, Chess960, double checks and en passant, to depth 4 in release
//! builds and to depth 3 in slower ones.

mod common;

use board::perft::{MOST_PLIES, perft, perft_divide, perft_until};
use board::{Piece, Position, Square};
use std::sync::atomic::{AtomicUsize, Ordering};

const DEEPEST: u32 = if cfg!(debug_assertions) { 3 } else { 4 };

/// `(depth, count)` of operations like `D1 20 ;D2 400`.
fn counts(operations: &str) -> Vec<(u32, u64)> {
    let fields = operations.split(';').map(str::trim).filter(|field| !field.is_empty());
    let parsed = fields.map(|field| {
        let (depth, count) = field.strip_prefix('D').and_then(|rest| rest.split_once(' ')).expect("D<depth> <count>");
        (depth.parse().expect("a depth"), count.trim().parse().expect("a count"))
    });
    parsed.collect()
}

fn check_file(name: &str, lines_expected: usize) {
    let text = common::shared_data(&format!("perft/{name}"));
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    assert_eq!(lines.len(), lines_expected);
    let next = AtomicUsize::new(0);
    let check_lines = || {
        while let Some(line) = lines.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (position, operations) = Position::from_epd(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            let counts = counts(operations);
            assert!(!counts.is_empty(), "{line}");
            for (depth, count) in counts.into_iter().filter(|&(depth, _)| depth <= DEEPEST) {
                assert_eq!(perft(&position, depth), count, "{line} at depth {depth}");
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(check_lines);
        check_lines();
    });
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/data")]
fn standard() {
    check_file("standard.epd", 128);
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/data")]
fn chess960() {
    check_file("fischer.epd", 960);
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/data")]
fn double_checks() {
    check_file("double-checks.epd", 184);
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/data")]
fn en_passant() {
    check_file("en-passant.epd", 400);
}

#[test]
fn known_counts_of_the_start_position() {
    let kiwipete = Position::from_fen(common::POSITIONS[1]).unwrap();
    assert_eq!([0, 1, 2, 3].map(|depth| perft(&kiwipete, depth)), [1, 48, 2039, 97862]);
}

#[test]
fn perft_divide_sums_to_perft() {
    let start = Position::start();
    assert!(perft_divide(&start, 0).is_empty());
    let parts = perft_divide(&start, 3);
    assert_eq!(parts.iter().map(|&(_, count)| count).sum::<u64>(), 8902);
    let of = |text| parts.iter().find(|&&(mv, _)| start.san(mv) == text).unwrap().1;
    assert_eq!((of("e4"), of("a3"), of("Nf3")), (600, 380, 440));
}

#[test]
fn a_count_stops_when_it_is_told_to() {
    let (start, asked) = (Position::start(), AtomicUsize::new(0));
    assert_eq!(perft_until(&start, MOST_PLIES, &|| asked.fetch_add(1, Ordering::Relaxed) == 1_000), None);
    assert_eq!(asked.into_inner(), 1_001, "nothing is counted after it");
    assert_eq!(perft_until(&start, 3, &|| false), Some(8902));
}

/// Every position to this depth: a square's piece is that of the set that has the square.
fn check_squares(position: &Position, depth: u32) {
    for square in Square::ALL {
        let of_sets = Piece::ALL.into_iter().find(|piece| position.pieces(*piece).has(square));
        assert_eq!(position.piece_on(square), of_sets, "{square} in {}", position.to_fen(true));
    }
    if depth > 0 {
        position.null_move().iter().for_each(|null| check_squares(null, depth - 1));
        position.legal_moves().iter().for_each(|mv| check_squares(&position.play(*mv), depth - 1));
    }
}

#[test]
fn squares_have_the_pieces_of_the_sets_after_every_kind_of_move() {
    for fen in common::POSITIONS {
        check_squares(&Position::from_fen(fen).unwrap(), 2);
    }
}
