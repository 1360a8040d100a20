//! What is known of endings in which one side has a bare king, around any evaluator: won ones get a value above all others,
//! with a slope that leads to the mate; drawn ones are drawn.
//!
//! | the other side has | value |
//! |---|---|
//! | a queen, a rook, bishops of both colors, bishop and knight, or three knights | won: the bare king is driven to the edge, or to the corner of the bishop's color |
//! | one pawn | by the bitbase of [`kpk`] |
//! | two knights, or bishops of one color, and no pawn | drawn |
//!
//! A network learns little of them, because games are over before. Everything else keeps the evaluator's value, of which only
//! the part beyond 20 pawns is bent, so that it stays below a known win.
//!
//! CITE: the slope of bishop and knight is that of Stockfish's PushToCorners (endgame.cpp).

use crate::kpk;
use board::{BitBoard, Color, Move, Piece, Position, Square};
use search::{Evaluator, LastLayer, Wdl};

/// The logit from which an evaluation is bent: 20 pawns.
const EXTREME: f32 = 4.0;
/// The logit below which all evaluations are and above which known wins are.
const KNOWN_WIN: f32 = 5.0;
/// The logit between a known win that is far from the mate and one that is near.
const SLOPE: f32 = 1.0;
const DARK: BitBoard = BitBoard(0xAA55_AA55_AA55_AA55);

/// An evaluator that knows these endings.
#[derive(Clone)]
pub struct EndgameEvaluator<E>(pub E);

impl<E: Evaluator> Evaluator for EndgameEvaluator<E> {
    type State = E::State;

    fn root(&self, position: &Position) -> E::State {
        self.0.root(position)
    }

    #[inline]
    fn make(&self, state: &mut E::State, parent: &Position, mv: Move, child: &Position) {
        self.0.make(state, parent, mv, child);
    }

    #[inline]
    fn make_null(&self, state: &mut E::State, child: &Position) {
        self.0.make_null(state, child);
    }

    #[inline]
    fn unmake(&self, state: &mut E::State) {
        self.0.unmake(state);
    }

    #[inline]
    fn logit(&self, state: &mut E::State, position: &Position) -> f32 {
        known_or(position, || self.0.logit(state, position))
    }

    fn logit_and_product(&self, state: &mut E::State, position: &Position, read: &[f32]) -> (f32, f32) {
        let mut product = 0.0;
        let logit = known_or(position, || {
            let both = self.0.logit_and_product(state, position, read);
            product = both.1;
            both.0
        });
        (logit, product)
    }

    fn draw_chance(&self, state: &mut E::State, position: &Position, value: f32) -> f32 {
        // Exactly 0 is a known draw.
        if value == 0.0 { 1.0 } else { self.0.draw_chance(state, position, value) }
    }

    fn mean_chances(&self, state: &E::State, position: &Position, value: f64, draw: f64) -> Wdl {
        self.0.mean_chances(state, position, value, draw)
    }
}

/// That of the evaluator, without inputs in known endings, of which nothing is learned.
impl<E: LastLayer> LastLayer for EndgameEvaluator<E> {
    fn width(&self) -> usize {
        self.0.width()
    }

    fn norm(&self) -> f32 {
        self.0.norm()
    }

    fn inputs(&self, position: &Position, inputs: &mut Vec<(u32, f32)>) {
        if is_known(position) {
            inputs.clear();
        } else {
            self.0.inputs(position, inputs);
        }
    }

    fn weights_as_read(&self, weights: &[f32]) -> Vec<f32> {
        self.0.weights_as_read(weights)
    }

    fn change_read(&self, read: &mut [f32], number: usize, weight: f32) {
        self.0.change_read(read, number, weight);
    }

    fn product(&self, position: &Position, read: &[f32]) -> f32 {
        if is_known(position) { 0.0 } else { self.0.product(position, read) }
    }
}

/// Is it an ending that needs no evaluator?
pub fn is_known(position: &Position) -> bool {
    has_bare_king(position) && known_logit(position).is_some()
}

#[inline]
fn has_bare_king(position: &Position) -> bool {
    // Without its king, as a single bit taken away: a count takes a dozen instructions.
    let is_bare = |color| position.colors(color).0.wrapping_sub(1) & position.colors(color).0 == 0;
    is_bare(Color::White) || is_bare(Color::Black)
}

/// What is known of a position, else the logit of an evaluator, bent below a known win.
#[inline]
pub fn known_or(position: &Position, evaluated: impl FnOnce() -> f32) -> f32 {
    if has_bare_king(position)
        && let Some(logit) = known_logit(position)
    {
        return logit;
    }
    let logit = evaluated();
    let beyond = logit.abs() - EXTREME;
    if beyond <= 0.0 { logit } else { (EXTREME + beyond / (1.0 + beyond)).copysign(logit) }
}

