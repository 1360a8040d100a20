//! `okapi eval`: what the networks say of one position, move by move, and what a search then plays.

#[path = "eval_svg.rs"]
mod svg;

use super::EvaluatorArgs;
use crate::engine::{Engine, Settings};
use crate::learn::whole_file;
use crate::network::{logits, softmax};
use crate::search::ordering::Known;
use crate::search::{Limits, Silent};
use crate::uci::Recipe;
use crate::uci::info::Style;
use anyhow::Context;
use board::see::Safety;
use board::{Game, Move, Position};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct Eval {
    /// The position, as one argument or as several
    #[arg(required = true, value_name = "FEN")]
    fen: Vec<String>,
    #[command(flatten)]
    evaluator: EvaluatorArgs,
    /// The move-probability net to estimate with, instead of the one inside the program
    #[arg(long, value_name = "FILE")]
    moves: Option<PathBuf>,
    /// The nodes of the search; 0 for none
    #[arg(long, value_name = "N", default_value_t = 25_000)]
    nodes: u64,
    /// Draw the board with the probabilities as arrows
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// A legal move as the network sees it.
struct Row {
    mv: Move,
    san: String,
    /// The static exchange, in centipawns.
    see: i32,
    /// `(pass)`: its probability, and how many moves have a greater one.
    passes: [(f32, usize); 2],
}

impl Eval {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let position = Position::from_fen(&self.fen.join(" "))?;
        let EvaluatorArgs { eval, net } = &self.evaluator;
        let settings = Settings { eval: *eval, ..Settings::default() };
        let recipe = Recipe { settings, hash_megabytes: 4, net: net.net.clone(), ..Recipe::default() };
        let mut engine = Recipe { move_net: self.moves.clone(), ..recipe }.build()?;
        let rows = rows(&engine, &position);
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", Style::default().evaluation(&position, engine.evaluate(&position)))?;
        let played = self.search(&mut engine, &position, &mut out)?;
        if !rows.is_empty() {
            writeln!(out, "move       SEE   pass 1  rank   pass 2  rank")?;
        }
        for Row { mv, san, see, passes: [(first, first_rank), (second, second_rank)] } in &rows {
            writeln!(
                out,
                "{san:<8} {see:>5} {:>6.2} % {:>5} {:>6.2} % {:>5}{}",
                100.0 * first,
                first_rank + 1,
                100.0 * second,
                second_rank + 1,
                if played == Some(*mv) { "  played" } else { "" }
            )?;
        }
        if let Some(path) = &self.svg {
            let arrows = rows.iter().map(|row| (row.mv, row.passes[0].0));
            let text = svg::board(&position, arrows, played);
            whole_file::replace(path, text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }

    fn search(&self, engine: &mut Engine, position: &Position, out: &mut impl Write) -> anyhow::Result<Option<Move>> {
        if self.nodes == 0 || !position.has_legal_move() {
            return Ok(None);
        }
        let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
        let answer = engine.search(&Game::new(position.clone()), &limits, &mut Silent);
        let (mut at, mut line) = (position.clone(), String::new());
        for mv in answer.announced() {
            line += &format!(" {}", at.san(*mv));
            at = at.play(*mv);
        }
        let (value, nodes) = (answer.value.win_balance(), answer.nodes);
        writeln!(out, "search of {nodes} nodes: value {value:+.6}, line{line}")?;
        Ok(answer.best())
    }
}

/// The legal moves without anything that a search has found, the most probable first.
fn rows(engine: &Engine, position: &Position) -> Vec<Row> {
    let moves = position.legal_moves();
    let safety = Safety::of(position);
    let mut candidates = Vec::new();
    position.for_each_legal_move(|piece, mv| {
        candidates.push(Known::default().candidate(position, &safety, piece, mv, false));
    });
    let passes = [1, 2].map(|passes| {
        let mut probabilities = logits(engine.move_net(), position, &candidates, passes);
        let mut ranks = vec![0; candidates.len()];
        nets::rank(&probabilities, &mut ranks);
        softmax(&mut probabilities, 1.0);
        probabilities.into_iter().zip(ranks.into_iter().map(usize::from)).collect::<Vec<_>>()
    });
    let row = |(index, mv): (usize, &Move)| Row {
        mv: *mv,
        san: position.san(*mv),
        see: position.see(*mv),
        passes: [passes[0][index], passes[1][index]],
    };
    let mut rows: Vec<Row> = moves.iter().enumerate().map(row).collect();
    rows.sort_by_key(|row| row.passes[0].1);
    rows
}
