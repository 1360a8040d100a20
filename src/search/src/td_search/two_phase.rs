//! Two phases: simulations from the root for a share of the search, then alpha-beta or Monte-Carlo tree search, whose evaluations have in
//! addition what the simulations have taught. In the second phase nothing is learned.
//
// CITE: Silver, Sutton, Müller 2012, sections 6.1 (two-phase alpha-beta search; there both phases have about the same time) and 6.2
// (two-phase Monte-Carlo tree search, where they have the same number of simulations).

use crate::alpha_beta::AlphaBeta;
use crate::evaluator::Evaluator;
use crate::handler::{Handler, MoveStatistics, SearchInfo, Stop};
use crate::limits::SearchLimits;
use crate::mcts::Mcts;
use crate::node_observer::{NodeObserver, Observed, SearchedNode};
use crate::policy::Policy;
use crate::result::SearchResult;
use crate::searcher::Searcher;
use crate::short_term::last_layer::{LastLayer, LayerWeights};
use crate::table::Table;
use crate::tablebase::Tablebase;
use crate::td_search::searcher::TdSearch;
use crate::td_search::settings::TdSettings;
use crate::value::Value;
use board::{Game, Move, Position};
use std::sync::Arc;

/// The iterations of the first phase, of 2^d simulations, where neither nodes nor a plan for the time limit the search.
const UNLIMITED_DEPTH: u32 = 8;

/// A search whose evaluations an observer corrects.
pub trait SecondPhase: Searcher {
    /// Each of its threads has an observer made by `make` from now on.
    fn observe_with(&mut self, make: &dyn Fn() -> Box<dyn NodeObserver>);
}

impl<E: Evaluator, P: Policy> SecondPhase for AlphaBeta<Observed<E>, P> {
    fn observe_with(&mut self, make: &dyn Fn() -> Box<dyn NodeObserver>) {
        self.set_observer(Some(make()));
    }
}

impl<E: Evaluator, P: Policy> SecondPhase for Mcts<Observed<E>, P> {
    fn observe_with(&mut self, make: &dyn Fn() -> Box<dyn NodeObserver>) {
        self.set_observers(make);
    }
}

/// A searcher in two phases.
pub struct TwoPhase<E, S> {
    simulations: TdSearch<E>,
    layer: Arc<dyn LastLayer>,
    second: S,
    share: f64,
}

impl<E: Evaluator + LastLayer + Clone + 'static, S: SecondPhase> TwoPhase<E, S> {
    /// A searcher that has not searched yet; both phases have this evaluator, and the policy is that of the simulations. The first has this share of the nodes (in a tree search: of
    /// the visits that are asked for, as nodes) or of the planned time, from 0 to 1.
    pub fn new(
        evaluator: E,
        policy: Arc<dyn Policy>,
        second: S,
        (settings, share): (TdSettings, f64),
        seed: u64,
    ) -> Self {
        let layer: Arc<dyn LastLayer> = Arc::new(evaluator.clone());
        let simulations = TdSearch::new(evaluator, policy, layer.clone(), settings, seed);
        let mut searcher = Self { simulations, layer, second, share };
        searcher.freeze();
        searcher
    }

    /// Evaluations have what the simulations have taught until now.
    fn freeze(&mut self) {
        let Self { simulations, layer, second, .. } = self;
        second.observe_with(&|| {
            Box::new(Frozen { layer: layer.clone(), weights: LayerWeights::new(&**layer, simulations.theta()) })
        });
    }
}

