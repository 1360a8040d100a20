//! An engine, put together from its parts at run time.

use crate::engine::choice::{EvalKind, PolicyKind, SearchKind};
use crate::engine::evaluators::{MaterialEvaluator, NetworkEvaluator};
use crate::engine::network_policy::NetworkPolicy;
use crate::engine::shipped::{EngineError, shipped_move_net, shipped_net};
use crate::search::{
    AlphaBeta, DepthPolicy, Evaluator, Handler, Policy, SearchLimits, SearchResult, Searcher, Selectivity,
    StaticPolicy, Table, UniformPolicy, Value, lazy_smp,
};
use board::{Game, Position};
use nets::{QuantizedPolicyNet, QuantizedValueNet};
use std::path::Path;
use std::sync::Arc;

/// The evaluator, policy and search of an engine.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The evaluator.
    pub eval: EvalKind,
    /// The policy.
    pub policy: PolicyKind,
    /// What limits the tree.
    pub search: SearchKind,
    /// Does the search use the [`Selectivity`] that suits its policy, or none?
    pub selective: bool,
    /// Decides the order of quiet moves without history; 0 for the order of generation.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            eval: EvalKind::default(),
            policy: PolicyKind::default(),
            search: SearchKind::default(),
            selective: true,
            seed: 0,
        }
    }
}

/// An engine.
pub struct Engine {
    settings: Settings,
    net: Arc<QuantizedValueNet>,
    moves: Arc<QuantizedPolicyNet>,
    table: Table,
    leader: Box<dyn Searcher>,
    /// One for each thread but the first.
    helpers: Vec<Box<dyn Searcher>>,
}

impl Engine {
    /// An engine with the shipped net and a table of `hash_megabytes`.
    pub fn new(settings: Settings, hash_megabytes: usize) -> Result<Self, EngineError> {
        let (net, moves) = (shipped_net()?, shipped_move_net()?);
        let table = Table::new(hash_megabytes)?;
        Ok(Self { settings, leader: assemble(settings, &net, &moves), helpers: Vec::new(), net, moves, table })
    }

    /// Searches the game's present position.
    pub fn search(&mut self, game: &Game, limits: &SearchLimits, handler: &mut dyn Handler) -> SearchResult {
        lazy_smp::search(&mut *self.leader, &mut self.helpers, &self.table, game, limits, handler)
    }

    /// The static evaluation of a position, for its side to move.
    pub fn evaluate(&self, position: &Position) -> Value {
        self.leader.evaluate(position)
    }

    /// What the engine is made of.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Changes the evaluator, the policy or the search, and forgets what earlier searches learned.
    pub fn set_settings(&mut self, settings: Settings) {
        self.settings = settings;
        self.reassemble();
    }

    /// Evaluates with the net of this file from now on; an error leaves everything as it was.
    pub fn load_net(&mut self, path: &Path) -> Result<(), EngineError> {
        let (net, _) = nets::file::load(path)?;
        self.net = Arc::new(QuantizedValueNet::new(&net, kernels::active()?));
        self.reassemble();
        Ok(())
    }

    /// Uses the policy net of this file from now on; an error leaves everything as it was.
    pub fn load_move_net(&mut self, path: &Path) -> Result<(), EngineError> {
        let (net, _) = nets::file::load_policy(path)?;
        self.moves = Arc::new(QuantizedPolicyNet::new(&net, kernels::active()?));
        self.reassemble();
        Ok(())
    }

    /// The policy net.
    pub fn move_net(&self) -> &Arc<QuantizedPolicyNet> {
        &self.moves
    }

    /// Forgets what earlier searches learned.
    pub fn new_game(&mut self) {
        self.table.clear();
        self.leader.new_game();
        self.helpers.iter_mut().for_each(|helper| helper.new_game());
    }

    /// Searches with this number of threads from now on, at least one.
    pub fn set_threads(&mut self, threads: usize) {
        let helper = |number: u64| {
            let seed = self.settings.seed.wrapping_add(number);
            assemble(Settings { seed, ..self.settings }, &self.net, &self.moves)
        };
        self.helpers = (1..threads.max(1) as u64).map(helper).collect();
    }

    /// Gives the table a new size; an error keeps the old table.
    pub fn resize_hash(&mut self, megabytes: usize) -> Result<(), EngineError> {
        self.table = Table::new(megabytes)?;
        Ok(())
    }

    fn reassemble(&mut self) {
        self.leader = assemble(self.settings, &self.net, &self.moves);
        self.set_threads(1 + self.helpers.len());
        self.table.clear();
    }
}

fn assemble(settings: Settings, net: &Arc<QuantizedValueNet>, moves: &Arc<QuantizedPolicyNet>) -> Box<dyn Searcher> {
    match settings.eval {
        EvalKind::Network => assemble_with(settings, NetworkEvaluator::new(net.clone()), moves),
        EvalKind::Material => assemble_with(settings, MaterialEvaluator, moves),
    }
}

fn assemble_with<E: Evaluator + 'static>(
    settings: Settings,
    evaluator: E,
    moves: &Arc<QuantizedPolicyNet>,
) -> Box<dyn Searcher> {
    let Settings { selective, .. } = settings;
    match (settings.search, settings.policy) {
        (SearchKind::Depth, _) => {
            let policy = if selective { DepthPolicy::with_reductions() } else { DepthPolicy::full_depth() };
            alpha_beta(settings, evaluator, policy, Selectivity::depth_limited())
        }
        (SearchKind::Probability, kind @ PolicyKind::Uniform) => {
            alpha_beta(settings, evaluator, UniformPolicy, kind.selectivity())
        }
        (SearchKind::Probability, kind @ PolicyKind::Static) => {
            alpha_beta(settings, evaluator, StaticPolicy, kind.selectivity())
        }
        (SearchKind::Probability, kind @ PolicyKind::Network) => {
            alpha_beta(settings, evaluator, NetworkPolicy::new(moves.clone()), kind.selectivity())
        }
    }
}

impl PolicyKind {
    /// The policy of this kind, for searches that training makes; a network policy asks `net`.
    pub fn build(self, net: &Arc<QuantizedPolicyNet>) -> Arc<dyn Policy> {
        match self {
            Self::Uniform => Arc::new(UniformPolicy),
            Self::Static => Arc::new(StaticPolicy),
            Self::Network => Arc::new(NetworkPolicy::new(net.clone())),
        }
    }

    /// What a probability-limited search with this policy may leave out.
    pub fn selectivity(self) -> Selectivity {
        match self {
            Self::Uniform => Selectivity::basic(),
            Self::Static | Self::Network => Selectivity::full(),
        }
    }
}

fn alpha_beta<E, P>(settings: Settings, evaluator: E, policy: P, selectivity: Selectivity) -> Box<dyn Searcher>
where
    E: Evaluator + 'static,
    P: Policy + 'static,
{
    let selectivity = if settings.selective { selectivity } else { Selectivity::NONE };
    Box::new(AlphaBeta::new(evaluator, policy, selectivity, settings.seed))
}
