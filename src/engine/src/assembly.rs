//! An engine, assembled from the parts that its specification names.

use crate::chance_model::ChanceModel;
use crate::choice::{EvalKind, PolicyKind, SearchKind, ShortTermKind};
use crate::evaluators::material_net;
use crate::linear_file;
use crate::network_policy::NetworkPolicy;
use crate::searchers::assemble;
use crate::shipped::{SHIPPED_VALUE_NET, shipped_linear_policy, shipped_policy_net};
use crate::spec::{Effect, EngineSpec};
use crate::strength::Level;
use crate::syzygy::{Syzygy, TableHandler};
use anyhow::ensure;
use board::{Game, Outcome, Position};
use nets::{LinearTopology, QuantizedPolicyNet, QuantizedValueNet, Topology, ValueNet};
use search::mcts::Arena;
use search::time::ClockModel;
use search::{
    Handler, Policy, SearchLimits, SearchResult, Searcher, Selectivity, StaticPolicy, Table, Tablebase, UniformPolicy,
    Value, lazy_smp,
};
use std::path::Path;
use std::sync::Arc;

/// An engine.
pub struct Engine {
    spec: EngineSpec,
    value_net: Arc<QuantizedValueNet>,
    /// The first digits of the SHA-256 of its parameters.
    net_name: String,
    policy: NetworkPolicy,
    memory: Memory,
    leader: Box<dyn Searcher>,
    /// One for each thread but the first.
    helpers: Vec<Box<dyn Searcher>>,
    /// Endgame tables, if there are any.
    syzygy: Option<Arc<Syzygy>>,
    /// The limit of its strength, if there is one, and the seed of what it draws.
    level: Option<(Level, u64)>,
}

impl EngineSpec {
    /// Builds the engine.
    ///
    /// # Errors
    /// If the table cannot be allocated or a network cannot be read.
    pub fn build(&self) -> anyhow::Result<Engine> {
        let (value_net, net_name) = self.read_value_net()?;
        let policy = self.read_policy()?;
        let memory = Memory::new(self)?;
        let spec = self.clone();
        let level = self.elo.map(|elo| (Level::of_elo(elo), self.seed));
        let leader = assemble(&played(&spec, level.is_some()), self.seed, &value_net, &policy, memory.tree.as_ref());
        let mut engine =
            Engine { spec, value_net, net_name, policy, memory, leader, helpers: Vec::new(), syzygy: None, level };
        engine.set_threads(self.threads);
        Ok(engine)
    }

    /// The value network, ready to evaluate, and its name.
    fn read_value_net(&self) -> anyhow::Result<(Arc<QuantizedValueNet>, String)> {
        match (&self.value_net, self.eval) {
            (Some(path), eval) => value_net(path, eval),
            (None, EvalKind::Linear) => ready(&material_net(LinearTopology::ONE)),
            (None, _) => ready(&nets::file::from_bytes("that ships with Okapi", SHIPPED_VALUE_NET)?.0),
        }
    }

    /// The policy network and the linear policy.
    fn read_policy(&self) -> anyhow::Result<NetworkPolicy> {
        let net = self.policy_net.as_deref().map_or_else(shipped_policy_net, policy_net)?;
        let linear = self.linear_policy.as_deref().map_or_else(shipped_linear_policy, linear_file::load)?;
        Ok(NetworkPolicy::new(net, linear))
    }
}

impl Engine {
    /// Searches the game's present position. A limited strength asks neither helpers nor tables.
    pub fn search(&mut self, game: &Game, limits: &SearchLimits, handler: &mut dyn Handler) -> SearchResult {
        if let Some((level, seed)) = self.level {
            let limits = level.limits(self.policy.net(), game, seed, limits);
            return lazy_smp::search(&mut *self.leader, &mut [], &self.memory.table, game, &limits, handler);
        }
        let Some(tables) = self.syzygy.clone() else {
            return lazy_smp::search(&mut *self.leader, &mut self.helpers, &self.memory.table, game, limits, handler);
        };
        let (mut handler, limits) = TableHandler::new(&tables, game, limits, handler);
        let found =
            lazy_smp::search(&mut *self.leader, &mut self.helpers, &self.memory.table, game, &limits, &mut handler);
        SearchResult { value: handler.value(found.value), ..found }
    }

    /// The static evaluation of a position, for its side to move; that of its end where it is over.
    pub fn evaluate(&self, position: &Position) -> Value {
        match position.outcome() {
            Some(Outcome::Mated) => Value::mated_at(0),
            Some(_) => Value::DRAW,
            None => self.leader.evaluate(position),
        }
    }

