//! The order of work: the quick pass goes through the candidates in chunks; after each, every theme that is not full
//! gets deep passes for as many promising candidates as it has places. Who is analysed depends on finished rounds
//! only, so that the suite is the same for any concurrency and however often the making was cut off.

use super::analysis::{AnalyserMaker, Analysis};
use super::judge::{Question, judge, preview};
use super::pool::Pool;
use super::sample::Candidate;
use super::state::{Pass, State};
use super::tally::{Reason, Tally};
use super::{MakeError, Settings, Theme};
use crate::run::Stop;
use std::collections::{BTreeMap, VecDeque};

/// Candidates in a chunk of the quick pass.
const CHUNK: usize = 256;

/// How far the making has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Positions that went through the quick pass, and all of them.
    pub looked_at: (usize, usize),
    /// Deep passes done.
    pub analysed: usize,
    /// Questions found for the best filled of the wanted number of themes, of which none counts more than needed, and
    /// all needed.
    pub places: (usize, usize),
    /// Nodes searched in this run, what was in the state file not counted.
    pub nodes: u64,
}

/// A finished suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The questions in the order of themes, and within a theme in the order of candidates.
    pub questions: Vec<Question>,
    /// What became of all positions.
    pub tally: Tally,
    /// How many questions each theme had, those left out included.
    pub themes: BTreeMap<Theme, usize>,
}

/// Makes a suite of the candidates, whose tally it goes on with.
///
/// # Errors
/// If the engine or the state file fails, or somebody asked to stop.
pub fn make(
    settings: &Settings,
    (candidates, tally): (&[Candidate], Tally),
    state: &mut State,
    (make, concurrency): (&AnalyserMaker, usize),
    stop: &Stop,
    progress: &mut dyn FnMut(Progress),
) -> Result<Made, MakeError> {
    let mut pool = Pool::new(make, concurrency, stop);
    let mut work = Work {
        settings,
        state,
        progress,
        waiting: BTreeMap::new(),
        found: BTreeMap::new(),
        tally,
        looked_at: (0, candidates.len()),
        analysed: 0,
        nodes: 0,
    };
    for chunk in candidates.chunks(CHUNK) {
        if work.is_done() {
            work.tally.reject(Reason::NotNeeded, chunk.len());
            continue;
        }
        work.quick_pass(&mut pool, chunk)?;
        while !work.is_done() && work.deep_round(&mut pool)? {}
    }
    Ok(work.finish())
}

struct Work<'a, 'c> {
    settings: &'a Settings,
    state: &'a mut State,
    progress: &'a mut dyn FnMut(Progress),
    /// Promising candidates by the theme that the quick pass expects.
    waiting: BTreeMap<Theme, VecDeque<&'c Candidate>>,
    /// Questions by theme, in the order of rounds and candidates.
    found: BTreeMap<Theme, Vec<Question>>,
    tally: Tally,
    looked_at: (usize, usize),
    analysed: usize,
    nodes: u64,
}

impl<'c> Work<'_, 'c> {
    fn places_left(&self, theme: Theme) -> usize {
        self.settings.per_theme - self.found.get(&theme).map_or(0, Vec::len)
    }

    fn is_done(&self) -> bool {
        let Settings { least, themes, .. } = *self.settings;
        self.found.values().filter(|questions| questions.len() >= least).count() >= themes
    }

    fn quick_pass(&mut self, pool: &mut Pool, chunk: &'c [Candidate]) -> Result<(), MakeError> {
        let jobs: Vec<&Candidate> = chunk.iter().collect();
        let before = self.looked_at.0;
        let analyses = self.analyse(pool, Pass::Quick, &jobs)?;
        self.looked_at.0 = before + chunk.len();
        for (candidate, analysis) in jobs.into_iter().zip(analyses) {
            match preview(candidate, &analysis) {
                Ok(theme) => self.waiting.entry(theme).or_default().push_back(candidate),
                Err(reason) => self.tally.reject(reason, 1),
            }
        }
        Ok(())
    }

    /// Deep passes for every theme's open places; `false` if nobody waits for one.
    fn deep_round(&mut self, pool: &mut Pool) -> Result<bool, MakeError> {
        let mut jobs = Vec::new();
        for theme in Theme::ALL {
            let places = self.places_left(theme);
            let queue = self.waiting.entry(theme).or_default();
            jobs.extend(queue.drain(..places.min(queue.len())));
        }
        for (candidate, analysis) in jobs.iter().zip(self.analyse(pool, Pass::Deep, &jobs)?) {
            match judge(candidate, &analysis, self.settings.effort.nodes) {
                Err(reason) => self.tally.reject(reason, 1),
                Ok(question) if self.places_left(question.theme) == 0 => self.tally.reject(Reason::NotNeeded, 1),
                Ok(question) => self.found.entry(question.theme).or_default().push(question),
            }
        }
        self.report();
        Ok(!jobs.is_empty())
    }

    /// The analyses of these positions, in their order; those that the state has not are made.
    fn analyse(&mut self, pool: &mut Pool, pass: Pass, jobs: &[&'c Candidate]) -> Result<Vec<Analysis>, MakeError> {
        let missing: Vec<&Candidate> =
            jobs.iter().copied().filter(|job| self.state.get(pass, &job.epd).is_none()).collect();
        let effort = &self.settings.effort;
        let nodes = if pass == Pass::Quick { effort.quick_nodes } else { effort.nodes };
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
            Pass::Quick => self.looked_at.0 += analyses,
            Pass::Deep => self.analysed += analyses,
        }
    }

    fn report(&mut self) {
        let Settings { least, themes, .. } = *self.settings;
        let mut counts: Vec<usize> = self.found.values().map(|questions| questions.len().min(least)).collect();
        counts.sort_unstable_by_key(|&count| std::cmp::Reverse(count));
        let taken = counts.iter().take(themes).sum();
        (self.progress)(Progress {
            looked_at: self.looked_at,
            analysed: self.analysed,
            places: (taken, least * themes),
            nodes: self.nodes,
        });
    }

    fn finish(self) -> Made {
        let mut tally = self.tally;
        tally.reject(Reason::NotNeeded, self.waiting.values().map(VecDeque::len).sum());
        let themes = self.found.iter().map(|(&theme, questions)| (theme, questions.len())).collect();
        let mut taken = Vec::new();
        for questions in self.found.into_values() {
            if questions.len() < self.settings.least {
                tally.reject(Reason::SmallTheme, questions.len());
            } else {
                taken.extend(questions);
            }
        }
        tally.taken = taken.len();
        Made { questions: taken, tally, themes }
    }
}
