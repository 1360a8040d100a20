//! Games with contracts, as SAI branches them: a kept game at a draw worth half a point scores both ends of the axis, but says nothing of
//! how players play when a draw is worth nothing.
//!
//! From quiet positions with |alpha| > 1/2 a game branches with probability 0.025, with the contract `x = -sign(alpha)`: the
//! side that stands better must win, a draw is worth a loss to it and a win to the other, and both play so. It counts only
//! whether the contract was fulfilled: the loss is `-ln s(+-beta (alpha + x))`.
// CITE: Morandin et al. 2019, SAI, section 4.1 (branching); alpha and x as in `search::wdl`.

use crate::data::data_set::shards_of;
use crate::data::game_position::{GamePosition, parse_line, result};
use crate::data::game_subset::GameSubset;
use crate::data::kept_game::TrainingGame;
use crate::data::shard::{Shard, ShardError, say_damaged};
use crate::streams::stream;
use anyhow::Context;
use board::{Color, Game, Position};
use engine::{Engine, EngineSpec};
use rand::{Rng, RngExt};
use search::{SearchLimits, Silent};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use support::journal::Form;

/// The chance that a game branches at a position.
const BRANCHES: f64 = 0.025;
/// The least |alpha| of a branch.
const ADVANTAGE: f64 = 0.5;
/// The first plies of a game give no branch.
const OPENING: usize = 8;
/// A game that is longer, in plies, is drawn.
const LONGEST: usize = 400;
/// Indices of streams, which games do not reach.
const BRANCH_OF_GAME: u64 = u64::MAX - 3;

/// What a file of contracts is.
pub const FORM: Form = Form {
    what: "a file of games with contracts",
    mark: "{\"okapi_contracts\":",
    numbers: &["/number"],
    recorded: &[],
};

/// A position to branch from.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// The position.
    pub start: Position,
    /// What a draw is worth to White: -1 if White must win, 1 if Black must.
    pub worth: i8,
}

/// A game with a contract, a line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contract {
    /// The number of its branch.
    pub number: u64,
    /// Where it began, as FEN.
    pub start: String,
    /// What a draw was worth to White: -1 or 1.
    pub worth: i8,
    /// Its moves, in UCI notation with castling as king takes rook, separated by spaces.
    pub moves: String,
    /// The result for White: -1, 0 or 1.
    pub result: i8,
}

impl Contract {
    /// The game's positions; `None` if it cannot be played.
    pub fn positions(&self) -> Option<Vec<GamePosition>> {
        let start = Position::from_fen(&self.start).ok()?;
        let (moves, _) = parse_line(&start, self.moves.split_whitespace())?;
        Some(GamePosition::of_moves(&start, &moves))
    }
}

/// The contracts of a file, by their numbers; its first line says what made it.
///
/// # Errors
/// If it cannot be read or a line is none.
pub fn read(path: &Path) -> anyhow::Result<Vec<Contract>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let parse = |(index, line): (usize, &str)| {
        serde_json::from_str(line)
            .with_context(|| format!("{} line {} is no game with a contract", path.display(), index + 1))
    };
    let mut contracts: Vec<Contract> = text.lines().enumerate().skip(1).map(parse).collect::<anyhow::Result<_>>()?;
    // Lines are in the order in which threads ended the games, and what is learned must not depend on that.
    contracts.sort_by_key(|contract| contract.number);
    Ok(contracts)
}

/// The first `most` branches of the games in these folders that the training of values learns from, in their order.
///
/// # Errors
/// If a folder or shard cannot be read, or the engine cannot be built.
pub fn branches(folders: &[PathBuf], engine: &EngineSpec, seed: u64, most: usize) -> anyhow::Result<Vec<Branch>> {
    let (engine, mut found) = (engine.build()?, Vec::new());
    let model = engine.chance_model();
    for path in shards_of(folders)? {
        let (shard, mut damaged) = (Shard::load(&path)?, 0);
        for (number, game) in shard.games(GameSubset::Training) {
            let Ok(game) = game else {
                damaged += 1;
                continue;
            };
            let mut random = stream(seed ^ shard.header.seed, BRANCH_OF_GAME, number);
            let _ = branches_of(&game, &model, &mut random, &mut found);
            if found.len() >= most {
                found.truncate(most);
                return Ok(found);
            }
        }
        if damaged > 0 {
            say_damaged(&ShardError::Games { path, games: damaged });
        }
    }
    Ok(found)
}

