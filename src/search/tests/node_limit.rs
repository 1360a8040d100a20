//! A limit of nodes with several threads: the sum of all threads' nodes ends the search soon.

use board::{Game, Position};
use search::{AlphaBeta, Evaluator, SearchLimits, Searcher, Selectivity, Silent, StaticPolicy, Table, lazy_smp};

/// A position's key as its evaluation: nothing is settled soon.
struct Scattered;

impl Evaluator for Scattered {
    type State = ();

    fn root(&self, _: &Position) {}

    fn logit(&self, (): &mut (), position: &Position) -> f32 {
        (position.key().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f32 / (1 << 24) as f32 - 0.5
    }
}

fn searcher(seed: u64) -> Box<dyn Searcher> {
    Box::new(AlphaBeta::new(Scattered, StaticPolicy, Selectivity::NONE, seed))
}

#[test]
fn the_nodes_of_all_threads_together_reach_the_limit() {
    const LIMIT: u64 = 2_000_000;
    let game = Game::new(Position::start());
    let limits = SearchLimits { nodes: Some(LIMIT), ..SearchLimits::default() };
    for threads in [1, 2, 4] {
        let mut helpers: Vec<_> = (1..threads).map(searcher).collect();
        let table = Table::new(1).unwrap();
        let answer = lazy_smp::search(&mut *searcher(0), &mut helpers, &table, &game, &limits, &mut Silent);
        // On a busy machine the leader looks late, but not as late as a second helping.
        assert!((LIMIT..2 * LIMIT).contains(&answer.nodes), "{} nodes of {threads} threads", answer.nodes);
        if threads == 1 {
            assert_eq!(answer.nodes, LIMIT);
        }
    }
}
