//! The Bradley-Terry model: how likely results are under given strengths, and the strengths that make them likeliest.
//!
//! With `P_ij = 1 / (1 + exp(r_j - r_i))` the strengths `r` maximize
//!
//! ```text
//! Σ over pairings: s_ij ln P_ij + s_ji ln P_ji,   s_ij = points of i against j, a draw being half a point
//! ```
//!
//! which is concave, so Newton's steps with halving find it. It has a finite maximum only if every player can be
//! reached from every other along "scored against" (Ford's condition). Otherwise all players get
//! a weak prior: one drawn game against a player of strength 0.
//!
//! The covariance is the inverse of the Fisher information `Σ N_ij P_ij P_ji`. It takes a game's variance as `P (1
//! - P)` and ignores draws and pairs; it is therefore scaled by the dispersion measured over all pairings: the squared
//! deviations of `score.rs` over the expected ones. For two players this is the delta method's error of
//! `elo.rs`. With the prior the scale is 1.
// CITE: R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs I", Biometrika 39, 1952; L. R. Ford,
// "Solution of a ranking problem from binary comparisons", American Mathematical Monthly 64(8), 1957 (when a maximum
// exists); R. W. M. Wedderburn, "Quasi-likelihood functions", Biometrika 61, 1974 (the dispersion).

use super::score::MatchScore;

/// The most Newton steps; ten are enough.
const MOST_STEPS: usize = 100;

/// All games of one pairing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pairing {
    /// The index of the player whose score it is.
    pub first: usize,
    /// The opponent's index.
    pub second: usize,
    /// The first player's score.
    pub score: MatchScore,
}

/// The likeliest strengths.
#[derive(Debug, Clone)]
pub struct Fit {
    /// One a player, in natural units (173.7 Elo each). Without the prior only differences mean anything.
    pub strengths: Vec<f64>,
    /// (players, players), in squared natural units. Without the prior only variances of differences mean anything.
    pub covariance: Vec<Vec<f64>>,
    /// Whether the prior was needed.
    pub prior: bool,
}

impl Fit {
    /// The likeliest strengths of `count` players. Pairings name players below `count`, and no player against itself.
    pub fn of(count: usize, pairings: &[Pairing]) -> Self {
        let prior = !has_maximum(count, pairings);
        let model = Model { count, pairings, prior };
        let strengths = model.maximize();
        let mut covariance = inverse(model.information(&strengths));
        let dispersion = if prior { 1.0 } else { model.dispersion(&strengths) };
        covariance.iter_mut().flatten().for_each(|entry| *entry *= dispersion);
        Fit { strengths, covariance, prior }
    }

    /// The standard deviation of a weighted sum of strengths, the weights adding up to 0.
    pub fn deviation(&self, weight: impl Fn(usize) -> f64) -> f64 {
        let along = |row: &Vec<f64>| row.iter().enumerate().map(|(j, entry)| entry * weight(j)).sum::<f64>();
        let variance: f64 = self.covariance.iter().enumerate().map(|(i, row)| weight(i) * along(row)).sum();
        variance.max(0.0).sqrt()
    }
}

/// Ford's condition: along "scored against", every player is reached from the first, and the first from every player.
fn has_maximum(count: usize, pairings: &[Pairing]) -> bool {
    let mut scored = Vec::new();
    for pairing in pairings {
        let total = pairing.score.total();
        if total.points() > 0.0 {
            scored.push((pairing.first, pairing.second));
        }
        if total.reversed().points() > 0.0 {
            scored.push((pairing.second, pairing.first));
        }
    }
    let conceded: Vec<_> = scored.iter().map(|&(winner, loser)| (loser, winner)).collect();
    reaches_all(count, &scored) && reaches_all(count, &conceded)
}

/// Whether the edges lead from player 0 to all others.
fn reaches_all(count: usize, edges: &[(usize, usize)]) -> bool {
    let mut reached = vec![false; count];
    let mut open = vec![0];
    while let Some(player) = open.pop() {
        if player < count && !std::mem::replace(&mut reached[player], true) {
            open.extend(edges.iter().filter(|edge| edge.0 == player).map(|edge| edge.1));
        }
    }
    reached.iter().all(|&reached| reached)
}

/// The likelihood as a function of the ratings in natural units.
struct Model<'a> {
    count: usize,
    pairings: &'a [Pairing],
    prior: bool,
}

