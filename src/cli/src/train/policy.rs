//! `okapi train policy`: the stages of a policy's training, all in one folder.

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use engine::evaluators::NetworkEvaluator;
use engine::linear_file;
use engine::network_policy::NetworkPolicy;
use engine::provenance::net_name;
use engine::{PolicyKind, SHIPPED_LINEAR_POLICY, SHIPPED_POLICY_NET, SHIPPED_VALUE_NET, shipped_value_net};
use learn::data::merge_nodes::TASK;
use learn::data::node_searcher::SearchSetup;
use learn::data::node_source::Source;
use learn::data::part_file::PartFile;
use learn::data::sample_nodes::Share;
use learn::run::option_values::choice;
use learn::tasks::policy::policy_folder::{PolicyFolder, Subset};
use learn::tasks::policy::policy_options::Options;
use learn::tasks::policy::stages::Stages;
use nets::{PolicyNet, QuantizedPolicyNet, QuantizedValueNet};
use pgn::position_file;
use search::LinearPolicy;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::choice::Choice;
use support::interrupt::Interrupt;
use support::part::Part;
use support::progress::Progress;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// Sample, label and learn, one after another
    All,
    /// Search positions of games and sample nodes of these searches
    Sample,
    /// Label the sampled nodes by deeper searches
    Label,
    /// Take positions of kept games of --search mcts as nodes and their visits as labels, in place of sample and label
    Visits,
    /// Learn the policy network from the labeled nodes
    Learn,
    /// Learn the linear policy from the labeled nodes, in the folder `linear` of DIR
    Linear,
    /// Validate the network of --policy-net and the linear policy of --linear-policy on the validation set
    Validate,
}

/// The options of `okapi train policy`.
#[derive(Debug, Args)]
pub struct Policy {
    /// The folder of the training; every stage continues where its files end
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The stage to run
    #[arg(long, value_enum, default_value = "all", value_name = "STAGE")]
    stage: Stage,
    /// The games (PGN, also .zst) whose positions are searched; required for sampling
    #[arg(long, value_name = "FILE")]
    starts: Option<PathBuf>,
    /// The folders of kept games with visits; required for --stage visits
    #[arg(long, value_name = "DIRS", num_args = 1..)]
    kept: Vec<PathBuf>,
    /// Sample from so many searches, instead of until there are --training-nodes and --validation-nodes, which then bound the labels alone
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    searches: Option<u64>,
    /// Sample only from part k of K of the --searches, 64 at a time, and label their nodes; `okapi merge` joins the folders of all parts
    #[arg(long, value_name = "k/K", default_value_t = Part::WHOLE, requires = "searches")]
    shard: Part,
    /// EPD files whose positions are removed from both sets
    #[arg(long, value_name = "FILE")]
    exclude: Vec<PathBuf>,
    /// The value network of the searches [default: the one inside the program]
    #[arg(long, value_name = "FILE")]
    value_net: Option<PathBuf>,
    /// The policy of the searches that sample nodes and of those that label them
    #[arg(long, value_parser = choice::<PolicyKind>(), default_value = PolicyKind::default().word(),
          value_name = "POLICY")]
    policy: PolicyKind,
    /// The policy network of these searches [default: the one inside the program]
    #[arg(long, value_name = "FILE")]
    policy_net: Option<PathBuf>,
    /// The linear policy of these searches [default: the one inside the program]
    #[arg(long, value_name = "FILE")]
    linear_policy: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

