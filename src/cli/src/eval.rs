//! `okapi eval`: what the networks say of one position, move by move, and what a search then plays.

#[path = "eval_svg.rs"]
mod svg;

use super::engine_args::PartsArgs;
use anyhow::Context;
use board::see::OpponentAttacks;
use board::{Game, Move, Position};
use clap::Args;
use engine::network_policy::{logits, probabilities};
use engine::{Engine, EngineSpec};
use feature_maps::layout::INPUTS;
use feature_maps::names::names;
use search::QuietHints;
use search::{Chances, SearchLimits, Silent};
use std::io::Write;
use std::path::PathBuf;
use support::chart::Chart;
use support::output::{Output, report_stream};

#[derive(Debug, Args)]
pub(super) struct Eval {
    /// The position, as one argument or as several, or startpos; then perhaps `moves` and moves in UCI notation: startpos moves e2e4 e7e5
    #[arg(required = true, value_name = "FEN")]
    fen: Vec<String>,
    #[command(flatten)]
    engine: PartsArgs,
    /// Nodes of the search that chooses the move shown as played; 0 for no search
    #[arg(long, value_name = "N", default_value_t = 25_000)]
    nodes: u64,
    /// Also draw the board with the probabilities as arrows, `-` for standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Also draw the expected score by what a draw is worth, from -1 (a loss) to 1 (a win), `-` for standard output
    #[arg(long, value_name = "FILE")]
    curve: Option<PathBuf>,
    /// Print the 363 inputs of the value network instead: number, name and value of each, separated by tabs. Names and numbers are those of
    /// the side to move, whose back rank is rank 1
    #[arg(long, conflicts_with_all = ["svg", "curve"])]
    features: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

/// A legal move as the network sees it.
struct Row {
    mv: Move,
    san: String,
    /// The static exchange, in centipawns.
    see: i32,
    /// `(pass of the net)`: its probability, and how many moves have a greater one.
    passes: Vec<(f32, usize)>,
}

impl Eval {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let game = self.game()?;
        let position = game.position().clone();
        if self.features {
            return print_features(&position);
        }
        let spec = EngineSpec { hash_megabytes: 4, ..self.engine.spec.clone() };
        let inputs: Vec<_> = spec.files().collect();
        let svg = self.svg.as_deref().map(|path| Output::check(path, &inputs, self.force)).transpose()?;
        let curve = self.curve.as_deref().map(|path| Output::check(path, &inputs, self.force)).transpose()?;
        let mut engine = spec.build()?;
        let rows = rows(&engine, &position);
        // What is drawn on standard output stands there alone.
        let mut out = report_stream([&svg, &curve].into_iter().flatten());
        let (value, model) = (engine.evaluate(&position), engine.chance_model());
        writeln!(out, "{}", value.describe(position.side_to_move(), model.wdl(&position, value, &[])))?;
        let chances = model.of_position(&position).filter(|_| position.outcome().is_none());
        if let Some(chances) = chances {
            let (alpha, beta) = chances.margin();
            let Chances { expected, drawn } = chances;
            writeln!(out, "expected score {expected:+.4}, draw if even {drawn:.4}; alpha {alpha:+.4}, beta {beta:.4}")?;
        }
        if let Some(output) = curve {
            let chances = chances.context("--curve needs the value network and a position that is not over")?;
            output.write(worth_curve(chances)?.as_bytes())?;
        }
        let played = self.play(&mut engine, &game, &mut out)?;
        if let Some(row) = rows.first() {
            let heads: String = (1..=row.passes.len()).map(|pass| format!("   pass {pass}  rank")).collect();
            writeln!(out, "move       SEE{heads}")?;
        }
        for Row { mv, san, see, passes } in &rows {
            let pass = |(p, rank): &(f32, usize)| format!(" {:>6.2} % {:>5}", 100.0 * p, rank + 1);
            let passes: String = passes.iter().map(pass).collect();
            let played = if played == Some(*mv) { "  played" } else { "" };
            writeln!(out, "{san:<8} {see:>5}{passes}{played}")?;
        }
        if let Some(output) = svg {
            let arrows = rows.iter().filter_map(|row| Some((row.mv, row.passes.last()?.0)));
            output.write(svg::board(&position, arrows, played).as_bytes())?;
        }
        Ok(())
    }