impl Model<'_> {
    /// Calls `f` with each pairing's players, games, the first one's points and their difference of rating.
    fn each(&self, strengths: &[f64], mut f: impl FnMut(&Pairing, f64, f64, f64)) {
        for pairing in self.pairings {
            let total = pairing.score.total();
            f(pairing, total.games() as f64, total.points(), strengths[pairing.first] - strengths[pairing.second]);
        }
    }

    fn log_likelihood(&self, strengths: &[f64]) -> f64 {
        let mut sum = 0.0;
        self.each(strengths, |_, games, points, d| sum -= points * softplus(-d) + (games - points) * softplus(d));
        if self.prior {
            sum -= strengths.iter().map(|&r| 0.5 * (softplus(-r) + softplus(r))).sum::<f64>();
        }
        sum
    }

    fn gradient(&self, strengths: &[f64]) -> Vec<f64> {
        let mut gradient = vec![0.0; self.count];
        self.each(strengths, |pairing, games, points, d| {
            let surplus = points - games * logistic(d);
            gradient[pairing.first] += surplus;
            gradient[pairing.second] -= surplus;
        });
        if self.prior {
            gradient.iter_mut().zip(strengths).for_each(|(gradient, &r)| *gradient += 0.5 - logistic(r));
        }
        gradient
    }

    /// The Fisher information (count, count). Without the prior, games do not determine the common level; a term for it
    /// is added, which does not change any difference.
    fn information(&self, strengths: &[f64]) -> Vec<Vec<f64>> {
        let level = if self.prior { 0.0 } else { 1.0 };
        let mut information = vec![vec![level; self.count]; self.count];
        self.each(strengths, |pairing, games, _, d| {
            let (i, j) = (pairing.first, pairing.second);
            let part = games * logistic(d) * logistic(-d);
            information[i][i] += part;
            information[j][j] += part;
            information[i][j] -= part;
            information[j][i] -= part;
        });
        if self.prior {
            (0..self.count).for_each(|i| information[i][i] += logistic(strengths[i]) * logistic(-strengths[i]));
        }
        information
    }

    /// Squared deviations of pairs and games from what the ratings expect, over those of independent games without
    /// draws; at least those of one drawn-out pair (`elo.rs`).
    fn dispersion(&self, strengths: &[f64]) -> f64 {
        let (mut seen, mut expected) = (0.0, 0.0);
        self.each(strengths, |pairing, games, _, d| {
            seen += pairing.score.squared_deviations(logistic(d));
            expected += games * logistic(d) * logistic(-d);
        });
        if expected > 0.0 { f64::max(seen, 1.0) / expected } else { 1.0 }
    }

    /// The likeliest ratings by Newton's steps, halved while they lower the likelihood.
    fn maximize(&self) -> Vec<f64> {
        let mut strengths = vec![0.0; self.count];
        let mut value = self.log_likelihood(&strengths);
        for _ in 0..MOST_STEPS {
            let gradient = self.gradient(&strengths);
            let covariance = inverse(self.information(&strengths));
            let dot = |row: &Vec<f64>| row.iter().zip(&gradient).map(|(entry, slope)| entry * slope).sum();
            let step: Vec<f64> = covariance.iter().map(dot).collect();
            // At the top, rounding hides the gain.
            let enough = value - 1e-12 * value.abs();
            let mut length = 1.0;
            (strengths, value) = loop {
                let next: Vec<f64> = strengths.iter().zip(&step).map(|(r, step)| r + length * step).collect();
                let reached = self.log_likelihood(&next);
                if reached >= enough || length < 1e-9 {
                    break (next, reached);
                }
                length /= 2.0;
            };
            if step.iter().all(|step| step.abs() < 1e-12) {
                break;
            }
        }
        strengths
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// `ln(1 + e^x)` without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// The inverse of a positive definite matrix (n, n), by Gauss-Jordan elimination, which needs no pivoting for such.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for pivot in 0..matrix.len() {
        let mut row = std::mem::take(&mut matrix[pivot]);
        let scale = 1.0 / std::mem::replace(&mut row[pivot], 1.0);
        row.iter_mut().for_each(|entry| *entry *= scale);
        for other in matrix.iter_mut().filter(|other| !other.is_empty()) {
            let factor = std::mem::replace(&mut other[pivot], 0.0);
            other.iter_mut().zip(&row).for_each(|(entry, part)| *entry -= factor * part);
        }
        matrix[pivot] = row;
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Points;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn the_likeliest_strengths_are_found_however_uneven_the_players() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..300 {
            let count = random.random_range(2..6);
            let mut pairings = Vec::new();
            for second in 1..count {
                let first = random.random_range(0..second);
                let mut score = MatchScore::default();
                let games = 10_u32.pow(random.random_range(0..5));
                let won = random.random_range(0..2) == 0;
                (0..games).for_each(|_| score.add_unpaired(if won { Points::Win } else { Points::Loss }));
                score.add_unpaired(if won { Points::Loss } else { Points::Win });
                pairings.push(Pairing { first, second, score });
            }
            let fit = Fit::of(count, &pairings);
            let model = Model { count, pairings: &pairings, prior: fit.prior };
            let games: f64 = pairings.iter().map(|pairing| pairing.score.games() as f64).sum();
            for slope in model.gradient(&fit.strengths) {
                assert!(slope.abs() < 1e-9 * games, "{slope} {pairings:?} {fit:?}");
            }
        }
    }

    fn near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (one, other) in found.iter().zip(expected) {
            assert!((one - other).abs() < 1e-12, "{found:?} is not {expected:?}");
        }
    }

    #[test]
    fn the_model_of_three_players_by_an_independent_calculation() {
        use Points::{Draw, Loss, Win};
        let (mut one, mut other) = (MatchScore::default(), MatchScore::default());
        one.add_pair(Win, Draw);
        one.add_pair(Loss, Win);
        one.add_unpaired(Loss);
        other.add_pair(Draw, Draw);
        other.add_unpaired(Win);
        let pairings = [Pairing { first: 0, second: 1, score: one }, Pairing { first: 2, second: 1, score: other }];
        let strengths = [0.4, -0.3, 0.1];
        let [free, bound] = [false, true].map(|prior| Model { count: 3, pairings: &pairings, prior });
        // 2.5 of 5 points at a difference of 0.7 and 2 of 3 at 0.4; the prior adds half a point of one at each
        // strength.
        near(&[free.log_likelihood(&strengths)], &[-5.704_976_001_627_148]);
        near(&[bound.log_likelihood(&strengths)], &[-7.816_743_158_569_198]);
        near(&free.gradient(&strengths), &[-0.840_938_860_840_831, 0.637_001_841_178_187, 0.203_937_019_662_644]);
        near(&bound.gradient(&strengths), &[-0.939_626_520_953_283, 0.711_444_357_989_846, 0.178_957_832_183_704]);
        let (games, others) = (1.108_564_366_465_545, 0.720_782_237_224_587);
        let prior = [0.240_260_745_741_529, 0.244_458_311_690_746, 0.249_376_040_192_892];
        let expected = [[games, -games, 0.0], [-games, games + others, -others], [0.0, -others, others]];
        let [of_free, of_bound] = [&free, &bound].map(|model| model.information(&strengths));
        for i in 0..3 {
            near(&of_free[i], &expected[i].map(|entry| entry + 1.0));
            let mut row = expected[i];
            row[i] += prior[i];
            near(&of_bound[i], &row);
        }
        // The squares seen, 0.786, count as those of a pair: 1 of 1.829 expected.
        near(&[free.dispersion(&strengths)], &[0.546_643_264_859_056]);
        assert_eq!(Model { count: 3, pairings: &[], prior: true }.dispersion(&strengths), 1.0);
    }

    #[test]
    fn a_matrix_and_large_numbers_by_hand() {
        let of = inverse(vec![vec![2.0, -1.0, 0.0], vec![-1.0, 2.0, -1.0], vec![0.0, -1.0, 2.0]]);
        for (row, expected) in of.iter().zip([[0.75, 0.5, 0.25], [0.5, 1.0, 0.5], [0.25, 0.5, 0.75]]) {
            near(row, &expected);
        }
        // (1, -1, 0) of it: 0.75 + 1 - 2 * 0.5 = 0.75; (1, 0, -1): 0.75 + 0.75 - 2 * 0.25 = 1.
        let fit = Fit { strengths: vec![0.0; 3], covariance: of, prior: false };
        near(&[fit.deviation(|i| [1.0, -1.0, 0.0][i]), fit.deviation(|i| [1.0, 0.0, -1.0][i])], &[0.75f64.sqrt(), 1.0]);
        near(&[softplus(1_000.0), softplus(-1_000.0), softplus(0.0)], &[1_000.0, 0.0, std::f64::consts::LN_2]);
        near(&[logistic(3f64.ln()), logistic(-1_000.0), logistic(1_000.0)], &[0.75, 0.0, 1.0]);
    }

    #[test]
    fn a_maximum_needs_both_ways_between_all_players() {
        use Points::{Draw, Loss, Win};
        let result = |first, second, points| {
            let mut score = MatchScore::default();
            score.add_unpaired(points);
            Pairing { first, second, score }
        };
        assert!(has_maximum(2, &[result(0, 1, Draw)]));
        assert!(has_maximum(3, &[result(0, 1, Win), result(2, 1, Loss), result(0, 2, Loss)]));
        for pairings in [
            vec![result(0, 1, Win)],
            vec![result(0, 1, Loss)],
            // Nobody scored against the first, or the first against nobody.
            vec![result(0, 1, Win), result(1, 2, Draw)],
            vec![result(0, 1, Loss), result(1, 2, Draw)],
            // A player that nobody met.
            vec![result(0, 1, Draw)],
        ] {
            assert!(!has_maximum(3, &pairings), "{pairings:?}");
        }
        // The dispersion scales the covariance: one drawn pair, expected squares 2 / 4, seen at least 1. A difference
        // has the variance 2 * 1 / (2 / 4) = 4.
        let mut score = MatchScore::default();
        score.add_pair(Draw, Draw);
        let fit = Fit::of(2, &[Pairing { first: 0, second: 1, score }]);
        near(&[fit.deviation(|i| [1.0, -1.0][i])], &[2.0]);
        // With the prior it does not: a drawn game against an unknown player has the information 1/4.
        let fit = Fit::of(2, &[]);
        assert!(fit.prior);
        near(&[fit.covariance[0][0], fit.covariance[0][1]], &[4.0, 0.0]);
    }
}
