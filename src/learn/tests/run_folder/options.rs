//! The options: one structure for TOML and command line, nothing unknown, nothing out of range.

use crate::sentence;
use clap::{CommandFactory, Parser};
use learn::run::options::{FREE, Given, TaskOptions, differences};
use learn::tasks::td_leaf::td_leaf_kinds::{Initial, Leaves, Preset, TargetKind};
use learn::tasks::td_leaf::td_leaf_options::Options;
use learn::tasks::values::values_options::Positions;
use learn::train::loss::Loss;
use nets::{NetworkTopology, Topology};
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    given: Given<Options>,
}

fn given(arguments: &[&str]) -> Given<Options> {
    Command::try_parse_from([&["okapi"], arguments].concat()).unwrap().given
}

fn read(text: &str) -> anyhow::Result<Options> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.toml");
    fs::write(&path, text).unwrap();
    Options::read(&path)
}

#[test]
fn the_defaults_differ_from_the_thesis_where_matches_chose_otherwise() {
    let options = read("").unwrap();
    assert_eq!(options, Options::default());
    let thesis = Options::from(Preset::Thesis);
    assert_eq!((thesis.positions, thesis.plies, thesis.random_moves), (256, 12, 1));
    assert_eq!((thesis.lambda, thesis.rho, thesis.epsilon, thesis.rate), (0.7, 0.99, 1e-8, 1.0));
    assert_eq!((thesis.loss, thesis.topology), (Loss::L1, Topology::THESIS));
    let chosen = ["average", "decay_start", "epsilon", "loss", "positions", "rate", "replay"];
    assert_eq!(differences(&options.table(), &thesis.table()), chosen);
    assert_eq!(given(&[]).over(&thesis).unwrap(), thesis);
}

#[test]
fn a_decaying_rate_falls_with_the_root_of_the_iteration() {
    let options = Options { rate: 8.0, decay_start: 100, ..Options::default() };
    assert_eq!([1, 100, 400, 1_600].map(|iteration| options.rate_at(iteration)), [8.0, 8.0, 4.0, 2.0]);
    assert_eq!(Options { decay_start: 0, ..options }.rate_at(1_600), 8.0);
}

#[test]
fn what_is_written_is_whole_and_reads_back() {
    let defaults = Options::default();
    assert_eq!(read(&defaults.to_toml()).unwrap(), defaults);
    let other = Options {
        seed: i64::MAX as u64,
        lambda: 0.123_456_79,
        epsilon: 1e-20,
        stride: 2,
        knightcap: true,
        leaves: Leaves::First,
        targets: TargetKind::Mixed,
        tree_nodes: 3,
        tree_level: 1.5,
        tree_positions: Positions::All,
        loss: Loss::Squared,
        topology: NetworkTopology::new([1, 2, 3], 4).unwrap().into(),
        initial: Initial::File("a \"net\".safetensors".into()),
        starts: Some("ga'mes.pgn".into()),
        exclude: vec!["one.epd".into(), "two # = 3.epd".into()],
        average: 500,
        decay_start: 3_000,
        iterations: Some(3),
        minutes: Some(0.1),
        threads: Some(2),
        ..Options::default()
    };
    let text = other.to_toml();
    assert_eq!(read(&text).unwrap(), other, "{text}");
    assert_eq!(Options::of_table(&other.table()).unwrap(), other);
    assert!(text.contains("\nlambda = 0.12345679\n"), "{text}");
    // Every key is there, set or not, below its documentation.
    for key in differences(&defaults.table(), &other.table()) {
        assert!(text.contains(&format!("\n{key} = ")), "{key}");
    }
    assert!(text.contains("# Nodes of each search of a rollout.\nnodes = 256\n"), "{text}");
    assert!(defaults.to_toml().contains("\n# starts is not set\n"));
}

#[test]
fn unknown_keys_are_refused_by_name() {
    let told = sentence(read("positions = 8\nlamda = 0.7\n"));
    assert!(told.contains("run.toml, line 2: unknown key `lamda`"), "{told}");
    let told = sentence(read("[tdleaf]\npositions = 8\n"));
    assert!(told.contains("line 1: unknown key `tdleaf`"), "{told}");
}

#[test]
fn values_of_another_type_are_shown_with_their_line() {
    for (text, part) in [
        ("nodes = \"many\"", "line 1: invalid value 'many' for '--nodes <N>': must be a number from 1 to 10000000"),
        ("\nnodes = -1", "line 2: invalid value '-1'"),
        ("nodes = 1.5", "line 1: invalid value '1.5'"),
        ("loss = \"cubic\"", "invalid value 'cubic' for '--loss <LOSS>' [possible values: l1, squared, logistic]"),
        (
            "targets = \"bush\"",
            "invalid value 'bush' for '--targets <KIND>' [possible values: leaf, root, tree, mixed]",
        ),
        ("topology = \"363-64-1\"", "is not a topology like"),
        ("knightcap = 1", "invalid value '1'"),
        ("seed = 1\nseed = 2", "line 2: duplicate key"),
        ("rate = 0.5.5", "line 1: "),
        ("seed = [1, 2]", "cannot be used multiple times"),
    ] {
        let told = sentence(read(text));
        assert!(
            told.contains(part) && told.contains(text.trim().lines().last().unwrap().split(' ').next().unwrap()),
            "{told}"
        );
    }
    assert!(sentence(Options::read(Path::new("no/such.toml"))).starts_with("cannot read the options no/such.toml"));
}

