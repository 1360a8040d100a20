//! Runs engines over a suite, one engine after another, every position as a new game.
//!
//! Each worker thread has its own player and takes the next free position. A player's answer must not depend on its
//! earlier answers, so that with a node limit the result is the same for any number of workers. A player that causes a
//! fault is replaced, the fault is recorded with the position, and the run continues.

use crate::result::{EngineResult, PositionResult, SuiteResult};
use crate::suite::{Suite, SuitePosition};
use board::Game;
use player::{Fault, LimitUse, MoveLimits, Player, PlayerFactory};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use support::journal::JournalError;
use support::pool::{self, Stop};

/// Attempts to start a player before the run fails.
const START_ATTEMPTS: u32 = 3;
/// The pause between two attempts to start a player.
const PAUSE: Duration = Duration::from_millis(200);

/// An engine of a run.
pub struct SuiteEngine {
    /// Its name in the reports.
    pub name: String,
    /// Its command and options, or Okapi's own settings.
    pub command: String,
    /// What exactly plays: two engines with the same text answer the same. Saved answers depend on it.
    pub program: String,
    /// Makes its players.
    pub factory: PlayerFactory,
}

/// The settings of a run.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// The limits of each search.
    pub limits: MoveLimits,
    /// How often each position is searched.
    pub repetitions: u32,
    /// Positions searched at once.
    pub concurrency: usize,
}

/// The index of an engine, and one of its answers.
pub type Answer = (usize, PositionResult);

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An engine cannot be started.
    #[error("the engine {engine} {fault}")]
    Start {
        /// The engine's name or command.
        engine: String,
        /// Why it cannot be started.
        fault: Fault,
    },
    /// The user stopped it.
    #[error("stopped after {done} of {all} answers")]
    Stopped {
        /// The answers so far, including those known before the run.
        done: usize,
        /// The answers of the whole run.
        all: usize,
        /// What there is of the results.
        results: Box<SuiteResult>,
    },
    /// The answers cannot be saved.
    #[error(transparent)]
    Save(#[from] JournalError),
}

impl SuiteEngine {
    /// Starts the engine once, to check that it works and to get its name if `name` is `None`.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn new(
        name: Option<String>,
        command: String,
        program: String,
        factory: PlayerFactory,
    ) -> Result<Self, RunError> {
        let started = factory().map(|player| player.name().to_owned());
        match started {
            Ok(own_name) => Ok(Self { name: name.unwrap_or(own_name), command, program, factory }),
            Err(fault) => Err(RunError::Start { engine: name.unwrap_or(command), fault }),
        }
    }
}

impl RunSettings {
    /// The limits as text, such as `100 ms a position`. Reports and saved answers are compared by it.
    pub fn limits_in_words(&self) -> String {
        let MoveLimits { clock: _, movetime, nodes, depth } = self.limits;
        let time = movetime.map(|time| format!("{} ms", time.as_millis()));
        let nodes = nodes.map(|nodes| format!("{nodes} nodes"));
        let depth = depth.map(|depth| format!("depth {depth}"));
        let words: Vec<_> = [time, nodes, depth].into_iter().flatten().collect();
        format!("{} a position", words.join(" or "))
    }

    /// The number of answers per engine.
    pub fn answers(&self, suite: &Suite) -> usize {
        suite.positions.len() * self.repetitions as usize
    }
}

/// Runs the engines over the suite, one after another. Answers in `known` that belong to this run are kept; each new
/// answer is passed to `answered` at once, on the calling thread. Once `stop` returns true, the run ends, without the
/// answers of the current searches.
///
/// # Errors
/// See [`RunError`].
pub fn run(
    suite: &Suite,
    engines: &[SuiteEngine],
    settings: &RunSettings,
    known: Vec<Answer>,
    stop: &Stop,
    answered: &mut dyn FnMut(usize, &PositionResult) -> Result<(), JournalError>,
) -> Result<SuiteResult, RunError> {
    let all = engines.len() * settings.answers(suite);
    let mut known = KnownAnswers::by_engine(suite, engines.len(), settings, known);
    let mut done = known.iter().map(|engine| engine.answers.len()).sum();
    let mut results = SuiteResult {
        suite: suite.name.clone(),
        suite_sha256: suite.sha256.clone(),
        limits: settings.limits_in_words(),
        repetitions: settings.repetitions,
        concurrency: settings.concurrency,
        themes: suite.theme_maxima(),
        mixed_from: Vec::new(),
        engines: Vec::with_capacity(engines.len()),
    };
    for (index, engine) in engines.iter().enumerate() {
        let KnownAnswers { mut answers, seen } = std::mem::take(&mut known[index]);
        let all_jobs = (1..=settings.repetitions)
            .flat_map(|repetition| suite.positions.iter().map(move |position| Job { suite, position, repetition }));
        let jobs: Vec<_> = all_jobs.filter(|job| !seen.contains(&(job.repetition, job.position.line))).collect();
        run_engine(engine, settings, &jobs, stop, &mut |answer| {
            answered(index, &answer)?;
            done += 1;
            answers.push(answer);
            Ok(())
        })?;
        let is_complete = answers.len() == settings.answers(suite);
        answers.sort_by_key(|answer| (answer.repetition, answer.line));
        let (engine, command) = (engine.name.clone(), engine.command.clone());
        results.engines.push(EngineResult { engine, command, positions: answers });
        if !is_complete {
            return Err(RunError::Stopped { done, all, results: Box::new(results) });
        }
    }
    Ok(results)
}

