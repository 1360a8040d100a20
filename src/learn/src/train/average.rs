//! The running mean of the weights (Polyak averaging): AdaDelta's steps do not shrink, so that the weights circle around an
//! optimum, and their mean is nearer to it than any of them.
//!
//! ```text
//! a_t = a_{t-1} + (w_t - a_{t-1}) / min(t, horizon)
//! ```
//! CITE: Polyak and Juditsky 1992, Acceleration of Stochastic Approximation by Averaging; with a horizon, so that
//! the first iterations are forgotten.

use nets::ValueNet;

/// Moves the mean `average` towards `net`, which is that after the `iteration`-th step, from 1; `horizon`
/// is at least 1.
pub fn follow(average: &mut ValueNet, net: &ValueNet, iteration: u64, horizon: u64) {
    follow_weights(average.params_mut().values_mut(), net.params().values(), iteration, horizon);
}

/// The same of any weights.
pub fn follow_weights(average: &mut [f32], weights: &[f32], iteration: u64, horizon: u64) {
    let weight_of_new = 1.0 / iteration.min(horizon) as f32;
    for (mean, weight) in average.iter_mut().zip(weights) {
        *mean += (weight - *mean) * weight_of_new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nets::{NetworkTopology, Params};

    fn net(value: f32) -> ValueNet {
        let mut params = Params::zeros(NetworkTopology::new([1, 1, 1], 1).unwrap());
        params.values_mut().fill(value);
        ValueNet::new(params)
    }

    #[test]
    fn the_plain_mean_at_first_and_then_a_decaying_one() {
        let mut average = net(100.0);
        let means: Vec<f32> = [2.0, 4.0, 9.0, 7.0]
            .iter()
            .zip(1..)
            .map(|(value, iteration)| {
                follow(&mut average, &net(*value), iteration, 3);
                average.params().values()[0]
            })
            .collect();
        // 2; (2 + 4) / 2; (2 + 4 + 9) / 3; 5 + (7 - 5) / 3.
        for (mean, expected) in means.iter().zip([2.0, 3.0, 5.0, 5.0 + 2.0 / 3.0]) {
            assert!((mean - expected).abs() < 1e-5, "{means:?}");
        }
    }
}