fn branches_of(
    game: &TrainingGame,
    model: &engine::chance_model::ChanceModel,
    random: &mut impl Rng,
    found: &mut Vec<Branch>,
) -> Result<(), crate::data::kept_game::GameError> {
    let mut ply = 0;
    game.replay(|played, it| {
        let position = played.position();
        if ply >= OPENING && it.quiet && random.random::<f64>() < BRANCHES {
            let alpha = model.of_position(position).map_or(0.0, |chances| chances.margin().0);
            let of_white = if position.side_to_move() == Color::White { alpha } else { -alpha };
            if of_white.abs() > ADVANTAGE {
                found.push(Branch { start: position.clone(), worth: if of_white > 0.0 { -1 } else { 1 } });
            }
        }
        ply += 1;
    })
}

/// The two sides of a contract.
pub struct ContractPlayers {
    /// `[must win, draws are wins]`.
    engines: [Engine; 2],
    nodes: u64,
}

impl ContractPlayers {
    /// Engines of this specification, with so many nodes a move.
    ///
    /// # Errors
    /// If they cannot be built.
    pub fn new(spec: &EngineSpec, nodes: u64) -> anyhow::Result<Self> {
        let engine = |score| EngineSpec { draw_score: score, common_sense: 0.0, ..spec.clone() }.build();
        Ok(Self { engines: [engine(-1.0)?, engine(1.0)?], nodes })
    }

    /// Plays a branch to its end; `None` if it was stopped.
    pub fn play(&mut self, number: u64, branch: &Branch, stop: &dyn Fn() -> bool) -> Option<Contract> {
        self.engines.iter_mut().for_each(Engine::new_game);
        let mut game = Game::new(branch.start.clone());
        let limits = SearchLimits { nodes: Some(self.nodes), ..SearchLimits::default() };
        let mut moves = String::new();
        while game.outcome().is_none() && game.moves().len() < LONGEST {
            if stop() {
                return None;
            }
            let white = game.position().side_to_move() == Color::White;
            let must_win = white == (branch.worth < 0);
            let found = self.engines[usize::from(!must_win)].search(&game, &limits, &mut Silent);
            let mv = found.best()?;
            moves += if moves.is_empty() { "" } else { " " };
            moves += &game.position().uci(mv, true);
            game.play(mv);
        }
        let (start, result) = (branch.start.to_fen(true), result(&game).unwrap_or(0));
        Some(Contract { number, start, worth: branch.worth, moves, result })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::example::Outcome as Known;

    #[test]
    fn a_contract_is_played_alike_every_time_and_read_again() {
        let spec = EngineSpec { hash_megabytes: 1, ..EngineSpec::default() };
        let start = Position::from_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1").unwrap();
        let branch = Branch { start, worth: -1 };
        let mut players = ContractPlayers::new(&spec, 200).unwrap();
        let first = players.play(0, &branch, &|| false).unwrap();
        assert_eq!(players.play(0, &branch, &|| false).unwrap(), first);
        assert_eq!(first.result, 1, "{first:?}");
        assert_eq!(first.positions().unwrap().len(), first.moves.split(' ').count());
        assert_eq!(players.play(0, &branch, &|| true), None);
        let damaged = Contract { moves: "a1a9".to_owned(), ..first };
        assert_eq!(damaged.positions(), None);
    }

    #[test]
    fn outcomes_are_those_of_the_contract() {
        assert_eq!([1, 0, -1].map(|result| Known::of_contract(result, -1)), [Known::Win, Known::NotWon, Known::NotWon]);
        assert_eq!(
            [1, 0, -1].map(|result| Known::of_contract(result, 1)),
            [Known::NotLost, Known::NotLost, Known::Loss]
        );
    }
}
