//! A network's weights in the form in which a batch takes them: rows of whole vectors, each group's outputs padded, and
//! the hidden layer's in both directions.

use std::ops::Range;

use feature_maps::feature_set::POSITION;
use feature_maps::layout::GROUPS;
use kernels::aligned::Aligned;
use kernels::vector::padded;

use crate::params::Params;
use crate::value::column_blocks::to_blocks;
use crate::value::forward::ValueNet;
use crate::value::topology::{Layer, NetworkTopology, Topology};

/// Where the outputs of a group begin among all first outputs, and how wide they are, both in whole vectors.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub layer: Layer,
    /// The layer's inputs among all features.
    pub features: Range<usize>,
    /// The number of its outputs.
    pub outputs: usize,
    pub from: usize,
    pub width: usize,
}

/// `(group)`: the places of the groups.
pub(crate) fn places(topology: &NetworkTopology) -> [Place; GROUPS] {
    let mut next = 0;
    std::array::from_fn(|group| {
        let ((_, outputs), from) = (topology.groups()[group], next);
        next += padded(outputs);
        let features = POSITION.groups[group].inputs.clone();
        Place { layer: Layer::Group(group), features, outputs, from, width: padded(outputs) }
    })
}

/// The width of all first outputs, each group padded to whole vectors.
pub(crate) fn first_width(topology: &NetworkTopology) -> usize {
    topology.groups().into_iter().map(|(_, outputs)| padded(outputs)).sum()
}

/// The columns of the first outputs, in the order of the parameters.
pub(crate) fn first_columns(topology: &NetworkTopology) -> impl Iterator<Item = usize> {
    places(topology).into_iter().flat_map(|place| place.from..place.from + place.outputs)
}

/// A network's weights as the products want them, rows of whole vectors: to be set once a step and shared by all
/// batches.
#[derive(Clone, Debug)]
pub struct ValueBatchWeights {
    pub(crate) params: Params<Topology>,
    /// `None` for a linear evaluator, whose parameters are used as they are.
    pub(crate) layers: Option<PaddedLayers>,
}

/// The weights of the layers that are products.
#[derive(Clone, Debug)]
pub(crate) struct PaddedLayers {
    topology: NetworkTopology,
    /// `(inputs, outputs padded)`.
    pub groups: [Aligned; GROUPS],
    /// `(first width)`.
    pub first_bias: Aligned,
    /// `(first width, hidden padded)`.
    pub hidden: Aligned,
    /// `(hidden padded)`.
    pub hidden_bias: Aligned,
    /// `(hidden padded, first width)`.
    pub hidden_transposed: Aligned,
    /// Those of the piece placement in blocks of columns.
    pub placement: Aligned,
}

impl ValueBatchWeights {
    /// The weights of this network.
    pub fn new(net: &ValueNet) -> ValueBatchWeights {
        let layers = net.params().topology().network().map(PaddedLayers::zeros);
        let mut weights = ValueBatchWeights { params: net.params().clone(), layers };
        weights.set(net);
        weights
    }

    /// Becomes the weights of another network of the same sizes.
    ///
    /// # Panics
    /// If it has others.
    pub fn set(&mut self, net: &ValueNet) {
        assert_eq!(self.params.topology(), net.params().topology(), "a batch's weights stay of one topology");
        self.params.clone_from(net.params());
        if let Some(layers) = &mut self.layers {
            layers.set(&self.params);
        }
    }
}

impl PaddedLayers {
    fn zeros(topology: &NetworkTopology) -> PaddedLayers {
        let (first, hidden) = (first_width(topology), padded(topology.hidden()));
        let (rows, width) = topology.shape(Layer::Placement);
        PaddedLayers {
            topology: *topology,
            groups: places(topology).map(|place| Aligned::zeros(place.features.len() * place.width)),
            first_bias: Aligned::zeros(first),
            hidden: Aligned::zeros(first * hidden),
            hidden_bias: Aligned::zeros(hidden),
            hidden_transposed: Aligned::zeros(hidden * first),
            placement: Aligned::zeros(rows * width),
        }
    }

    fn set(&mut self, params: &Params<Topology>) {
        let topology = &self.topology;
        for (to, place) in self.groups.iter_mut().zip(places(topology)) {
            let (weights, bias) = params.layer(place.layer);
            let rows = weights.chunks_exact(place.outputs);
            to.chunks_exact_mut(place.width).zip(rows).for_each(|(to, row)| to[..row.len()].copy_from_slice(row));
            self.first_bias[place.from..][..place.outputs].copy_from_slice(bias);
        }
        let (first, hidden) = (first_width(topology), topology.hidden());
        let (weights, bias) = params.layer(Layer::Hidden);
        self.hidden_bias[..hidden].copy_from_slice(bias);
        let rows = weights.chunks_exact(hidden);
        for (column, row) in first_columns(topology).zip(rows) {
            self.hidden[column * padded(hidden)..][..hidden].copy_from_slice(row);
            let transposed = self.hidden_transposed[column..].iter_mut().step_by(first);
            transposed.zip(row).for_each(|(to, weight)| *to = *weight);
        }
        to_blocks(params.layer(Layer::Placement).0, topology.placement(), &mut self.placement);
    }
}
