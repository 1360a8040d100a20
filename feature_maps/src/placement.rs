//! Piece placement: which piece stands on which square, as each side sees it. The fourth modality, beside the thesis' three.
//!
//! Each side has a *view*: its own back rank at the bottom, and files mirrored so that its king stands on the files a
//! to d. The views of a position are lists of rows, one for every piece, whose number tells the king's bucket, whether the piece
//! is the viewer's own, its kind and its square. A move changes few rows of a view, unless its king changes the bucket or
//! the half of the board: a sum of the rows' weights can follow a line of play.
//!
//! CITE: Nasu, "Efficiently updatable neural-network-based evaluation functions for computer shogi", 2018 (in Japanese):
//! inputs of piece, square and king square for each side, and sums that moves update.

use board::{Color, Piece, Position, Square};

/// The rows of one bucket of king squares: own and other pieces, their kinds, their squares.
pub const PLACES: usize = 2 * 6 * 64;

/// The most rows of a view: the pieces of a position.
pub const MAX_PIECES: usize = 32;

/// The numbers of buckets that there are.
pub const BUCKETS: [usize; 2] = [1, 4];

/// How a side sees the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    viewer: Color,
    /// What is different of a square's number.
    mirror: u8,
    /// The first row of the king's bucket.
    first: u16,
}

impl View {
    /// The view of a side, with one of these numbers of [`BUCKETS`].
    #[inline(always)]
    pub fn of(position: &Position, viewer: Color, buckets: usize) -> View {
        let king = position.king(viewer) as u8;
        let ranks = if viewer == Color::Black { 56 } else { 0 };
        let mirror = ranks | if king & 4 == 0 { 0 } else { 7 };
        let bucket = if buckets == 1 { 0 } else { bucket(king ^ mirror) };
        View { viewer, mirror, first: bucket * PLACES as u16 }
    }

    /// The row of a piece.
    #[inline(always)]
    pub fn row(&self, color: Color, piece: Piece, square: Square) -> u16 {
        self.row_of(Place::of(color, piece, square))
    }

    /// The row of a piece on its square.
    #[inline(always)]
    pub fn row_of(&self, Place(place): Place) -> u16 {
        const OTHER: u16 = PLACES as u16 / 2;
        let seen = match self.viewer {
            Color::White => place,
            Color::Black if place < OTHER => place + OTHER,
            Color::Black => place - OTHER,
        };
        self.first + (seen ^ u16::from(self.mirror))
    }
}

/// A piece on a square, in two bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place(u16);

impl Place {
    /// Of a piece and its square.
    #[inline(always)]
    pub fn of(color: Color, piece: Piece, square: Square) -> Place {
        Place((6 * color as u16 + piece as u16) * 64 + square as u16)
    }
}

/// The bucket, of four, of a king's square on the files a to d: in the corner, beside it, a rank further, or out.
#[inline(always)]
fn bucket(king: u8) -> u16 {
    match (king >> 3, king & 7) {
        (0, 0..2) => 0,
        (0, _) => 1,
        (1, _) => 2,
        _ => 3,
    }
}

/// The rows of a position in both views.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// `([us, them], piece)`: the first `pieces`.
    rows: [[u16; MAX_PIECES]; 2],
    pieces: usize,
}

impl Placement {
    /// No piece.
    pub const EMPTY: Placement = Placement { rows: [[0; MAX_PIECES]; 2], pieces: 0 };

    /// The rows of a position, seen by the side to move and by the other, with one of these numbers of [`BUCKETS`].
    #[inline(always)]
    pub fn of(position: &Position, buckets: usize) -> Placement {
        let us = position.side_to_move();
        let views = [us, !us].map(|viewer| View::of(position, viewer, buckets));
        let mut placement = Placement::EMPTY;
        for color in Color::ALL {
            for piece in Piece::ALL {
                for square in position.colored_pieces(color, piece) {
                    let rows = views.map(|view| view.row(color, piece, square));
                    let Placement { rows: [ours, theirs], pieces } = &mut placement;
                    if let (Some(our), Some(their)) = (ours.get_mut(*pieces), theirs.get_mut(*pieces)) {
                        [*our, *their] = rows;
                        *pieces += 1;
                    }
                }
            }
        }
        placement
    }

    /// The number of pieces on the board, of both sides.
    #[inline(always)]
    pub fn pieces(&self) -> usize {
        self.pieces
    }

    /// The rows of the side to move and of the other.
    #[inline(always)]
    pub fn rows(&self) -> [&[u16]; 2] {
        let pieces = self.pieces.min(MAX_PIECES);
        self.rows.each_ref().map(|rows| &rows[..pieces])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placement(fen: &str, buckets: usize) -> [Vec<u16>; 2] {
        let position = Position::from_fen(fen).expect("a position");
        Placement::of(&position, buckets).rows().map(|rows| {
            let mut rows = rows.to_vec();
            rows.sort_unstable();
            rows
        })
    }

    #[test]
    fn rows_by_hand() {
        // White: king g1, pawn e4. Black: king e8, rook a8. Seen by White, files are mirrored: king b1, pawn d4, king d8,
        // rook h8. Black's king stands on the e file, too: king d1, rook h1, and White's king b8, pawn d5.
        let (own, other) =
            (|kind: u16, square: u16| kind * 64 + square, |kind: u16, square: u16| (6 + kind) * 64 + square);
        let [white, black] = placement("r3k3/8/8/8/4P3/8/8/6K1 w - - 0 1", 1);
        assert_eq!(white, [own(0, 27), own(5, 1), other(3, 63), other(5, 59)]);
        assert_eq!(black, [own(3, 7), own(5, 3), other(0, 35), other(5, 57)]);
        let [white, black] = placement("r3k3/8/8/8/4P3/8/8/6K1 b - - 0 1", 4);
        assert_eq!(white, [own(3, 7), own(5, 3), other(0, 35), other(5, 57)].map(|row| row + 768));
        assert_eq!(black, [own(0, 27), own(5, 1), other(3, 63), other(5, 59)]);
    }

    #[test]
    fn the_colors_and_the_wings_are_mirrors() {
        let one = placement("r1bq1rk1/pp3ppp/2n2n2/3p4/3P4/2N2N2/PP3PPP/R1BQ1RK1 w - - 0 1", 4);
        // Ranks reversed and colors exchanged; then files reversed.
        let other = placement("r1bq1rk1/pp3ppp/2n2n2/3p4/3P4/2N2N2/PP3PPP/R1BQ1RK1 b - - 0 1", 4);
        assert_eq!(one, other);
        let wings = placement("1kr1qb1r/ppp3pp/2n2n2/4p3/4P3/2N2N2/PPP3PP/1KR1QB1R w - - 0 1", 4);
        assert_eq!(one, wings);
    }

    #[test]
    fn every_king_square_has_a_bucket_of_its_number() {
        let counts = (0..64_u8).filter(|king| king & 4 == 0).fold([0; 4], |mut counts, king| {
            counts[usize::from(bucket(king))] += 1;
            counts
        });
        assert_eq!(counts, [2, 2, 4, 24]);
    }
}
