//! `okapi train policy`: nodes sampled, labelled and learnt from, each stage in files of one folder.

use super::policy_learning::{self as learning, Amounts, Learning};
use super::policy_progress::Progress;
use crate::engine::evaluators::NetworkEvaluator;
use crate::engine::{PolicyKind, SHIPPED_MOVE_NET, SHIPPED_NET, shipped_net};
use crate::learn::policy::folder::{PolicyFolder, Subset};
use crate::learn::policy::label::Labels;
use crate::learn::policy::sample::{Samples, Sampling};
use crate::learn::policy::searcher::{SearchPolicy, SearchSetup};
use crate::learn::policy::source::{Source, is_validation};
use crate::position_file;
use crate::search::STACK_BYTES;
use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use nets::file::record_name;
use nets::{PolicyNet, QuantizedPolicyNet, QuantizedValueNet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::interrupt::Interrupt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// All that follow, one after another
    All,
    /// Search positions of games and keep some of the nodes
    Sample,
    /// Search the sampled nodes deeper
    Label,
    /// Learn from what is labelled
    Learn,
    /// Validate the network of --policy-net on the validation set
    Validate,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Policy {
    /// The run's folder; a stage goes on where it stopped
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// What to do
    #[arg(long, value_enum, default_value = "all", value_name = "STAGE")]
    stage: Stage,
    /// The games (PGN, also compressed by zstd) whose positions are searched: needed to sample
    #[arg(long, value_name = "FILE")]
    starts: Option<PathBuf>,
    /// EPD files of positions that nothing is learnt from
    #[arg(long, value_name = "FILE")]
    exclude: Vec<PathBuf>,
    /// The value network of the searches [default: the one inside the program]
    #[arg(long, value_name = "FILE")]
    value_net: Option<PathBuf>,
    /// The policy of the searches that sample nodes and of those that label them
    #[arg(long, value_enum, default_value_t, value_name = "POLICY")]
    policy: PolicyKind,
    /// The policy network of these searches [default: the one inside the program]
    #[arg(long, value_name = "FILE")]
    policy_net: Option<PathBuf>,
    /// What everything random is drawn from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many threads; the files are the same for any number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    amounts: Amounts,
    /// Nodes of the shortest search from which nodes are sampled; others have 2, 4, 8 or 16 times as many
    #[arg(long, value_name = "N", default_value_t = 3_000, value_parser = clap::value_parser!(u64).range(1..))]
    sample_search_nodes: u64,
    /// Most nodes that are sampled from one search
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    nodes_per_search: u16,
    /// Least depth of a sampled node, as a depth equivalent: its budget is at least 4^(N - 1) nodes
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=31))]
    min_depth: u32,
    /// Nodes of a search that labels a node of the training set
    #[arg(long, value_name = "N", default_value_t = 8_000, value_parser = clap::value_parser!(u64).range(1..))]
    label_search_nodes: u64,
    /// Nodes of a search that labels a node of the validation set
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    validation_search_nodes: u64,
    #[command(flatten)]
    learning: Learning,
}

/// How many doublings there are between the shortest and the longest sampled search.
const DOUBLINGS: u32 = 4;
/// Nodes of all searches between two looks at the signals, about.
const CHUNK: u64 = 4_000_000;
/// After so many chunks of searches without a node that is kept, there are none to be had.
const MOST_BARREN: u32 = 100;

impl Policy {
    pub(in crate::cli) fn run(&self) -> anyhow::Result<()> {
        let interrupt = Interrupt::install()?;
        let samples = matches!(self.stage, Stage::All | Stage::Sample);
        let learns = matches!(self.stage, Stage::All | Stage::Learn);
        ensure!(samples || self.folder.is_dir(), "there is no folder {}", self.folder.display());
        let folder = PolicyFolder::open(&self.folder)?;
        if learns {
            self.learning.check(&folder, self.seed)?;
        }
        let threads =
            self.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build()?;
        let (setup, name) = self.setup()?;
        pool.install(|| {
            if samples && !interrupt.raised() {
                self.sample(&folder, &setup, &name, &interrupt)?;
            }
            if matches!(self.stage, Stage::All | Stage::Label) {
                for part in Subset::ALL {
                    if !interrupt.raised() {
                        self.label(&folder, part, &setup, &name, &interrupt)?;
                    }
                }
            }
            if learns && !interrupt.raised() {
                let excluded = position_file::keys(self.exclude.iter().map(PathBuf::as_path))?;
                self.learning.run(&folder, self.seed, &self.amounts, &excluded, &interrupt)?;
            }
            if matches!(self.stage, Stage::Validate) {
                learning::validate(&folder, &self.amounts, &self.move_net()?.0)?;
            }
            Ok(())
        })
    }

