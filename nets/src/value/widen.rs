//! Growing a network: more units in its layers, and yet the very same function, so that a wider network continues from
//! what a narrower one has learned.
//!
//! A new unit has the incoming weights of a new network, and no influence on what follows: its outgoing weights to the
//! old units are zero, and so are those of new hidden units to the output. Gradients reach it all the same: that of an
//! outgoing weight is the unit's output, which is not zero, times the gradient of the unit behind it.
//!
//! CITE: Chen, Goodfellow, Shlens 2016, Net2Net: function-preserving transformations. Theirs copies
//! units and shares their outgoing weights among the copies; zeros keep the very bits of every sum.

use feature_maps::placement::PLACES;

use crate::value::forward::ValueNet;
use crate::value::topology::{Layer, ROWS, Topology};

/// The error of a network that would lose units.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a net of {} cannot become one of {}: its {} layer has fewer outputs or inputs, and a net only grows", sizes[0], sizes[1], layer.name())]
pub struct WidenError {
    /// Those of the net, and those that it cannot have. Boxed, as errors are to be small.
    sizes: Box<[Topology; 2]>,
    /// The first layer that would shrink.
    layer: Layer,
}

impl ValueNet {
    /// The network with these sizes, none of them smaller, whose values are those of this one, bit for bit. The weights
    /// into new units are those that [`ValueNet::random`] draws from the seed.
    ///
    /// # Errors
    /// If a layer would shrink.
    pub fn widened(&self, to: Topology, seed: u64) -> Result<ValueNet, WidenError> {
        let from = *self.params().topology();
        let shrinks = |layer: &Layer| match layer {
            Layer::Linear => from.stages() > to.stages(),
            Layer::Placement if from.buckets() > to.buckets() => true,
            Layer::Output if from.output_buckets() > to.output_buckets() => true,
            _ => from.shape(*layer).1 > to.shape(*layer).1,
        };
        if let Some(layer) = Layer::ALL.into_iter().find(shrinks) {
            return Err(WidenError { sizes: Box::new([from, to]), layer });
        }
        let mut net = ValueNet::random(to, seed);
        for layer in Layer::ALL {
            let (_, old_outputs) = from.shape(layer);
            let (inputs, outputs) = to.shape(layer);
            let (old_weights, old_bias) = self.params().layer(layer);
            let old_row =
                |input| old_input(layer, input, &from, &to).map(|old| &old_weights[old * old_outputs..][..old_outputs]);
            let (weights, bias) = net.params_mut().layer_mut(layer);
            bias[..old_outputs].copy_from_slice(old_bias);
            for (input, row) in (0..inputs).zip(weights.chunks_exact_mut(outputs.max(1))) {
                match old_row(input) {
                    Some(old) => row[..old_outputs].copy_from_slice(old),
                    None => row[..old_outputs].fill(0.0),
                }
            }
        }
        Ok(net)
    }
}

/// The input of a layer that an input of the wider network was before.
fn old_input(layer: Layer, input: usize, from: &Topology, to: &Topology) -> Option<usize> {
    // `(old, new)` widths of what stands side by side in the input.
    let parts: [(usize, usize); 3] = match layer {
        Layer::Group(_) => return Some(input),
        // New stages begin as the only one.
        Layer::Linear => return (from.stages() > 0).then(|| input % (from.stages() * ROWS)),
        // A new bucket begins as the only one.
        Layer::Placement => return (from.buckets() > 0).then(|| input % (from.buckets() * PLACES)),
        Layer::Hidden => std::array::from_fn(|group| (from.groups()[group].1, to.groups()[group].1)),
        Layer::Output => {
            let placement = (from.placement(), to.placement());
            [(from.hidden(), to.hidden()), placement, placement]
        }
    };
    let [old_width, width] = [0, 1].map(|side| parts.iter().map(|part| [part.0, part.1][side]).sum::<usize>());
    // New buckets of the output begin as the only one.
    let old_bucket = input / width % from.output_buckets();
    let input = input % width;
    let (mut old_place, mut place) = (0, 0);
    for (old, new) in parts {
        if (place..place + new).contains(&input) {
            return (input - place < old).then(|| old_bucket * old_width + old_place + input - place);
        }
        (old_place, place) = (old_place + old, place + new);
    }
    None
}
