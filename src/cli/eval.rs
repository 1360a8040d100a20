//! `okapi eval`: the static evaluation of one position, without a search.

use super::EvaluatorArgs;
use crate::engine::Settings;
use crate::uci::Recipe;
use crate::uci::info::Style;
use board::Position;
use clap::Args;
use std::io::Write;

#[derive(Debug, Args)]
pub(super) struct Eval {
    /// The position, as one argument or as several
    #[arg(required = true, value_name = "FEN")]
    fen: Vec<String>,
    #[command(flatten)]
    evaluator: EvaluatorArgs,
}

impl Eval {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let position = Position::from_fen(&self.fen.join(" "))?;
        // No search: the smallest table will do.
        let EvaluatorArgs { eval, net } = &self.evaluator;
        let settings = Settings { eval: *eval, ..Settings::default() };
        let engine = Recipe { settings, hash_megabytes: 1, net: net.net.clone(), ..Recipe::default() }.build()?;
        writeln!(std::io::stdout(), "{}", Style::default().evaluation(&position, engine.evaluate(&position)))?;
        Ok(())
    }
}
