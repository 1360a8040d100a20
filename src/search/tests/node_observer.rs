//! The joint of a search and what learns from its nodes.

use board::random_positions::RandomPositions;
use board::{Game, Piece, Position};
use kernels::activations::tanh;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use search::node_observer::{NodeObserver, Observed, SearchedNode};
use search::{
    AlphaBeta, Bound, DepthPolicy, Evaluator, Policy, SearchLimits, SearchResult, Searcher, Selectivity, Silent,
    StaticPolicy, Table, Value,
};

/// Material, and a part that hardly two positions have in common.
struct Scattered;

impl Evaluator for Scattered {
    type State = ();

    fn root(&self, _: &Position) {}

    fn logit(&self, (): &mut (), position: &Position) -> f32 {
        let us = position.side_to_move();
        let pawns = |color| position.colored_pieces(color, Piece::Pawn).len() as f32;
        let scattered = position.key().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        0.2 * (pawns(us) - pawns(!us)) + scattered as f32 / (1 << 24) as f32 * 0.2
    }
}

/// Counts nodes, and adds to the evaluation what depends on iteration and position.
#[derive(Default)]
struct Observer {
    step: f32,
    iterations: u32,
    searches: u32,
    /// `(level, bound, ply, is there an evaluation?)`
    nodes: Vec<(f32, Bound, usize, bool)>,
}

impl Observer {
    fn amount(step: f32, iterations: u32, position: &Position) -> f32 {
        step * iterations as f32 * (1 + position.key() % 7) as f32
    }
}

impl NodeObserver for Observer {
    fn observe(&mut self, node: &SearchedNode) {
        assert!(node.evaluation.is_none() || !node.position.in_check());
        self.nodes.push((node.level, node.bound, node.ply, node.evaluation.is_some()));
    }

    fn correction(&self, position: &Position) -> f32 {
        Self::amount(self.step, self.iterations, position)
    }

    fn next_iteration(&mut self) {
        self.iterations += 1;
    }

    fn next_search(&mut self) {
        self.searches += 1;
    }

    fn new_game(&mut self) {
        *self = Self { step: self.step, ..Self::default() };
    }
}

fn limits() -> SearchLimits {
    SearchLimits { nodes: Some(3_000), ..SearchLimits::default() }
}

fn positions() -> Vec<Position> {
    let mut games = RandomPositions::new(Xoshiro256PlusPlus::seed_from_u64(8));
    std::iter::repeat_with(|| games.next_position().clone()).filter(Position::has_legal_move).take(40).collect()
}

fn search<E: Evaluator, P: Policy>(searcher: &mut AlphaBeta<E, P>, position: &Position) -> SearchResult {
    searcher.search(&Table::new(1).unwrap(), &Game::new(position.clone()), &limits(), &mut Silent)
}

/// Both searches, of this evaluator.
fn searchers<E: Evaluator, F: Fn() -> E>(evaluator: F) -> (AlphaBeta<E, StaticPolicy>, AlphaBeta<E, DepthPolicy>) {
    (
        AlphaBeta::new(evaluator(), StaticPolicy, Selectivity::full(), 0),
        AlphaBeta::new(evaluator(), DepthPolicy, Selectivity::depth_limited(), 0),
    )
}

fn found<E: Evaluator, P: Policy>(searcher: &mut AlphaBeta<E, P>) -> &Observer {
    let observer: &dyn std::any::Any = searcher.observer().expect("the observer that was set");
    observer.downcast_ref().expect("the observer of this test")
}

fn with_observer<P: Policy>(
    mut searcher: AlphaBeta<Observed<Scattered>, P>,
    step: f32,
) -> AlphaBeta<Observed<Scattered>, P> {
    searcher.set_observer(Some(Box::new(Observer { step, ..Observer::default() })));
    searcher
}

