//! Trainings of a policy, from the games to the nets: every option changes what is learned, and one that is stopped between or inside
//! its stages learns what it would have learned anyway.

#[path = "../../../tests/common/games.rs"]
mod games;
#[path = "common/stops_after.rs"]
mod stops_after;
#[path = "common/tiny_policy.rs"]
mod tiny_policy;

use anyhow::Result;
use engine::evaluators::NetworkEvaluator;
use games::{GAMES, write_games};
use learn::data::labeled_nodes::Target;
use learn::data::node_searcher::SearchSetup;
use learn::data::node_source::{Source, is_validation};
use learn::data::sample_nodes::Share;
use learn::run::epochs::SessionOptions;
use learn::run::folder::{log_path, net_path};
use learn::run::log;
use learn::tasks::policy::policy_folder::{PolicyFolder, Subset};
use learn::tasks::policy::policy_log::PolicyRow;
use learn::tasks::policy::policy_options::Options;
use learn::tasks::policy::stages::Stages;
use nets::PolicyOutput;
use search::{Selectivity, StaticPolicy};
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use stops_after::StopsAfter;
use support::interrupt::{Interrupt, Interrupted};
use support::part::Part;

/// What all trainings of a test share.
struct Lab {
    folder: tempfile::TempDir,
    source: Source,
    setup: SearchSetup,
}

impl Lab {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let games = folder.path().join("games.pgn");
        write_games(&games, &GAMES);
        let setup = SearchSetup {
            net: NetworkEvaluator::new(engine::shipped_value_net().unwrap()),
            policy: Arc::new(StaticPolicy),
            selectivity: Selectivity::full(),
            words: "net=shipped probability=static".to_owned(),
        };
        Self { source: Source::read(&games, HashSet::new()).unwrap(), setup, folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Does all stages of a training, or so many shows of progress of it.
    fn run_until(&self, name: &str, options: &Options, shows: usize) -> Result<()> {
        let flag = Arc::new(AtomicBool::new(false));
        let interrupt = Interrupt::from_flag(flag.clone());
        let folder = PolicyFolder::open(&self.path(name))?;
        let share = Share { part: Part::WHOLE, searches: None };
        let observer = &mut StopsAfter { left: shows, flag };
        let mut stages = Stages { folder: &folder, options, share, interrupt: &interrupt, observer };
        stages.check()?;
        options.session.pool()?.install(|| {
            stages.sample(&self.source, &self.setup)?;
            for subset in Subset::ALL {
                stages.label(subset, &self.setup)?;
            }
            stages.learn(&HashSet::new())?;
            stages.learn_linear(&HashSet::new())
        })
    }

    fn run(&self, name: &str, options: &Options) {
        self.run_until(name, options, usize::MAX).unwrap();
    }

    /// Gives a training the nodes and labels of another.
    fn copy_nodes(&self, from: &str, to: &str) {
        fs::create_dir(self.path(to)).unwrap();
        for entry in fs::read_dir(self.path(from)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|kind| kind == "nodes" || kind == "labels") {
                fs::copy(&path, self.path(to).join(path.file_name().unwrap())).unwrap();
            }
        }
    }

    /// The bits of the network's parameters, and the bytes of the linear policy.
    fn learned(&self, name: &str) -> (Vec<u32>, Vec<u8>) {
        let (net, _) = nets::file::load_policy(&net_path(&self.path(name))).unwrap();
        let linear = engine::linear_file::load(&net_path(&self.path(name).join("linear"))).unwrap();
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        (bits(net.params().values()), bytemuck::cast_slice(&bits(linear.weights())).to_vec())
    }
}

fn options() -> Options {
    Options { seed: 5, ..tiny_policy::options() }
}

#[test]
fn every_option_of_learning_changes_what_is_learned() {
    let lab = Lab::new();
    let with = |change: &dyn Fn(&mut Options)| {
        let mut changed = options();
        change(&mut changed);
        changed
    };
    lab.run("none", &options());
    let (net, linear) = lab.learned("none");
    let mut nets = BTreeMap::from([(net, "none")]);
    let mut linears = BTreeMap::from([(linear, "none")]);
    // Of the same nodes; each changes the network, the linear policy or both.
    let of_nodes: Vec<(&str, Options, [bool; 2])> = vec![
        ("epochs", with(&|options| options.epochs = 3), [true, false]),
        ("batch", with(&|options| options.batch = 16), [true, false]),
        ("rate", with(&|options| options.rate = 7.0), [true, false]),
        ("epsilon", with(&|options| options.epsilon = 1e-8), [true, false]),
        ("passes", with(&|options| options.passes = 2), [true, false]),
        ("hash_move_dropout", with(&|options| options.hash_move_dropout = 0), [true, true]),
        ("mirror", with(&|options| options.mirror = false), [true, true]),
        ("output", with(&|options| options.output = PolicyOutput::Sigmoid), [true, false]),
        ("target", with(&|options| options.target = Target::Best), [true, true]),
        ("regret_weight", with(&|options| options.regret_weight = 0.5), [true, true]),
        ("training_nodes", with(&|options| options.training_nodes = 80), [true, true]),
        ("linear_epochs", with(&|options| options.linear_epochs = 3), [false, true]),
        ("linear_rate", with(&|options| options.linear_rate = 0.02), [false, true]),
    ];
    for (name, options, changes) in of_nodes {
        lab.copy_nodes("none", name);
        lab.run(name, &options);
        let (net, linear) = lab.learned(name);
        for (other, changed) in [(nets.insert(net, name), changes[0]), (linears.insert(linear, name), changes[1])] {
            assert_eq!(other.is_none(), changed, "{name}: the same as {other:?}");
        }
    }
    for (name, options) in [
        ("seed", with(&|options| options.seed = 6)),
        ("sample_search_nodes", with(&|options| options.sample_search_nodes = 300)),
        ("nodes_per_search", with(&|options| options.nodes_per_search = 3)),
        ("min_depth", with(&|options| options.min_depth = 3)),
        ("label_search_nodes", with(&|options| options.label_search_nodes = 250)),
    ] {
        lab.run(name, &options);
        let (net, linear) = lab.learned(name);
        assert!(nets.insert(net, name).is_none() && linears.insert(linear, name).is_none(), "{name}");
    }
}

