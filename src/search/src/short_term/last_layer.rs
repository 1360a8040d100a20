//! What the last layer of an evaluator sums, as features of a position, and weights that a memory adds to those of the layer.
//!
//! ```text
//! evaluation = tanh(w . phi + theta . phi)        phi, (input): the layer's inputs, for the side to move
//! ```
//! An evaluation gives both sums in one pass ([`Evaluator::logit_and_product`](crate::Evaluator::logit_and_product)), so that such a memory
//! costs nearly nothing at a leaf.

use crate::evaluation_cache::EvaluationCache;
use board::Position;

/// The last layer of an evaluator.
pub trait LastLayer: Send + Sync {
    /// The number of its inputs.
    fn width(&self) -> usize;

    /// The Euclidean norm of its own weights.
    fn norm(&self) -> f32;

    /// Sets `inputs` to those of a position that are not 0: the number of each, and its value.
    fn inputs(&self, position: &Position, inputs: &mut Vec<(u32, f32)>);

    /// Weights, `(input)`, as the evaluator reads them.
    fn weights_as_read(&self, weights: &[f32]) -> Vec<f32>;

    /// Sets one of the weights that are given as they are read.
    fn change_read(&self, read: &mut [f32], number: usize, weight: f32);

    /// The sum of a position's inputs with weights that are given as they are read, the same bits as
    /// [`logit_and_product`](crate::Evaluator::logit_and_product) has.
    fn product(&self, position: &Position, read: &[f32]) -> f32;
}

/// The weights that a search reads, and the sums that it made of them lately.
pub struct LayerWeights {
    /// As the evaluator reads them.
    read: Vec<f32>,
    /// By key.
    products: EvaluationCache,
}

impl LayerWeights {
    /// Zeros for this layer.
    pub fn zeros(layer: &dyn LastLayer) -> Self {
        Self::new(layer, &vec![0.0; layer.width()])
    }

    /// These weights, `(input)`, of this layer.
    pub fn new(layer: &dyn LastLayer, weights: &[f32]) -> Self {
        Self { read: layer.weights_as_read(weights), products: EvaluationCache::new() }
    }

    /// Reads these weights, `(input)`, from now on.
    pub fn set(&mut self, layer: &dyn LastLayer, weights: &[f32]) {
        *self = Self::new(layer, weights);
    }

    /// The weights as the evaluator reads them.
    pub fn read(&self) -> &[f32] {
        &self.read
    }

    /// The product of the position with this key: the one that is kept, or else that of `product`.
    #[inline]
    pub(crate) fn product(&mut self, key: u64, product: impl FnOnce(&[f32]) -> f32) -> f32 {
        let read = &self.read;
        self.products.get_or_evaluate(key, || product(read))
    }

    /// Keeps the product of the position with this key.
    #[inline]
    pub(crate) fn keep(&mut self, key: u64, product: f32) {
        self.products.keep(key, product);
    }
}