impl<E: Evaluator + LastLayer + Clone + 'static, S: SecondPhase> Searcher for TwoPhase<E, S> {
    fn search(&mut self, table: &Table, game: &Game, limits: &SearchLimits, handler: &mut dyn Handler) -> SearchResult {
        let (mut nodes, mut evaluations) = (0, 0);
        if self.share > 0.0 {
            let shared = limits.nodes.map(|nodes| (self.share * nodes as f64) as u64);
            let is_planned = shared.is_some() || handler.spent(0).is_some();
            let limits = SearchLimits {
                nodes: shared,
                depth: (!is_planned).then_some(UNLIMITED_DEPTH),
                mate: None,
                searchmoves: limits.searchmoves.clone(),
                multipv: 1,
            };
            let taught = self.simulations.search(table, game, &limits, &mut First { handler, share: self.share });
            (nodes, evaluations) = (taught.nodes, taught.evaluations);
        }
        self.freeze();
        let left = SearchLimits { nodes: limits.nodes.map(|limit| limit.saturating_sub(nodes)), ..limits.clone() };
        let found = self.second.search(table, game, &left, &mut Second { handler, before: nodes });
        SearchResult { nodes: found.nodes + nodes, evaluations: found.evaluations + evaluations, ..found }
    }

    fn evaluate(&self, position: &Position) -> Value {
        self.second.evaluate(position)
    }

    fn new_game(&mut self) {
        self.simulations.new_game();
        self.second.new_game();
        self.freeze();
    }

    fn set_tablebase(&mut self, tablebase: Option<Arc<dyn Tablebase>>) {
        self.simulations.set_tablebase(tablebase.clone());
        self.second.set_tablebase(tablebase);
    }

    /// The simulations are those of one thread.
    fn set_threads(&mut self, threads: usize) -> bool {
        let is_shared = self.second.set_threads(threads);
        self.freeze();
        is_shared
    }
}

/// What simulations have taught, as the second phase reads it.
struct Frozen {
    layer: Arc<dyn LastLayer>,
    weights: LayerWeights,
}

impl NodeObserver for Frozen {
    fn observe(&mut self, _node: &SearchedNode) {}

    fn correction(&self, position: &Position) -> f32 {
        self.layer.product(position, self.weights.read())
    }

    #[inline]
    fn layer_weights(&mut self) -> Option<&mut LayerWeights> {
        Some(&mut self.weights)
    }

    fn new_game(&mut self) {}
}

/// The handler of the first phase: it ends when its share of the plan is spent. Its values are not those of the search and are not reported.
struct First<'a> {
    handler: &'a mut dyn Handler,
    share: f64,
}

impl First<'_> {
    fn is_over(&self, nodes: u64) -> bool {
        self.handler.spent(nodes).is_some_and(|spent| spent >= self.share)
    }
}

impl Handler for First<'_> {
    fn poll(&mut self, nodes: u64) -> Result<(), Stop> {
        self.handler.poll(nodes)?;
        if self.is_over(nodes) { Err(Stop) } else { Ok(()) }
    }
}

/// The handler of the second phase, which counts the nodes of both.
struct Second<'a> {
    handler: &'a mut dyn Handler,
    before: u64,
}

impl Handler for Second<'_> {
    fn poll(&mut self, nodes: u64) -> Result<(), Stop> {
        self.handler.poll(self.before + nodes)
    }

    fn next_iteration(&mut self, depth: u32) -> bool {
        self.handler.next_iteration(depth)
    }

    fn shows_hashfull(&self) -> bool {
        self.handler.shows_hashfull()
    }

    fn report(&mut self, info: &SearchInfo) {
        self.handler.report(&SearchInfo { nodes: self.before + info.nodes, ..*info });
    }

    fn shows_statistics(&self) -> bool {
        self.handler.shows_statistics()
    }

    fn statistics(&mut self, moves: &[MoveStatistics]) {
        self.handler.statistics(moves);
    }

    fn root_move(&mut self, depth: u32, mv: Move, number: usize, nodes: u64) {
        self.handler.root_move(depth, mv, number, self.before + nodes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::short_term::counts::Counts;

    /// The evaluator adds the weights in its own pass; the correction is for those that cannot.
    #[test]
    fn what_is_frozen_is_read_in_the_evaluators_pass_and_as_a_correction() {
        let layer: Arc<dyn LastLayer> = Arc::new(Counts { norm: 1.0 });
        let theta: Vec<f32> = (0..10).map(|number| number as f32).collect();
        let mut frozen = Frozen { weights: LayerWeights::new(&*layer, &theta), layer };
        // Two rooks of the side to move, input 3, and three pawns of the other, input 5.
        let position = Position::from_fen("4k3/ppp5/8/8/8/8/8/R3K2R w - - 0 1").expect("a position");
        assert_eq!(frozen.correction(&position), 2.0 * 3.0 + 3.0 * 5.0);
        assert_eq!(frozen.layer_weights().map(|weights| weights.read().to_vec()), Some(theta));
    }
}
