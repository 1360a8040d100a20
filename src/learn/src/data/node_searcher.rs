//! The evaluator and the policy of the searches that sample and label nodes: any policy of the engine.

use engine::evaluators::NetworkEvaluator;
use search::{AlphaBeta, Policy, Selectivity};
use std::sync::Arc;

/// The parts of a search, copied into every search of a stage.
#[derive(Clone)]
pub struct SearchSetup {
    /// The evaluator.
    pub net: NetworkEvaluator,
    /// The policy.
    pub policy: Arc<dyn Policy>,
    /// What a search with this policy may leave out.
    pub selectivity: Selectivity,
    /// What both are, as in the headers of files: `net=HASH probability=HASH`, or the kind of policy.
    pub words: String,
}

impl SearchSetup {
    /// A search of these parts that nothing has been searched with.
    pub fn searcher(&self) -> AlphaBeta<NetworkEvaluator, Arc<dyn Policy>> {
        AlphaBeta::new(self.net.clone(), self.policy.clone(), self.selectivity, 0)
    }
}
