//! The table of the UCI options that belong to the conversation and not to the engine. Those of the engine are in the table of
//! its specification ([`engine::spec`]).

use super::change::Change;
use engine::strength::Level;
use search::time::DEFAULT_MOVE_OVERHEAD;
use std::path::PathBuf;
use support::keys;

keys! {
    /// The options that belong to the conversation and not to the engine.
    Options, OPTIONS: Change;

    /// Forgets earlier searches
    "Clear Hash" = "", clear_hash: () = (), Change::ClearHash;
    /// The number of principal variations to show
    "MultiPV" = "N", multipv: usize = 1, in 1..=256, Change::None;
    /// The time lost between engine and clock, in ms; raise it on a slow connection
    "Move Overhead" = "MS", move_overhead: u64 = DEFAULT_MOVE_OVERHEAD.as_millis() as u64, in 0..=5_000, Change::None;
    /// For the client: it may let the engine search on the opponent's time; the engine need not know
    "Ponder" = "on|off", ponder: bool = false, Change::None;
    /// Chess960: castling is written as king takes rook
    "UCI_Chess960" = "on|off", chess960: bool = false, Change::None;
    /// Shows win, draw and loss chances
    "UCI_ShowWDL" = "on|off", show_wdl: bool = false, Change::None;
    /// With Search=mcts: shows visits, prior and value of every root move at the end of a search
    "VerboseMoveStats" = "on|off", verbose_move_stats: bool = false, Change::None;
    /// Limits the strength to UCI_Elo
    "UCI_LimitStrength" = "on|off", limit_strength: bool = false, Change::Strength;
    /// The Elo of a limited strength
    "UCI_Elo" = "N", elo: u32 = *Level::elo_range().end() as u32, in Level::elo_range(), Change::Strength;
    /// What a limited strength draws; 0: something else in every game
    "Strength Seed" = "N", strength_seed: u32 = 0, in 0..=i32::MAX.into(), Change::Strength;
    /// A limited strength takes time for its moves, as a person does, instead of answering at once
    "Human Pace" = "on|off", human_pace: bool = false, Change::None;
    /// What a draw is worth, in percent: -100 as much as a loss, 0 half a win, 100 as much as a win
    "DrawScore" = "N", draw_score: f64 = 0.0, in -100..=100, Change::DrawWorth;
    /// A draw is worth less against weaker opponents and more against stronger ones
    "Contempt" = "on|off", contempt: bool = false, Change::DrawWorth;
    /// By how many Elo Okapi is stronger than its opponent; 0 if that is not known
    "UCI_RatingAdv" = "N", rating_advantage: i32 = 0, in -3_000..=3_000, Change::DrawWorth;
    /// The folders of Syzygy endgame tables, separated as in PATH
    "SyzygyPath" = "FOLDERS", syzygy_path: String = String::new(), Change::Syzygy;
    /// The least depth equivalent at which the tables are asked; more for slow disks
    "SyzygyProbeDepth" = "N", syzygy_probe_depth: u32 = 1, in 1..=100, Change::Syzygy;
    /// Whether a win that the fifty-move rule prevents is a draw
    "Syzygy50MoveRule" = "on|off", syzygy_50_move_rule: bool = true, Change::Syzygy;
    /// For the client: the engine plays and analyses alike
    "UCI_AnalyseMode" = "on|off", analyse_mode: bool = false, Change::None;
    /// The opponent, as the protocol has it: title, rating, `computer` or `human`, and the name
    "UCI_Opponent" = "TEXT", opponent: String = String::new(), Change::DrawWorth;
    /// The file to which all lines of both sides are appended
    "Debug Log File" = "FILE", log: Option<PathBuf> = None, Change::Log;
    /// The file to which what Okapi finds at each turn is appended, for `okapi learn --log`
    "GameLog" = "FILE", game_log: Option<PathBuf> = None, Change::GameLog;
    /// Nodes per ms that replace time, which makes games with clocks reproducible; 0: off
    "nodestime" = "N", nodes_per_millisecond: u32 = 0, in 0..=10_000, Change::NodeClocks;
}
