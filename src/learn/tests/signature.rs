//! The signature of learning without any network of the program: what every trainer learns in a tiny run from random networks and games.
//! A change of learning changes a row; it is then copied from what the test prints, as that of the commands is (src/learn/signature.txt).

#[path = "../../../tests/common/games.rs"]
mod games;
#[path = "common/kept_games.rs"]
mod kept_games;
#[path = "common/stops_after.rs"]
mod stops_after;
#[path = "common/tiny_policy.rs"]
mod tiny_policy;

use board::Color;
use engine::evaluators::NetworkEvaluator;
use engine::in_process::InProcess;
use engine::{EngineSpec, EvalKind, PolicyKind, SearchKind};
use games::{GAMES, write_games};
use kept_games::write_kept_games;
use learn::data::example::Example;
use learn::data::labeled_nodes::Target;
use learn::data::node_searcher::SearchSetup;
use learn::data::node_source::Source;
use learn::data::sample_nodes::Share;
use learn::run::epoch_row::EpochRow;
use learn::run::epochs::{Session, SessionOptions};
use learn::run::folder::{log_path, net_path};
use learn::run::log;
use learn::run::observer::Observer;
use learn::run::team::Team;
use learn::targets::knightcap::RiseRule;
use learn::tasks::bootstrap::Bootstrap;
use learn::tasks::curve::curve_game::{CurveGame, CurveSetup, Kind};
use learn::tasks::league::league_game::Table;
use learn::tasks::league::league_learner::Learner;
use learn::tasks::league::league_options::{self, Opponent, Start};
use learn::tasks::played::played_run::PlayedOptions;
use learn::tasks::policy::policy_folder::{PolicyFolder, Subset};
use learn::tasks::policy::policy_options;
use learn::tasks::policy::stages::Stages;
use learn::tasks::td_leaf::td_leaf_kinds::{Initial, TargetKind};
use learn::tasks::td_leaf::td_leaf_log::{self, Row};
use learn::tasks::td_leaf::td_leaf_options;
use learn::tasks::td_leaf::td_leaf_run::TrainingRun;
use learn::tasks::values::values_options::{self, Positions};
use learn::tasks::values::values_run;
use learn::tasks::wdl::wdl_options;
use learn::tasks::wdl::wdl_run::{self, Inputs};
use learn::train::loss::Loss;
use learn::train::optimizer::OptimizerKind;
use learn::train::rehearsal::{LearnedWeights, UpdateOptions, update};
use matches::header::PlayerDescription;
use matches::runner::MatchPlayer;
use matches::time_control::TimeControl;
use nets::{PolicyOutput, QuantizedValueNet, ValueNet};
use search::{Selectivity, StaticPolicy};
use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use stops_after::StopsAfter;
use support::hash::short_sha256;
use support::interrupt::Interrupt;
use support::part::Part;

/// Remembers what is said, but for what a clock says.
#[derive(Default)]
struct Heard(Vec<String>);

impl Observer for Heard {
    fn say(&mut self, sentence: &str) {
        let is_timed = sentence.contains(" done in ");
        let without_rates = sentence.split_once(" examples/s; ").map_or(sentence, |(_, scores)| scores);
        self.0.extend((!is_timed).then(|| without_rates.to_owned()));
    }

    fn progress_until(&mut self, _: &'static str, _: u64, _: Option<u64>, _: Option<Duration>, _: &dyn Fn() -> String) {
    }
}

fn interrupt() -> Interrupt {
    Interrupt::from_flag(Arc::default())
}

/// What all runs share.
struct Lab {
    folder: tempfile::TempDir,
    found: String,
}

impl Lab {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Adds a row: parameters, of which there is a hash, and what is known of them besides.
    fn add(&mut self, row: &str, parameters: &[f32], said: &str) {
        let bits: Vec<u8> = parameters.iter().flat_map(|value| value.to_bits().to_le_bytes()).collect();
        self.say(row, &format!("{} {said}", short_sha256(&bits)));
    }

    fn say(&mut self, row: &str, said: &str) {
        writeln!(self.found, "{row}: {said}").unwrap();
    }

