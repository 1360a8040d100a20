//! A program that speaks UCI, as a player.
//!
//! A search has a deadline: the time it was given (the mover's clock, the fixed time) and the patience's `grace`; without a
//! limit of time, the patience's `search` since the engine's last word. An engine that has not moved by then, or reports
//! that it has left its limit of nodes or depth far behind, is told to stop. If it moves at once, it was only late, and its
//! reply says by how much; if it does not, it stalled.
//!
//! CITE: S. Meyer-Kahlen, "UCI protocol", 2006.

use crate::process::Process;
use crate::report::read_best;
use crate::{Clock, Command, EngineOption, Fault, Info, Limits, OptionKind, Patience, Player, Reply};
use board::{Game, Position};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// How long an engine that was told to stop may take to move.
const AFTER_STOP: Duration = Duration::from_secs(1);
/// Nothing is waited for longer: a month.
const LONGEST: Duration = Duration::from_secs(31 * 24 * 3600);
/// Nodes that an engine may need to notice that it has had all it was given, beside as many again.
const NODES_TO_NOTICE: u64 = 100_000;
/// The option that decides how castling is written.
const CHESS960: &str = "UCI_Chess960";

/// An engine that runs as a program of its own.
#[derive(Debug)]
pub struct UciEngine {
    process: Process,
    patience: Patience,
    name: String,
    options: Vec<EngineOption>,
    chess960: bool,
}

impl UciEngine {
    /// Starts the program, sets its options, and waits until it is ready.
    ///
    /// # Errors
    /// If there is no such program, it does not speak UCI, has not an option or does not take its value, or is not ready
    /// within the patience.
    pub fn start(command: &Command, patience: Patience) -> Result<Self, Fault> {
        let process = Process::start(command)?;
        let name = command.short_name().to_owned();
        let mut engine = Self { process, patience, name, options: Vec::new(), chess960: false };
        engine.introduce().map_err(|fault| match fault {
            Fault::Crash(how) => Fault::NotUci(format!("it ended before it said uciok ({how})")),
            other => other,
        })?;
        for (name, value) in &command.options {
            engine.set_option(name, value)?;
        }
        engine.wait_until_ready(patience.ready)?;
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
    /// If the engine has no such option, the value does not fit it, or the engine has ended.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), Fault> {
        let option =
            self.option(name).ok_or_else(|| Fault::Start(format!("it has no option '{}'", crate::clip(name))))?;
        let line = option.set(value).map_err(Fault::Start)?;
        if option.name.eq_ignore_ascii_case(CHESS960) {
            self.chess960 = value.trim() == "true";
        }
        self.process.send(&line)
    }

    /// Gives its table so many MB, or the nearest that it can have. `None` when its table's size cannot be set.
    ///
    /// # Errors
    /// If it has ended, or is not ready again within its patience.
    pub fn set_hash(&mut self, megabytes: u64) -> Result<Option<i64>, Fault> {
        self.set_nearest("Hash", megabytes)
    }

    /// Lets it search with so many threads, or the nearest that it can. `None` when that cannot be set.
    ///
    /// # Errors
    /// If it has ended, or is not ready again within its patience.
    pub fn set_threads(&mut self, threads: u64) -> Result<Option<i64>, Fault> {
        self.set_nearest("Threads", threads)
    }