    /// Makes the engine one of this specification, of which a key with this effect was changed. But for `Threads`, what earlier searches
    /// learned is forgotten. An error leaves everything as it was.
    ///
    /// # Errors
    /// If the table cannot be allocated or a network cannot be read.
    pub fn apply(&mut self, effect: Effect, spec: &EngineSpec) -> anyhow::Result<()> {
        match effect {
            Effect::Table => {
                self.memory = Memory::new(spec)?;
                // Its searcher has the tree.
                if spec.search == SearchKind::Mcts {
                    self.set_parts(spec);
                }
            }
            Effect::Threads => self.set_threads(spec.threads),
            Effect::Nets => {
                let ((net, name), policy) = (spec.read_value_net()?, spec.read_policy()?);
                (self.value_net, self.net_name, self.policy) = (net, name, policy);
                self.set_parts(spec);
            }
            Effect::Parts => {
                if self.spec.search != spec.search {
                    self.memory = Memory::new(spec)?;
                }
                self.set_parts(spec);
            }
        }
        Ok(())
    }

    /// Changes the evaluator, the policy, the search and the seed to those of `spec`, and forgets what earlier searches
    /// learned.
    pub fn set_parts(&mut self, spec: &EngineSpec) {
        self.spec.clone_from(spec);
        self.reassemble();
    }

    /// Evaluates with this network from now on.
    ///
    /// # Errors
    /// If the kernels cannot be used.
    pub fn set_value_net(&mut self, net: &ValueNet) -> anyhow::Result<()> {
        (self.value_net, self.net_name) = ready(net)?;
        self.reassemble();
        Ok(())
    }

    /// Uses the policy network of this file from now on; an error leaves everything as it was.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn load_policy_net(&mut self, path: &Path) -> anyhow::Result<()> {
        self.policy = NetworkPolicy::new(policy_net(path)?, self.policy.linear().clone());
        self.reassemble();
        Ok(())
    }

    /// Uses the linear policy of this file from now on; an error leaves everything as it was.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn load_linear_policy(&mut self, path: &Path) -> anyhow::Result<()> {
        self.policy = NetworkPolicy::new(self.policy.net().clone(), linear_file::load(path)?);
        self.reassemble();
        Ok(())
    }

    /// Win, draw and loss of what this engine's searches find.
    pub fn chance_model(&self) -> ChanceModel {
        let net = (self.spec.eval == EvalKind::Network).then(|| self.value_net.clone());
        ChanceModel::new(net, !self.spec.draw_worth().is_neutral()).with_tables(self.syzygy.clone())
    }

    /// How the moves of this engine's search change with more time.
    pub fn clock_model(&self) -> ClockModel {
        match self.search_kind() {
            SearchKind::Probability => ClockModel::PROBABILITY,
            SearchKind::Depth => ClockModel::DEPTH,
            SearchKind::Mcts | SearchKind::Td => ClockModel::TREE,
        }
    }

    /// The name of the value network whose evaluations this engine's values are; `None` where they are something else: material,
    /// utilities by another worth of a draw, corrected by a short-term memory, or means over a tree or of simulations.
    pub fn net_name(&self) -> Option<&str> {
        let is_net = self.spec.eval != EvalKind::Material
            && self.spec.draw_worth().is_neutral()
            && self.spec.short_term == ShortTermKind::Off
            && !matches!(self.spec.search, SearchKind::Mcts | SearchKind::Td);
        is_net.then_some(&*self.net_name)
    }

    /// The value network.
    pub fn value_net(&self) -> &QuantizedValueNet {
        &self.value_net
    }

    /// The policy network.
    pub fn policy_net(&self) -> &Arc<QuantizedPolicyNet> {
        self.policy.net()
    }

    /// Forgets what earlier searches learned.
    pub fn new_game(&mut self) {
        self.memory.table.clear();
        self.leader.new_game();
        self.helpers.iter_mut().for_each(|helper| helper.new_game());
    }

    /// Asks these Syzygy tables from now on, or none.
    pub fn set_syzygy(&mut self, tables: Option<Arc<Syzygy>>) {
        self.syzygy = tables;
        self.share_tables();
        self.memory.table.clear();
    }

    fn share_tables(&mut self) {
        for searcher in std::iter::once(&mut self.leader).chain(&mut self.helpers) {
            searcher.set_tablebase(self.syzygy.clone().map(|tables| tables as Arc<dyn Tablebase>));
        }
    }

    /// Limits the strength to an Elo, its draws determined by a seed; `None` for full strength.
    pub fn limit_strength(&mut self, elo: Option<u32>, seed: u64) {
        let before = self.search_kind();
        self.level = elo.map(|elo| (Level::of_elo(elo), seed));
        if self.search_kind() != before {
            self.reassemble();
        }
    }

    /// What limits the tree of this engine's searches now.
    fn search_kind(&self) -> SearchKind {
        search_of(&self.spec, self.level.is_some())
    }

    /// What this engine's searches are made of now.
    fn played(&self) -> EngineSpec {
        played(&self.spec, self.level.is_some())
    }

    /// Searches with this number of threads from now on, at least one.
    fn set_threads(&mut self, threads: usize) {
        self.spec.threads = threads.max(1);
        let seed = |number| self.spec.seed.wrapping_add(number);
        let spec = self.played();
        let helper = |number| assemble(&spec, seed(number), &self.value_net, &self.policy, self.memory.tree.as_ref());
        let helpers = if self.leader.set_threads(self.spec.threads) { 1 } else { self.spec.threads };
        self.helpers = (1..helpers as u64).map(helper).collect();
        self.share_tables();
    }

    fn reassemble(&mut self) {
        self.leader =
            assemble(&self.played(), self.spec.seed, &self.value_net, &self.policy, self.memory.tree.as_ref());
        self.set_threads(self.spec.threads);
        self.memory.table.clear();
    }
}

