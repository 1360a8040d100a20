//! Positions of finished games with what the network says there and how the game ended.

use crate::data::contracts;
use crate::data::data_set::shards_of;
use crate::data::example::{Example, Outcome};
use crate::data::game_position::GamePosition;
use crate::data::game_subset::GameSubset;
use crate::data::shard::{Shard, ShardError, say_damaged};
use crate::streams::stream;
use anyhow::{Context, ensure};
use board::{Color, Position};
use kernels::Kernels;
use nets::{QuantizedValueNet, ValueNet, ValueScratch};
use pgn::{self, Faults, GameResult, PgnError};
use rand::{Rng, RngExt};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// The most positions of a game.
const POSITIONS: usize = 10;
/// The first plies of a game give no position: they are its opening.
const OPENING: usize = 8;
/// Which games have a position, as a clause.
pub const USABLE: &str = "a game needs a quiet position behind its first 8 plies";
/// The index of a stream, which games do not reach.
const POSITIONS_OF_GAME: u64 = u64::MAX - 2;

/// A position of a game.
#[derive(Debug, Clone)]
pub struct ResultSample {
    /// The number of the game among all that were read.
    pub game: u32,
    /// Pieces on the board.
    pub pieces: u8,
    /// What is known of the game's result, for the side to move.
    pub outcome: Outcome,
    /// The value network's logit for the side to move.
    pub logit: f32,
    /// What the network's second output says, `o`.
    pub drawn: f32,
    /// `(hidden)`: the hidden layer after ReLU; empty unless asked for.
    pub hidden: Vec<f32>,
    /// The position with the outcome, if asked for.
    pub example: Option<Example>,
}

/// What a sample keeps of its position beside the network's outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Nothing.
    Nothing,
    /// The outputs of the hidden layer.
    Hidden,
    /// The position.
    Position,
}

/// What is read of games.
#[derive(Debug, Clone, Copy)]
pub struct SampleOptions {
    /// Which games.
    pub subset: GameSubset,
    /// At most so many games.
    pub games: usize,
    /// What is kept of each position.
    pub kept: Kept,
    /// Determines the positions of each game.
    pub seed: u64,
}

/// A network with room to evaluate.
struct Evaluation<'a> {
    net: &'a ValueNet,
    play: &'a QuantizedValueNet,
    scratch: ValueScratch,
}

impl<'a> Evaluation<'a> {
    fn new(net: &'a ValueNet, play: &'a QuantizedValueNet, kernels: &'static Kernels) -> Self {
        Self { net, play, scratch: ValueScratch::new(net.params().topology(), kernels) }
    }

    fn sample(&mut self, position: &Position, outcome: Outcome, kept: Kept) -> ResultSample {
        if kept == Kept::Hidden {
            let placement = self.net.params().topology().placement_of(position);
            let mut features = [0.0; feature_maps::layout::INPUTS];
            feature_maps::extract(position, &mut features);
            self.net.forward(&features, &placement, &mut self.scratch);
        }
        ResultSample {
            game: 0,
            pieces: position.occupied().len() as u8,
            outcome,
            logit: self.play.logit(position),
            drawn: self.play.draw_output(position),
            hidden: if kept == Kept::Hidden { self.scratch.hidden().to_vec() } else { Vec::new() },
            example: (kept == Kept::Position).then(|| Example::of_outcome(position.clone(), outcome)),
        }
    }
}

/// The samples of the games in these folders, in the order of the games, and the number of games with samples.
///
/// # Errors
/// If a folder or shard cannot be read.
pub fn read(
    folders: &[PathBuf],
    net: &ValueNet,
    options: SampleOptions,
    progress: &mut dyn FnMut(usize),
) -> anyhow::Result<(Vec<ResultSample>, usize)> {
    let paths = shards_of(folders)?;
    let kernels = kernels::active()?;
    let play = QuantizedValueNet::new(net, kernels);
    let (mut samples, mut games) = (Vec::new(), 0_usize);
    for paths in paths.chunks(rayon::current_num_threads().max(1)) {
        let read = |path: &PathBuf| read_shard(path, &mut Evaluation::new(net, &play, kernels), options);
        let parts: Vec<Vec<Vec<ResultSample>>> = paths.par_iter().map(read).collect::<anyhow::Result<_>>()?;
        for mut game in parts.into_iter().flatten() {
            if games < options.games {
                game.iter_mut().for_each(|sample| sample.game = games as u32);
                samples.extend(game);
                games += 1;
            }
        }
        progress(games);
        if games >= options.games {
            break;
        }
    }
    Ok((samples, games))
}

