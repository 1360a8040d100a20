//! What a quiet position is: no check, nothing to be won by taking, whoever were to move. Such a position is decided by
//! plans, not by a calculation that every engine does.

use super::tally::Reason;
use board::{Move, Position};

/// The fewest legal moves that leave something to judge.
const FEWEST_MOVES: usize = 8;

/// Is there a capture or promotion that wins material by static exchange?
fn wins_material(position: &Position) -> bool {
    position.noisy_moves().iter().any(|&mv| position.see_at_least(mv, 1))
}

/// Does this move, legal here, change the material or give check?
pub fn is_noisy(position: &Position, mv: Move) -> bool {
    mv.promotion.is_some() || position.is_capture(mv) || position.play(mv).in_check()
}

/// Why a position is not quiet, if it is not.
pub fn unquiet(position: &Position) -> Option<Reason> {
    if position.outcome().is_some() || position.legal_moves().len() < FEWEST_MOVES {
        return Some(Reason::FewMoves);
    }
    let Some(passed) = position.null_move() else { return Some(Reason::InCheck) };
    (wins_material(position) || wins_material(&passed)).then_some(Reason::Hanging)
}
