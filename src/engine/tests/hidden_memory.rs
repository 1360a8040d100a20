//! The short-term memory of the last layer, on the evaluators that have one.

use board::random_positions::RandomPositions;
use board::{Game, Position};
use engine::endgames::EndgameEvaluator;
use engine::evaluators::{NetworkEvaluator, material_net};
use engine::{EngineSpec, EvalKind, SearchKind, ShortTermKind, shipped_value_net};
use nets::{LinearTopology, QuantizedValueNet};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use search::evaluator::leaf_value;
use search::{
    AlphaBeta, DepthPolicy, Evaluator, HiddenMemory, LastLayer, LayerWeights, NodeObserver, Observed, Policy,
    SearchLimits, SearchResult, SearchedNode, Searcher, Selectivity, Silent, StaticPolicy, Table, Value,
};
use std::any::Any;
use std::sync::Arc;

type Network = EndgameEvaluator<NetworkEvaluator>;

fn network() -> Network {
    EndgameEvaluator(NetworkEvaluator::new(shipped_value_net().unwrap()))
}

fn linear() -> NetworkEvaluator {
    let net = QuantizedValueNet::new(&material_net(LinearTopology::ONE), kernels::active().unwrap());
    NetworkEvaluator::new(Arc::new(net))
}

/// Middlegames and endgames, one with a bare king among the moves.
const FENS: [&str; 6] = [
    "r3k2r/1bp2ppp/p1n5/1p6/4P3/1B3N2/PP3PPP/R3R1K1 w kq - 0 16",
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "3r2k1/pp3ppp/2p2n2/4r3/8/1BP3P1/PP3P1P/R3R1K1 b - - 2 22",
    "8/5k2/8/8/8/2P2K2/8/8 w - - 0 1",
    "r2q1rk1/pp2bppp/2n1bn2/3p4/3N4/2N1B3/PPP1BPPP/R2Q1RK1 b - - 6 11",
];

fn positions() -> impl Iterator<Item = Position> {
    FENS.iter().map(|fen| Position::from_fen(fen).unwrap())
}

/// A memory whose snapshots are kept.
struct Recorder {
    memory: HiddenMemory,
    /// `(iteration)`: the weights as they are read.
    snapshots: Vec<Vec<f32>>,
}

impl NodeObserver for Recorder {
    fn observe(&mut self, node: &SearchedNode) {
        self.memory.observe(node);
    }

    fn correction(&self, position: &Position) -> f32 {
        self.memory.correction(position)
    }

    fn layer_weights(&mut self) -> Option<&mut LayerWeights> {
        self.memory.layer_weights()
    }

    fn next_iteration(&mut self) {
        self.memory.next_iteration();
        self.snapshots.extend(self.memory.layer_weights().map(|weights| weights.read().to_vec()));
    }

    fn search_ended(&mut self) {
        self.memory.search_ended();
    }

    fn next_search(&mut self) {
        self.memory.next_search();
    }

    fn new_game(&mut self) {
        self.memory.new_game();
        self.snapshots.clear();
    }
}

fn search<E: Evaluator, P: Policy>(searcher: &mut AlphaBeta<E, P>, position: &Position, nodes: u64) -> SearchResult {
    let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
    searcher.search(&Table::new(1).unwrap(), &Game::new(position.clone()), &limits, &mut Silent)
}

fn check_values<E: Evaluator + LastLayer + Clone + 'static, P: Policy>(
    evaluator: &E,
    policy: P,
    selectivity: Selectivity,
) {
    let layer: Arc<dyn LastLayer> = Arc::new(evaluator.clone());
    let mut searcher = AlphaBeta::new(Observed(evaluator.clone()), policy, selectivity, 0);
    let (memory, snapshots) = (HiddenMemory::new(layer.clone(), 0.1), Vec::new());
    searcher.set_observer(Some(Box::new(Recorder { memory, snapshots })));
    let mut corrected = 0;
    for position in positions() {
        searcher.new_game();
        let result = search(&mut searcher, &position, 4_000);
        let leaf = result.leaf(&position);
        if result.value.is_mate() || result.value == Value::DRAW || result.better.is_some() {
            continue;
        }
        let observer: &dyn Any = searcher.observer().unwrap();
        let snapshots = &observer.downcast_ref::<Recorder>().unwrap().snapshots;
        let raw = evaluator.logit(&mut evaluator.root(&leaf), &leaf);
        let value_of = |read: &Vec<f32>| {
            let value = leaf_value(raw + layer.product(&leaf, read));
            if result.pv.len().is_multiple_of(2) { value } else { -value }
        };
        // The iteration that ended, or the one that the limit ended.
        let last = &snapshots[snapshots.len() - 2..];
        assert!(last.iter().map(value_of).any(|value| value == result.value), "{}", position.to_fen(false));
        corrected += u32::from(last.iter().all(|read| value_of(read) != value_of(&vec![0.0; read.len()])));
    }
    assert!(corrected >= 3, "memories that correct nothing prove nothing: {corrected}");
}

