//! The table of the UCI options, and how each is read and set.

use super::values::{Change, Options};
use crate::limits::Limits;
use engine::choice::{EvalKind, PolicyKind, SearchKind};
use engine::spec::EMPTY;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;
use support::choice::Choice;

use Kind::{
    Button, Check, CheckChange, Elo, EngineCheck, EngineCombo, EngineFile, EngineRange, EngineSpin, Spin, Text,
};

/// The kind of an option, which says how its default is found and its value set.
#[derive(Clone, Copy)]
pub(super) enum Kind {
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

/// A row of the table.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
}

/// The table, in the order of declaration: what players set, then what experts do.
pub(super) const TABLE: [Row; 30] = [
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
    Row { name: "LinearPolicyFile", kind: EngineFile("linear-policy") },
    Row { name: "Evaluator", kind: EngineCombo("eval", words::<EvalKind>) },
    Row { name: "Policy", kind: EngineCombo("policy", words::<PolicyKind>) },
    Row { name: "Search", kind: EngineCombo("search", words::<SearchKind>) },
    Row { name: "Selective", kind: EngineCheck("selective") },
];

pub(super) fn words<T: Choice>() -> Vec<&'static str> {
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
