//! Noise in the priors of a root's moves, so that games against itself go other ways:
//!
//! ```text
//! P = (1 - part) p + part d,     d from Dirichlet(alpha, ..., alpha)
//! ```
//! The draws are a stream of their own, named by seed and root, and taken in the order of the legal moves.
// CITE: Silver et al., "Mastering chess and shogi by self-play with a general reinforcement learning algorithm", 2017: 0.3 and a part of
// 0.25; the distribution by normalized gamma variates, of which those below 1 are drawn as by Ahrens and Dieter, "Computer methods for
// sampling from gamma, beta, Poisson and binomial distributions", Computing 12, 1974, algorithm GS.

use crate::draws::Draws;
use crate::scored_move::ScoredMoves;
use crate::tunables as tuned;
use arrayvec::ArrayVec;
use board::{MAX_MOVES, Position};

/// Mixes noise into the priors, which sum to one before and after.
pub fn add(moves: &mut ScoredMoves, position: &Position, part: f64, draws: &mut Draws) {
    let alpha = tuned::mcts_noise_alpha();
    let legal = position.legal_moves();
    let of_legal: ArrayVec<f64, MAX_MOVES> = legal.iter().map(|_| gamma(alpha, draws)).collect();
    let noise = |mv| legal.iter().position(|other| *other == mv).map_or(0.0, |index| of_legal[index]);
    let all: f64 = moves.iter().map(|scored| noise(scored.mv)).sum();
    if all > 0.0 {
        for scored in moves.iter_mut() {
            let mixed = (1.0 - part) * f64::from(scored.prior) + part * noise(scored.mv) / all;
            scored.prior = mixed.min(1.0) as f32;
        }
    }
}

/// A gamma variate of this shape, which is below 1.
fn gamma(alpha: f64, draws: &mut Draws) -> f64 {
    let whole = 1.0 + alpha / std::f64::consts::E;
    loop {
        // From 0, excluded, to 1.
        let (part, accepted) = (whole * (1.0 - draws.unit()), draws.unit());
        let (found, least) = if part <= 1.0 {
            let found = libm::pow(part, 1.0 / alpha);
            (found, libm::exp(-found))
        } else {
            let found = -libm::log((whole - part) / alpha);
            (found, libm::pow(found, alpha - 1.0))
        };
        if accepted <= least {
            return found;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::move_history::MoveHistory;
    use crate::policy::{Policy, UniformPolicy, list_with_priors};
    use board::Move;

    #[test]
    fn variates_have_the_moments_of_their_distribution() {
        for alpha in [0.1, 0.3, 0.9] {
            let count = 200_000;
            let mut draws = Draws::of(1, 2, 3);
            let found: Vec<f64> = (0..count).map(|_| gamma(alpha, &mut draws)).collect();
            assert!(found.iter().all(|number| *number >= 0.0 && number.is_finite()));
            let mean = found.iter().sum::<f64>() / f64::from(count);
            let variance = found.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / f64::from(count);
            // Mean and variance are alpha, and their errors some five times smaller than this.
            assert!((mean - alpha).abs() < 0.012 && (variance - alpha).abs() < 0.05, "{alpha}: {mean} {variance}");
        }
    }

    #[test]
    fn priors_still_sum_to_one_and_are_named_by_seed_and_root() {
        let position = Position::start();
        let noisy = |part, seed| {
            let mut moves = ScoredMoves::new();
            MoveHistory::new().score_moves(&position, None, 0, &mut moves);
            UniformPolicy.priors(&position, &mut moves);
            add(&mut moves, &position, part, &mut Draws::of(seed, position.key(), Draws::NOISE));
            moves.iter().map(|scored| scored.prior).collect::<Vec<f32>>()
        };
        for part in [0.25, 1.0] {
            let priors = noisy(part, 1);
            assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(priors.iter().all(|prior| *prior >= (1.0 - part as f32) / 20.0 - 1e-6));
            let greatest = priors.iter().fold(0.0_f32, |most, prior| most.max(*prior));
            assert!(greatest > 1.5 / 20.0, "{priors:?}");
            assert!(priors == noisy(part, 1) && priors != noisy(part, 2));
        }
    }

    #[test]
    fn a_move_has_the_same_noise_among_few_moves_as_among_all() {
        let position = Position::start();
        let [one, other] = ["e2e4", "g1f3"].map(|text| position.parse_uci(text).unwrap());
        let ratio = |among: &[Move]| {
            let mut moves = ScoredMoves::new();
            list_with_priors(&UniformPolicy, &MoveHistory::new(), &position, among, &mut moves);
            add(&mut moves, &position, 1.0, &mut Draws::of(1, position.key(), Draws::NOISE));
            let prior = |mv| moves.iter().find(|scored| scored.mv == mv).unwrap().prior;
            prior(one) / prior(other)
        };
        let (all, few) = (ratio(&[]), ratio(&[other, one]));
        assert!((all / few - 1.0).abs() < 1e-4, "{all} {few}");
    }
}
