//! Attack maps and the mover's view against slow per-square versions.

mod common;

use board::attacks::{AttackMaps, CLASSES, bits};
use board::view::{THEM, US};
use board::{Color, MoverView, Piece, Position};

/// `(square)`: piece and side, from the viewer's perspective.
type Pieces = [Option<(Piece, usize)>; 64];

fn seen(position: &Position, viewer: Color) -> Pieces {
    std::array::from_fn(|index| {
        let square = board::Square::index(index).relative_to(viewer);
        let side = position.color_on(square).map(|color| if color == viewer { US } else { THEM });
        position.piece_on(square).zip(side)
    })
}

/// The squares that the piece on `from` attacks, one step at a time.
fn attacked_from(pieces: &Pieces, from: usize) -> Vec<usize> {
    let Some((piece, side)) = pieces[from] else { return Vec::new() };
    let forward = if side == US { 1 } else { -1 };
    let straight = [(0, 1), (1, 0), (0, -1), (-1, 0)];
    let diagonal = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
    let all = [straight, diagonal].concat();
    let knight = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
    let (steps, reach): (&[(i32, i32)], i32) = match piece {
        Piece::Pawn => (&[(1, forward), (-1, forward)], 1),
        Piece::Knight => (&knight, 1),
        Piece::Bishop => (&diagonal, 7),
        Piece::Rook => (&straight, 7),
        Piece::Queen => (&all, 7),
        Piece::King => (&all, 1),
    };
    let mut attacked = Vec::new();
    for &(files, ranks) in steps {
        for n in 1..=reach {
            let (file, rank) = (from as i32 % 8 + n * files, from as i32 / 8 + n * ranks);
            if !(0..8).contains(&file) || !(0..8).contains(&rank) {
                break;
            }
            let to = (8 * rank + file) as usize;
            attacked.push(to);
            if pieces[to].is_some() {
                break;
            }
        }
    }
    attacked
}

fn class_of(piece: Piece) -> usize {
    match piece {
        Piece::Pawn => 0,
        Piece::Knight | Piece::Bishop => 1,
        Piece::Rook => 2,
        Piece::Queen => 3,
        Piece::King => 4,
    }
}

fn check_view(position: &Position, viewer: Color) {
    let pieces = seen(position, viewer);
    let view = MoverView::seen_by(position, viewer);
    for (square, &piece) in pieces.iter().enumerate() {
        for side in [US, THEM] {
            let has = |set: u64| set >> square & 1 == 1;
            assert_eq!(has(view.sides[side]), piece.is_some_and(|(_, of)| of == side));
            for kind in Piece::ALL {
                assert_eq!(has(view.pieces[side][kind as usize]), piece == Some((kind, side)));
            }
        }
        assert_eq!(view.occupied() >> square & 1 == 1, piece.is_some());
    }
    check_maps(&pieces, &AttackMaps::of(&view));
}

fn check_maps(pieces: &Pieces, maps: &AttackMaps) {
    // (side, square, class): how many pieces attack.
    let mut counts = [[[0; CLASSES]; 64]; 2];
    for from in 0..64 {
        let Some((piece, side)) = pieces[from] else { continue };
        let attacked = attacked_from(pieces, from);
        if piece != Piece::Pawn {
            assert_eq!(maps.from[from], attacked.iter().fold(0, |set, &to| set | 1 << to));
        }
        for to in attacked {
            counts[side][to][class_of(piece)] += 1;
        }
    }
    for side in [US, THEM] {
        let least = maps.least_valued(side);
        for (square, counts) in counts[side].iter().enumerate() {
            let has = |set: u64| set >> square & 1 == 1;
            let cheapest = counts.iter().position(|&count| count > 0);
            for class in 0..CLASSES {
                assert_eq!(has(maps.by[side][class]), counts[class] > 0);
                assert_eq!(has(least[class]), cheapest == Some(class));
            }
            assert_eq!(has(maps.twice[side]), counts.iter().sum::<i32>() >= 2);
        }
    }
}

#[test]
fn attack_maps_agree_with_the_slow_oracle_in_both_views() {
    common::random_positions(31, 250, 80, |position| {
        check_view(position, Color::White);
        check_view(position, Color::Black);
    });
}

#[test]
fn a_position_and_its_mirror_have_equal_views() {
    common::random_positions(32, 400, 80, |position| {
        let mirror = position.mirror();
        assert_eq!(MoverView::of(position), MoverView::of(&mirror));
        assert_eq!(MoverView::seen_by(position, Color::White), MoverView::seen_by(&mirror, Color::Black));
        assert_eq!(MoverView::of(position), MoverView::seen_by(position, position.side_to_move()));
        let rights = |short| position.may_castle(position.side_to_move(), short);
        assert_eq!(MoverView::of(position).castling[US], [rights(true), rights(false)]);
    });
}

#[test]
fn bits_are_iterated_lowest_first() {
    assert_eq!(bits(1 << 63 | 1 << 5 | 1).collect::<Vec<_>>(), [0, 5, 63]);
    assert_eq!(bits(0).count(), 0);
}
