//! What the files of each kind of network state, and the rules that reading and writing share.

use feature_maps::layout::GROUPS;
use std::fmt::Display;
use std::str::FromStr;

use feature_maps::layout::LAYOUT_VERSION;
use feature_maps::moves::MOVE_FEATURES_VERSION;
use sha2::{Digest, Sha256};
use support::hash::hexadecimal;

use super::error::Problem;
use super::limits::{MAX_BYTES, WEIGHT_BOUND};
use crate::params::Params;
use crate::permutation::Permutation;
use crate::policy::head::PolicyHead;
use crate::policy::topology::PolicyTopology;
use crate::shape::{Shape, TopologyError};
use crate::value::topology::Topology;

/// A kind of network that has files.
pub trait NetKind: Shape + Display + FromStr<Err = TopologyError> {
    /// Its name.
    const NAME: &'static str;

    /// Does a file say how logits become probabilities?
    const HAS_HEAD: bool;

    /// Has it a second output, and with it a kappa?
    fn has_draw(&self) -> bool {
        false
    }

    /// Inputs and outputs of the three groups of first layers.
    fn groups(&self) -> [(usize, usize); GROUPS];

    /// The versions of the features that it takes, as in a file.
    fn layout() -> String;
}

impl NetKind for Topology {
    const NAME: &'static str = "value";
    const HAS_HEAD: bool = false;

    fn groups(&self) -> [(usize, usize); GROUPS] {
        Topology::groups(self)
    }

    fn has_draw(&self) -> bool {
        Topology::has_draw(self)
    }

    fn layout() -> String {
        format!("position-{LAYOUT_VERSION}")
    }
}

impl NetKind for PolicyTopology {
    const NAME: &'static str = "moves";
    const HAS_HEAD: bool = true;

    fn groups(&self) -> [(usize, usize); GROUPS] {
        PolicyTopology::groups(self)
    }

    fn layout() -> String {
        format!("position-{LAYOUT_VERSION}+moves-{MOVE_FEATURES_VERSION}")
    }
}

/// What a net file states about its network.
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata<T = Topology> {
    /// The format version, `1..=FORMAT`.
    pub format: u32,
    /// The kind of network: `value` or `moves`.
    pub kind: String,
    /// The sizes.
    pub topology: T,
    /// The versions of the features, as in `position-1`.
    pub layout: String,
    /// The hash of the parameters, 64 hexadecimal digits.
    pub sha256: String,
    /// How the network came about, free text.
    pub provenance: String,
    /// How the logits of a policy network become probabilities; `None` for a value network.
    pub head: Option<PolicyHead>,
    /// The order of the neurons in the quantized network.
    pub permutation: Permutation,
    /// The scale from the logit to that of results of a value network with two outputs.
    pub kappa: Option<f32>,
}

/// The names and shapes of all tensors, in the order of [`Params`].
pub(super) fn tensors<T: Shape>(topology: &T) -> impl Iterator<Item = (String, Vec<usize>)> {
    topology.layers().iter().filter(|layer| topology.shape(**layer).1 > 0).flat_map(|layer| {
        let ((inputs, outputs), name) = (topology.shape(*layer), T::name(*layer));
        let bias = T::has_bias(*layer).then(|| (format!("{name}.bias"), vec![outputs]));
        std::iter::once((format!("{name}.weight"), vec![inputs, outputs])).chain(bias)
    })
}

/// The one rule on parameters, for reading and writing: finite and within [`WEIGHT_BOUND`].
pub(super) fn check_values<T: Shape>(params: &Params<T>) -> Result<(), Problem> {
    for layer in params.topology().layers() {
        let (weights, bias) = params.layer(*layer);
        // A NaN is in no range.
        if let Some(&value) = weights.iter().chain(bias).find(|value| !(-WEIGHT_BOUND..=WEIGHT_BOUND).contains(*value))
        {
            return Err(Problem::Value { layer: T::name(*layer), value });
        }
    }
    Ok(())
}

pub(super) fn check_size(bytes: u64) -> Result<(), Problem> {
    if bytes <= MAX_BYTES { Ok(()) } else { Err(Problem::TooLarge { bytes }) }
}

/// The hash of the parameters as little-endian f32, and of a second output's kappa behind them.
pub(super) fn sha256(values: &[f32], kappa: Option<f32>) -> String {
    let mut hasher = Sha256::new();
    for values in values.chunks(1_024).chain([kappa.as_slice()]) {
        hasher.update(values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
    }
    hexadecimal(&hasher.finalize())
}
