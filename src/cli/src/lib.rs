//! The command line: one file a subcommand. Without a subcommand the program speaks UCI.
//!
//! The exit status: `EXIT_STATUS`, and docs/exit-status.md.

mod analyse;
mod bench;
mod engine_args;
mod eval;
mod league;
mod learn;
mod manual;
mod r#match;
mod mcts;
mod merge;
mod net;
mod opening_args;
mod perft;
mod players;
mod report;
mod rule_args;
mod short_term;
mod sts;
mod sts_make;
pub mod train;
mod tune;
mod wdl;

use crate::engine_args::EngineArgs;
use ::learn::run::team::Followed;
use clap::{CommandFactory, Parser, Subcommand};
use engine::provenance;
use std::io::Write;
use std::process::ExitCode;
use std::sync::OnceLock;
use support::interrupt::Interrupted;

/// What `--help` says of the exit status.
const EXIT_STATUS: &str = "\
Exit status: 0 done, 1 an error, 2 a wrong command line, 3 nothing learned (learn). A long command that a signal stops
has saved what it did and ends with 128 and the signal's number: 129 (SIGHUP), 130 (SIGINT, Ctrl-C), 131 (SIGQUIT),
138 (SIGUSR1) or 143 (SIGTERM); the same command continues it. A second Ctrl-C stops it at once.";

/// A chess engine with a learned evaluation and a learned policy.
#[derive(Debug, Parser)]
#[command(name = "okapi", after_help = EXIT_STATUS, version = version(false), long_version = version(true), about, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(flatten)]
    engine: EngineArgs,
    #[command(subcommand)]
    command: Option<Command>,
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
    /// Explain games: annotated PGN, and pages to step through
    #[command(visible_alias = "analyze")]
    Analyse(Box<analyse::Analyse>),
    /// Show what is in a net file
    #[command(subcommand)]
    Net(net::Net),
    /// Score engines on the Strategic Test Suite or any other EPD suite
    Sts(Box<sts::Sts>),
    /// Play a match between engines
    Match(Box<r#match::Match>),
    /// Measure the Monte-Carlo tree search
    #[command(subcommand)]
    Mcts(Box<mcts::Mcts>),
    /// Join the parts of a job that several processes have made with --shard
    Merge(merge::Merge),
    /// Learn from games that were played, against anyone (KnightCap)
    Learn(Box<learn::Learn>),
    /// Play a pool of opponents, and learn after every game (KnightCap)
    League(league::League),
    /// Train a net
    #[command(subcommand)]
    Train(train::Train),
    /// Tune options of an engine by games against itself (SPSA)
    Tune(Box<tune::Tune>),
    /// Predictions of win, draw and loss
    #[command(subcommand)]
    Wdl(wdl::Wdl),
    /// Short-term memories: what a search learns while it goes on
    #[command(subcommand)]
    ShortTerm(short_term::ShortTerm),
    /// Draw a training run or a league as one HTML page
    Report(report::Report),
    /// Print a shell's completions of this command line, to be installed where the shell looks for them
    Completions(manual::Completions),
    /// Write the manual pages into a folder
    Man(manual::Man),
}

/// The exit status of a correct outcome without a result.
const NOTHING_LEARNED: u8 = 3;

/// Runs the program with the arguments of its process.
pub fn main() -> ExitCode {
    let Cli { engine, command } = Cli::parse();
    let done = match command.unwrap_or(Command::Uci(engine)) {
        Command::Uci(engine) => uci::run(engine.spec, std::io::stdin().lock(), std::io::stdout()),
        Command::Perft(perft) => perft.run(),
        Command::Bench(bench) => bench.run(),
        Command::Eval(eval) => eval.run(),
        Command::Analyse(analyse) => analyse.run(),
        Command::Net(net) => net.run(),
        Command::Sts(sts) => sts.run(),
        Command::Match(args) => args.run(),
        Command::Mcts(mcts) => mcts.run(),
        Command::Merge(merge) => merge.run(),
        Command::Learn(learn) => learn.run(),
        Command::League(league) => league.run(),
        Command::Train(train) => train.run(),
        Command::Tune(tune) => tune.run(),
        Command::Wdl(wdl) => wdl.run(),
        Command::ShortTerm(short_term) => short_term.run(),
        Command::Report(report) => report.run(),
        Command::Completions(completions) => completions.run(Cli::command()),
        Command::Man(man) => man.run(Cli::command()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the output, such as head, has read enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        // Rank 0 has said it.
        Err(error) if error.is::<Followed>() => ExitCode::from(status(&error)),
        Err(error) => {
            say(&error);
            ExitCode::from(status(&error))
        }
    }
}

/// Says an error, at once: what mpirun says at the same time does not come between.
fn say(error: &anyhow::Error) {
    let _ = std::io::stderr().write_all(format!("okapi: {error:#}\n").as_bytes());
}

/// What `-V` prints, or all that `--version` does.
fn version(long: bool) -> &'static str {
    static TEXTS: OnceLock<[String; 2]> = OnceLock::new();
    &TEXTS.get_or_init(|| [provenance::build(), provenance::long()])[usize::from(long)]
}

/// The exit status after an error.
fn status(error: &anyhow::Error) -> u8 {
    if let Some(followed) = error.downcast_ref::<Followed>() {
        return followed.status;
    }
    match error.downcast_ref::<Interrupted>() {
        Some(interrupted) => interrupted.status(),
        None if error.is::<::learn::tasks::played::played_run::NothingLearned>() => NOTHING_LEARNED,
        None => 1,
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let causes = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    causes.map(std::io::Error::kind).any(|kind| kind == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
