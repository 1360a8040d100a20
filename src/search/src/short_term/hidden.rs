//! `ShortTerm=hidden`: weights that are added to those of the evaluator's last layer. They learn from the tree's nodes by the normalized
//! least mean squares rule:
//!
//! ```text
//! theta += step a e phi / |phi|^2        |theta| <= |w| / 10
//! ```
//! with the inputs phi of the layer at a node, its error e and weight a (`lesson`), and the layer's own weights w. Theta is drawn back to the
//! bound where it leaves it, so that what is learned of some positions cannot outweigh what the network knows.
//!
//! The weights that the search reads are those of the end of the iteration before.
//
// CITE: Widrow and Stearns, "Adaptive signal processing", 1985 (LMS); Nagumo and Noda, "A learning method for system identification",
// IEEE Transactions on Automatic Control 12(3), 1967 (its normalization).

use crate::node_observer::{NodeObserver, SearchedNode};
use crate::short_term::last_layer::{LastLayer, LayerWeights};
use crate::short_term::target::lesson;
use crate::tunables as tuned;
use board::Position;
use std::sync::Arc;

/// The largest norm of what is learned, as a part of that of the layer's own weights.
const LARGEST_PART: f32 = 0.1;

/// The memory of one thread.
pub struct HiddenMemory {
    layer: Arc<dyn LastLayer>,
    step: f32,
    /// `(input)`: what has been learned.
    learned: Vec<f32>,
    /// The same, as the search reads it.
    published: Vec<f32>,
    weights: LayerWeights,
    /// The square of the norm of what has been learned, and the most that it can be.
    square: f64,
    largest: f64,
    /// The inputs of the node that is learned.
    inputs: Vec<(u32, f32)>,
}

impl HiddenMemory {
    /// The step that is used where no other is asked for.
    pub const STEP: f32 = 0.01;

    /// Nothing learned yet for this layer; `step` is the part of an error that a node of full weight takes away.
    pub fn new(layer: Arc<dyn LastLayer>, step: f32) -> Self {
        let (zeros, largest) = (vec![0.0; layer.width()], f64::from(LARGEST_PART * layer.norm()).powi(2));
        let weights = LayerWeights::zeros(&*layer);
        Self {
            step,
            learned: zeros.clone(),
            published: zeros,
            weights,
            square: 0.0,
            largest,
            inputs: Vec::with_capacity(layer.width().min(256)),
            layer,
        }
    }

    /// Moves the weights of the present inputs by what a node's search found.
    fn learn(&mut self, error: f32, weight: f32) {
        let square: f32 = self.inputs.iter().map(|(_, value)| value * value).sum();
        if square <= 0.0 {
            return;
        }
        let step = self.step * weight * error / square;
        for (number, value) in &self.inputs {
            let learned = &mut self.learned[*number as usize];
            let before = f64::from(*learned);
            *learned += step * value;
            self.square += f64::from(*learned).powi(2) - before.powi(2);
        }
        if self.square > self.largest {
            let factor = (self.largest / self.square).sqrt() as f32;
            self.learned.iter_mut().for_each(|weight| *weight *= factor);
            self.square = norm_square(&self.learned);
        }
    }

    /// The search reads what has been learned.
    fn publish(&mut self) {
        if self.published != self.learned {
            self.published.copy_from_slice(&self.learned);
            self.square = norm_square(&self.learned);
            self.weights.set(&*self.layer, &self.published);
        }
    }
}

fn norm_square(weights: &[f32]) -> f64 {
    weights.iter().map(|weight| f64::from(*weight).powi(2)).sum()
}

impl NodeObserver for HiddenMemory {
    fn observe(&mut self, node: &SearchedNode) {
        if lesson(node, 0.0).is_none() {
            return;
        }
        self.layer.inputs(node.position, &mut self.inputs);
        let of =
            |(number, value): &(u32, f32)| value * (self.learned[*number as usize] - self.published[*number as usize]);
        let change: f32 = self.inputs.iter().map(of).sum();
        if let Some((error, weight)) = lesson(node, change) {
            self.learn(error, weight);
        }
    }

    fn correction(&self, position: &Position) -> f32 {
        self.layer.product(position, self.weights.read())
    }

    #[inline]
    fn layer_weights(&mut self) -> Option<&mut LayerWeights> {
        Some(&mut self.weights)
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
        self.publish();
    }