    fn add_net(&mut self, row: &str, net: &ValueNet, said: &str) {
        self.add(row, net.params().values(), said);
    }

    /// Writes a random network of these sizes.
    fn random_net(&self, name: &str, topology: &str) -> (ValueNet, PathBuf) {
        let net = ValueNet::random(topology.parse::<nets::Topology>().unwrap(), 7);
        let path = self.path(name);
        nets::file::save(&path, &net, "random").unwrap();
        (net, path)
    }
}

const SMALL: &str = "19x8+216x8+128x8-8-1";

fn session_options() -> SessionOptions {
    SessionOptions { patience: None, checkpoint_minutes: 1e6, threads: Some(2), mixed: false }
}

/// The rows of a log without what a clock says, as a hash.
fn epoch_rows(folder: &Path) -> String {
    let rows: Vec<EpochRow> = log::read(&log_path(folder)).unwrap();
    let timeless = rows.into_iter().map(|row| EpochRow { seconds: 0.0, positions_per_second: 0.0, ..row });
    short_sha256(format!("{:?}", timeless.collect::<Vec<_>>()).as_bytes())
}

fn values(lab: &mut Lab) {
    use values_options::Options;
    let options = Options {
        epochs: 2,
        topology: SMALL.parse().unwrap(),
        batch: 200,
        window: 2,
        positions: Positions::All,
        session: session_options(),
        ..Options::default()
    };
    let (quiet, final_rate) = (Positions::Quiet, 0.5);
    let mixed = Options { result_weight: 0.3, return_weight: 0.4, lambda: 0.5, final_rate, ..options.clone() };
    let placement = "19x8+216x8+128x8-8+768x32-1x8".parse().unwrap();
    for (row, options) in [
        ("values", Options { positions: quiet, ..options.clone() }),
        ("values adadelta", Options { optimizer: OptimizerKind::AdaDelta, loss: Loss::Squared, ..mixed }),
        (
            "values sgd",
            Options { optimizer: OptimizerKind::Descent, rate: Some(0.01), topology: placement, ..options.clone() },
        ),
        ("values linear", Options { topology: "54712-1".parse().unwrap(), loss: Loss::L1, ..options }),
    ] {
        let (mut heard, interrupt, path) = (Heard::default(), interrupt(), lab.path(row));
        let session =
            Session { epochs: options.epochs, options: options.session, interrupt: &interrupt, observer: &mut heard };
        let data = [lab.path("kept")];
        let train = || values_run::train(&path, &options, &data, session, &Team::alone());
        options.session.pool().unwrap().install(train).unwrap();
        let net = nets::file::load(&net_path(&path)).unwrap().0;
        lab.add_net(row, &net, &format!("{} {}", epoch_rows(&path), heard.0.join("; ")));
    }
}

fn wdl(lab: &mut Lab) {
    let net = lab.random_net("draws.safetensors", "19x8+216x8+128x8-8-2").0;
    for (row, joint) in [("wdl", None), ("wdl joint", Some(0.5))] {
        let options = wdl_options::Options { joint, games: 150, epochs: 2, seed: 1, session: session_options() };
        let data = [lab.path("kept")];
        let train = |path: &Path, interrupt: &Interrupt, observer: &mut (dyn Observer + Send)| {
            let session = Session { epochs: 2, options: options.session, interrupt, observer };
            let inputs = Inputs { data: &data, contracts: &[], net: net.clone(), provenance: "random".to_owned() };
            options.session.pool().unwrap().install(|| wdl_run::train(path, &options, inputs, session))
        };
        let learned = |path: &Path| nets::file::load(&net_path(path)).unwrap();
        let (path, mut heard) = (lab.path(row), Heard::default());
        train(&path, &interrupt(), &mut heard).unwrap();
        let (new, metadata) = learned(&path);
        assert!(metadata.provenance.starts_with("random; second output: okapi "), "{}", metadata.provenance);
        // The same in two sessions: what is shown are two groups of shards, then steps.
        let (flag, stopped) = (Arc::<AtomicBool>::default(), lab.path(&format!("{row} stopped")));
        let observer = &mut StopsAfter { left: 3, flag: flag.clone() };
        assert!(train(&stopped, &Interrupt::from_flag(flag), observer).is_err() && learned(&stopped).0 != new);
        train(&stopped, &interrupt(), &mut Heard::default()).unwrap();
        assert!(learned(&stopped).0 == new, "{row}");
        lab.add_net(row, &new, &format!("{} {}", epoch_rows(&path), heard.0.join("; ")));
    }
}