#[test]
fn the_value_of_a_line_is_the_corrected_evaluation_of_its_leaf() {
    check_values(&network(), StaticPolicy, Selectivity::full());
    check_values(&network(), DepthPolicy, Selectivity::depth_limited());
    check_values(&linear(), StaticPolicy, Selectivity::full());
    check_values(&linear(), DepthPolicy, Selectivity::depth_limited());
}

#[test]
fn a_memory_that_learns_nothing_changes_nothing_and_hardly_costs_evaluations() {
    let (evaluator, selectivity) = (network(), Selectivity::depth_limited());
    let mut plain = AlphaBeta::new(evaluator.clone(), DepthPolicy, selectivity, 0);
    let mut observed = AlphaBeta::new(Observed(evaluator.clone()), DepthPolicy, selectivity, 0);
    observed.set_observer(Some(Box::new(HiddenMemory::new(Arc::new(evaluator), 0.0))));
    let (mut alone, mut beside) = (0, 0);
    for position in positions() {
        plain.new_game();
        observed.new_game();
        let (one, two) = (search(&mut plain, &position, 10_000), search(&mut observed, &position, 10_000));
        assert_eq!((one.pv, one.value, one.nodes), (two.pv, two.value, two.nodes));
        (alone, beside) = (alone + one.evaluations, beside + two.evaluations);
    }
    // One pass has both sums; a pass more is where the table had the evaluation already.
    assert!(beside < alone + alone / 2, "{beside} passes instead of {alone}");
}

#[test]
fn layers_see_a_mirrored_position_as_the_same() {
    let mut random = RandomPositions::new(Xoshiro256PlusPlus::seed_from_u64(9));
    let layers: [Box<dyn LastLayer>; 2] = [Box::new(network()), Box::new(linear())];
    let (mut here, mut there) = (Vec::new(), Vec::new());
    for _ in 0..300 {
        let position = random.next_position();
        for layer in &layers {
            layer.inputs(position, &mut here);
            layer.inputs(&position.mirror(), &mut there);
            assert_eq!(here, there);
        }
    }
}

#[test]
fn known_endings_teach_nothing_and_are_not_corrected() {
    let (layer, won) = (network(), Position::from_fen("8/8/8/4k3/8/8/8/K5Q1 w - - 0 1").unwrap());
    let mut inputs = vec![(0, 1.0)];
    layer.inputs(&won, &mut inputs);
    let read = layer.weights_as_read(&vec![1.0; layer.width()]);
    assert!(inputs.is_empty() && layer.product(&won, &read) == 0.0);
    let other = Position::from_fen(FENS[0]).unwrap();
    assert!(layer.product(&other, &read) > 0.0);
    for position in [&won, &other] {
        let (logit, product) = layer.logit_and_product(&mut layer.root(position), position, &read);
        assert_eq!(logit, layer.logit(&mut layer.root(position), position));
        assert_eq!(product, layer.product(position, &read));
    }
}

#[test]
fn the_same_games_are_searched_alike_and_memories_are_kept_until_the_next() {
    for (eval, search) in [
        (EvalKind::Network, SearchKind::Depth),
        (EvalKind::Linear, SearchKind::Probability),
        (EvalKind::Material, SearchKind::Depth),
    ] {
        let short_term = ShortTermKind::Hidden;
        let spec = EngineSpec { eval, search, short_term, hash_megabytes: 1, ..EngineSpec::default() };
        let mut engine = spec.build().unwrap();
        let limits = SearchLimits { nodes: Some(2_000), ..SearchLimits::default() };
        let all: Vec<Position> = positions().collect();
        let plain: Vec<Value> = all.iter().map(|position| engine.evaluate(position)).collect();
        let mut play = || {
            engine.new_game();
            let before: Vec<Value> = all.iter().map(|position| engine.evaluate(position)).collect();
            let found: Vec<_> = all
                .iter()
                .map(|position| {
                    let found = engine.search(&Game::new(position.clone()), &limits, &mut Silent);
                    (found.pv, found.value, found.nodes, engine.evaluate(&all[0]))
                })
                .collect();
            (before, found)
        };
        let first = play();
        assert_eq!(play(), first);
        assert_eq!(first.0, plain);
        assert!(first.1.iter().any(|found| found.3 != plain[0]), "{eval:?}");
    }
}
