//! The state of a UCI session, and the effect of each command on it.
//!
//! One thread reads the input, one executes it, and a search runs on a third ([`SearchThread`]), which owns the engine until
//! the search ends; so does a count ([`PerftThread`]), without the engine. Commands that need the engine or change the position
//! wait for the end of a count or of a search that ends by itself, and stop one that does not (`go infinite`, `go ponder`); all
//! others are answered at once.

mod go;
mod told_clock;

use crate::info::Style;
use crate::limits::Limits;
use crate::options::{self, Change, Values};
use crate::output::{Output, SessionLog};
use crate::parse::{self, Command, Setup};
use crate::perft_thread::PerftThread;
use crate::search_log::SearchLog;
use crate::search_thread::{Notify, SearchThread};
use crate::tools;
use crate::waiting::{Waiting, WaitingCommands};
use anyhow::Context;
use board::{Color, Game, Position};
use engine::syzygy::Syzygy;
use engine::{Engine, EngineSpec};
use search::Tablebase;
use search::time::{Lateness, NodeClock, Stopwatch};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use support::machine::Machine;
use told_clock::ToldClock;

/// What a command that needs a position is told after one that was refused.
const NO_POSITION: &str = "there is no position, because the last one was refused";

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
    /// The count of `go perft`; never beside a search.
    perft: Option<PerftThread>,
    /// What came during a search and waits for its end.
    waiting: WaitingCommands,
    /// Called by a search or count that is over, so that [`Session::go_on`] is called.
    notify: Notify,
    /// Whether the client sends commands without waiting for moves.
    is_script: bool,
    /// `(side)`: the game's clocks in nodes, with the option nodestime.
    node_clocks: [NodeClock; 2],
    /// The side whose node clock the search uses; `None` without nodestime.
    on_move: Option<Color>,
    /// What this game has shown of lateness.
    lateness: Lateness,
    /// The client's clock at the last search with one.
    told: Option<ToldClock>,
    /// Whether the time limits of each search are printed.
    debug: bool,
    /// The endgame tables in use.
    syzygy: Option<Arc<Syzygy>>,
    search_log: SearchLog,
}

