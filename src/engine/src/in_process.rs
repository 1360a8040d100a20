//! Okapi as a player in process: the same searches as over UCI, without a program and its pipes between.
//!
//! A search keeps time as it does over UCI, the overhead of a move included, so that matches and suites measure the same
//! engine either way. Limited by nodes or depth alone, the search reads no clock, and replies are the same bits every time.

use crate::assembly::Engine;
use crate::spec::EngineSpec;
use board::{Color, Game, Move};
use player::{Bound, Fault, InfoLine, MoveLimits, Player, PlayerFactory, Reply, Score};
use search::time::{DEFAULT_MOVE_OVERHEAD, GameClock, Lateness, Stopwatch, TimeBudget, Timekeeper};
use search::{self, Handler, SearchInfo, SearchResult, Value, with_deep_stack};
use std::time::{Duration, Instant};
use support::panic::panic_message;
use support::pool::Stop;

/// An engine that plays in this process.
pub struct InProcess {
    engine: Engine,
    name: String,
    move_overhead: Duration,
    /// Of this game.
    lateness: Lateness,
    /// Of the last search.
    answer: Option<SearchResult>,
}

impl InProcess {
    /// An engine of this spec that has not played yet.
    ///
    /// # Errors
    /// If the table or the net cannot be had.
    pub fn new(spec: &EngineSpec, name: impl Into<String>) -> Result<Self, Fault> {
        let engine = spec.build().map_err(|error| Fault::Start(format!("{error:#}")))?;
        Ok(Self {
            engine,
            name: name.into(),
            move_overhead: DEFAULT_MOVE_OVERHEAD,
            lateness: Lateness::default(),
            answer: None,
        })
    }

    /// Makes engines of this spec, all under the program's own name and version.
    pub fn factory(spec: EngineSpec) -> PlayerFactory {
        Box::new(move || {
            let engine = Self::new(&spec, concat!("Okapi ", env!("CARGO_PKG_VERSION")))?;
            Ok(Box::new(engine))
        })
    }

    /// The engine.
    pub fn engine_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// What the last search found.
    pub fn answer(&self) -> Option<&SearchResult> {
        self.answer.as_ref()
    }

    /// A move among these, or any if there are none; else as [`Player::go`].
    ///
    /// # Errors
    /// If the search breaks down, is stopped, or there is no move.
    pub fn go_among(
        &mut self,
        game: &Game,
        limits: &MoveLimits,
        moves: Vec<Move>,
        stop: &Stop,
    ) -> Result<Reply, Fault> {
        let begun = Instant::now();
        let position = game.position();
        let budget = self.budget(limits, position.side_to_move());
        let count = position.legal_moves().len();
        let time = Timekeeper::new(Stopwatch::Wall(begun), budget, count, self.engine.clock_model());
        let mut listener = Listener { time, stop, last: InfoLine::default() };
        let limits = search::SearchLimits {
            nodes: limits.nodes,
            depth: limits.depth.map(|depth| depth.max(1)),
            searchmoves: moves,
            ..Default::default()
        };
        let answer = guarded(|| self.engine.search(game, &limits, &mut listener))?;
        if stop() {
            return Err(Fault::Stopped);
        }
        let elapsed = begun.elapsed();
        listener.time.answered(answer.nodes);
        self.lateness.observe(listener.time.late(), listener.time.answer());
        let announced = answer.announced();
        let (Some(best), ponder) = (answer.best(), announced.get(1).copied()) else {
            return Err(Fault::NoMove("no move".to_owned()));
        };
        let info = listener.conclude(&answer, elapsed);
        self.answer = Some(answer);
        Ok(Reply { best, ponder, info, elapsed })
    }

    fn budget(&self, limits: &MoveLimits, side: Color) -> TimeBudget {
        let clock = limits.clock.map(|clock| {
            let (remaining, increment) = (clock.remaining[side as usize], clock.increment[side as usize]);
            let moves_to_go = clock.moves_to_go.filter(|&moves| moves > 0);
            self.lateness.keep(GameClock { remaining, increment, moves_to_go }, self.move_overhead)
        });
        let overhead = clock.map_or(self.move_overhead, |(_, overhead)| overhead);
        TimeBudget::of(clock.map(|(clock, _)| clock), limits.movetime, overhead)
    }
}

