//! The running mean of the weights (Polyak averaging): AdaDelta's steps do not shrink, so that the weights circle around an
//! optimum, and their mean is nearer to it than any of them.
//!
//! ```text
//! a_t = a_{t-1} + (w_t - a_{t-1}) / min(t, horizon)
//! ```
//! CITE: Polyak and Juditsky 1992, Acceleration of Stochastic Approximation by Averaging; with a horizon, so that
//! the first iterations are forgotten.

use nets::{Params, Shape};

/// Moves the mean `average` towards `params`, which are those after the `step`-th step, from 1; `horizon` is at least 1.
pub fn follow<T: Shape>(average: &mut Params<T>, params: &Params<T>, step: u64, horizon: u64) {
    let weight_of_new = 1.0 / step.min(horizon) as f32;
    for (mean, weight) in average.values_mut().iter_mut().zip(params.values()) {
        *mean += (weight - *mean) * weight_of_new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nets::{NetworkTopology, Topology};

    fn params(value: f32) -> Params<Topology> {
        let mut params = Params::zeros(NetworkTopology::new([1, 1, 1], 1).unwrap());
        params.values_mut().fill(value);
        params
    }

    #[test]
    fn the_plain_mean_at_first_and_then_a_decaying_one() {
        let mut average = params(100.0);
        let means: Vec<f32> = [2.0, 4.0, 9.0, 7.0]
            .iter()
            .zip(1..)
            .map(|(value, step)| {
                follow(&mut average, &params(*value), step, 3);
                average.values()[0]
            })
            .collect();
        // 2; (2 + 4) / 2; (2 + 4 + 9) / 3; 5 + (7 - 5) / 3.
        for (mean, expected) in means.iter().zip([2.0, 3.0, 5.0, 5.0 + 2.0 / 3.0]) {
            assert!((mean - expected).abs() < 1e-5, "{means:?}");
        }
    }
}
