//! Positions of finished games with what the network says there and how the game ended.

use crate::data::contracts;
use crate::data::example::{Example, Outcome};
use crate::data::game_position::GamePosition;
use crate::data::game_subset::GameSubset;
use crate::data::shard::{Shard, ShardError, say_damaged};
use crate::data::shard_folders::shards_of;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::contracts::Contract;
    use crate::data::kept_game::TrainingGame;
    use crate::data::kept_game::tests::game;
    use crate::data::shard::ShardHeader;
    use crate::train::draw_model::DrawModel;
    use engine::SHIPPED_VALUE_NET;

    const ALL: SampleOptions =
        SampleOptions { subset: GameSubset::All, games: usize::MAX, kept: Kept::Position, seed: 1 };
    const CYCLE: [&str; 4] = ["g1f3", "g8f6", "f3g1", "f6g8"];

    fn net() -> ValueNet {
        nets::file::from_bytes("shipped", SHIPPED_VALUE_NET).unwrap().0
    }

    /// A game of quiet moves to and fro.
    fn kept(plies: usize, result: i8) -> TrainingGame {
        let moves: Vec<&str> = CYCLE.into_iter().cycle().take(plies).collect();
        let mut game = game(&Position::start().to_fen(false), &moves.join(" "));
        game.plies.iter_mut().for_each(|ply| ply.quiet = true);
        TrainingGame { result, ..game }
    }

    fn write(folder: &Path, shard: u64, seed: u64, games: &[TrainingGame]) {
        let header = ShardHeader { seed, first_game: 0, spec: Vec::new() };
        let path = crate::data::data_set::shard_path(folder, shard);
        std::fs::write(path, Shard::encode(&header, games)).unwrap();
    }

    /// Its game, the number of plies before it by its move counters, and what is known of its result.
    fn found(sample: &ResultSample) -> (u32, u16, Outcome) {
        let example = sample.example.as_ref().unwrap();
        assert_eq!(example.outcome, Some(sample.outcome));
        let position = &example.position;
        let plies = 2 * (position.fullmove_number() - 1) + position.side_to_move() as u16;
        (sample.game, plies, sample.outcome)
    }

    #[test]
    fn every_quiet_position_behind_the_opening_has_the_result_for_its_side() {
        use Outcome::{Draw, Loss, Win};
        let folder = tempfile::tempdir().unwrap();
        // Games of up to eight plies have no sample, and no number.
        write(folder.path(), 0, 3, &[kept(11, 1), kept(8, 1), kept(10, 0)]);
        write(folder.path(), 1, 3, &[kept(10, -1), kept(9, 1)]);
        let with = |options: SampleOptions| {
            let mut progress = Vec::new();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let folders = [folder.path().to_owned()];
            let read = || read(&folders, &net(), options, &mut |games| progress.push(games)).unwrap();
            let (samples, games) = pool.install(read);
            (samples, games, progress)
        };
        let (samples, games, progress) = with(ALL);
        let expected = [
            (0, 8, Win),
            (0, 9, Loss),
            (0, 10, Win),
            (1, 8, Draw),
            (1, 9, Draw),
            (2, 8, Loss),
            (2, 9, Win),
            (3, 8, Win),
        ];
        assert_eq!(samples.iter().map(found).collect::<Vec<_>>(), expected);
        assert_eq!((games, progress), (4, vec![2, 4]));
        let play = QuantizedValueNet::new(&net(), kernels::active().unwrap());
        for sample in &samples {
            let position = &sample.example.as_ref().unwrap().position;
            assert_eq!((sample.pieces, sample.hidden.len()), (32, 0));
            assert_eq!((sample.logit, sample.drawn), (play.logit(position), play.draw_output(position)));
        }
        // The shard behind the last game that is wanted is not read.
        let (samples, games, progress) = with(SampleOptions { games: 2, ..ALL });
        assert_eq!((samples.len(), games, progress), (5, 2, vec![2]));
        let (samples, games, _) = with(SampleOptions { games: 1, ..ALL });
        assert_eq!((samples.len(), games), (3, 1));
        let (samples, ..) = with(SampleOptions { kept: Kept::Hidden, ..ALL });
        let head = DrawModel::of(&net());
        for sample in &samples {
            assert!(sample.example.is_none());
            assert!((head.output(&sample.hidden) - sample.drawn).abs() < 0.1, "the second output of the hidden layer");
        }
        let (samples, ..) = with(SampleOptions { kept: Kept::Nothing, ..ALL });
        assert!(samples.iter().all(|sample| sample.example.is_none() && sample.hidden.is_empty()));
    }

    #[test]
    fn ten_positions_of_a_long_game_are_drawn_with_equal_chances() {
        let net = net();
        let play = QuantizedValueNet::new(&net, kernels::active().unwrap());
        let mut evaluation = Evaluation::new(&net, &play, kernels::active().unwrap());
        let mut positions = GamePosition::of_kept(&kept(41, 1)).unwrap();
        positions[7].quiet = false;
        let mut counts = [0; 41];
        for index in 0..300 {
            let random = &mut stream(1, 1, index);
            let samples = of_game(&positions, &mut evaluation, Kept::Position, Outcome::of_result, random);
            let plies: Vec<u16> = samples.iter().map(|sample| found(sample).1).collect();
            assert!(plies.len() == 10 && plies.is_sorted_by(|one, next| one < next), "{plies:?}");
            plies.iter().for_each(|ply| counts[usize::from(*ply)] += 1);
        }
        assert_eq!(counts[7], 0, "it is not quiet");
        // Each of the other 40 has one chance in four: 75 of 300, with a standard deviation of 7.5.
        let others = counts.iter().enumerate().filter(|(ply, _)| *ply != 7);
        assert!(others.clone().all(|(_, count)| (42..110).contains(count)), "{counts:?}");
    }

    #[test]
    fn the_seeds_choose_positions_and_damaged_games_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let net = net();
        let plies = |of_options, of_shard| {
            write(folder.path(), 0, of_shard, &[kept(60, 1)]);
            let options = SampleOptions { seed: of_options, ..ALL };
            let (samples, _) = read(&[folder.path().to_owned()], &net, options, &mut |_| {}).unwrap();
            samples.iter().map(|sample| found(sample).1).collect::<Vec<_>>()
        };
        // The bits of the two seeds are added without carry.
        let chosen = [plies(1, 3), plies(1, 0), plies(2, 0)];
        assert_eq!(chosen[0], chosen[2]);
        assert_ne!(chosen[0], chosen[1]);
        let header = ShardHeader { seed: 3, first_game: 0, spec: Vec::new() };
        let mut bytes = Shard::encode(&header, &[kept(10, 1), kept(9, 0)]);
        // The last byte of the first game: behind the second one are 28 bytes.
        let mut second = Vec::new();
        kept(9, 0).encode(&mut second);
        let last = bytes.len() - 28 - second.len() - 1;
        bytes[last] ^= 1;
        std::fs::write(folder.path().join("games-000000.okapi"), bytes).unwrap();
        let (samples, games) = read(&[folder.path().to_owned()], &net, ALL, &mut |_| {}).unwrap();
        assert_eq!((samples.iter().map(found).collect::<Vec<_>>(), games), (vec![(0, 8, Outcome::Draw)], 1));
    }

    #[test]
    fn games_of_a_pgn_file_are_read_alike() {
        use Outcome::{Draw, Loss, Win};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let opening = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8";
        let games = [
            format!("{opening} 5. Nf3 Nf6 1-0"),
            format!("{opening} 5. Nf3 *"),
            format!("{opening} 1/2-1/2"),
            format!("{opening} 5. e4 e5 6. d3 0-1"),
            format!("{opening} 5. e4 1/2-1/2"),
        ];
        let text: String = games.iter().map(|game| format!("[Event \"?\"]\n\n{game}\n\n")).collect();
        std::fs::write(&path, text).unwrap();
        let (samples, count, faults) = read_pgn(&path, &net(), ALL).unwrap();
        let expected = [(0, 8, Win), (0, 9, Loss), (1, 8, Loss), (1, 9, Win), (1, 10, Loss), (2, 8, Draw)];
        assert_eq!(samples.iter().map(found).collect::<Vec<_>>(), expected);
        assert_eq!((count, faults.notes(&path).len()), (3, 0));
        let (samples, count, _) = read_pgn(&path, &net(), SampleOptions { games: 1, ..ALL }).unwrap();
        assert_eq!((samples.len(), count), (2, 1));
        let refused = |game: &str| {
            std::fs::write(&path, format!("[Event \"?\"]\n\n{game}\n\n")).unwrap();
            read_pgn(&path, &net(), ALL).unwrap_err().to_string()
        };
        assert!(refused(&games[1]).ends_with("has no finished game"));
        assert!(refused(&games[2]).ends_with(&format!("can be used: {USABLE}")));
    }

    #[test]
    fn a_game_with_a_contract_has_the_outcomes_of_its_contract() {
        use Outcome::{Loss, NotLost, NotWon, Win};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("contracts");
        let line = |(number, (worth, result)): (u64, (i8, i8))| {
            let (start, moves) = (Position::start().to_fen(true), "g1f3 g8f6".to_owned());
            serde_json::to_string(&Contract { number, start, worth, moves, result }).unwrap() + "\n"
        };
        let lines: String = (0..).zip([(-1, 1), (-1, 0), (1, 0), (1, -1)]).map(line).collect();
        std::fs::write(&path, format!("a header\n{lines}")).unwrap();
        let samples = read_contracts(&[path], &net(), ALL).unwrap();
        let outcomes: Vec<Outcome> = samples.iter().map(|sample| sample.outcome).collect();
        // For White and then for Black: White had to win, and did or did not; Black had to win, and did not or did.
        assert_eq!(outcomes, [Win, Loss, NotWon, NotLost, NotLost, NotWon, Loss, Win]);
    }
}
