//! The options that choose what an engine is made of; the commands that run Okapi share them.

use crate::choice::choice;
use clap::{ArgAction, Args};
use engine::spec::{DEFAULT_HASH, LARGEST_HASH};
use engine::{EngineSpec, EvalKind, PolicyKind, SearchKind};
use std::path::PathBuf;
use support::choice::Choice;

/// The evaluator.
#[derive(Debug, Args)]
pub struct EvaluatorArgs {
    /// The static evaluation
    #[arg(long, value_parser = choice::<EvalKind>(), default_value = EvalKind::default().word(), value_name = "KIND")]
    pub eval: EvalKind,
    /// Its network.
    #[command(flatten)]
    pub net: ValueNetArg,
}

/// The value network.
#[derive(Debug, Args)]
pub struct ValueNetArg {
    /// The file of the value network (default: the network inside the program)
    #[arg(long, value_name = "FILE")]
    pub value_net: Option<PathBuf>,
}

/// The policy and the search.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The policy: the probability of each move to be the best, by which the search divides its effort
    #[arg(long, value_parser = choice::<PolicyKind>(), default_value = PolicyKind::default().word(),
          value_name = "KIND")]
    pub policy: PolicyKind,
    /// The file of the policy network (default: the network inside the program)
    #[arg(long, value_name = "FILE")]
    pub policy_net: Option<PathBuf>,
    /// The file of the linear policy (default: the one inside the program)
    #[arg(long, value_name = "FILE")]
    pub linear_policy: Option<PathBuf>,
    /// What limits the search tree
    #[arg(long, value_parser = choice::<SearchKind>(), default_value = SearchKind::default().word(),
          value_name = "KIND")]
    pub search: SearchKind,
    /// Selective search: null move pruning, reverse futility pruning, late move pruning, check extensions and re-searches;
    /// with --search depth also late move reductions
    #[arg(long, action = ArgAction::Set, value_parser = choice::<bool>(), default_value = "on", value_name = "on|off")]
    pub selective: bool,
}

/// What the engine is made of.
#[derive(Debug, Args)]
pub struct EngineArgs {
    /// The evaluator.
    #[command(flatten)]
    pub evaluator: EvaluatorArgs,
    /// The policy and the search.
    #[command(flatten)]
    pub search: SearchArgs,
    /// The size of the transposition table, in MB
    #[arg(long, default_value_t = DEFAULT_HASH as u64, value_name = "MB",
          value_parser = clap::value_parser!(u64).range(1..=LARGEST_HASH as u64))]
    pub hash: u64,
}

impl ValueNetArg {
    /// The specification of an engine with this network, evaluator, search and size of the table.
    pub fn spec(&self, eval: EvalKind, search: &SearchArgs, hash_megabytes: usize) -> EngineSpec {
        EngineSpec {
            eval,
            policy: search.policy,
            search: search.search,
            selective: search.selective,
            hash_megabytes,
            value_net: self.value_net.clone(),
            policy_net: search.policy_net.clone(),
            linear_policy: search.linear_policy.clone(),
            ..EngineSpec::default()
        }
    }
}

impl EvaluatorArgs {
    /// The specification of an engine with this evaluator, search and size of the table.
    pub fn spec(&self, search: &SearchArgs, hash_megabytes: usize) -> EngineSpec {
        self.net.spec(self.eval, search, hash_megabytes)
    }
}

impl EngineArgs {
    /// The specification of the engine.
    pub fn spec(&self) -> EngineSpec {
        self.evaluator.spec(&self.search, self.hash as usize)
    }
}