    fn new_game(&mut self) {
        self.learned.fill(0.0);
        self.publish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluator::leaf_value;
    use crate::short_term::counts::Counts;
    use crate::value::Bound;
    use board::{Color, Piece};

    fn memory(norm: f32, step: f32) -> HiddenMemory {
        HiddenMemory::new(Arc::new(Counts { norm }), step)
    }

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).unwrap()
    }

    /// A node of full weight whose evaluation without the memory is `raw`.
    fn node<'a>(position: &'a Position, found: f32, memory: &HiddenMemory, raw: f32) -> SearchedNode<'a> {
        let evaluation = Some(raw + memory.correction(position));
        let (value, bound) = (leaf_value(found), Bound::Exact);
        SearchedNode { position, value, bound, level: 6.0, ply: 2, best: None, evaluation }
    }

    /// Pawns, knights, rooks of the side to move: 2, 1, 0, and 1, 0, 2 of the other.
    const FEN: &str = "r3k2r/p7/8/8/8/8/PP6/1N2K3 w - - 0 1";

    #[test]
    fn a_lesson_is_read_from_the_next_iteration_on_and_is_that_of_the_equation() {
        let (mut memory, position) = (memory(100.0, 0.5), position(FEN));
        memory.observe(&SearchedNode { level: 3.0, ..node(&position, 0.4, &memory, 0.1) });
        assert_eq!(memory.correction(&position), 0.0);
        memory.next_iteration();
        // |phi|^2 = 4 + 1 + 1 + 4, so a unit of an input moves its weight by 0.5 x 3/6 x 0.3 / 10.
        let unit = 0.5 * 0.5 * 0.3 / 10.0;
        let wanted = [2.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0].map(|value| value * unit);
        for (found, wanted) in memory.learned.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-5, "{:?}", memory.learned);
        }
        // And the evaluation by step x weight x error.
        assert!((memory.correction(&position) - 0.5 * 0.5 * 0.3).abs() < 1e-4);
        let learned = memory.correction(&position);
        assert_eq!(memory.layer_weights().map(|weights| weights.read().to_vec()), Some(memory.learned.clone()));
        memory.next_search();
        assert!((memory.correction(&position) - tuned::short_term_kept() * learned).abs() < 1e-6);
        memory.new_game();
        assert_eq!(memory.correction(&position), 0.0);
    }

    #[test]
    fn the_end_of_a_search_is_one_of_an_iteration() {
        let (mut memory, position) = (memory(100.0, 0.5), position(FEN));
        memory.observe(&node(&position, 0.4, &memory, 0.1));
        memory.search_ended();
        assert!((memory.correction(&position) - 0.5 * 0.3).abs() < 1e-4);
    }

    #[test]
    fn what_is_learned_is_at_most_a_tenth_of_the_layer() {
        let (mut memory, position) = (memory(0.5, 1.0), position(FEN));
        let other = super::tests::position("4k3/pp6/8/8/8/8/P7/QR2K3 b - - 0 1");
        for number in 0..200 {
            let at = if number % 3 == 0 { &other } else { &position };
            memory.observe(&node(at, 2.0, &memory, -2.0));
            let norm = norm_square(&memory.learned).sqrt();
            assert!(norm <= 0.05 * (1.0 + 1e-5), "{norm}");
            assert!((norm_square(&memory.learned) - memory.square).abs() < 1e-6);
        }
        let norm = norm_square(&memory.learned).sqrt();
        assert!(norm > 0.0499, "the bound is used: {norm}");
        memory.next_iteration();
        assert!(memory.correction(&position) > 0.0);
    }

    #[test]
    fn the_weights_are_the_least_squares_fit_of_what_is_seen_equally_often() {
        let fens = ["RN2K3", "R3K3", "1N2K3", "4K3", "1BB1K3", "Q3K3"];
        let positions = fens.map(|rank| position(&format!("4k3/pp6/8/8/8/8/PP6/{rank} w - - 0 1")));
        // Weights of pawns, knights, bishops, rooks and queens of the side to move, and what no weights can fit.
        let noise = [0.02, -0.02, -0.02, 0.02, 0.0, 0.0];
        let truth = [0.05, 0.1, -0.05, 0.15, 0.3];
        let linear = |position: &Position| {
            let count = |piece| position.colored_pieces(Color::White, piece).len() as f32;
            Piece::ALL[..5].iter().zip(truth).map(|(piece, weight)| weight * count(*piece)).sum::<f32>()
        };
        // So small a step that its noise is small, too.
        let mut memory = memory(100.0, 0.01);
        for _ in 0..50_000 {
            for (position, noise) in positions.iter().zip(noise) {
                memory.observe(&node(position, linear(position) + noise, &memory, 0.0));
            }
        }
        memory.next_iteration();
        // Errors count by 1 / |phi|^2, so that those of rook and knight, rook, knight and neither stay in proportion to 10, -9, -9, 8: the
        // only pattern that all weights leave as it is.
        for ((position, noise), square) in positions.iter().zip(noise).zip([10.0, 9.0, 9.0, 8.0, 0.0, 0.0]) {
            let residual = noise.signum() * square * 0.08 / 36.0;
            let (found, wanted) = (memory.correction(position), linear(position) + noise - residual);
            assert!((found - wanted).abs() < 1e-3, "{found} {wanted}");
        }
    }

    #[test]
    fn mirrored_positions_teach_the_same() {
        let (mut one, mut other) = (memory(100.0, 0.3), memory(100.0, 0.3));
        for fen in [FEN, "r3k3/p7/8/8/8/8/PP6/QN2K3 b - - 0 1", "4k3/8/8/2b5/8/8/PP6/4K3 w - - 0 1"] {
            let (position, mirror) = (position(fen), position(fen).mirror());
            one.observe(&node(&position, 0.3, &one, 0.0));
            other.observe(&node(&mirror, 0.3, &other, 0.0));
            one.next_iteration();
            other.next_iteration();
            assert_eq!(one.correction(&position), other.correction(&mirror));
            assert_eq!(one.correction(&mirror), other.correction(&position));
        }
        assert_eq!(one.learned, other.learned);
        assert!(one.learned.iter().any(|weight| *weight != 0.0));
    }
}
