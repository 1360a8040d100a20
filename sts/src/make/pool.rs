//! A pool of engines that analyze positions in parallel.

use super::analysis::{Analysis, Analyzer, AnalyzerFactory};
use super::error::MakeError;
use super::sample::Candidate;
use player::Fault;
use std::ops::ControlFlow;
use support::pool::{self, Stop};

/// Analyzers that are started when needed and kept between batches.
pub struct Pool<'a> {
    make: &'a AnalyzerFactory<'a>,
    analyzers: Vec<Option<Box<dyn Analyzer>>>,
    stop: &'a Stop<'a>,
}

impl<'a> Pool<'a> {
    /// A pool of `concurrency` analyzers. Once `stop` returns true, it starts no analysis, and ends those in progress.
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
        let (make, stop) = (self.make, self.stop);
        // After an error, the analyses that are in progress are still saved: only the user's wish ends them.
        let work = |analyzer: &mut Option<Box<dyn Analyzer>>, job, _: &Stop| {
            (job, analyze_twice(analyzer, make, job, nodes, stop))
        };
        let mut end = Ok(());
        pool::run(jobs, &mut self.analyzers, stop, work, |(job, result)| {
            let outcome = result.and_then(|analysis| done(job, analysis));
            end = std::mem::replace(&mut end, Ok(())).and(outcome);
            if end.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        // Ctrl-C can reach the engines too, so their exit must not count as a fault.
        if stop() { Err(MakeError::Interrupted) } else { end }
    }
}

/// Analyzes a position; after a fault once more with a new engine.
fn analyze_twice(
    analyzer: &mut Option<Box<dyn Analyzer>>,
    make: &AnalyzerFactory,
    job: &Candidate,
    nodes: u64,
    stop: &Stop,
) -> Result<Analysis, MakeError> {
    let mut last: Option<Fault> = None;
    for _ in 0..2 {
        let mut engine = match analyzer.take() {
            Some(engine) => engine,
            None => make().map_err(MakeError::Start)?,
        };
        match engine.analyze(&job.position, nodes, stop) {
            Ok(analysis) => {
                *analyzer = Some(engine);
                return Ok(analysis);
            }
            Err(Fault::Stopped) => return Err(MakeError::Interrupted),
            Err(fault) => last = Some(fault),
        }
    }
    let fault = last.unwrap_or_else(|| Fault::Crash("no reason given".to_owned()));
    Err(MakeError::Engine { fen: job.epd.clone(), fault })
}