    /// The position and the moves that led to it, which matter for repetitions.
    fn game(&self) -> anyhow::Result<Game> {
        let words: Vec<&str> = self.fen.iter().flat_map(|argument| argument.split_whitespace()).collect();
        let mut parts = words.splitn(2, |word| word.eq_ignore_ascii_case("moves"));
        let start = match parts.next().unwrap_or_default() {
            [word] if word.eq_ignore_ascii_case("startpos") => Position::start(),
            fen => Position::from_fen(&fen.join(" "))?,
        };
        let mut game = Game::new(start);
        for (text, number) in parts.next().unwrap_or_default().iter().zip(1..) {
            let mv = game.position().parse_uci(text).with_context(|| format!("move {number}"))?;
            game.play(mv);
        }
        Ok(game)
    }

    /// What a search plays, which it reports.
    fn play(&self, engine: &mut Engine, game: &Game, out: &mut impl Write) -> anyhow::Result<Option<Move>> {
        let position = game.position();
        if self.nodes == 0 || !position.has_legal_move() {
            return Ok(None);
        }
        let limits = SearchLimits { nodes: Some(self.nodes), ..SearchLimits::default() };
        let answer = engine.search(game, &limits, &mut Silent);
        let (mut at, mut line) = (position.clone(), String::new());
        for mv in answer.announced() {
            line += &format!(" {}", at.san(*mv));
            at = at.play(*mv);
        }
        // A draw for the other side would be written as -0.
        let (value, nodes) = (answer.value.to_f32() + 0.0, answer.nodes);
        writeln!(out, "search of {nodes} nodes: value {value:+.6}, line{line}")?;
        Ok(answer.best())
    }
}

/// Prints the inputs of the value network.
fn print_features(position: &Position) -> anyhow::Result<()> {
    let mut features = [0.0; INPUTS];
    feature_maps::extract(position, &mut features);
    let mut out = std::io::stdout().lock();
    for (number, (name, value)) in names().into_iter().zip(features).enumerate() {
        writeln!(out, "{number}\t{name}\t{value}")?;
    }
    Ok(())
}

/// The expected score, -1 to 1, by the worth of a draw.
fn worth_curve(chances: Chances) -> anyhow::Result<String> {
    let points = (-100..=100).map(|hundredths| f64::from(hundredths) / 100.0);
    let line = points.map(|worth| (worth, chances.utility(worth))).collect();
    let chart = Chart {
        title: "Expected score by the worth of a draw",
        x: "worth of a draw to the side to move",
        lines: vec![line],
        names: &[],
        marks: &[(0.0, "even")],
    };
    chart.svg()?.context("there is nothing to draw")
}

/// The legal moves without anything that a search has found, the most probable first.
fn rows(engine: &Engine, position: &Position) -> Vec<Row> {
    let moves = position.legal_moves();
    let safety = OpponentAttacks::of(position);
    let mut candidates = Vec::new();
    position.for_each_legal_move(|piece, mv| {
        candidates.push(QuietHints::default().scored_move(position, &safety, piece, mv, false));
    });
    let form = engine.policy_net().head();
    let pass = |pass| {
        let mut p = logits(engine.policy_net(), position, &candidates, pass);
        let mut ranks = vec![0; candidates.len()];
        nets::rank(&p, &mut ranks);
        probabilities(form.output, &mut p);
        p.into_iter().zip(ranks.into_iter().map(usize::from)).collect::<Vec<_>>()
    };
    let passes: Vec<_> = (1..=form.passes).map(pass).collect();
    let row = |(index, mv): (usize, &Move)| Row {
        mv: *mv,
        san: position.san(*mv),
        see: position.see(*mv),
        passes: passes.iter().map(|pass| pass[index]).collect(),
    };
    let mut rows: Vec<Row> = moves.iter().enumerate().map(row).collect();
    rows.sort_by_key(|row| row.passes.last().map(|pass| pass.1));
    rows
}
