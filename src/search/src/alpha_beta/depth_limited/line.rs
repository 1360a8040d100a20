//! What a node leaves for the nodes below it: its evaluation, and the move that is searched.

use crate::scored_move::ScoredMove;
use crate::value::MAX_PLY;
use board::{Move, Piece, Position, Square};

/// A piece of either side on a square, as a number below [`PIECE_SQUARES`].
pub type PieceSquare = usize;

/// The number of pieces of both sides on squares.
pub const PIECE_SQUARES: usize = 2 * Piece::NUM * Square::NUM;

/// The piece that moves, on the square where it arrives.
#[inline]
pub fn piece_square(position: &Position, piece: Piece, mv: Move) -> PieceSquare {
    (position.side_to_move() as usize * Piece::NUM + piece as usize) * Square::NUM + mv.to as usize
}

/// What the line to the present node knows of one of its plies.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlyState {
    /// The static evaluation in logits; none in check.
    pub evaluation: Option<f32>,
    /// The move that is searched; none after a null move.
    pub moved: Option<PieceSquare>,
    /// The same with the square that it leaves.
    pub mv: Option<Move>,
    /// Is it quiet?
    pub is_quiet: bool,
    /// Its place in the order of trial, from 1.
    pub count: usize,
    /// What its histories tell, see [`adjusted_reduction`](crate::alpha_beta::worker::Worker::adjusted_reduction): those of the last move
    /// of this ply that was late, 0 if that was a capture; 0 when the node two plies before begins.
    pub history: i32,
    /// Was this node ever searched with an open window?
    pub was_open: bool,
    /// Had the table an entry of this node?
    pub was_known: bool,
    /// How many nodes of this ply were cut off, below the same node two plies before.
    pub cutoffs: u32,
    /// How many moves of the line up to this one are searched two plies deeper.
    pub double_extensions: u32,
    /// The move that the search of this node leaves out, to find out whether it is singular.
    pub excluded: Option<Move>,
}

/// The plies of the present line, with room for those before the root.
#[derive(Default)]
pub struct Line(Vec<PlyState>);

/// How many plies back a history looks.
const BEFORE: usize = 6;

impl Line {
    /// Nothing is known.
    pub fn new() -> Self {
        Self(vec![PlyState::default(); BEFORE + MAX_PLY + 2])
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.fill(PlyState::default());
    }

    /// The state of a ply.
    #[inline]
    pub fn at(&mut self, ply: usize) -> &mut PlyState {
        &mut self.0[BEFORE + ply]
    }

    /// The state so many plies before this one, at most six; that of nothing before the root.
    #[inline]
    pub fn before(&self, ply: usize, plies: usize) -> &PlyState {
        &self.0[BEFORE + ply - plies]
    }

    /// Sets the move that is searched at a ply.
    #[inline]
    pub fn set_move(&mut self, position: &Position, ply: usize, scored: &ScoredMove, is_quiet: bool) {
        let state = self.at(ply);
        state.moved = Some(piece_square(position, scored.piece, scored.mv));
        state.mv = Some(scored.mv);
        state.is_quiet = is_quiet;
    }

    /// A null move is searched at a ply.
    #[inline]
    pub fn set_null_move(&mut self, ply: usize) {
        let state = self.at(ply);
        (state.moved, state.mv, state.is_quiet) = (None, None, false);
    }

    /// The node at a ply begins: no move of it is searched yet, and what it counts of the nodes two plies below it begins anew.
    #[inline]
    pub fn begin_node(&mut self, ply: usize) {
        self.begin_move(ply, false);
        self.at(ply).count = 0;
        self.at(ply + 2).cutoffs = 0;
    }

    /// A move of the node at a ply is searched, two plies deeper or not.
    #[inline]
    pub fn begin_move(&mut self, ply: usize, is_double: bool) {
        self.at(ply).double_extensions = self.before(ply, 1).double_extensions + u32::from(is_double);
    }

    /// Is the node at a ply in check?
    #[inline]
    pub fn is_in_check(&self, ply: usize) -> bool {
        self.before(ply, 0).evaluation.is_none()
    }

    /// How much better off the side to move is than before its last move, in logits; where that is not known, a small gain.
    #[inline]
    pub fn improvement(&self, ply: usize) -> f32 {
        const UNKNOWN: f32 = 0.168;
        let now = self.before(ply, 0).evaluation.unwrap_or(0.0);
        self.before(ply, 2).evaluation.or(self.before(ply, 4).evaluation).map_or(UNKNOWN, |earlier| now - earlier)
    }

