//! Time controls: a clock, a fixed time, nodes or depth, for each player its own.
//!
//! A time control is written `[MOVES/]TIME[+INCREMENT]`, times in seconds, minutes allowed before a colon: `2+0.02`,
//! `40/60+0.5`, `1:30+1`. With MOVES, the time is added again after each MOVES moves.

use anyhow::Context;
use player::{Clock, MoveLimits};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The longest time: a month, in seconds.
const LONGEST: f64 = 31.0 * 24.0 * 3600.0;

/// A clock's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockSettings {
    /// The number of moves after which `time` is added again; `None` for the whole game.
    pub moves: Option<u32>,
    /// The time for them.
    pub time: Duration,
    /// The time added after each move.
    pub increment: Duration,
}

impl FromStr for ClockSettings {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let read = || {
            let (moves, rest) = match text.split_once('/') {
                Some((moves, rest)) => (Some(moves.trim().parse().ok().filter(|&moves: &u32| moves > 0)?), rest),
                None => (None, text),
            };
            let (time, increment) = rest.split_once('+').unwrap_or((rest, "0"));
            let (minutes, seconds) = time.split_once(':').unwrap_or(("0", time));
            let time = duration(minutes, 60.0)? + duration(seconds, 1.0)?;
            (!time.is_zero()).then_some(Self { moves, time, increment: duration(increment, 1.0)? })
        };
        read().with_context(|| {
            format!("'{text}' is not a time control such as 2+0.02, 40/60+0.5 or 1:30+1 (seconds, or minutes:seconds)")
        })
    }
}

impl fmt::Display for ClockSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.time.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

/// A number of units, each `unit` seconds long.
fn duration(text: &str, unit: f64) -> Option<Duration> {
    let number: f64 = text.trim().parse().ok()?;
    let seconds = number * unit;
    (0.0..=LONGEST).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

/// What bounds each of a player's moves; at least one limit is needed to play.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeControl {
    /// The clock.
    pub clock: Option<ClockSettings>,
    /// A fixed time.
    pub movetime: Option<Duration>,
    /// Nodes, in the player's own count.
    pub nodes: Option<u64>,
    /// Depth, in the player's own count.
    pub depth: Option<u32>,
}

