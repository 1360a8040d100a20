//! What an engine is made of, as a table of keys: words of a match player, options of the command line and of UCI, and what
//! records say of an engine are all read from its rows.

use crate::choice::{EvalKind, LeafKind, PolicyKind, SearchKind, ShortTermKind, TdBootstrapKind, TdMovesKind};
use crate::draw_worth::DrawWorth;
use crate::provenance::net_name;
use crate::shipped::{SHIPPED_LINEAR_POLICY, SHIPPED_POLICY_NET, SHIPPED_VALUE_NET};
use crate::strength::Level;
use anyhow::{Context, anyhow};
use search::Selectivity;
use search::mcts::search_contempt::INFINITE;
use search::mcts::{self, MctsSettings};
use search::td_search::{MOST_PLIES, TdBootstrap, TdMoves, TdSettings};
use std::path::{Path, PathBuf};
use support::keys;

/// The largest transposition table on any machine, in MB: 1 TB.
pub const LARGEST_HASH: usize = 1 << 20;
/// The most search threads on any machine.
pub const MOST_THREADS: usize = 1_024;

/// Which commands have a key as an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Those that evaluate.
    Net,
    /// Those that evaluate by something else, too.
    Eval,
    /// Those that search.
    Search,
    /// Those that search, of Monte-Carlo tree search alone.
    Tree,
    /// Those that keep a transposition table between searches.
    Table,
    /// Those that search, but for those that make what is learned from the evaluations of leaves.
    Play,
    /// None: it is a word of match players only.
    Player,
}

/// What a key that was set changes in an engine ([`Engine::apply`](crate::Engine::apply)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The transposition table is made again.
    Table,
    /// The searching threads are made again.
    Threads,
    /// Networks are read, and the searchers made again.
    Nets,
    /// The searchers are made again.
    Parts,
}

/// What a row of the table says beside name, type, default, limits and help.
pub struct Role {
    /// The UCI option that sets the key.
    pub uci: Option<&'static str>,
    /// Which commands have it as an option.
    pub group: Group,
    /// What it changes in an engine.
    pub effect: Effect,
}

const fn role(uci: &'static str, group: Group, effect: Effect) -> Role {
    Role { uci: Some(uci), group, effect }
}

/// The role of a key that only match players have.
const PLAYER: Role = Role { uci: None, group: Group::Player, effect: Effect::Parts };