#[test]
fn values_out_of_range_are_refused_wherever_they_come_from() {
    for (text, part) in [
        ("positions = 0", "must be a number from 1 to 65536"),
        ("plies = 5000", "must be a number from 1 to 1024"),
        ("lambda = 1.5", "must be a number from 0 to 1"),
        ("tree_nodes = 0", "must be a number from 1 to 256"),
        ("tree_level = -1", "must be a number from 0 to 64"),
        ("lambda = nan", "invalid value 'NaN'"),
        ("stride = 3", "must be a number from 1 to 2"),
        ("rho = 1", "invalid value '1'"),
        ("minutes = inf", "invalid value 'inf'"),
        ("keep_checkpoints = 0", "must be a number from 1 to 1000"),
        ("starts = \"\"", "--starts"),
        ("exclude = [\"a\\nb\"]", "must be a path of printable Unicode"),
    ] {
        let told = sentence(read(text));
        assert!(told.contains(part), "{told}");
        let table = text.parse().unwrap();
        assert!(sentence(Options::of_table(&table)).contains(part));
    }
    let both = sentence(read("positions = 0\nstride = 1\nkeep_checkpoints = 0"));
    assert!(both.contains("line 1: ") && both.contains("; line 3: "), "{both}");
    for argument in ["--lambda=2", "--seed=18446744073709551615", "--starts="] {
        assert!(Command::try_parse_from(["okapi", argument]).is_err(), "{argument}");
    }
    let cut = given(&["--knightcap"]);
    assert!(sentence(cut.over(&Options::default())).contains("knightcap = true needs stride = 2"));
    assert!(cut.over(&read("stride = 2").unwrap()).unwrap().knightcap);
    let tree = read("stride = 2\ntargets = \"tree\"").unwrap();
    assert!(sentence(cut.over(&tree)).contains("knightcap = true needs targets = \"leaf\" or \"mixed\""));
    assert!(cut.over(&read("stride = 2\ntargets = \"mixed\"").unwrap()).unwrap().knightcap);
}

#[test]
fn the_command_line_overrides_the_file() {
    let file = read("positions = 8\nlambda = 0.5\nexclude = [\"a.epd\"]\nknightcap = true\nstride = 2").unwrap();
    assert_eq!(given(&[]).over(&file).unwrap(), file);
    let options = given(&[
        "--positions=9",
        "--knightcap=false",
        "--result",
        "--exclude=b.epd",
        "--exclude",
        "c.epd",
        "--minutes",
        "3.5",
        "--topology",
        "19x1+216x2+128x3-4-1",
        "--initial",
        "shipped",
        "--loss",
        "squared",
        "--hash-kilobytes",
        "64",
    ])
    .over(&file)
    .unwrap();
    assert_eq!((options.positions, options.lambda, options.knightcap, options.result), (9, 0.5, false, true));
    assert_eq!(options.exclude, [PathBuf::from("b.epd"), PathBuf::from("c.epd")]);
    assert_eq!((options.minutes, options.initial, options.hash_kilobytes), (Some(3.5), Initial::Shipped, 64));
    assert_eq!(options.topology, NetworkTopology::new([1, 2, 3], 4).unwrap().into());
    assert_eq!(options.loss, Loss::Squared);
    // A given value that is the default counts, too.
    assert_eq!(given(&["--lambda", "0.7"]).over(&file).unwrap().lambda, 0.7);
    // As in a file, `-` and `_` are the same.
    assert_eq!(read("hash-kilobytes = 64").unwrap(), read("hash_kilobytes = 64").unwrap());
}

#[test]
fn only_keys_that_do_not_change_learning_may_change_on_resume() {
    let begun = Options::default().table();
    let path = Path::new("config.toml");
    let resumed = Options {
        threads: Some(1),
        keep_checkpoints: 9,
        iterations: Some(7),
        suite_minutes: 1.0,
        ..Options::default()
    };
    resumed.check_continues(&begun, path).unwrap();
    let other = Options { lambda: 0.8, starts: Some("games.pgn".into()), ..resumed };
    assert_eq!(
        sentence(other.check_continues(&begun, path)),
        "config.toml was made by other options: lambda is 0.7 in the file, but 0.8 now; starts is not given in the file, \
         but games.pgn now"
    );
    let free: Vec<String> = Command::command()
        .get_arguments()
        .filter(|arg| arg.get_help_heading() == Some(FREE))
        .map(|arg| arg.get_id().to_string())
        .collect();
    assert_eq!(
        free,
        [
            "iterations",
            "minutes",
            "checkpoint_minutes",
            "keep_checkpoints",
            "sts",
            "suite_minutes",
            "suite_nodes",
            "threads"
        ]
    );
}

#[test]
fn the_help_of_an_option_states_its_default() {
    let help = Command::command().render_help().to_string();
    for part in [
        "Plies of a rollout, each the move of a search [default: 12]",
        "its target [default: squared]",
        "[default: all cores]",
        "[default: 0.000000000001]",
    ] {
        assert!(help.contains(part), "{part}: {help}");
    }
}
