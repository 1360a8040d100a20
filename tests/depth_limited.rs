//! The depth-limited search: late move reductions, the re-search of what they miss, check extensions, null moves.

use board::{Game, Position};
use engine::evaluators::MaterialEvaluator;
use engine::{EngineSpec, EvalKind, SearchKind};
use search::{
    AlphaBeta, Budget, DepthPolicy, MoveHistory, MoveKind, Policy, ScoredMove, ScoredMoves, SearchLimits, Searcher,
    Selectivity, Silent, Table, tunables,
};
use std::sync::Mutex;

const MIDDLEGAME: &str = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

/// The share of 4^-plies.
fn plies(plies: i32) -> f32 {
    0.25_f32.powi(plies)
}

/// The moves with their fractions of the budget at depth `depth`, without history but for what `change` adds.
fn allocate(fen: &str, depth: u32, change: impl Fn(&mut ScoredMove)) -> Vec<ScoredMove> {
    let position = position(fen);
    let mut moves = ScoredMoves::new();
    MoveHistory::new().score_moves(&position, None, 0, &mut moves);
    moves.iter_mut().for_each(change);
    DepthPolicy::with_reductions().allocate(&position, Budget::of_iteration(depth), &mut moves);
    moves.to_vec()
}

/// A policy which remembers every node whose moves were generated.
struct Watched {
    policy: DepthPolicy,
    selectivity: Selectivity,
    /// The nodes' keys and budgets.
    generated: Mutex<Vec<(u64, Budget)>>,
}

impl Policy for &Watched {
    fn priors(&self, position: &Position, moves: &mut [ScoredMove]) {
        self.policy.priors(position, moves);
    }

    fn allocate(&self, position: &Position, budget: Budget, moves: &mut [ScoredMove]) {
        self.generated.lock().unwrap().push((position.key(), budget));
        self.policy.allocate(position, budget, moves);
    }
}

fn usual() -> Selectivity {
    Selectivity::depth_limited()
}

fn watched(policy: DepthPolicy, selectivity: Selectivity) -> Watched {
    Watched { policy, selectivity, generated: Mutex::default() }
}

/// Searches to a depth by material; gives the nodes and, where a mate was found, its distance.
fn search(watched: &Watched, fen: &str, depth: u32) -> (u64, Option<i32>) {
    let mut searcher = AlphaBeta::new(MaterialEvaluator, watched, watched.selectivity, 0);
    let limits = SearchLimits { depth: Some(depth), ..SearchLimits::default() };
    let result = searcher.search(&Table::new(1).unwrap(), &Game::new(position(fen)), &limits, &mut Silent);
    (result.nodes, result.value.mate_plies())
}

#[test]
fn late_quiet_moves_are_reduced_by_whole_plies_and_nothing_else_is() {
    for deep in 1..=12 {
        let moves = allocate(MIDDLEGAME, deep, |_| ());
        let quiet = |scored: &ScoredMove| matches!(scored.kind, MoveKind::Quiet | MoveKind::LosingQuiet);
        let mut last = 1;
        for (index, scored) in moves.iter().enumerate() {
            let cost = (1..=deep as i32).find(|&cost| scored.fraction == plies(cost)).expect("whole plies");
            if index < tunables::reduction_first_move() || !quiet(scored) {
                assert_eq!(cost, 1, "{scored:?}");
            } else {
                assert!(cost >= last, "{scored:?}");
                last = cost;
            }
            assert!(cost == 1 || !Budget::of_iteration(deep).fraction(scored.fraction).is_spent());
        }
        assert_eq!(last > 1, deep > 2, "depth {deep}");
    }
    let cost_of_last = |deep| allocate(MIDDLEGAME, deep, |_| ()).last().unwrap().fraction;
    assert!(cost_of_last(12) < cost_of_last(4));
}

#[test]
fn history_changes_a_reduction() {
    let last = |history| allocate(MIDDLEGAME, 8, |scored| scored.history = history).last().unwrap().fraction;
    assert!(last(1.0) > last(0.0) && last(0.0) > last(-1.0));
}

#[test]
fn an_evasion_is_not_reduced() {
    let moves = allocate("4r1k1/8/8/8/8/8/3PPP2/R2QK3 b - - 0 1", 8, |_| ());
    assert!(moves.iter().any(|scored| scored.fraction < plies(1)));
    let in_check = "4k3/8/8/8/7b/8/R2P2P1/3QK2R w - - 0 1";
    assert!(position(in_check).in_check());
    assert!(allocate(in_check, 8, |_| ()).iter().all(|scored| scored.fraction == plies(1)));
}

#[test]
fn reductions_save_nodes() {
    let (reduced, _) = search(&watched(DepthPolicy::with_reductions(), usual()), MIDDLEGAME, 6);
    let (full, _) = search(&watched(DepthPolicy::full_depth(), usual()), MIDDLEGAME, 6);
    assert!(2 * reduced < full, "{reduced} of {full}");
}

