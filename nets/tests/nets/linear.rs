//! Linear evaluators: the same values in training and in play, gradients, files.

use board::Position;
use kernels::{Isa, Kernels};
use nets::{
    Layer, LinearTopology, NetFileError, Params, QuantizedValueNet, ROWS, Topology, ValueBatch, ValueBatchWeights,
    ValueNet,
};

/// Positions of a game, all of them with other rows.
fn positions() -> Vec<Position> {
    let mut position = Position::start();
    let line = "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 c1g5 e7e6 f2f4 d8b6 d1d2 b6b2 a1b1 b2a3";
    line.split(' ')
        .map(|mv| {
            position = position.play(position.parse_uci(mv).expect("a legal move"));
            position.clone()
        })
        .chain(
            ["8/5pk1/6p1/7p/7P/3R2P1/r4PK1/8 w - - 0 1", "8/8/4k3/8/8/3QK3/8/8 b - - 0 1"]
                .map(|fen| Position::from_fen(fen).expect("a position")),
        )
        .collect()
}

/// Weights that are all different.
fn linear(stages: usize) -> ValueNet {
    let mut net = ValueNet::material(LinearTopology::new(stages).expect("stages"), [2.5, 1.3, 0.8, 0.8, 0.2]);
    for (number, weight) in net.params_mut().values_mut().iter_mut().enumerate() {
        *weight += 0.01 * ((number * 7_919 % 1_009) as f32 / 1_009.0 - 0.5);
    }
    net
}

fn values(net: &ValueNet, positions: &[Position]) -> (ValueBatch, ValueBatchWeights, Vec<f32>) {
    let kernels = kernels::active().expect("kernels");
    let (mut batch, weights) = (ValueBatch::new(net.params().topology(), kernels), ValueBatchWeights::new(net));
    batch.fill(positions.iter());
    let values = batch.forward(&weights).to_vec();
    (batch, weights, values)
}

#[test]
fn training_and_play_see_the_same_values() {
    for stages in [1, 4] {
        let (net, positions) = (linear(stages), positions());
        let (_, _, values) = values(&net, &positions);
        for kernels in Isa::ALL.into_iter().filter_map(|isa| Kernels::for_isa(isa).ok()) {
            let play = QuantizedValueNet::new(&net, kernels);
            for (position, value) in positions.iter().zip(&values) {
                assert_eq!(play.evaluate(position).to_bits(), value.to_bits());
                assert_eq!(play.logit_along(&mut play.line(position), position), play.logit(position));
            }
        }
    }
}

#[test]
fn gradients_agree_with_finite_differences() {
    let (net, positions) = (linear(4), positions());
    let slopes: Vec<f32> = (0..positions.len()).map(|number| 0.3 + 0.1 * number as f32).collect();
    let loss = |net: &ValueNet| -> f64 {
        values(net, &positions).2.iter().zip(&slopes).map(|(value, slope)| f64::from(value * slope)).sum()
    };
    let (mut batch, weights, _) = values(&net, &positions);
    batch.backward(&weights, &slopes);
    let mut gradient = Params::zeros(*net.params().topology());
    batch.take_gradient(&mut gradient);
    let found = gradient.values();
    let steepest = (0..found.len()).max_by(|a, b| found[*a].abs().total_cmp(&found[*b].abs())).expect("weights");
    let sparse = (0..found.len()).rev().find(|at| found[*at] != 0.0 && *at != steepest).expect("weights");
    for at in [steepest, sparse] {
        let moved = |change: f32| {
            let mut net = net.clone();
            net.params_mut().values_mut()[at] += change;
            loss(&net)
        };
        let expected = (moved(1e-2) - moved(-1e-2)) / 2e-2;
        assert!((f64::from(found[at]) - expected).abs() < 1e-3 * expected.abs() + 1e-4, "{} {expected}", found[at]);
    }
    // Most rows are of no position here.
    assert!(found.iter().filter(|slope| **slope != 0.0).count() < 2_000);
}

#[test]
fn files_keep_them_and_more_stages_begin_alike() {
    let (one, positions) = (linear(1), positions());
    let bytes = nets::file::to_bytes(&one, "a test").expect("written").0;
    let (read, metadata) = nets::file::from_bytes("a.net", &bytes).expect("read");
    assert!(read == one && metadata.topology.to_string() == "13678-1");
    let four = one.widened(LinearTopology::new(4).expect("stages"), 1).expect("grows");
    assert_eq!(four.params().layer(Layer::Linear).0.len(), 4 * ROWS);
    assert_eq!(values(&four, &positions).2, values(&one, &positions).2);
    assert!(four.widened(LinearTopology::new(1).expect("stages"), 1).is_err());
    assert!(one.widened(Topology::THESIS, 1).is_err());
    let short: Result<_, NetFileError> = nets::file::from_bytes("a.net", &bytes[..bytes.len() - 4]);
    assert!(short.is_err());
}