impl TimeControl {
    /// Sets one of the limits `tc`, `movetime` (milliseconds), `nodes` and `depth`; `false` if the name is none of them.
    ///
    /// # Errors
    /// If the value does not fit the limit.
    pub fn set(&mut self, name: &str, value: &str) -> anyhow::Result<bool> {
        match name {
            "tc" => self.clock = Some(value.parse()?),
            "movetime" => {
                let milliseconds: u32 = count(value, "milliseconds")?;
                self.movetime = Some(Duration::from_millis(milliseconds.into()));
            }
            "nodes" => self.nodes = Some(count(value, "nodes")?),
            "depth" => self.depth = Some(count(value, "plies")?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether time is limited.
    pub fn is_timed(&self) -> bool {
        self.clock.is_some() || self.movetime.is_some()
    }

    /// Whether nothing is limited.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }
}

fn count<N: FromStr + PartialOrd + Default>(value: &str, of: &str) -> anyhow::Result<N> {
    let number = value.trim().parse().ok().filter(|number| *number > N::default());
    number.with_context(|| format!("'{value}' is not a number of {of} above 0"))
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limits = [
            self.clock.map(|clock| clock.to_string()),
            self.movetime.map(|time| format!("{} ms a move", time.as_millis())),
            self.nodes.map(|nodes| format!("{nodes} nodes")),
            self.depth.map(|depth| format!("depth {depth}")),
        ];
        let limits: Vec<String> = limits.into_iter().flatten().collect();
        f.write_str(if limits.is_empty() { "-" } else { "" })?;
        f.write_str(&limits.join(", "))
    }
}

/// A player's clock during a game.
#[derive(Debug, Clone)]
pub struct Timer {
    time_control: TimeControl,
    remaining: Duration,
    moves_to_go: Option<u32>,
}

impl Timer {
    /// The clock before the first move.
    pub fn new(time_control: TimeControl) -> Self {
        let clock = time_control.clock;
        Self {
            time_control,
            remaining: clock.map_or(Duration::ZERO, |clock| clock.time),
            moves_to_go: clock.and_then(|clock| clock.moves),
        }
    }

    /// The limits of the next move of the player of `side` (0 White, 1 Black), whose opponent has the other clock.
    pub fn limits(&self, side: usize, opponent: &Timer) -> MoveLimits {
        let clock = self.time_control.clock.map(|own| {
            // Engines expect two clocks: an opponent without one is shown with ours.
            let theirs = opponent
                .time_control
                .clock
                .map_or((self.remaining, own.increment), |clock| (opponent.remaining, clock.increment));
            let mut both = [theirs; 2];
            both[side] = (self.remaining, own.increment);
            Clock {
                remaining: both.map(|(remaining, _)| remaining),
                increment: both.map(|(_, increment)| increment),
                moves_to_go: self.moves_to_go,
            }
        });
        MoveLimits {
            clock,
            movetime: self.time_control.movetime,
            nodes: self.time_control.nodes,
            depth: self.time_control.depth,
        }
    }

    /// Takes a move's time off the clock and adds its increment. `false` if the move took longer than the time it had
    /// and `margin` together.
    pub fn charge(&mut self, elapsed: Duration, margin: Duration) -> bool {
        if self.time_control.movetime.is_some_and(|time| elapsed > time + margin) {
            return false;
        }
        let Some(clock) = self.time_control.clock else {
            return true;
        };
        if elapsed > self.remaining + margin {
            return false;
        }
        self.remaining = self.remaining.saturating_sub(elapsed) + clock.increment;
        if let Some(moves) = &mut self.moves_to_go {
            *moves -= 1;
            if *moves == 0 {
                self.remaining += clock.time;
                self.moves_to_go = clock.moves;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn time_controls_are_read_and_written() {
        for (text, moves, time, increment, written) in [
            ("2+0.02", None, 2_000, 20, "2+0.02"),
            ("40/60+0.5", Some(40), 60_000, 500, "40/60+0.5"),
            ("1:30+1", None, 90_000, 1_000, "90+1"),
            ("60", None, 60_000, 0, "60"),
            ("0.25", None, 250, 0, "0.25"),
        ] {
            let control: ClockSettings = text.parse().unwrap();
            assert_eq!(control, ClockSettings { moves, time: time * MS, increment: increment * MS }, "{text}");
            assert_eq!(control.to_string(), written);
        }
        for text in ["", "0", "-1", "0/60", "x", "nan", "inf", "1+", "1e99", "2+0.02+1", "40/", "1:2:3"] {
            let error = text.parse::<ClockSettings>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("'{text}' is not a time control")), "{error}");
        }
    }

    #[test]
    fn limits_have_names() {
        let mut time_control = TimeControl::default();
        assert!(time_control.is_unlimited());
        for (name, value) in [("tc", "1+0.1"), ("movetime", "500"), ("nodes", "2000"), ("depth", "7")] {
            assert!(time_control.set(name, value).unwrap());
            assert!(time_control.set(name, "0").is_err() && time_control.set(name, "x").is_err());
        }
        assert!(!time_control.set("name", "x").unwrap());
        assert_eq!(time_control.to_string(), "1+0.1, 500 ms a move, 2000 nodes, depth 7");
    }

    #[test]
    fn a_clock_runs_down_and_time_is_added_after_its_moves() {
        let time_control = TimeControl { clock: Some("2/1+0.1".parse().unwrap()), ..TimeControl::default() };
        let mut timer = Timer::new(time_control);
        let other = Timer::new(TimeControl { nodes: Some(5), ..TimeControl::default() });
        let clock = |timer: &Timer| {
            let clock = timer.limits(1, &other).clock.unwrap();
            (clock.remaining[1].as_millis(), clock.moves_to_go)
        };
        assert_eq!(clock(&timer), (1_000, Some(2)));
        assert!(timer.charge(400 * MS, Duration::ZERO));
        assert_eq!(clock(&timer), (700, Some(1)));
        // The margin forgives, but no more than it is, and gives nothing.
        assert!(!timer.clone().charge(711 * MS, 10 * MS));
        assert!(timer.charge(710 * MS, 10 * MS));
        assert_eq!(clock(&timer), (1_100, Some(2)));
        assert!(!timer.charge(1_101 * MS, Duration::ZERO));
        assert_eq!(other.limits(0, &timer), MoveLimits { nodes: Some(5), ..MoveLimits::default() });
    }

    #[test]
    fn each_side_sees_its_own_clock_on_its_side() {
        let timer =
            |text: &str| Timer::new(TimeControl { clock: Some(text.parse().unwrap()), ..TimeControl::default() });
        let (white, black) = (timer("3+1"), timer("5+2"));
        let expected = [(3, 1), (5, 2)].map(|(time, add)| (Duration::from_secs(time), Duration::from_secs(add)));
        for clock in [white.limits(0, &black).clock.unwrap(), black.limits(1, &white).clock.unwrap()] {
            assert_eq!([0, 1].map(|side| (clock.remaining[side], clock.increment[side])), expected);
        }
    }

    #[test]
    fn a_fixed_time_is_a_limit_too() {
        let mut timer = Timer::new(TimeControl { movetime: Some(100 * MS), ..TimeControl::default() });
        assert!(timer.charge(105 * MS, 10 * MS));
        assert!(!timer.charge(111 * MS, 10 * MS));
    }

    #[test]
    fn a_month_is_the_longest_time_and_nothing_the_shortest_limit() {
        // 31 * 24 * 3600 s = 44640 min.
        for (text, seconds) in [("2678400", Some(2_678_400)), ("44640:0", Some(2_678_400)), ("2678401", None)] {
            let read = text.parse::<ClockSettings>().ok().map(|clock| clock.time.as_secs());
            assert_eq!(read, seconds, "{text}");
        }
        let with = |name: &str, value: &str| {
            let mut time_control = TimeControl::default();
            time_control.set(name, value).unwrap();
            (time_control.is_timed(), time_control.is_unlimited(), time_control.to_string())
        };
        assert_eq!(with("tc", "1+1"), (true, false, "1+1".to_owned()));
        assert_eq!(with("movetime", "1"), (true, false, "1 ms a move".to_owned()));
        assert_eq!(with("nodes", "1"), (false, false, "1 nodes".to_owned()));
        assert_eq!(with("name", "1"), (false, true, "-".to_owned()));
        // What a clock does not limit, it passes on.
        let time_control = TimeControl { movetime: Some(100 * MS), depth: Some(3), ..TimeControl::default() };
        let (timer, other) = (Timer::new(time_control), Timer::new(TimeControl::default()));
        let expected = MoveLimits { movetime: Some(100 * MS), depth: Some(3), ..MoveLimits::default() };
        assert_eq!(timer.limits(1, &other), expected);
        // An opponent without a clock is shown with ours.
        let timer = Timer::new(TimeControl { clock: Some("3+1".parse().unwrap()), ..TimeControl::default() });
        let clock = timer.limits(1, &other).clock.unwrap();
        assert_eq!((clock.remaining, clock.increment), ([3_000 * MS; 2], [1_000 * MS; 2]));
        // All of the time may be used.
        let mut timer = timer;
        assert!(timer.charge(3_000 * MS, Duration::ZERO) && !timer.charge(1_001 * MS, Duration::ZERO));
        let mut timer = Timer::new(TimeControl { movetime: Some(100 * MS), ..TimeControl::default() });
        assert!(timer.charge(110 * MS, 10 * MS));
    }
}
