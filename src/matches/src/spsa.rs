//! Simultaneous perturbation stochastic approximation: all parameters move at once, by the score of one mini-match between
//! two players whose parameters differ by a random sign times a step each.
//!
//! ```text
//! c_k = step (N / k)^gamma                          the perturbation, which ends at the step
//! r_k = rate ((A + N) / (A + k))^alpha (k / N)^(2 gamma)
//! plus, minus = values +- signs c_k                 values += r_k c_k signs (wins - losses of plus)
//! ```
//! for iterations k from 1 to N, with alpha = 0.602, gamma = 0.101 and A = N / 10.
//!
//! CITE: Spall 1998, Implementation of the Simultaneous Perturbation Algorithm for Stochastic Optimization, IEEE Transactions
//! on Aerospace and Electronic Systems 34(3); the form of the gains is that of Stockfish's fishtest, whose usual rate is 0.002.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
/// The part of all iterations in which the gain hardly falls.
const STABILITY: f64 = 0.1;

/// A number that is tuned.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The engine's option.
    pub name: String,
    /// Where it begins.
    pub start: f64,
    /// The least and the greatest value.
    pub range: (f64, f64),
    /// The last perturbation: about what changes the strength by a few Elo.
    pub step: f64,
    /// Whether players get whole numbers.
    pub is_whole: bool,
}

impl Parameter {
    /// As a player gets it.
    pub fn text(&self, value: f64) -> String {
        if self.is_whole { format!("{}", value.round() as i64) } else { format!("{value:.6}") }
    }

    fn clamped(&self, value: f64) -> f64 {
        value.clamp(self.range.0, self.range.1)
    }
}

/// The result of an iteration's games, from the side of the first player.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct MiniMatch {
    /// Games won by the player with the added steps.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost by it.
    pub losses: u64,
}

/// The state of the approximation: a function of the parameters, the seed and the results so far.
#[derive(Debug, Clone)]
pub struct Spsa {
    parameters: Vec<Parameter>,
    iterations: u64,
    rate: f64,
    seed: u64,
    /// Iterations whose results are in the values.
    done: u64,
    values: Vec<f64>,
}

impl Spsa {
    /// The start of so many iterations, at least 1.
    pub fn new(parameters: Vec<Parameter>, iterations: u64, rate: f64, seed: u64) -> Self {
        let values = parameters.iter().map(|parameter| parameter.start).collect();
        Self { parameters, iterations, rate, seed, done: 0, values }
    }

    /// What is tuned.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// How many iterations there are.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// How many results have been taken.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// The present values, `(parameter)`.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The values of the next mini-match's players, `([plus, minus], parameter)`.
    pub fn players(&self) -> [Vec<f64>; 2] {
        let player = |sign: f64| {
            let moved = self.steps().zip(&self.parameters).zip(&self.values);
            moved.map(|((step, parameter), value)| parameter.clamped(value + sign * step)).collect()
        };
        [player(1.0), player(-1.0)]
    }

    /// Moves the values by the result of the mini-match of [`players`](Self::players).
    pub fn take(&mut self, result: MiniMatch) {
        let (k, all) = ((self.done + 1) as f64, self.iterations as f64);
        let stability = STABILITY * all;
        let gain = self.rate * ((stability + all) / (stability + k)).powf(ALPHA) * (k / all).powf(2.0 * GAMMA);
        let score = result.wins as f64 - result.losses as f64;
        let steps: Vec<f64> = self.steps().collect();
        for ((value, parameter), step) in self.values.iter_mut().zip(&self.parameters).zip(steps) {
            *value = parameter.clamped(*value + gain * step * score);
        }
        self.done += 1;
    }

