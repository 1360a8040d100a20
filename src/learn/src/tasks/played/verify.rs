//! Is a network that has learned not worse than it was? Games of the two against each other, until a sequential test has decided.

use engine::EngineSpec;
use engine::in_process::InProcess;
use matches::game::{PlayedGame, Rules};
use matches::header::PlayerDescription;
use matches::openings::Openings;
use matches::runner::{MatchPlayer, Runner};
use matches::schedule::{Fixture, Format, Schedule};
use matches::score::{MatchScore, Points};
use matches::sprt::{EloModel, Sprt, Verdict};
use matches::tally::Tally;
use matches::time_control::TimeControl;
use pgn::GameResult;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The hypotheses: as much worse as this, or not worse, in Elo; both errors 5 %.
const WORSE: f64 = -10.0;

/// How the games are played.
#[derive(Debug, Clone, Copy)]
pub struct VerifyOptions {
    /// The most games.
    pub games: u64,
    /// Nodes a move.
    pub nodes: u64,
    /// Determines the openings.
    pub seed: u64,
    /// The number of games played at the same time.
    pub concurrency: usize,
}

/// What the games say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verification {
    /// The new network's score.
    pub score: MatchScore,
    /// The test's log-likelihood ratio.
    pub llr: f64,
    /// Whether the new network may replace the old one: the test has not decided against it and, if it has not decided at all, finds
    /// "not worse" likelier.
    pub is_good: bool,
    /// Whether the test has decided before the games ended.
    pub is_decided: bool,
}

/// Plays `new` against `old`; `None` if it was stopped. The games count in their order, so that the outcome does not depend on the
/// number of games at a time. `progress` is told how many are done.
///
/// # Errors
/// If an engine cannot play.
pub fn verify(
    new: &EngineSpec,
    old: &EngineSpec,
    options: &VerifyOptions,
    stop: &(dyn Fn() -> bool + Sync),
    mut progress: impl FnMut(u64),
) -> anyhow::Result<Option<Verification>> {
    let sprt = Sprt::new(WORSE, 0.0, 0.05, 0.05, EloModel::Logistic)?;
    let player = |name: &str, spec: &EngineSpec| MatchPlayer {
        description: PlayerDescription {
            name: name.to_owned(),
            engine: name.to_owned(),
            limits: String::new(),
            program: String::new(),
        },
        time_control: TimeControl { nodes: Some(options.nodes), ..TimeControl::default() },
        factory: InProcess::factory(spec.clone()),
        files: Vec::new(),
    };
    let players = [player("new", new), player("old", old)];
    let schedule = Schedule::new(2, Format::Gauntlet, options.games.div_ceil(2));
    let openings = Openings::Random(options.seed);
    let rules = Rules::default();
    let runner = Runner {
        players: &players,
        schedule: &schedule,
        openings: &openings,
        odds: None,
        rules,
        concurrency: options.concurrency,
    };
    let mut count = Count { sprt, tally: Tally::default(), waiting: BTreeMap::new(), next: 0 };
    let games: Vec<u64> = (0..schedule.games()).collect();
    let mut done = 0;
    runner.run(&games, stop, &mut |fixture, played| {
        done += 1;
        progress(done);
        count.take(fixture, &played)
    })?;
    let (llr, verdict) = count.state();
    let is_over = count.next == schedule.games() || verdict != Verdict::Continue;
    let is_good = verdict == Verdict::AcceptH1 || verdict == Verdict::Continue && llr > 0.0;
    Ok(is_over.then(|| Verification {
        score: count.tally.score(),
        llr,
        is_good,
        is_decided: verdict != Verdict::Continue,
    }))
}

/// Games are counted in their order, until the test decides.
struct Count {
    sprt: Sprt,
    tally: Tally,
    waiting: BTreeMap<u64, (u64, Points)>,
    next: u64,
}

impl Count {
    fn take(&mut self, fixture: &Fixture, played: &PlayedGame) -> ControlFlow<()> {
        let points = match (played.result, fixture.players[0]) {
            (GameResult::Draw, _) => Points::Draw,
            (GameResult::WhiteWins, 0) | (GameResult::BlackWins, 1) => Points::Win,
            _ => Points::Loss,
        };
        self.waiting.insert(fixture.game, (fixture.pair, points));
        while self.state().1 == Verdict::Continue
            && let Some((pair, points)) = self.waiting.remove(&self.next)
        {
            self.tally.add(pair, points);
            self.next += 1;
        }
        if self.state().1 == Verdict::Continue { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn state(&self) -> (f64, Verdict) {
        let llr = self.sprt.llr(&self.tally.score());
        (llr, self.sprt.verdict(llr))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::EvalKind;

    #[test]
    fn what_is_worse_is_refused_whatever_the_number_of_threads() {
        let spec = |eval| EngineSpec { eval, hash_megabytes: 1, ..EngineSpec::default() };
        let (good, bad) = (spec(EvalKind::Network), spec(EvalKind::Material));
        let play = |new: &EngineSpec, old: &EngineSpec, concurrency| {
            let options = VerifyOptions { games: 400, nodes: 60, seed: 1, concurrency };
            verify(new, old, &options, &|| false, |_| ()).unwrap().unwrap()
        };
        let worse = play(&bad, &good, 1);
        assert!(!worse.is_good && worse.llr < 0.0 && worse.score.games() < 400, "{worse:?}");
        assert_eq!(play(&bad, &good, 3), worse);
        assert!(worse.is_decided && play(&good, &bad, 2).is_good);
        let options = VerifyOptions { games: 4, nodes: 60, seed: 1, concurrency: 1 };
        assert!(!verify(&good, &good, &options, &|| false, |_| ()).unwrap().unwrap().is_decided);
        let options = VerifyOptions { games: 400, nodes: 60, seed: 1, concurrency: 1 };
        assert!(verify(&good, &bad, &options, &|| true, |_| ()).unwrap().is_none());
    }

    #[test]
    fn games_count_in_their_order_and_for_the_new_network() {
        let sprt = Sprt::new(WORSE, 0.0, 0.05, 0.05, EloModel::Logistic).unwrap();
        let mut count = Count { sprt, tally: Tally::default(), waiting: BTreeMap::new(), next: 0 };
        let game = |number, result| {
            let players = if number % 2 == 0 { [0, 1] } else { [1, 0] };
            let fixture = Fixture { game: number, pair: number / 2, opening: number / 2, players };
            let played = PlayedGame {
                moves: Vec::new(),
                result,
                termination: matches::termination::Termination::Mate,
                reason: String::new(),
                limit_uses: Default::default(),
                runner_lateness: None,
            };
            (fixture, played)
        };
        use GameResult::{BlackWins, Draw, WhiteWins};
        // The new network wins, wins with Black, draws, loses with Black and loses.
        for (number, result, counted) in
            [(1, BlackWins, 0), (0, WhiteWins, 2), (2, Draw, 3), (4, BlackWins, 3), (3, WhiteWins, 5)]
        {
            let (fixture, played) = game(number, result);
            assert_eq!(count.take(&fixture, &played), ControlFlow::Continue(()));
            assert_eq!((count.next, count.tally.score().games()), (counted, counted));
        }
        assert_eq!(count.tally.score().total().counts(), [2, 1, 2]);
        assert!(count.waiting.is_empty());
    }
}
