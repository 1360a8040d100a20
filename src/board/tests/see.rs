//! Static exchange evaluation against known exchanges and a slow recursion without bitboards.

mod common;

use board::see::{OpponentAttacks, PIECE_VALUES};
use board::{Color, Move, Piece, Position, Square};

/// `(square)`: the board of the slow recursion.
type Pieces = [Option<(Piece, Color)>; 64];

/// Does the piece on `from` attack `to` on this board?
fn attacks(pieces: &Pieces, from: usize, to: usize) -> bool {
    let Some((piece, color)) = pieces[from] else { return false };
    let (files, ranks) = (to as i32 % 8 - from as i32 % 8, to as i32 / 8 - from as i32 / 8);
    let (straight, diagonal) = ((files == 0) != (ranks == 0), files != 0 && files.abs() == ranks.abs());
    let reaches = match piece {
        Piece::Pawn => files.abs() == 1 && ranks == if color == Color::White { 1 } else { -1 },
        Piece::Knight => files.abs() * ranks.abs() == 2,
        Piece::Bishop => diagonal,
        Piece::Rook => straight,
        Piece::Queen => straight || diagonal,
        Piece::King => files.abs().max(ranks.abs()) == 1,
    };
    let step = files.signum() + 8 * ranks.signum();
    let distance = files.abs().max(ranks.abs());
    reaches && (piece == Piece::Knight || (1..distance).all(|n| pieces[(from as i32 + n * step) as usize].is_none()))
}

/// The gain of `side` by capturing on `target`, or 0 if it loses material.
fn best_gain(pieces: &Pieces, side: Color, target: usize) -> i32 {
    let cheapest = (0..64)
        .filter(|&from| pieces[from].is_some_and(|(_, color)| color == side) && attacks(pieces, from, target))
        .min_by_key(|&from| (pieces[from].unwrap().0, if side == Color::White { from } else { from ^ 56 }));
    let (Some(from), Some((victim, _))) = (cheapest, pieces[target]) else { return 0 };
    let (piece, _) = pieces[from].unwrap();
    let promotes = piece == Piece::Pawn && matches!(target / 8, 0 | 7);
    let arrives = if promotes { Piece::Queen } else { piece };
    let mut after = *pieces;
    after[from] = None;
    after[target] = Some((arrives, side));
    let defended = (0..64).any(|at| after[at].is_some_and(|(_, color)| color != side) && attacks(&after, at, target));
    if piece == Piece::King && defended {
        return 0;
    }
    let promotion = value(arrives) - value(piece);
    (value(victim) + promotion - best_gain(&after, !side, target)).max(0)
}

fn value(piece: Piece) -> i32 {
    PIECE_VALUES[piece as usize]
}

fn slow_see(position: &Position, mv: Move) -> i32 {
    if position.is_castling(mv) {
        return 0;
    }
    let mut pieces: Pieces = Square::ALL.map(|square| position.piece_on(square).zip(position.color_on(square)));
    let (from, to) = (mv.from as usize, mv.to as usize);
    let (piece, side) = pieces[from].take().unwrap();
    let mut gain = pieces[to].map_or(0, |(victim, _)| value(victim));
    if position.is_en_passant(mv) {
        pieces[from / 8 * 8 + to % 8] = None;
        gain += value(Piece::Pawn);
    }
    let arrives = mv.promotion.unwrap_or(piece);
    pieces[to] = Some((arrives, side));
    gain + value(arrives) - value(piece) - best_gain(&pieces, !side, to)
}

#[test]
fn known_exchanges() {
    let cases = [
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "Rxe5", 100),
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "Nxe5", 100 - 325),
        ("4k3/8/3p4/4p3/8/8/8/4KQ2 w - - 0 1", "Qf5", 0),
        ("4k3/8/3p4/4p3/8/8/8/K3Q3 w - - 0 1", "Qxe5+", 100 - 975),
        ("6k1/3p4/8/8/8/8/8/K3Q3 w - - 0 1", "Qe6+", -975),
        // X-rays: rook behind rook, queen behind bishop.
        ("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "Rxd5", 100 - 500),
        ("4k3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "Rxd5", 100),
        ("4k3/3r4/4p3/3p4/4B3/5Q2/8/4K3 w - - 0 1", "Bxd5", 100 - 325),
        ("4k3/8/4p3/3p4/4B3/5Q2/8/4K3 w - - 0 1", "Bxd5", 100 - 325 + 100),
        // Promotions with and without recapture; a recapturing pawn that promotes.
        ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a8=Q", 875),
        ("1r6/P6k/8/8/8/8/8/K7 w - - 0 1", "a8=Q", -100),
        ("1r6/P6k/8/8/8/8/8/K7 w - - 0 1", "axb8=N", 500 + 225),
        ("7k/8/8/8/8/8/1p6/r2RK3 w - - 0 1", "Rxa1", 500 - 500 - 875),
        // En passant opens the file for the rook behind the captured pawn.
        ("3rk3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", 0),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", 100),
        // A king captures undefended pieces only.
        ("8/8/3k4/3p4/8/8/3R4/3RK3 w - - 0 1", "Rxd5+", 100),
        ("8/8/3k4/3p4/8/8/3R4/4K3 w - - 0 1", "Rxd5+", 100 - 500),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O", 0),
    ];
    for (fen, text, expected) in cases {
        let position = Position::from_fen(fen).unwrap();
        let mv = position.parse_san(text).unwrap();
        assert_eq!(slow_see(&position, mv), expected, "the slow one: {text} in {fen}");
        assert_eq!(position.see(mv), expected, "{text} in {fen}");
    }
}

#[test]
fn thresholds_beyond_all_values() {
    let position = Position::start();
    let mv = position.parse_uci("e2e4").unwrap();
    assert!(position.see_at_least(mv, i32::MIN));
    assert!(!position.see_at_least(mv, i32::MAX));
}

#[test]
fn see_agrees_with_the_slow_recursion() {
    let (mut exchanges, mut losing) = (0, 0);
    common::random_positions(21, 600, 100, |position| {
        let (mirrored, safety) = (position.mirror(), OpponentAttacks::of(position));
        for mv in position.legal_moves() {
            let context = || format!("{mv} in {}", position.to_fen(true));
            let expected = slow_see(position, mv);
            assert_eq!(position.see(mv), expected, "{}", context());
            for threshold in [expected - 1, expected, expected + 1, -325, -100, 0, 1, 100, 500] {
                assert_eq!(position.see_at_least(mv, threshold), expected >= threshold, "{} {threshold}", context());
            }
            let piece = position.piece_on(mv.from).unwrap();
            assert_eq!(safety.keeps_material(position, piece, mv), expected >= 0, "{} by OpponentAttacks", context());
            assert_eq!(safety.is_capture(piece, mv), position.is_capture(mv), "{}", context());
            let mv = Move { from: mv.from.flip_rank(), to: mv.to.flip_rank(), promotion: mv.promotion };
            assert_eq!(mirrored.see(mv), expected, "the mirror of {}", context());
            exchanges += usize::from(expected != 0);
            losing += usize::from(expected < 0);
        }
    });
    assert!(exchanges > 100_000 && losing > 50_000, "{exchanges}, {losing} losing");
}
