//! The state of a UCI session, and the effect of each command on it.
//!
//! One thread reads the input. A search runs on a second thread ([`SearchThread`]), which owns the engine until the search
//! ends. During a search, commands that need the engine or change the position are refused; all others are answered at once.

use crate::info::Style;
use crate::limits::Limits;
use crate::listener::{Listener, Signals};
use crate::options::{self, Change, Values};
use crate::output::Output;
use crate::parse::{self, Command, Go, Setup};
use crate::search_log::SearchLog;
use crate::search_thread::{Job, SearchThread};
use crate::tools;
use anyhow::Context;
use board::{Color, Game, Move, Position};
use engine::chance_model::ChanceModel;
use engine::syzygy::Syzygy;
use engine::{Engine, EngineSpec};
use search::time::{ClockModel, GameClock, NodeClock, Stopwatch, TimeBudget, Timekeeper};
use search::{MAX_PLY, SearchLimits, Tablebase};
use std::fs::File;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use support::machine::Machine;

/// What a command that needs a position is told after one that was refused.
const NO_POSITION: &str = "there is no position, because the last one was refused";

/// The search time if the client gave a limit that cannot be parsed.
const UNREADABLE_LIMIT: Duration = Duration::from_secs(1);

/// A session with one client.
pub struct Session<W> {
    out: Output<W>,
    /// The specification at the start: the default values of the options.
    start: EngineSpec,
    values: Values,
    limits: Limits,
    /// `None` after a position that was refused.
    game: Option<Game>,
    /// `None` during a search, which owns it, and after a search that panicked.
    engine: Option<Engine>,
    search: Option<SearchThread>,
    /// `(side)`: the game's clocks in nodes, with the option nodestime.
    node_clocks: [NodeClock; 2],
    /// The side whose node clock the search uses; `None` without nodestime.
    on_move: Option<Color>,
    /// Whether the time limits of each search are printed.
    debug: bool,
    /// The endgame tables in use.
    syzygy: Option<Arc<Syzygy>>,
    search_log: SearchLog,
}

