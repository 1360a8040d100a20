//! The options of a league.

use crate::run::option_values::{choice, number, path, positive, within, word};
use crate::run::options::{FREE, TaskOptions, defaults};
use crate::targets::knightcap::TurnTargets;
use anyhow::{Context, ensure};
use clap::{ArgAction, Args};
use engine::PolicyKind;
use engine::evaluators::{MATERIAL_VALUES, material_net};
use nets::{LinearTopology, ValueNet};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::PathBuf;
use std::str::FromStr;
use support::choice::Choice;

/// The options of a league.
#[derive(Debug, Clone, PartialEq, Args, Serialize)]
pub struct Options {
    /// How many games are played
    #[arg(long, help_heading = FREE, value_name = "N", default_value_t = 300, value_parser = within::<u64>(1..=10_000_000))]
    pub games: u64,
    /// Nodes of the learner's moves
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = positive::<u64>)]
    pub nodes: u64,
    /// Seed of the opponents, colors and openings
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::<u64>)]
    pub seed: u64,
    /// The learner plays itself instead of the pool, and both sides learn
    #[arg(long = "self", value_name = "BOOL", action = ArgAction::Set, num_args = 0..=1, require_equals = true)]
    #[arg(default_value_t = false, default_missing_value = "true")]
    pub self_play: bool,
    /// The learner avoids first moves with bad results
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, num_args = 0..=1, require_equals = true)]
    #[arg(default_value_t = false, default_missing_value = "true")]
    pub book: bool,
    /// Games begin with random moves, and not with the first move
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, num_args = 0..=1, require_equals = true)]
    #[arg(default_value_t = false, default_missing_value = "true")]
    pub random_openings: bool,
    /// The learner's rating at the beginning
    #[arg(long, value_name = "ELO", default_value_t = 1_650.0, value_parser = within::<f64>(-1e4..=1e4))]
    pub rating: f64,
    /// Numbers of games after which the network is kept
    #[arg(long, help_heading = FREE, value_name = "N", value_delimiter = ',', default_values_t = [0, 75, 150, 225, 300])]
    pub checkpoints: Vec<u64>,
    /// The step of learning, over the number of active features
    #[arg(long, value_name = "X", default_value_t = 0.1, value_parser = within::<f32>(0.0..=100.0))]
    pub alpha: f32,
    /// How targets are made of a game.
    #[command(flatten)]
    #[serde(flatten)]
    pub targets: TurnTargets,
    /// A leaf also teaches its value with the other side to move and with its files mirrored
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, num_args = 0..=1, require_equals = true)]
    #[arg(default_value_t = false, default_missing_value = "true")]
    pub symmetric: bool,
    /// Earlier games that are learned again after each game
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number::<u64>)]
    pub replay: u64,
    /// The learner's policy
    #[arg(long, value_parser = choice::<PolicyKind>(), default_value = PolicyKind::Static.word(), value_name = "POLICY")]
    #[serde(serialize_with = "word")]
    pub policy: PolicyKind,
    /// The file of a linear evaluator that the learner begins with [default: what --start and --stages say]
    #[arg(long, value_name = "FILE", value_parser = path)]
    pub initial: Option<PathBuf>,
    /// What the learner counts at the beginning
    #[arg(long, value_parser = choice::<Start>(), default_value = Start::default().word(), value_name = "WORD")]
    #[serde(serialize_with = "word")]
    pub start: Start,
    /// Stages of the learner's evaluator: 1 or 4
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::<usize>)]
    pub stages: usize,
    /// An opponent, as an inline table of TOML: its name, the words of --player in okapi match, and a rating, which then does not
    /// change (without one it begins with the learner's and is found by the games); may be given again
    #[arg(long, value_name = "TABLE")]
    pub opponent: Vec<Opponent>,
}

impl TaskOptions for Options {
    const COMMAND: &'static str = "okapi league";

    fn check(&self) -> anyhow::Result<()> {
        ensure!(
            self.self_play || !self.opponent.is_empty(),
            "a league has opponents ([[opponent]] of --config, or --opponent), or the learner plays itself (--self)"
        );
        let names: HashSet<&str> = self.opponent.iter().map(|opponent| &*opponent.name).collect();
        ensure!(names.len() == self.opponent.len(), "two opponents have the same name");
        Ok(())
    }
}

impl Default for Options {
    fn default() -> Self {
        defaults()
    }
}

/// What a linear evaluator counts that has learned nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// Material.
    #[default]
    Material,
    /// Every piece as a pawn.
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
pub struct Opponent {
    /// Its name.
    pub name: String,
    /// The words of `--player` in `okapi match`.
    pub player: String,
    /// Its rating, which does not change; without one it begins with the learner's and is found by the games.
    pub rating: Option<f64>,
}

impl FromStr for Opponent {
    type Err = String;

    /// Reads an inline table of TOML.
    fn from_str(text: &str) -> Result<Self, String> {
        let read = toml::de::ValueDeserializer::parse(text).and_then(Opponent::deserialize);
        let opponent = read.map_err(|error| error.message().to_owned())?;
        let is_rated = opponent.rating.is_none_or(f64::is_finite);
        is_rated.then_some(opponent).ok_or_else(|| "a rating must be a number".to_owned())
    }
}

impl Options {
    /// The linear evaluator that the learner begins with.
    ///
    /// # Errors
    /// If its file cannot be read, or there is no such number of stages.
    pub fn initial_net(&self) -> anyhow::Result<ValueNet> {
        if let Some(path) = &self.initial {
            return Ok(nets::file::load(path)?.0);
        }
        let topology = LinearTopology::new(self.stages).context("stages")?;
        Ok(match self.start {
            Start::Material => material_net(topology),
            Start::Pawns => ValueNet::material(topology, [0.001 * MATERIAL_VALUES[0] as f32; 5]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Options, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("league.toml");
        std::fs::write(&path, text).unwrap();
        let options = Options::read(&path).and_then(|options| options.check().map(|()| options));
        options.map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn what_is_wrong_is_said() {
        let one = "[[opponent]]\nname = \"a\"\nplayer = \"okapi nodes=10\"\n";
        assert_eq!(read(one).unwrap().opponent[0].name, "a");
        assert!(read("self-play = true\n").unwrap().self_play);
        for (text, expected) in [
            ("", "a league has opponents"),
            (&*format!("{one}{one}"), "two opponents have the same name"),
            (&*format!("{one}rating = nan\n"), "a rating must be a number"),
            (&*format!("{one}elo = 1500\n"), "unknown field `elo`"),
            (
                &*format!("lambda = 2.0\n{one}"),
                "line 1: invalid value '2' for '--lambda <X>': must be a number from 0 to 1",
            ),
            (&*format!("start = \"queens\"\n{one}"), "invalid value 'queens' for '--start <WORD>'"),
            (&*format!("games = 1\nrule = \"luck\"\n{one}"), "line 2: invalid value 'luck' for '--rule <RULE>'"),
            (&*format!("game = 3\n{one}"), "unknown key `game`"),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.contains(expected), "{found}");
        }
    }

    #[test]
    fn a_league_is_written_as_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("league.toml");
        let opponent =
            |name: &str, rating| Opponent { name: name.to_owned(), player: "cmd='a \"b\"' depth=1".to_owned(), rating };
        let league = Options {
            checkpoints: Vec::new(),
            targets: TurnTargets { lambda: 0.3, ..Options::default().targets },
            opponent: vec![opponent("a", None), opponent("b", Some(-12.5))],
            ..Options::default()
        };
        std::fs::write(&path, league.to_toml()).unwrap();
        assert_eq!(Options::read(&path).unwrap(), league);
    }
}
