//! The configuration: one table for TOML and flags, nothing unknown, nothing out of range.

use crate::sentence;
use clap::Parser;
use cli::train::Flags;
use learn::tasks::td_leaf::td_leaf_config::{Config, Initial, Leaves, Overrides, Preset};
use learn::train::loss::Loss;
use nets::{NetworkTopology, Topology};
use std::fs;
use std::path::PathBuf;

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    flags: Flags,
}

fn flags(arguments: &[&str]) -> Overrides {
    Command::try_parse_from([&["okapi"], arguments].concat()).unwrap().flags.overrides()
}

fn load(text: &str) -> anyhow::Result<Config> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.toml");
    fs::write(&path, text).unwrap();
    Config::load(&path)
}

#[test]
fn the_defaults_differ_from_the_thesis_where_matches_chose_otherwise() {
    let config = load("").unwrap();
    assert_eq!(config, Config::default());
    let thesis = Config::from(Preset::Thesis);
    assert_eq!((thesis.positions, thesis.plies, thesis.random_moves), (256, 12, 1));
    assert_eq!((thesis.lambda, thesis.rho, thesis.epsilon, thesis.rate), (0.7, 0.99, 1e-8, 1.0));
    assert_eq!((thesis.loss, thesis.topology), (Loss::L1, Topology::THESIS));
    let chosen = ["positions", "loss", "replay", "average", "epsilon", "rate", "decay_start"];
    let mut differences = config.differences(&thesis);
    differences.sort_by_key(|key| chosen.iter().position(|known| known == key));
    assert_eq!(differences, chosen);
    config.validate().unwrap();
    thesis.validate().unwrap();
}

#[test]
fn a_decaying_rate_falls_with_the_root_of_the_iteration() {
    let config = Config { rate: 8.0, decay_start: 100, ..Config::default() };
    assert_eq!([1, 100, 400, 1_600].map(|iteration| config.rate_at(iteration)), [8.0, 8.0, 4.0, 2.0]);
    assert_eq!(Config { decay_start: 0, ..config }.rate_at(1_600), 8.0);
}

#[test]
fn the_echo_is_whole_and_reads_back() {
    let defaults = Config::default();
    assert_eq!(load(&defaults.to_toml().unwrap()).unwrap(), defaults);
    let other = Config {
        seed: i64::MAX as u64,
        lambda: 0.123_456_79,
        epsilon: 1e-20,
        stride: 2,
        knightcap: true,
        leaves: Leaves::First,
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
        ..Config::default()
    };
    let text = other.to_toml().unwrap();
    assert_eq!(load(&text).unwrap(), other, "{text}");
    assert!(text.contains("\nlambda = 0.12345679\n"), "{text}");
    // Every key is there, set or not, below its documentation.
    for key in defaults.differences(&other) {
        assert!(text.contains(&format!("\n{key} = ")), "{key}");
    }
    assert!(text.contains("# Nodes of each search of a rollout.\nnodes = 256\n"), "{text}");
    assert!(defaults.to_toml().unwrap().contains("\n# starts is not set\n"));
}

#[test]
fn unknown_keys_are_refused_by_name() {
    let told = sentence(load("positions = 8\nlamda = 0.7\n"));
    assert!(told.contains("run.toml, line 2: unknown field `lamda`"), "{told}");
    let told = sentence(load("[tdleaf]\npositions = 8\n"));
    assert!(told.contains("line 1: unknown field `tdleaf`"), "{told}");
}

#[test]
fn values_of_another_type_are_shown_with_their_key() {
    for (text, part) in [
        ("nodes = \"many\"", "line 1: invalid type"),
        ("\nnodes = -1", "line 2: invalid value"),
        ("loss = \"cubic\"", "`cubic`"),
        ("topology = \"363-64-1\"", "is not a topology like"),
        ("seed = 1\nseed = 2", "line 2: duplicate key"),
        ("rate = 0.5.5", "line 1: "),
        ("exclude = \"one.epd\"", "expected a sequence"),
    ] {
        let told = sentence(load(text));
        assert!(
            told.contains(part) && told.contains(text.trim().lines().last().unwrap().split(' ').next().unwrap()),
            "{told}"
        );
    }
    assert!(
        sentence(Config::load(&PathBuf::from("no/such.toml")))
            .starts_with("cannot read the configuration no/such.toml")
    );
}

#[test]
fn values_out_of_range_are_refused_with_key_and_value() {
    for (text, part) in [
        ("positions = 0", "positions = 0 is not from 1 to 65536"),
        ("plies = 5000", "plies = 5000 is not from 1 to 1024"),
        ("lambda = 1.5", "lambda = 1.5 is not from 0 to 1"),
        ("lambda = nan", "lambda = NaN is not"),
        ("stride = 3", "stride = 3 is not from 1 to 2"),
        ("knightcap = true", "knightcap = true needs stride = 2"),
        ("rho = 1", "rho = 1 is not"),
        ("minutes = inf", "minutes = inf is not"),
        ("keep_checkpoints = 0", "keep_checkpoints = 0 is not"),
        ("starts = \"\"", "starts = \"\" is not a path"),
        ("exclude = [\"a\\nb\"]", "is not a path of printable Unicode"),
    ] {
        let told = sentence(load(text));
        assert!(told.contains(part), "{told}");
    }
    let both = sentence(load("positions = 0\nkeep_checkpoints = 0"));
    assert!(
        both.contains("positions = 0 is not from 1 to 65536; keep_checkpoints = 0 is not from 1 to 1000"),
        "{both}"
    );
    let seed = Config { seed: u64::MAX, ..Config::default() };
    assert!(sentence(seed.validate()).contains("seed = 18446744073709551615 is not"));
    assert!(sentence(seed.to_toml()).contains("seed = "));
}

#[test]
fn any_flag_overrides_the_file() {
    let file = load("positions = 8\nlambda = 0.5\nexclude = [\"a.epd\"]\nknightcap = true\nstride = 2").unwrap();
    assert_eq!(flags(&[]).apply(file.clone()), file);
    let config = flags(&[
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
    .apply(file);
    assert_eq!((config.positions, config.lambda, config.knightcap, config.result), (9, 0.5, false, true));
    assert_eq!(config.exclude, [PathBuf::from("b.epd"), PathBuf::from("c.epd")]);
    assert_eq!((config.minutes, config.initial, config.hash_kilobytes), (Some(3.5), Initial::Shipped, 64));
    assert_eq!(config.topology, NetworkTopology::new([1, 2, 3], 4).unwrap().into());
    assert_eq!(config.loss, Loss::Squared);
    let bad = flags(&["--lambda", "2"]).apply(Config::default());
    assert!(sentence(bad.validate()).contains("lambda = 2 is not from 0 to 1"));
}

#[test]
fn only_keys_that_do_not_change_learning_may_change_on_resume() {
    let begun = Config::default();
    let resumed =
        Config { threads: Some(1), keep_checkpoints: 9, iterations: Some(7), suite_minutes: 1.0, ..Config::default() };
    assert!(begun.learning_differences(&resumed).is_empty());
    let other = Config { lambda: 0.8, nodes: 512, ..resumed };
    assert_eq!(begun.learning_differences(&other), ["nodes", "lambda"]);
}

#[test]
fn the_help_of_a_flag_states_its_default() {
    assert_eq!(Config::help("plies"), "Plies of a rollout, each the move of a search [default: 12]");
    assert!(Config::help("loss").ends_with("its target [default: squared]"));
    assert!(Config::help("threads").ends_with("[default: all cores]"));
}
