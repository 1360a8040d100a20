//! What iterations of TD-Leaf did and how long it took, summed over a session.

use std::time::Duration;

/// The work of one iteration or of several.
#[derive(Debug, Clone, Copy, Default)]
pub struct Throughput {
    /// Iterations.
    pub iterations: u64,
    /// Rollouts that came to their end.
    pub rollouts: u64,
    /// Searches.
    pub searches: u64,
    /// Nodes of these searches.
    pub nodes: u64,
    /// Leaves learned from, without replayed ones.
    pub leaves: u64,
    /// Roots and nodes of trees learned from, without replayed ones.
    pub learned_nodes: u64,
    /// Wall time.
    pub elapsed: Duration,
    /// Wall time of the rollouts.
    pub rollout_time: Duration,
    /// Time of all threads in the rollouts that passed waiting for the last of them.
    pub waiting: Duration,
}

impl Throughput {
    /// Adds the work of another.
    pub fn add(&mut self, other: &Self) {
        self.iterations += other.iterations;
        self.rollouts += other.rollouts;
        self.searches += other.searches;
        self.nodes += other.nodes;
        self.leaves += other.leaves;
        self.learned_nodes += other.learned_nodes;
        self.elapsed += other.elapsed;
        self.rollout_time += other.rollout_time;
        self.waiting += other.waiting;
    }

    /// Rates of each of `threads`, and how the time was spent: one sentence.
    pub fn sentence(&self, threads: usize) -> String {
        let (elapsed, rollout) = (self.elapsed.as_secs_f64().max(1e-9), self.rollout_time.as_secs_f64().max(1e-9));
        let threads = threads as f64;
        let rate = |count: u64| count as f64 / (elapsed * threads);
        let learned_nodes = match self.learned_nodes {
            0 => String::new(),
            count => format!("{:.0} learned nodes, ", rate(count)),
        };
        format!(
            "per second and thread: {:.0} searches, {:.1} rollouts, {:.0} leaves, {learned_nodes}{:.0} nodes; {:.1} % of the time is \
             self-play, of which threads wait {:.1} % for the last rollout of an iteration",
            rate(self.searches),
            rate(self.rollouts),
            rate(self.leaves),
            rate(self.nodes),
            100.0 * self.rollout_time.as_secs_f64() / elapsed,
            100.0 * self.waiting.as_secs_f64() / (threads * rollout)
        )
    }
}
