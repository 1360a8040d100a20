//! The moves of a simulation.

use crate::alpha_beta::worker::Worker;
use crate::draws::Draws;
use crate::evaluator::{Evaluator, leaf_value};
use crate::handler::Stop;
use crate::policy::{Policy, list_with_priors};
use crate::scored_move::ScoredMoves;
use crate::td_search::settings::{TdBootstrap, TdMoves, TdSettings};
use crate::td_search::weights::{Lesson, TdWeights};
use crate::value::{MAX_PLY, Value};
use crate::window::Window;
use board::{Move, MoveList, Position};

/// What a position is worth to its side to move.
#[derive(Debug, Clone, Copy)]
pub enum Judged {
    /// The game is over there, or tables know how it ends.
    Over(Value),
    /// The evaluator's logit, and what the weights add to it.
    Open { logit: f32, product: f32 },
}

impl Judged {
    /// The value; the evaluator's logit counts only if it is the long-term memory.
    pub fn value(self, long_term: bool) -> Value {
        match self {
            Self::Over(value) => value,
            Self::Open { logit, product } => leaf_value(if long_term { logit + product } else { product }),
        }
    }
}

/// One thread that plays simulations from the root.
pub struct Simulator<'a, 'w, E: Evaluator, P> {
    pub worker: &'a mut Worker<'w, E, P>,
    pub weights: &'a mut TdWeights,
    pub settings: TdSettings,
    /// The root's moves.
    pub moves: &'a MoveList,
    pub lesson: Lesson,
    /// The root's moves and their values, for the side to move there, when a simulation compared them last.
    pub compared: Vec<(Move, Value)>,
}

impl<E: Evaluator, P: Policy> Simulator<'_, '_, E, P> {
    /// Plays one simulation, and learns from it.
    pub fn simulate(&mut self, root: &Position, draws: &mut Draws) -> Result<(), Stop> {
        let mut made = 0;
        let result = self.play_out(root, draws, &mut made);
        for _ in 0..made {
            self.worker.unmake();
        }
        result
    }

    fn play_out(&mut self, root: &Position, draws: &mut Draws, made: &mut usize) -> Result<(), Stop> {
        let Judged::Open { logit, .. } = self.evaluate(root) else { return Ok(()) };
        self.lesson.begin();
        self.go_on(root, logit);
        let mut position = root.clone();
        let most = self.settings.cut.unwrap_or(self.settings.most_plies);
        for ply in 1..=most {
            let (mv, judged) = self.choose(&position, ply, draws)?;
            position = self.worker.make(&position, mv);
            *made += 1;
            self.worker.seldepth = self.worker.seldepth.max(ply);
            match judged {
                Judged::Over(value) => {
                    self.end(value);
                    break;
                }
                Judged::Open { logit, .. } if Some(ply) == self.settings.cut => {
                    let value = match self.settings.bootstrap {
                        TdBootstrap::Quiescence if ply < MAX_PLY => {
                            self.worker.quiescence::<true>(&position, Window::FULL, ply)?
                        }
                        _ => leaf_value(logit),
                    };
                    self.end(value);
                }
                Judged::Open { logit, .. } => self.go_on(&position, logit),
            }
        }
        Ok(())
    }

    /// The last position is worth this to its side to move.
    fn end(&mut self, value: Value) {
        self.lesson.end(self.weights, &self.settings, value.to_f32().clamp(-1.0, 1.0));
    }

    fn go_on(&mut self, position: &Position, logit: f32) {
        let logit = if self.settings.long_term { logit } else { 0.0 };
        self.lesson.go_on(self.weights, &self.settings, position, logit);
    }

    /// The move of a position that leads to ply `ply`: with chance epsilon any, else the policy's or one whose position is worth least to the
    /// opponent.
    fn choose(&mut self, position: &Position, ply: usize, draws: &mut Draws) -> Result<(Move, Judged), Stop> {
        let all;
        let moves = if ply == 1 {
            self.moves
        } else {
            all = position.legal_moves();
            &all
        };
        let drawn = if draws.unit() < self.settings.exploration {
            Some(moves[draws.below(moves.len() as u32) as usize])
        } else {
            (self.settings.moves == TdMoves::Policy).then(|| self.draw(position, moves, draws))
        };
        if let Some(mv) = drawn {
            self.worker.count_node()?;
            return Ok((mv, self.judge_move(position, mv, ply)));
        }
        let (mut best, mut equal) = (None::<(Move, Judged, Value)>, 0);
        if ply == 1 {
            self.compared.clear();
        }
        for mv in moves {
            self.worker.count_node()?;
            let judged = self.judge_move(position, *mv, ply);
            let value = -judged.value(self.settings.long_term);
            if ply == 1 {
                self.compared.push((*mv, value));
            }
            let is_chosen = match best {
                Some((.., most)) if value < most => false,
                // Each of equal moves is as likely as the others.
                Some((.., most)) if value == most => {
                    equal += 1;
                    draws.below(equal) == 0
                }
                _ => {
                    equal = 1;
                    true
                }
            };
            if is_chosen {
                best = Some((*mv, judged, value));
            }
        }
        let (mv, judged, _) = best.expect("a position that is not over has a move");
        Ok((mv, judged))
    }

    /// One of these moves, drawn from the policy's probabilities.
    fn draw(&self, position: &Position, moves: &MoveList, draws: &mut Draws) -> Move {
        let mut scored = ScoredMoves::new();
        list_with_priors(self.worker.policy, &self.worker.memory.moves, position, moves, &mut scored);
        let mut left = draws.unit() * scored.iter().map(|scored| f64::from(scored.prior)).sum::<f64>();
        let drawn = scored.iter().find(|scored| {
            left -= f64::from(scored.prior);
            left < 0.0
        });
        drawn.or(scored.last()).expect("a position that is not over has a move").mv
    }

    /// What the position after a move is worth to its side to move, `ply` plies from the root.
    pub fn judge_move(&mut self, position: &Position, mv: Move, ply: usize) -> Judged {
        let child = self.worker.make(position, mv);
        let judged = self.judge(&child, ply);
        self.worker.unmake();
        judged
    }

    fn judge(&mut self, position: &Position, ply: usize) -> Judged {
        if !position.has_legal_move() {
            let drawn = self.worker.draw_value(position);
            return Judged::Over(if position.in_check() { Value::mated_at(ply) } else { drawn });
        }
        if self.worker.is_drawn(position) {
            return Judged::Over(self.worker.draw_value(position));
        }
        if let Some(value) = self.worker.probe_tablebase(position, ply, f32::MAX) {
            return Judged::Over(value);
        }
        self.evaluate(position)
    }

    fn evaluate(&mut self, position: &Position) -> Judged {
        let worker = &mut *self.worker;
        worker.evaluations += 1;
        let (logit, product) = worker.evaluator.logit_and_product(&mut worker.state, position, self.weights.read());
        Judged::Open { logit, product }
    }
}
