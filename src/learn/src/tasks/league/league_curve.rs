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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::league::league_options::Opponent;
    use crate::tasks::league::league_record::{LeagueGame, PlayedTurn};
    use matches::termination::Termination;

    #[test]
    fn the_course_of_a_league_follows_from_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let opponent = vec![Opponent { name: "b".to_owned(), player: "okapi".to_owned(), rating: Some(1_650.0) }];
        let options = Options { opponent, ..Options::default() };
        fs::write(path.join(CONFIG), options.to_toml()).unwrap();
        let mut record = LeagueRecord::open(&path.join(GAMES), serde_json::Map::new(), &mut |_| Ok(())).unwrap();
        // Turns of values 0 and 1/2 that are no leaf's, whose rise the search did not predict.
        let turn = |ply, value| PlayedTurn { ply, value, mate: false, line: None };
        let results = [Some(1), None, Some(-1)].into_iter().chain([Some(0); 49]);
        for (result, game) in results.zip(1..) {
            let moves = ["e2e4", "e7e5", "g1f3"].map(str::to_owned).to_vec();
            let turns = if game == 1 { vec![turn(0, 0.0), turn(2, 0.5)] } else { Vec::new() };
            let opponent = Some("b".to_owned());
            let termination = Termination::Mate;
            record.add(&LeagueGame { game, opponent, white: true, result, termination, moves, turns }).unwrap();
        }
        let (read_options, rows) = read(path).unwrap();
        assert_eq!((read_options, rows.len()), (options.clone(), 53));
        let first = GameRow { game: 0, rating: 1_650.0, score: None, value: 0.0, clipped: 0.0, panel: None };
        assert_eq!(rows[0], first);
        // Of two turns the first rises without a prediction.
        let won = GameRow { game: 1, rating: 1_666.0, score: Some(1.0), value: 0.25, clipped: 0.5, panel: None };
        assert_eq!(rows[1], won);
        assert_eq!(rows[2], GameRow { game: 2, ..won });
        assert_eq!((rows[3].score, rows[51].score), (Some(0.5), Some(0.5)));
        // Now the first game is no longer among the last 50 that counted.
        assert_eq!((rows[52].game, rows[52].score), (52, Some(24.5 / 50.0)));
        fs::write(path.join(PANEL), "games,elo\n1,12.5\n52,-3\n").unwrap();
        let rows = read(path).unwrap().1;
        let rated: Vec<_> = rows.iter().filter_map(|row| Some((row.game, row.panel?))).collect();
        assert_eq!(rated, [(1, 12.5), (52, -3.0)]);
        fs::write(path.join(PANEL), "games,points\n1,12.5\n").unwrap();
        assert!(read(path).unwrap_err().to_string().ends_with("panel.csv has no rows of games and elo"));
    }
}