/// The samples of games with contracts, as [`read`] has them.
///
/// # Errors
/// If a file cannot be read.
pub fn read_contracts(files: &[PathBuf], net: &ValueNet, options: SampleOptions) -> anyhow::Result<Vec<ResultSample>> {
    let kernels = kernels::active()?;
    let play = QuantizedValueNet::new(net, kernels);
    let mut evaluation = Evaluation::new(net, &play, kernels);
    let mut samples = Vec::new();
    for path in files {
        for (number, contract) in contracts::read(path)?.into_iter().enumerate() {
            let Some(positions) = contract.positions() else { continue };
            let mut random = stream(options.seed, POSITIONS_OF_GAME, number as u64);
            let outcome = |sign: i8| Outcome::of_contract(sign * contract.result, sign * contract.worth);
            samples.extend(of_game(&positions, &mut evaluation, options.kept, outcome, &mut random));
        }
    }
    Ok(samples)
}

/// The samples of the games of a PGN file, as [`read`] has them, and what could not be read; unfinished games are left out.
///
/// # Errors
/// If the file cannot be read or no game of it has a sample.
pub fn read_pgn(
    path: &Path,
    net: &ValueNet,
    options: SampleOptions,
) -> anyhow::Result<(Vec<ResultSample>, usize, Faults)> {
    let kernels = kernels::active()?;
    let play = QuantizedValueNet::new(net, kernels);
    let mut evaluation = Evaluation::new(net, &play, kernels);
    let (mut samples, mut games, mut finished, mut faults) = (Vec::new(), 0_usize, 0_usize, Faults::default());
    for game in pgn::read(path)? {
        let game = match game {
            Ok(game) => game,
            Err(error @ PgnError::Game { .. }) => {
                faults.refuse(&error);
                continue;
            }
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        faults.add(&game);
        let Some(result) = game.result else { continue };
        finished += 1;
        let result = match result {
            GameResult::WhiteWins => 1,
            GameResult::Draw => 0,
            GameResult::BlackWins => -1,
        };
        let positions = GamePosition::of_moves(&game.start, &game.moves);
        let mut random = stream(options.seed, POSITIONS_OF_GAME, game.number);
        let outcome = |sign| Outcome::of_result(sign * result);
        let found = of_game(behind_opening(&positions), &mut evaluation, options.kept, outcome, &mut random);
        if !found.is_empty() && games < options.games {
            samples.extend(found.into_iter().map(|sample| ResultSample { game: games as u32, ..sample }));
            games += 1;
        }
    }
    ensure!(finished > 0, "{} has no finished game", path.display());
    ensure!(games > 0, "no finished game of {} can be used: {USABLE}", path.display());
    Ok((samples, games, faults))
}

/// The samples of each game of a shard; damaged games are left out, and the shard is named.
fn read_shard(
    path: &Path,
    evaluation: &mut Evaluation,
    options: SampleOptions,
) -> anyhow::Result<Vec<Vec<ResultSample>>> {
    let shard = Shard::load(path)?;
    let (mut games, mut damaged) = (Vec::new(), 0);
    for (number, game) in shard.games(options.subset) {
        let mut random = stream(options.seed ^ shard.header.seed, POSITIONS_OF_GAME, number);
        let read = game.and_then(|game| Ok((GamePosition::of_kept(&game)?, game)));
        let Ok((positions, game)) = read else {
            damaged += 1;
            continue;
        };
        let outcome = |sign| Outcome::of_result(sign * game.result);
        let samples = of_game(behind_opening(&positions), evaluation, options.kept, outcome, &mut random);
        games.extend((!samples.is_empty()).then_some(samples));
    }
    if damaged > 0 {
        say_damaged(&ShardError::Games { path: path.to_owned(), games: damaged });
    }
    Ok(games)
}

fn behind_opening(positions: &[GamePosition]) -> &[GamePosition] {
    &positions[positions.len().min(OPENING)..]
}

/// Up to ten quiet positions of these, of which the network's value means something: drawn without replacement and in their order, each
/// with the outcome for its side to move, 1 for White and -1 for Black.
fn of_game(
    positions: &[GamePosition],
    evaluation: &mut Evaluation,
    kept: Kept,
    outcome: impl Fn(i8) -> Outcome,
    random: &mut impl Rng,
) -> Vec<ResultSample> {
    let quiet: Vec<&Position> = positions.iter().filter(|it| it.quiet).map(|it| &it.position).collect();
    let mut samples = Vec::with_capacity(POSITIONS);
    for (number, position) in quiet.iter().enumerate() {
        // CITE: Knuth, The Art of Computer Programming 3.4.2, Algorithm S (selection sampling).
        if random.random_range(0..quiet.len() - number) < POSITIONS - samples.len() {
            let sign = if position.side_to_move() == Color::White { 1 } else { -1 };
            samples.push(evaluation.sample(position, outcome(sign), kept));
        }
    }
    samples
}
