//! What steers the searches that are sampled and those that label: any estimate by which the engine plays.

use crate::engine::PolicyKind;
use crate::evaluator::{Evaluator, Net};
use crate::move_probability::{Extras, MoveProbability, ScoredMove, Static, Uniform};
use crate::network::Network;
use crate::search::budget::Budget;
use board::Position;
use nets::QuantizedPolicyNet;
use std::sync::Arc;

/// An estimate that is chosen at run time.
#[derive(Clone)]
pub enum SearchPolicy {
    /// Every move the same.
    Uniform,
    /// Fixed shares by kind of move.
    Static,
    /// The network, where a node's budget pays for it.
    Network(Network),
}

impl SearchPolicy {
    /// The estimate of this kind, by this net where one is asked.
    pub fn new(kind: PolicyKind, net: &Arc<QuantizedPolicyNet>) -> Self {
        match kind {
            PolicyKind::Uniform => Self::Uniform,
            PolicyKind::Static => Self::Static,
            PolicyKind::Network => Self::Network(Network::new(net.clone())),
        }
    }
}

impl<E: Evaluator> MoveProbability<E> for SearchPolicy {
    fn allot(
        &self,
        evaluator: &E,
        state: &mut E::State,
        position: &Position,
        budget: Budget,
        candidates: &mut [ScoredMove],
    ) {
        match self {
            Self::Uniform => Uniform.allot(evaluator, state, position, budget, candidates),
            Self::Static => Static.allot(evaluator, state, position, budget, candidates),
            Self::Network(network) => network.allot(evaluator, state, position, budget, candidates),
        }
    }

    fn extras(&self) -> Extras {
        match self {
            Self::Uniform => MoveProbability::<E>::extras(&Uniform),
            Self::Static => MoveProbability::<E>::extras(&Static),
            Self::Network(network) => MoveProbability::<E>::extras(network),
        }
    }
}

/// What searches: copied into every search of a stage.
#[derive(Clone)]
pub struct SearchSetup {
    /// What values positions.
    pub net: Net,
    /// What steers.
    pub policy: SearchPolicy,
}
