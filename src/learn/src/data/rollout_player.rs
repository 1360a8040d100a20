//! What searches in rollouts: a searcher whose nodes nobody sees, or one whose nodes are sampled for TreeStrap.

use crate::data::tree_nodes::{TreeNode, TreeSample, TreeSampling};
use engine::evaluators::NetworkEvaluator;
use search::{AlphaBeta, Observed, Policy, Searcher, Selectivity};
use std::any::Any;
use std::sync::Arc;

/// A searcher on one thread. The two are types of their own, so that a search without a sample has no instruction for it.
pub enum Player {
    /// Without a sample.
    Plain(AlphaBeta<NetworkEvaluator, Arc<dyn Policy>>),
    /// With a [`TreeSample`] as its observer.
    Sampled(AlphaBeta<Observed<NetworkEvaluator>, Arc<dyn Policy>>),
}

impl Player {
    /// A searcher with this net and policy that leaves out what `selectivity` allows, and that samples so, if at all.
    pub fn new(
        net: NetworkEvaluator,
        policy: Arc<dyn Policy>,
        selectivity: Selectivity,
        sampling: Option<TreeSampling>,
    ) -> Self {
        match sampling {
            None => Self::Plain(AlphaBeta::new(net, policy, selectivity, 0)),
            Some(sampling) => {
                let mut searcher = AlphaBeta::new(Observed(net), policy, selectivity, 0);
                searcher.set_observer(Some(Box::new(TreeSample::new(sampling))));
                Self::Sampled(searcher)
            }
        }
    }

    /// The searcher.
    pub fn searcher(&mut self) -> &mut dyn Searcher {
        match self {
            Self::Plain(searcher) => searcher,
            Self::Sampled(searcher) => searcher,
        }
    }

    /// The next search's nodes are sampled by this seed.
    pub fn begin_tree(&mut self, seed: u64) {
        if let Some(sample) = self.sample() {
            sample.begin(seed);
        }
    }

    /// The sample of the last search; `None` if none is kept.
    pub fn take_tree(&mut self) -> Option<Vec<TreeNode>> {
        self.sample().map(TreeSample::take)
    }

    fn sample(&mut self) -> Option<&mut TreeSample> {
        let Self::Sampled(searcher) = self else { return None };
        let observer: &mut dyn Any = searcher.observer()?;
        observer.downcast_mut()
    }
}
