//! The depth-limited search: late-move reductions, the second look at what they miss, check extension, null move.

use board::{Game, Position};
use okapi::depth_limited::{DepthLimited, EqualDepth};
use okapi::engine::{Engine, EvalKind, SearchKind, Settings};
use okapi::evaluator::Material;
use okapi::move_probability::{Extras, MoveKind, MoveProbability, ScoredMove};
use okapi::search::budget::Budget;
use okapi::search::ordering::{MoveHistory, ScoredMoves};
use okapi::search::{SearchLimits, Searcher, Silent, Table};
use okapi::tunables::depth;
use std::sync::Mutex;

const MIDDLEGAME: &str = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

/// The share of 4^-plies.
fn plies(plies: i32) -> f32 {
    0.25_f32.powi(plies)
}

/// Shares by allocation alone, at depth `depth`, without history but for what `change` adds.
fn allot(fen: &str, depth: u32, change: impl Fn(&mut ScoredMove)) -> Vec<ScoredMove> {
    let position = position(fen);
    let mut candidates = ScoredMoves::new();
    MoveHistory::new().classify(&position, None, 0, &mut candidates);
    candidates.iter_mut().for_each(change);
    DepthLimited::default().allot(&Material, &mut (), &position, Budget::of_iteration(depth), &mut candidates);
    candidates.to_vec()
}

/// An estimate with other extras, which remembers every node that was expanded.
struct Watched<P> {
    probability: P,
    extras: Extras,
    /// The nodes' keys and budgets.
    expanded: Mutex<Vec<(u64, Budget)>>,
}

impl<P: MoveProbability<Material>> MoveProbability<Material> for &Watched<P> {
    fn allot(&self, _: &Material, _: &mut (), position: &Position, budget: Budget, candidates: &mut [ScoredMove]) {
        self.expanded.lock().unwrap().push((position.key(), budget));
        self.probability.allot(&Material, &mut (), position, budget, candidates);
    }

    fn extras(&self) -> Extras {
        self.extras
    }
}

fn field() -> Extras {
    MoveProbability::<Material>::extras(&DepthLimited::default())
}

fn watched<P: MoveProbability<Material>>(probability: P, extras: Extras) -> Watched<P> {
    Watched { probability, extras, expanded: Mutex::default() }
}

/// Searches to a depth by material; gives the nodes and, where a mate was found, its distance.
fn search<P: MoveProbability<Material>>(watched: &Watched<P>, fen: &str, depth: u32) -> (u64, Option<i32>) {
    let mut searcher = Searcher::new(Material, watched);
    let limits = SearchLimits { depth: Some(depth), ..SearchLimits::default() };
    let answer = searcher.search(&Table::new(1).unwrap(), &Game::new(position(fen)), &limits, &mut Silent);
    (answer.nodes, answer.value.mate_plies())
}

#[test]
fn late_quiet_moves_are_reduced_by_whole_plies_and_nothing_else_is() {
    for deep in 1..=12 {
        let candidates = allot(MIDDLEGAME, deep, |_| ());
        let quiet = |candidate: &ScoredMove| matches!(candidate.kind, MoveKind::Quiet | MoveKind::LosingQuiet);
        let mut last = 1;
        for (index, candidate) in candidates.iter().enumerate() {
            let cost = (1..=deep as i32).find(|&cost| candidate.share == plies(cost)).expect("whole plies");
            if index < depth::REDUCTION_FROM || !quiet(candidate) {
                assert_eq!(cost, 1, "{candidate:?}");
            } else {
                assert!(cost >= last, "{candidate:?}");
                last = cost;
            }
            assert!(cost == 1 || !Budget::of_iteration(deep).share(candidate.share).is_spent());
        }
        assert_eq!(last > 1, deep > 2, "depth {deep}");
    }
    let cost_of_last = |deep| allot(MIDDLEGAME, deep, |_| ()).last().unwrap().share;
    assert!(cost_of_last(12) < cost_of_last(4));
}

#[test]
fn history_changes_a_reduction() {
    let last = |history| allot(MIDDLEGAME, 8, |candidate| candidate.history = history).last().unwrap().share;
    assert!(last(1.0) > last(0.0) && last(0.0) > last(-1.0));
}

#[test]
fn an_evasion_is_not_reduced() {
    let candidates = allot("4r1k1/8/8/8/8/8/3PPP2/R2QK3 b - - 0 1", 8, |_| ());
    assert!(candidates.iter().any(|candidate| candidate.share < plies(1)));
    let in_check = "4k3/8/8/8/7b/8/R2P2P1/3QK2R w - - 0 1";
    assert!(position(in_check).in_check());
    assert!(allot(in_check, 8, |_| ()).iter().all(|candidate| candidate.share == plies(1)));
}

