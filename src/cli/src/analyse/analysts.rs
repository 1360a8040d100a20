//! The engine that analyses: Okapi, or a UCI program.

use crate::players::{Program, read_program};
use analysis::{Analyst, Okapi};
use anyhow::{anyhow, bail, ensure};
use engine::spec::KEYS;
use engine::{EngineSpec, provenance};
use matches::time_control::TimeControl;
use player::{MoveLimits, UciEngine};
use std::path::PathBuf;
use std::time::Duration;

/// The nodes for each position if no limit is given.
const DEFAULT_NODES: u64 = 100_000;

/// The engine that analyses.
pub(super) struct Chosen {
    /// What it is made of, for the record.
    pub(super) engine: String,
    /// Which program it is, for the record.
    pub(super) program: String,
    /// Its name and limits, for the reader of the result.
    pub(super) annotator: String,
    /// What bounds each search.
    pub(super) limits: TimeControl,
    /// A program, started; `None` for Okapi.
    external: Option<Program>,
}

impl Chosen {
    /// The files that it reads, but for those of Okapi.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.external.iter().flat_map(|program| program.player.files.clone()).collect()
    }
}

/// What analyses, for the reader of the result.
fn annotator(name: &str, limits: &TimeControl) -> String {
    let limits = [
        limits.nodes.map(|nodes| format!("{nodes} nodes")),
        limits.movetime.map(|time| format!("{} ms", time.as_millis())),
        limits.depth.map(|depth| format!("depth {depth}")),
    ];
    format!("{name}, {} a position", limits.into_iter().flatten().collect::<Vec<_>>().join(" or "))
}

/// What the command line says of the analysts.
pub(super) struct Wanted<'a> {
    /// The words of a program; `None` for Okapi.
    pub(super) program: Option<&'a str>,
    /// What Okapi is made of.
    pub(super) spec: &'a EngineSpec,
    /// Nodes for each position.
    pub(super) nodes: Option<u64>,
    /// Milliseconds for each position.
    pub(super) movetime: Option<u64>,
    /// The best lines of each position.
    pub(super) lines: u8,
    /// The number of analysts; one for each processor unless given.
    pub(super) threads: Option<u16>,
}

impl Wanted<'_> {
    /// The engine that analyses, described; a program is started.
    pub(super) fn chosen(&self) -> anyhow::Result<Chosen> {
        let nodes = self.nodes.or(self.movetime.is_none().then_some(DEFAULT_NODES));
        let limits =
            TimeControl { nodes, movetime: self.movetime.map(Duration::from_millis), ..TimeControl::default() };
        let Some(words) = self.program else {
            return Ok(Chosen {
                engine: self.spec.describe()?,
                program: provenance::program(),
                annotator: annotator(&format!("Okapi {}", provenance::build()), &limits),
                limits,
                external: None,
            });
        };
        let default = EngineSpec::default();
        if let Some(key) = KEYS.iter().find(|key| (key.text)(self.spec) != (key.text)(&default)) {
            bail!("--{} is for Okapi; --engine has option.NAME=VALUE for the engine's own options", key.name);
        }
        let external = read_program(words, limits)?;
        let limits = external.player.time_control;
        ensure!(
            limits.clock.is_none(),
            "--engine '{words}': an analysis has no clock; its limits are nodes=, movetime= and depth="
        );
        let description = &external.player.description;
        Ok(Chosen {
            engine: description.engine.clone(),
            program: description.program.clone(),
            annotator: annotator(&description.name, &limits),
            limits,
            external: Some(external),
        })
    }

    /// One for each thread.
    pub(super) fn analysts(&self, engine: Chosen) -> anyhow::Result<Vec<Box<dyn Analyst>>> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.map_or(cores, usize::from);
        let (lines, limits) = (self.lines, engine.limits);
        let Some(Program { command, engine: first, timeouts, .. }) = engine.external else {
            let okapi = |_| Okapi::new(self.spec, lines.into(), limits.nodes, limits.movetime);
            return (0..threads).map(|number| Ok(Box::new(okapi(number)?) as Box<dyn Analyst>)).collect();
        };
        let limits = MoveLimits { clock: None, movetime: limits.movetime, nodes: limits.nodes, depth: limits.depth };
        let mut first = Some(first);
        let program = |_| {
            let engine = match first.take() {
                Some(engine) => engine,
                None => UciEngine::start(&command, timeouts).map_err(|fault| anyhow!("the engine {fault}"))?,
            };
            Ok(Box::new(analysis::Program::new(engine, lines.into(), limits)?) as Box<dyn Analyst>)
        };
        (0..threads).map(program).collect()
    }
}
