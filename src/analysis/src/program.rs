//! A UCI program as an analyst: what it says of a position, and no more.

use super::position::{Analyst, OtherLine, PositionAnalysis, stored, written};
use anyhow::{Context, anyhow};
use board::{Game, Move, Outcome};
use player::{Bound, Fault, InfoLine, MoveLimits, Player, Reply, Score, UciEngine};
use search::Value;
use support::pool::Stop;

/// A UCI program that analyses.
pub struct Program {
    engine: UciEngine,
    limits: MoveLimits,
}

impl Program {
    /// A started program, which is asked for so many lines and for its chances if it has options for them.
    ///
    /// # Errors
    /// If it has exited.
    pub fn new(mut engine: UciEngine, lines: u64, limits: MoveLimits) -> anyhow::Result<Self> {
        let mut set_up = || {
            if engine.option("UCI_ShowWDL").is_some() {
                engine.set_option("UCI_ShowWDL", "true")?;
            }
            engine.set_multipv(lines)
        };
        set_up().map_err(|fault| anyhow!("the engine {fault}"))?;
        Ok(Self { engine, limits })
    }
}

impl Analyst for Program {
    fn analyse(&mut self, game: &Game, chess960: bool, stop: &Stop) -> anyhow::Result<Option<PositionAnalysis>> {
        self.engine.new_game(chess960).map_err(|fault| anyhow!("the engine {fault}"))?;
        let Some((reply, lines)) = self.search(game, stop)? else { return Ok(None) };
        let position = game.position();
        let begins = |info: &&InfoLine| info.pv.first() == Some(&reply.best);
        // After a bound, no more is known of the move than that it is better.
        let alone = InfoLine { pv: vec![reply.best], ..reply.info.clone() };
        let best = lines.iter().find(begins).unwrap_or(&alone);
        let value = match best.score {
            Some(score) => value(score),
            // Some programs say nothing of the only move.
            None => match self.value_behind(game, reply.best, stop)? {
                Some(value) => value,
                None => return Ok(None),
            },
        };
        let mut others: Vec<OtherLine> = Vec::new();
        for info in lines.iter().filter(|info| info.pv.first() != Some(&reply.best)) {
            let line = written(position, &info.pv);
            if let Some(score) = info.score.filter(|_| others.iter().all(|other| other.line.first() != line.first())) {
                others.push(OtherLine { value: stored(self::value(score)), line });
            }
        }
        others.sort_by(|a, b| b.value.total_cmp(&a.value));
        Ok(Some(PositionAnalysis {
            value: stored(value),
            wdl: best.wdl.filter(|wdl| wdl.iter().sum::<u32>() == 1000),
            line: written(position, &best.pv),
            depth: best.depth.or(reply.info.depth).unwrap_or(0),
            nodes: reply.info.nodes.unwrap_or(0),
            evaluation: None,
            moves: Vec::new(),
            others,
        }))
    }
}

impl Program {
    /// The answer, and the last exact line of each rank; `None` if it was stopped.
    fn search(&mut self, game: &Game, stop: &Stop) -> anyhow::Result<Option<(Reply, Vec<InfoLine>)>> {
        let mut lines: Vec<Option<InfoLine>> = Vec::new();
        let mut observe = |info: &InfoLine| {
            if info.bound != Bound::Exact || info.pv.is_empty() {
                return;
            }
            let rank = info.multipv.unwrap_or(1).clamp(1, 256) as usize;
            lines.resize(lines.len().max(rank), None);
            lines[rank - 1] = Some(info.clone());
        };
        match self.engine.go_observed(game, &self.limits, stop, &mut observe) {
            Ok(reply) => Ok(Some((reply, lines.into_iter().flatten().collect()))),
            Err(Fault::Stopped) => Ok(None),
            Err(fault) => Err(anyhow!("the engine {fault}")),
        }
    }

    /// The value of a move of which the engine says nothing: that of the position that it leads to; `None` if it was stopped.
    fn value_behind(&mut self, game: &Game, mv: Move, stop: &Stop) -> anyhow::Result<Option<Value>> {
        let mut behind = game.clone();
        behind.play(mv);
        match behind.outcome() {
            Some(Outcome::Mated) => Ok(Some(Value::mates_at(1))),
            Some(_) => Ok(Some(Value::DRAW)),
            None => {
                let Some((reply, _)) = self.search(&behind, stop)? else { return Ok(None) };
                let fen = || behind.position().to_fen(false);
                let score = reply.info.score.with_context(|| format!("the engine gives no score for {}", fen()))?;
                Ok(Some(-value(score)))
            }
        }
    }
}

/// A score as a value.
fn value(score: Score) -> Value {
    /// Values tell mates in more moves no longer apart.
    const LONGEST: u32 = 500;
    match score {
        Score::Centipawns(centipawns) => Value::from_centipawns(centipawns),
        Score::Mate(moves) if moves > 0 => Value::mates_at(2 * moves.unsigned_abs().min(LONGEST) as usize - 1),
        Score::Mate(moves) => Value::mated_at(2 * moves.unsigned_abs().min(LONGEST) as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_keep_their_centipawns_and_mates_their_moves() {
        for centipawns in [-3_000, -250, -1, 0, 7, 99, 1_234] {
            assert_eq!(value(Score::Centipawns(centipawns)).centipawns(), centipawns);
        }
        for moves in [-7, -1, 1, 2, 30] {
            assert_eq!(value(Score::Mate(moves)).mate_moves(), Some(moves));
        }
        assert_eq!(value(Score::Mate(0)), Value::mated_at(0));
        assert!(value(Score::Mate(i32::MAX)).is_mate() && value(Score::Mate(i32::MIN)).is_mate());
        assert!(!value(Score::Centipawns(i32::MAX)).is_mate());
    }
}
