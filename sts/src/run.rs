//! Engines answer a suite: every position in a fresh game, several at once if wanted, engine after engine.
//!
//! Workers take the next position that nobody has, each with a player of its own. What a player answers does not depend
//! on what it answered before, so that with a limit of nodes the outcome is the same for any number of workers. A player
//! that does something wrong is named with the position and replaced, and the run goes on.

use crate::outcome::{EngineOutcome, Outcome, PositionOutcome};
use crate::save::SaveError;
use crate::suite::{Suite, SuitePosition};
use board::Game;
use player::{Fault, MoveLimits, Player, PlayerFactory};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How often in a row a player that has been there may fail to come back.
const STARTS: u32 = 3;
/// Between two attempts to start a player.
const PAUSE: Duration = Duration::from_millis(200);

/// An engine that takes part.
pub struct Entrant {
    /// What the table calls it.
    pub name: String,
    /// What it was told to be.
    pub command: String,
    /// Makes its players.
    pub maker: PlayerFactory,
}

/// How a suite is run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The limits of each search.
    pub limits: MoveLimits,
    /// How often each position is answered.
    pub repetitions: u32,
    /// Positions searched at once.
    pub concurrency: usize,
}

/// An answer of an entrant, named by its index.
pub type Answer = (usize, PositionOutcome);

/// Asked between searches, on any thread, whether the run is to end.
pub type Stop<'a> = dyn Fn() -> bool + Sync + 'a;

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An engine cannot be had.
    #[error("the engine {engine} {fault}")]
    Start {
        /// The engine's name or command.
        engine: String,
        /// Why it cannot.
        fault: Fault,
    },
    /// Someone asked it to stop.
    #[error("stopped after {done} of {all} answers")]
    Stopped {
        /// The answers so far, with those known before.
        done: usize,
        /// All answers of the run.
        all: usize,
    },
    /// The answers cannot be saved.
    #[error(transparent)]
    Save(#[from] SaveError),
}

impl Entrant {
    /// Starts the engine once, to see that it can be, and for its name if none is given.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn new(name: Option<String>, command: String, maker: PlayerFactory) -> Result<Self, RunError> {
        let started = maker().map(|player| player.name().to_owned());
        match started {
            Ok(own_name) => Ok(Self { name: name.unwrap_or(own_name), command, maker }),
            Err(fault) => Err(RunError::Start { engine: name.unwrap_or(command), fault }),
        }
    }
}

impl Plan {
    /// The limits in words, such as `100 ms a position`.
    pub fn limits_in_words(&self) -> String {
        let MoveLimits { clock: _, movetime, nodes, depth } = self.limits;
        let time = movetime.map(|time| format!("{} ms", time.as_millis()));
        let nodes = nodes.map(|nodes| format!("{nodes} nodes"));
        let depth = depth.map(|depth| format!("depth {depth}"));
        let words: Vec<_> = [time, nodes, depth].into_iter().flatten().collect();
        format!("{} a position", words.join(" or "))
    }

    /// The number of answers of one entrant.
    pub fn answers(&self, suite: &Suite) -> usize {
        suite.positions.len() * self.repetitions as usize
    }
}

