//! All parameters of a network in one allocation, with a view of each layer.
//!
//! Layers stand in the order of [`Shape::layers`], each with its weights `(inputs, outputs)`, input-major, and then its
//! bias `(outputs)`, so that NumPy reads `y = x @ W + b`. A gradient has the same form.

use std::ops::Range;

use crate::shape::Shape;

/// Weights and biases, or their gradients.
#[derive(Clone, Debug, PartialEq)]
pub struct Params<T> {
    topology: T,
    values: Vec<f32>,
}

impl<T: Shape> Params<T> {
    /// All zeros.
    pub fn zeros(topology: impl Into<T>) -> Params<T> {
        let topology = topology.into();
        Params { topology, values: vec![0.0; topology.parameters()] }
    }

    /// These values as those of other sizes, which begin with the same layers: what is new is zero.
    pub(crate) fn resized(mut self, topology: T) -> Params<T> {
        self.values.resize(topology.parameters(), 0.0);
        Params { topology, ..self }
    }

    /// The sizes.
    pub fn topology(&self) -> &T {
        &self.topology
    }

    /// All values, in the order of the module's documentation.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// All values, to change.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// A layer's weights `(inputs, outputs)` and bias `(outputs)`, empty where it has none.
    pub fn layer(&self, layer: T::Layer) -> (&[f32], &[f32]) {
        let (range, weights) = self.place(layer);
        self.values[range].split_at(weights)
    }

    /// A layer's weights and bias, to change.
    pub fn layer_mut(&mut self, layer: T::Layer) -> (&mut [f32], &mut [f32]) {
        let (range, weights) = self.place(layer);
        self.values[range].split_at_mut(weights)
    }

    /// Where a layer stands, and how many of its values are weights.
    fn place(&self, layer: T::Layer) -> (Range<usize>, usize) {
        let size = |layer| {
            let (inputs, outputs) = self.topology.shape(layer);
            (inputs + usize::from(T::has_bias(layer))) * outputs
        };
        let start =
            self.topology.layers().iter().take_while(|before| **before != layer).map(|before| size(*before)).sum();
        let (inputs, outputs) = self.topology.shape(layer);
        (start..start + size(layer), inputs * outputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::topology::{Layer, NetworkTopology, Topology};

    #[test]
    fn the_views_cover_everything_once() {
        let mut params = Params::<Topology>::zeros(NetworkTopology::new([2, 3, 4], 5).expect("valid"));
        for &layer in params.topology.layers() {
            let (inputs, outputs) = params.topology.shape(layer);
            let (weights, bias) = params.layer_mut(layer);
            assert_eq!((weights.len(), bias.len()), (inputs * outputs, outputs), "{layer:?}");
            weights.iter_mut().chain(bias).for_each(|value| *value += 1.0);
        }
        assert!(params.values().iter().all(|value| *value == 1.0));
        assert_eq!(params.layer(Layer::Group(0)).0.as_ptr(), params.values().as_ptr());
    }
}
