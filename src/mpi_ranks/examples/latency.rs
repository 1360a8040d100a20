//! What the messages of an iteration of TD-Leaf take, in microseconds: the median of many, between the ranks of one `mpirun`.
//!
//!     mpirun -n 2 target/release/examples/latency

use learn::run::ranks::Ranks;
use learn::run::team::Team;
use mpi_ranks::{MpiRanks, library};
use std::sync::Arc;
use std::time::Instant;

/// How often each message is sent.
const TIMES: usize = 301;
/// Bytes of a gradient of the thesis' network.
const GRADIENT: usize = 92 << 10;
/// Shards of a step.
const SHARDS: usize = 16;
/// Bytes of the episodes of an iteration of 64 rollouts.
const EPISODES: usize = 70 << 10;

fn main() {
    let ranks: Arc<dyn Ranks> = match MpiRanks::begin(None) {
        Ok(ranks) => Arc::new(ranks),
        Err(error) => return eprintln!("latency: {error}"),
    };
    let team = Team::new(ranks.clone(), None);
    let shards = team.shards(SHARDS).len();
    let gradients = vec![1_u8; if team.is_first() { 0 } else { shards * GRADIENT }];
    let (episodes, weights) = (vec![2_u8; EPISODES / team.size()], vec![3_u8; GRADIENT]);
    let messages: [(&str, &dyn Fn()); 4] = [
        ("a command", &|| drop(team.broadcast(vec![0; 16]))),
        ("all episodes", &|| drop(team.gather_all(&episodes))),
        ("gradients to rank 0", &|| drop(team.gather(&gradients))),
        ("weights to all", &|| drop(team.broadcast(weights.clone()))),
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
