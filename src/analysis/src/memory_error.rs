//! How much nearer a short-term memory brings evaluations to what a deep search finds: the errors of the network alone and with the memory, on
//! positions that a game reaches some plies after the searches that the memory has learned from.

use board::{Game, Move, Position};
use engine::{Engine, EngineSpec};
use search::scored_move::is_quiet;
use search::{SearchLimits, Silent, with_deep_stack};
use std::panic::resume_unwind;

/// What is searched.
#[derive(Debug, Clone, Copy)]
pub struct MemoryLimits {
    /// Nodes of each search that the memory learns from: every second position of the game, as an engine that plays.
    pub nodes: u64,
    /// Nodes of the deep search of a position, without a memory.
    pub deep_nodes: u64,
    /// How many plies a position is after the last one searched.
    pub ahead: usize,
    /// The most plies of a game.
    pub plies: usize,
}

/// One position, in values in [-1, 1] for its side to move.
#[derive(Debug, Clone, PartialEq)]
pub struct MemorySample {
    /// What the deep search found.
    pub deep: f32,
    /// The evaluation of the network alone.
    pub plain: f32,
    /// `(memory)`: the evaluation that it corrects.
    pub corrected: Vec<f32>,
}

/// Engines that differ in their memories, and one without, which judges.
pub struct MemoryExaminer {
    judge: Engine,
    learners: Vec<Engine>,
}

impl MemoryExaminer {
    /// Engines of these specifications, and one of `judge`.
    ///
    /// # Errors
    /// If an engine cannot be built.
    pub fn new(judge: &EngineSpec, learners: &[EngineSpec]) -> anyhow::Result<Self> {
        let learners = learners.iter().map(EngineSpec::build).collect::<anyhow::Result<_>>()?;
        Ok(Self { judge: judge.build()?, learners })
    }

    /// The samples of a game, one for every second position from `first` on: quiet ones, which no mate decides. `stop` ends it early.
    ///
    /// # Errors
    /// If the system has no thread to give.
    ///
    /// # Panics
    /// If a search panics.
    pub fn game(
        &mut self,
        start: &Position,
        moves: &[Move],
        first: usize,
        limits: MemoryLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> std::io::Result<Vec<MemorySample>> {
        let samples = with_deep_stack(|| self.samples(start, moves, first, limits, stop))?;
        Ok(samples.unwrap_or_else(|panic| resume_unwind(panic)))
    }

    fn samples(
        &mut self,
        start: &Position,
        moves: &[Move],
        first: usize,
        limits: MemoryLimits,
        stop: &dyn Fn() -> bool,
    ) -> Vec<MemorySample> {
        let mut games = vec![Game::new(start.clone())];
        for mv in moves.iter().take(limits.plies) {
            let mut next = games[games.len() - 1].clone();
            next.play(*mv);
            games.push(next);
        }
        self.judge.new_game();
        self.learners.iter_mut().for_each(Engine::new_game);
        let mut samples = Vec::new();
        for place in (first..games.len()).step_by(2) {
            let Some(later) = games.get(place + limits.ahead).filter(|_| !stop()) else { break };
            for learner in &mut self.learners {
                learner.search(&games[place], &of_nodes(limits.nodes), &mut Silent);
            }
            samples.extend(self.sample(later, limits.deep_nodes));
        }
        samples
    }

    /// The errors at a position; `None` where it is not quiet.
    fn sample(&mut self, game: &Game, deep_nodes: u64) -> Option<MemorySample> {
        let position = game.position();
        if position.in_check() || position.outcome().is_some() {
            return None;
        }
        let found = self.judge.search(game, &of_nodes(deep_nodes), &mut Silent);
        found.best().filter(|mv| is_quiet(position, *mv))?;
        if found.value.is_mate() || found.value.is_table_win() {
            return None;
        }
        Some(MemorySample {
            deep: found.value.to_f32(),
            plain: self.judge.evaluate(position).to_f32(),
            corrected: self.learners.iter().map(|learner| learner.evaluate(position).to_f32()).collect(),
        })
    }
}

fn of_nodes(nodes: u64) -> SearchLimits {
    SearchLimits { nodes: Some(nodes), ..SearchLimits::default() }
}

/// What a memory makes of the errors of the network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorReduction {
    /// The mean error of the network alone, squared or absolute.
    pub plain: f64,
    /// The same with the memory.
    pub corrected: f64,
    /// The part of the error that the memory takes away: 1 - corrected / plain.
    pub part: f64,
    /// Half the width of its 95 % interval, with whole games as the unit.
    pub half_width: f64,
}

