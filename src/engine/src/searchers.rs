//! The searcher of a thread, put together from the evaluator, the policy, the search and the memory that a specification names.

use crate::choice::{EvalKind, PolicyKind, SearchKind, ShortTermKind};
use crate::draw_worth::WorthEvaluator;
use crate::endgames::EndgameEvaluator;
use crate::evaluators::{MaterialEvaluator, NetworkEvaluator, material_net};
use crate::network_policy::NetworkPolicy;
use crate::spec::EngineSpec;
use nets::{LinearTopology, QuantizedValueNet};
use search::mcts::Arena;
use search::{
    AlphaBeta, DepthPolicy, Evaluator, HiddenMemory, LastLayer, Mcts, NodeObserver, Observed, Policy, Searcher,
    Selectivity, TdSearch, TreeMemory, TwoPhase,
};
use std::sync::Arc;

/// A searcher of this specification and seed, with a tree if it searches one.
pub fn assemble(
    spec: &EngineSpec,
    seed: u64,
    value_net: &Arc<QuantizedValueNet>,
    policy: &NetworkPolicy,
    tree: Option<&Arc<Arena>>,
) -> Box<dyn Searcher> {
    match spec.eval {
        EvalKind::Network if !spec.draw_worth().is_neutral() => {
            let of = if spec.search == SearchKind::Mcts { WorthEvaluator::averaging } else { WorthEvaluator::new };
            assemble_layered(spec, seed, of(value_net.clone(), spec.draw_worth()), policy, tree)
        }
        EvalKind::Network => {
            let evaluator = EndgameEvaluator(NetworkEvaluator::new(value_net.clone()));
            if is_shipped(spec) {
                return Box::new(AlphaBeta::new(evaluator, policy.clone(), selectivity(spec), seed));
            }
            assemble_layered(spec, seed, evaluator, policy, tree)
        }
        EvalKind::Linear => assemble_layered(spec, seed, NetworkEvaluator::new(value_net.clone()), policy, tree),
        // The same values, as weights of rows, where a memory adds others to them.
        EvalKind::Material if adds_to_layer(spec) => {
            let net = QuantizedValueNet::new(&material_net(LinearTopology::ONE), value_net.kernels());
            assemble_layered(spec, seed, NetworkEvaluator::new(Arc::new(net)), policy, tree)
        }
        EvalKind::Material => {
            let short_term = tree_memory(spec);
            assemble_with(spec, seed, MaterialEvaluator, short_term, policy, tree)
        }
    }
}

/// A search with an evaluator to whose last layer a memory can add.
fn assemble_layered<E: Evaluator + LastLayer + Clone + 'static>(
    spec: &EngineSpec,
    seed: u64,
    evaluator: E,
    policy: &NetworkPolicy,
    tree: Option<&Arc<Arena>>,
) -> Box<dyn Searcher> {
    if spec.search == SearchKind::Td {
        let layer = Arc::new(evaluator.clone());
        return Box::new(TdSearch::new(evaluator, any_policy(spec, policy), layer, spec.td_settings(), seed));
    }
    if spec.short_term == ShortTermKind::Simulation {
        return assemble_two_phase(spec, seed, evaluator, any_policy(spec, policy), tree);
    }
    let short_term: Option<Box<dyn NodeObserver>> = match spec.short_term {
        ShortTermKind::Off | ShortTermKind::Simulation => None,
        ShortTermKind::Tree => tree_memory(spec),
        ShortTermKind::Hidden => {
            let step = spec.short_term_step(HiddenMemory::STEP);
            Some(Box::new(HiddenMemory::new(Arc::new(evaluator.clone()), step)))
        }
    };
    assemble_with(spec, seed, evaluator, short_term, policy, tree)
}

/// Simulations, then the search that is asked for.
fn assemble_two_phase<E: Evaluator + LastLayer + Clone + 'static>(
    spec: &EngineSpec,
    seed: u64,
    evaluator: E,
    policy: Arc<dyn Policy>,
    tree: Option<&Arc<Arena>>,
) -> Box<dyn Searcher> {
    let (observed, settings) = (Observed(evaluator.clone()), (spec.simulation_settings(), spec.short_term_share));
    if let (SearchKind::Mcts, Some(tree)) = (spec.search, tree) {
        let second = Mcts::new(observed, policy.clone(), spec.tree_settings(), tree.clone(), seed);
        return Box::new(TwoPhase::new(evaluator, policy, second, settings, seed));
    }
    let second = AlphaBeta::new(observed, policy.clone(), selectivity(spec), seed);
    Box::new(TwoPhase::new(evaluator, policy, second, settings, seed))
}

/// Does the search learn weights beside those of the evaluator's last layer?
fn adds_to_layer(spec: &EngineSpec) -> bool {
    matches!(spec.short_term, ShortTermKind::Hidden | ShortTermKind::Simulation) || spec.search == SearchKind::Td
}

/// What alpha-beta may leave out.
fn selectivity(spec: &EngineSpec) -> Selectivity {
    match spec.search {
        _ if !spec.selective => Selectivity::NONE,
        SearchKind::Depth => Selectivity::depth_limited(),
        SearchKind::Probability | SearchKind::Mcts | SearchKind::Td => spec.policy.selectivity(),
    }
}

/// Is it the search that is played by default? It is compiled for its own policy. One search serves the other policies of an evaluator, by
/// a virtual call at every node: each that is compiled for itself is 100 KB of program and seconds of every build.
fn is_shipped(spec: &EngineSpec) -> bool {
    let is_alpha_beta = matches!(spec.search, SearchKind::Depth | SearchKind::Probability);
    is_alpha_beta && spec.selective && spec.policy == PolicyKind::Network && spec.short_term == ShortTermKind::Off
}

/// The policy of all other searches.
fn any_policy(spec: &EngineSpec, policy: &NetworkPolicy) -> Arc<dyn Policy> {
    let is_plain = spec.search == SearchKind::Depth && !spec.selective;
    if is_plain { Arc::new(DepthPolicy) } else { spec.policy.build(policy) }
}

/// The memory of a thread that looks at positions alone, if that is what is asked for.
fn tree_memory(spec: &EngineSpec) -> Option<Box<dyn NodeObserver>> {
    let is_tree = spec.short_term == ShortTermKind::Tree;
    is_tree.then(|| Box::new(TreeMemory::new(spec.short_term_step(TreeMemory::STEP))) as Box<dyn NodeObserver>)
}

fn assemble_with<E: Evaluator + 'static>(
    spec: &EngineSpec,
    seed: u64,
    evaluator: E,
    short_term: Option<Box<dyn NodeObserver>>,
    policy: &NetworkPolicy,
    tree: Option<&Arc<Arena>>,
) -> Box<dyn Searcher> {
    if let (SearchKind::Mcts, Some(tree)) = (spec.search, tree) {
        return Box::new(Mcts::new(evaluator, spec.policy.build(policy), spec.tree_settings(), tree.clone(), seed));
    }
    let selectivity = selectivity(spec);
    if let Some(memory) = short_term {
        let mut searcher = AlphaBeta::new(Observed(evaluator), any_policy(spec, policy), selectivity, seed);
        searcher.set_observer(Some(memory));
        return Box::new(searcher);
    }
    Box::new(AlphaBeta::new(evaluator, any_policy(spec, policy), selectivity, seed))
}
