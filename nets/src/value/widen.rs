//! Growing a network: more units in its layers, and yet the very same function, so that a wider network continues from
//! what a narrower one has learned.
//!
//! A new unit has the incoming weights of a new network, and no influence on what follows: its outgoing weights to the
//! old units are zero, and so are those of new hidden units to the output. Gradients reach it all the same: that of an
//! outgoing weight is the unit's output, which is not zero, times the gradient of the unit behind it.
//!
//! CITE: Chen, Goodfellow, Shlens 2016, Net2Net: function-preserving transformations. Theirs copies
//! units and shares their outgoing weights among the copies; zeros keep the very bits of every sum.

use crate::value::forward::ValueNet;
use crate::value::topology::{Layer, Topology};

/// The error of a network that would lose units.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a net of {} cannot become one of {}: its {} layer has fewer outputs, and a net only grows", sizes[0], sizes[1], layer.name())]
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
        if let Some(layer) = Layer::ALL.into_iter().find(|&layer| from.shape(layer).1 > to.shape(layer).1) {
            return Err(WidenError { sizes: Box::new([from, to]), layer });
        }
        let mut net = ValueNet::random(to, seed);
        for layer in Layer::ALL {
            let (_, old_outputs) = from.shape(layer);
            let (inputs, outputs) = to.shape(layer);
            let (old_weights, old_bias) = self.params().layer(layer);
            let mut old_rows = old_weights.chunks_exact(old_outputs);
            let (weights, bias) = net.params_mut().layer_mut(layer);
            bias[..old_outputs].copy_from_slice(old_bias);
            for (input, row) in (0..inputs).zip(weights.chunks_exact_mut(outputs)) {
                let old = if is_old(layer, input, &from, &to) { old_rows.next() } else { None };
                match old {
                    Some(old) => row[..old_outputs].copy_from_slice(old),
                    None => row[..old_outputs].fill(0.0),
                }
            }
        }
        Ok(net)
    }
}

/// Whether an input of a layer of the wider network was there before.
fn is_old(layer: Layer, input: usize, from: &Topology, to: &Topology) -> bool {
    match layer {
        Layer::Output => input < from.hidden(),
        Layer::Hidden => {
            let mut first = 0;
            from.groups().into_iter().zip(to.groups()).any(|((_, old), (_, new))| {
                let found = (first..first + old).contains(&input);
                first += new;
                found
            })
        }
        Layer::Group(_) => true,
    }
}
