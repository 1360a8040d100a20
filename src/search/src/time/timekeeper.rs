//! Decides when a search ends by time. The limits come from the clock; the reports of the search decide how much of the soft
//! limit it uses.
//!
//! With `worth` from the progress of the search, and CUT and USEFUL from the table of tunables:
//!
//! ```text
//! target = soft worth
//! begin an iteration only if  thought + USEFUL cost <= CUT target   and   used + USEFUL cost <= hard
//! end within an iteration when  thought >= CUT target   or   used >= hard
//! ```
//!
//! `thought` counts from the start of the search, `used` from the start of the clock: pondering adds to `thought` only. A
//! fixed time per move has no target and is used up.

use crate::handler::SearchInfo;
use crate::time::budget::TimeBudget;
use crate::time::predictors::{ClockModel, Predictors};
use crate::time::progress::Progress;
use crate::time::stopwatch::Stopwatch;
use crate::tunables as tuned;
use std::fmt;
use std::time::Duration;

/// Why the time ended a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// There was too little time for a useful part of the next iteration.
    Iteration,
    /// The target was reached within an iteration.
    Target,
    /// The hard limit was reached.
    Hard,
    /// There is only one legal move.
    Forced,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Iteration => "before another iteration",
            Self::Target => "at the soft limit",
            Self::Hard => "at the hard limit",
            Self::Forced => "with the only move",
        })
    }
}

/// Decides when one search ends by time. Without limits it reads no clock.
#[derive(Debug, Clone, Copy)]
pub struct Timekeeper {
    watch: Stopwatch,
    budget: TimeBudget,
    /// Whether there is only one move and a soft limit, so that searching longer wastes time.
    is_forced: bool,
    /// The time before the clock started.
    free: Duration,
    /// The last look at the clock, in thought.
    seen: Duration,
    /// The longest time between two looks; zero where nodes pass for time.
    late: Duration,
    /// The time from the last look to the answer.
    answer: Duration,
    progress: Progress,
    model: ClockModel,
    /// `CUT target`, in thought; `None` without a soft limit.
    cut: Option<Duration>,
    end: Option<End>,
}

impl Timekeeper {
    /// For a search among `moves` root moves, of which `model` knows how its moves change.
    pub fn new(watch: Stopwatch, budget: TimeBudget, moves: usize, model: ClockModel) -> Self {
        let is_forced = moves == 1 && budget.soft.is_some();
        let [free, seen, late, answer] = [Duration::ZERO; 4];
        let progress = Progress::default();
        let mut new =
            Self { watch, budget, is_forced, free, seen, late, answer, progress, model, cut: None, end: None };
        new.aim();
        new
    }

    /// Starts the clock at the end of pondering.
    pub fn clock_starts(&mut self, nodes: u64) {
        self.free = self.watch.elapsed(nodes);
        self.seen = self.free;
    }

    /// The limits.
    pub fn budget(&self) -> TimeBudget {
        self.budget
    }

    /// The time since the start of the search, including pondering.
    pub fn thought(&self, nodes: u64) -> Duration {
        self.watch.elapsed(nodes)
    }

    /// The time since the start of the clock.
    pub fn used(&self, nodes: u64) -> Duration {
        self.thought(nodes).saturating_sub(self.free)
    }

    /// The part of the usual time of a move, or of a fixed time, that has been thought; `None` without limits.
    pub fn spent(&self, nodes: u64) -> Option<f64> {
        let planned = self.budget.soft.or(self.budget.hard)?;
        Some(self.thought(nodes).as_secs_f64() / planned.as_secs_f64().max(1e-9))
    }

    /// The search has answered: from the last look at a clock that limits it until now it was late.
    pub fn answered(&mut self, nodes: u64) {
        if self.budget.hard.is_some() {
            let looked = self.seen;
            self.look(self.thought(nodes));
            self.answer = self.seen.saturating_sub(looked);
        }
    }

    /// How late the answer was: the time from the last look at the clock to it; zero before it.
    pub fn answer(&self) -> Duration {
        self.answer
    }

    /// How late the search was: the longest time between two looks at a clock that limits it.
    pub fn late(&self) -> Duration {
        self.late
    }

    /// Why the time ended the search, if it did.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// Nodes as of the last report.
    pub fn nodes(&self) -> u64 {
        self.progress.nodes
    }

    /// Takes a report of the search.
    pub fn update(&mut self, info: &SearchInfo) {
        self.progress.update(info);
        self.aim();
    }

