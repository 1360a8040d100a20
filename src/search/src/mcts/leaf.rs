//! What a visit finds at its leaf: the end of the game, what tables say, an evaluation, or the value of a small search.

use crate::alpha_beta::worker::{Node, Worker};
use crate::budget::Budget;
use crate::evaluator::Evaluator;
use crate::handler::Stop;
use crate::mcts::node::{Gain, fixed};
use crate::mcts::proof::Proof;
use crate::policy::Policy;
use crate::tablebase::TableResult;
use crate::value::Value;
use crate::window::Window;
use board::Position;

/// How a leaf is valued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LeafKind {
    /// By its static evaluation.
    Static,
    /// By quiescence search.
    #[default]
    Quiescence,
    /// By alpha-beta limited by probability, of this budget, at least 1.
    Search(u32),
}

/// The value of a visit, for the side to move at its leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    /// Value and chance of a draw.
    pub gain: Gain,
    /// What is proven of the leaf.
    pub proof: Option<Proof>,
}

/// A certain chance.
pub const CERTAIN: i64 = crate::mcts::node::ONE as i64;

impl Leaf {
    /// A position that is proven; a draw is worth `drawn`.
    pub fn proven(proof: Proof, drawn: Value) -> Self {
        let gain = match proof {
            Proof::Win(_) => Gain { value: CERTAIN, draw: 0 },
            Proof::Loss(_) => Gain { value: -CERTAIN, draw: 0 },
            Proof::Draw => Gain { value: fixed(drawn.to_f32()), draw: CERTAIN },
        };
        Self { gain, proof: Some(proof) }
    }

    /// A draw that only this line leads to.
    fn drawn(drawn: Value) -> Self {
        Self { proof: None, ..Self::proven(Proof::Draw, drawn) }
    }
}

/// The leaf at `position`, `ply` plies from the root, at which the worker stands.
pub fn evaluate<E: Evaluator, P: Policy>(
    worker: &mut Worker<E, P>,
    kind: LeafKind,
    position: &Position,
    ply: usize,
) -> Result<Leaf, Stop> {
    worker.seldepth = worker.seldepth.max(ply);
    let drawn = worker.draw_value(position);
    if ply > 0 && worker.is_drawn(position) {
        let is_dead = position.is_insufficient_material();
        return Ok(if is_dead { Leaf::proven(Proof::Draw, drawn) } else { Leaf::drawn(drawn) });
    }
    if !position.has_legal_move() {
        let proof = if position.in_check() { Proof::Loss(0) } else { Proof::Draw };
        return Ok(Leaf::proven(proof, drawn));
    }
    if let Some(result) = worker.probe_table_result(position, ply, f32::MAX) {
        let proof = match result {
            TableResult::Win => Proof::TABLE_WIN,
            TableResult::Draw => Proof::Draw,
            TableResult::Loss => Proof::TABLE_LOSS,
        };
        return Ok(Leaf::proven(proof, drawn));
    }
    let value = match kind {
        LeafKind::Static => worker.evaluate(position, &mut None),
        LeafKind::Quiescence => worker.quiescence::<true>(position, Window::FULL, ply)?,
        LeafKind::Search(budget) => {
            let (budget, check_extensions) = (Budget::new(budget as f32), worker.selectivity.check_extensions);
            let node = Node { position, budget, ply, check_extensions, after_null_move: false };
            worker.search::<true>(&node, Window::FULL)?
        }
    };
    // The root is proven by its moves alone, of which one is played.
    if ply > 0
        && let Some(proof) = Proof::of_mate(value, ply)
    {
        return Ok(Leaf::proven(proof, drawn));
    }
    let draw = worker.evaluator.draw_chance(&mut worker.state, position, value.to_f32());
    Ok(Leaf { gain: Gain { value: fixed(value.to_f32()), draw: fixed(draw) }, proof: None })
}
