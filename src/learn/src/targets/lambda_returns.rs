//! TD-Leaf's targets: the lambda-return of each value, from the later values of the same game.
//!
//! ```text
//! d_t = w_{t+s} - w_t        target_t = clamp(w_t + sum over k >= 0 of lambda^k d_{t + k s}, -1, 1)
//! ```
//! with w_t the value of the t-th position in the view of the side that moved first, and s the stride: 1 compares every
//! position with the next, 2 only those with the same side to move.
//!
//! CITE: Lai 2015, Giraffe, section 4.5; Baxter, Tridgell and Weaver 1999, KnightCap, equations 7 and 8, and section 4.1
//! (the rule about blunders). The exponents are those of the thesis' equation. Its Table 2 begins them one move later, and its
//! printed sum of 4.10 is neither: the tests work out both.

/// How temporal differences become targets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LambdaReturns {
    /// The decay of a difference's weight with each stride, [0, 1].
    pub lambda: f32,
    /// Plies between the values that are compared, at least 1.
    pub stride: usize,
}

impl LambdaReturns {
    /// Writes a target for each of `values` (in the first mover's view, [-1, 1]), in the same view.
    ///
    /// Where `ignored(t, d_t)` holds, the difference counts as 0.
    ///
    /// # Panics
    /// If the two slices have different lengths.
    pub fn targets(&self, values: &[f32], ignored: impl Fn(usize, f32) -> bool, targets: &mut [f32]) {
        assert_eq!(values.len(), targets.len(), "every value has a target");
        // Until the end of the loop, targets hold the sums.
        for t in (0..values.len()).rev() {
            targets[t] = match values.get(t + self.stride) {
                None => 0.0,
                Some(later) => {
                    let difference = later - values[t];
                    let counted = if ignored(t, difference) { 0.0 } else { difference };
                    counted + self.lambda * targets[t + self.stride]
                }
            };
        }
        for (target, value) in targets.iter_mut().zip(values) {
            *target = (*target + value).clamp(-1.0, 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thesis Table 2, in hundredths so that nothing is clamped.
    const TABLE_2: [f32; 12] = [0.10, 0.20, 0.20, 0.20, -0.10, -0.10, -0.10, 0.40, 0.40, 0.40, 0.40, 0.40];

    fn sums(lambda: f32, stride: usize, values: &[f32]) -> Vec<f32> {
        let mut targets = vec![0.0; values.len()];
        LambdaReturns { lambda, stride }.targets(values, |_, _| false, &mut targets);
        targets.iter().zip(values).map(|(target, value)| target - value).collect()
    }

    #[test]
    fn the_thesis_table_by_its_equation_and_by_its_exponents() {
        // The equation: 10 - 30 * .7^3 + 50 * .7^6 = 10 - 10.29 + 5.88245 = 5.59245.
        let first = sums(0.7, 1, &TABLE_2)[0];
        assert!((first - 0.055_924_5).abs() < 1e-6, "{first}");
        // The table's exponents, one higher: 7 - 30 * .7^4 + 50 * .7^7 = 7 - 7.203 + 4.117715 = 3.914715. The printed
        // contributions, 7, -7.2 and 4.12, sum to 3.92, not to the printed 4.10.
        assert!((0.7 * first - 0.039_147_15).abs() < 1e-6);
    }

    #[test]
    fn the_last_difference_by_hand() {
        let sums = sums(0.5, 1, &[0.0, 0.2, -0.2, 0.4]);
        // d = .2, -.4, .6; sums from the end: 0, .6, -.4 + .3 = -.1, .2 - .05 = .15.
        for (sum, expected) in sums.iter().zip([0.15, -0.1, 0.6, 0.0]) {
            assert!((sum - expected).abs() < 1e-6, "{sums:?}");
        }
    }

    #[test]
    fn a_stride_of_two_never_mixes_the_sides() {
        let values = [0.1, 0.9, 0.2, -0.7, 0.4];
        // d_0 = .1, d_2 = .2: .1 + .5 * .2 = .2; d_1 = -1.6.
        for (sum, expected) in sums(0.5, 2, &values).iter().zip([0.2, -1.6, 0.2, 0.0, 0.0]) {
            assert!((sum - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn lambda_one_is_the_last_value_and_zero_the_next() {
        let values = [0.1, -0.3, 0.5, 0.2];
        for (sum, value) in sums(1.0, 1, &values).iter().zip(values) {
            assert!((sum + value - 0.2).abs() < 1e-6);
        }
        for (t, sum) in sums(0.0, 1, &values).iter().enumerate().take(3) {
            assert!((sum + values[t] - values[t + 1]).abs() < 1e-6);
        }
    }

    #[test]
    fn targets_stay_within_what_a_value_can_be_and_ignored_differences_do_not_count() {
        let returns = LambdaReturns { lambda: 1.0, stride: 1 };
        let mut targets = [0.0; 3];
        returns.targets(&[-0.9, 0.9, -1.0], |_, _| false, &mut targets);
        assert!(targets.iter().all(|target| (-1.0..=1.0).contains(target)));
        returns.targets(&[0.1, 0.5, 0.3], |_, difference| difference > 0.0, &mut targets);
        for (target, expected) in targets.iter().zip([-0.1, 0.3, 0.3]) {
            assert!((target - expected).abs() < 1e-6, "{targets:?}");
        }
        returns.targets(&[], |_, _| false, &mut []);
    }
}