#[test]
fn a_search_that_is_observed_finds_the_same() {
    let (mut plain, mut plain_depth) = searchers(|| Scattered);
    let (observed, observed_depth) = searchers(|| Observed(Scattered));
    let (mut observed, mut observed_depth) = (with_observer(observed, 0.0), with_observer(observed_depth, 0.0));
    for position in positions() {
        for (one, two) in [
            (search(&mut plain, &position), search(&mut observed, &position)),
            (search(&mut plain_depth, &position), search(&mut observed_depth, &position)),
        ] {
            assert_eq!((one.pv, one.value, one.nodes), (two.pv, two.value, two.nodes));
        }
    }
    for observer in [found(&mut observed), found(&mut observed_depth)] {
        assert_eq!(observer.searches, 40);
        let nodes = &observer.nodes;
        assert!(nodes.len() > 10_000, "{} nodes", nodes.len());
        for bound in [Bound::Exact, Bound::Lower, Bound::Upper] {
            assert!(nodes.iter().any(|node| node.1 == bound && node.0 >= 3.0), "{bound:?}");
        }
        assert!(nodes.iter().any(|node| node.2 == 0) && nodes.iter().any(|node| node.3));
    }
}

#[test]
fn the_value_of_a_line_is_the_corrected_evaluation_of_its_leaf() {
    fn check<P: Policy>(mut searcher: AlphaBeta<Observed<Scattered>, P>) -> u32 {
        let mut compared = 0;
        for position in positions() {
            searcher.new_game();
            let result = search(&mut searcher, &position);
            let leaf = result.leaf(&position);
            let is_evaluation = !result.value.is_mate() && result.value != Value::DRAW && result.better.is_none();
            // The iteration that ended, or the one that the limit ended.
            let iterations = found(&mut searcher).iterations;
            let sign = if result.pv.len().is_multiple_of(2) { 1.0 } else { -1.0 };
            let value_in = |iteration| {
                let logit = Scattered.logit(&mut (), &leaf) + Observer::amount(0.01, iteration, &leaf);
                Value::from_evaluation(sign * tanh(logit))
            };
            if is_evaluation {
                assert!(
                    [iterations, iterations - 1].map(value_in).contains(&result.value),
                    "{}",
                    position.to_fen(false)
                );
                compared += 1;
            }
        }
        compared
    }
    let (by_budget, by_depth) = searchers(|| Observed(Scattered));
    assert!(check(with_observer(by_budget, 0.01)) > 20);
    assert!(check(with_observer(by_depth, 0.01)) > 20);
}

#[test]
fn a_new_game_forgets_what_was_observed() {
    let (searcher, _) = searchers(|| Observed(Scattered));
    let mut searcher = with_observer(searcher, 0.0);
    search(&mut searcher, &positions()[0]);
    assert!(!found(&mut searcher).nodes.is_empty());
    searcher.new_game();
    assert!(found(&mut searcher).nodes.is_empty());
}

#[test]
fn the_root_is_observed_once_an_iteration_whatever_the_number_of_lines() {
    fn roots<P: Policy>(searcher: AlphaBeta<Observed<Scattered>, P>, position: &Position) -> Vec<(f32, bool)> {
        let mut searcher = with_observer(searcher, 0.0);
        let limits = SearchLimits { depth: Some(2), multipv: 3, ..SearchLimits::default() };
        searcher.search(&Table::new(1).unwrap(), &Game::new(position.clone()), &limits, &mut Silent);
        let roots = found(&mut searcher).nodes.iter().filter(|node| node.2 == 0);
        roots.map(|(level, _, _, is_evaluated)| (*level, *is_evaluated)).collect()
    }
    let in_check = Position::from_fen("4k3/8/8/8/4r3/8/8/R3K3 w Q - 0 1").unwrap();
    for (position, is_evaluated) in [(Position::start(), true), (in_check, false)] {
        let (by_budget, by_depth) = searchers(|| Observed(Scattered));
        assert_eq!(roots(by_budget, &position), [(0.125, is_evaluated), (1.125, is_evaluated)]);
        assert_eq!(roots(by_depth, &position), [(1.0, is_evaluated), (2.0, is_evaluated)]);
    }
}

#[test]
fn the_evaluation_of_a_position_has_what_the_observer_adds() {
    let (searcher, _) = searchers(|| Observed(Scattered));
    let mut searcher = with_observer(searcher, 0.01);
    search(&mut searcher, &positions()[0]);
    let (iterations, position) = (found(&mut searcher).iterations, &positions()[1]);
    let added = Observer::amount(0.01, iterations, position);
    let expected = Value::from_evaluation(tanh(Scattered.logit(&mut (), position) + added));
    assert!(iterations > 0);
    assert_eq!(searcher.evaluate(position), expected);
}