    /// What searches, and its nets by the start of their files' SHA-256.
    fn setup(&self) -> anyhow::Result<(SearchSetup, String)> {
        let kernels = kernels::active()?;
        let (net, value) = match &self.value_net {
            None => (shipped_net()?, record_name(SHIPPED_NET)),
            Some(path) => {
                (Arc::new(QuantizedValueNet::new(&nets::file::load(path)?.0, kernels)), record_name(&read(path)?))
            }
        };
        let (move_net, moves) = self.move_net()?;
        let move_net = Arc::new(QuantizedPolicyNet::new(&move_net, kernels));
        let probability = match self.policy {
            PolicyKind::Uniform => "uniform".to_owned(),
            PolicyKind::Static => "static".to_owned(),
            PolicyKind::Network => moves,
        };
        let setup = SearchSetup { net: NetworkEvaluator::new(net), policy: SearchPolicy::new(self.policy, &move_net) };
        Ok((setup, format!("net={value} probability={probability}")))
    }

    fn move_net(&self) -> anyhow::Result<(PolicyNet, String)> {
        Ok(match &self.policy_net {
            None => {
                let (net, _) = nets::file::policy_from_bytes("that ships with Okapi", SHIPPED_MOVE_NET)?;
                (net, record_name(SHIPPED_MOVE_NET))
            }
            Some(path) => (nets::file::load_policy(path)?.0, record_name(&read(path)?)),
        })
    }

    fn sample(
        &self,
        folder: &PolicyFolder,
        setup: &SearchSetup,
        name: &str,
        interrupt: &Interrupt,
    ) -> anyhow::Result<()> {
        let starts = self.starts.as_ref().context("to sample nodes, name the games by --starts")?;
        let excluded = position_file::keys(self.exclude.iter().map(PathBuf::as_path))?;
        let source = Source::read(starts, excluded)?;
        let wanted = Subset::ALL.map(|part| self.amounts.of(part));
        let held_out = (0..source.games()).filter(|game| is_validation(self.seed, *game)).count() as u64;
        ensure!(
            (wanted[1] == 0 || held_out > 0) && (wanted[0] == 0 || held_out < source.games()),
            "{} has too few games ({}) to learn from some and to hold others out",
            starts.display(),
            source.games()
        );
        let sampling = Sampling {
            seed: self.seed,
            nodes: self.sample_search_nodes,
            doublings: DOUBLINGS,
            keep: self.nodes_per_search.into(),
            iteration: self.min_depth,
        };
        let header = format!(
            "okapi nodes 5 seed={} {name} games={} nodes={} doublings={DOUBLINGS} keep={} from={}",
            self.seed,
            source.hash(),
            self.sample_search_nodes,
            self.nodes_per_search,
            self.min_depth
        );
        let paths = [folder.nodes(Subset::Training), folder.nodes(Subset::Validation)];
        let mut samples = Samples::open([&paths[0], &paths[1]], &header)?;
        let done = |lines: [u64; 2]| lines[0] >= wanted[0] && lines[1] >= wanted[1];
        let (mut progress, mut barren) = (Progress::new(), 0);
        while !done(samples.lines()) && !interrupt.raised() {
            let before = samples.lines();
            samples.extend(&source, &sampling, setup)?;
            let lines = samples.lines();
            barren = if lines == before { barren + 1 } else { 0 };
            ensure!(
                barren < MOST_BARREN,
                "searches from {} give no more nodes: all its positions are excluded, or --min-depth is too high",
                starts.display()
            );
            let part = lines.iter().zip(wanted).map(|(lines, wanted)| *lines as f64 / wanted.max(1) as f64);
            progress.say(part.fold(1.0, f64::min), || format!("{} nodes sampled, {} held out", lines[0], lines[1]));
        }
        let lines = samples.lines();
        eprintln!("{} nodes sampled, {} held out", lines[0], lines[1]);
        Ok(())
    }

    fn label(
        &self,
        folder: &PolicyFolder,
        part: Subset,
        setup: &SearchSetup,
        name: &str,
        interrupt: &Interrupt,
    ) -> anyhow::Result<()> {
        let nodes = match part {
            Subset::Training => self.label_search_nodes,
            Subset::Validation => self.validation_search_nodes,
        };
        let header = format!("okapi labels 2 {name} nodes={nodes}");
        let (from, to) = (folder.nodes(part), folder.labels(part));
        let mut labels = Labels::open(&from, &to, &header, self.amounts.of(part))?;
        let chunk = (CHUNK / nodes).clamp(2, 4_096) as usize;
        let mut progress = Progress::new();
        loop {
            let more = labels.extend(setup, nodes, chunk)?;
            let (lines, total) = labels.progress();
            progress.say(lines as f64 / total.max(1) as f64, || format!("{}: {lines} of {total}", to.display()));
            if !more || interrupt.raised() {
                eprintln!("{}: {lines} labels of {total}", to.display());
                return Ok(());
            }
        }
    }
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read the net {}", path.display()))
}