impl Policy {
    /// The folder that it fills.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs the command.
    ///
    /// # Errors
    /// If a file or an option cannot be used, in one sentence.
    pub fn run(&self) -> anyhow::Result<()> {
        let interrupt = Interrupt::install()?;
        let samples = matches!(self.stage, Stage::All | Stage::Sample);
        let labels = matches!(self.stage, Stage::All | Stage::Label);
        let learns = matches!(self.stage, Stage::All | Stage::Learn);
        let visits = matches!(self.stage, Stage::Visits);
        ensure!(visits || self.kept.is_empty(), "--kept is for --stage visits");
        ensure!(!visits || !self.kept.is_empty(), "--stage visits needs the folders of kept games: --kept DIRS");
        ensure!(samples || visits || self.folder.is_dir(), "there is no folder {}", self.folder.display());
        let folder = PolicyFolder::open(&self.folder)?;
        let mut observer = Progress::default();
        let options = &self.options;
        PartFile::begin(TASK, self.shard, Vec::new()).check_alone(folder.path())?;
        ensure!(
            self.shard.is_whole() || matches!(self.stage, Stage::Sample | Stage::Label),
            "--shard is for --stage sample and --stage label"
        );
        let share = Share { part: self.shard, searches: self.searches };
        let mut stages = Stages { folder: &folder, options, share, interrupt: &interrupt, observer: &mut observer };
        if learns {
            stages.check()?;
        }
        if visits {
            return stages.take_visits(&self.kept);
        }
        let pool = options.session.pool()?;
        let setup = self.setup()?;
        let excluded = || position_file::keys(self.exclude.iter().map(PathBuf::as_path));
        pool.install(|| {
            if samples {
                let starts = self.starts.as_ref().context("to sample nodes, name the games by --starts")?;
                let source = Source::read(starts, excluded()?)?;
                source.faults.notes(starts).iter().for_each(|note| support::say!("note: {note}"));
                stages.sample(&source, &setup)?;
            }
            for subset in Subset::ALL.into_iter().filter(|_| labels) {
                stages.label(subset, &setup)?;
            }
            if learns {
                stages.learn(&excluded()?)?;
            }
            if matches!(self.stage, Stage::Linear) {
                stages.learn_linear(&excluded()?)?;
            }
            if matches!(self.stage, Stage::Validate) {
                stages.validate(&self.policy_network()?.0, &self.linear_policy()?.0)?;
            }
            Ok(())
        })
    }

    /// What searches, with the nets known by the start of their parameters' SHA-256.
    fn setup(&self) -> anyhow::Result<SearchSetup> {
        let kernels = kernels::active()?;
        let (net, value) = match &self.value_net {
            None => (shipped_value_net()?, net_name(SHIPPED_VALUE_NET)?),
            Some(path) => {
                (Arc::new(QuantizedValueNet::new(&nets::file::load(path)?.0, kernels)), net_name(&read(path)?)?)
            }
        };
        let (network, hash) = self.policy_network()?;
        let (linear, linear_hash) = self.linear_policy()?;
        let network = NetworkPolicy::new(Arc::new(QuantizedPolicyNet::new(&network, kernels)), linear);
        let probability = match self.policy {
            PolicyKind::Uniform => "uniform".to_owned(),
            PolicyKind::Static => "static".to_owned(),
            PolicyKind::Linear => linear_hash,
            PolicyKind::Network => format!("{hash}+{linear_hash}"),
        };
        let words = format!("net={value} probability={probability}");
        let (policy, selectivity) = (self.policy.build(&network), self.policy.selectivity());
        Ok(SearchSetup { net: NetworkEvaluator::new(net), policy, selectivity, words })
    }

    fn policy_network(&self) -> anyhow::Result<(PolicyNet, String)> {
        Ok(match &self.policy_net {
            None => {
                let (net, _) = nets::file::policy_from_bytes("that ships with Okapi", SHIPPED_POLICY_NET)?;
                (net, net_name(SHIPPED_POLICY_NET)?)
            }
            Some(path) => (nets::file::load_policy(path)?.0, net_name(&read(path)?)?),
        })
    }

    fn linear_policy(&self) -> anyhow::Result<(LinearPolicy, String)> {
        Ok(match &self.linear_policy {
            None => (linear_file::from_bytes(SHIPPED_LINEAR_POLICY)?, net_name(SHIPPED_LINEAR_POLICY)?),
            Some(path) => (linear_file::load(path)?, net_name(&read(path)?)?),
        })
    }
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read the net {}", path.display()))
}
