//! What the messages of an iteration of TD-Leaf take, in microseconds: the median of many, between the ranks of one `mpirun`.
//!
//!     mpirun -n 2 target/release/examples/latency

use learn::run::ranks::Ranks;
use learn::run::team::Team;
use mpi_ranks::{MpiRanks, library};
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

/// How often each message is sent.
const TIMES: usize = 301;
/// Bytes of a gradient, or of the weights, of a network without piece placement, and of the shipped one.
const GRADIENTS: [usize; 2] = [92 << 10, 1662 << 10];
/// Bytes of the episodes of an iteration of 64 rollouts.
const EPISODES: usize = 70 << 10;

fn main() {
    let ranks: Arc<dyn Ranks> = match MpiRanks::begin(None) {
        Ok(ranks) => Arc::new(ranks),
        Err(error) => return eprintln!("latency: {error}"),
    };
    let team = Team::new(ranks.clone(), None);
    let [small, large] = GRADIENTS;
    // A rank that has done half of the shards sends one gradient.
    let gradient = |length| {
        let mut bytes = Vec::with_capacity(length + 1);
        bytes.resize(if team.is_first() { 0 } else { length }, 1);
        drop(team.gather(bytes));
    };
    let parameters = RefCell::new(vec![3; large]);
    let weights = |length: usize| team.broadcast_into(&mut parameters.borrow_mut()[..length]);
    let messages: [(&str, &dyn Fn()); 7] = [
        ("a command", &|| drop(team.broadcast(vec![0; 16]))),
        ("the next number", &|| _ = team.take()),
        ("all episodes", &|| drop(team.gather_all(vec![2; EPISODES / team.size()]))),
        ("gradient of 92 KB to rank 0", &|| gradient(small)),
        ("weights of 92 KB to all", &|| weights(small)),
        ("gradient of 1.7 MB to rank 0", &|| gradient(large)),
        ("weights of 1.7 MB to all", &|| weights(large)),
    ];
    for (name, send) in messages {
        let mut times: Vec<f64> = (0..TIMES)
            .map(|_| {
                let begun = Instant::now();
                send();
                begun.elapsed().as_secs_f64() * 1e6
            })
            .collect();
        times.sort_by(f64::total_cmp);
        if team.is_first() {
            println!("{}, {} ranks, {name}: {:.0} us", library(), team.size(), times[TIMES / 2]);
        }
    }
    ranks.leave();
}
