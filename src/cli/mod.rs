//! The command line: one file a subcommand. Without a subcommand the program speaks UCI.
//!
//! A usage that clap does not know exits with 2, an error of running prints one sentence and exits with 1.

mod bench;
mod choice;
mod eval;
mod r#match;
mod net;
mod perft;
mod report;
mod sts;
mod sts_make;
pub mod train;

use crate::cli::choice::choice;
use crate::engine::spec::{DEFAULT_HASH, LARGEST_HASH};
use crate::engine::{Choice, EngineSpec, EvalKind, PolicyKind, SearchKind, Settings};
use crate::uci;
use clap::{ArgAction, Args, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// A chess engine with a learned evaluation and a learned policy.
#[derive(Debug, Parser)]
#[command(name = "okapi", version, about, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(flatten)]
    engine: EngineArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

/// The evaluator.
#[derive(Debug, Args)]
struct EvaluatorArgs {
    /// The static evaluation
    #[arg(long, value_parser = choice::<EvalKind>(), default_value = EvalKind::default().word(), value_name = "KIND")]
    eval: EvalKind,
    #[command(flatten)]
    net: ValueNetArg,
}

#[derive(Debug, Args)]
struct ValueNetArg {
    /// The file of the value network (default: the network inside the program)
    #[arg(long, value_name = "FILE")]
    value_net: Option<PathBuf>,
}

/// The policy and the search.
#[derive(Debug, Args)]
struct SearchArgs {
    /// The policy: the probability of each move to be the best, by which the search divides its effort
    #[arg(long, value_parser = choice::<PolicyKind>(), default_value = PolicyKind::default().word(),
          value_name = "KIND")]
    policy: PolicyKind,
    /// The file of the policy network (default: the network inside the program)
    #[arg(long, value_name = "FILE")]
    policy_net: Option<PathBuf>,
    /// What limits the search tree
    #[arg(long, value_parser = choice::<SearchKind>(), default_value = SearchKind::default().word(),
          value_name = "KIND")]
    search: SearchKind,
    /// Selective search: null move pruning, reverse futility pruning, late move pruning, check extensions and re-searches;
    /// with --search depth also late move reductions
    #[arg(long, action = ArgAction::Set, value_parser = choice::<bool>(), default_value = "on", value_name = "on|off")]
    selective: bool,
}

/// What the engine is made of.
#[derive(Debug, Args)]
struct EngineArgs {
    #[command(flatten)]
    evaluator: EvaluatorArgs,
    #[command(flatten)]
    search: SearchArgs,
    /// The size of the transposition table, in MB
    #[arg(long, default_value_t = DEFAULT_HASH as u64, value_name = "MB",
          value_parser = clap::value_parser!(u64).range(1..=LARGEST_HASH as u64))]
    hash: u64,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Speak the Universal Chess Interface on standard input and output (what happens without a subcommand)
    Uci(EngineArgs),
    /// Count the positions that legal moves lead to
    Perft(perft::Perft),
    /// Search fixed positions: the speed, and the node count, which any change of play changes
    Bench(bench::Bench),
    /// Show the value of a position, the probability of each of its moves, and what a search plays
    Eval(eval::Eval),
    /// Show what is in a net file
    #[command(subcommand)]
    Net(net::Net),
    /// Score engines on the Strategic Test Suite or any other EPD suite
    Sts(Box<sts::Sts>),
    /// Play a match between engines
    Match(Box<r#match::Match>),
    /// Train a net
    #[command(subcommand)]
    Train(train::Train),
    /// Draw a training run as one HTML page
    Report(report::Report),
}

impl SearchArgs {
    fn settings(&self, eval: EvalKind) -> Settings {
        Settings { eval, policy: self.policy, search: self.search, selective: self.selective, seed: 0 }
    }
}

impl EvaluatorArgs {
    fn spec(&self, search: &SearchArgs, hash_megabytes: usize) -> EngineSpec {
        let settings = search.settings(self.eval);
        EngineSpec {
            settings,
            hash_megabytes,
            value_net: self.net.value_net.clone(),
            policy_net: search.policy_net.clone(),
            ..EngineSpec::default()
        }
    }
}

impl EngineArgs {
    fn spec(&self) -> EngineSpec {
        self.evaluator.spec(&self.search, self.hash as usize)
    }
}

/// Runs the program with the arguments of its process.
pub fn main() -> ExitCode {
    let Cli { engine, command } = Cli::parse();
    let done = match command.unwrap_or(Command::Uci(engine)) {
        Command::Uci(engine) => uci::run(engine.spec(), std::io::stdin().lock(), std::io::stdout()),
        Command::Perft(perft) => perft.run(),
        Command::Bench(bench) => bench.run(),
        Command::Eval(eval) => eval.run(),
        Command::Net(net) => net.run(),
        Command::Sts(sts) => sts.run(),
        Command::Match(args) => args.run(),
        Command::Train(train) => train.run(),
        Command::Report(report) => report.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the output, such as head, has read enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("okapi: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let causes = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    causes.map(std::io::Error::kind).any(|kind| kind == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
