//! A program that speaks UCI, as a player.
//!
//! Every search has a deadline. With a time limit (the mover's clock or a fixed time per move) the deadline is that time
//! plus [`Timeouts::grace`]; without one it is [`Timeouts::search`] after the engine's last line. An engine that has not
//! moved by then, or that reports far more nodes or depth than its limit, receives `stop`. If it then moves within
//! `AFTER_STOP`, it was only late, and [`Reply::elapsed`] says by how much; if not, it stalled.
// CITE: S. Meyer-Kahlen, "Description of the universal chess interface (UCI)" (2006).

use crate::info_line::read_best;
use crate::process::Process;
use crate::{Clock, EngineCommand, EngineOption, Fault, InfoLine, MoveLimits, OptionKind, Player, Reply, Timeouts};
use board::{Game, Position};
use std::fmt::Write;
use std::time::{Duration, Instant};
use support::pool::Stop;
use support::text::clip;

/// How long an engine may take to move after `stop`.
const AFTER_STOP: Duration = Duration::from_secs(1);
/// The longest wait: a month. It keeps deadlines representable.
const LONGEST: Duration = Duration::from_secs(31 * 24 * 3600);
/// An engine is past its node limit when it reports more than twice the limit plus this many nodes: engines poll rarely.
const NODES_TO_NOTICE: u64 = 100_000;
/// The option that selects the notation of castling.
const CHESS960: &str = "UCI_Chess960";

/// An engine that runs as a program of its own.
#[derive(Debug)]
pub struct UciEngine {
    process: Process,
    timeouts: Timeouts,
    name: String,
    options: Vec<EngineOption>,
    chess960: bool,
}

impl UciEngine {
    /// Starts the program, sets its options, and waits until it is ready.
    ///
    /// # Errors
    /// If the program does not exist, does not speak UCI, lacks an option, does not accept an option's value, or is not
    /// ready within its timeouts.
    pub fn start(command: &EngineCommand, timeouts: Timeouts) -> Result<Self, Fault> {
        let process = Process::start(command)?;
        let name = command.short_name().to_owned();
        let mut engine = Self { process, timeouts, name, options: Vec::new(), chess960: false };
        engine.introduce().map_err(|fault| match fault {
            Fault::Crash(how) => Fault::NotUci(format!("it ended before it said uciok ({how})")),
            other => other,
        })?;
        for (name, value) in &command.options {
            engine.set_option(name, value)?;
        }
        engine.wait_until_ready(timeouts.ready)?;
        Ok(engine)
    }

    /// The options that the engine declares.
    pub fn options(&self) -> &[EngineOption] {
        &self.options
    }

    /// The option of this name, in any case, if the engine has it.
    pub fn option(&self, name: &str) -> Option<&EngineOption> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name.trim()))
    }

    /// Sets an option; an empty value presses a button.
    ///
    /// # Errors
    /// If the engine has no such option, the option does not accept the value, or the engine has exited.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), Fault> {
        let option = self.option(name).ok_or_else(|| Fault::Start(format!("it has no option '{}'", clip(name))))?;
        let line = option.set(value).map_err(Fault::Start)?;
        if option.name.eq_ignore_ascii_case(CHESS960) {
            self.chess960 = value.trim() == "true";
        }
        self.process.send(&line)
    }

    /// Sets the option `Hash` to `megabytes`, or to the nearest value that it accepts, which is returned. `None` if the
    /// engine has no such option.
    ///
    /// # Errors
    /// If the engine has exited, or is not ready again within its timeouts.
    pub fn set_hash(&mut self, megabytes: u64) -> Result<Option<i64>, Fault> {
        self.set_nearest("Hash", megabytes)
    }

    /// Sets the option `Threads`, or the nearest value that it accepts, which is returned. `None` if the engine has no
    /// such option.
    ///
    /// # Errors
    /// If the engine has exited, or is not ready again within its timeouts.
    pub fn set_threads(&mut self, threads: u64) -> Result<Option<i64>, Fault> {
        self.set_nearest("Threads", threads)
    }

    /// Sets the option `MultiPV`, or the nearest value that it accepts, which is returned. `None` if the engine has no such option.
    ///
    /// # Errors
    /// If the engine has exited, or is not ready again within its timeouts.
    pub fn set_multipv(&mut self, lines: u64) -> Result<Option<i64>, Fault> {
        self.set_nearest("MultiPV", lines)
    }

    /// As [`Player::go`], and calls `observe` for every `info` line with a score, as it arrives.
    ///
    /// # Errors
    /// As [`Player::go`].
    pub fn go_observed(
        &mut self,
        game: &Game,
        limits: &MoveLimits,
        stop: &Stop,
        observe: &mut dyn FnMut(&InfoLine),
    ) -> Result<Reply, Fault> {
        self.process.send(&position_command(game, self.chess960))?;
        // This also discards a late answer to an earlier search.
        self.wait_until_ready(self.timeouts.grace)?;
        let given = time_limit(game.position(), limits);
        let begun = Instant::now();
        self.process.send(&go_command(limits))?;
        let wait = given.map_or(self.timeouts.search, |time| time.saturating_add(self.timeouts.grace));
        let mut deadline = begun + wait.min(LONGEST);
        let mut stop_sent = false;
        let mut info_so_far = InfoLine::default();
        loop {
            let line = self.process.line_by_unless(deadline, stop)?;
            if stop() {
                return Err(Fault::Stopped);
            }
            let Some(line) = line else {
                if stop_sent {
                    return Err(Fault::Stall(begun.elapsed()));
                }
                stop_sent = true;
                self.process.send("stop")?;
                deadline = Instant::now() + AFTER_STOP;
                continue;
            };
            let (word, rest) = line.text.split_once(char::is_whitespace).unwrap_or((&line.text, ""));
            if word == "bestmove" {
                let (best, ponder) = read_best(rest, game.position())?;
                return Ok(Reply {
                    best,
                    ponder,
                    info: info_so_far,
                    elapsed: line.at.saturating_duration_since(begun),
                });
            }
            if given.is_none() && !stop_sent {
                deadline = line.at + self.timeouts.search.min(LONGEST);
            }
            if word == "info" {
                let info = InfoLine::read(rest, game.position());
                if info.score.is_some() {
                    observe(&info);
                }
                if !stop_sent && is_past(limits, &info) {
                    deadline = line.at;
                }
                info_so_far.update(info);
            }
        }
    }

    /// `uci` to `uciok`: reads the engine's name and options.
    fn introduce(&mut self) -> Result<(), Fault> {
        let deadline = Instant::now() + self.timeouts.start.min(LONGEST);
        self.process.send("uci")?;
        while let Some(line) = self.process.line_by(deadline)? {
            let (word, rest) = line.text.split_once(char::is_whitespace).unwrap_or((&line.text, ""));
            match word {
                "uciok" => return Ok(()),
                "id" => {
                    if let Some(name) = rest.trim_start().strip_prefix("name ") {
                        self.name = name.trim().to_owned();
                    }
                }
                "option" => self.options.extend(EngineOption::read(rest)),
                _ => {}
            }
        }
        Err(Fault::NotUci(format!("it did not say uciok within {:.1} s", self.timeouts.start.as_secs_f64())))
    }

    /// `isready` to `readyok`; every line before `readyok` is discarded.
    fn wait_until_ready(&mut self, timeout: Duration) -> Result<(), Fault> {
        let deadline = Instant::now() + timeout.min(LONGEST);
        self.process.send("isready")?;
        while let Some(line) = self.process.line_by(deadline)? {
            if line.text == "readyok" {
                return Ok(());
            }
        }
        Err(Fault::Stall(timeout))
    }

    fn set_nearest(&mut self, name: &str, value: u64) -> Result<Option<i64>, Fault> {
        let Some(EngineOption { kind: OptionKind::Spin { min, max, .. }, .. }) = self.option(name) else {
            return Ok(None);
        };
        let value = i64::try_from(value).unwrap_or(i64::MAX).min(*max).max(*min);
        self.set_option(name, &value.to_string())?;
        self.wait_until_ready(self.timeouts.ready)?;
        Ok(Some(value))
    }
}