impl<W: Write + Send + 'static> Session<W> {
    /// A session at the starting position. A search or count calls `notify` when it is over; then [`Session::go_on`] does what waits.
    ///
    /// # Errors
    /// If the engine cannot be built.
    pub fn new(spec: EngineSpec, out: Output<W>, notify: Notify) -> anyhow::Result<Self> {
        let limits = Limits::of(&Machine::here(), &spec);
        Ok(Self {
            out,
            engine: Some(spec.build()?),
            start: spec.clone(),
            values: Values { spec, ..Values::default() },
            limits,
            game: Some(Game::new(Position::start())),
            search: None,
            perft: None,
            waiting: WaitingCommands::default(),
            notify,
            is_script: false,
            node_clocks: [NodeClock::default(); 2],
            on_move: None,
            lateness: Lateness::default(),
            told: None,
            debug: false,
            syzygy: None,
            search_log: SearchLog::default(),
        })
    }

    /// Executes a line, or lets it wait for a search; breaks on `quit`.
    pub fn handle(&mut self, line: &str) -> ControlFlow<()> {
        self.out.received(line);
        let line = parse::parse(line);
        for complaint in &line.complaints {
            self.out.remark(complaint);
        }
        let Some(command) = line.command else {
            return ControlFlow::Continue(());
        };
        match command {
            Command::Quit => {
                self.waiting.quit();
                self.end_search();
                self.go_on();
                self.search_log.end_game();
                return ControlFlow::Break(());
            }
            Command::Uci => self.introduce(),
            Command::IsReady => self.out.line("readyok"),
            Command::Stop => {
                self.waiting.stop();
                self.end_search();
            }
            Command::PonderHit => {
                if !self.waiting.ponderhit() {
                    self.search.iter().for_each(SearchThread::ponderhit);
                }
            }
            Command::Compiler => self.out.line(tools::compiler()),
            Command::Help => self.out.line(tools::HELP),
            Command::Debug(on) => self.debug = on,
            Command::Nothing => {}
            // It waits only for a position that waits.
            Command::Display if self.waiting.is_empty() => self.display(),
            command => self.waiting.push(command),
        }
        self.go_on();
        self.is_script |= !self.waiting.is_empty();
        ControlFlow::Continue(())
    }

    /// Does what waits, up to a search that ends by itself.
    pub fn go_on(&mut self) {
        loop {
            match &self.search {
                Some(search) if search.is_over() || search.is_held() && !self.waiting.is_empty() => self.end_search(),
                Some(_) => return,
                None => {}
            }
            match &self.perft {
                Some(perft) if perft.is_over() => self.end_search(),
                Some(_) => return,
                None => {}
            }
            let Some(Waiting { command, is_stopped }) = self.waiting.pop() else {
                return;
            };
            self.execute(command);
            if is_stopped {
                self.end_search();
            }
        }
    }

    /// The input has ended: the search is stopped. If the client sent commands without waiting for moves, only one that would not
    /// end by itself is, and all others are done in full; so is a count. `true` when nothing remains to be done.
    pub fn finish(&mut self) -> bool {
        self.go_on();
        if self.perft.is_none() && !self.is_script || self.search.as_ref().is_some_and(SearchThread::is_held) {
            self.end_search();
        }
        self.search.is_none() && self.perft.is_none()
    }

    /// Executes a command while no search is running.
    fn execute(&mut self, command: Command) {
        let watch = Stopwatch::start(self.values.options.nodes_per_millisecond());
        match command {
            Command::NewGame => {
                self.node_clocks = Default::default();
                (self.lateness, self.told) = Default::default();
                self.search_log.end_game();
                self.forget();
            }
            Command::Position(setup) => self.set_up(&setup),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Display => self.display(),
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
    }

    fn display(&self) {
        match &self.game {
            Some(game) => self.out.line(self.style().diagram(game.position())),
            None => self.out.remark(NO_POSITION),
        }
    }

    /// The commands that need a position.
    fn handle_position(&mut self, command: Command, game: Game, watch: Stopwatch) {
        match command {
            Command::Eval => self.evaluate(game.position()),
            Command::Flip => self.game = Some(Game::new(game.position().mirror())),
            Command::Perft(plies) => self.perft(game.position(), plies),
            Command::Go(go) => self.go(&go, game, watch),
            _ => {}
        }
    }

    /// Starts a count.
    fn perft(&mut self, position: &Position, plies: u32) {
        let (style, out) = (self.style(), self.out.clone());
        match PerftThread::begin(position.clone(), plies, style, out, self.notify.clone()) {
            Ok(perft) => self.perft = Some(perft),
            Err(why) => self.out.remark(format_args!("go: perft cannot start: {why}")),
        }
    }

    /// Stops a running search or count, and waits until it has printed its move or how far it came.
    pub fn end_search(&mut self) {
        if let Some(perft) = self.perft.take() {
            perft.end();
        }
        if let Some(search) = self.search.take() {
            search.stop();
            let finished = search.join();
            self.engine = finished.engine;
            let [late, answer] = finished.late;
            self.lateness.observe(late, answer);
            if let Some(told) = &mut self.told {
                told.used = finished.used;
            }
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
            Ok(game) => {
                self.game = Some(game);
                if let Some(clamped) = setup.fen.as_deref().and_then(Position::clamped_counters) {
                    self.out.remark(format_args!("position: {clamped}"));
                }
            }
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
                    for damaged in tables.damaged() {
                        self.out.remark(format_args!("a damaged Syzygy table is not used: {damaged}; get it again"));
                    }
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
}

/// Opens a log to be continued.
fn open_log(path: &Path) -> anyhow::Result<SessionLog> {
    SessionLog::open(path).with_context(|| format!("cannot write the log {}", path.display()))
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
