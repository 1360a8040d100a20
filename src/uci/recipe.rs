//! What an engine is built from, so that the same engine can be built anew.

use crate::engine::{Engine, EvalKind, PolicyKind, SHIPPED_MOVE_NET, SHIPPED_NET, Settings};
use anyhow::Context;
use clap::ValueEnum;
use std::path::PathBuf;

/// The size of the table when nobody says otherwise, in MB.
pub const DEFAULT_HASH: usize = 64;

/// What an engine is built from.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// The evaluator, the move probabilities and the horizon.
    pub settings: Settings,
    /// The size of the table, in MB.
    pub hash_megabytes: usize,
    /// The number of search threads, at least 1.
    pub threads: usize,
    /// The file of the net; `None` for the net inside the program.
    pub net: Option<PathBuf>,
    /// The file of the move-probability net; `None` for the one inside the program.
    pub move_net: Option<PathBuf>,
}

impl Default for Recipe {
    fn default() -> Self {
        Self { settings: Settings::default(), hash_megabytes: DEFAULT_HASH, threads: 1, net: None, move_net: None }
    }
}

impl Recipe {
    /// Builds the engine, or says why the table or the net cannot be had.
    pub fn build(&self) -> anyhow::Result<Engine> {
        let mut engine = Engine::new(self.settings, self.hash_megabytes)?;
        if let Some(path) = &self.net {
            engine.load_net(path)?;
        }
        if let Some(path) = &self.move_net {
            engine.load_move_net(path)?;
        }
        engine.set_threads(self.threads);
        Ok(engine)
    }

    /// What the engine is made of, in words that records keep: two engines of the same words play the same. The net is
    /// named by the start of its file's SHA-256. Records are compared by these words: they do not follow renamed options.
    ///
    /// # Errors
    /// If the engine cannot be built.
    pub fn describe(&self) -> anyhow::Result<String> {
        let name = |file: &Option<PathBuf>, shipped: &'static [u8]| -> anyhow::Result<String> {
            let bytes = match file {
                None => shipped.to_vec(),
                Some(path) => std::fs::read(path).with_context(|| format!("cannot read the net {}", path.display()))?,
            };
            Ok(nets::file::record_name(&bytes))
        };
        let net = name(&self.net, SHIPPED_NET)?;
        let moves = match self.settings.policy {
            PolicyKind::Network => format!(" moves={}", name(&self.move_net, SHIPPED_MOVE_NET)?),
            _ => String::new(),
        };
        drop(self.build()?);
        let extras = if self.settings.selective { "" } else { " extras=off" };
        let seed = if self.settings.seed == 0 { String::new() } else { format!(" seed={}", self.settings.seed) };
        let threads = if self.threads == 1 { String::new() } else { format!(" threads={}", self.threads) };
        Ok(format!(
            "okapi {} net={net} eval={} probability={} horizon={} hash={}{moves}{extras}{seed}{threads}",
            env!("CARGO_PKG_VERSION"),
            match self.settings.eval {
                EvalKind::Network => "net",
                EvalKind::Material => "material",
            },
            spelled(&self.settings.policy),
            spelled(&self.settings.search),
            self.hash_megabytes,
        ))
    }
}

/// The word for a kind on the command line.
pub fn spelled(kind: &impl ValueEnum) -> String {
    kind.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}