impl<W: Write + Send + 'static> Session<W> {
    /// A session at the starting position.
    ///
    /// # Errors
    /// If the engine cannot be built.
    pub fn new(spec: EngineSpec, out: Output<W>) -> anyhow::Result<Self> {
        let limits = Limits::of(&Machine::here(), &spec);
        Ok(Self {
            out,
            engine: Some(spec.build()?),
            start: spec.clone(),
            values: Values { spec, ..Values::default() },
            limits,
            game: Some(Game::new(Position::start())),
            search: None,
            node_clocks: [NodeClock::default(); 2],
            on_move: None,
            debug: false,
            syzygy: None,
            search_log: SearchLog::default(),
        })
    }

    /// Executes a line; breaks on `quit`.
    pub fn handle(&mut self, line: &str) -> ControlFlow<()> {
        let watch = Stopwatch::start(self.values.options.nodes_per_millisecond());
        self.out.received(line);
        let line = parse::parse(line);
        for complaint in &line.complaints {
            self.out.remark(complaint);
        }
        let Some(command) = line.command else {
            return ControlFlow::Continue(());
        };
        if self.search.as_ref().is_some_and(SearchThread::is_over) {
            self.end_search();
        }
        match command {
            Command::Quit => {
                self.end_search();
                self.search_log.end_game();
                return ControlFlow::Break(());
            }
            Command::Uci => self.introduce(),
            Command::IsReady => self.out.line("readyok"),
            Command::Stop => self.end_search(),
            Command::PonderHit => self.search.iter().for_each(SearchThread::ponderhit),
            Command::Display => match &self.game {
                Some(game) => self.out.line(self.style().diagram(game.position())),
                None => self.out.remark(NO_POSITION),
            },
            Command::Compiler => self.out.line(tools::compiler()),
            Command::Help => self.out.line(tools::HELP),
            Command::Debug(on) => self.debug = on,
            Command::Nothing => {}
            command if self.search.is_some() => self.refuse(&command),
            Command::NewGame => {
                self.node_clocks = Default::default();
                self.search_log.end_game();
                self.forget();
            }
            Command::Position(setup) => self.set_up(&setup),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Bench(iterations) => match tools::bench(&self.values.spec, iterations) {
                Ok(report) => self.out.line(report.trim_end()),
                Err(error) => self.out.remark(format_args!("bench: {error:#}")),
            },
            command => match self.game.clone() {
                Some(game) => self.handle_position(command, game, watch),
                None => {
                    self.out.remark(NO_POSITION);
                    if matches!(command, Command::Go(_)) {
                        self.out.line(self.style().best_move(&Position::start(), &[]));
                    }
                }
            },
        }
        ControlFlow::Continue(())
    }

    /// The commands that need a position.
    fn handle_position(&mut self, command: Command, game: Game, watch: Stopwatch) {
        match command {
            Command::Eval => self.evaluate(game.position()),
            Command::Flip => self.game = Some(Game::new(game.position().mirror())),
            Command::Perft(plies) => self.out.line(tools::perft(game.position(), plies, self.style()).trim_end()),
            Command::Go(go) => self.go(&go, game, watch),
            _ => {}
        }
    }

    /// Stops a running search, and waits until it has printed its move.
    pub fn end_search(&mut self) {
        if let Some(search) = self.search.take() {
            search.stop();
            let finished = search.join();
            self.engine = finished.engine;
            if let Some((side, used)) = self.on_move.take().zip(finished.used) {
                self.node_clocks[side as usize].after(used);
            }
        }
    }

    fn style(&self) -> Style {
        Style { chess960: self.values.options.chess960, show_wdl: self.values.options.show_wdl }
    }

    fn introduce(&self) {
        self.out.line(concat!("id name Okapi ", env!("CARGO_PKG_VERSION")));
        self.out.line("id author the Okapi authors");
        for declaration in options::declarations(&self.start, self.limits) {
            self.out.line(declaration);
        }
        if let Ok(kernels) = kernels::active() {
            self.out.remark(format_args!("instruction set {}", kernels.isa));
        }
        self.out.line("uciok");
    }

    fn refuse(&self, command: &Command) {
        let name = match command {
            Command::NewGame => "ucinewgame",
            Command::Position(_) => "position",
            Command::SetOption { .. } => "setoption",
            Command::Eval => "eval",
            Command::Flip => "flip",
            Command::Bench(_) => "bench",
            _ => "go",
        };
        self.out.remark(format_args!("{name} is refused while a search is running; send stop first"));
    }

    /// The engine, built again if a search panicked.
    fn engine(&mut self) -> Option<&mut Engine> {
        if self.engine.is_none() {
            self.engine = match self.values.spec.build() {
                Ok(mut engine) => {
                    engine.set_syzygy(self.syzygy.clone());
                    let (elo, seed) = self.values.options.strength();
                    engine.limit_strength(elo, seed);
                    Some(engine)
                }
                Err(error) => {
                    self.out.remark(format_args!("the engine cannot be built again: {error:#}"));
                    None
                }
            };
        }
        self.engine.as_mut()
    }

    fn forget(&mut self) {
        let (elo, seed) = self.values.options.strength();
        if let Some(engine) = self.engine() {
            engine.new_game();
            engine.limit_strength(elo, seed);
        }
    }

    fn set_up(&mut self, setup: &Setup) {
        match play_out(setup) {
            Ok(game) => self.game = Some(game),
            Err(why) => {
                self.game = None;
                self.out.remark(format_args!("position: {why}; there is no position until another is sent"));
            }
        }
    }

    fn evaluate(&mut self, position: &Position) {
        if let Some(engine) = self.engine() {
            let value = engine.evaluate(position);
            let chances = engine.chance_model().wdl(position, value, &[]);
            self.out.line(value.describe(position.side_to_move(), chances));
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        let mut values = self.values.clone();
        let change = options::set(name, value, self.limits, &mut values);
        if let Err(error) = change.and_then(|change| self.apply(change, values)) {
            let is_hash = name.eq_ignore_ascii_case("hash");
            let kept = is_hash.then(|| format!("; the table of {} MB is kept", self.values.spec.hash_megabytes));
            self.out.remark(format_args!("setoption: {error:#}{}", kept.unwrap_or_default()));
        }
    }

    /// Makes a draw worth what the options say.
    fn apply_draw_worth(&mut self, values: &mut Values) {
        let score = values.options.draw_worth();
        if score != values.spec.draw_score {
            values.spec.draw_score = score;
            if let Some(engine) = self.engine() {
                engine.set_parts(&values.spec);
            }
        }
    }

    /// Applies a changed option, and keeps the new values if that succeeds.
    fn apply(&mut self, change: Change, mut values: Values) -> anyhow::Result<()> {
        match change {
            Change::None => {}
            Change::NodeClocks => self.node_clocks = Default::default(),
            Change::ClearHash => self.forget(),
            Change::Syzygy => {
                let options = &values.options;
                let open =
                    || Syzygy::open(&options.syzygy_path, options.syzygy_probe_depth, options.syzygy_50_move_rule);
                let tables = (!options.syzygy_path.is_empty()).then(open).transpose()?.map(Arc::new);
                if let Some(tables) = &tables {
                    self.out.remark(format_args!("{tables:?}, up to {} pieces", tables.max_pieces()));
                }
                self.syzygy = tables.clone();
                if let Some(engine) = self.engine() {
                    engine.set_syzygy(tables);
                }
            }
            Change::DrawWorth => self.apply_draw_worth(&mut values),
            Change::Strength => {
                // Contempt compares the opponent's rating with that of the limited strength.
                self.apply_draw_worth(&mut values);
                let (elo, seed) = values.options.strength();
                if let Some(engine) = self.engine() {
                    engine.limit_strength(elo, seed);
                }
            }
            Change::GameLog => self.search_log.log_to(values.options.game_log.as_deref())?,
            Change::Log => self.out.log_to(values.options.log.as_deref().map(open_log).transpose()?),
            Change::Engine(effect) => {
                if let Some(engine) = self.engine() {
                    engine.apply(effect, &values.spec)?;
                }
            }
        }
        self.values = values;
        Ok(())
    }

    fn go(&mut self, go: &Go, game: Game, watch: Stopwatch) {
        let root = game.position().clone();
        let searchmoves = self.read_searchmoves(&root, &go.searchmoves);
        let candidates = if searchmoves.is_empty() { root.legal_moves().to_vec() } else { searchmoves.clone() };
        let mut budget = self.budget(go, root.side_to_move());
        let has_limit =
            budget != TimeBudget::UNLIMITED || go.depth.is_some() || go.nodes.is_some() || go.mate.is_some();
        if go.is_limited && !go.infinite && !has_limit {
            // The client expects an answer in limited time; an unlimited search would give none.
            budget = TimeBudget::of_move_time(UNREADABLE_LIMIT, Duration::ZERO);
            self.out.remark(format_args!("go: no limit could be parsed; searching for {UNREADABLE_LIMIT:?}"));
        }
        let limits = SearchLimits {
            nodes: go.nodes,
            depth: go.depth.map(|depth| depth.max(1)),
            mate: go.mate.map(|moves| moves.clamp(1, MAX_PLY as u32)),
            searchmoves,
            multipv: self.values.options.multipv,
        };
        let model = self.engine().map_or(ClockModel::PROBABILITY, |engine| engine.clock_model());
        let time = Timekeeper::new(watch, budget, candidates.len(), model);
        let signals = Signals { pondering: go.ponder.into(), ..Signals::default() };
        let fallback = candidates.first().copied();
        let chances = self.engine().map_or_else(ChanceModel::default, |engine| engine.chance_model());
        let listener = Listener {
            out: self.out.clone(),
            style: self.style(),
            chances,
            root: root.clone(),
            signals: Arc::new(signals),
            time,
            pondering: go.ponder,
            shown: Vec::new(),
            spoken: Duration::ZERO,
            debug: self.debug,
        };
        let infinite = go.infinite || budget == TimeBudget::UNLIMITED && !has_limit;
        // An analysis is no turn of a game.
        let net = self.engine().and_then(|engine| engine.net_name().map(str::to_owned));
        let log =
            net.filter(|_| !infinite && go.searchmoves.is_empty()).and_then(|net| self.search_log.of_turn(&game, net));
        let job = Job { game, limits, candidates, listener, infinite, nodes: 0, log };
        let begun = match self.engine().is_some().then(|| self.engine.take()).flatten() {
            Some(engine) => SearchThread::begin(engine, job).map_err(|error| error.to_string()),
            None => Err("there is no engine".to_owned()),
        };
        match begun {
            Ok(search) => self.search = Some(search),
            Err(why) => {
                self.out.remark(format_args!("go: the search cannot start: {why}"));
                self.out.line(self.style().best_move(&root, fallback.as_slice()));
            }
        }
    }

    /// The legal moves among `searchmoves`, each once; the others are reported.
    fn read_searchmoves(&self, root: &Position, texts: &[String]) -> Vec<Move> {
        let mut moves = Vec::new();
        for text in texts {
            match root.parse_uci(text) {
                Ok(mv) if !moves.contains(&mv) => moves.push(mv),
                Ok(_) => {}
                Err(error) => self.out.remark(format_args!("go: searchmoves: {error}; the move is ignored")),
            }
        }
        moves
    }

    fn budget(&mut self, go: &Go, side: Color) -> TimeBudget {
        if go.infinite {
            return TimeBudget::UNLIMITED;
        }
        let (time, increment) = if side == Color::White { (go.wtime, go.winc) } else { (go.btime, go.binc) };
        let told = time.map(|remaining| GameClock {
            remaining: milliseconds(remaining),
            increment: milliseconds(increment.unwrap_or(0)),
            moves_to_go: go.movestogo.filter(|&moves| moves > 0),
        });
        let clock = told.map(|told| self.game_clock(side, told));
        TimeBudget::of(clock, go.movetime.map(milliseconds), Duration::from_millis(self.values.options.move_overhead))
    }

    /// The clock that limits the search: the client's, or with nodestime the clock in nodes.
    fn game_clock(&mut self, side: Color, told: GameClock) -> GameClock {
        if self.values.options.nodes_per_millisecond().is_none() {
            return told;
        }
        self.on_move = Some(side);
        self.node_clocks[side as usize].before(told)
    }
}

/// Opens a log to be continued.
fn open_log(path: &Path) -> anyhow::Result<File> {
    let file = File::options().append(true).create(true).open(path);
    file.with_context(|| format!("cannot write the log {}", path.display()))
}

/// A negative time counts as zero.
fn milliseconds(time: i64) -> Duration {
    Duration::from_millis(u64::try_from(time).unwrap_or(0))
}

/// The game that a setup describes, or the reason why it is invalid.
fn play_out(setup: &Setup) -> Result<Game, String> {
    let start = match &setup.fen {
        None => Position::start(),
        Some(fen) => Position::from_fen(fen).map_err(|error| error.to_string())?,
    };
    let mut game = Game::new(start);
    for (index, text) in setup.moves.iter().enumerate() {
        let mv = game.position().parse_uci(text);
        let mv = mv.map_err(|error| format!("move {}: {error}", index + 1))?;
        game.play(mv);
    }
    Ok(game)
}
