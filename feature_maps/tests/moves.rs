//! The features of moves: symmetric in the colors, one row of each categorical feature, and right in positions by hand.

use board::{MoverView, Piece, Position};
use feature_maps::moves::{
    HashMove, MOVE_FEATURES, MOVE_FEATURES_VERSION, MOVE_ROWS, MoveMaps, OrderingHints, categorical_features, rank_row,
};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

fn hints(position: &Position, mv: board::Move) -> OrderingHints {
    OrderingHints { loses: !position.see_at_least(mv, 0), history: 0.3, killer: false, hash_move: HashMove::Another }
}

fn positions(count: usize) -> Vec<Position> {
    let (mut rng, mut positions) = (Xoshiro256PlusPlus::seed_from_u64(8), Vec::new());
    while positions.len() < count {
        let mut position = Position::start();
        for _ in 0..120 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            positions.push(position.clone());
            position = position.play(moves[(rng.next_u64() % moves.len() as u64) as usize]);
        }
    }
    positions
}

/// The color-mirror of a position, by its FEN.
fn mirrored(position: &Position) -> Position {
    let fen = position.to_fen(false);
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    let turn = |c: char| if c.is_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
    fields[0] =
        fields[0].split('/').rev().map(|rank| rank.chars().map(turn).collect::<String>()).collect::<Vec<_>>().join("/");
    fields[1] = if fields[1] == "w" { "b" } else { "w" }.to_owned();
    fields[2] = fields[2].chars().map(turn).collect();
    fields[3] = fields[3].replace('3', "x").replace('6', "3").replace('x', "6");
    Position::from_fen(&fields.join(" ")).expect("the mirror of a legal position is legal")
}

#[test]
fn a_mirrored_position_has_the_same_rows() {
    for position in positions(600) {
        let other = mirrored(&position);
        assert_eq!(MoverView::of(&position), MoverView::of(&other));
        let (maps, other_maps) = (MoveMaps::of(&position), MoveMaps::of(&other));
        let moves = position.legal_moves();
        assert_eq!(maps.node_rows(moves.len()), other_maps.node_rows(moves.len()));
        for mv in moves {
            let transposed = board::Move { from: mv.from.flip_rank(), to: mv.to.flip_rank(), promotion: mv.promotion };
            assert_eq!(
                maps.rows(mv, &hints(&position, mv)),
                other_maps.rows(transposed, &hints(&other, transposed)),
                "{mv}"
            );
        }
    }
}

#[test]
fn a_move_has_a_row_of_each_categorical_feature_and_checks_are_checks() {
    let ranges: Vec<_> = categorical_features().collect();
    assert_eq!(ranges.last().map(|range| range.end), Some(MOVE_ROWS));
    assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
    assert!(ranges.last().is_some_and(|range| range.contains(&usize::from(rank_row(0)))));
    let (mut checks, mut uncovered) = (0, 0);
    for position in positions(3_000) {
        let maps = MoveMaps::of(&position);
        for mv in position.legal_moves() {
            let rows = maps.rows(mv, &hints(&position, mv));
            for (row, range) in rows.iter().zip(&ranges) {
                assert!(range.contains(&usize::from(*row)), "{mv}");
            }
            // Castling and en passant may give check in ways that are not looked for.
            if position.is_castling(mv) || position.is_en_passant(mv) {
                continue;
            }
            let state = usize::from(rows[4]) - ranges[4].start;
            assert_eq!(state & 3 != 0, position.play(mv).in_check(), "{mv} in {}", position.to_fen(false));
            checks += usize::from(state & 1 != 0);
            uncovered += usize::from(state & 2 != 0);
        }
    }
    assert!(checks > 1_000 && uncovered > 50, "{checks} {uncovered}");
}

#[test]
fn rows_by_hand() {
    // White's knight can fork king and queen; the rook on a1 hangs to the bishop.
    let position = Position::from_fen("q3k3/8/8/3N4/8/8/8/R3K3 w - - 0 1").expect("legal");
    let maps = MoveMaps::of(&position);
    let fork = position.parse_uci("d5c7").expect("legal");
    let rows = maps.rows(fork, &hints(&position, fork));
    let start: Vec<usize> = categorical_features().map(|range| range.start).collect();
    assert_eq!(MOVE_FEATURES.len(), rows.len());
    let state = |feature: usize| usize::from(rows[feature]) - start[feature];
    assert_eq!(state(0), Piece::Knight as usize * 64 + 35);
    assert_eq!(state(1), Piece::Knight as usize * 64 + 50);
    assert_eq!(state(4), 1, "a check by the piece itself that loses nothing");
    assert_eq!(state(7), Piece::Knight as usize * 16 + 8, "a queen to take");
    assert_eq!(state(12), 1);
}

/// The rows of this version of the moves' features: of each position a line with its FEN and the rows of the node, then
/// a line for every move.
const GOLDEN: &str = include_str!("golden/moves_1.tsv");

/// The lines of a position.
fn golden_lines(fen: &str) -> String {
    let position = Position::from_fen(fen).expect("legal");
    let (maps, moves) = (MoveMaps::of(&position), position.legal_moves());
    let mut text = format!("{fen}\t{:?}\n", maps.node_rows(moves.len()));
    for (n, mv) in moves.iter().enumerate() {
        let hints = OrderingHints {
            loses: !position.see_at_least(*mv, 0),
            history: (n * 7 % 21) as f32 / 10.0 - 1.0,
            killer: n % 5 == 0,
            hash_move: [HashMove::Unknown, HashMove::Another, HashMove::This][n % 3],
        };
        text.push_str(&format!("{mv}\t{:?}\n", maps.rows(*mv, &hints)));
    }
    text
}

fn golden_positions() -> impl Iterator<Item = &'static str> {
    GOLDEN.lines().filter_map(|line| line.split_once('\t')).map(|(fen, _)| fen).filter(|fen| fen.contains(' '))
}

#[test]
fn golden_rows_have_not_changed() {
    assert_eq!(MOVE_FEATURES_VERSION, 1, "another version has another file of golden rows");
    assert_eq!(golden_positions().count(), 36);
    let now: String = golden_positions().map(golden_lines).collect();
    for (now, golden) in now.lines().zip(GOLDEN.lines()) {
        assert_eq!(now, golden);
    }
    assert_eq!(now.len(), GOLDEN.len());
    assert_eq!([0, 1, 15, 16].map(rank_row), [4001, 4002, 4016, 4016]);
}

/// Writes the golden rows anew: `cargo test -p feature_maps -- --ignored write_golden_rows`.
#[test]
#[ignore = "rewrites tests/golden/moves_1.tsv"]
fn write_golden_rows() {
    let text: String = golden_positions().map(golden_lines).collect();
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/moves_1.tsv"), text).expect("writable");
}
