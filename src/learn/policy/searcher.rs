//! The evaluator and the policy of the searches that training makes: any policy of the engine.

use crate::engine::PolicyKind;
use crate::engine::evaluators::NetworkEvaluator;
use crate::engine::network_policy::NetworkPolicy;
use crate::search::{Budget, Policy, ScoredMove, Selectivity, StaticPolicy, UniformPolicy};
use board::Position;
use nets::QuantizedPolicyNet;
use std::sync::Arc;

/// A policy that is chosen at run time.
#[derive(Clone)]
pub enum SearchPolicy {
    /// The same prior for every move.
    Uniform,
    /// Fixed priors by kind of move.
    Static,
    /// The network, where a node's budget pays for it.
    Network(NetworkPolicy),
}

impl SearchPolicy {
    /// The policy of this kind; `net` is that of a network policy.
    pub fn new(kind: PolicyKind, net: &Arc<QuantizedPolicyNet>) -> Self {
        match kind {
            PolicyKind::Uniform => Self::Uniform,
            PolicyKind::Static => Self::Static,
            PolicyKind::Network => Self::Network(NetworkPolicy::new(net.clone())),
        }
    }
}

impl SearchPolicy {
    /// What a search with this policy may leave out.
    pub fn selectivity(&self) -> Selectivity {
        match self {
            Self::Uniform => PolicyKind::Uniform.selectivity(),
            Self::Static => PolicyKind::Static.selectivity(),
            Self::Network(_) => PolicyKind::Network.selectivity(),
        }
    }
}

impl Policy for SearchPolicy {
    fn priors(&self, position: &Position, moves: &mut [ScoredMove]) {
        match self {
            Self::Uniform => UniformPolicy.priors(position, moves),
            Self::Static => StaticPolicy.priors(position, moves),
            Self::Network(network) => network.priors(position, moves),
        }
    }

    fn allocate(&self, position: &Position, budget: Budget, moves: &mut [ScoredMove]) {
        match self {
            Self::Uniform => UniformPolicy.allocate(position, budget, moves),
            Self::Static => StaticPolicy.allocate(position, budget, moves),
            Self::Network(network) => network.allocate(position, budget, moves),
        }
    }
}

/// The parts of a search, copied into every search of a stage.
#[derive(Clone)]
pub struct SearchSetup {
    /// The evaluator.
    pub net: NetworkEvaluator,
    /// The policy.
    pub policy: SearchPolicy,
    /// What both are, as in the headers of files: `net=HASH probability=HASH`, or the kind of policy.
    pub words: String,
}
