//! The learner of a league: its network and ratings, as they follow from the games.
//!
//! ```text
//! w += (alpha / n) sum over turns of E_t dv(leaf_t) / dw
//! ```
//! with the `E_t` of [`TurnTargets`] and `n` the active features, about as many in every position.
//!
//! CITE: Baxter, Tridgell and Weaver 1999, equation 8; the step over the number of active features: Silver, Sutton and Mueller 2012.

use super::config::LeagueConfig;
use super::ratings::Ratings;
use super::record::{LeagueGame, PlayedTurn};
use crate::engine::evaluators::material_net;
use crate::learn::played::targets::TurnTargets;
use crate::learn::played::turns::Turn;
use anyhow::{Context, ensure};
use board::{Color, Move, Position};
use nets::{BATCH, Params, QuantizedValueNet, ValueBatch, ValueBatchWeights, ValueNet};

/// The rows of a position, about, and the bias.
const ACTIVE: f32 = 118.0;

/// The learner.
pub struct Learner {
    net: ValueNet,
    ratings: Ratings,
    games: u64,
    /// Of opponents, without a game between that counts.
    failures: u64,
    targets: TurnTargets,
    alpha: f32,
    opponents: Vec<String>,
    batch: ValueBatch,
    /// Of all games: differences, those that were cut off, and the sum of the values.
    statistics: (usize, usize, f64),
}

impl Learner {
    /// A learner that has not played.
    ///
    /// # Errors
    /// If its network cannot be read or is not linear.
    pub fn new(config: &LeagueConfig) -> anyhow::Result<Self> {
        let net = match &config.initial {
            None => material_net(config.stages).context("stages")?,
            Some(path) => nets::file::load(path)?.0,
        };
        ensure!(net.params().topology().stages() > 0, "a league's learner is a linear evaluator");
        Ok(Self {
            batch: ValueBatch::new(net.params().topology(), kernels::active()?),
            net,
            ratings: Ratings::new(config),
            games: 0,
            failures: 0,
            targets: config.targets()?,
            alpha: config.alpha,
            opponents: config.opponent.iter().map(|opponent| opponent.name.clone()).collect(),
            statistics: (0, 0, 0.0),
        })
    }

    /// The network after all games so far.
    pub fn net(&self) -> &ValueNet {
        &self.net
    }

    /// The ratings after all games so far.
    pub fn ratings(&self) -> &Ratings {
        &self.ratings
    }

    /// The number of games so far.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// In how many of the last games an opponent failed.
    pub fn failures(&self) -> u64 {
        self.failures
    }

    /// The share of differences that were rises which did not count, and the mean value of a turn.
    pub fn statistics(&self) -> (f64, f64) {
        let (turns, clipped, values) = self.statistics;
        (clipped as f64 / turns.max(1) as f64, values / turns.max(1) as f64)
    }

    /// Learns from the next game.
    ///
    /// # Errors
    /// If the record is of another league: an unknown opponent, or an illegal move.
    pub fn learn(&mut self, game: &LeagueGame) -> Result<(), String> {
        let Some(result) = game.result else {
            self.games += 1;
            self.failures += 1;
            return Ok(());
        };
        self.failures = 0;
        let (moves, positions) = game.replay()?;
        let play = QuantizedValueNet::new(&self.net, kernels::active().map_err(|error| error.to_string())?);
        let colors: &[Color] = match (&game.opponent, game.white) {
            (None, _) => &[Color::White, Color::Black],
            (Some(_), true) => &[Color::White],
            (Some(_), false) => &[Color::Black],
        };
        let opponent = game.opponent.as_ref().map(|name| {
            let number = self.opponents.iter().position(|known| known == name);
            number.ok_or_else(|| format!("game {}: no opponent is called '{name}'", game.game))
        });
        let opponent = opponent.transpose()?;
        let weaker = opponent.is_some_and(|number| self.ratings.opponent(number) < self.ratings.learner);
        let mut lessons = Vec::new();
        for color in colors {
            let turns: Vec<Turn> = game
                .turns
                .iter()
                .filter(|turn| positions.get(turn.ply).is_some_and(|at| at.side_to_move() == *color) && !turn.mate)
                .map(|turn| as_turn(turn, &moves, &positions, &play))
                .collect::<Option<_>>()
                .ok_or_else(|| format!("game {}: a turn has an illegal line", game.game))?;
            let own = if *color == Color::White || game.opponent.is_some() { result } else { -result };
            let found = self.targets.of(&turns, Some(f32::from(own)), weaker);
            self.statistics.0 += turns.len();
            self.statistics.1 += found.clipped;
            for (turn, target) in turns.into_iter().zip(found.targets) {
                self.statistics.2 += f64::from(turn.value);
                let error = if turn.own_leaf { target - turn.value } else { turn.value - target };
                lessons.extend(turn.leaf.map(|leaf| (leaf, error)));
            }
        }
        self.step(&lessons);
        if let Some(number) = opponent {
            self.ratings.update(number, 0.5 + 0.5 * f64::from(result));
        }
        self.games += 1;
        Ok(())
    }

