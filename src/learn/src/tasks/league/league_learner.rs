//! The learner of a league: its network and ratings, as they follow from the games.
//!
//! ```text
//! w += (alpha / n) sum over turns of E_t dv(leaf_t) / dw
//! ```
//! with the `E_t` of [`TurnTargets`] and `n` the active features, about as many in every position. In a symmetric league the step is the mean
//! of those of the leaf, of the same with the other side to move and the opposite target, and of both with their files mirrored: KnightCap's
//! weights, too, are the same for both sides.
//!
//! CITE: Baxter, Tridgell and Weaver 1999, equation 8; the step over the number of active features: Silver, Sutton and Mueller 2012.

use crate::data::episode::Step;
use crate::data::example::Example;
use crate::data::game_position::parse_line;
use crate::data::played_turns::as_step;
use crate::streams::stream;
use crate::targets::knightcap::TurnTargets;
use crate::tasks::league::book::Book;
use crate::tasks::league::league_options::Options;
use crate::tasks::league::league_record::{LeagueGame, PlayedTurn};
use crate::tasks::league::ratings::Ratings;
use crate::train::loss::Loss;
use crate::train::optimizer::Optimizer;
use crate::train::value_trainer::{ValueTrainer, Weighted};
use anyhow::ensure;
use board::{Color, Move, Position};
use nets::{QuantizedValueNet, Topology, ValueNet};
use rand::RngExt;
use std::collections::VecDeque;

/// The rows of a position, about, and the bias.
const ACTIVE: f32 = 118.0;
/// The last games, among which those that are learned again are drawn.
const REMEMBERED: usize = 1_000;

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
    book: Option<Book>,
    seed: u64,
    symmetric: bool,
    replay: u64,
    /// The lessons of the last games, the oldest first, if games are learned again.
    remembered: VecDeque<Vec<Example>>,
    trainer: ValueTrainer,
    /// Of all games: differences, those that were cut off, and the sum of the values.
    statistics: (usize, usize, f64),
}

impl Learner {
    /// A learner that has not played.
    ///
    /// # Errors
    /// If its network cannot be read or is not linear.
    pub fn new(options: &Options) -> anyhow::Result<Self> {
        let net = options.initial_net()?;
        ensure!(matches!(net.params().topology(), Topology::Linear(_)), "a league's learner is a linear evaluator");
        Ok(Self {
            trainer: ValueTrainer::new(&net, Loss::Squared, 1, kernels::active()?),
            net,
            ratings: Ratings::new(options),
            games: 0,
            failures: 0,
            targets: options.targets,
            alpha: options.alpha,
            opponents: options.opponent.iter().map(|opponent| opponent.name.clone()).collect(),
            book: options.book.then(Book::default),
            seed: options.seed,
            symmetric: options.symmetric,
            replay: options.replay,
            remembered: VecDeque::new(),
            statistics: (0, 0, 0.0),
        })
    }

    /// The network after all games so far.
    pub fn net(&self) -> &ValueNet {
        &self.net
    }

    /// The book after all games so far; none if the league has none.
    pub fn book(&self) -> Option<&Book> {
        self.book.as_ref()
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
            let turns: Vec<Step> = game
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
                lessons.extend(turn.example(target));
            }
        }
        self.step(&lessons);
        self.learn_again();
        if self.replay > 0 {
            self.remembered.push_back(lessons);
            self.remembered.drain(..self.remembered.len().saturating_sub(REMEMBERED));
        }
        if let Some(book) = &mut self.book {
            book.add(game, &positions);
        }
        if let Some(number) = opponent {
            self.ratings.update(number, 0.5 + 0.5 * f64::from(result));
        }
        self.games += 1;
        Ok(())
    }

    /// Steps over games that were learned before, drawn by seed and game.
    fn learn_again(&mut self) {
        if self.remembered.is_empty() {
            return;
        }
        let mut random = stream(self.seed, self.games, 2);
        for _ in 0..self.replay {
            let place = random.random_range(0..self.remembered.len());
            let lessons = std::mem::take(&mut self.remembered[place]);
            self.step(&lessons);
            self.remembered[place] = lessons;
        }
    }

    /// One step over the leaves of a game.
    fn step(&mut self, lessons: &[Example]) {
        let forms: Vec<(Example, f32)> = lessons.iter().flat_map(|lesson| self.forms(lesson)).collect();
        let batch: Vec<Weighted<'_>> = forms.iter().map(|(form, share)| (form, *share)).collect();
        let Self { net, trainer, alpha, .. } = self;
        trainer.step((net, &mut Optimizer::Descent), *alpha / ACTIVE, &batch, |_, _| ());
    }

    /// The forms of a lesson with their shares of its step: the leaf alone or, in a symmetric league, also with the other side to move,
    /// whose target has the other sign, and with its files mirrored.
    fn forms(&self, lesson: &Example) -> Vec<(Example, f32)> {
        let mut forms = vec![lesson.clone()];
        if self.symmetric {
            forms.extend(lesson.position.null_move().map(|other| Example::new(other, -lesson.target)));
            let mirrored = |form: &Example| Some(Example::new(form.position.mirror_files()?, form.target));
            forms.extend(forms.iter().filter_map(mirrored).collect::<Vec<_>>());
        }
        let share = 1.0 / forms.len() as f32;
        forms.into_iter().map(|form| (form, share)).collect()
    }
}

fn as_turn(turn: &PlayedTurn, moves: &[Move], positions: &[Position], net: &QuantizedValueNet) -> Option<Step> {
    let position = &positions[turn.ply];
    let parse = |line: &Vec<String>| Some(parse_line(position, line.iter().map(String::as_str))?.0);
    let line = match &turn.line {
        Some(line) => Some(parse(line)?),
        None => None,
    };
    let played = *moves.get(turn.ply)?;
    Some(as_step(position, turn.value, line, (played, moves.get(turn.ply + 1).copied()), net))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::knightcap::RiseRule;
    use crate::tasks::league::league_options::Opponent;
    use matches::termination::Termination;

    fn learner(alpha: f32) -> Learner {
        let targets = TurnTargets { rule: RiseRule::None, ..Options::default().targets };
        let opponent = Opponent { name: "b".to_owned(), player: String::new(), rating: None };
        Learner::new(&Options { alpha, targets, opponent: vec![opponent], ..Options::default() }).unwrap()
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
    fn symmetry_teaches_the_other_side_and_replay_teaches_again() {
        let game = game();
        let (_, positions) = game.replay().unwrap();
        let value = |learner: &Learner, at: &Position| {
            QuantizedValueNet::new(learner.net(), kernels::active().unwrap()).evaluate(at)
        };
        let leaf = &positions[1];
        let other = leaf.null_move().unwrap();
        let [mut plain, mut symmetric, mut again] = [0.1; 3].map(learner);
        (symmetric.symmetric, again.replay) = (true, 3);
        let start = value(&plain, &other);
        for learner in [&mut plain, &mut symmetric, &mut again] {
            learner.learn(&game).unwrap();
        }
        // White won: with White to move, the same pieces are worth more to the side to move.
        assert!(value(&symmetric, leaf) < 0.0 && value(&symmetric, &other) > start);
        assert!(value(&symmetric, &other) > value(&plain, &other));
        // There was nothing before the first game.
        assert!(again.net() == plain.net());
        for learner in [&mut plain, &mut again] {
            learner.learn(&game).unwrap();
        }
        assert!(value(&again, leaf) < value(&plain, leaf));
        assert!(again.net() != plain.net());
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