/// The error of an evaluation, the first, against a deep value.
pub type ErrorOf = fn(f32, f32) -> f64;

/// The reduction over the games' samples by the memory of this number. `None` with fewer than two games or without an error.
//
// The ratio of two means over games and its variance: Cochran, "Sampling techniques", 3rd edition, 1977, section 6.4.
pub fn reduction(games: &[Vec<MemorySample>], memory: usize, error: ErrorOf) -> Option<ErrorReduction> {
    let sums: Vec<(f64, f64)> = games
        .iter()
        .map(|samples| {
            let plain = samples.iter().map(|sample| error(sample.plain, sample.deep)).sum();
            (plain, samples.iter().map(|sample| error(sample.corrected[memory], sample.deep)).sum())
        })
        .collect();
    let samples = games.iter().map(Vec::len).sum::<usize>() as f64;
    let (plain, corrected) = sums.iter().fold((0.0, 0.0), |(a, b), (plain, corrected)| (a + plain, b + corrected));
    let count = sums.len() as f64;
    if count < 2.0 || plain <= 0.0 {
        return None;
    }
    let ratio = corrected / plain;
    let variance = sums.iter().map(|(plain, corrected)| (corrected - ratio * plain).powi(2)).sum::<f64>();
    let deviation = (variance * count / (count - 1.0)).sqrt() / plain;
    Some(ErrorReduction {
        plain: plain / samples,
        corrected: corrected / samples,
        part: 1.0 - ratio,
        half_width: 1.96 * deviation,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::ShortTermKind;

    fn sample(deep: f32, plain: f32, corrected: f32) -> MemorySample {
        MemorySample { deep, plain, corrected: vec![corrected] }
    }

    #[test]
    fn the_reduction_is_that_of_the_sums_with_games_as_the_unit() {
        let games = [vec![sample(0.5, 0.1, 0.3), sample(0.2, 0.2, 0.2)], vec![sample(-0.5, -0.3, -0.3)]];
        let found = reduction(&games, 0, |one, two| f64::from((one - two).abs())).unwrap();
        assert!((found.plain - 0.2).abs() < 1e-6 && (found.corrected - 0.4 / 3.0).abs() < 1e-6, "{found:?}");
        assert!((found.part - 1.0 / 3.0).abs() < 1e-6);
        // Residuals 0.2 - 2/3 x 0.4 and 0.2 - 2/3 x 0.2, over a sum of 0.6.
        let residual = 0.2_f64 / 3.0;
        let wanted = 1.96 * (2.0 * residual * residual * 2.0).sqrt() / 0.6;
        assert!((found.half_width - wanted).abs() < 1e-6, "{found:?}, {wanted}");
        assert!(reduction(&games[..1], 0, |_, _| 1.0).is_none());
        assert!(reduction(&games, 0, |_, _| 0.0).is_none());
    }

    #[test]
    fn a_game_is_the_same_when_it_is_examined_again_and_memories_change_evaluations() {
        let judge = EngineSpec { hash_megabytes: 1, ..EngineSpec::default() };
        let learner = EngineSpec { short_term: ShortTermKind::Tree, ..judge.clone() };
        let mut examiner = MemoryExaminer::new(&judge, &[learner, judge.clone()]).unwrap();
        let mut game = Game::new(Position::start());
        for mv in ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "d2d3", "f8c5"] {
            let mv = game.position().parse_uci(mv).unwrap();
            game.play(mv);
        }
        let limits = MemoryLimits { nodes: 500, deep_nodes: 1_000, ahead: 2, plies: 100 };
        let run = |examiner: &mut MemoryExaminer| {
            examiner.game(&Position::start(), game.moves(), 1, limits, &|| false).unwrap()
        };
        let samples = run(&mut examiner);
        assert!(samples.len() >= 2, "{samples:?}");
        assert_eq!(run(&mut examiner), samples);
        assert!(samples.iter().any(|sample| sample.corrected[0] != sample.plain));
        assert!(samples.iter().all(|sample| sample.corrected[1] == sample.plain));
    }
}