fn policy(lab: &mut Lab) {
    use policy_options::Options;
    let (net, pgn) = (lab.random_net("small.safetensors", SMALL).0, lab.path("games.pgn"));
    let source = Source::read(&pgn, HashSet::new()).unwrap();
    let play = Arc::new(QuantizedValueNet::new(&net, kernels::active().unwrap()));
    let setup = SearchSetup {
        net: NetworkEvaluator::new(play),
        policy: Arc::new(StaticPolicy),
        selectivity: Selectivity::full(),
        words: "net=random probability=static".to_owned(),
    };
    let options = tiny_policy::options();
    let sigmoid = Options { output: PolicyOutput::Sigmoid, target: Target::Best, mirror: false, ..options };
    for (row, options) in [("policy", options), ("policy twice", Options { passes: 2, regret_weight: 0.5, ..sigmoid })]
    {
        let (mut heard, interrupt, path) = (Heard::default(), interrupt(), lab.path(row));
        let folder = PolicyFolder::open(&path).unwrap();
        let share = Share { part: Part::WHOLE, searches: None };
        let (options, observer) = (&options, &mut heard);
        let mut stages = Stages { folder: &folder, options, share, interrupt: &interrupt, observer };
        options.session.pool().unwrap().install(|| {
            stages.sample(&source, &setup).unwrap();
            Subset::ALL.iter().for_each(|subset| stages.label(*subset, &setup).unwrap());
            stages.learn(&HashSet::new()).unwrap();
            stages.learn_linear(&HashSet::new()).unwrap();
        });
        let linear = engine::linear_file::load(&net_path(&path.join("linear"))).unwrap();
        let net = nets::file::load_policy(&net_path(&path)).unwrap().0;
        stages.validate(&net, &linear).unwrap();
        let said: Vec<String> = heard.0.iter().map(|text| text.replace(&*path.to_string_lossy(), "")).collect();
        lab.add(row, net.params().values(), &short_sha256(said.join("\n").as_bytes()));
        lab.add(
            &format!("{row}, linear"),
            linear.weights(),
            said.iter().rfind(|text| text.starts_with("best move")).unwrap(),
        );
    }
}

fn td_leaf(lab: &mut Lab) {
    use td_leaf_options::Options;
    let (_, net) = lab.random_net("td.safetensors", "19x4+216x8+128x4-8-1");
    let options = Options {
        positions: 6,
        plies: 5,
        nodes: 60,
        replay: 2,
        average: 3,
        topology: "19x4+216x8+128x4-8-1".parse().unwrap(),
        initial: Initial::File(net),
        iterations: Some(4),
        decay_start: 2,
        suite_minutes: 0.0,
        threads: Some(2),
        hash_kilobytes: 16,
        ..Options::default()
    };
    let mixed = Options { targets: TargetKind::Mixed, average: 0, loss: Loss::Logistic, ..options.clone() };
    for (row, options) in [("tdleaf", options), ("tdleaf mixed", mixed)] {
        let (path, mut heard) = (lab.path(row), Heard::default());
        let mut run = TrainingRun::begin(&path, &options, &interrupt(), &mut heard, &Team::alone()).unwrap();
        run.run(&interrupt(), &mut heard).unwrap();
        let rows = td_leaf_log::read(&log_path(&path)).unwrap().into_iter();
        let rows: Vec<Row> = rows.map(|row| Row { seconds: 0.0, searches_per_second: 0.0, ..row }).collect();
        let net = nets::file::load(&net_path(&path)).unwrap().0;
        let (log, last) = (short_sha256(format!("{rows:?}").as_bytes()), rows.last().unwrap());
        let nodes = run.session().nodes;
        let said = format!("{log} {nodes} nodes, {} leaves, {} nodes of trees", last.leaves, last.learned_nodes);
        lab.add_net(row, &net, &said);
    }
}

