//! One game of a league, in which what the learner's searches found is kept.

use crate::streams::stream;
use crate::tasks::league::book::Book;
use crate::tasks::league::league_learner::Learner;
use crate::tasks::league::league_options::Options;
use crate::tasks::league::league_record::{LeagueGame, PlayedTurn};
use anyhow::{bail, ensure};
use board::{Color, Game, Move, Position};
use engine::in_process::InProcess;
use engine::{EngineSpec, EvalKind, SearchKind};
use matches::game::{GameOutcome, PlayedGame, Rules, Seat, play};
use matches::opening::Opening;
use matches::openings::Openings;
use matches::runner::MatchPlayer;
use matches::time_control::TimeControl;
use pgn::GameResult;
use player::{Fault, MoveLimits, Player, Reply};
use rand::RngExt;
use std::time::Duration;
use support::pool::Stop;

/// What a game is played with besides the network.
pub struct Table<'a> {
    /// The league.
    pub options: &'a Options,
    /// The opponents, in its order.
    pub opponents: &'a [MatchPlayer],
}

/// A player whose searches are kept.
struct Thinking<'a> {
    player: InProcess,
    book: Option<&'a Book>,
    turns: Vec<PlayedTurn>,
}

impl<'a> Thinking<'a> {
    fn new(options: &Options, learner: &'a Learner) -> anyhow::Result<Self> {
        let (eval, policy, search) = (EvalKind::Linear, options.policy, SearchKind::Probability);
        let spec = EngineSpec { eval, policy, search, hash_megabytes: 16, ..EngineSpec::default() };
        let mut player = InProcess::new(&spec, "learner").map_err(|fault| anyhow::anyhow!("the learner {fault}"))?;
        player.engine_mut().set_value_net(learner.net())?;
        Ok(Self { player, book: learner.book(), turns: Vec::new() })
    }
}

impl Player for Thinking<'_> {
    fn name(&self) -> &str {
        self.player.name()
    }

    fn new_game(&mut self, chess960: bool) -> Result<(), Fault> {
        self.player.new_game(chess960)
    }

    fn go(&mut self, game: &Game, limits: &MoveLimits, stop: &Stop) -> Result<Reply, Fault> {
        let choices = self.book.map(|book| book.choices(game.position(), game.moves().len())).unwrap_or_default();
        let mut reply = self.player.go_among(game, limits, choices, stop)?;
        if let Some(found) = self.player.answer() {
            // What proved better in the last moment has neither value nor line: the move that has them is played, as in self-play.
            reply.best = found.pv.first().copied().unwrap_or(reply.best);
            self.turns.push(PlayedTurn {
                ply: game.moves().len(),
                value: found.value.to_f32().clamp(-1.0, 1.0),
                mate: found.value.is_mate(),
                line: Some(found.pv.iter().map(Move::to_string).collect()),
            });
        }
        Ok(reply)
    }
}

impl Table<'_> {
    /// The learner plays the game with this number, from 0, against this opponent, or against itself; `None` if it was stopped.
    ///
    /// # Errors
    /// If a program cannot be started, or the learner breaks down.
    pub fn play(
        &self,
        number: u64,
        opponent: Option<usize>,
        learner: &Learner,
        stop: &Stop,
    ) -> anyhow::Result<Option<LeagueGame>> {
        let options = self.options;
        let white = opponent.is_none() || stream(options.seed, number, 1).random();
        let mut own = Thinking::new(options, learner)?;
        let limits = TimeControl { nodes: Some(options.nodes), ..TimeControl::default() };
        let opening = self.opening(number);
        let rules = Rules { time_margin: Duration::from_millis(50), ..Rules::default() };
        let (outcome, other) = match opponent {
            Some(number) => {
                let MatchPlayer { factory, time_control, description, .. } = &self.opponents[number];
                let mut other =
                    factory().map_err(|fault| anyhow::anyhow!("the opponent {} {fault}", description.name))?;
                let own = Seat { player: &mut own, time_control: limits };
                let other = Seat { player: other.as_mut(), time_control: *time_control };
                let seats = if white { [own, other] } else { [other, own] };
                (play(seats, &opening, &rules, stop), None)
            }
            None => {
                let mut other = Thinking::new(options, learner)?;
                let seats = [
                    Seat { player: &mut own, time_control: limits },
                    Seat { player: &mut other, time_control: limits },
                ];
                (play(seats, &opening, &rules, stop), Some(other))
            }
        };
        let played = match outcome {
            GameOutcome::Abandoned => return Ok(None),
            GameOutcome::Impossible(color, fault) => bail!("{color:?} {fault}"),
            GameOutcome::PlayedGame(played) => played,
        };
        let learner_color = if white { Color::White } else { Color::Black };
        let is_own = opponent.is_none() || played.loser() == Some(learner_color);
        ensure!(!(played.termination.is_fault() && is_own), "game {}: {}", number + 1, played.reason);
        let mut turns = own.turns;
        turns.extend(other.into_iter().flat_map(|other| other.turns));
        turns.sort_by_key(|turn| turn.ply);
        let opponent = opponent.map(|number| options.opponent[number].name.clone());
        Ok(Some(record(number, opponent, white, &played, turns)))
    }

    fn opening(&self, number: u64) -> Opening {
        match self.options.random_openings {
            true => Openings::Random(self.options.seed).nth(number),
            false => Opening { start: Position::start(), moves: Vec::new(), chess960: false },
        }
    }
}

fn record(
    number: u64,
    opponent: Option<String>,
    white: bool,
    played: &PlayedGame,
    turns: Vec<PlayedTurn>,
) -> LeagueGame {
    let of_white = match played.result {
        GameResult::WhiteWins => 1,
        GameResult::Draw => 0,
        GameResult::BlackWins => -1,
    };
    LeagueGame {
        game: number + 1,
        opponent,
        white,
        result: (!played.termination.is_fault()).then_some(if white { of_white } else { -of_white }),
        termination: played.termination,
        moves: played.moves.iter().map(|(mv, _)| mv.to_string()).collect(),
        turns,
    }
}