    /// One step over the leaves of a game, each with its error for the side to move there.
    fn step(&mut self, lessons: &[(Position, f32)]) {
        let weights = ValueBatchWeights::new(&self.net);
        for part in lessons.chunks(BATCH) {
            self.batch.begin(part.len());
            self.batch.place(part.iter().map(|(leaf, _)| leaf));
            self.batch.forward(&weights);
            let errors: Vec<f32> = part.iter().map(|(_, error)| *error).collect();
            self.batch.backward(&weights, &errors);
        }
        let mut gradient = Params::zeros(*self.net.params().topology());
        self.batch.take_gradient(&mut gradient);
        let rate = self.alpha / ACTIVE;
        let values = self.net.params_mut().values_mut().iter_mut();
        values.zip(gradient.values()).for_each(|(weight, slope)| *weight += rate * slope);
    }
}

fn as_turn(turn: &PlayedTurn, moves: &[Move], positions: &[Position], net: &QuantizedValueNet) -> Option<Turn> {
    let position = &positions[turn.ply];
    let line = turn.line.as_ref().map(|line| {
        let mut at = position.clone();
        let mv = |text: &String| {
            let mv = at.parse_uci(text).ok()?;
            at = at.play(mv);
            Some(mv)
        };
        line.iter().map(mv).collect::<Option<Vec<Move>>>()
    });
    let line = match line {
        Some(line) => Some(line?),
        None => None,
    };
    let played = *moves.get(turn.ply)?;
    Some(Turn::new(position, turn.value, line, (played, moves.get(turn.ply + 1).copied()), net))
}

#[cfg(test)]
mod tests {
    use super::super::config::OpponentConfig;
    use super::*;
    use crate::r#match::termination::Termination;

    fn learner(alpha: f32) -> Learner {
        let opponent = OpponentConfig { name: "b".to_owned(), player: String::new(), rating: None };
        Learner::new(&LeagueConfig {
            alpha,
            rule: "none".to_owned(),
            opponent: vec![opponent],
            ..LeagueConfig::default()
        })
        .unwrap()
    }

    /// 1. e4 d5 2. exd5, the learner White, each turn's line its own move.
    fn game() -> LeagueGame {
        let start = learner(0.0);
        let play = QuantizedValueNet::new(start.net(), kernels::active().unwrap());
        let moves = ["e2e4", "d7d5", "e4d5"].map(str::to_owned);
        let record = LeagueGame {
            game: 1,
            opponent: Some("b".to_owned()),
            white: true,
            result: Some(1),
            termination: Termination::Mate,
            moves: moves.to_vec(),
            turns: Vec::new(),
        };
        let (_, positions) = record.replay().unwrap();
        let turn = |ply: usize| PlayedTurn {
            ply,
            value: -play.evaluate(&positions[ply + 1]),
            mate: false,
            line: Some(vec![moves[ply].clone()]),
        };
        LeagueGame { turns: vec![turn(0), turn(2)], ..record }
    }

    #[test]
    fn a_game_moves_the_values_of_its_leaves_to_their_targets() {
        let game = game();
        let (mut learner, start) = (learner(1.0), learner(1.0));
        learner.learn(&game).unwrap();
        let (_, positions) = game.replay().unwrap();
        let value = |net: &ValueNet, at: usize| {
            -QuantizedValueNet::new(net, kernels::active().unwrap()).evaluate(&positions[at])
        };
        // Both turns are before a win.
        for leaf in [1, 3] {
            assert!(value(learner.net(), leaf) > value(start.net(), leaf));
        }
        assert_eq!((learner.games(), learner.statistics().0), (1, 0.0));
        assert_eq!(learner.ratings().learner, 1_666.0);
        // By hand: one leaf, its error e, all of its rows and the bias by alpha / n e (1 - v^2).
        let mut one = super::tests::learner(1.0);
        let mut short = game.clone();
        short.turns.truncate(1);
        one.learn(&short).unwrap();
        let v = short.turns[0].value;
        let expected = -(1.0 - v) * (1.0 - v * v) / ACTIVE;
        let bias = one.net().params().layer(nets::Layer::Linear).1[0];
        assert!((bias - expected).abs() < 1e-6, "{bias} {expected}");
    }

    #[test]
    fn a_game_in_which_the_opponent_failed_teaches_nothing() {
        let mut learner = learner(1.0);
        learner.learn(&LeagueGame { result: None, ..game() }).unwrap();
        assert!(learner.net() == super::tests::learner(1.0).net());
        assert_eq!((learner.games(), learner.failures(), learner.ratings().learner), (1, 1, 1_650.0));
        learner.learn(&game()).unwrap();
        assert_eq!((learner.games(), learner.failures()), (2, 0));
    }

    #[test]
    fn records_of_other_leagues_are_refused() {
        let mut learner = learner(1.0);
        let other = LeagueGame { opponent: Some("c".to_owned()), ..game() };
        assert_eq!(learner.learn(&other).unwrap_err(), "game 1: no opponent is called 'c'");
        let illegal = LeagueGame { moves: vec!["e2e5".to_owned()], ..game() };
        assert!(learner.learn(&illegal).unwrap_err().starts_with("game 1: "));
        let mut line = game();
        line.turns[0].line = Some(vec!["e2e5".to_owned()]);
        assert_eq!(learner.learn(&line).unwrap_err(), "game 1: a turn has an illegal line");
        assert_eq!(learner.games(), 0);
    }
}
