//! Win, draw and loss of a position from two numbers: the expected score and how drawn the position is.
//!
//! The margin of a game is taken for logistic with location `alpha` and scale `1 / beta`: won above +1, lost below -1, drawn
//! between. With `u = beta alpha` and `s` the logistic function
//!
//! ```text
//! W = s(u - beta)       L = s(-u - beta)       D = 1 - W - L
//! E = W - L = sinh u / (cosh u + cosh beta)    q = D at u = 0 = tanh(beta / 2)
//! D(E, q) = 2 q (1 - E^2) / (1 + q^2 + R)      R = sqrt((1 - q^2)^2 + 4 q^2 E^2)
//! W = (1 + E - D) / 2                          L = (1 - E - D) / 2
//! ```
//! A draw that is worth `x` in [-1, 1] to the side to move, instead of 0, makes the utility `E + x D`.
//!
//! CITE: Morandin et al. 2019, SAI, section 2: the winrate `s(beta (alpha + x))` as a function of the komi `x`, which here is the
//! worth of a draw. The same family is Lc0's WDL rescale and Stockfish's win rate model.

use std::fmt;

/// The chance of a draw in an even position where nothing else is known, tanh(1/2): that of networks without a second output
/// (`engine` asserts that they agree).
pub const DEFAULT_DRAW: f64 = 0.462_117_157_260_009_76;

/// Win, draw and loss in per mille; they sum to 1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wdl {
    /// Wins of the side to move.
    pub win: u32,
    /// Draws.
    pub draw: u32,
    /// Losses of the side to move.
    pub loss: u32,
}

impl Wdl {
    /// Those of an expected score, -1 to 1, and a chance of a draw, which gives way where they contradict each other.
    pub fn of_score(expected: f64, draw: f64) -> Self {
        let draw = draw.clamp(0.0, 1.0 - expected.abs().min(1.0));
        let mille = |chance: f64| (1000.0 * chance).round().clamp(0.0, 1000.0) as u32;
        let win = mille(0.5 * (1.0 + expected - draw));
        let loss = mille(0.5 * (1.0 - expected - draw)).min(1000 - win);
        Self { win, draw: 1000 - win - loss, loss }
    }
}

impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.win, self.draw, self.loss)
    }
}

/// The chances of a position, for its side to move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chances {
    /// The expected score `E`, from -1 to 1: wins less losses.
    pub expected: f64,
    /// How drawn the position is: `q`, in (0, 1), the chance of a draw were it even.
    pub drawn: f64,
}

impl Chances {
    /// The chances of a network's outputs: the logit of its value, how drawn it says the position is (`o`), and its `kappa`.
    pub fn of_outputs(logit: f32, drawn: f32, kappa: f32) -> Self {
        Self { expected: libm::tanh(f64::from(kappa) * f64::from(logit)), drawn: logistic(f64::from(drawn)) }
    }

    /// The chances of an expected score, -1 to 1, where nothing says how drawn the position is.
    pub fn of_expected(expected: f64) -> Self {
        Self { expected, drawn: DEFAULT_DRAW }
    }

    /// `R` of the module's equations.
    fn root(&self) -> f64 {
        let (square, expected) = (self.drawn * self.drawn, self.expected * self.expected);
        ((1.0 - square) * (1.0 - square) + 4.0 * square * expected).sqrt()
    }

    /// The chance of a draw, `D`.
    pub fn draw(&self) -> f64 {
        2.0 * self.drawn * (1.0 - self.expected * self.expected) / (1.0 + self.drawn * self.drawn + self.root())
    }

    /// The chance to win, `W`.
    pub fn win(&self) -> f64 {
        0.5 * (1.0 + self.expected - self.draw())
    }

    /// The chance to lose, `L`.
    pub fn loss(&self) -> f64 {
        0.5 * (1.0 - self.expected - self.draw())
    }

    /// The derivatives of the chance of a draw in the expected score and in `q`.
    pub fn draw_slopes(&self) -> (f64, f64) {
        let (q, e, r) = (self.drawn, self.expected, self.root());
        (-2.0 * q * e / r, 1.0 + (1.0 - q * q - 2.0 * e * e) / r - self.draw() / q)
    }

    /// The utility, -1 to 1, where a draw is worth `worth` to the side to move.
    pub fn utility(&self, worth: f64) -> f64 {
        self.expected + worth * self.draw()
    }

    /// `alpha` and `beta`: the location of the margin, and its inverse scale.
    pub fn margin(&self) -> (f64, f64) {
        let beta = 2.0 * libm::atanh(self.drawn);
        let (e, c) = (self.expected, libm::cosh(beta));
        let u = libm::log((e * c + (e * e * c * c + 1.0 - e * e).sqrt()) / (1.0 - e));
        (u / beta, beta)
    }

    /// The chances of `alpha` and `beta`, the inverse of [`Chances::margin`].
    pub fn of_margin(alpha: f64, beta: f64) -> Self {
        let u = alpha * beta;
        Self { expected: libm::sinh(u) / (libm::cosh(u) + libm::cosh(beta)), drawn: libm::tanh(0.5 * beta) }
    }

    /// The chances of win, draw and loss in per mille, as a UCI engine reports them. A reported 0 counts as 0.5 per mille.
    pub fn of_wdl(engine_wdl: [u32; 3]) -> Self {
        let sum = f64::from(engine_wdl.iter().sum::<u32>().max(1));
        let [win, _, loss] = engine_wdl.map(|chance| f64::from(chance) / sum);
        let least = 0.0005;
        // At least this much is left for a draw.
        let most = 1.0 - least;
        let (win, loss) = (win.clamp(least, most - least), loss.clamp(least, most - least));
        let scale = (most / (win + loss)).min(1.0);
        let logit = |chance: f64| libm::log(chance / (1.0 - chance));
        let (win, loss) = (logit(scale * win), logit(scale * loss));
        let beta = -0.5 * (win + loss);
        Self::of_margin(0.5 * (win - loss) / beta, beta)
    }

