//! The course of a league, game by game, as it follows from its record: what a report draws.

use crate::run::options::TaskOptions;
use crate::tasks::league::league_learner::Learner;
use crate::tasks::league::league_options::Options;
use crate::tasks::league::league_record::LeagueRecord;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fs;
use std::path::Path;

/// The file of a league's configuration in its folder.
pub const CONFIG: &str = "league.toml";
/// The file of its games.
pub const GAMES: &str = "games.jsonl";
/// The file with the Elo of its checkpoints on a panel, if they have been rated.
pub const PANEL: &str = "panel.csv";
/// The games of the moving mean of scores.
const RECENT: usize = 50;

/// The league after a game.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GameRow {
    /// The game, from 1; 0 before the first.
    pub game: u64,
    /// The learner's rating in the league.
    pub rating: f64,
    /// The mean score, 0 to 1, of the last games that counted (50, or as many as there were).
    pub score: Option<f64>,
    /// The mean value of all turns so far, for the learner.
    pub value: f64,
    /// The share of all differences so far that were rises that do not count.
    pub clipped: f64,
    /// The Elo of this checkpoint on the panel.
    pub panel: Option<f64>,
}

/// A line of [`PANEL`].
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Rated {
    /// The number of games after which the network was kept.
    pub games: u64,
    /// Its Elo.
    pub elo: f64,
}

/// Reads the league of a folder, which may be playing at this moment.
///
/// # Errors
/// If it is no league, or its games or ratings are damaged.
pub fn read(folder: &Path) -> anyhow::Result<(Options, Vec<GameRow>)> {
    let options = Options::read(&folder.join(CONFIG))?;
    let panel = read_panel(&folder.join(PANEL))?;
    let mut learner = Learner::new(&options)?;
    let mut recent = VecDeque::new();
    let mut rows = Vec::new();
    let mut add = |learner: &Learner, recent: &VecDeque<f64>| {
        let (clipped, value) = learner.statistics();
        let score = (!recent.is_empty()).then(|| recent.iter().sum::<f64>() / recent.len() as f64);
        let game = learner.games();
        let panel = panel.iter().find(|rated| rated.games == game).map(|rated| rated.elo);
        rows.push(GameRow { game, rating: learner.ratings().learner, score, value, clipped, panel });
    };
    add(&learner, &recent);
    LeagueRecord::read(&folder.join(GAMES), &mut |game| {
        learner.learn(&game)?;
        if let Some(result) = game.result {
            recent.push_back(0.5 + 0.5 * f64::from(result));
            recent.drain(..recent.len().saturating_sub(RECENT));
        }
        add(&learner, &recent);
        Ok(())
    })?;
    Ok((options, rows))
}

/// Reads the ratings of checkpoints; none if there is no such file.
///
/// # Errors
/// If it cannot be read or has other rows.
pub fn read_panel(path: &Path) -> anyhow::Result<Vec<Rated>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let rows = csv::Reader::from_reader(&*text).deserialize().collect::<Result<_, _>>();
    rows.with_context(|| format!("{} has no rows of games and elo", path.display()))
}
