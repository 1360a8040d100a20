//! The UCI options: one row of one table per option, with its name, its kind, its default and how it is applied.

use crate::engine::choice::{EvalKind, PolicyKind, SearchKind};
use crate::engine::contempt::contempt;
use crate::engine::spec::{EMPTY, EngineSpec, SpecError};
use crate::engine::strength::Level;
use crate::search::time::DEFAULT_MOVE_OVERHEAD;
use crate::uci::limits::Limits;
use anyhow::{Context, anyhow, bail};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;
use support::choice::Choice;
use support::text::clip;

/// Okapi's rating on the scale of UCI_Elo at full strength, about.
const FULL_STRENGTH: u32 = 2_900;

/// What a client can set.
#[derive(Debug, Clone, Default)]
pub struct Values {
    /// What the engine is made of.
    pub spec: EngineSpec,
    /// What belongs to the conversation and not to the engine.
    pub options: Options,
}

/// The options that belong to the conversation and not to the engine.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is lost between the engine and the client's clock.
    pub move_overhead: Duration,
    /// The number of nodes that count as a millisecond; `None` for wall time.
    pub nodes_per_millisecond: Option<NonZeroU32>,
    /// The number of principal variations, from 1.
    pub multipv: usize,
    /// Castling is written king takes own rook.
    pub chess960: bool,
    /// Scores are followed by win, draw and loss chances.
    pub show_wdl: bool,
    /// The file to which all lines are appended.
    pub log: Option<PathBuf>,
    /// The file to which thoughts are appended ([`crate::engine::game_log`]).
    pub game_log: Option<PathBuf>,
    /// Whether the strength is limited to [`Options::elo`].
    pub limit_strength: bool,
    /// The Elo of a limited strength.
    pub elo: u32,
    /// What a draw is worth, in hundredths, from -100 to 100.
    pub draw_score: i32,
    /// Whether a draw is worth less against weaker opponents and more against stronger ones.
    pub contempt: bool,
    /// By how many Elo Okapi is stronger than its opponent; 0 if that is not known.
    pub rating_advantage: i32,
    /// The opponent's rating, if the client told it.
    pub opponent_rating: Option<u32>,
    /// Determines the draws of a limited strength; 0 for other draws in every game.
    pub strength_seed: u32,
    /// The folders of Syzygy tables; empty for none.
    pub syzygy_path: String,
    /// The least depth equivalent at which the tables are asked.
    pub syzygy_probe_depth: u32,
    /// Whether tables reckon with the fifty-move rule.
    pub syzygy_50_move_rule: bool,
}

impl Default for Options {
    fn default() -> Self {
        let move_overhead = DEFAULT_MOVE_OVERHEAD;
        Self {
            move_overhead,
            nodes_per_millisecond: None,
            multipv: 1,
            chess960: false,
            show_wdl: false,
            log: None,
            game_log: None,
            limit_strength: false,
            elo: Level::elo_range().1,
            strength_seed: 0,
            draw_score: 0,
            contempt: false,
            rating_advantage: 0,
            opponent_rating: None,
            syzygy_path: String::new(),
            syzygy_probe_depth: 1,
            syzygy_50_move_rule: true,
        }
    }
}

impl Options {
    /// The Elo that limits the strength, if it is limited, and the seed of the draws of the games from now on.
    pub fn strength(&self) -> (Option<u32>, u64) {
        let seed = if self.strength_seed == 0 { rand::random() } else { self.strength_seed.into() };
        (self.limit_strength.then_some(self.elo), seed)
    }

    /// What a draw is worth, from -1 to 1: DrawScore and, with Contempt, what follows from the opponent's rating.
    pub fn draw_worth(&self) -> f64 {
        let own = if self.limit_strength { self.elo } else { FULL_STRENGTH };
        let by_rating = || self.opponent_rating.map_or(0.0, |rating| f64::from(own) - f64::from(rating));
        let advantage = if self.rating_advantage == 0 { by_rating() } else { self.rating_advantage.into() };
        let contempt = if self.contempt { contempt(advantage) } else { 0.0 };
        (f64::from(self.draw_score) / 100.0 + contempt).clamp(-1.0, 1.0)
    }
}

