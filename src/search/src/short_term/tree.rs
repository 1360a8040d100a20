//! `ShortTerm=tree`: positions that share pawns, minor pieces, the pieces of a side, or material and kings are worth more or less than the
//! network says by what the search found of the others.
//!
//! A position has n = 5 features, each a weight chosen by the hash of a part of it and by the side to move. A node that its search found better
//! by an error e (`lesson`), with weight a, moves each of its weights by `step a e / n`.
//!
//! The weights that the search reads are those of the end of the iteration before.
//
// CITE: correction history, as in Caissa and Stockfish since 2024, where it corrects the margins of pruning, too; here as the short-term
// memory of Dyna-2, added to every evaluation.

use crate::node_observer::{NodeObserver, SearchedNode};
use crate::short_term::target::lesson;
use crate::tunables as tuned;
use board::{BitBoard, Color, Piece, Position};

/// Weights of a feature for one side to move, a power of two.
const SLOTS: usize = 1 << 14;
/// What is hashed: pawns; knights and bishops; White's and Black's pieces; material and kings.
const FEATURES: usize = 5;
/// Places learned within an iteration that are remembered one by one.
const MOST_TOUCHED: usize = 1 << 12;

/// The memory of one thread.
pub struct TreeMemory {
    step: f32,
    /// `(side to move, feature, slot)` in logits: what has been learned.
    learned: Vec<f32>,
    /// The same, as the search reads it.
    read: Vec<f32>,
    /// Places where the two differ; more than it has room for: any.
    touched: Vec<u32>,
}

impl TreeMemory {
    /// The step that is used where no other is asked for.
    pub const STEP: f32 = 0.1;

    /// Nothing learned yet; `step` is the part of an error that a node of full weight takes away.
    pub fn new(step: f32) -> Self {
        let zeros = vec![0.0; 2 * FEATURES * SLOTS];
        Self { step, learned: zeros.clone(), read: zeros, touched: Vec::with_capacity(MOST_TOUCHED) }
    }

    /// Moves the weights of a position by what a node's search found.
    fn learn(&mut self, position: &Position, error: f32, weight: f32) {
        let step = self.step * weight * error / FEATURES as f32;
        for place in places(position) {
            self.learned[place] += step;
            if self.touched.len() < MOST_TOUCHED {
                self.touched.push(place as u32);
            }
        }
    }

    /// The search reads what has been learned.
    fn publish(&mut self) {
        if self.touched.len() == MOST_TOUCHED {
            self.read.copy_from_slice(&self.learned);
        } else {
            for place in &self.touched {
                self.read[*place as usize] = self.learned[*place as usize];
            }
        }
        self.touched.clear();
    }
}

impl NodeObserver for TreeMemory {
    fn observe(&mut self, node: &SearchedNode) {
        let change: f32 = places(node.position).map(|place| self.learned[place] - self.read[place]).iter().sum();
        if let Some((error, weight)) = lesson(node, change) {
            self.learn(node.position, error, weight);
        }
    }

    #[inline]
    fn correction(&self, position: &Position) -> f32 {
        places(position).map(|place| self.read[place]).iter().sum()
    }

    fn next_iteration(&mut self) {
        self.publish();
    }

    fn search_ended(&mut self) {
        self.publish();
    }

    fn next_search(&mut self) {
        let kept = tuned::short_term_kept();
        self.learned.iter_mut().for_each(|weight| *weight *= kept);
        self.read.copy_from_slice(&self.learned);
        self.touched.clear();
    }

    fn new_game(&mut self) {
        self.learned.fill(0.0);
        self.read.fill(0.0);
        self.touched.clear();
    }
}

/// The place of each of a position's features among the weights.
#[inline]
fn places(position: &Position) -> [usize; FEATURES] {
    let of = |color, piece| position.colored_pieces(color, piece);
    let (white, black) = (Color::White, Color::Black);
    let pawns = hash([of(white, Piece::Pawn), of(black, Piece::Pawn)]);
    let minors =
        hash([of(white, Piece::Knight), of(black, Piece::Knight), of(white, Piece::Bishop), of(black, Piece::Bishop)]);
    let pieces = |color| {
        hash([Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King].map(|piece| of(color, piece)))
    };
    // Four bits each: with more than 15 of a kind two positions may share a weight.
    let counts = [white, black].iter().fold(0, |counts, color| {
        Piece::ALL[..5].iter().fold(counts, |counts, piece| counts << 4 | u64::from(of(*color, *piece).len()))
    });
    let kings = of(white, Piece::King) | of(black, Piece::King);
    let material = hash([BitBoard(counts), kings]);
    let side = position.side_to_move() as usize * FEATURES;
    let slots = [pawns, minors, pieces(white), pieces(black), material];
    std::array::from_fn(|feature| (side + feature) * SLOTS + slots[feature])
}

