//! A pool of engines that analyze positions in parallel.

use super::analysis::{Analysis, Analyzer, AnalyzerFactory};
use super::error::MakeError;
use super::sample::Candidate;
use crate::run::Stop;
use player::Fault;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Analyzers that are started when needed and kept between batches.
pub struct Pool<'a> {
    make: &'a AnalyzerFactory<'a>,
    analyzers: Vec<Option<Box<dyn Analyzer>>>,
    stop: &'a Stop<'a>,
}

impl<'a> Pool<'a> {
    /// A pool of `concurrency` analyzers. It starts no analysis after `stop` returns true.
    pub fn new(make: &'a AnalyzerFactory<'a>, concurrency: usize, stop: &'a Stop<'a>) -> Self {
        Self { make, analyzers: (0..concurrency.max(1)).map(|_| None).collect(), stop }
    }

    /// Analyzes these positions; `done` receives each analysis as it is ready, in any order.
    ///
    /// # Errors
    /// The first error of an engine or of `done`, or the interruption.
    pub fn run(
        &mut self,
        jobs: &[&Candidate],
        nodes: u64,
        mut done: impl FnMut(&Candidate, Analysis) -> Result<(), MakeError>,
    ) -> Result<(), MakeError> {
        let (next, stop, make) = (AtomicUsize::new(0), self.stop, self.make);
        let failed = AtomicBool::new(false);
        let (sender, results) = mpsc::channel();
        std::thread::scope(|scope| {
            for analyzer in &mut self.analyzers {
                let (sender, next, failed) = (sender.clone(), &next, &failed);
                scope.spawn(move || {
                    while !stop() && !failed.load(Ordering::Relaxed) {
                        let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                        let result = analyze_twice(analyzer, make, job, nodes);
                        if result.is_err() {
                            failed.store(true, Ordering::Relaxed);
                        }
                        if sender.send((*job, result)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let mut first_error = None;
            for (job, result) in results {
                let outcome = result.and_then(|analysis| done(job, analysis));
                if let Err(error) = outcome {
                    failed.store(true, Ordering::Relaxed);
                    first_error.get_or_insert(error);
                }
            }
            // Ctrl-C can reach the engines too, so their exit must not count as a fault.
            match first_error {
                _ if stop() => Err(MakeError::Interrupted),
                Some(error) => Err(error),
                None => Ok(()),
            }
        })
    }
}

/// Analyzes a position; after a fault once more with a new engine.
fn analyze_twice(
    analyzer: &mut Option<Box<dyn Analyzer>>,
    make: &AnalyzerFactory,
    job: &Candidate,
    nodes: u64,
) -> Result<Analysis, MakeError> {
    let mut last: Option<Fault> = None;
    for _ in 0..2 {
        let mut engine = match analyzer.take() {
            Some(engine) => engine,
            None => make().map_err(MakeError::Start)?,
        };
        match engine.analyze(&job.position, nodes) {
            Ok(analysis) => {
                *analyzer = Some(engine);
                return Ok(analysis);
            }
            Err(fault) => last = Some(fault),
        }
    }
    let fault = last.unwrap_or_else(|| Fault::Crash("no reason given".to_owned()));
    Err(MakeError::Engine { fen: job.epd.clone(), fault })
}