/// What has to happen after an option was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing: the next search reads the option.
    None,
    /// The clocks kept in nodes begin anew.
    NodeClocks,
    /// The engine forgets what earlier searches learned.
    ClearHash,
    /// All lines are logged to another file.
    Log,
    /// Thoughts are logged to another file.
    GameLog,
    /// A draw is worth something else.
    DrawWorth,
    /// The strength is limited otherwise.
    Strength,
    /// Other endgame tables are used, or in another way.
    Syzygy,
    /// This key of the engine's specification changed.
    Engine(&'static str),
}

/// The kind of an option, which says how its default is found and its value set.
#[derive(Clone, Copy)]
enum Kind {
    /// A number that is a key of the engine's specification, up to a limit of the machine.
    EngineSpin(&'static str, fn(&Limits) -> i64),
    /// A number that is a key of the engine's specification, from the first to the second.
    EngineRange(&'static str, i64, i64),
    /// A key of the engine's specification that is one of several words.
    EngineCombo(&'static str, fn() -> Vec<&'static str>),
    /// A key of the engine's specification that is on or off.
    EngineCheck(&'static str),
    /// A key of the engine's specification that is a file.
    EngineFile(&'static str),
    /// A number from the first to the second.
    Spin(i64, i64, fn(&Options) -> i64, fn(&mut Options, i64) -> Change),
    /// True or false.
    Check(fn(&Options) -> bool, fn(&mut Options, bool)),
    /// True or false, with an effect.
    CheckChange(fn(&Options) -> bool, fn(&mut Options, bool) -> Change),
    /// The Elo of a limited strength.
    Elo,
    /// A text, empty by default.
    Text(fn(&mut Options, &str) -> Change),
    /// No value.
    Button(Change),
}

use Kind::{
    Button, Check, CheckChange, Elo, EngineCheck, EngineCombo, EngineFile, EngineRange, EngineSpin, Spin, Text,
};

/// A row of the table.
struct Row {
    name: &'static str,
    kind: Kind,
}

/// The table, in the order of declaration: what players set, then what experts do.
const TABLE: [Row; 29] = [
    Row { name: "Hash", kind: EngineSpin("hash", |limits| limits.hash) },
    Row { name: "Clear Hash", kind: Button(Change::ClearHash) },
    Row { name: "Threads", kind: EngineSpin("threads", |limits| limits.threads) },
    Row { name: "MultiPV", kind: Spin(1, 256, |options| options.multipv as i64, set_multipv) },
    Row { name: "Move Overhead", kind: Spin(0, 5_000, overhead, set_overhead) },
    // The client may let the engine think on the opponent's time; the engine need not know.
    Row { name: "Ponder", kind: Check(|_| false, |_, _| ()) },
    Row { name: "UCI_Chess960", kind: Check(|options| options.chess960, |options, on| options.chess960 = on) },
    Row { name: "UCI_ShowWDL", kind: Check(|options| options.show_wdl, |options, on| options.show_wdl = on) },
    Row { name: "UCI_LimitStrength", kind: CheckChange(|options| options.limit_strength, set_limit_strength) },
    Row { name: "UCI_Elo", kind: Elo },
    Row { name: "Strength Seed", kind: Spin(0, i32::MAX as i64, |options| options.strength_seed.into(), set_seed) },
    Row { name: "DrawScore", kind: Spin(-100, 100, |options| options.draw_score.into(), set_draw_score) },
    Row { name: "Contempt", kind: CheckChange(|options| options.contempt, set_contempt) },
    Row { name: "UCI_RatingAdv", kind: Spin(-3_000, 3_000, |options| options.rating_advantage.into(), set_advantage) },
    Row { name: "CommonSense", kind: EngineRange("common-sense", 0, 100) },
    Row { name: "SyzygyPath", kind: Text(set_syzygy_path) },
    Row { name: "SyzygyProbeDepth", kind: Spin(1, 100, |options| options.syzygy_probe_depth.into(), set_probe_depth) },
    Row { name: "Syzygy50MoveRule", kind: CheckChange(|options| options.syzygy_50_move_rule, set_50_move_rule) },
    // The engine plays and analyses alike.
    Row { name: "UCI_AnalyseMode", kind: Check(|_| false, |_, _| ()) },
    Row { name: "UCI_Opponent", kind: Text(set_opponent) },
    Row { name: "Debug Log File", kind: Text(set_log) },
    Row { name: "GameLog", kind: Text(set_game_log) },
    Row { name: "nodestime", kind: Spin(0, 10_000, nodes_time, set_nodes_time) },
    Row { name: "EvalFile", kind: EngineFile("value-net") },
    Row { name: "PolicyFile", kind: EngineFile("policy-net") },
    Row { name: "Evaluator", kind: EngineCombo("eval", words::<EvalKind>) },
    Row { name: "Policy", kind: EngineCombo("policy", words::<PolicyKind>) },
    Row { name: "Search", kind: EngineCombo("search", words::<SearchKind>) },
    Row { name: "Selective", kind: EngineCheck("selective") },
];

fn words<T: Choice>() -> Vec<&'static str> {
    T::ALL.iter().map(|row| row.1).collect()
}

fn overhead(options: &Options) -> i64 {
    options.move_overhead.as_millis() as i64
}

fn set_overhead(options: &mut Options, milliseconds: i64) -> Change {
    options.move_overhead = Duration::from_millis(milliseconds as u64);
    Change::None
}

fn nodes_time(options: &Options) -> i64 {
    options.nodes_per_millisecond.map_or(0, |rate| i64::from(rate.get()))
}

fn set_nodes_time(options: &mut Options, rate: i64) -> Change {
    options.nodes_per_millisecond = NonZeroU32::new(rate as u32);
    Change::NodeClocks
}

fn set_log(options: &mut Options, path: &str) -> Change {
    options.log = (!path.is_empty() && path != EMPTY).then(|| PathBuf::from(path));
    Change::Log
}

fn set_game_log(options: &mut Options, path: &str) -> Change {
    options.game_log = (!path.is_empty() && path != EMPTY).then(|| PathBuf::from(path));
    Change::GameLog
}

fn set_limit_strength(options: &mut Options, on: bool) -> Change {
    options.limit_strength = on;
    Change::Strength
}

fn set_seed(options: &mut Options, seed: i64) -> Change {
    options.strength_seed = seed as u32;
    Change::Strength
}

fn set_draw_score(options: &mut Options, hundredths: i64) -> Change {
    options.draw_score = hundredths as i32;
    Change::DrawWorth
}

fn set_contempt(options: &mut Options, on: bool) -> Change {
    options.contempt = on;
    Change::DrawWorth
}

fn set_advantage(options: &mut Options, elo: i64) -> Change {
    options.rating_advantage = elo as i32;
    Change::DrawWorth
}

/// As the protocol has it: title, rating, `computer` or `human`, and the name.
fn set_opponent(options: &mut Options, text: &str) -> Change {
    options.opponent_rating = text.split_whitespace().nth(1).and_then(|rating| rating.parse().ok());
    Change::DrawWorth
}

fn set_syzygy_path(options: &mut Options, path: &str) -> Change {
    options.syzygy_path = if path == EMPTY { String::new() } else { path.to_owned() };
    Change::Syzygy
}

fn set_probe_depth(options: &mut Options, depth: i64) -> Change {
    options.syzygy_probe_depth = depth as u32;
    Change::Syzygy
}

fn set_50_move_rule(options: &mut Options, on: bool) -> Change {
    options.syzygy_50_move_rule = on;
    Change::Syzygy
}

fn set_multipv(options: &mut Options, lines: i64) -> Change {
    options.multipv = lines as usize;
    Change::None
}

/// The lines that declare the options; the defaults are what the engine was started with.
pub fn declarations(start: &EngineSpec, limits: Limits) -> Vec<String> {
    let options = Options::default();
    let declare = |Row { name, kind }: &Row| {
        let text = match *kind {
            EngineSpin(key, most) => format!("spin default {} min 1 max {}", start.get(key), most(&limits)),
            EngineRange(key, min, max) => format!("spin default {} min {min} max {max}", start.get(key)),
            EngineCombo(key, words) => format!("combo default {} var {}", start.get(key), words().join(" var ")),
            EngineCheck(key) => format!("check default {}", start.get(key) == "on"),
            EngineFile(key) => format!("string default {}", start.get(key)),
            Spin(min, max, get, _) => format!("spin default {} min {min} max {max}", get(&options)),
            Elo => {
                let (least, most) = Level::elo_range();
                format!("spin default {} min {least} max {most}", options.elo)
            }
            Check(get, _) | CheckChange(get, _) => format!("check default {}", get(&options)),
            Text(_) => format!("string default {EMPTY}"),
            Button(_) => "button".to_owned(),
        };
        format!("option name {name} type {text}")
    };
    let declared = TABLE.iter().map(declare);
    #[cfg(feature = "tuning")]
    let declared = declared.chain(tuning::declarations());
    declared.collect()
}

/// Sets an option by name and value as `setoption` gives them; names, choices and truth values are matched without case.
///
/// # Errors
/// If there is no such option or it cannot have this value; nothing is changed then.
pub fn set(name: &str, value: Option<&str>, limits: Limits, values: &mut Values) -> anyhow::Result<Change> {
    let Some(Row { name, kind }) = TABLE.iter().find(|row| row.name.eq_ignore_ascii_case(name)) else {
        #[cfg(feature = "tuning")]
        if let Some(changed) = tuning::set(name, value) {
            return changed;
        }
        bail!("there is no option '{}'", clip(name));
    };
    if let Button(change) = kind {
        return Ok(*change);
    }
    let value = value.with_context(|| format!("option {name} needs a value"))?;
    let invalid = |expected: String| anyhow!("option {name} takes {expected}, not '{}'", clip(value));
    let number = |min: i64, max: i64| {
        let number = value.parse().ok().filter(|number| (min..=max).contains(number));
        number.ok_or_else(|| invalid(format!("a number from {min} to {max}")))
    };
    let truth = || value.to_ascii_lowercase().parse::<bool>().map_err(|_| invalid("true or false".to_owned()));
    let mut engine = |key: &'static str, value: &str| match values.spec.set(key, value) {
        Ok(()) => Ok(Change::Engine(key)),
        Err(SpecError::NotA(expected)) => Err(invalid(expected)),
        Err(SpecError::UnknownKey) => bail!("there is no option '{key}'"),
    };
    match *kind {
        EngineSpin(key, most) => engine(key, &number(1, most(&limits))?.to_string()),
        EngineRange(key, min, max) => engine(key, &number(min, max)?.to_string()),
        EngineCombo(key, _) => engine(key, value),
        EngineCheck(key) => engine(key, truth()?.word()),
        EngineFile(key) => engine(key, value),
        Spin(min, max, _, set) => Ok(set(&mut values.options, number(min, max)?)),
        Elo => {
            let (least, most) = Level::elo_range();
            values.options.elo = number(least.into(), most.into())? as u32;
            Ok(Change::Strength)
        }
        Check(_, set) => {
            set(&mut values.options, truth()?);
            Ok(Change::None)
        }
        CheckChange(_, set) => Ok(set(&mut values.options, truth()?)),
        Text(set) => Ok(set(&mut values.options, value)),
        Button(change) => Ok(change),
    }
}

/// With the feature `tuning`, every constant of the search is an option of type string that takes a decimal number.
#[cfg(feature = "tuning")]
mod tuning {
    use super::Change;
    use crate::search::tunables::TUNABLES;
    use anyhow::{Context, ensure};
    use support::text::clip;

    pub fn declarations() -> impl Iterator<Item = String> {
        TUNABLES.iter().map(|row| format!("option name {} type string default {}", row.name, row.default))
    }

    /// Sets a constant; `None` if no constant has this name.
    pub fn set(name: &str, value: Option<&str>) -> Option<anyhow::Result<Change>> {
        let row = TUNABLES.iter().find(|row| row.name.eq_ignore_ascii_case(name))?;
        let set = || {
            let (name, range) = (row.name, &row.range);
            let value = value.with_context(|| format!("option {name} needs a value"))?;
            let is_set = value.parse().is_ok_and(|number| row.set(number));
            let (least, most) = (range.start(), range.end());
            ensure!(is_set, "option {name} takes a number from {least} to {most}, not '{}'", clip(value));
            // Searchers read most constants when they are built, as after a change of the policy.
            Ok(Change::Engine("policy"))
        };
        Some(set())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { hash: 2_000, threads: 64 };

    fn set(name: &str, value: Option<&str>) -> anyhow::Result<Values> {
        let mut values = Values::default();
        super::set(name, value, LIMITS, &mut values).map(|_| values)
    }

    #[test]
    fn every_declared_default_can_be_set() {
        for (line, Row { name, kind }) in declarations(&EngineSpec::default(), LIMITS).into_iter().zip(TABLE) {
            assert!(line.starts_with(&format!("option name {name} type ")), "{line}");
            let default = line.split(" default ").nth(1).map(|rest| rest.split(' ').next().unwrap());
            assert_eq!(default.is_none(), matches!(kind, Button(_)), "{line}");
            set(&name.to_uppercase(), default).unwrap();
        }
    }

    #[test]
    fn every_choice_is_one_of_the_engine_and_none_is_missing() {
        for Row { name, kind } in TABLE {
            let EngineCombo(key, words) = kind else { continue };
            for word in words() {
                assert_eq!(set(name, Some(word)).unwrap().spec.get(key), word);
            }
        }
        assert_eq!(words::<PolicyKind>(), ["uniform", "static", "network"]);
    }

    #[test]
    fn values_out_of_range_are_told_apart() {
        let error = |name, value| set(name, value).unwrap_err().to_string();
        assert_eq!(error("Hash", Some("0")), "option Hash takes a number from 1 to 2000, not '0'");
        assert_eq!(error("hash", None), "option Hash needs a value");
        assert_eq!(error("Threads", Some("65")), "option Threads takes a number from 1 to 64, not '65'");
        assert_eq!(error("UCI_ShowWDL", Some("yes")), "option UCI_ShowWDL takes true or false, not 'yes'");
        assert_eq!(
            error("Evaluator", Some("luck")),
            "option Evaluator takes one of network, linear, material, not 'luck'"
        );
        assert_eq!(error("Optimism", Some("3")), "there is no option 'Optimism'");
    }

    #[test]
    fn an_empty_file_name_means_the_net_inside() {
        let file = |value| set("EvalFile", Some(value)).unwrap().spec.value_net;
        assert_eq!((file(EMPTY), file("")), (None, None));
        assert_eq!(file("a b.net"), Some("a b.net".into()));
    }

    #[cfg(feature = "tuning")]
    #[test]
    fn every_constant_of_the_search_is_an_option() {
        use crate::search::tunables::TUNABLES;
        let declared = declarations(&EngineSpec::default(), LIMITS).join("\n");
        for row in TUNABLES {
            assert!(declared.contains(&format!("option name {} type string default {}", row.name, row.default)));
            set(row.name, Some(&row.default.to_string())).unwrap();
            assert!(set(row.name, Some("nonsense")).is_err());
            assert_eq!(row.get(), row.default);
        }
    }
}