    /// Takes the end of an iteration, after its reports.
    pub fn iteration_ends(&mut self) {
        self.progress.iteration_ends();
        self.aim();
    }

    /// Takes the start of the search of a root move, the `number`th from 1.
    pub fn root_move(&mut self, number: usize, nodes: u64) {
        self.progress.root_move(number, nodes);
    }

    /// What predicts whether more time changes the move.
    pub fn predictors(&self) -> Predictors {
        self.progress.predictors()
    }

    /// The factor of the usual time that the move deserves, as of the last report.
    pub fn worth(&self) -> f64 {
        self.model.worth(&self.predictors())
    }

    /// Whether the search may continue.
    pub fn has_time(&mut self, nodes: u64) -> bool {
        if self.is_forced && self.progress.iterations > 0 {
            self.end = Some(End::Forced);
        } else if let Some(hard) = self.budget.hard {
            let thought = self.thought(nodes);
            self.look(thought);
            if thought.saturating_sub(self.free) >= hard {
                self.end = Some(End::Hard);
            } else if self.cut.is_some_and(|cut| thought >= cut) {
                self.end = Some(End::Target);
            }
        }
        self.end.is_none()
    }

    /// Whether there is time for a useful part of another iteration.
    pub fn may_begin(&mut self) -> bool {
        if !self.has_time(self.progress.nodes) {
            return false;
        }
        let (Some(cut), Some(hard)) = (self.cut, self.budget.hard) else {
            return true;
        };
        if !self.model.has_whole_iterations {
            return true;
        }
        let thought = self.thought(self.progress.nodes);
        let until = thought + thought.mul_f64(tuned::time_useful_fraction() * self.progress.relative_cost());
        if until > cut.min(self.free + hard) {
            self.end = Some(End::Iteration);
        }
        self.end.is_none()
    }

    /// Looks at the clock. Nodes that pass for time are never late.
    fn look(&mut self, thought: Duration) {
        if matches!(self.watch, Stopwatch::Wall(_)) {
            self.late = self.late.max(thought.saturating_sub(self.seen));
            self.seen = thought;
        }
    }