/// The logit of a position in which one side has a bare king, for the side to move; `None` if it is not known.
#[cold]
fn known_logit(position: &Position) -> Option<f32> {
    let strong = if position.colors(Color::White).len() == 1 { Color::Black } else { Color::White };
    let sign = if position.side_to_move() == strong { 1.0 } else { -1.0 };
    if let Some(won) = kpk::is_won(position) {
        let pawn = position.pieces(Piece::Pawn).next_square()?;
        let progress = pawn.relative_to(strong).rank() as usize as f32 / 7.0;
        return Some(if won { sign * (KNOWN_WIN + 0.5 * SLOPE * progress) } else { 0.0 });
    }
    let of = |piece| position.colored_pieces(strong, piece);
    let bishops = of(Piece::Bishop);
    let colors = [bishops & DARK, bishops - DARK].map(|bishops| !bishops.is_empty());
    let (knights, pawns) = (of(Piece::Knight).len(), !of(Piece::Pawn).is_empty());
    let mates = !(of(Piece::Queen) | of(Piece::Rook)).is_empty()
        || colors == [true; 2]
        || colors != [false; 2] && knights > 0
        || knights > 2;
    if !mates {
        return (!pawns).then_some(0.0);
    }
    let [winner, loser] = [strong, !strong].map(|color| position.colored_pieces(color, Piece::King).next_square());
    let (winner, loser) = (winner?, loser?);
    let needs_corner = (of(Piece::Queen) | of(Piece::Rook)).is_empty() && colors != [true; 2] && colors != [false; 2];
    let driven = if needs_corner { towards_corner(loser, colors[0]) } else { towards_edge(loser) };
    let near = 1.0 - (distance(winner, loser) - 1) as f32 / 6.0;
    Some(sign * (KNOWN_WIN + SLOPE * (0.7 * driven + 0.3 * near)))
}

/// How near a king is to a corner of this color, 0 to 1.
fn towards_corner(king: Square, dark: bool) -> f32 {
    let (file, rank) = (king.file() as i32, king.rank() as i32);
    let file = if dark { file } else { 7 - file };
    (7 - rank - file).abs() as f32 / 7.0
}

/// How near a king is to the edge and to a corner, 0 to 1.
fn towards_edge(king: Square) -> f32 {
    let from_center = |at: usize| (2 * at).abs_diff(7) / 2;
    let (file, rank) = (from_center(king.file() as usize), from_center(king.rank() as usize));
    (2 * file.max(rank) + file.min(rank)) as f32 / 9.0
}

fn distance(a: Square, b: Square) -> usize {
    (a.file() as usize).abs_diff(b.file() as usize).max((a.rank() as usize).abs_diff(b.rank() as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluators::MaterialEvaluator;

    fn logit(fen: &str) -> f32 {
        EndgameEvaluator(MaterialEvaluator).logit(&mut (), &Position::from_fen(fen).unwrap())
    }

    #[test]
    fn known_wins_are_above_everything_and_known_draws_are_drawn() {
        for won in [
            "8/8/8/4k3/8/8/8/K6R w - - 0 1",
            "8/8/8/4k3/8/8/8/K5Q1 w - - 0 1",
            "8/8/8/4k3/8/8/8/K4BB1 w - - 0 1",
            "8/8/8/4k3/8/8/8/K4BN1 w - - 0 1",
            "8/8/8/4k3/8/8/8/KNNN4 w - - 0 1",
            "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1",
            "8/8/8/4k3/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1",
        ] {
            assert!((KNOWN_WIN..=KNOWN_WIN + SLOPE).contains(&logit(won)), "{won}: {}", logit(won));
            let mirror = Position::from_fen(won).unwrap().mirror().to_fen(false);
            assert_eq!(logit(&mirror), logit(won));
            let lost = won.replace(" w ", " b ");
            assert!(logit(&lost) <= -KNOWN_WIN, "{lost}");
        }
        for drawn in
            ["8/8/8/4k3/8/8/8/KNN5 w - - 0 1", "8/8/8/4k3/8/8/8/KB1B4 w - - 0 1", "k7/8/K7/P7/8/8/8/8 w - - 0 1"]
        {
            assert_eq!(logit(drawn), 0.0, "{drawn}");
        }
        let much = logit("k7/p7/8/8/8/8/8/KQQQQQQ1 w - - 0 1");
        assert!((EXTREME..KNOWN_WIN).contains(&much), "{much}");
    }

    #[test]
    fn the_slope_leads_to_the_mate() {
        // A bare king in the center, at the edge, in the wrong and in the right corner of a bishop on light squares.
        let kings = ["8/8/8/3k4/8/8/8/K4BN1", "3k4/8/8/8/8/8/8/K4BN1", "7k/8/8/8/8/8/8/K4BN1", "k7/8/8/8/8/8/8/K4BN1"];
        let [center, edge, wrong, right] = kings.map(|board| logit(&format!("{board} w - - 0 1")));
        assert!(center < right && edge < right && wrong < right, "{center} {edge} {wrong} {right}");
        let [far, near] =
            ["k7/8/8/8/8/8/8/6RK", "k7/8/1K6/8/8/8/8/6R1"].map(|board| logit(&format!("{board} w - - 0 1")));
        assert!(far < near);
        let kings = ["8/8/8/3k4/8/8/8/K5R1", "3k4/8/8/8/8/8/8/K5R1", "k7/8/8/8/8/8/8/1K4R1"];
        assert!(kings.map(|board| logit(&format!("{board} w - - 0 1"))).is_sorted());
    }
}