impl Player for UciEngine {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, chess960: bool) -> Result<(), Fault> {
        if chess960 != self.chess960 {
            let why = format!("it cannot play Chess960 because it has no option '{CHESS960}'");
            self.option(CHESS960).ok_or(Fault::Start(why))?;
            self.set_option(CHESS960, if chess960 { "true" } else { "false" })?;
        }
        self.process.send("ucinewgame")?;
        self.wait_until_ready(self.timeouts.ready)
    }

    fn go(&mut self, game: &Game, limits: &MoveLimits, stop: &Stop) -> Result<Reply, Fault> {
        self.go_observed(game, limits, stop, &mut |_| {})
    }
}

/// The time limit of a search, if it has one.
fn time_limit(position: &Position, limits: &MoveLimits) -> Option<Duration> {
    let clock = limits.clock.map(|clock| clock.remaining[position.side_to_move() as usize]);
    clock.into_iter().chain(limits.movetime).min()
}

/// Does the engine report that it ignores its limit of nodes or depth?
fn is_past(limits: &MoveLimits, info: &InfoLine) -> bool {
    let exceeds = |reported: Option<u64>, limit: Option<u64>| {
        reported.zip(limit).is_some_and(|(reported, limit)| reported > limit)
    };
    let nodes = limits.nodes.map(|nodes| nodes.saturating_mul(2).saturating_add(NODES_TO_NOTICE));
    let depth = info.depth.filter(|_| info.score.is_some());
    exceeds(info.nodes, nodes) || exceeds(depth.map(u64::from), limits.depth.map(u64::from))
}

fn position_command(game: &Game, chess960: bool) -> String {
    let start = game.start();
    // In Chess960 the castling rights are named in full.
    let mut text = match !chess960 && *start == Position::start() {
        true => "position startpos".to_owned(),
        false => format!("position fen {}", start.to_fen(chess960)),
    };
    if !game.moves().is_empty() {
        text.push_str(" moves");
    }
    let mut position = start.clone();
    for &mv in game.moves() {
        text.push(' ');
        text.push_str(&position.uci(mv, chess960));
        position = position.play(mv);
    }
    text
}

fn go_command(limits: &MoveLimits) -> String {
    let mut text = "go".to_owned();
    let mut limit = |name: &str, value: u128| {
        let _ = write!(text, " {name} {value}");
    };
    if let Some(Clock { remaining: [white, black], increment, moves_to_go }) = limits.clock {
        limit("wtime", milliseconds(white));
        limit("btime", milliseconds(black));
        limit("winc", increment[0].as_millis());
        limit("binc", increment[1].as_millis());
        if let Some(moves) = moves_to_go {
            limit("movestogo", moves.into());
        }
    }
    if let Some(time) = limits.movetime {
        limit("movetime", milliseconds(time));
    }
    if let Some(nodes) = limits.nodes {
        limit("nodes", nodes.into());
    }
    if let Some(depth) = limits.depth {
        limit("depth", depth.into());
    }
    text
}

/// At least 1: engines read a time of 0 as no limit.
fn milliseconds(time: Duration) -> u128 {
    time.as_millis().max(1)
}
