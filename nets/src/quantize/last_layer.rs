//! What the last layer of a value network sums, for memories that add weights of their own to it: the rectified outputs of the hidden
//! layer, or of a linear evaluator the rows of the position.
//!
//! ```text
//! product = relu(hidden) . theta        in the same pass as the logit, one dot product more
//! ```
//! Weights are numbers per output in units of 1; [`weights_as_read`](QuantizedValueNet::weights_as_read) has them per unit of the integer
//! sums.

use board::Position;

use crate::quantize::placement_line::PlacementLine;
use crate::quantize::scale::norm;
use crate::quantize::value_net::{Form, QuantizedValueNet};
use crate::shape::MAX_WIDTH;

impl QuantizedValueNet {
    /// The number of inputs of the last layer: the outputs of the hidden layer, without those of a piece placement, or the rows of all
    /// stages.
    pub fn last_layer_width(&self) -> usize {
        match &self.form {
            Form::Network(net) => net.units.len(),
            Form::Linear(linear) => linear.weights().len(),
        }
    }

    /// The Euclidean norm of the last layer's weights for these inputs; where the output has buckets, that of the least.
    pub fn last_layer_norm(&self) -> f32 {
        match &self.form {
            Form::Network(net) => net.output_norm,
            Form::Linear(linear) => norm(linear.weights()),
        }
    }

    /// Sets `inputs` to the inputs of the last layer that are not 0: number and value of each.
    pub fn last_layer_inputs(&self, position: &Position, inputs: &mut Vec<(u32, f32)>) {
        inputs.clear();
        match &self.form {
            Form::Network(net) => {
                let mut sums = [0; MAX_WIDTH];
                let sums = &mut sums[..net.trunk.width()];
                net.sums(self.kernels, position, sums);
                for (number, (sum, unit)) in sums.iter().zip(&net.units).enumerate() {
                    if *sum > 0 {
                        inputs.push((number as u32, *sum as f32 * unit));
                    }
                }
            }
            Form::Linear(linear) => {
                linear.each_row(self.kernels, position, |row| inputs.push((row as u32, 1.0)));
            }
        }
    }

    /// Weights, `(input)`, as [`product`](Self::product) reads them.
    pub fn weights_as_read(&self, weights: &[f32]) -> Vec<f32> {
        match &self.form {
            Form::Network(net) => {
                let mut read = vec![0.0; net.trunk.width()];
                for ((read, weight), unit) in read.iter_mut().zip(weights).zip(&net.units) {
                    *read = weight * unit;
                }
                read
            }
            Form::Linear(_) => weights.to_vec(),
        }
    }

    /// Sets one of the weights that are given as they are read.
    pub fn change_read(&self, read: &mut [f32], number: usize, weight: f32) {
        read[number] = match &self.form {
            Form::Network(net) => weight * net.units[number],
            Form::Linear(_) => weight,
        };
    }

    /// The sum of the last layer's inputs with these weights, as [read](Self::weights_as_read); the same bits with any kernels.
    pub fn product(&self, position: &Position, read: &[f32]) -> f32 {
        match &self.form {
            Form::Network(net) => net.output_of(self.kernels, position, (read, 0.0)),
            Form::Linear(linear) => linear.logit_and_product(self.kernels, position, read).1,
        }
    }

    /// [`logit_along`](Self::logit_along) and [`product`](Self::product) of the position at which the line stands, in one pass, with the
    /// same bits.
    pub fn logit_and_product_along(&self, line: &mut PlacementLine, position: &Position, read: &[f32]) -> (f32, f32) {
        match &self.form {
            Form::Network(net) => net.outputs_along(self.kernels, line, position, Some((read, 0.0))),
            Form::Linear(linear) => linear.logit_and_product(self.kernels, position, read),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::forward::ValueNet;
    use crate::value::topology::{LinearTopology, NetworkTopology};
    use board::random_positions::RandomPositions;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    fn nets() -> Vec<QuantizedValueNet> {
        let shipped = crate::file::from_bytes("shipped", include_bytes!("../../trained/value.safetensors"));
        let wide = NetworkTopology::new([20, 200, 100], 300).expect("valid sizes");
        let linear = ValueNet::material(LinearTopology::new(4).expect("valid"), [2.5, 1.3, 0.8, 0.8, 0.2]);
        [shipped.expect("sound").0, ValueNet::random(wide, 7), linear]
            .map(|net| QuantizedValueNet::new(&net, kernels::active().expect("kernels")))
            .into()
    }

    #[test]
    fn products_are_those_of_the_inputs_and_logits_do_not_change() {
        for net in nets() {
            let weights: Vec<f32> = (0..net.last_layer_width()).map(|i| 0.01 * ((i * 7 % 11) as f32 - 5.0)).collect();
            let read = net.weights_as_read(&weights);
            let mut random = RandomPositions::new(Xoshiro256PlusPlus::seed_from_u64(5));
            let (mut inputs, mut seen) = (Vec::new(), 0);
            let mut changed = net.weights_as_read(&vec![0.0; weights.len()]);
            weights.iter().enumerate().for_each(|(number, weight)| net.change_read(&mut changed, number, *weight));
            assert_eq!(changed, read);
            for _ in 0..500 {
                let position = random.next_position();
                let (logit, product) = net.logit_and_product_along(&mut net.line(position), position, &read);
                assert_eq!(logit.to_bits(), net.logit(position).to_bits());
                assert_eq!(product.to_bits(), net.product(position, &read).to_bits());
                net.last_layer_inputs(position, &mut inputs);
                let wanted: f64 = inputs.iter().map(|(i, x)| f64::from(weights[*i as usize]) * f64::from(*x)).sum();
                let size: f64 = inputs.iter().map(|(i, x)| f64::from((weights[*i as usize] * x).abs())).sum();
                assert!((f64::from(product) - wanted).abs() <= 1e-5 * size, "{product} {wanted}");
                seen += inputs.len();
            }
            assert!(seen > 1_000, "{seen}");
        }
    }

    #[test]
    fn the_last_layers_own_weights_make_its_logit_and_its_norm() {
        let net = ValueNet::random(NetworkTopology::THESIS, 3);
        let quantized = QuantizedValueNet::new(&net, kernels::active().expect("kernels"));
        let (weights, bias) = net.params().layer(crate::value::topology::Layer::Output);
        let read = quantized.weights_as_read(weights);
        let mut random = RandomPositions::new(Xoshiro256PlusPlus::seed_from_u64(6));
        for _ in 0..100 {
            let position = random.next_position();
            let (logit, own) = (quantized.logit(position), quantized.product(position, &read) + bias[0]);
            assert!((logit - own).abs() < 1e-5, "{logit} {own}");
        }
        let squares: f64 = weights.iter().map(|weight| f64::from(*weight).powi(2)).sum();
        assert!((f64::from(quantized.last_layer_norm()) - squares.sqrt()).abs() < 1e-5);
    }
}
