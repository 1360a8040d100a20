//! The evaluators that an engine can be made of: the value network, and material.

use board::{Color, Move, Piece, Position};
use nets::{LinearTopology, PlacementLine, QuantizedValueNet, ValueNet};
use search::{Chances, Evaluator, LastLayer, Wdl};
use std::sync::Arc;

/// The value network (thesis 4): 363 features, a restricted first layer, tanh; and sums of the piece placement, if it has
/// one, that follow the line.
#[derive(Clone)]
pub struct NetworkEvaluator(Arc<QuantizedValueNet>);

impl NetworkEvaluator {
    /// Evaluates with this net.
    pub fn new(net: Arc<QuantizedValueNet>) -> Self {
        Self(net)
    }
}

impl Evaluator for NetworkEvaluator {
    type State = PlacementLine;

    fn root(&self, position: &Position) -> PlacementLine {
        self.0.line(position)
    }

    #[inline]
    fn make(&self, line: &mut PlacementLine, parent: &Position, mv: Move, child: &Position) {
        line.make(parent, mv, child);
    }

    #[inline]
    fn make_null(&self, line: &mut PlacementLine, _child: &Position) {
        line.make_null();
    }

    #[inline]
    fn unmake(&self, line: &mut PlacementLine) {
        line.unmake();
    }

    #[inline]
    fn logit(&self, line: &mut PlacementLine, position: &Position) -> f32 {
        self.0.logit_along(line, position)
    }

    #[inline]
    fn logit_and_product(&self, line: &mut PlacementLine, position: &Position, read: &[f32]) -> (f32, f32) {
        self.0.logit_and_product_along(line, position, read)
    }

    fn draw_chance(&self, line: &mut PlacementLine, position: &Position, value: f32) -> f32 {
        let (_, drawn) = self.0.outputs_along(line, position);
        Chances::of_outputs(logit(value), drawn, self.0.kappa()).draw() as f32
    }

    fn mean_chances(&self, _: &PlacementLine, _: &Position, value: f64, draw: f64) -> Wdl {
        Wdl::of_score(Chances::of_outputs(logit(value as f32), 0.0, self.0.kappa()).expected, draw)
    }
}

/// Of a network the rectified outputs of its hidden layer; of a linear evaluator the rows.
impl LastLayer for NetworkEvaluator {
    fn width(&self) -> usize {
        self.0.last_layer_width()
    }

    fn norm(&self) -> f32 {
        self.0.last_layer_norm()
    }

    fn inputs(&self, position: &Position, inputs: &mut Vec<(u32, f32)>) {
        self.0.last_layer_inputs(position, inputs);
    }

    fn weights_as_read(&self, weights: &[f32]) -> Vec<f32> {
        self.0.weights_as_read(weights)
    }

    fn change_read(&self, read: &mut [f32], number: usize, weight: f32) {
        self.0.change_read(read, number, weight);
    }

    fn product(&self, position: &Position, read: &[f32]) -> f32 {
        self.0.product(position, read)
    }
}

/// The logit of a value, which is finite.
fn logit(value: f32) -> f32 {
    libm::atanhf(value.clamp(-1.0 + f32::EPSILON, 1.0 - f32::EPSILON))
}

/// tanh(0.001 * material): what the bootstrap teaches (thesis 4.4).
#[derive(Debug, Clone, Copy, Default)]
pub struct MaterialEvaluator;

/// `(piece)`: the original's midgame values of pawn, knight, bishop, rook, queen; the king has none.
pub const MATERIAL_VALUES: [i32; 6] = [198, 817, 836, 1270, 2521, 0];

/// A linear evaluator that begins where [`MaterialEvaluator`] stands.
pub fn material_net(topology: LinearTopology) -> ValueNet {
    let [pawn, knight, bishop, rook, queen, _] = MATERIAL_VALUES.map(|value| 0.001 * value as f32);
    ValueNet::material(topology, [queen, rook, bishop, knight, pawn])
}

/// The material balance of the side to move, in [`MATERIAL_VALUES`].
pub fn material(position: &Position) -> i32 {
    let of = |color: Color| -> i32 {
        Piece::ALL
            .map(|piece| MATERIAL_VALUES[piece as usize] * position.colored_pieces(color, piece).len() as i32)
            .iter()
            .sum()
    };
    let us = position.side_to_move();
    of(us) - of(!us)
}

impl Evaluator for MaterialEvaluator {
    type State = ();

    fn root(&self, _position: &Position) -> Self::State {}

    #[inline]
    fn logit(&self, (): &mut Self::State, position: &Position) -> f32 {
        0.001 * material(position) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::random_positions::RandomPositions;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    #[test]
    fn linear_evaluators_begin_at_material() {
        let mut random = RandomPositions::new(Xoshiro256PlusPlus::seed_from_u64(11));
        let nets = [1, 4].map(|stages| material_net(LinearTopology::new(stages).unwrap()));
        let nets = nets.map(|net| QuantizedValueNet::new(&net, kernels::active().unwrap()));
        for _ in 0..10_000 {
            let position = random.next_position();
            let expected = MaterialEvaluator.logit(&mut (), position);
            for net in &nets {
                let found = net.logit(position);
                assert!((found - expected).abs() < 1e-6 * expected.abs().max(1.0), "{found} {expected}");
                assert_eq!(net.logit_along(&mut net.line(position), position), found);
            }
        }
    }
}
