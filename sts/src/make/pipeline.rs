//! The order of the work: the quick pass searches the candidates in chunks. After each chunk every theme that is not full
//! gets deep passes for as many promising candidates as it has free places. The choice depends only on finished rounds,
//! so that the suite is the same for any concurrency and after any interruption.

use super::analysis::{Analysis, AnalyzerFactory};
use super::counts::{Rejection, SampleCounts};
use super::error::MakeError;
use super::judge::{ScoredPosition, judge, preview};
use super::pool::Pool;
use super::sample::Candidate;
use super::saved_analyses::{Pass, SavedAnalyses};
use super::settings::MakeSettings;
use super::theme::Theme;
use std::collections::{BTreeMap, VecDeque};
use support::pool::Stop;

/// Candidates in a chunk of the quick pass.
const CHUNK: usize = 256;

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MakeProgress {
    /// Candidates after the quick pass, and all candidates.
    pub quick: (usize, usize),
    /// Deep passes done.
    pub deep: usize,
    /// Places filled in the fullest themes, and all places that must be filled; a theme counts at most the minimum.
    pub places: (usize, usize),
    /// Nodes searched in this run, without saved analyses.
    pub nodes: u64,
}

/// A finished suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeSuite {
    /// The positions, ordered by theme and candidate.
    pub positions: Vec<ScoredPosition>,
    /// How many positions were accepted, and rejected for each reason.
    pub counts: SampleCounts,
    /// The number of positions of each theme, including themes that are left out.
    pub themes: BTreeMap<Theme, usize>,
}

/// Makes a suite from the candidates and continues their counts.
///
/// # Errors
/// If the engine or the file of saved analyses fails, or the run is stopped.
pub fn make(
    settings: &MakeSettings,
    (candidates, counts): (&[Candidate], SampleCounts),
    state: &mut SavedAnalyses,
    (make, concurrency): (&AnalyzerFactory, usize),
    stop: &Stop,
    progress: &mut dyn FnMut(MakeProgress),
) -> Result<MadeSuite, MakeError> {
    let mut pool = Pool::new(make, concurrency, stop);
    let mut work = Work {
        settings,
        state,
        progress,
        waiting: BTreeMap::new(),
        found: BTreeMap::new(),
        counts,
        quick: (0, candidates.len()),
        deep: 0,
        nodes: 0,
    };
    for chunk in candidates.chunks(CHUNK) {
        if work.is_done() {
            work.counts.reject(Rejection::NotNeeded, chunk.len());
            continue;
        }
        work.quick_pass(&mut pool, chunk)?;
        while !work.is_done() && work.deep_round(&mut pool)? {}
    }
    Ok(work.finish())
}

struct Work<'a, 'c> {
    settings: &'a MakeSettings,
    state: &'a mut SavedAnalyses,
    progress: &'a mut dyn FnMut(MakeProgress),
    /// Candidates that wait for a deep pass, by their theme after the quick pass.
    waiting: BTreeMap<Theme, VecDeque<&'c Candidate>>,
    /// Accepted positions by theme, ordered by round and candidate.
    found: BTreeMap<Theme, Vec<ScoredPosition>>,
    counts: SampleCounts,
    quick: (usize, usize),
    deep: usize,
    nodes: u64,
}

impl<'c> Work<'_, 'c> {
    fn places_left(&self, theme: Theme) -> usize {
        self.settings.per_theme - self.found.get(&theme).map_or(0, Vec::len)
    }

    fn is_done(&self) -> bool {
        let MakeSettings { least, themes, .. } = *self.settings;
        self.found.values().filter(|positions| positions.len() >= least).count() >= themes
    }

    fn quick_pass(&mut self, pool: &mut Pool, chunk: &'c [Candidate]) -> Result<(), MakeError> {
        let jobs: Vec<&Candidate> = chunk.iter().collect();
        let before = self.quick.0;
        let analyses = self.analyze(pool, Pass::Quick, &jobs)?;
        self.quick.0 = before + chunk.len();
        for (candidate, analysis) in jobs.into_iter().zip(analyses) {
            match preview(candidate, &analysis) {
                Ok(theme) => self.waiting.entry(theme).or_default().push_back(candidate),
                Err(reason) => self.counts.reject(reason, 1),
            }
        }
        Ok(())
    }

    /// Deep passes for the free places of every theme; `false` if no candidate waits for one.
    fn deep_round(&mut self, pool: &mut Pool) -> Result<bool, MakeError> {
        let mut jobs = Vec::new();
        for (theme, _) in Theme::ALL {
            let places = self.places_left(theme);
            let queue = self.waiting.entry(theme).or_default();
            jobs.extend(queue.drain(..places.min(queue.len())));
        }
        for (candidate, analysis) in jobs.iter().zip(self.analyze(pool, Pass::Deep, &jobs)?) {
            match judge(candidate, &analysis, self.settings.analysis.nodes) {
                Err(reason) => self.counts.reject(reason, 1),
                Ok(scored) if self.places_left(scored.theme) == 0 => self.counts.reject(Rejection::NotNeeded, 1),
                Ok(scored) => self.found.entry(scored.theme).or_default().push(scored),
            }
        }
        self.report();
        Ok(!jobs.is_empty())
    }

    /// The analyses of these positions, in their order; missing ones are made.
    fn analyze(&mut self, pool: &mut Pool, pass: Pass, jobs: &[&'c Candidate]) -> Result<Vec<Analysis>, MakeError> {
        let missing: Vec<&Candidate> =
            jobs.iter().copied().filter(|job| self.state.get(pass, &job.epd).is_none()).collect();
        let settings = &self.settings.analysis;
        let nodes = if pass == Pass::Quick { settings.quick_nodes } else { settings.nodes };
        self.count(pass, jobs.len() - missing.len());
        self.report();
        pool.run(&missing, nodes, |job, analysis| {
            self.nodes += analysis.nodes;
            self.state.add(pass, &job.epd, analysis)?;
            self.count(pass, 1);
            self.report();
            Ok(())
        })?;
        Ok(jobs.iter().filter_map(|job| self.state.get(pass, &job.epd).cloned()).collect())
    }

    fn count(&mut self, pass: Pass, analyses: usize) {
        match pass {
            Pass::Quick => self.quick.0 += analyses,
            Pass::Deep => self.deep += analyses,
        }
    }

    fn report(&mut self) {
        let MakeSettings { least, themes, .. } = *self.settings;
        let mut counts: Vec<usize> = self.found.values().map(|positions| positions.len().min(least)).collect();
        counts.sort_unstable_by_key(|&count| std::cmp::Reverse(count));
        let taken = counts.iter().take(themes).sum();
        (self.progress)(MakeProgress {
            quick: self.quick,
            deep: self.deep,
            places: (taken, least * themes),
            nodes: self.nodes,
        });
    }

    fn finish(self) -> MadeSuite {
        let mut counts = self.counts;
        counts.reject(Rejection::NotNeeded, self.waiting.values().map(VecDeque::len).sum());
        let themes = self.found.iter().map(|(&theme, positions)| (theme, positions.len())).collect();
        let mut taken = Vec::new();
        for positions in self.found.into_values() {
            if positions.len() < self.settings.least {
                counts.reject(Rejection::SmallTheme, positions.len());
            } else {
                taken.extend(positions);
            }
        }
        counts.accepted = taken.len();
        MadeSuite { positions: taken, counts, themes }
    }
}
