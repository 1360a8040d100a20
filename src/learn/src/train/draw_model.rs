//! A model of results that is linear in some inputs: the second output of a network in its hidden layer, and simpler ones to
//! compare it with.

use nets::{Layer, ValueNet, draw_output, neutral_draw};

/// `o = inputs . weights + bias`, from which the chance of a draw follows, and the scale of the value's logit.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawModel {
    /// `(input)`.
    pub weights: Vec<f32>,
    /// The bias.
    pub bias: f32,
    /// The scale from the value's logit to that of results, positive.
    pub kappa: f32,
}

impl DrawModel {
    /// The model of so many inputs that says [`nets::DEFAULT_DRAW`] of every position.
    pub fn neutral(inputs: usize) -> Self {
        Self { weights: vec![0.0; inputs], bias: neutral_draw(), kappa: 1.0 }
    }

    /// The second output of a network; of one without, the bias of [`neutral`](Self::neutral).
    pub fn of(net: &ValueNet) -> Self {
        let (weights, bias) = net.params().layer(Layer::Draw);
        let bias = bias.first().copied().unwrap_or_else(neutral_draw);
        Self { weights: weights.to_vec(), bias, kappa: net.kappa() }
    }

    /// Becomes the second output of a network.
    ///
    /// # Panics
    /// If the network has none, or one of another hidden layer.
    pub fn store(&self, net: &mut ValueNet) {
        let (weights, bias) = net.params_mut().layer_mut(Layer::Draw);
        weights.copy_from_slice(&self.weights);
        bias.copy_from_slice(&[self.bias]);
        net.set_kappa(self.kappa);
    }

    /// The output `o` of inputs `(input)`.
    pub fn output(&self, inputs: &[f32]) -> f32 {
        draw_output(&self.weights, self.bias, inputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::SHIPPED_VALUE_NET;

    #[test]
    fn a_model_becomes_the_second_output_of_a_network() {
        let model = DrawModel { weights: vec![0.5, -1.0], bias: 0.25, kappa: 1.0 };
        assert_eq!(model.output(&[2.0, 3.0]), -1.75);
        assert_eq!(DrawModel::neutral(2).output(&[2.0, 3.0]), neutral_draw());
        let mut net = nets::file::from_bytes("shipped", SHIPPED_VALUE_NET).unwrap().0;
        let shipped = DrawModel::of(&net);
        let inputs = shipped.weights.len();
        let other = DrawModel { weights: (0..inputs).map(|input| input as f32).collect(), bias: 0.25, kappa: 1.75 };
        other.store(&mut net);
        assert_eq!(DrawModel::of(&net), other);
        assert_ne!(other, shipped);
        let without = DrawModel::of(&net.without_draw());
        assert_eq!((without.weights.len(), without.bias), (0, neutral_draw()));
    }
}