/// A hash of sets of squares, below [`SLOTS`].
#[inline]
fn hash<const N: usize>(sets: [BitBoard; N]) -> usize {
    // Odd, and without a pattern: the golden ratio in 64 bits.
    const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = sets.iter().fold(0_u64, |mixed, set| (mixed.rotate_left(23) ^ set.0).wrapping_mul(SCATTER));
    (mixed >> (64 - SLOTS.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluator::leaf_value;
    use crate::value::Bound;
    use board::random_positions::RandomPositions;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    fn node<'a>(position: &'a Position, found: f32, memory: &TreeMemory, raw: f32, level: f32) -> SearchedNode<'a> {
        let evaluation = Some(raw + memory.correction(position));
        SearchedNode { position, value: leaf_value(found), bound: Bound::Exact, level, ply: 2, best: None, evaluation }
    }

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).unwrap()
    }

    const FEN: &str = "r3k2r/1bp2ppp/p1n5/1p6/4P3/1B3N2/PP3PPP/R3R1K1 w kq - 0 16";

    #[test]
    fn a_lesson_is_read_from_the_next_iteration_on_and_is_that_of_the_equation() {
        let (mut memory, position) = (TreeMemory::new(TreeMemory::STEP), position(FEN));
        memory.observe(&node(&position, 0.3, &memory, 0.1, 3.0));
        assert_eq!(memory.correction(&position), 0.0);
        memory.next_iteration();
        // Five weights, each moved by step x 3/6 x 0.2 / 5.
        let wanted = TreeMemory::STEP * 0.5 * 0.2;
        assert!((memory.correction(&position) - wanted).abs() < 1e-4, "{}", memory.correction(&position));
        memory.next_search();
        let faded = wanted * tuned::short_term_kept();
        assert!((memory.correction(&position) - faded).abs() < 1e-4);
        memory.new_game();
        assert_eq!(memory.correction(&position), 0.0);
    }

    #[test]
    fn lessons_of_one_iteration_do_not_overshoot() {
        let (mut memory, position) = (TreeMemory::new(TreeMemory::STEP), position(FEN));
        for _ in 0..10_000 {
            memory.observe(&node(&position, 0.3, &memory, 0.1, 6.0));
        }
        memory.next_iteration();
        // More than are remembered one by one, and the fixed point is the error.
        assert!((memory.correction(&position) - 0.2).abs() < 1e-3, "{}", memory.correction(&position));
    }

    #[test]
    fn more_places_than_are_remembered_are_read_as_well() {
        let mut memory = TreeMemory::new(TreeMemory::STEP);
        let mut games = RandomPositions::new(Xoshiro256PlusPlus::seed_from_u64(8));
        for _ in 0..1_000 {
            memory.learn(games.next_position(), 0.1, 1.0);
        }
        assert_eq!(memory.touched.len(), MOST_TOUCHED);
        memory.search_ended();
        assert!(memory.read == memory.learned && memory.touched.is_empty());
        // Few are read one by one.
        memory.learn(&position(FEN), -0.5, 1.0);
        assert!(memory.read != memory.learned && memory.touched.len() == FEATURES);
        memory.search_ended();
        assert!(memory.read == memory.learned);
    }

    #[test]
    fn positions_share_what_they_have_in_common() {
        let (mut memory, learned) = (TreeMemory::new(TreeMemory::STEP), position(FEN));
        for _ in 0..1_000 {
            memory.observe(&node(&learned, 0.3, &memory, 0.1, 6.0));
        }
        memory.next_iteration();
        let of = |fen| memory.correction(&position(fen));
        // The rook has moved: pawns, minor pieces, Black's pieces and the material are the same.
        assert!((of("r3k2r/1bp2ppp/p1n5/1p6/4P3/1B3N2/PP3PPP/R2R2K1 w kq - 0 16") - 0.16).abs() < 1e-2);
        // Another side to move, and other pawns and pieces.
        assert_eq!(of("r3k2r/1bp2ppp/p1n5/1p6/4P3/1B3N2/PP3PPP/R3R1K1 b kq - 0 16"), 0.0);
        assert_eq!(of("8/8/1k6/8/8/1PK5/8/8 w - - 0 1"), 0.0);
    }

    #[test]
    fn the_weights_are_the_least_squares_fit_of_what_is_seen_equally_often() {
        // Positions with the same pawns, minor pieces, Black's pieces and material, and White's rook elsewhere: a mean that they share, and
        // differences that they do not.
        let fens = ["R3K3", "1R2K3", "2R1K3"].map(|rank| format!("4k3/pp6/8/8/8/8/PP6/{rank} w - - 0 1"));
        let positions = fens.map(|fen| position(&fen));
        let found = [0.1, 0.2, 0.45];
        let mut memory = TreeMemory::new(TreeMemory::STEP);
        for _ in 0..20_000 {
            for (position, found) in positions.iter().zip(found) {
                memory.observe(&node(position, found, &memory, 0.0, 6.0));
            }
        }
        memory.next_iteration();
        for (position, found) in positions.iter().zip(found) {
            assert!((memory.correction(position) - found).abs() < 2e-3, "{}", memory.correction(position));
        }
    }
}
