//! What an engine is built from, so that the same engine can be built anew.

use crate::engine::{Engine, Settings};
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
    /// The file of the net; `None` for the net inside the program.
    pub net: Option<PathBuf>,
}

impl Default for Recipe {
    fn default() -> Self {
        Self { settings: Settings::default(), hash_megabytes: DEFAULT_HASH, net: None }
    }
}

impl Recipe {
    /// Builds the engine, or says why the table or the net cannot be had.
    pub fn build(&self) -> anyhow::Result<Engine> {
        let mut engine = Engine::new(self.settings, self.hash_megabytes)?;
        if let Some(path) = &self.net {
            engine.load_net(path)?;
        }
        Ok(engine)
    }
}
