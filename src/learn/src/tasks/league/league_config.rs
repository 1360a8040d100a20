//! The configuration of a league: a TOML file.

use crate::targets::knightcap::{LastRise, RiseRule, TurnTargets};
use anyhow::{Context, ensure};
use engine::PolicyKind;
use engine::evaluators::{MATERIAL_VALUES, material_net};
use nets::{LinearTopology, ValueNet};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use support::choice::Choice;

/// A league.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct LeagueConfig {
    /// Determines the opponents and the openings.
    pub seed: u64,
    /// How many games are played.
    pub games: u64,
    /// The learner's nodes a move.
    pub nodes: u64,
    /// The learner's policy.
    pub policy: PolicyKind,
    /// The file of the linear evaluator that the learner begins with; without one it counts material.
    pub initial: Option<PathBuf>,
    /// What the other one counts: `material`, or `pawns`, every piece as a pawn.
    pub start: String,
    /// Its stages, 1 or 4.
    pub stages: usize,
    /// The step of learning, over the number of active features.
    pub alpha: f32,
    /// How many of its earlier games it learns again after each game.
    pub replay: u64,
    /// Whether a leaf also teaches its value with the other side to move and with its files mirrored.
    pub symmetric: bool,
    /// TD(lambda)'s lambda, 0 to 1.
    pub lambda: f32,
    /// Which rises count: `knightcap`, `rated` or `none`.
    pub rule: String,
    /// Whether the rise from the last value to the result counts: `keep` or `drop`.
    pub last_rise: String,
    /// Whether games begin with random openings, and not with the first move.
    pub random_openings: bool,
    /// Whether the learner plays itself, and both sides learn.
    pub self_play: bool,
    /// Whether the learner avoids first moves with bad results.
    pub book: bool,
    /// The learner's rating at the beginning.
    pub rating: f64,
    /// The numbers of games after which the network is kept.
    pub checkpoints: Vec<u64>,
    /// The opponents.
    pub opponent: Vec<OpponentConfig>,
}

/// What a linear evaluator counts that has learned nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Start {
    #[default]
    Material,
    // CITE: Baxter, Tridgell and Weaver 1999, section 5: coefficients that all began at the value of a pawn.
    Pawns,
}

impl Choice for Start {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Self::Material, "material", "Material"), (Self::Pawns, "pawns", "Every piece as a pawn")];
}

/// An opponent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpponentConfig {
    /// Its name.
    pub name: String,
    /// The words of `--player` in `okapi match`.
    pub player: String,
    /// Its rating, which does not change; without one it begins with the learner's and is found by the games.
    pub rating: Option<f64>,
}

impl Default for LeagueConfig {
    fn default() -> Self {
        Self {
            seed: 1,
            games: 300,
            nodes: 2_000,
            policy: PolicyKind::Static,
            initial: None,
            start: Start::default().word().to_owned(),
            stages: 1,
            alpha: 0.1,
            replay: 0,
            symmetric: false,
            lambda: 0.7,
            rule: RiseRule::default().word().to_owned(),
            last_rise: LastRise::default().word().to_owned(),
            random_openings: false,
            self_play: false,
            book: false,
            rating: 1_650.0,
            checkpoints: vec![0, 75, 150, 225, 300],
            opponent: Vec::new(),
        }
    }
}

impl LeagueConfig {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or describes no league.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let config: Self = toml::from_str(&text).with_context(|| format!("{} is no league", path.display()))?;
        config.validate().with_context(|| path.display().to_string())?;
        Ok(config)
    }

    fn validate(&self) -> anyhow::Result<()> {
        ensure!(self.games > 0 && self.nodes > 0, "games and nodes must be positive");
        ensure!((0.0..=1.0).contains(&self.lambda), "lambda must be a number from 0 to 1");
        ensure!((0.0..=100.0).contains(&self.alpha), "alpha must be a number from 0 to 100");
        ensure!(self.rating.is_finite(), "rating must be a number");
        ensure!(
            self.self_play == self.opponent.is_empty(),
            "a league has opponents ([[opponent]]), or self-play = true and none"
        );
        let names: HashSet<&str> = self.opponent.iter().map(|opponent| &*opponent.name).collect();
        ensure!(names.len() == self.opponent.len(), "two opponents have the same name");
        ensure!(
            self.opponent.iter().all(|opponent| opponent.rating.is_none_or(f64::is_finite)),
            "ratings must be numbers"
        );
        self.start()?;
        self.targets().map(drop)
    }

    /// How targets are made of a game.
    ///
    /// # Errors
    /// If a word is unknown.
    pub fn targets(&self) -> anyhow::Result<TurnTargets> {
        let known = |key: &'static str| move |expected: String| anyhow::anyhow!("{key} is not {expected}");
        Ok(TurnTargets {
            lambda: self.lambda,
            rule: RiseRule::from_word(&self.rule).map_err(known("rule"))?,
            last: LastRise::from_word(&self.last_rise).map_err(known("last-rise"))?,
        })
    }

    fn start(&self) -> anyhow::Result<Start> {
        Start::from_word(&self.start).map_err(|expected| anyhow::anyhow!("start is not {expected}"))
    }

    /// The linear evaluator that the learner begins with.
    ///
    /// # Errors
    /// If its file cannot be read, or there is no such start or number of stages.
    pub fn initial_net(&self) -> anyhow::Result<ValueNet> {
        if let Some(path) = &self.initial {
            return Ok(nets::file::load(path)?.0);
        }
        let topology = LinearTopology::new(self.stages).context("stages")?;
        Ok(match self.start()? {
            Start::Material => material_net(topology),
            Start::Pawns => ValueNet::material(topology, [0.001 * MATERIAL_VALUES[0] as f32; 5]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<LeagueConfig, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("league.toml");
        std::fs::write(&path, text).unwrap();
        LeagueConfig::read(&path).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn what_is_wrong_is_said() {
        let one = "[[opponent]]\nname = \"a\"\nplayer = \"okapi nodes=10\"\n";
        assert_eq!(read(one).unwrap().opponent[0].name, "a");
        assert!(read("self-play = true\n").unwrap().self_play);
        for (text, expected) in [
            ("", "a league has opponents"),
            (&*format!("{one}{one}"), "two opponents have the same name"),
            (&*format!("lambda = 2.0\n{one}"), "lambda must be a number from 0 to 1"),
            (&*format!("start = \"queens\"\n{one}"), "start is not"),
            (&*format!("rule = \"luck\"\n{one}"), "rule is not"),
            (&*format!("game = 3\n{one}"), "unknown field `game`"),
            (&*format!("self-play = true\n{one}"), "a league has opponents"),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.contains(expected), "{found}");
        }
    }
}