/// Runs the entrants over the suite, one after another. Of the answers that are `known` already, those that belong to
/// this run are taken over; each new one is told to `answered` at once, on the calling thread. Once `stop` says
/// so, the run ends after the searches under way.
///
/// # Errors
/// See [`RunError`].
pub fn run(
    suite: &Suite,
    entrants: &[Entrant],
    plan: &Plan,
    known: Vec<Answer>,
    stop: &Stop,
    answered: &mut dyn FnMut(usize, &PositionOutcome) -> Result<(), SaveError>,
) -> Result<Outcome, RunError> {
    let all = entrants.len() * plan.answers(suite);
    let mut known = Known::sort(suite, entrants.len(), plan, known);
    let mut done = known.iter().map(|entrant| entrant.answers.len()).sum();
    let mut engines = Vec::with_capacity(entrants.len());
    for (index, entrant) in entrants.iter().enumerate() {
        let Known { mut answers, seen } = std::mem::take(&mut known[index]);
        let all_jobs = (1..=plan.repetitions)
            .flat_map(|repetition| suite.positions.iter().map(move |position| Job { suite, position, repetition }));
        let jobs: Vec<_> = all_jobs.filter(|job| !seen.contains(&(job.repetition, job.position.line))).collect();
        run_entrant(entrant, plan, &jobs, stop, &mut |answer| {
            answered(index, &answer)?;
            done += 1;
            answers.push(answer);
            Ok(())
        })?;
        if answers.len() < plan.answers(suite) {
            return Err(RunError::Stopped { done, all });
        }
        answers.sort_by_key(|answer| (answer.repetition, answer.line));
        engines.push(EngineOutcome {
            engine: entrant.name.clone(),
            command: entrant.command.clone(),
            positions: answers,
        });
    }
    Ok(Outcome {
        suite: suite.name.clone(),
        suite_sha256: suite.sha256.clone(),
        limits: plan.limits_in_words(),
        repetitions: plan.repetitions,
        concurrency: plan.concurrency,
        themes: suite.theme_maxima(),
        engines,
    })
}

/// The known answers of one entrant, each place once.
#[derive(Default)]
struct Known {
    answers: Vec<PositionOutcome>,
    seen: HashSet<(u32, usize)>,
}

impl Known {
    fn sort(suite: &Suite, entrants: usize, plan: &Plan, answers: Vec<Answer>) -> Vec<Self> {
        let lines: HashSet<_> = suite.positions.iter().map(|position| position.line).collect();
        let mut known: Vec<_> = (0..entrants).map(|_| Self::default()).collect();
        for (entrant, answer) in answers {
            let wanted = (1..=plan.repetitions).contains(&answer.repetition) && lines.contains(&answer.line);
            if let Some(known) = known.get_mut(entrant).filter(|_| wanted)
                && known.seen.insert((answer.repetition, answer.line))
            {
                known.answers.push(answer);
            }
        }
        known
    }
}

/// A position to be answered.
struct Job<'a> {
    suite: &'a Suite,
    position: &'a SuitePosition,
    repetition: u32,
}

/// Shares the jobs out among the workers and takes their answers as they come.
fn run_entrant(
    entrant: &Entrant,
    plan: &Plan,
    jobs: &[Job],
    stop: &Stop,
    take: &mut dyn FnMut(PositionOutcome) -> Result<(), RunError>,
) -> Result<(), RunError> {
    let failed = AtomicBool::new(false);
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..plan.concurrency.clamp(1, jobs.len().max(1)) {
            let worker = Worker { entrant, limits: &plan.limits, jobs, next: &next, stop, failed: &failed };
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

/// One thread with its player.
struct Worker<'a> {
    entrant: &'a Entrant,
    limits: &'a MoveLimits,
    jobs: &'a [Job<'a>],
    /// The first job that nobody has.
    next: &'a AtomicUsize,
    stop: &'a Stop<'a>,
    /// The run has failed.
    failed: &'a AtomicBool,
}

impl Worker<'_> {
    fn run(&self, send: &mpsc::Sender<Result<PositionOutcome, RunError>>) {
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
                Err(fault) => Err(RunError::Start { engine: self.entrant.name.clone(), fault }),
            };
            let over = answer.is_err();
            // Nobody listens any more when the run has failed.
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
            match (self.entrant.maker)() {
                Err(_) if attempt < STARTS && !self.ended() => std::thread::sleep(PAUSE),
                started => return started,
            }
            attempt += 1;
        }
    }

    /// The answer, and the player unless it did something wrong.
    fn answer(&self, mut player: Box<dyn Player>, job: &Job) -> (PositionOutcome, Option<Box<dyn Player>>) {
        let SuitePosition { line, ref id, theme, ref position, ref points, chess960 } = *job.position;
        let begun = Instant::now();
        let game = Game::new(position.clone());
        let reply = player.new_game(chess960).and_then(|()| player.go(&game, self.limits));
        let mut answer = PositionOutcome {
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
