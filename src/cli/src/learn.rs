//! `okapi learn`: the value network learns from games that were played.

use super::engine_args::LearningArgs;
use super::wdl::value_net;
use anyhow::ensure;
use clap::Args;
use engine::{EngineSpec, SearchKind};
use learn::tasks::played::played_run::PlayedOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use support::interrupt::Interrupt;
use support::output::{Output, check_appended};
use support::progress::Progress;

const STATUS: &str = "\
The network is written only if it predicts the targets of held-out games (one in five) better than before, and if its values on other positions
change by at most 0.01 (root of the mean square). Otherwise nothing was learned, which is no mistake: the exit status is 3.
Example:
  okapi learn games.pgn --as Okapi --out learned.safetensors";

#[derive(Debug, Args)]
#[command(after_help = STATUS)]
pub(super) struct Learn {
    #[command(flatten)]
    played: PlayedOptions,
    /// At most so many games of the new network against the old one, of --nodes a move, until a sequential test (-10 Elo against 0) says
    /// whether it is worse; if it is, nothing was learned
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    verify: Option<u64>,
    /// The file of the network that has learned
    #[arg(long, value_name = "FILE", required_unless_present = "dry_run")]
    out: Option<PathBuf>,
    /// The value network that learns (default: the network inside the program)
    #[arg(long, value_name = "FILE")]
    value_net: Option<PathBuf>,
    /// Write nothing; show what would change most, and why
    #[arg(long)]
    dry_run: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    search: LearningArgs,
}

impl Learn {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        ensure!(
            !matches!(self.search.spec.search, SearchKind::Mcts | SearchKind::Td),
            "--search mcts and td find means and not the values of positions, from which alone a network can learn; use probability or depth"
        );
        let files = self.value_net.iter().chain([&self.played.games]).chain(&self.played.log).map(PathBuf::as_path);
        let inputs: Vec<&Path> = files.chain(self.search.spec.files()).collect();
        self.played.state.as_deref().map_or(Ok(()), |state| check_appended(state, &inputs))?;
        let check = |path: &PathBuf| Output::check(path, &inputs, self.force);
        let output = self.out.as_ref().map(check).transpose()?;
        let interrupt = Interrupt::install()?;
        let (net, provenance) = value_net(self.value_net.as_deref())?;
        let spec = EngineSpec { value_net: self.value_net.clone(), hash_megabytes: 1, ..self.search.spec.clone() };
        let (options, mut progress) = (PlayedOptions { spec, ..self.played.clone() }, Progress::default());
        let learned = options.learn((&net, &provenance), &interrupt, &mut progress)?;
        progress.finish();
        let mut out = std::io::stdout();
        let changes = if self.dry_run { learned.lessons.changes() } else { String::new() };
        write!(out, "{}{changes}", learned.lessons.report(&learned.effect))?;
        let bytes = learned.bytes()?;
        if let Some(most) = self.verify {
            let said = options.verify(&bytes, most, &interrupt, &mut progress)?;
            progress.finish();
            writeln!(out, "{said}")?;
        }
        if let Some(output) = output.filter(|_| !self.dry_run) {
            output.write(&bytes)?;
            writeln!(out, "network in {}", output.path().display())?;
        }
        Ok(())
    }
}
