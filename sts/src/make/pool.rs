//! Analyses many positions at once, each by an engine that knows nothing of the others.

use super::MakeError;
use super::analysis::{Analyser, AnalyserMaker, Analysis};
use super::sample::Candidate;
use crate::run::Stop;
use player::Fault;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Analysers that are started when needed and wait for work between batches.
pub struct Pool<'a> {
    make: &'a AnalyserMaker<'a>,
    analysers: Vec<Option<Box<dyn Analyser>>>,
    stop: &'a Stop<'a>,
}

impl<'a> Pool<'a> {
    /// A pool of so many analysers, which starts no analysis once `stop` says so.
    pub fn new(make: &'a AnalyserMaker<'a>, concurrency: usize, stop: &'a Stop<'a>) -> Self {
        Self { make, analysers: (0..concurrency.max(1)).map(|_| None).collect(), stop }
    }

    /// Analyses these positions; `done` gets each analysis as it is ready, in any order.
    ///
    /// # Errors
    /// The first error of an engine or of `done`, or that somebody asked to stop.
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
            for analyser in &mut self.analysers {
                let (sender, next, failed) = (sender.clone(), &next, &failed);
                scope.spawn(move || {
                    while !stop() && !failed.load(Ordering::Relaxed) {
                        let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                        let result = analyse_twice(analyser, make, job, nodes);
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
            // An interruption from the keyboard reaches the engines too; their end is then no fault of theirs.
            match first_error {
                _ if stop() => Err(MakeError::Interrupted),
                Some(error) => Err(error),
                None => Ok(()),
            }
        })
    }
}

/// A broken engine is made anew once; a second fault is the position's.
fn analyse_twice(
    analyser: &mut Option<Box<dyn Analyser>>,
    make: &AnalyserMaker,
    job: &Candidate,
    nodes: u64,
) -> Result<Analysis, MakeError> {
    let mut last: Option<Fault> = None;
    for _ in 0..2 {
        let mut engine = match analyser.take() {
            Some(engine) => engine,
            None => make().map_err(MakeError::Start)?,
        };
        match engine.analyse(&job.position, nodes) {
            Ok(analysis) => {
                *analyser = Some(engine);
                return Ok(analysis);
            }
            Err(fault) => last = Some(fault),
        }
    }
    let fault = last.unwrap_or_else(|| Fault::Crash("no reason given".to_owned()));
    Err(MakeError::Engine { fen: job.epd.clone(), fault })
}
