//! How late the runner itself was: on a busy machine the system wakes a waiting thread only when others have had their turn. The runner
//! takes the time of a move when it is woken by the answer, so that its own delay counts as the engine's time.
//!
//! During each game with time limits a thread waits for 10 ms again and again, as the runner waits for an answer, and counts by
//! how much each wait was longer. An answer may have met the same delays; no move is judged by them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::AddAssign;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long each wait is to be.
const PERIOD: Duration = Duration::from_millis(10);
/// A wait that was longer by more than this is a late one: a game of bullet notices it.
const LATE: Duration = Duration::from_millis(5);

/// The waits of some games, by how late they ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunnerLateness {
    /// All waits.
    pub waits: u64,
    /// Those that ended more than 5 ms late.
    pub late: u64,
    /// The delays of all together, in microseconds.
    pub total_us: u64,
    /// The longest of them, in microseconds.
    pub worst_us: u64,
}

impl RunnerLateness {
    fn count(&mut self, late: Duration) {
        let microseconds = late.as_micros().try_into().unwrap_or(u64::MAX);
        *self += Self { waits: 1, late: u64::from(late > LATE), total_us: microseconds, worst_us: microseconds };
    }
}

impl AddAssign for RunnerLateness {
    fn add_assign(&mut self, other: Self) {
        self.waits += other.waits;
        self.late += other.late;
        self.total_us = self.total_us.saturating_add(other.total_us);
        self.worst_us = self.worst_us.max(other.worst_us);
    }
}

/// `at most 12.3 ms late, 0.11 ms on the mean; more than 5 ms late in 3 of 41234 waits of 10 ms`.
impl fmt::Display for RunnerLateness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { waits, late, total_us, worst_us } = *self;
        let (worst, mean) = (worst_us as f64 / 1e3, total_us as f64 / 1e3 / waits.max(1) as f64);
        write!(f, "at most {worst:.1} ms late, {mean:.2} ms on the mean; ")?;
        write!(f, "more than {} ms late in {late} of {waits} waits of {} ms", LATE.as_millis(), PERIOD.as_millis())
    }
}

/// Counts waits until it is dropped.
#[derive(Debug)]
pub struct Watch {
    counted: Arc<Mutex<Counted>>,
    /// The thread ends when nobody can send to it any more.
    _end: SyncSender<()>,
}

#[derive(Debug)]
struct Counted {
    all: RunnerLateness,
    /// The longest delay of the present move.
    of_move: Duration,
    /// When the wait began that is not over.
    begun: Instant,
}

impl Counted {
    /// By how much the wait that is not over is longer than it should be.
    fn open(&self) -> Duration {
        self.begun.elapsed().saturating_sub(PERIOD)
    }
}

impl Watch {
    /// A watch from now on; `None` if the system has no thread for it.
    pub fn start() -> Option<Self> {
        let (end, ended) = sync_channel(0);
        Self::by(end, move |period| matches!(ended.recv_timeout(period), Err(RecvTimeoutError::Timeout)))
    }

    /// A watch whose thread waits so, until `wait` returns false.
    fn by(end: SyncSender<()>, mut wait: impl FnMut(Duration) -> bool + Send + 'static) -> Option<Self> {
        let (all, of_move, begun) = (RunnerLateness::default(), Duration::ZERO, Instant::now());
        let counted = Arc::new(Mutex::new(Counted { all, of_move, begun }));
        let shared = counted.clone();
        let watch = move || {
            while wait(PERIOD) {
                let mut counted = lock(&shared);
                let late = counted.open();
                counted.all.count(late);
                counted.of_move = counted.of_move.max(late);
                counted.begun = Instant::now();
            }
        };
        thread::Builder::new().name("runner's lateness".into()).spawn(watch).ok()?;
        Some(Self { counted, _end: end })
    }

    /// A move begins.
    pub fn begin_move(&self) {
        lock(&self.counted).of_move = Duration::ZERO;
    }

    /// The longest delay since the move began, that of a wait that is not over included.
    pub fn worst_of_move(&self) -> Duration {
        let counted = lock(&self.counted);
        counted.of_move.max(counted.open())
    }

    /// All waits so far.
    pub fn all(&self) -> RunnerLateness {
        lock(&self.counted).all
    }
}

fn lock(counted: &Mutex<Counted>) -> MutexGuard<'_, Counted> {
    counted.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn delays_are_counted_and_the_longest_stays() {
        let mut lateness = RunnerLateness::default();
        [MS, 5 * MS, 12 * MS, Duration::ZERO].into_iter().for_each(|late| lateness.count(late));
        let mut both = RunnerLateness::default();
        both.count(6 * MS);
        both += lateness;
        assert_eq!(both, RunnerLateness { waits: 5, late: 2, total_us: 24_000, worst_us: 12_000 });
        let text = "at most 12.0 ms late, 4.80 ms on the mean; more than 5 ms late in 2 of 5 waits of 10 ms";
        assert_eq!(both.to_string(), text);
        assert!(RunnerLateness::default().to_string().contains("0.00 ms on the mean"));
    }

    #[test]
    fn a_thread_that_wakes_late_is_noticed_also_while_it_still_sleeps() {
        // The test says when each wait ends, and is told when the thread waits again.
        let (wake, woken) = mpsc::channel::<bool>();
        let (tell, waits) = mpsc::channel();
        let watch = Watch::by(sync_channel(0).0, move |period| {
            assert_eq!(period, PERIOD);
            let _ = tell.send(());
            woken.recv().unwrap_or(false)
        })
        .unwrap();
        waits.recv().unwrap();
        watch.begin_move();
        thread::sleep(60 * MS);
        assert!(watch.worst_of_move() >= 50 * MS, "it sleeps still");
        assert_eq!(watch.all().waits, 0);
        wake.send(true).unwrap();
        waits.recv().unwrap();
        assert!(watch.worst_of_move() >= 50 * MS);
        let all = watch.all();
        assert!((all.waits, all.late) == (1, 1) && all.worst_us >= 50_000 && all.total_us == all.worst_us, "{all:?}");
        // The next move has delays of its own.
        watch.begin_move();
        let longest = lock(&watch.counted).of_move;
        assert_eq!(longest, Duration::ZERO);
        wake.send(false).unwrap();
    }

    #[test]
    fn a_watch_counts_until_it_is_dropped() {
        let watch = Watch::start().unwrap();
        until(|| watch.all().waits >= 3);
        let counted = watch.counted.clone();
        drop(watch);
        // Its thread gives back what it shares.
        until(|| Arc::strong_count(&counted) == 1);
    }

    /// Waits for something, a minute at most.
    fn until(mut done: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !done() {
            assert!(begun.elapsed() < Duration::from_secs(60));
            thread::sleep(MS);
        }
    }
}