/// What searches remember: a transposition table, and of a Monte-Carlo tree search a tree.
struct Memory {
    table: Table,
    /// `None` for other searches.
    tree: Option<Arc<Arena>>,
}

/// The part of the memory that a tree leaves to the table of its leaves' searches.
const TABLE_PART: usize = 16;

impl Memory {
    /// Both together have the size of the specification.
    fn new(spec: &EngineSpec) -> anyhow::Result<Self> {
        if spec.search != SearchKind::Mcts {
            return Ok(Self { table: Table::new(spec.hash_megabytes)?, tree: None });
        }
        let kilobytes = spec.hash_megabytes << 10;
        let table = Table::with_kilobytes(kilobytes / TABLE_PART)?;
        Ok(Self { table, tree: Some(Arc::new(Arena::with_bytes((kilobytes - kilobytes / TABLE_PART) << 10)?)) })
    }
}

fn value_net(path: &Path, eval: EvalKind) -> anyhow::Result<(Arc<QuantizedValueNet>, String)> {
    let (net, metadata) = nets::file::load(path)?;
    let is_linear = matches!(metadata.topology, Topology::Linear(_));
    ensure!(is_linear || eval != EvalKind::Linear, "{}: {} is no linear evaluator", path.display(), metadata.topology);
    ready(&net)
}

/// A network ready to evaluate, and its name.
fn ready(net: &ValueNet) -> anyhow::Result<(Arc<QuantizedValueNet>, String)> {
    Ok((Arc::new(QuantizedValueNet::new(net, kernels::active()?)), nets::file::name(net)))
}

fn policy_net(path: &Path) -> anyhow::Result<Arc<QuantizedPolicyNet>> {
    Ok(Arc::new(QuantizedPolicyNet::new(&nets::file::load_policy(path)?.0, kernels::active()?)))
}

/// What limits the tree: a limited strength was measured with the probability-limited search, which was the default.
fn search_of(spec: &EngineSpec, is_limited: bool) -> SearchKind {
    if is_limited { SearchKind::Probability } else { spec.search }
}

/// What an engine's searches are made of: a limited strength was measured without a short-term memory, too.
fn played(spec: &EngineSpec, is_limited: bool) -> EngineSpec {
    let short_term = if is_limited { ShortTermKind::Off } else { spec.short_term };
    EngineSpec { search: search_of(spec, is_limited), short_term, ..spec.clone() }
}

impl PolicyKind {
    /// The policy of this kind, for searches that training makes, with the network and the linear policy of `policy`.
    pub fn build(self, policy: &NetworkPolicy) -> Arc<dyn Policy> {
        match self {
            Self::Uniform => Arc::new(UniformPolicy),
            Self::Static => Arc::new(StaticPolicy),
            Self::Linear => Arc::new(policy.linear().clone()),
            Self::Network => Arc::new(policy.clone()),
        }
    }

    /// What a probability-limited search with this policy may leave out.
    pub fn selectivity(self) -> Selectivity {
        match self {
            Self::Uniform => Selectivity::basic(),
            Self::Static | Self::Linear | Self::Network => Selectivity::full(),
        }
    }
}
