//! Games with contracts, as SAI branches them: a kept game at a draw worth half a point scores both ends of the axis, but says nothing of
//! how players play when a draw is worth nothing.
//!
//! From quiet positions with |alpha| > 1/2 a game branches with probability 0.025, with the contract `x = -sign(alpha)`: the
//! side that stands better must win, a draw is worth a loss to it and a win to the other, and both play so. It counts only
//! whether the contract was fulfilled: the loss is `-ln s(+-beta (alpha + x))`.
// CITE: Morandin et al. 2019, SAI, section 4.1 (branching); alpha and x as in `search::wdl`.

use crate::data::game_position::{GamePosition, parse_line, result};
use crate::data::game_subset::GameSubset;
use crate::data::kept_game::TrainingGame;
use crate::data::shard::{Shard, ShardError, say_damaged};
use crate::data::shard_folders::shards_of;
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
    use crate::data::kept_game::tests::game;
    use crate::data::shard::ShardHeader;

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

    /// A game of so many plies in which the pieces go to and fro. Every position is quiet but for the first of its last five.
    fn shuffled(fen: &str, cycle: &str, plies: usize) -> TrainingGame {
        let moves: Vec<&str> = cycle.split(' ').cycle().take(plies).collect();
        let mut game = game(fen, &moves.join(" "));
        game.plies.iter_mut().for_each(|ply| ply.quiet = true);
        game.plies[plies - 5].quiet = false;
        game
    }

    #[test]
    fn one_quiet_position_in_forty_branches_where_a_side_stands_better() {
        // Counts from the first move on, White's turn or not.
        let ply_of = |branch: &Branch| {
            2 * (usize::from(branch.start.fullmove_number()) - 1)
                + usize::from(branch.start.side_to_move() == Color::Black)
        };
        let model = EngineSpec { hash_megabytes: 1, ..EngineSpec::default() }.build().unwrap().chance_model();
        let white_wins = shuffled("6k1/5ppp/8/8/8/8/5PPP/Q5K1 w - - 0 1", "g1f1 g8f8 f1g1 f8g8", 400);
        let black_wins = shuffled("q5k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1", "g1f1 g8f8 f1g1 f8g8", 400);
        let even = shuffled("6k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1", "g1f1 g8f8 f1g1 f8g8", 400);
        for (game, worth) in [(white_wins, -1), (black_wins, 1)] {
            let (mut found, mut of_game) = (Vec::new(), Vec::new());
            for index in 0..20 {
                of_game.clear();
                branches_of(&game, &model, &mut stream(1, 2, index), &mut of_game).unwrap();
                found.append(&mut of_game);
            }
            // 20 * 391 / 40 is 195.5, with a standard deviation of 14.
            assert!((130..260).contains(&found.len()), "{}", found.len());
            assert!(found.iter().all(|branch| branch.worth == worth));
            let plies: Vec<usize> = found.iter().map(ply_of).collect();
            assert!(plies.iter().all(|ply| (OPENING..400).contains(ply) && *ply != 395), "{plies:?}");
            let of_black = plies.iter().filter(|ply| *ply % 2 == 1).count();
            assert!(of_black > found.len() / 4 && of_black < found.len() * 3 / 4, "{of_black} of {}", found.len());
        }
        let mut none = Vec::new();
        branches_of(&even, &model, &mut stream(1, 2, 3), &mut none).unwrap();
        assert_eq!(none, []);
    }

    #[test]
    fn branches_are_those_of_the_games_that_are_learned_from_in_their_order() {
        let parent = tempfile::tempdir().unwrap();
        let of_white = shuffled("6k1/5ppp/8/8/8/8/5PPP/Q5K1 w - - 0 1", "g1f1 g8f8 f1g1 f8g8", 200);
        let of_black = shuffled("q5k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1", "g1f1 g8f8 f1g1 f8g8", 200);
        // Game 24 of the seed 3 is for validation.
        let validation = shuffled("6k1/5ppp/8/8/8/8/5PPP/Q5K1 w - - 0 500", "g1f1 g8f8 f1g1 f8g8", 200);
        let mut games = vec![of_white; 24];
        games.extend([validation, of_black]);
        let header = ShardHeader { seed: 3, first_game: 0, spec: Vec::new() };
        let mut bytes = Shard::encode(&header, &games);
        let spec = EngineSpec { hash_megabytes: 1, ..EngineSpec::default() };
        let path = parent.path().join("games-000000.okapi");
        let found = |bytes: &[u8], most| {
            std::fs::write(&path, bytes).unwrap();
            branches(&[parent.path().to_owned()], &spec, 5, most).unwrap()
        };
        let all = found(&bytes, 1_000);
        let first_of_black = all.iter().position(|branch| branch.worth == 1).unwrap();
        assert!(all[first_of_black..].iter().all(|branch| branch.worth == 1));
        assert!(all.iter().all(|branch| branch.start.fullmove_number() < 500));
        // Of 24 games.
        assert!(first_of_black > 60, "{first_of_black}");
        assert_eq!(found(&bytes, first_of_black + 1), all[..=first_of_black]);
        assert_eq!(found(&bytes, 1), all[..1]);
        // A damaged game is left out: the last one has the only branches for Black to win.
        let last = bytes.len() - 20 - 4 * games.len() - 1;
        bytes[last] ^= 1;
        assert_eq!(found(&bytes, 1_000), all[..first_of_black]);
    }

    #[test]
    fn the_side_that_must_win_searches_with_draws_as_losses() {
        let spec = EngineSpec { hash_megabytes: 1, ..EngineSpec::default() };
        let start = Position::from_fen("4k3/8/2p5/8/8/2P5/8/4K2R w - - 0 1").unwrap();
        for worth in [-1, 1] {
            let mut players = ContractPlayers::new(&spec, 60).unwrap();
            let played = players.play(3, &Branch { start: start.clone(), worth }, &|| false).unwrap();
            // The same searches, each of an engine for its side: White's is the one that must win if draws are losses of White.
            let with = |score| EngineSpec { draw_score: score, common_sense: 0.0, ..spec.clone() }.build().unwrap();
            let scores = if worth < 0 { [-1.0, 1.0] } else { [1.0, -1.0] };
            let mut engines = scores.map(with);
            engines.iter_mut().for_each(Engine::new_game);
            let mut game = Game::new(start.clone());
            let limits = SearchLimits { nodes: Some(60), ..SearchLimits::default() };
            for word in played.moves.split(' ') {
                let engine = &mut engines[game.position().side_to_move() as usize];
                let mv = engine.search(&game, &limits, &mut Silent).best().unwrap();
                assert_eq!(game.position().uci(mv, true), word);
                game.play(mv);
            }
            assert_eq!((played.number, played.worth, played.start), (3, worth, start.to_fen(true)));
            let white_won =
                game.outcome() == Some(board::Outcome::Mated) && game.position().side_to_move() == Color::Black;
            assert_eq!(played.result == 1, white_won);
        }
    }

    #[test]
    fn contracts_are_read_by_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("contracts");
        let contract = |number| Contract {
            number,
            start: Position::start().to_fen(true),
            worth: -1,
            moves: "e2e4 e7e5 e4d5".to_owned(),
            result: 0,
        };
        let line = |number| serde_json::to_string(&contract(number)).unwrap();
        std::fs::write(&path, format!("a header\n{}\n{}\n", line(2), line(1))).unwrap();
        assert_eq!(read(&path).unwrap(), [contract(1), contract(2)]);
        std::fs::write(&path, format!("a header\n{}\nno contract\n", line(2))).unwrap();
        assert_eq!(
            read(&path).unwrap_err().to_string(),
            format!("{} line 3 is no game with a contract", path.display())
        );
        // The third move is not legal.
        assert_eq!(contract(1).positions(), None);
        let shorter = Contract { moves: "e2e4 e7e5".to_owned(), ..contract(1) };
        let positions = shorter.positions().unwrap();
        let after_e4 = Position::start().play(Position::start().parse_uci("e2e4").unwrap());
        assert_eq!(positions.iter().map(|it| &it.position).collect::<Vec<_>>(), [&Position::start(), &after_e4]);
    }
}