impl Player for InProcess {
    fn name(&self) -> &str {
        &self.name
    }

    /// Forgets the last game. Castling needs no agreement where no move is written.
    fn new_game(&mut self, _chess960: bool) -> Result<(), Fault> {
        self.lateness = Lateness::default();
        self.engine.new_game();
        Ok(())
    }

    fn go(&mut self, game: &Game, limits: &MoveLimits, stop: &Stop) -> Result<Reply, Fault> {
        self.go_among(game, limits, Vec::new(), stop)
    }
}

/// Runs a search on a stack of its own. A panic costs the engine, not the program.
fn guarded<T: Send>(search: impl FnOnce() -> T + Send) -> Result<T, Fault> {
    with_deep_stack(search)
        .map_err(|error| Fault::Start(format!("the system has no thread for it ({error})")))?
        .map_err(|panic| Fault::Crash(format!("panic: {}", panic_message(&*panic))))
}

/// Stops the search in time, or when it is asked to, and remembers what it said last of the best line.
struct Listener<'a> {
    time: Timekeeper,
    stop: &'a Stop<'a>,
    last: InfoLine,
}

impl Handler for Listener<'_> {
    fn poll(&mut self, nodes: u64) -> Result<(), search::Stop> {
        if self.time.has_time(nodes) && !(self.stop)() { Ok(()) } else { Err(search::Stop) }
    }

    fn next_iteration(&mut self, _depth: u32) -> bool {
        self.time.iteration_ends();
        self.time.may_begin()
    }

    fn spent(&self, nodes: u64) -> Option<f64> {
        self.time.spent(nodes)
    }

    fn root_move(&mut self, _depth: u32, _mv: Move, number: usize, nodes: u64) {
        self.time.root_move(number, nodes);
    }

    fn report(&mut self, report: &SearchInfo) {
        self.time.update(report);
        if report.multipv == 1 {
            self.last.update(InfoLine {
                depth: Some(report.depth),
                seldepth: Some(report.seldepth),
                multipv: Some(1),
                score: Some(score(report.value)),
                bound: bound(report.bound),
                pv: report.pv.to_vec(),
                ..InfoLine::default()
            });
        }
    }
}

impl Listener<'_> {
    /// The last report, with the totals.
    fn conclude(self, answer: &SearchResult, elapsed: Duration) -> InfoLine {
        InfoLine { nodes: Some(answer.nodes), time: Some(elapsed), ..self.last }
    }
}

fn score(value: Value) -> Score {
    value.mate_moves().map_or(Score::Centipawns(value.centipawns()), Score::Mate)
}

