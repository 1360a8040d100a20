//! The last stage of `okapi train moves`: learning, and what comes of it after every epoch.

use crate::learn::interrupt::Interrupt;
use crate::learn::moves::checkpoint;
use crate::learn::moves::examine::{self, BOUNDS, Calibration, Score};
use crate::learn::moves::examples::{self, Example, Target};
use crate::learn::moves::folder::{MovesFolder, Part};
use crate::learn::moves::learner::{Learner, Learnt, Training};
use crate::learn::moves::line_file::LineFile;
use crate::learn::moves::mirror::mirrored;
use crate::learn::moves::output::Output;
use anyhow::ensure;
use clap::Args;
use nets::{MoveNet, MoveTopology};
use std::time::Instant;

#[derive(Debug, Args)]
pub(in crate::cli) struct Learning {
    /// How many times all nodes are learnt from
    #[arg(long, value_name = "N", default_value_t = 9)]
    epochs: u64,
    /// The sizes of the net
    #[arg(long, value_name = "SIZES", default_value = "19x16+216x48+128x32-64-32-1")]
    topology: MoveTopology,
    /// The nodes of a step
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    batch: u32,
    /// What AdaDelta's steps are multiplied by
    #[arg(long, value_name = "X", default_value_t = 20.0)]
    rate: f32,
    /// AdaDelta's constant
    #[arg(long, value_name = "X", default_value_t = 1e-12)]
    epsilon: f32,
    /// Passes over the moves: one, or another with the ranks that the first gives
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    passes: u8,
    /// Of how many nodes in a hundred the table's move is withheld
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(0..=100))]
    withheld: u32,
    /// Are nodes where nobody may castle also learnt from with left and right exchanged?
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    mirror: bool,
    /// What is learnt
    #[arg(long, value_enum, default_value = "best", value_name = "WHAT")]
    target: Target,
    /// From logits to probabilities
    #[arg(long, value_enum, default_value = "softmax", value_name = "HOW")]
    output: Output,
}

/// The columns of the log: what an epoch's net scores on the held-out nodes, in per cent; beside it the search's own.
/// Seconds are the session's, and an epoch that was interrupted has the loss of its last session.
const COLUMNS: &str = "epoch,seconds,learnt_loss,loss,first,third,quiet_first,quiet_third,\
                       hash_loss,hash_first,hash_third,hash_quiet_first,hash_quiet_third";

impl Learning {
    pub(super) fn run(&self, folder: &MovesFolder, seed: u64, interrupt: &Interrupt) -> anyhow::Result<()> {
        let kernels = kernels::active()?;
        ensure!(self.rate > 0.0 && self.epsilon > 0.0, "--rate and --epsilon are above 0");
        let training = Training {
            seed,
            topology: self.topology,
            batch: self.batch as usize,
            rate: self.rate,
            epsilon: self.epsilon,
            passes: self.passes.into(),
            withheld: self.withheld,
            target: self.target,
            output: self.output,
        };
        let held_out = examples::read(&folder.nodes(Part::HeldOut), &folder.labels(Part::HeldOut), |_| false)?;
        let keys = examples::keys(&held_out);
        let unwanted = |position: &board::Position| keys.contains(&position.key());
        let mut learnt = examples::read(&folder.nodes(Part::Learnt), &folder.labels(Part::Learnt), unwanted)?;
        ensure!(!learnt.is_empty(), "there is no labelled node to learn from");
        let nodes = learnt.len();
        if self.mirror {
            learnt.extend(
                learnt.iter().filter_map(mirrored).filter(|it| !unwanted(&it.node.position)).collect::<Vec<_>>(),
            );
        }
        let (mirrors, held) = (learnt.len() - nodes, held_out.len());
        let options = format!("{training:?} nodes={nodes} mirrors={mirrors}");
        eprintln!("{nodes} nodes to learn from, {mirrors} of them mirrored too; {held} held out");
        let begun = checkpoint::load(&folder.checkpoint(), &training, &options)?;
        let mut lengths = Vec::new();
        let mut log = LineFile::open(&folder.log(), COLUMNS, |line| {
            lengths.push(line.len() as u64 + 1);
            Ok(())
        })?;
        let begun = begun.unwrap_or_else(|| Learnt::nothing(&training));
        // An epoch whose checkpoint was not written any more is learnt, and logged, again.
        let again = &lengths[lengths.len().min(begun.epoch as usize)..];
        log.take_back(again.len() as u64, again.iter().sum())?;
        let mut learner = Learner::new(training, begun, kernels);
        for (name, score) in [
            ("static shares", examine::of_static(false, &held_out)),
            ("search's order", examine::of_ordering(false, &held_out)),
            ("static shares, table's move known", examine::of_static(true, &held_out)),
        ] {
            eprintln!("{name}: {}", sentence(&score));
        }
        let start = Instant::now();
        while learner.learnt().epoch < self.epochs && !interrupt.raised() {
            let (epoch, order, mut loss, mut steps) = (learner.learnt().epoch, learner.order(&learnt), 0.0, 0);
            while learner.learnt().epoch == epoch && !interrupt.raised() {
                loss += learner.step(&learnt, &order);
                steps += 1;
            }
            if learner.learnt().epoch > epoch {
                let form = (training.output, training.passes);
                let net = &learner.learnt().average;
                let (without, _) = examine::of_net(net, form, false, &held_out, kernels);
                let (with, _) = examine::of_net(net, form, true, &held_out, kernels);
                let loss = loss / f64::from(steps);
                let seconds = start.elapsed().as_secs_f64();
                log.append(&[row(epoch + 1, seconds, loss, [&without, &with])])?;
                eprintln!(
                    "epoch {} of {}, {seconds:.0} s: loss {loss:.4}; {}; table's move known: {}",
                    epoch + 1,
                    self.epochs,
                    sentence(&without),
                    sentence(&with)
                );
            }
            self.save(folder, learner.learnt(), &options)?;
        }
        let form = (training.output, training.passes);
        let (_, calibration) = examine::of_net(&learner.learnt().average, form, true, &held_out, kernels);
        eprint!("{}", table(&calibration));
        self.compare(&learner.learnt().average, training.output, &held_out, kernels);
        Ok(())
    }

