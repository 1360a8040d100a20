//! Plays the games of a schedule on several threads. A worker keeps its players from game to game and replaces one that
//! breaks. Which worker plays which game is not determined; results depend on it only through time, since every game begins
//! with a new-game command.

use super::game::{GameOutcome, PlayedGame, Rules, Seat, play};
use super::header::PlayerDescription;
use super::odds::Odds;
use super::opening::Opening;
use super::openings::Openings;
use super::schedule::{Fixture, Schedule};
use super::time_control::TimeControl;
use board::Color;
use player::{Fault, Player, PlayerFactory};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use support::pool::{self, Stop};

/// One player of a match.
pub struct MatchPlayer {
    /// Its name, which no other player of the match has, and what records say of it.
    pub description: PlayerDescription,
    /// Its limits.
    pub time_control: TimeControl,
    /// Starts it.
    pub factory: PlayerFactory,
    /// The files that it reads.
    pub files: Vec<PathBuf>,
}

/// Everything that the games of a match depend on.
pub struct Runner<'a> {
    /// The players.
    pub players: &'a [MatchPlayer],
    /// Who plays whom.
    pub schedule: &'a Schedule,
    /// The openings.
    pub openings: &'a Openings,
    /// The odds that one of the players gives.
    pub odds: Option<Odds>,
    /// The rules of all games.
    pub rules: Rules,
    /// The number of games played at the same time.
    pub concurrency: usize,
}

/// Why a match cannot continue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} {fault}")]
pub struct Unplayable {
    /// The player that cannot play.
    pub name: String,
    /// Why.
    pub fault: Fault,
}

impl Runner<'_> {
    /// The opening of a game.
    pub fn opening(&self, fixture: &Fixture) -> Opening {
        match self.odds.and_then(|odds| odds.color(fixture).map(|giver| (odds.handicap, giver))) {
            Some((handicap, giver)) => self.openings.nth_at_odds(fixture.opening, handicap, giver),
            None => self.openings.nth(fixture.opening),
        }
    }

    /// Plays the games with these numbers, and gives each to `finished` when it is over, until that breaks or `stop` is
    /// true; games in progress are then abandoned, in the midst of a move.
    ///
    /// # Errors
    /// If a player cannot be started, or cannot play such games at all.
    pub fn run(
        &self,
        games: &[u64],
        stop: &Stop,
        finished: &mut dyn FnMut(&Fixture, PlayedGame) -> ControlFlow<()>,
    ) -> Result<(), Unplayable> {
        let workers = self.concurrency.clamp(1, games.len().max(1));
        let mut players: Vec<_> = (0..workers).map(|_| Pool { players: self.players, idle: HashMap::new() }).collect();
        let work = |players: &mut Pool, game, halt: &Stop| {
            let fixture = self.schedule.fixture(game);
            (fixture, self.play(players, &fixture, halt))
        };
        let mut end = ControlFlow::Continue(());
        pool::run(games, &mut players, stop, work, |(fixture, played)| {
            if end.is_continue() {
                end = match played {
                    Ok(None) => ControlFlow::Continue(()),
                    Ok(Some(played)) => finished(&fixture, played).map_break(|()| None),
                    Err(unplayable) => ControlFlow::Break(Some(unplayable)),
                };
            }
            end.clone().map_break(drop)
        });
        end.break_value().flatten().map_or(Ok(()), Err)
    }

    /// One game; `None` if it was abandoned.
    fn play(&self, pool: &mut Pool, fixture: &Fixture, halt: &Stop) -> Result<Option<PlayedGame>, Unplayable> {
        let mut players = pool.take(fixture.players)?;
        let [white, black] = &mut players;
        let time_control = |side: usize| self.players[fixture.players[side]].time_control;
        let seats = [
            Seat { player: white.as_mut(), time_control: time_control(0) },
            Seat { player: black.as_mut(), time_control: time_control(1) },
        ];
        match play(seats, &self.opening(fixture), &self.rules, halt) {
            GameOutcome::Abandoned => Ok(None),
            GameOutcome::Impossible(color, fault) => Err(pool.unplayable(fixture.players[color as usize], fault)),
            GameOutcome::PlayedGame(played) => {
                let broken = played.termination.breaks_the_player().then(|| played.loser()).flatten();
                for (color, player) in [Color::White, Color::Black].into_iter().zip(players) {
                    if broken != Some(color) {
                        pool.idle.insert(fixture.players[color as usize], player);
                    }
                }
                Ok(Some(played))
            }
        }
    }
}

/// A worker's players that are in no game.
struct Pool<'a> {
    players: &'a [MatchPlayer],
    idle: HashMap<usize, Box<dyn Player>>,
}

impl Pool<'_> {
    /// The players with these numbers, started if necessary.
    fn take(&mut self, numbers: [usize; 2]) -> Result<[Box<dyn Player>; 2], Unplayable> {
        let [white, black] = numbers.map(|number| match self.idle.remove(&number) {
            Some(player) => Ok(player),
            None => (self.players[number].factory)().map_err(|fault| self.unplayable(number, fault)),
        });
        Ok([white?, black?])
    }

    fn unplayable(&self, number: usize, fault: Fault) -> Unplayable {
        Unplayable { name: self.players[number].description.name.clone(), fault }
    }
}
