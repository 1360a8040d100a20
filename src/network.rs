//! The move-probability network as the search asks it (thesis 6): what it hears of each candidate.

use crate::move_probability::{Candidate, Kind};
use board::Position;
use feature_maps::moves::{Heard, TableMove};

/// What the network hears of each candidate, in their order. Play and training share it.
#[inline]
pub fn heard<'a>(position: &'a Position, candidates: &'a [Candidate]) -> impl Iterator<Item = Heard> + 'a {
    let has_hash = candidates.iter().any(|candidate| candidate.kind == Kind::Hash);
    candidates.iter().map(move |candidate| {
        // The kinds of the table's move and of promotions do not tell.
        let loses = match candidate.kind {
            _ if candidate.mv.promotion.is_some() => !position.see_at_least(candidate.mv, 0),
            Kind::Hash => !position.see_at_least(candidate.mv, 0),
            Kind::LosingCapture | Kind::LosingQuiet => true,
            Kind::GoodCapture | Kind::Killer | Kind::Quiet => false,
        };
        let table = match (has_hash, candidate.kind) {
            (false, _) => TableMove::Unknown,
            (true, Kind::Hash) => TableMove::This,
            (true, _) => TableMove::Another,
        };
        Heard { loses, history: candidate.history, killer: candidate.killer, table }
    })
}