keys! {
    /// What an engine is made of.
    EngineSpec, KEYS: Role;

    /// The size of the transposition table, in MB; with --search mcts of the tree
    "hash" = "MB", hash_megabytes: usize = 64, in 1..=LARGEST_HASH as i64, role("Hash", Group::Table, Effect::Table);
    /// The number of search threads
    "threads" = "N", threads: usize = 1, in 1..=MOST_THREADS as i64, role("Threads", Group::Player, Effect::Threads);
    /// Common sense, 0: off. Higher values make the better side avoid draws (SAI's lambda in percent)
    "common-sense" = "N", common_sense: f64 = 0.0, in 0..=100, role("CommonSense", Group::Player, Effect::Parts);
    /// What a draw is worth, in percent: -100 as much as a loss, 0 half a win, 100 as much as a win
    "draw-score" = "N", draw_score: f64 = 0.0, in -100..=100, PLAYER;
    /// The Elo of a limited strength, as UCI_Elo
    "elo" = "N|off", elo: Option<u32> = None, in Level::elo_range(), PLAYER;
    /// The seed of the order of quiet moves without history (0: the order of generation) and of a limited strength
    "seed" = "N", seed: u64 = 0, PLAYER;
    /// The file of the value network (default: the network inside the program)
    "value-net" = "FILE", value_net: Option<PathBuf> = None, role("EvalFile", Group::Net, Effect::Nets);
    /// The static evaluation
    "eval" = "KIND", eval: EvalKind = EvalKind::Network, role("Evaluator", Group::Eval, Effect::Nets);
    /// The policy: the probability of each move to be the best, by which the search divides its effort
    "policy" = "KIND", policy: PolicyKind = PolicyKind::Network, role("Policy", Group::Search, Effect::Parts);
    /// The file of the policy network (default: the network inside the program)
    "policy-net" = "FILE", policy_net: Option<PathBuf> = None, role("PolicyFile", Group::Search, Effect::Nets);
    /// The file of the linear policy (default: the one inside the program)
    "linear-policy" = "FILE", linear_policy: Option<PathBuf> = None, role("LinearPolicyFile", Group::Search, Effect::Nets);
    /// What limits the search tree
    "search" = "KIND", search: SearchKind = SearchKind::Depth, role("Search", Group::Search, Effect::Parts);
    /// Selective search: null move pruning, reverse futility pruning, late move pruning, check extensions and re-searches;
    /// with --search depth all that docs/parts.md says of it
    "selective" = "on|off", selective: bool = true, role("Selective", Group::Search, Effect::Parts);
    /// Short-term memory: what the search learns while it goes on and adds to the evaluation
    "short-term" = "KIND", short_term: ShortTermKind = ShortTermKind::Off, role("ShortTerm", Group::Play, Effect::Parts);
    /// The step by which the short-term memory learns, in thousandths of the error; 0: that of its kind (tree
    /// 100, hidden 10, simulation --td-step)
    "short-term-step" = "N", short_term_step: u32 = 0, in 0..=1_000, role("ShortTermStep", Group::Play, Effect::Parts);
    /// With --short-term simulation: the percent of the nodes, or of the time planned for a move, that are spent on simulations
    "short-term-share" = "N", short_term_share: f64 = 0.5, in 0..=100, role("ShortTermShare", Group::Play, Effect::Parts);
    /// With --search mcts: how the end of a line is valued: by a quiescence search (quiescence), by its evaluation (static), or by a
    /// search that probability limits, of budget B (search:B; 16 is about two plies, 64 three)
    "leaf" = "KIND", leaf: LeafKind = LeafKind::Quiescence, role("Leaf", Group::Tree, Effect::Parts);
    /// With --search mcts: search-contempt. The opponent's moves are drawn from the distribution of their first N visits; less expects
    /// more mistakes (1000000000: never, which is PUCT)
    "sc-limit" = "N", contempt_limit: u32 = INFINITE, in 1..=i64::from(INFINITE), role("ScLimit", Group::Tree, Effect::Parts);
    /// With --search mcts: the temperature of the move that is played, in percent; 0: the most visited move, 100: drawn in proportion
    /// to visits
    "temperature" = "N", temperature: f64 = 0.0, in 0..=1_000, role("Temperature", Group::Tree, Effect::Parts);
    /// With --search mcts: how many percent of each prior of the root are noise (Dirichlet(0.3)), for games from which it learns, where
    /// 25 is usual; above 0 nothing of the tree is kept for the next move
    "root-noise" = "N", root_noise: f64 = 0.0, in 0..=100, role("RootNoise", Group::Tree, Effect::Parts);
    /// With --search td or --short-term simulation: the step of an update, alpha, in thousandths of the error
    "td-step" = "N", td_step: u32 = 100, in 0..=10_000, role("TdStep", Group::Play, Effect::Parts);
    /// With --search td or --short-term simulation: the chance of a random move in a simulation, epsilon, in percent
    "td-epsilon" = "N", td_epsilon: f64 = 0.1, in 0..=100, role("TdEpsilon", Group::Play, Effect::Parts);
    /// With --search td or --short-term simulation: how many percent of an update go on to the position before, lambda
    "td-lambda" = "N", td_lambda: f64 = 0.0, in 0..=100, role("TdLambda", Group::Play, Effect::Parts);
    /// With --search td or --short-term simulation: the plies between the two values that an update compares
    "td-span" = "N", td_span: u32 = 2, in 1..=2, role("TdSpan", Group::Play, Effect::Parts);
    /// With --search td or --short-term simulation: the plies after which a simulation is cut and ends with the static
    /// evaluation; 0: it goes on to the end of the game, whose result is learned
    "td-cut" = "N", td_cut: u32 = 6, in 0..=MOST_PLIES as i64, role("TdCut", Group::Play, Effect::Parts);
    /// With --search td or --short-term simulation: how a simulation chooses the moves that are not random
    "td-moves" = "KIND", td_moves: TdMovesKind = TdMovesKind::Greedy, role("TdMoves", Group::Play, Effect::Parts);
    /// With --search td or --short-term simulation: the value of a simulation that is cut
    "td-bootstrap" = "KIND", td_bootstrap: TdBootstrapKind = TdBootstrapKind::Static, role("TdBootstrap", Group::Play, Effect::Parts);
    /// With --td-cut 0: the most plies of a simulation; one that reaches them has no result
    "td-plies" = "N", td_plies: u32 = 200, in 1..=MOST_PLIES as i64, role("TdPlies", Group::Play, Effect::Parts);
    /// With --search td: the evaluator is part of the value, as the long-term memory (Dyna-2); off: only what simulations have taught
    "td-long-term" = "on|off", td_long_term: bool = true, role("TdLongTerm", Group::Play, Effect::Parts);
    /// With --search td or --short-term simulation: how many percent of what simulations have taught are kept for the next
    /// move; 0: none
    "td-kept" = "N", td_kept: f64 = 1.0, in 0..=100, role("TdKept", Group::Play, Effect::Parts);
}

impl EngineSpec {
    /// Sets a key from a word `KEY=VALUE` of a match player.
    ///
    /// # Errors
    /// If there is no such key or it cannot have this value; the error names the word, and nothing is changed.
    pub fn set_word(&mut self, name: &str, value: &str) -> anyhow::Result<()> {
        let key = KEYS.iter().find(|key| key.name == name);
        let key = key.with_context(|| format!("'{name}={value}' is not a setting of a player"))?;
        key.set(self, value).map_err(|expected| anyhow!("'{name}={value}' is not {expected}"))
    }

