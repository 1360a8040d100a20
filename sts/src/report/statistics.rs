//! Mean and spread of a sample, and two tests whether paired differences are zero.

/// Mean and spread of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The mean; 0 for an empty sample.
    pub mean: f64,
    /// The sample's standard deviation (divisor n − 1); `None` for fewer than two values.
    pub deviation: Option<f64>,
    /// The mean's standard error, the deviation over √n.
    pub error: Option<f64>,
}

impl Spread {
    /// Of `values`, in their own unit.
    pub fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / count };
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt());
        Self { mean, deviation, error: deviation.map(|deviation| deviation / count.sqrt()) }
    }

    /// The z value of the mean, and its two-sided p value if the true mean is zero (normal approximation). `None` for fewer
    /// than two values, or if all are equal.
    pub fn z_test(&self) -> Option<(f64, f64)> {
        let z = self.mean / self.error.filter(|&error| error > 0.0)?;
        Some((z, libm::erfc(z.abs() / std::f64::consts::SQRT_2)))
    }
}

/// The p value of the exact two-sided sign test: the probability of a split at least as uneven as `gains` to `losses` if
/// both are equally likely. The caller leaves out ties.
pub fn sign_test(gains: usize, losses: usize) -> f64 {
    let (count, fewer) = ((gains + losses) as f64, gains.min(losses));
    // Logarithms, because 2^-n underflows an f64 before n = 1500.
    let ln_probability = |k: f64| {
        libm::lgamma(count + 1.0)
            - libm::lgamma(k + 1.0)
            - libm::lgamma(count - k + 1.0)
            - count * std::f64::consts::LN_2
    };
    (2.0 * (0..=fewer).map(|k| ln_probability(k as f64).exp()).sum::<f64>()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-6, "{a} is not {b}");
    }

    #[test]
    fn spread_by_hand() {
        // Mean 5; squares 9+1+1+1+0+0+4+16 = 32; 32/7.
        let spread = Spread::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        close(spread.mean, 5.0);
        close(spread.deviation.unwrap(), (32.0f64 / 7.0).sqrt());
        close(spread.error.unwrap(), (32.0f64 / 56.0).sqrt());
    }

    #[test]
    fn too_few_values_have_no_spread() {
        assert_eq!(Spread::of(&[]), Spread { mean: 0.0, deviation: None, error: None });
        assert_eq!(Spread::of(&[3.0]), Spread { mean: 3.0, deviation: None, error: None });
        assert_eq!(Spread::of(&[3.0, 3.0]).z_test(), None);
    }

    #[test]
    fn z_by_hand() {
        // Mean 1, deviation √2, error 1: z = 1, and 31.73 % of a normal sample lies beyond one standard deviation.
        let (z, p) = Spread::of(&[0.0, 2.0]).z_test().unwrap();
        close(z, 1.0);
        close(p, 0.317_310_507_862_914);
        close(Spread::of(&[0.0, -2.0]).z_test().unwrap().1, p);
    }

    #[test]
    fn sign_test_by_hand() {
        close(sign_test(0, 0), 1.0);
        close(sign_test(3, 3), 1.0);
        // Five of five: 2 / 32. Eight of ten: 2 (1 + 10 + 45) / 1024.
        close(sign_test(5, 0), 0.0625);
        close(sign_test(2, 8), 0.109_375);
        close(sign_test(8, 2), 0.109_375);
        assert!((0.0..1e-300).contains(&sign_test(1500, 0)));
        close(sign_test(750, 750), 1.0);
    }
}