/// Is some move of the root searched to less and then to full depth before the root's moves are begun anew?
fn searches_again(selectivity: Selectivity, fen: &str, depth: u32) -> bool {
    // The verification of a null move searches a node with a small budget too, and the hash move saves generations.
    let watched =
        watched(DepthPolicy::with_reductions(), Selectivity { null_move: None, hash_move: None, ..selectivity });
    search(&watched, fen, depth);
    let (root, full) = (position(fen), Budget::of_iteration(depth - 1));
    let generated = watched.generated.into_inner().unwrap();
    let children: Vec<u64> = root.legal_moves().iter().map(|mv| root.play(*mv).key()).collect();
    // Every window and every iteration begins with the root.
    generated.split(|node| node.0 == root.key()).any(|tree| {
        children.iter().any(|child| {
            let budgets = tree.iter().filter(|node| node.0 == *child).map(|node| node.1);
            budgets.clone().zip(budgets.skip(1)).any(|(first, second)| first < full && second == full)
        })
    })
}

#[test]
fn a_reduced_move_that_beats_alpha_is_searched_to_full_depth_again() {
    let blind = Selectivity { re_search: None, ..usual() };
    for (fen, depth) in
        [("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 5), ("2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1", 6)]
    {
        assert!(searches_again(usual(), fen, depth) && !searches_again(blind, fen, depth), "{fen}");
    }
}

#[test]
fn only_a_reduced_move_is_searched_again() {
    let nodes =
        |re_search| search(&watched(DepthPolicy::full_depth(), Selectivity { re_search, ..usual() }), MIDDLEGAME, 5).0;
    assert!(usual().re_search.is_some());
    assert_eq!(nodes(usual().re_search), nodes(None));
}

#[test]
fn the_hash_move_saves_generating_the_others() {
    let generations_per_node = |hash_move| {
        let watched = watched(DepthPolicy::full_depth(), Selectivity { hash_move, ..usual() });
        let (nodes, _) = search(&watched, MIDDLEGAME, 6);
        watched.generated.into_inner().unwrap().len() as f64 / nodes as f64
    };
    assert_eq!(usual().hash_move, Some(plies(1)));
    let (with, without) = (generations_per_node(usual().hash_move), generations_per_node(None));
    assert!(with < 0.9 * without, "{with} of {without}");
}

#[test]
fn checks_are_extended_up_to_their_limit_along_a_line() {
    let first_depth = |fen: &str, check_extensions: u8| {
        let watched = watched(DepthPolicy::full_depth(), Selectivity { check_extensions, ..usual() });
        (1..=9).find(|depth| search(&watched, fen, *depth).1.is_some())
    };
    // Two rooks' ladder of three plies, and a smothered mate of seven: the last check needs no search beyond it.
    let (ladder, smothered) = ("8/4k3/R7/1R6/8/8/8/6K1 w - - 0 1", "r3r2k/6pp/8/6N1/2Q5/8/8/6K1 w - - 0 1");
    for (fen, depths) in [(ladder, [3, 2, 2, 2]), (smothered, [7, 6, 5, 4])] {
        for (checks, depth) in depths.into_iter().enumerate() {
            assert_eq!(first_depth(fen, checks as u8), Some(depth), "{fen}, {checks}");
        }
    }
}

#[test]
fn a_null_move_is_reduced_and_saves_nodes() {
    assert_eq!(usual().null_move, Some(plies(1 + tunables::depth_null_move_reduction() as i32)));
    let nodes = |null_move| {
        search(&watched(DepthPolicy::with_reductions(), Selectivity { null_move, ..usual() }), MIDDLEGAME, 6).0
    };
    let (with, without) = (nodes(usual().null_move), nodes(None));
    assert!(4 * with < 3 * without, "{with} of {without}");
}

/// The thesis compares the two limits of the tree alone.
#[test]
fn without_selectivity_every_move_is_a_ply() {
    let limits = SearchLimits { depth: Some(5), ..SearchLimits::default() };
    let game = Game::new(position(MIDDLEGAME));
    let engine_nodes = |selective| {
        let (eval, search) = (EvalKind::Material, SearchKind::Depth);
        let spec = EngineSpec { eval, search, selective, hash_megabytes: 1, ..EngineSpec::default() };
        let mut engine = spec.build().unwrap();
        engine.search(&game, &limits, &mut Silent).nodes
    };
    assert_eq!(engine_nodes(false), search(&watched(DepthPolicy::full_depth(), Selectivity::NONE), MIDDLEGAME, 5).0);
    assert_eq!(engine_nodes(true), search(&watched(DepthPolicy::with_reductions(), usual()), MIDDLEGAME, 5).0);
}