    /// As [`Player::go`]; `observe` hears each report that has a score, of every line and bound, as it comes.
    ///
    /// # Errors
    /// As [`Player::go`].
    pub fn go_observed(
        &mut self,
        game: &Game,
        limits: &Limits,
        observe: &mut dyn FnMut(&Info),
    ) -> Result<Reply, Fault> {
        self.process.send(&position_command(game, self.chess960))?;
        // A stray answer to an earlier search is over by then.
        self.wait_until_ready(self.patience.grace)?;
        let given = time_given(game.position(), limits);
        let begun = Instant::now();
        self.process.send(&go_command(limits))?;
        let wait = given.map_or(self.patience.search, |time| time.saturating_add(self.patience.grace));
        let mut deadline = begun + wait.min(LONGEST);
        let mut told_to_stop = false;
        let mut said = Info::default();
        loop {
            let Some(line) = self.process.line_by(deadline)? else {
                if told_to_stop {
                    return Err(Fault::Stall(begun.elapsed()));
                }
                told_to_stop = true;
                self.process.send("stop")?;
                deadline = Instant::now() + AFTER_STOP;
                continue;
            };
            let (word, rest) = line.text.split_once(char::is_whitespace).unwrap_or((&line.text, ""));
            if word == "bestmove" {
                let (best, ponder) = read_best(rest, game.position())?;
                return Ok(Reply { best, ponder, info: said, elapsed: line.at.saturating_duration_since(begun) });
            }
            if given.is_none() && !told_to_stop {
                deadline = line.at + self.patience.search.min(LONGEST);
            }
            if word == "info" {
                let info = Info::read(rest, game.position());
                if info.score.is_some() {
                    observe(&info);
                }
                if !told_to_stop && is_past(limits, &info) {
                    deadline = line.at;
                }
                said.update(info);
            }
        }
    }

    /// `uci` to `uciok`: the engine's name and options.
    fn introduce(&mut self) -> Result<(), Fault> {
        let deadline = Instant::now() + self.patience.start.min(LONGEST);
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
        Err(Fault::NotUci(format!("it did not say uciok within {:.1} s", self.patience.start.as_secs_f64())))
    }

    /// `isready` to `readyok`; whatever comes before is forgotten.
    fn wait_until_ready(&mut self, patience: Duration) -> Result<(), Fault> {
        let deadline = Instant::now() + patience.min(LONGEST);
        self.process.send("isready")?;
        while let Some(line) = self.process.line_by(deadline)? {
            if line.text == "readyok" {
                return Ok(());
            }
        }
        Err(Fault::Stall(patience))
    }

    fn set_nearest(&mut self, name: &str, value: u64) -> Result<Option<i64>, Fault> {
        let Some(EngineOption { kind: OptionKind::Spin { min, max, .. }, .. }) = self.option(name) else {
            return Ok(None);
        };
        let value = i64::try_from(value).unwrap_or(i64::MAX).min(*max).max(*min);
        self.set_option(name, &value.to_string())?;
        self.wait_until_ready(self.patience.ready)?;
        Ok(Some(value))
    }
}

impl Player for UciEngine {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, chess960: bool) -> Result<(), Fault> {
        if chess960 != self.chess960 {
            let why = format!("it plays no Chess960, for it has no option '{CHESS960}'");
            self.option(CHESS960).ok_or(Fault::Start(why))?;
            self.set_option(CHESS960, if chess960 { "true" } else { "false" })?;
        }
        self.process.send("ucinewgame")?;
        self.wait_until_ready(self.patience.ready)
    }

    fn go(&mut self, game: &Game, limits: &Limits) -> Result<Reply, Fault> {
        self.go_observed(game, limits, &mut |_| {})
    }
}

/// The time after which a search must have ended, if there is one.
fn time_given(position: &Position, limits: &Limits) -> Option<Duration> {
    let clock = limits.clock.map(|clock| clock.remaining[position.side_to_move() as usize]);
    clock.into_iter().chain(limits.movetime).min()
}

/// Does the engine ignore its limit of nodes or depth?
fn is_past(limits: &Limits, info: &Info) -> bool {
    let exceeds = |said: Option<u64>, limit: Option<u64>| said.zip(limit).is_some_and(|(said, limit)| said > limit);
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

fn go_command(limits: &Limits) -> String {
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

/// At least 1: engines take a time of 0 for none given.
fn milliseconds(time: Duration) -> u128 {
    time.as_millis().max(1)
}