    /// In per mille, the same for the other side with wins and losses exchanged.
    pub fn wdl(&self) -> Wdl {
        Wdl::of_score(self.expected, self.draw())
    }
}

/// 1 / (1 + exp(-x)).
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chances over both parameters.
    fn grid() -> impl Iterator<Item = Chances> {
        let expected = (-19..=19).map(|step| f64::from(step) / 20.0);
        expected.flat_map(|expected| (1..20).map(move |step| Chances { expected, drawn: f64::from(step) / 20.0 }))
    }

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} is not {expected}");
    }

    #[test]
    fn chances_are_those_of_a_logistic_margin() {
        for chances in grid() {
            let (alpha, beta) = chances.margin();
            let u = alpha * beta;
            near(chances.win(), logistic(u - beta), 1e-12);
            near(chances.loss(), logistic(-u - beta), 1e-12);
            near(chances.win() + chances.draw() + chances.loss(), 1.0, 1e-12);
            near(chances.draw(), libm::sinh(beta) / (libm::cosh(u) + libm::cosh(beta)), 1e-12);
            let again = Chances::of_margin(alpha, beta);
            near(again.expected, chances.expected, 1e-12);
            near(again.drawn, chances.drawn, 1e-12);
            // With the worth x of a draw the utility is that of the winrate at x, at both ends of the axis.
            near(chances.utility(-1.0), 2.0 * chances.win() - 1.0, 1e-12);
            near(chances.utility(1.0), 1.0 - 2.0 * chances.loss(), 1e-12);
        }
        near(Chances::of_expected(0.0).draw(), DEFAULT_DRAW, 1e-15);
    }

    #[test]
    fn slopes_agree_with_finite_differences() {
        let h = 1e-5;
        for chances in grid() {
            let draw = |expected, drawn| Chances { expected, drawn }.draw();
            let Chances { expected: e, drawn: q } = chances;
            let (of_expected, of_drawn) = chances.draw_slopes();
            near(of_expected, (draw(e + h, q) - draw(e - h, q)) / (2.0 * h), 1e-6);
            near(of_drawn, (draw(e, q + h) - draw(e, q - h)) / (2.0 * h), 1e-6);
        }
    }

    #[test]
    fn chances_in_per_mille_sum_to_a_thousand_and_mirror() {
        for chances in grid().chain([-1.0, 1.0].map(Chances::of_expected)) {
            let Wdl { win, draw, loss } = chances.wdl();
            assert_eq!(win + draw + loss, 1000);
            let mirrored = Chances { expected: -chances.expected, ..chances }.wdl();
            assert_eq!(mirrored, Wdl { win: loss, draw, loss: win });
        }
        assert_eq!(Chances::of_expected(1.0).wdl(), Wdl { win: 1000, draw: 0, loss: 0 });
    }

    #[test]
    fn the_chances_of_an_engine_are_reproduced() {
        for reported in [[340, 330, 330], [20, 960, 20], [900, 90, 10], [1, 2, 997]] {
            let Wdl { win, draw, loss } = Chances::of_wdl(reported).wdl();
            assert_eq!([win, draw, loss], reported);
        }
        for reported in [[1000, 0, 0], [0, 1000, 0], [500, 0, 500], [0, 0, 1000]] {
            let chances = Chances::of_wdl(reported);
            for (found, reported) in [chances.win(), chances.draw(), chances.loss()].into_iter().zip(reported) {
                near(found, f64::from(reported) / 1000.0, 0.0011);
                assert!(found > 0.0004, "{chances:?}");
            }
        }
    }

    #[test]
    fn outputs_of_networks_are_chances() {
        let even = Chances::of_outputs(0.0, 0.0, 1.7);
        assert_eq!((even.expected, even.drawn), (0.0, 0.5));
        near(Chances::of_outputs(0.5, 1.0, 2.0).expected, libm::tanh(1.0), 1e-12);
        near(Chances::of_outputs(0.5, 1.0, 2.0).drawn, 0.731_058_578_630_004_9, 1e-12);
    }

    #[test]
    fn a_score_and_a_draw_that_contradict_each_other_or_round_up_still_sum_to_a_thousand() {
        for (expected, draw, mille) in [
            (-0.25, 0.5, [125, 500, 375]),
            (0.8, 0.5, [800, 200, 0]),
            (-0.8, 0.5, [0, 200, 800]),
            (1.5, 0.5, [1000, 0, 0]),
            (0.2, -0.5, [600, 0, 400]),
            // 562.5 and 437.5: only one of them is rounded up.
            (0.125, 0.0, [563, 0, 437]),
        ] {
            let Wdl { win, draw, loss } = Wdl::of_score(expected, draw);
            assert_eq!([win, draw, loss], mille, "{expected}");
        }
        assert_eq!(Wdl { win: 125, draw: 500, loss: 375 }.to_string(), "125 500 375");
    }

    #[test]
    fn what_an_engine_calls_impossible_has_half_a_per_mille() {
        for (reported, win, loss) in [
            ([1000, 0, 0], 0.999, 0.0005),
            ([0, 0, 1000], 0.0005, 0.999),
            ([0, 1000, 0], 0.0005, 0.0005),
            ([0, 0, 0], 0.0005, 0.0005),
            ([500, 0, 500], 0.499_75, 0.499_75),
            ([750, 0, 250], 0.749_625, 0.249_875),
        ] {
            let chances = Chances::of_wdl(reported);
            near(chances.win(), win, 1e-9);
            near(chances.loss(), loss, 1e-9);
        }
    }
}