    /// What the second pass is worth to this net.
    fn compare(&self, net: &MoveNet, output: Output, held_out: &[Example], kernels: &'static kernels::Kernels) {
        for passes in 1..=usize::from(self.passes) {
            let (score, _) = examine::of_net(net, (output, passes), false, held_out, kernels);
            eprintln!("pass {passes}: {}", sentence(&score));
        }
    }

    fn save(&self, folder: &MovesFolder, learnt: &Learnt, options: &str) -> anyhow::Result<()> {
        checkpoint::save(&folder.checkpoint(), learnt, options)?;
        let provenance = format!(
            "okapi {} train moves, {} epochs and {} steps; {options}",
            env!("CARGO_PKG_VERSION"),
            learnt.epoch,
            learnt.step
        );
        nets::file::save_moves(&folder.net(), &learnt.average, &provenance)?;
        Ok(())
    }
}

fn row(epoch: u64, seconds: f64, learnt_loss: f64, scores: [&Score; 2]) -> String {
    let of = |score: &Score| {
        let [first, third, quiet_first, quiet_third] = score.percent();
        format!("{:.5},{first:.2},{third:.2},{quiet_first:.2},{quiet_third:.2}", score.mean_loss())
    };
    format!("{epoch},{seconds:.1},{learnt_loss:.5},{},{}", of(scores[0]), of(scores[1]))
}

fn sentence(score: &Score) -> String {
    let [first, third, quiet_first, quiet_third] = score.percent();
    format!(
        "first {first:.2} %, first three {third:.2} %, of quiet best moves {quiet_first:.2} %, {quiet_third:.2} %, -ln p {:.4}",
        score.mean_loss()
    )
}

/// Predicted against observed, a line for each range of probabilities.
fn table(calibration: &Calibration) -> String {
    let bound = |index: usize| BOUNDS.get(index).copied().unwrap_or(1.0);
    let mut text = String::from("probability       moves   predicted   observed\n");
    for (index, (moves, sum, best)) in calibration.0.iter().enumerate().filter(|(_, row)| row.0 > 0) {
        let from = if index == 0 { 0.0 } else { bound(index - 1) };
        let (predicted, observed) = (sum / *moves as f64, *best as f64 / *moves as f64);
        text += &format!("{from:.3} - {:.3} {moves:>9} {predicted:>11.4} {observed:>10.4}\n", bound(index));
    }
    text
}