#[test]
fn a_training_that_is_stopped_anywhere_learns_what_it_would_have_learned_anyway() {
    let lab = Lab::new();
    lab.run("whole", &options());
    let files = |name: &str| {
        Subset::ALL.map(|subset| {
            let folder = PolicyFolder::open(&lab.path(name)).unwrap();
            [folder.nodes(subset), folder.labels(subset)].map(|path| fs::read_to_string(path).unwrap())
        })
    };
    let rows = |name: &str| {
        let rows: Vec<PolicyRow> = log::read(&log_path(&lab.path(name))).unwrap();
        rows.into_iter().map(|row| PolicyRow { seconds: 0.0, ..row }).collect::<Vec<_>>()
    };
    for shows in [1, 2, 3, 4, 6, 9] {
        let name = format!("stopped {shows}");
        let stopped = lab.run_until(&name, &options(), shows).unwrap_err();
        assert!(stopped.is::<Interrupted>(), "{stopped}");
        let threads = SessionOptions { threads: Some(1), ..options().session };
        lab.run(&name, &Options { session: threads, ..options() });
        assert!(files(&name) == files("whole"), "{name}");
        assert!(lab.learned(&name) == lab.learned("whole"), "{name}");
        assert_eq!(rows(&name), rows("whole"), "{name}");
    }
}

#[test]
fn nodes_of_which_a_part_was_lost_are_sampled_again() {
    let lab = Lab::new();
    // Some searches give a node, so that there are several chunks of them.
    let options = Options { nodes_per_search: 1, ..options() };
    lab.run("whole", &options);
    let nodes = |name: &str| Subset::ALL.map(|subset| PolicyFolder::open(&lab.path(name)).unwrap().nodes(subset));
    let whole = nodes("whole").map(|path| fs::read_to_string(path).unwrap());
    let search_of = |line: &str| line.split('\t').next().and_then(|number| number.parse::<u64>().ok());
    // Searches are done 64 at a time; of the last of them some nodes were written.
    for (chunks, more) in [(0, 10), (1, 0), (1, 40), (2, 63)] {
        let name = format!("cut after {chunks} and {more}");
        for ((path, text), more) in nodes(&name).iter().zip(&whole).zip([more, 0]) {
            let is_kept = |line: &&str| search_of(line).is_none_or(|search| search < 64 * chunks + more);
            fs::write(path, text.split_inclusive('\n').filter(is_kept).collect::<String>()).unwrap();
        }
        assert!(nodes(&name).map(|path| fs::read_to_string(path).unwrap()) != whole, "{name}");
        lab.run(&name, &options);
        assert!(nodes(&name).map(|path| fs::read_to_string(path).unwrap()) == whole, "{name}");
        assert!(lab.learned(&name) == lab.learned("whole"), "{name}");
    }
}

#[test]
fn one_game_of_six_is_for_validation_and_no_node_of_it_is_learned_from() {
    let validation = (0..6_000).filter(|game| is_validation(5, *game)).count();
    assert!((900..1_100).contains(&validation), "{validation}");
    let lab = Lab::new();
    lab.run("run", &options());
    let folder = PolicyFolder::open(&lab.path("run")).unwrap();
    let games = |path: &Path| -> HashSet<u64> {
        let read = fs::read_to_string(path).unwrap();
        let nodes = read.lines().filter_map(|line| learn::data::policy_node::Node::from_line(line).ok());
        nodes.map(|node| node.game).collect()
    };
    let [training, validation] = Subset::ALL.map(|subset| games(&folder.nodes(subset)));
    assert!(!training.is_empty() && !validation.is_empty());
    assert!(training.iter().all(|game| !is_validation(5, *game)));
    assert!(validation.iter().all(|game| is_validation(5, *game)));
}

#[test]
fn too_few_games_for_both_sets_are_refused() {
    let lab = Lab::new();
    // Of eight games this seed takes none for validation.
    let seed = (0..).find(|seed| (0..8).all(|game| !is_validation(*seed, game))).unwrap();
    let refused = lab.run_until("run", &Options { seed, ..options() }, usize::MAX).unwrap_err().to_string();
    assert!(refused.ends_with("has too few games (8) for a training and a validation set"), "{refused}");
}
