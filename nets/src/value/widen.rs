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

use crate::shape::Shape;
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
    pub fn widened(&self, to: impl Into<Topology>, seed: u64) -> Result<ValueNet, WidenError> {
        let (from, to) = (*self.params().topology(), to.into());
        let shrinks = |layer: &Layer| {
            from.shape(*layer).1 > to.shape(*layer).1 || input_parts(&from, *layer).0 > input_parts(&to, *layer).0
        };
        if let Some(&layer) = from.layers().iter().find(|layer| shrinks(layer)) {
            return Err(WidenError { sizes: Box::new([from, to]), layer });
        }
        let mut net = ValueNet::random(to, seed);
        net.set_kappa(self.kappa());
        for &layer in from.layers() {
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

/// What the inputs of a layer consist of: so many blocks (buckets or stages), each with these widths side by side.
fn input_parts(topology: &Topology, layer: Layer) -> (usize, [usize; 3]) {
    match (topology, layer) {
        (Topology::Linear(linear), _) => (linear.stages(), [ROWS, 0, 0]),
        (Topology::Network(network), Layer::Hidden) => (1, network.groups().map(|(_, outputs)| outputs)),
        (Topology::Network(network), Layer::Placement) => (network.king_buckets(), [PLACES, 0, 0]),
        (Topology::Network(network), Layer::Output) => {
            (network.output_buckets(), [network.hidden(), network.placement(), network.placement()])
        }
        (Topology::Network(network), _) => (1, [network.shape(layer).0, 0, 0]),
    }
}

/// The input of a layer that an input of the wider network was before.
fn old_input(layer: Layer, input: usize, from: &Topology, to: &Topology) -> Option<usize> {
    let ((old_blocks, old_parts), (_, parts)) = (input_parts(from, layer), input_parts(to, layer));
    let [old_width, width] = [&old_parts, &parts].map(|parts| parts.iter().sum::<usize>());
    // New blocks begin as the only one.
    let old_block = (input / width).checked_rem(old_blocks)?;
    let input = input % width;
    let (mut old_place, mut place) = (0, 0);
    for (old, new) in old_parts.into_iter().zip(parts) {
        if (place..place + new).contains(&input) {
            return (input - place < old).then(|| old_block * old_width + old_place + input - place);
        }
        (old_place, place) = (old_place + old, place + new);
    }
    None
}