    fn aim(&mut self) {
        self.cut = self.budget.soft.map(|soft| soft.mul_f64(tuned::time_cut() * self.worth()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Bound, Value};
    use board::Position;
    use std::num::NonZeroU32;

    /// A node is a microsecond.
    const RATE: u64 = 1_000;
    const SOFT: Duration = Duration::from_millis(100);

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn keeper(hard: Duration) -> Timekeeper {
        let watch = Stopwatch::start(NonZeroU32::new(RATE as u32));
        Timekeeper::new(watch, TimeBudget { soft: Some(SOFT), hard: Some(hard) }, 20, ClockModel::PROBABILITY)
    }

    fn report(time: &mut Timekeeper, number: usize, value: f32, bound: Bound, milliseconds: u64) {
        let moves = Position::start().legal_moves();
        time.update(&SearchInfo {
            depth: 1,
            seldepth: 1,
            multipv: 1,
            value: Value::from_evaluation(value),
            bound,
            nodes: milliseconds * RATE,
            hashfull: 0,
            table_hits: 0,
            wdl: None,
            pv: &moves[number..=number],
        });
    }

    /// The search's iterations end then, in milliseconds, with these best moves and values.
    fn iterate(time: &mut Timekeeper, ends: &[(u64, usize, f32)]) {
        for &(end, number, value) in ends {
            report(time, number, value, Bound::Exact, end);
            time.iteration_ends();
        }
    }

    /// When the search is stopped, in milliseconds.
    fn stopped_at(mut time: Timekeeper) -> u64 {
        (0..).find(|milliseconds| !time.has_time(milliseconds * RATE)).unwrap()
    }

    #[test]
    fn a_settled_move_takes_less_time_and_a_changed_one_more() {
        let stop = |numbers: [usize; 6]| {
            let mut time = keeper(ms(10_000));
            iterate(&mut time, &[1, 2, 4, 8, 16, 32].map(|end: u64| (end, numbers[end.ilog2() as usize], 0.0)));
            stopped_at(time)
        };
        let (settled, recent, changed) = (stop([3; 6]), stop([5, 5, 5, 5, 3, 3]), stop([5, 5, 5, 5, 5, 3]));
        assert!(settled < 130 && settled < recent && recent < changed, "{settled} {recent} {changed}");
    }

    #[test]
    fn what_precedes_the_first_root_move_is_no_iteration() {
        let may_begin = |before: u64| {
            let mut time = keeper(ms(10_000));
            time.root_move(1, before * RATE);
            iterate(&mut time, &[(before + 2, 3, 0.0)]);
            time.may_begin()
        };
        assert!(may_begin(0) && may_begin(50), "a second iteration costs little");
        assert!(!may_begin(1_000), "the time is spent");
    }

    #[test]
    fn a_better_move_without_a_line_is_a_change() {
        let mut time = keeper(ms(10_000));
        iterate(&mut time, &[(1, 3, 0.1), (2, 3, 0.1), (4, 3, 0.1), (8, 3, 0.1)]);
        let settled = stopped_at(time);
        report(&mut time, 4, 0.1, Bound::Lower, 8);
        assert!(stopped_at(time) > settled);
        report(&mut time, 3, 0.1, Bound::Lower, 8);
        assert_eq!(stopped_at(time), settled);
    }

    #[test]
    fn a_falling_value_takes_more_time_up_to_the_hard_limit() {
        for hard in [ms(10_000), ms(120)] {
            let mut time = keeper(hard);
            iterate(&mut time, &[(1, 3, 0.0), (2, 3, 0.0), (4, 3, 0.0), (8, 3, 0.0)]);
            let calm = stopped_at(time);
            let mut last = calm;
            for value in [-0.05, -0.15] {
                report(&mut time, 3, value, Bound::Upper, 8);
                let stopped = stopped_at(time);
                assert!(stopped > last || u128::from(stopped) == hard.as_millis(), "{stopped} after {last}");
                last = stopped;
            }
            report(&mut time, 3, 0.0, Bound::Exact, 8);
            assert_eq!(stopped_at(time), calm);
        }
    }

    #[test]
    fn an_iteration_without_useful_time_is_not_started() {
        let begins = |ends: &[u64]| {
            let mut time = keeper(ms(200));
            iterate(&mut time, &ends.iter().map(|&end| (end, 3, 0.0)).collect::<Vec<_>>());
            (time.may_begin(), time.end())
        };
        // The next lasts as long as the last, or six times as long.
        assert_eq!(begins(&[20, 40, 60]), (true, None));
        assert_eq!(begins(&[1, 9, 60]), (false, Some(End::Iteration)));
    }

    #[test]
    fn pondering_counts_as_thinking_time_but_not_as_used_time() {
        let mut time = keeper(ms(400));
        time.clock_starts(50 * RATE);
        assert_eq!((time.thought(60 * RATE), time.used(60 * RATE)), (ms(60), ms(10)));
        let without = stopped_at(keeper(ms(400)));
        assert_eq!(stopped_at(time), without);
        time.clock_starts(5_000 * RATE);
        assert!(!time.has_time(5_000 * RATE));
        assert_eq!(time.end(), Some(End::Target));
    }

    #[test]
    fn the_longest_time_between_two_looks_is_how_late_the_search_is() {
        let budget = TimeBudget { soft: None, hard: Some(Duration::from_secs(60)) };
        let mut time = Timekeeper::new(Stopwatch::start(None), budget, 20, ClockModel::PROBABILITY);
        time.has_time(0);
        std::thread::sleep(ms(400));
        // Nobody looks while the opponent thinks.
        time.clock_starts(0);
        assert!(time.late() < ms(400), "{:?}", time.late());
        std::thread::sleep(ms(500));
        assert!(time.has_time(1));
        let late = time.late();
        assert!(late >= ms(500));
        time.has_time(2);
        assert_eq!(time.late(), late);
        std::thread::sleep(late + ms(10));
        time.answered(3);
        assert!(time.late() >= late + ms(10) && time.answer() == time.late());

        let mut by_nodes = keeper(ms(400));
        by_nodes.has_time(300 * RATE);
        by_nodes.answered(390 * RATE);
        assert_eq!(by_nodes.late(), Duration::ZERO);
        let mut unlimited = Timekeeper::new(Stopwatch::start(None), TimeBudget::UNLIMITED, 1, ClockModel::PROBABILITY);
        std::thread::sleep(ms(1));
        unlimited.has_time(0);
        unlimited.answered(1);
        assert_eq!(unlimited.late(), Duration::ZERO);
    }

    #[test]
    fn a_fixed_time_is_used_up() {
        let watch = Stopwatch::start(NonZeroU32::new(RATE as u32));
        let mut time =
            Timekeeper::new(watch, TimeBudget { soft: None, hard: Some(ms(90)) }, 1, ClockModel::PROBABILITY);
        iterate(&mut time, &[(10, 3, 0.0), (20, 3, 0.0), (80, 3, 0.0)]);
        assert!(time.may_begin());
        assert_eq!(stopped_at(time), 90);
    }

    #[test]
    fn the_only_move_is_played_once_it_has_a_line() {
        let watch = Stopwatch::start(NonZeroU32::new(RATE as u32));
        let mut time =
            Timekeeper::new(watch, TimeBudget { soft: Some(SOFT), hard: Some(SOFT) }, 1, ClockModel::PROBABILITY);
        assert!(time.has_time(0));
        iterate(&mut time, &[(1, 3, 0.0)]);
        assert!(!time.may_begin());
        assert_eq!(time.end(), Some(End::Forced));
    }

    #[test]
    fn without_limits_the_search_goes_on() {
        let mut time = Timekeeper::new(Stopwatch::start(None), TimeBudget::UNLIMITED, 1, ClockModel::PROBABILITY);
        iterate(&mut time, &[(1, 3, 0.0), (1_000_000, 3, -1.0)]);
        assert!(time.may_begin() && time.has_time(u64::MAX));
    }

    /// A keeper by whose model every move deserves its usual time.
    fn even_keeper(hard: Duration, has_whole_iterations: bool) -> Timekeeper {
        let mut model = ClockModel::TREE;
        model.has_whole_iterations = has_whole_iterations;
        let watch = Stopwatch::start(NonZeroU32::new(RATE as u32));
        Timekeeper::new(watch, TimeBudget { soft: Some(SOFT), hard: Some(hard) }, 20, model)
    }

    #[test]
    fn a_search_ends_at_its_target_or_at_the_hard_limit_of_the_time_that_is_used() {
        assert_eq!(stopped_at(even_keeper(ms(400), true)), 130);
        assert_eq!(stopped_at(even_keeper(ms(120), true)), 120);
        let mut pondered = even_keeper(ms(120), true);
        pondered.clock_starts(5 * RATE);
        assert_eq!(stopped_at(pondered), 125);
        assert!(!pondered.has_time(130 * RATE));
        assert_eq!(pondered.end(), Some(End::Hard), "the hard limit is looked at first");
    }

    #[test]
    fn an_iteration_begins_where_half_of_it_ends_before_the_target() {
        // The first iteration's growth is taken for six: half of the next costs three times as much.
        for (end, hard, free, whole, begins) in [
            (32, 400, 0, true, true),
            (33, 400, 0, true, false),
            (33, 400, 0, false, true),
            (25, 100, 0, true, true),
            (26, 100, 0, true, false),
            (26, 100, 4, true, true),
            (27, 100, 4, true, false),
        ] {
            let mut time = even_keeper(ms(hard), whole);
            time.clock_starts(free * RATE);
            iterate(&mut time, &[(end, 3, 0.0)]);
            let found = (time.may_begin(), time.end());
            assert_eq!(found, (begins, (!begins).then_some(End::Iteration)), "{end} {hard} {free}");
        }
    }

    #[test]
    fn a_keeper_tells_its_limits_and_what_was_spent_of_them() {
        let mut time = even_keeper(ms(400), true);
        report(&mut time, 3, 0.25, Bound::Exact, 30);
        assert_eq!((time.budget().soft, time.budget().hard, time.nodes()), (Some(SOFT), Some(ms(400)), 30 * RATE));
        assert_eq!((time.spent(50 * RATE), time.worth(), time.predictors().value), (Some(0.5), 1.0, 0.25));
        let watch = Stopwatch::start(NonZeroU32::new(RATE as u32));
        let of = |budget| Timekeeper::new(watch, budget, 20, ClockModel::TREE).spent(50 * RATE);
        assert_eq!(of(TimeBudget { soft: None, hard: Some(ms(200)) }), Some(0.25));
        assert_eq!(of(TimeBudget::UNLIMITED), None);
        let ends = [End::Iteration, End::Target, End::Hard, End::Forced].map(|end| end.to_string());
        assert_eq!(
            ends.join(", "),
            "before another iteration, at the soft limit, at the hard limit, with the only move"
        );
    }
}