#[test]
fn reductions_save_nodes() {
    let (reduced, _) = search(&watched(DepthLimited::default(), field()), MIDDLEGAME, 6);
    let (full, _) = search(&watched(EqualDepth, field()), MIDDLEGAME, 6);
    assert!(2 * reduced < full, "{reduced} of {full}");
}

/// Is some move of the root searched to less and then to full depth before the root's moves are begun anew?
fn looks_twice(extras: Extras, fen: &str, depth: u32) -> bool {
    // A passed turn's verification looks at a node with little too, and the table's move spares a look.
    let watched = watched(DepthLimited::default(), Extras { null_move_share: None, table_move: None, ..extras });
    search(&watched, fen, depth);
    let (root, full) = (position(fen), Budget::of_iteration(depth - 1));
    let expanded = watched.expanded.into_inner().unwrap();
    let children: Vec<u64> = root.legal_moves().iter().map(|mv| root.play(*mv).key()).collect();
    // Every window and every iteration begins with the root.
    expanded.split(|node| node.0 == root.key()).any(|tree| {
        children.iter().any(|child| {
            let budgets = tree.iter().filter(|node| node.0 == *child).map(|node| node.1);
            budgets.clone().zip(budgets.skip(1)).any(|(first, second)| first < full && second == full)
        })
    })
}

#[test]
fn a_reduced_move_that_beats_alpha_is_searched_to_full_depth_again() {
    let blind = Extras { second_look: None, ..field() };
    for (fen, depth) in
        [("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 5), ("2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1", 6)]
    {
        assert!(looks_twice(field(), fen, depth) && !looks_twice(blind, fen, depth), "{fen}");
    }
}

#[test]
fn only_a_reduced_move_is_looked_at_twice() {
    let nodes = |second_look| search(&watched(EqualDepth, Extras { second_look, ..field() }), MIDDLEGAME, 5).0;
    assert!(field().second_look.is_some());
    assert_eq!(nodes(field().second_look), nodes(None));
}

#[test]
fn the_tables_move_spares_a_look_at_the_others() {
    let looks_a_node = |table_move| {
        let watched = watched(EqualDepth, Extras { table_move, ..field() });
        let (nodes, _) = search(&watched, MIDDLEGAME, 6);
        watched.expanded.into_inner().unwrap().len() as f64 / nodes as f64
    };
    assert_eq!(field().table_move, Some(plies(1)));
    let (with, without) = (looks_a_node(field().table_move), looks_a_node(None));
    assert!(with < 0.9 * without, "{with} of {without}");
}

#[test]
fn a_check_is_searched_a_ply_deeper_so_many_times_along_a_line() {
    let first_depth = |fen: &str, check_floors: u8| {
        let watched = watched(EqualDepth, Extras { check_floors, ..field() });
        (1..=9).find(|depth| search(&watched, fen, *depth).1.is_some())
    };
    // Two rooks' ladder of three plies, and a smothered mate of seven: the last check needs no look beyond it.
    let (ladder, smothered) = ("8/4k3/R7/1R6/8/8/8/6K1 w - - 0 1", "r3r2k/6pp/8/6N1/2Q5/8/8/6K1 w - - 0 1");
    for (fen, depths) in [(ladder, [3, 2, 2, 2]), (smothered, [7, 6, 5, 4])] {
        for (checks, depth) in depths.into_iter().enumerate() {
            assert_eq!(first_depth(fen, checks as u8), Some(depth), "{fen}, {checks}");
        }
    }
}

#[test]
fn a_passed_turn_is_searched_so_many_plies_less_and_saves_nodes() {
    assert_eq!(field().null_move_share, Some(plies(1 + depth::NULL_MOVE_REDUCTION as i32)));
    let nodes = |null_move_share| {
        search(&watched(DepthLimited::default(), Extras { null_move_share, ..field() }), MIDDLEGAME, 6).0
    };
    let (with, without) = (nodes(field().null_move_share), nodes(None));
    assert!(4 * with < 3 * without, "{with} of {without}");
}

/// The thesis' comparison is between horizons alone.
#[test]
fn without_selectivity_every_move_is_a_ply() {
    let limits = SearchLimits { depth: Some(5), ..SearchLimits::default() };
    let game = Game::new(position(MIDDLEGAME));
    let settings = Settings { eval: EvalKind::Material, search: SearchKind::Depth, ..Settings::default() };
    let engine_nodes = |selective| {
        let mut engine = Engine::new(Settings { selective, ..settings }, 1).unwrap();
        engine.search(&game, &limits, &mut Silent).nodes
    };
    assert_eq!(engine_nodes(false), search(&watched(EqualDepth, Extras::NONE), MIDDLEGAME, 5).0);
    assert_eq!(engine_nodes(true), search(&watched(DepthLimited::default(), field()), MIDDLEGAME, 5).0);
}