fn bootstrap(lab: &mut Lab) {
    let bootstrap = Bootstrap { seed: 3, steps: 3, topology: SMALL.parse().unwrap() };
    let (pool, kernels) = (session_options().pool().unwrap(), kernels::active().unwrap());
    let mut losses = Vec::new();
    let net = bootstrap.run(&pool, kernels, |step, loss| {
        losses.push(format!("{step}: {loss:.6}"));
        true
    });
    let net = net.unwrap();
    let validation = bootstrap.validate(&net, kernels, 300);
    let (losses, error, correlation) = (losses.join(", "), validation.mean_error, validation.correlation);
    lab.add_net("bootstrap", &net, &format!("{losses}; error {error:.6}, correlation {correlation:.6}"));
    assert!(bootstrap.run(&pool, kernels, |step, _| step < 2).is_none());
}

fn rehearsal(lab: &mut Lab) {
    let net = lab.random_net("rehearsed.safetensors", SMALL).0;
    let mut random = board::random_positions::RandomPositions::new(learn::streams::stream(2, 9, 9));
    let mut examples = |count| -> Vec<Example> {
        (0..count).map(|number| Example::new(random.next_position().clone(), 0.01 * (number % 50) as f32)).collect()
    };
    let (learned, held_out) = (examples(600), examples(100));
    for (row, weights) in [("rehearsal", LearnedWeights::All), ("rehearsal output", LearnedWeights::Output)] {
        let options = UpdateOptions {
            weights,
            rate: 1e-3,
            epochs: 2,
            rehearsal: 700,
            rehearsal_weight: 0.7,
            distance: 50.0,
            seed: 1,
        };
        let (new, effect) = update(&net, &learned, &held_out, &options).unwrap();
        let [[before, after], [other_before, other_after]] = [effect.learned, effect.held_out];
        let drift = effect.drift;
        let said = format!("{before:.6} {after:.6} {other_before:.6} {other_after:.6} drift {drift:.6}");
        lab.add_net(row, &new, &said);
    }
}

fn league(lab: &mut Lab) {
    use league_options::Options;
    let spec = EngineSpec {
        eval: EvalKind::Material,
        policy: PolicyKind::Static,
        search: SearchKind::Probability,
        hash_megabytes: 1,
        ..EngineSpec::default()
    };
    let opponents = [MatchPlayer {
        description: PlayerDescription {
            name: "b".to_owned(),
            engine: "b".to_owned(),
            limits: String::new(),
            program: String::new(),
        },
        time_control: TimeControl { nodes: Some(40), ..TimeControl::default() },
        factory: InProcess::factory(spec),
        files: Vec::new(),
    }];
    let opponent = vec![Opponent { name: "b".to_owned(), player: String::new(), rating: None }];
    let options = Options { nodes: 50, random_openings: true, book: true, alpha: 1.0, ..Options::default() };
    let rated = league_options::Options { start: Start::Pawns, replay: 2, seed: 5, opponent, ..options.clone() };
    let mut of_self = Options { self_play: true, symmetric: true, stages: 4, ..options };
    of_self.targets.rule = RiseRule::None;
    for (row, options) in [("league", rated), ("league self", of_self)] {
        let table = Table { options: &options, opponents: &opponents };
        let mut learner = Learner::new(&options).unwrap();
        let mut games = Vec::new();
        for number in 0..3 {
            let opponent = learner.ratings().next(options.seed, number);
            let game = table.play(number, opponent, &learner, &|| false).unwrap().unwrap();
            learner.learn(&game).unwrap();
            games.push(game);
        }
        let results: Vec<_> = games.iter().map(|game| (game.white, game.result, game.moves.len())).collect();
        let (games, rating) = (short_sha256(format!("{games:?}").as_bytes()), learner.ratings().learner);
        let (clipped, value) = learner.statistics();
        let said = format!("{games} {results:?} rating {rating:.2}, {clipped:.4} cut off, mean value {value:.4}");
        lab.add_net(row, learner.net(), &said);
        assert!(table.play(3, None, &learner, &|| true).unwrap().is_none());
    }
}

