//! The depth-limited search: without its heuristics it is plain alpha-beta, and each of them does what it is for.

use board::{Game, Position};
use engine::evaluators::MaterialEvaluator;
use engine::{EngineSpec, EvalKind, SearchKind};
use search::{
    AlphaBeta, Budget, DepthPolicy, DepthSelectivity, Policy, ScoredMove, SearchLimits, SearchResult, Searcher,
    Selectivity, Silent, Table, UniformPolicy, tunables,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const MIDDLEGAME: &str = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";

const MIDDLEGAMES: [&str; 5] = [
    MIDDLEGAME,
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
    "r2q1rk1/1b2bppp/p2ppn2/1p6/3NPP2/1BN5/PPP1Q1PP/R1B2RK1 b - - 0 12",
    "2rq1rk1/pb2bppp/1pn1pn2/8/3P4/P1NB1N2/1P3PPP/R1BQR1K1 w - - 0 13",
    "r1b2rk1/2q1bppp/p1n1pn2/1p6/4P3/1BN2N2/PP2QPPP/R1BR2K1 w - - 0 14",
];

fn by_depth(heuristics: DepthSelectivity) -> Selectivity {
    Selectivity { depth_limited: Some(heuristics), ..Selectivity::NONE }
}

/// Searches to a depth by material.
fn search(policy: impl Policy + 'static, selectivity: Selectivity, fen: &str, depth: u32) -> SearchResult {
    let game = Game::new(Position::from_fen(fen).unwrap());
    let limits = SearchLimits { depth: Some(depth), ..SearchLimits::default() };
    let mut searcher = AlphaBeta::new(MaterialEvaluator, policy, selectivity, 0);
    searcher.search(&Table::new(1).unwrap(), &game, &limits, &mut Silent)
}

fn nodes(heuristics: DepthSelectivity, fen: &str, depth: u32) -> u64 {
    search(UniformPolicy, by_depth(heuristics), fen, depth).nodes
}

/// The thesis compares the two limits of the tree alone.
#[test]
fn without_heuristics_the_value_is_that_of_plain_alpha_beta() {
    for fen in [
        MIDDLEGAME,
        "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 4",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "4k3/8/8/8/7b/8/R2P2P1/3QK2R w - - 0 1",
    ] {
        for depth in 1..=4 {
            let by_depth = search(UniformPolicy, by_depth(DepthSelectivity::NONE), fen, depth);
            let by_budget = search(DepthPolicy, Selectivity::NONE, fen, depth);
            assert_eq!(by_depth.value, by_budget.value, "{fen}, depth {depth}");
        }
    }
}

#[test]
fn each_pruning_and_reduction_saves_nodes() {
    const ALL: DepthSelectivity = DepthSelectivity::ALL;
    // In a single position chance may decide.
    let nodes = |heuristics, depth| -> u64 { MIDDLEGAMES.iter().map(|fen| nodes(heuristics, fen, depth)).sum() };
    for (name, without, depth, at_least) in [
        ("late move reductions", DepthSelectivity { reductions: false, ..ALL }, 9, 3.0),
        ("late move pruning", DepthSelectivity { late_move_pruning: false, ..ALL }, 9, 1.0),
        ("futility pruning", DepthSelectivity { futility_pruning: false, ..ALL }, 9, 1.0),
        ("reverse futility pruning", DepthSelectivity { reverse_futility: false, ..ALL }, 9, 1.0),
        // The deeper the search, the more it saves.
        ("null move pruning", DepthSelectivity { null_move: false, ..ALL }, 20, 1.1),
        ("SEE pruning", DepthSelectivity { see_pruning: false, ..ALL }, 9, 1.0),
    ] {
        let (without, with) = (nodes(without, depth), nodes(ALL, depth));
        eprintln!("{name}: {without} nodes without, {with} with it");
        assert!(without as f64 > at_least * with as f64, "{name}: {without} nodes without, {with} with it");
    }
    assert!(10 * nodes(ALL, 9) < nodes(DepthSelectivity::NONE, 6));
}

/// The depth of the first search that finds a mate.
fn mate_depth(heuristics: DepthSelectivity, fen: &str) -> Option<u32> {
    (1..=9).find(|depth| search(UniformPolicy, by_depth(heuristics), fen, *depth).value.is_mate())
}

#[test]
fn checks_of_shallow_nodes_are_not_extended() {
    // A mate in three plies, and a smothered one in seven.
    for (fen, plies) in [("8/4k3/R7/1R6/8/8/8/6K1 w - - 0 1", 3), ("r3r2k/6pp/8/6N1/2Q5/8/8/6K1 w - - 0 1", 7)] {
        let checks = DepthSelectivity { check_extensions: true, ..DepthSelectivity::NONE };
        let depths = (mate_depth(DepthSelectivity::NONE, fen), mate_depth(checks, fen));
        assert_eq!(depths, (Some(plies), Some(plies)), "{fen}");
    }
}

/// White to move loses if it must move at all: what a null move says here is wrong.
#[test]
fn a_zugzwang_is_seen_in_spite_of_null_moves() {
    let fen = "8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1";
    let result = search(UniformPolicy, by_depth(DepthSelectivity::ALL), fen, 16);
    assert_eq!(result.best().map(|mv| mv.to_string()).as_deref(), Some("e1f1"));
}

/// Remembers how many nodes asked with the budget of the linear policy, and how many with that of the network.
#[derive(Default, Clone)]
struct Watched(Arc<[AtomicU64; 2]>);

impl Policy for Watched {
    fn priors(&self, position: &Position, moves: &mut [ScoredMove]) {
        UniformPolicy.priors(position, moves);
    }

    fn allocate(&self, position: &Position, budget: Budget, moves: &mut [ScoredMove]) {
        let asks_network = budget >= Budget::new(tunables::network_min_budget());
        self.0[usize::from(asks_network)].fetch_add(1, Ordering::Relaxed);
        UniformPolicy.allocate(position, budget, moves);
    }
}

#[test]
fn the_policy_network_is_asked_in_deep_nodes_alone() {
    let asked = |depth| {
        let watched = Watched::default();
        search(watched.clone(), by_depth(DepthSelectivity::ALL), MIDDLEGAME, depth);
        watched.0.each_ref().map(|count| count.load(Ordering::Relaxed))
    };
    // The root asks too, with its own budget.
    let [linear, network] = asked(3);
    assert!(linear > 0 && network < 20, "{linear} {network}");
    let [linear, network] = asked(9);
    assert!(network > 20 && 3 * network < linear, "{linear} {network}");
}

#[test]
fn without_selectivity_every_move_is_a_ply() {
    let limits = SearchLimits { depth: Some(5), ..SearchLimits::default() };
    let game = Game::new(Position::from_fen(MIDDLEGAME).unwrap());
    let engine_nodes = |selective| {
        let (eval, search) = (EvalKind::Material, SearchKind::Depth);
        let spec = EngineSpec { eval, search, selective, hash_megabytes: 1, ..EngineSpec::default() };
        spec.build().unwrap().search(&game, &limits, &mut Silent).nodes
    };
    assert_eq!(engine_nodes(false), search(DepthPolicy, Selectivity::NONE, MIDDLEGAME, 5).nodes);
    assert!(10 * engine_nodes(true) < engine_nodes(false));
}
