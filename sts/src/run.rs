//! Runs engines over a suite, one engine after another, every position as a new game.
//!
//! Each worker thread has its own player and takes the next free position. A player's answer must not depend on its
//! earlier answers, so that with a node limit the result is the same for any number of workers. A player that causes a
//! fault is replaced, the fault is recorded with the position, and the run continues.

use crate::result::{EngineResult, PositionResult, SuiteResult};
use crate::suite::{Suite, SuitePosition};
use board::Game;
use player::{Fault, MoveLimits, Player, PlayerFactory};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use support::journal::JournalError;

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

/// Returns whether the run must end. Called between searches on any thread.
pub type Stop<'a> = dyn Fn() -> bool + Sync + 'a;

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
/// answer is passed to `answered` at once, on the calling thread. Once `stop` returns true, the run ends after the
/// current searches.
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
    let mut results = Vec::with_capacity(engines.len());
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
        if answers.len() < settings.answers(suite) {
            return Err(RunError::Stopped { done, all });
        }
        answers.sort_by_key(|answer| (answer.repetition, answer.line));
        results.push(EngineResult { engine: engine.name.clone(), command: engine.command.clone(), positions: answers });
    }
    Ok(SuiteResult {
        suite: suite.name.clone(),
        suite_sha256: suite.sha256.clone(),
        limits: settings.limits_in_words(),
        repetitions: settings.repetitions,
        concurrency: settings.concurrency,
        themes: suite.theme_maxima(),
        mixed_from: Vec::new(),
        engines: results,
    })
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
struct Job<'a> {
    suite: &'a Suite,
    position: &'a SuitePosition,
    repetition: u32,
}

/// Distributes the jobs among worker threads and collects their answers as they come.
fn run_engine(
    engine: &SuiteEngine,
    settings: &RunSettings,
    jobs: &[Job],
    stop: &Stop,
    take: &mut dyn FnMut(PositionResult) -> Result<(), RunError>,
) -> Result<(), RunError> {
    let failed = AtomicBool::new(false);
    let next = AtomicUsize::new(0);
    // Bounded, so that workers do not run ahead of an answer that is being saved.
    let (send, receive) = mpsc::sync_channel(settings.concurrency.max(1));
    std::thread::scope(|scope| {
        for _ in 0..settings.concurrency.clamp(1, jobs.len().max(1)) {
            let worker = Worker { engine, limits: &settings.limits, jobs, next: &next, stop, failed: &failed };
            let send = send.clone();
            scope.spawn(move || worker.run(&send));
        }
        drop(send);
        let mut end = Ok(());
        for answer in receive {
            end = end.and_then(|()| take(answer?));
            failed.store(end.is_err(), Ordering::Relaxed);
        }
        end
    })
}

/// One worker thread with its player.
struct Worker<'a> {
    engine: &'a SuiteEngine,
    limits: &'a MoveLimits,
    jobs: &'a [Job<'a>],
    /// The index of the next free job.
    next: &'a AtomicUsize,
    stop: &'a Stop<'a>,
    /// The run has failed.
    failed: &'a AtomicBool,
}

impl Worker<'_> {
    fn run(&self, send: &mpsc::SyncSender<Result<PositionResult, RunError>>) {
        let mut player = None;
        while !self.ended()
            && let Some(job) = self.jobs.get(self.next.fetch_add(1, Ordering::Relaxed))
        {
            let answer = match player.take().map_or_else(|| self.start(), Ok) {
                Ok(started) => {
                    let (answer, kept) = self.answer(started, job);
                    player = kept;
                    Ok(answer)
                }
                Err(fault) => Err(RunError::Start { engine: self.engine.name.clone(), fault }),
            };
            let over = answer.is_err();
            // The receiver is gone when the run has failed.
            if send.send(answer).is_err() || over {
                return;
            }
        }
    }

    fn ended(&self) -> bool {
        (self.stop)() || self.failed.load(Ordering::Relaxed)
    }

    fn start(&self) -> Result<Box<dyn Player>, Fault> {
        let mut attempt = 1;
        loop {
            match (self.engine.factory)() {
                Err(_) if attempt < START_ATTEMPTS && !self.ended() => std::thread::sleep(PAUSE),
                started => return started,
            }
            attempt += 1;
        }
    }

    /// The answer, and the player unless it caused a fault.
    fn answer(&self, mut player: Box<dyn Player>, job: &Job) -> (PositionResult, Option<Box<dyn Player>>) {
        let SuitePosition { line, ref id, theme, ref position, ref points, chess960 } = *job.position;
        let begun = Instant::now();
        let game = Game::new(position.clone());
        let reply = player.new_game(chess960).and_then(|()| player.go(&game, self.limits));
        let mut answer = PositionResult {
            line,
            id: id.clone(),
            theme: job.suite.themes[theme].clone(),
            repetition: job.repetition,
            played: None,
            points: 0,
            maximum: points.maximum(),
            nodes: None,
            seconds: begun.elapsed().as_secs_f64(),
            fault: None,
        };
        match reply {
            Ok(reply) => {
                answer.played = Some(position.uci(reply.best, chess960));
                answer.points = points.of(reply.best);
                answer.nodes = reply.info.nodes;
                answer.seconds = reply.elapsed.as_secs_f64();
                (answer, Some(player))
            }
            Err(fault) => {
                answer.fault = Some(fault.to_string());
                (answer, None)
            }
        }
    }
}
