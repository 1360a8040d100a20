//! The command line: one file a subcommand. Without a subcommand the program speaks UCI.
//!
//! A usage that clap does not know exits with 2, an error of running prints one sentence and exits with 1.

mod bench;
mod eval;
mod r#match;
mod net;
mod perft;
mod report;
mod sts;
mod sts_make;
pub mod train;

use crate::engine::{EvalKind, PolicyKind, SearchKind, Settings};
use crate::uci::options::LARGEST_HASH;
use crate::uci::recipe::DEFAULT_HASH;
use crate::uci::{self, Recipe};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;

/// A chess engine whose judgement is learned.
#[derive(Debug, Parser)]
#[command(name = "okapi", version, about, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(flatten)]
    engine: EngineArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

/// What values positions.
#[derive(Debug, Args)]
struct EvaluatorArgs {
    /// What values positions
    #[arg(long, value_enum, default_value_t, value_name = "KIND")]
    eval: EvalKind,
    #[command(flatten)]
    net: ValueNetArg,
}

#[derive(Debug, Args)]
struct ValueNetArg {
    /// The file of the value network; default: the one inside the program
    #[arg(long, value_name = "FILE")]
    value_net: Option<PathBuf>,
}

/// How moves are searched.
#[derive(Debug, Args)]
struct SearchArgs {
    /// What gives each move its probability
    #[arg(long, value_enum, default_value_t, value_name = "KIND")]
    policy: PolicyKind,
    /// The file of the policy network; default: the one inside the program
    #[arg(long, value_name = "FILE")]
    policy_net: Option<PathBuf>,
    /// What limits the search tree
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    search: SearchKind,
    /// Prune and extend: null move, check extensions, late move pruning, re-searches; off: the policy alone
    #[arg(long, value_enum, default_value_t, value_name = "SWITCH")]
    selective: Switch,
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Switch {
    #[default]
    On,
    Off,
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
    /// Search fixed positions: speed, and the node count that a change of play changes
    Bench(bench::Bench),
    /// Say what a position is worth, and each of its moves
    Eval(eval::Eval),
    /// Look at a net file
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
        let selective = self.selective == Switch::On;
        Settings { eval, policy: self.policy, search: self.search, selective, seed: 0 }
    }
}

impl EvaluatorArgs {
    fn recipe(&self, search: &SearchArgs, hash_megabytes: usize) -> Recipe {
        let settings = search.settings(self.eval);
        Recipe {
            settings,
            hash_megabytes,
            net: self.net.value_net.clone(),
            move_net: search.policy_net.clone(),
            ..Recipe::default()
        }
    }
}

impl EngineArgs {
    fn recipe(&self) -> Recipe {
        self.evaluator.recipe(&self.search, self.hash as usize)
    }
}

/// Runs the program with the arguments of its process.
pub fn main() -> ExitCode {
    let Cli { engine, command } = Cli::parse();
    let done = match command.unwrap_or(Command::Uci(engine)) {
        Command::Uci(engine) => uci::run(engine.recipe(), std::io::stdin().lock(), std::io::stdout()),
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
        // Whoever reads has read enough.
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
