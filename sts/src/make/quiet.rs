//! Quiet positions: no check, and no capture that wins material for either side. Such positions are decided by plans, not
//! by tactics that every engine finds.

use super::counts::Rejection;
use board::{Move, Position};

/// The minimum number of legal moves of a candidate.
const FEWEST_MOVES: usize = 8;

/// Is there a capture or promotion that wins material by static exchange?
fn wins_material(position: &Position) -> bool {
    position.noisy_moves().iter().any(|&mv| position.see_at_least(mv, 1))
}

/// Does this legal move capture, promote or give check?
pub fn is_noisy(position: &Position, mv: Move) -> bool {
    mv.promotion.is_some() || position.is_capture(mv) || position.play(mv).in_check()
}

/// Why a position is not a quiet candidate; `None` if it is.
pub fn rejection(position: &Position) -> Option<Rejection> {
    if position.outcome().is_some() || position.legal_moves().len() < FEWEST_MOVES {
        return Some(Rejection::FewMoves);
    }
    let Some(after_null_move) = position.null_move() else { return Some(Rejection::InCheck) };
    (wins_material(position) || wins_material(&after_null_move)).then_some(Rejection::Hanging)
}
