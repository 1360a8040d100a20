//! Jobs on several threads: each worker takes the next free job, and the calling thread takes the results as they come.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;

/// Whether to stop, asked on any thread.
pub type Stop<'a> = dyn Fn() -> bool + Sync + 'a;

/// Runs `work` on every job, with one worker thread for each of `states`, which it may change. Each result goes to `take`
/// on the calling thread, in any order. Once `take` breaks or `stop` returns true, no worker takes another job; `work` gets
/// the same as its last argument, to end a long job early. Results of jobs in progress still go to `take`.
pub fn run<J: Copy + Sync, S: Send, R: Send>(
    jobs: &[J],
    states: &mut [S],
    stop: &Stop,
    work: impl Fn(&mut S, J, &Stop) -> R + Sync,
    mut take: impl FnMut(R) -> ControlFlow<()>,
) {
    let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let stop = || over.load(Relaxed) || stop();
    // Bounded, so that workers do not run ahead of results that are being saved.
    let (sender, results) = mpsc::sync_channel(states.len().max(1));
    thread::scope(|scope| {
        for state in states {
            let (sender, next, stop, work) = (sender.clone(), &next, &stop, &work);
            scope.spawn(move || {
                while !stop()
                    && let Some(&job) = jobs.get(next.fetch_add(1, Relaxed))
                    && sender.send(work(state, job, stop)).is_ok()
                {}
            });
        }
        drop(sender);
        for result in results {
            if take(result).is_break() {
                over.store(true, Relaxed);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once_by_any_number_of_workers() {
        let jobs: Vec<usize> = (0..100).collect();
        for workers in [1, 3, 200] {
            let mut counts = vec![0; workers];
            let mut done = Vec::new();
            let work = |count: &mut usize, job: usize, _: &Stop| {
                *count += 1;
                job
            };
            run(&jobs, &mut counts, &|| false, work, |job| {
                done.push(job);
                ControlFlow::Continue(())
            });
            done.sort_unstable();
            assert_eq!(done, jobs);
            assert_eq!(counts.iter().sum::<usize>(), 100);
        }
    }

    #[test]
    fn a_break_ends_the_jobs_in_progress() {
        let mut taken = 0;
        let endless = |(): &mut (), job: usize, stop: &Stop| {
            while job > 0 && !stop() {
                thread::yield_now();
            }
        };
        run(&[0, 1, 2, 3, 4], &mut [(), ()], &|| false, endless, |()| {
            taken += 1;
            ControlFlow::Break(())
        });
        assert!((1..=3).contains(&taken), "{taken}");
    }
}