    /// Is the side to move better off than before its last move, as far as that is known?
    #[inline]
    pub fn is_improving(&self, ply: usize) -> bool {
        let Some(now) = self.before(ply, 0).evaluation else { return false };
        let earlier = self.before(ply, 2).evaluation.or(self.before(ply, 4).evaluation);
        earlier.is_none_or(|earlier| now >= earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_room_for_the_longest_and_for_what_is_before_the_root() {
        let mut line = Line::new();
        for ply in 0..=MAX_PLY + 1 {
            line.at(ply).count = ply + 1;
        }
        assert_eq!([0, 1, 2, 4, 6].map(|plies| line.before(5, plies).count), [6, 5, 4, 2, 0]);
        assert_eq!(line.before(0, 6).count, 0);
        line.clear();
        assert!((0..=MAX_PLY).all(|ply| line.before(ply, 0).count == 0));
    }

    #[test]
    fn a_move_is_remembered_by_its_piece_and_square() {
        let mut line = Line::new();
        for (fen, mv, place) in [
            ("4k3/8/8/8/8/2N5/8/4K3 w - - 0 1", "c3d5", 64 + 35),
            ("4k3/4p3/8/8/8/8/8/4K3 b - - 0 1", "e7e5", 6 * 64 + 36),
            ("4k3/8/8/8/8/8/8/4K3 b - - 0 1", "e8d8", 11 * 64 + 59),
        ] {
            let position = Position::from_fen(fen).expect("a position");
            let mv = position.parse_uci(mv).expect("a legal move");
            let piece = position.piece_on(mv.from).expect("a piece");
            line.set_move(&position, 3, &ScoredMove::hash_move(piece, mv, 0.0), true);
            assert_eq!((line.at(3).moved, line.at(3).mv, line.at(3).is_quiet), (Some(place), Some(mv), true));
            line.set_null_move(3);
            assert_eq!((line.at(3).moved, line.at(3).mv, line.at(3).is_quiet), (None, None, false));
        }
    }

    #[test]
    fn a_side_improves_over_its_last_evaluation_or_the_one_before() {
        for (now, two_before, four_before, improves) in [
            (None, None, None, false),
            (Some(0.1), None, None, true),
            (Some(0.1), Some(0.1), None, true),
            (Some(0.1), Some(0.2), Some(0.0), false),
            (Some(0.1), Some(0.0), Some(0.2), true),
            (Some(0.1), None, Some(0.2), false),
            (Some(0.2), None, Some(0.1), true),
        ] {
            let mut line = Line::new();
            (line.at(6).evaluation, line.at(4).evaluation, line.at(2).evaluation) = (now, two_before, four_before);
            line.at(5).evaluation = Some(9.0);
            assert_eq!(line.is_improving(6), improves, "{now:?} {two_before:?} {four_before:?}");
        }
    }

    #[test]
    fn an_improvement_is_the_difference_from_the_last_evaluation_of_the_same_side() {
        for (two_before, four_before, improvement) in
            [(None, None, 0.168), (Some(0.25), None, 0.25), (Some(0.25), Some(0.0), 0.25), (None, Some(0.75), -0.25)]
        {
            let mut line = Line::new();
            (line.at(6).evaluation, line.at(4).evaluation, line.at(2).evaluation) =
                (Some(0.5), two_before, four_before);
            assert_eq!(line.improvement(6), improvement, "{two_before:?} {four_before:?}");
        }
    }

    #[test]
    fn double_extensions_are_counted_along_the_line_and_cutoffs_below_one_node() {
        let mut line = Line::new();
        (line.at(0).double_extensions, line.at(7).cutoffs) = (5, 3);
        line.begin_node(0);
        line.begin_move(0, true);
        line.begin_node(1);
        line.begin_move(1, true);
        line.begin_move(1, false);
        line.begin_move(1, true);
        line.begin_node(2);
        assert_eq!([0, 1, 2].map(|ply| line.before(ply, 0).double_extensions), [1, 2, 2]);
        line.at(5).count = 4;
        line.begin_node(5);
        assert_eq!((line.before(7, 0).cutoffs, line.before(5, 0).count), (0, 0));
    }
}
