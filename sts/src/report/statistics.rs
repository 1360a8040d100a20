//! The little statistics that a scorer needs: mean and spread, a straight line by least squares, and two tests of
//! whether paired differences are zero.

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

    /// The mean in standard errors, and the two-sided chance of one so far from zero if the true mean is zero (normal
    /// approximation). `None` without a spread: for fewer than two values, or if all are equal.
    pub fn z_test(&self) -> Option<(f64, f64)> {
        let z = self.mean / self.error.filter(|&error| error > 0.0)?;
        Some((z, libm::erfc(z.abs() / std::f64::consts::SQRT_2)))
    }
}

/// The exact two-sided sign test: the chance, if gains and losses are equally likely, of a split at least as uneven as
/// `gains` to `losses`. Ties are left out beforehand.
pub fn sign_test(gains: usize, losses: usize) -> f64 {
    let (count, fewer) = ((gains + losses) as f64, gains.min(losses));
    // Logarithms, since 2^-n vanishes in an f64 long before n = 1500.
    let ln_chance = |k: f64| {
        libm::lgamma(count + 1.0)
            - libm::lgamma(k + 1.0)
            - libm::lgamma(count - k + 1.0)
            - count * std::f64::consts::LN_2
    };
    (2.0 * (0..=fewer).map(|k| ln_chance(k as f64).exp()).sum::<f64>()).min(1.0)
}

/// The straight line y = intercept + slope x with the least sum of squared vertical distances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// y at x = 0.
    pub intercept: f64,
    /// Change of y for a unit of x.
    pub slope: f64,
    /// The residual standard error, √(Σ r² / (n − 2)), in units of y.
    pub residual_error: f64,
    count: f64,
    mean_x: f64,
    squares_x: f64,
}

impl Line {
    /// Through `points` (x, y), of which there must be three or more that do not all have one x.
    pub fn fit(points: &[(f64, f64)]) -> Self {
        debug_assert!(points.len() > 2);
        let count = points.len() as f64;
        let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
        let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
        let squares_x: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
        let slope = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / squares_x;
        let intercept = mean_y - slope * mean_x;
        let squares: f64 = points.iter().map(|(x, y)| (y - intercept - slope * x).powi(2)).sum();
        Self { intercept, slope, residual_error: (squares / (count - 2.0)).sqrt(), count, mean_x, squares_x }
    }

    /// y on the line.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }

    /// The standard error of one new y at `x`: the residual error and the line's own uncertainty there,
    /// s √(1 + 1/n + (x − mean)² / Σ(xᵢ − mean)²).
    pub fn prediction_error(&self, x: f64) -> f64 {
        self.residual_error * (1.0 + 1.0 / self.count + (x - self.mean_x).powi(2) / self.squares_x).sqrt()
    }
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

    #[test]
    fn line_by_hand() {
        // Slope 1.5 through the means (1, 2); residuals 0.5, −1, 0.5, so s = √1.5.
        let line = Line::fit(&[(0.0, 1.0), (1.0, 1.0), (2.0, 4.0)]);
        close(line.slope, 1.5);
        close(line.intercept, 0.5);
        close(line.residual_error, 1.5f64.sqrt());
        close(line.at(3.0), 5.0);
        // s √(1 + 1/3 + 4/2).
        close(line.prediction_error(3.0), (1.5f64 * (10.0 / 3.0)).sqrt());
    }
}