/// An engine with a random network.
fn spec(lab: &Lab) -> EngineSpec {
    let value_net = Some(lab.random_net("play.safetensors", SMALL).1);
    EngineSpec { value_net, policy: PolicyKind::Static, hash_megabytes: 1, ..EngineSpec::default() }
}

fn played(lab: &mut Lab) {
    let pgn: String = GAMES
        .iter()
        .zip(["1-0", "0-1", "1/2-1/2", "*"].iter().cycle())
        .zip([("me", "you"), ("you", "me")].iter().cycle())
        .map(|((moves, result), (white, black))| {
            format!(
                "[White \"{white}\"]\n[Black \"{black}\"]\n[WhiteElo \"1800\"]\n[BlackElo \"1700\"]\n[Result \"{result}\"]\n\n\
                 {moves} {result}\n\n"
            )
        })
        .collect();
    let games = lab.path("played.pgn");
    std::fs::write(&games, pgn).unwrap();
    let spec = spec(lab);
    let net = nets::file::load(spec.value_net.as_deref().unwrap()).unwrap().0;
    let options = PlayedOptions {
        games,
        name: "me".to_owned(),
        log: None,
        state: Some(lab.path("played.log")),
        spec,
        nodes: 100,
        targets: learn::targets::knightcap::TurnTargets {
            rule: RiseRule::Rated,
            ..league_options::Options::default().targets
        },
        update: UpdateOptions {
            weights: LearnedWeights::All,
            rate: 1e-3,
            epochs: 3,
            rehearsal: 300,
            rehearsal_weight: 0.5,
            distance: 1.0,
            seed: 1,
        },
        threads: Some(2),
    };
    let learn = || options.learn((&net, "random"), &interrupt(), &mut Heard::default()).unwrap();
    let learned = learn();
    let said = format!("{}{}", learned.lessons.report(&learned.effect), learned.lessons.changes());
    lab.say("played", said.trim_end());
    let verdict = match learned.bytes() {
        Ok(bytes) => {
            format!("a net of {} parameters", nets::file::from_bytes("new", &bytes).unwrap().0.params().values().len())
        }
        Err(error) => error.to_string(),
    };
    let net = nets::file::to_bytes(&net, "random").unwrap().0;
    let verified = options.verify(&net, 6, &interrupt(), &mut Heard::default());
    let verified = verified.unwrap_or_else(|error| error.to_string());
    lab.say("played, verified", &format!("{verdict}; {verified}"));
    // The turns are kept and not searched again.
    let again = learn();
    assert_eq!(again.lessons.report(&again.effect), learned.lessons.report(&learned.effect));
}

fn curve(lab: &mut Lab) {
    let setup =
        CurveSetup { spec: EngineSpec { search: SearchKind::Mcts, temperature: 1.0, ..spec(lab) }, nodes: 20, seed: 3 };
    let mut engines = Color::ALL.map(|_| setup.spec.build().unwrap());
    for (row, kind, limit, game) in
        [("curve", Kind::Own, 2, 0), ("curve white", Kind::Puct, 1, 2), ("curve black", Kind::Puct, 1, 3)]
    {
        let game = CurveGame { kind, limit, game };
        let (result, moves) = game.play(&setup, &mut engines, &|| false).unwrap();
        let begin = moves[..moves.len().min(10)].join(" ");
        let hash = short_sha256(moves.join(" ").as_bytes());
        lab.say(row, &format!("{hash} {result} after {} moves, {begin}", moves.len()));
        assert!(game.play(&setup, &mut engines, &|| true).is_none());
    }
}

#[test]
fn tiny_runs_learn_what_is_recorded() {
    let mut lab = Lab { folder: tempfile::tempdir().unwrap(), found: String::new() };
    write_kept_games(&lab.path("kept"));
    write_games(&lab.path("games.pgn"), &GAMES);
    for task in [bootstrap, values, wdl, policy, td_leaf, rehearsal, league, played, curve] {
        task(&mut lab);
    }
    let found = lab.found;
    assert_eq!(found, include_str!("signature.txt"), "found:\n{found}");
}
