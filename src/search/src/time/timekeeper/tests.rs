//! When a search by clock ends, and what is left of the clock.

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
    let mut time = Timekeeper::new(watch, TimeBudget { soft: None, hard: Some(ms(90)) }, 1, ClockModel::PROBABILITY);
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

/// The model by which every move deserves its usual time.
fn even_model(has_whole_iterations: bool) -> ClockModel {
    let mut model = ClockModel::TREE;
    model.has_whole_iterations = has_whole_iterations;
    model
}

/// A keeper by the [`even_model`].
fn even_keeper(hard: Duration, has_whole_iterations: bool) -> Timekeeper {
    let watch = Stopwatch::start(NonZeroU32::new(RATE as u32));
    Timekeeper::new(watch, TimeBudget { soft: Some(SOFT), hard: Some(hard) }, 20, even_model(has_whole_iterations))
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
fn time_for_which_the_search_waited_is_no_cost_of_an_iteration() {
    let second = Duration::from_secs(1);
    let begins = |waited: u32| {
        let start = std::time::Instant::now().checked_sub(second * waited).unwrap();
        let budget = TimeBudget { soft: Some(10 * second), hard: Some(40 * second) };
        let mut time = Timekeeper::new(Stopwatch::Wall(start), budget, 20, even_model(true));
        report(&mut time, 3, 0.0, Bound::Exact, 1);
        time.iteration_ends();
        (time.may_begin(), time.end())
    };
    // The target is 13 seconds; half of an iteration of six times four seconds would end after it.
    assert_eq!(begins(4), (true, None));
    assert_eq!(begins(14), (false, Some(End::Target)));
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
    assert_eq!(ends.join(", "), "before another iteration, at the soft limit, at the hard limit, with the only move");
}