fn bound(bound: search::Bound) -> Bound {
    match bound {
        search::Bound::Exact => Bound::Exact,
        search::Bound::Lower => Bound::Lower,
        search::Bound::Upper => Bound::Upper,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::Position;
    use player::Clock as Clocks;

    fn okapi() -> InProcess {
        let spec = EngineSpec { hash_megabytes: 1, ..EngineSpec::default() };
        InProcess::new(&spec, "Okapi").unwrap()
    }

    fn game(fen: &str) -> Game {
        Game::new(Position::from_fen(fen).unwrap())
    }

    fn nodes(nodes: u64) -> MoveLimits {
        MoveLimits { nodes: Some(nodes), ..MoveLimits::default() }
    }

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn clock(milliseconds: u64) -> MoveLimits {
        let clock = Clocks { remaining: [ms(milliseconds); 2], increment: [ms(0); 2], moves_to_go: None };
        MoveLimits { clock: Some(clock), ..MoveLimits::default() }
    }

    #[test]
    fn a_search_that_is_not_wanted_any_more_has_no_answer() {
        let begun = Instant::now();
        let stop = || begun.elapsed() > ms(100);
        let limits = MoveLimits { movetime: Some(ms(60_000)), ..MoveLimits::default() };
        assert_eq!(okapi().go(&Game::new(Position::start()), &limits, &stop), Err(Fault::Stopped));
        assert!(begun.elapsed() < ms(20_000), "{:?}", begun.elapsed());
    }

    #[test]
    fn at_equal_nodes_a_new_game_has_the_same_replies() {
        let play = |okapi: &mut InProcess| -> Vec<(board::Move, InfoLine)> {
            okapi.new_game(false).unwrap();
            let mut game = Game::new(Position::start());
            let reply = |_| {
                let reply = okapi.go(&game, &nodes(500), &|| false).unwrap();
                game.play(reply.best);
                (reply.best, InfoLine { time: None, ..reply.info })
            };
            (0..12).map(reply).collect()
        };
        let (mut used, mut fresh) = (okapi(), okapi());
        let first = play(&mut used);
        assert_eq!(play(&mut used), first);
        assert_eq!(play(&mut fresh), first);
        assert!(first.iter().all(|(best, info)| info.nodes == Some(500) && info.pv.first() == Some(best)), "{first:?}");
    }

    #[test]
    fn a_reply_says_what_the_search_found() {
        let game = game("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1");
        let reply = okapi().go(&game, &MoveLimits { depth: Some(4), ..MoveLimits::default() }, &|| false).unwrap();
        assert_eq!(reply.best, game.position().parse_uci("a1a8").unwrap());
        assert_eq!((reply.info.score, reply.info.bound), (Some(Score::Mate(1)), Bound::Exact));
        assert_eq!((reply.info.depth, reply.info.multipv), (Some(4), Some(1)));
        assert_eq!(reply.info.pv, [reply.best]);
        assert!(reply.info.seldepth.is_some() && reply.info.nodes > Some(0) && reply.info.time <= Some(reply.elapsed));
        let lost = super::tests::game("6k1/8/8/8/8/7r/r7/5K2 w - - 0 1");
        let reply = okapi().go(&lost, &MoveLimits { depth: Some(6), ..MoveLimits::default() }, &|| false).unwrap();
        assert!(matches!(reply.info.score, Some(Score::Mate(moves)) if moves < 0), "{:?}", reply.info);
    }

    #[test]
    fn time_is_kept() {
        let mut okapi = okapi();
        let start = Game::new(Position::start());
        let reply =
            okapi.go(&start, &MoveLimits { movetime: Some(ms(200)), ..MoveLimits::default() }, &|| false).unwrap();
        // The overhead is left; a busy machine may take more.
        assert!((ms(190)..ms(1_000)).contains(&reply.elapsed), "{:?}", reply.elapsed);
        let reply = okapi.go(&start, &clock(2_000), &|| false).unwrap();
        assert!(reply.elapsed < ms(1_200), "{:?}", reply.elapsed);
        let reply = okapi.go(&start, &clock(0), &|| false).unwrap();
        assert!(reply.elapsed < ms(500), "{:?}", reply.elapsed);
    }

    #[test]
    fn the_only_move_saves_the_games_clock() {
        let game = game("7k/6Q1/8/8/8/8/8/K7 b - - 0 1");
        assert_eq!(game.position().legal_moves().len(), 1);
        let reply = okapi().go(&game, &clock(3_600_000), &|| false).unwrap();
        assert!(reply.elapsed < ms(1_000), "{:?}", reply.elapsed);
    }

    #[test]
    fn a_spec_that_cannot_be_built_gives_a_fault() {
        let spec = EngineSpec { value_net: Some("no/such/net".into()), ..EngineSpec::default() };
        let fault = InProcess::new(&spec, "Okapi").map(drop).unwrap_err().to_string();
        assert!(fault.starts_with("cannot be started: ") && fault.contains("no/such/net"), "{fault}");
        assert!(InProcess::factory(spec)().is_err());
    }

    #[test]
    fn a_panic_is_a_crash() {
        let fault = guarded::<()>(|| panic!("a test of panics")).unwrap_err();
        assert_eq!(fault, Fault::Crash("panic: a test of panics".to_owned()));
    }

    #[test]
    fn a_game_that_is_over_has_no_reply() {
        let mated = game("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
        assert!(matches!(okapi().go(&mated, &nodes(100), &|| false), Err(Fault::NoMove(_))));
    }
}