/// The known answers of one engine, at most one per position and repetition.
#[derive(Default)]
struct KnownAnswers {
    answers: Vec<PositionResult>,
    seen: HashSet<(u32, usize)>,
}

impl KnownAnswers {
    fn by_engine(suite: &Suite, engines: usize, settings: &RunSettings, answers: Vec<Answer>) -> Vec<Self> {
        let lines: HashSet<_> = suite.positions.iter().map(|position| position.line).collect();
        let mut known: Vec<_> = (0..engines).map(|_| Self::default()).collect();
        for (engine, answer) in answers {
            let wanted = (1..=settings.repetitions).contains(&answer.repetition) && lines.contains(&answer.line);
            if let Some(known) = known.get_mut(engine).filter(|_| wanted)
                && known.seen.insert((answer.repetition, answer.line))
            {
                known.answers.push(answer);
            }
        }
        known
    }
}

/// A position to search.
#[derive(Clone, Copy)]
struct Job<'a> {
    suite: &'a Suite,
    position: &'a SuitePosition,
    repetition: u32,
}

/// Distributes the jobs among worker threads, each with its own player, and collects their answers as they come.
fn run_engine(
    engine: &SuiteEngine,
    settings: &RunSettings,
    jobs: &[Job],
    stop: &Stop,
    take: &mut dyn FnMut(PositionResult) -> Result<(), RunError>,
) -> Result<(), RunError> {
    let workers = settings.concurrency.clamp(1, jobs.len().max(1));
    let mut players: Vec<Option<Box<dyn Player>>> = (0..workers).map(|_| None).collect();
    let work = |kept: &mut Option<Box<dyn Player>>, job: Job, stop: &Stop| {
        let started = kept.take().map_or_else(|| start(engine, stop), Ok);
        let mut player = started.map_err(|fault| RunError::Start { engine: engine.name.clone(), fault })?;
        let answer = job.answer(&mut *player, &settings.limits, stop);
        *kept = answer.as_ref().is_some_and(|answer| answer.fault.is_none()).then_some(player);
        Ok(answer)
    };
    let mut end = Ok(());
    pool::run(jobs, &mut players, stop, work, |answer: Result<Option<_>, RunError>| {
        if end.is_ok() {
            end = answer.and_then(|answer| answer.map_or(Ok(()), &mut *take));
        }
        if end.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    end
}

fn start(engine: &SuiteEngine, stop: &Stop) -> Result<Box<dyn Player>, Fault> {
    let mut attempt = 1;
    loop {
        match (engine.factory)() {
            Err(_) if attempt < START_ATTEMPTS && !stop() => std::thread::sleep(PAUSE),
            started => return started,
        }
        attempt += 1;
    }
}

impl Job<'_> {
    /// The answer, with a fault if the player must be replaced; `None` if it was stopped.
    fn answer(&self, player: &mut dyn Player, limits: &MoveLimits, stop: &Stop) -> Option<PositionResult> {
        let SuitePosition { line, ref id, theme, ref position, ref points, chess960 } = *self.position;
        let begun = Instant::now();
        let game = Game::new(position.clone());
        let reply = player.new_game(chess960).and_then(|()| player.go(&game, limits, stop));
        let mut answer = PositionResult {
            line,
            id: id.clone(),
            theme: self.suite.themes[theme].clone(),
            repetition: self.repetition,
            played: None,
            points: 0,
            maximum: points.maximum(),
            nodes: None,
            seconds: begun.elapsed().as_secs_f64(),
            exceeded: false,
            hardly_used: false,
            fault: None,
        };
        match reply {
            Ok(reply) => {
                answer.played = Some(position.uci(reply.best, chess960));
                answer.points = points.of(reply.best);
                answer.nodes = reply.info.nodes;
                answer.seconds = reply.elapsed.as_secs_f64();
                let limit_use = limits.use_by(reply.info.nodes, reply.elapsed);
                answer.exceeded = limit_use == LimitUse::Exceeded;
                answer.hardly_used = limit_use == LimitUse::HardlyUsed;
            }
            Err(Fault::Stopped) => return None,
            Err(fault) => answer.fault = Some(fault.to_string()),
        }
        Some(answer)
    }
}