    /// The step of the short-term memory, whose kind has this one by default.
    pub fn short_term_step(&self, default: f32) -> f32 {
        if self.short_term_step > 0 { self.short_term_step as f32 / 1_000.0 } else { default }
    }

    /// How a Monte-Carlo tree search goes.
    pub fn tree_settings(&self) -> MctsSettings {
        let leaf = match self.leaf {
            LeafKind::Quiescence => mcts::LeafKind::Quiescence,
            LeafKind::Static => mcts::LeafKind::Static,
            LeafKind::Search(budget) => mcts::LeafKind::Search(budget),
        };
        let selectivity = if self.selective { self.policy.selectivity() } else { Selectivity::NONE };
        let Self { contempt_limit, temperature, root_noise, .. } = *self;
        MctsSettings { leaf, selectivity, contempt_limit, temperature, root_noise }
    }

    /// How a temporal-difference search goes.
    pub fn td_settings(&self) -> TdSettings {
        TdSettings {
            step: self.td_step as f32 / 1_000.0,
            exploration: self.td_epsilon,
            lambda: self.td_lambda as f32,
            span: self.td_span as usize,
            cut: (self.td_cut > 0).then_some(self.td_cut as usize),
            most_plies: self.td_plies as usize,
            long_term: self.td_long_term,
            kept: self.td_kept as f32,
            moves: match self.td_moves {
                TdMovesKind::Greedy => TdMoves::Greedy,
                TdMovesKind::Policy => TdMoves::Policy,
            },
            bootstrap: match self.td_bootstrap {
                TdBootstrapKind::Static => TdBootstrap::Static,
                TdBootstrapKind::Quiescence => TdBootstrap::Quiescence,
            },
        }
    }

    /// How the simulations before a search go.
    pub fn simulation_settings(&self) -> TdSettings {
        let settings = self.td_settings();
        TdSettings { step: self.short_term_step(settings.step), long_term: true, ..settings }
    }

    /// What a draw is worth.
    pub fn draw_worth(&self) -> DrawWorth {
        DrawWorth { score: self.draw_score, common_sense: self.common_sense }
    }

    /// The files that it names.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        KEYS.iter().filter_map(|key| (key.path)(self))
    }

    /// What the engine is made of, in words that records keep: two engines of the same words play the same. A network is named by the
    /// start of the SHA-256 of its parameters. Of the keys of match players only those are named that have another value than by default.
    ///
    /// # Errors
    /// If the engine cannot be built.
    pub fn describe(&self) -> anyhow::Result<String> {
        let mut words = concat!("okapi ", env!("CARGO_PKG_VERSION")).to_owned();
        for key in KEYS {
            let value = match (self.shipped(key.name), (key.path)(self)) {
                (_, Some(path)) => {
                    let bytes = std::fs::read(path);
                    let bytes = bytes.with_context(|| format!("cannot read the net {}", path.display()))?;
                    net_name(&bytes).with_context(|| format!("the net {} cannot be used", path.display()))?
                }
                (Some(shipped), None) => net_name(shipped)?,
                _ => (key.text)(self),
            };
            let is_named = match key.more.group {
                Group::Player | Group::Play => value != key.default(),
                Group::Tree => self.search == SearchKind::Mcts,
                _ => true,
            };
            if is_named {
                words += &format!(" {}={value}", key.name);
            }
        }
        drop(self.build()?);
        Ok(words)
    }

    /// The shipped network that is used unless the key of this name names another.
    fn shipped(&self, key: &str) -> Option<&'static [u8]> {
        match key {
            "value-net" if self.eval != EvalKind::Linear => Some(SHIPPED_VALUE_NET),
            "policy-net" => Some(SHIPPED_POLICY_NET),
            "linear-policy" => Some(SHIPPED_LINEAR_POLICY),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_thousandths_and_parts_percent() {
        let mut spec = EngineSpec::default();
        assert_eq!((spec.short_term_step(0.5), spec.td_settings()), (0.5, TdSettings::default()));
        for (name, value) in [
            ("short-term-step", "30"),
            ("td-step", "250"),
            ("td-epsilon", "20"),
            ("td-lambda", "50"),
            ("td-span", "1"),
            ("td-cut", "0"),
            ("td-plies", "60"),
            ("td-long-term", "off"),
            ("td-kept", "0"),
            ("td-moves", "policy"),
            ("td-bootstrap", "quiescence"),
        ] {
            spec.set_word(name, value).unwrap();
        }
        let settings = TdSettings {
            step: 0.25,
            exploration: 0.2,
            lambda: 0.5,
            span: 1,
            cut: None,
            most_plies: 60,
            long_term: false,
            kept: 0.0,
            moves: TdMoves::Policy,
            bootstrap: TdBootstrap::Quiescence,
        };
        assert_eq!((spec.short_term_step(0.5), spec.td_settings()), (0.03, settings));
        assert_eq!(spec.simulation_settings(), TdSettings { step: 0.03, long_term: true, ..settings });
        spec.set_word("short-term-share", "25").unwrap();
        assert_eq!(spec.short_term_share, 0.25);
    }
}
