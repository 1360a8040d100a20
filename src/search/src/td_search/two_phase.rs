//! Two phases: simulations from the root for a share of the search, then alpha-beta, whose evaluations have in addition what the
//! simulations have taught. In the second phase nothing is learned.
//
// CITE: Silver, Sutton, Müller 2012, section 6.1 (two-phase alpha-beta search; there both phases have about the same time).

use crate::alpha_beta::AlphaBeta;
use crate::evaluator::Evaluator;
use crate::handler::{Handler, SearchInfo, Stop};
use crate::limits::SearchLimits;
use crate::node_observer::{NodeObserver, Observed, SearchedNode};
use crate::policy::Policy;
use crate::result::SearchResult;
use crate::searcher::Searcher;
use crate::selectivity::Selectivity;
use crate::short_term::last_layer::{LastLayer, LayerWeights};
use crate::table::Table;
use crate::tablebase::Tablebase;
use crate::td_search::searcher::TdSearch;
use crate::td_search::settings::TdSettings;
use crate::value::Value;
use board::{Game, Move, Position};
use std::any::Any;
use std::sync::Arc;

/// The iterations of the first phase, of 2^d simulations, where neither nodes nor a plan for the time limit the search.
const UNLIMITED_DEPTH: u32 = 8;

/// A searcher in two phases.
pub struct TwoPhase<E: Evaluator, P> {
    simulations: TdSearch<E>,
    alpha_beta: AlphaBeta<Observed<E>, P>,
    share: f64,
}

impl<E: Evaluator + LastLayer + Clone + 'static, P: Policy> TwoPhase<E, P> {
    /// A searcher that has not searched yet. The first phase has this share of the nodes or of the planned time, from 0 to 1.
    pub fn new(evaluator: E, policy: P, selectivity: Selectivity, settings: TdSettings, share: f64, seed: u64) -> Self {
        let layer: Arc<dyn LastLayer> = Arc::new(evaluator.clone());
        let mut alpha_beta = AlphaBeta::new(Observed(evaluator.clone()), policy, selectivity, seed);
        let weights = LayerWeights::zeros(&*layer);
        alpha_beta.set_observer(Some(Box::new(Frozen { layer: layer.clone(), weights })));
        Self { simulations: TdSearch::new(evaluator, layer, settings, seed), alpha_beta, share }
    }

    /// Evaluations have what the simulations have taught until now.
    fn freeze(&mut self) {
        let observer: Option<&mut dyn Any> = self.alpha_beta.observer().map(|observer| observer as &mut dyn Any);
        if let Some(frozen) = observer.and_then(|observer| observer.downcast_mut::<Frozen>()) {
            frozen.weights.set(&*frozen.layer, self.simulations.theta());
        }
    }
}

impl<E: Evaluator + LastLayer + Clone + 'static, P: Policy> Searcher for TwoPhase<E, P> {
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
        let found = self.alpha_beta.search(table, game, &left, &mut Second { handler, before: nodes });
        SearchResult { nodes: found.nodes + nodes, evaluations: found.evaluations + evaluations, ..found }
    }

    fn evaluate(&self, position: &Position) -> Value {
        self.alpha_beta.evaluate(position)
    }

    fn new_game(&mut self) {
        self.simulations.new_game();
        self.alpha_beta.new_game();
        self.freeze();
    }

    fn set_tablebase(&mut self, tablebase: Option<Arc<dyn Tablebase>>) {
        self.simulations.set_tablebase(tablebase.clone());
        self.alpha_beta.set_tablebase(tablebase);
    }
}

/// What simulations have taught, as alpha-beta reads it.
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

    fn root_move(&mut self, depth: u32, mv: Move, number: usize, nodes: u64) {
        self.handler.root_move(depth, mv, number, self.before + nodes);
    }
}
