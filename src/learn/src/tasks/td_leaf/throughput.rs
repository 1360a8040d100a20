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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_summed_and_said_by_second_and_thread() {
        let one = Throughput {
            iterations: 1,
            rollouts: 20,
            searches: 300,
            nodes: 40_000,
            leaves: 250,
            learned_nodes: 700,
            elapsed: Duration::from_secs(4),
            rollout_time: Duration::from_secs(3),
            waiting: Duration::from_millis(300),
        };
        let mut sum = Throughput::default();
        (0..3).for_each(|_| sum.add(&one));
        assert_eq!((sum.iterations, sum.rollouts, sum.searches, sum.nodes), (3, 60, 900, 120_000));
        assert_eq!((sum.leaves, sum.learned_nodes), (750, 2_100));
        assert_eq!((sum.elapsed.as_secs(), sum.rollout_time.as_secs(), sum.waiting.as_millis()), (12, 9, 900));
        let said = "per second and thread: 38 searches, 2.5 rollouts, 31 leaves, 88 learned nodes, 5000 nodes; 75.0 % of the time is \
                    self-play, of which threads wait 5.0 % for the last rollout of an iteration";
        assert_eq!(sum.sentence(2), said);
        assert!(!Throughput { learned_nodes: 0, ..sum }.sentence(2).contains("learned nodes"));
    }
}