    /// The next perturbation with its signs, `(parameter)`.
    fn steps(&self) -> impl Iterator<Item = f64> {
        let growth = (self.iterations as f64 / (self.done + 1) as f64).powf(GAMMA);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed.rotate_left(32) ^ self.done);
        self.parameters.iter().map(move |parameter| {
            let size = parameter.step * growth;
            if random.random_bool(0.5) { size } else { -size }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(start: f64, step: f64) -> Parameter {
        Parameter { name: "x".to_owned(), start, range: (-10.0, 10.0), step, is_whole: false }
    }

    /// Games of two players whose strength falls with the squared distance from (2, -3), 4 Elo for a step of 1.
    fn play(spsa: &Spsa, games: u64, random: &mut Xoshiro256PlusPlus) -> MiniMatch {
        let elo = |values: &[f64]| -4.0 * ((values[0] - 2.0).powi(2) + (values[1] + 3.0).powi(2));
        let [plus, minus] = spsa.players().map(|values| elo(&values));
        let expected = 1.0 / (1.0 + 10f64.powf((minus - plus) / 400.0));
        let wins = (0..games).filter(|_| random.random_bool(expected)).count() as u64;
        MiniMatch { wins, draws: 0, losses: games - wins }
    }

    #[test]
    fn noisy_games_lead_to_the_strongest_values() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut spsa = Spsa::new(vec![parameter(-2.0, 0.8), parameter(1.0, 0.8)], 4_000, 0.004, 1);
        while spsa.done() < spsa.iterations() {
            let result = play(&spsa, 8, &mut random);
            spsa.take(result);
        }
        let [x, y] = spsa.values() else { panic!("two values") };
        assert!((x - 2.0).abs() < 0.7 && (y + 3.0).abs() < 0.7, "{x} {y}");
    }

    #[test]
    fn values_follow_the_gains_of_the_paper() {
        let mut spsa = Spsa::new(vec![parameter(0.0, 0.5)], 10, 0.002, 1);
        for k in 1..=10 {
            let [plus, minus] = spsa.players();
            let (before, step) = ((plus[0] + minus[0]) / 2.0, (plus[0] - minus[0]) / 2.0);
            assert!((step.abs() - 0.5 * (10.0 / f64::from(k)).powf(0.101)).abs() < 1e-12);
            let draws = MiniMatch { draws: 3, ..MiniMatch::default() };
            let mut unmoved = spsa.clone();
            unmoved.take(draws);
            assert_eq!(unmoved.values(), spsa.values());
            spsa.take(MiniMatch { wins: 5, draws: 1, losses: 2 });
            let gain = 0.002 * (11.0 / (1.0 + f64::from(k))).powf(0.602) * (f64::from(k) / 10.0).powf(0.202);
            assert!((spsa.values()[0] - before - 3.0 * gain * step).abs() < 1e-12);
        }
    }

    #[test]
    fn values_and_players_stay_in_the_range() {
        let narrow = Parameter { range: (0.0, 1.0), ..parameter(1.0, 0.5) };
        let mut spsa = Spsa::new(vec![narrow], 50, 10.0, 3);
        for k in 0..50 {
            assert!(spsa.players().iter().flatten().chain(spsa.values()).all(|value| (0.0..=1.0).contains(value)));
            let result = MiniMatch { wins: k % 3, draws: 0, losses: k % 2 };
            spsa.take(result);
        }
    }

    #[test]
    fn a_number_is_written_as_the_engine_takes_it() {
        let whole = Parameter { is_whole: true, ..parameter(0.0, 1.0) };
        assert_eq!((whole.text(2.5001), whole.text(-0.2)), ("3".to_owned(), "0".to_owned()));
        assert_eq!(parameter(0.0, 1.0).text(0.1), "0.100000");
    }

    #[test]
    fn signs_are_as_often_plus_as_minus_and_depend_on_the_seed_and_the_iteration() {
        // The signs of two parameters in the first 64 iterations of 16 seeds.
        let signs = |seed: u64| {
            let mut spsa = Spsa::new(vec![parameter(0.0, 1.0), parameter(0.0, 1.0)], 64, 0.0, seed);
            let mut signs = Vec::new();
            while spsa.done() < 64 {
                signs.extend(spsa.players()[0].iter().map(|value| *value > 0.0));
                spsa.take(MiniMatch::default());
            }
            signs
        };
        let all: Vec<Vec<bool>> = (0..16).map(signs).collect();
        let plus = all.iter().flatten().filter(|plus| **plus).count();
        // 2,048 coins: half of them is 1,024 ± 22.6.
        assert!((956..=1_092).contains(&plus), "{plus}");
        let same = |one: &[bool], other: &[bool]| one.iter().zip(other).filter(|(one, other)| one == other).count();
        for (number, signs) in all.iter().enumerate() {
            // From seed to seed, from one iteration to the next, and from one parameter to the other: 128 or 64 coins.
            let next = &all[(number + 1) % 16];
            assert!((32..=96).contains(&same(signs, next)), "seed {number}");
            assert!((32..=96).contains(&same(signs, &signs[2..])), "seed {number}");
            let both = signs.chunks(2).filter(|pair| pair[0] == pair[1]).count();
            assert!((12..=52).contains(&both), "seed {number}: {both}");
        }
    }
}
