//! The last stage of `okapi train policy`: learning, and what comes of it after every epoch.

use super::policy_progress::Progress;
use crate::learn::policy::checkpoint;
use crate::learn::policy::examples::{self, Example, Target};
use crate::learn::policy::folder::{PolicyFolder, Subset};
use crate::learn::policy::learner::{Learner, PolicyState, Training};
use crate::learn::policy::line_file::LineFile;
use crate::learn::policy::mirror::mirrored;
use crate::learn::policy::validation::{self, BOUNDS, Calibration, Score};
use crate::learn::run::fields::Fields;
use anyhow::ensure;
use board::Position;
use clap::Args;
use nets::{PolicyHead, PolicyNet, PolicyOutput, PolicyTopology};
use std::collections::HashSet;
use std::time::{Duration, Instant};
use support::interrupt::Interrupt;

#[derive(Debug, Args)]
pub(in crate::cli) struct Amounts {
    /// Nodes of the training set
    #[arg(long, value_name = "N", default_value_t = 300_000)]
    training_nodes: u64,
    /// Nodes of the validation set, which come from one game in six
    #[arg(long, value_name = "N", default_value_t = 50_000)]
    validation_nodes: u64,
}

impl Amounts {
    pub(super) fn of(&self, part: Subset) -> u64 {
        match part {
            Subset::Training => self.training_nodes,
            Subset::Validation => self.validation_nodes,
        }
    }
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Learning {
    /// How many times all nodes are learnt from
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    /// The sizes of the net
    #[arg(long, value_name = "SIZES", default_value = "19x16+216x48+128x32-64-32-1")]
    topology: PolicyTopology,
    /// The nodes of a step
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    batch: u32,
    /// What AdaDelta's steps are multiplied by
    #[arg(long, value_name = "X", default_value_t = 20.0, value_parser = above_zero)]
    rate: f32,
    /// AdaDelta's constant
    #[arg(long, value_name = "X", default_value_t = 1e-12, value_parser = above_zero)]
    epsilon: f32,
    /// Passes over the moves: one, or another with the ranks that the first gives
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    passes: u8,
    /// Per cent of the nodes whose hash move is hidden from the network while it learns
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(0..=100))]
    hash_move_dropout: u32,
    /// Are nodes where nobody may castle also learnt from with left and right exchanged?
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    mirror: bool,
    /// What is learnt
    #[arg(long, default_value = "mixed", value_name = "TARGET")]
    target: Target,
    /// From logits to probabilities: softmax, or sigmoid and then normalised, as in the thesis
    #[arg(long, default_value_t, value_name = "HOW")]
    output: PolicyOutput,
    /// How often all is saved while an epoch is under way
    #[arg(long, value_name = "X", default_value = "1", value_parser = minutes)]
    checkpoint_minutes: Duration,
}

fn above_zero(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number: &f32| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "it is to be a number above 0".to_owned())
}

fn minutes(text: &str) -> Result<Duration, String> {
    let time = text.parse().ok().and_then(|minutes: f64| Duration::try_from_secs_f64(60.0 * minutes).ok());
    time.ok_or_else(|| "it is to be a number of minutes, from 0".to_owned())
}

/// The columns of the log: what an epoch's net scores on the held-out nodes, in per cent, without the table's move and with
/// it. Seconds are those of learning, over all sessions.
const COLUMNS: &str = "epoch,seconds,learnt_loss,loss,first,third,quiet_first,quiet_third,\
                       hash_loss,hash_first,hash_third,hash_quiet_first,hash_quiet_third";

impl Learning {
    fn training(&self, seed: u64) -> Training {
        Training {
            seed,
            topology: self.topology,
            batch: self.batch as usize,
            rate: self.rate,
            epsilon: self.epsilon,
            form: PolicyHead { output: self.output, passes: self.passes.into() },
            hash_move_dropout: self.hash_move_dropout,
            target: self.target,
        }
    }

    /// PolicyState at once, not after long work: a checkpoint that is there can be gone on with.
    pub(super) fn check(&self, folder: &PolicyFolder, seed: u64) -> anyhow::Result<()> {
        checkpoint::check(&folder.checkpoint(), &self.training(seed))
    }

    /// Learns from what is labelled in the folder, so many nodes, but from no `excluded` position.
    pub(super) fn run(
        &self,
        folder: &PolicyFolder,
        seed: u64,
        amounts: &Amounts,
        excluded: &HashSet<u64>,
        interrupt: &Interrupt,
    ) -> anyhow::Result<()> {
        let kernels = kernels::active()?;
        let training = self.training(seed);
        let held_out = read(folder, Subset::Validation, amounts, |_| false)?.0;
        let keys = examples::keys(&folder.nodes(Subset::Validation))?;
        let unwanted = |position: &Position| keys.contains(&position.key()) || excluded.contains(&position.key());
        let (mut training_set, made) = read(folder, Subset::Training, amounts, unwanted)?;
        ensure!(!training_set.is_empty(), "there is no labelled node to learn from");
        let nodes = training_set.len();
        if self.mirror {
            training_set.extend(
                training_set.iter().filter_map(mirrored).filter(|it| !unwanted(&it.node.position)).collect::<Vec<_>>(),
            );
        }
        let (mirrors, held) = (training_set.len() - nodes, held_out.len());
        let options = training.fields().with("nodes", nodes).with("mirrors", mirrors).and(made);
        eprintln!("{nodes} nodes to learn from, {mirrors} of them mirrored too; {held} held out");
        let begun = checkpoint::load(&folder.checkpoint(), &training, &options)?;
        let mut lengths = Vec::new();
        let mut log = LineFile::open(&folder.log(), COLUMNS, |line| {
            lengths.push(line.len() as u64 + 1);
            Ok(())
        })?;
        let (begun, before) = begun.unwrap_or_else(|| (PolicyState::new(&training), 0.0));
        // An epoch whose checkpoint was not written any more is training_set, and logged, again.
        let again = &lengths[lengths.len().min(begun.epoch as usize)..];
        log.take_back(again.len() as u64, again.iter().sum())?;
        let mut learner = Learner::new(training, begun, kernels);
        report_baselines(&held_out);
        let (start, mut progress) = (Instant::now(), Progress::new());
        let seconds = || before + start.elapsed().as_secs_f64();
        let (steps, mut saved) = (learner.steps(&training_set), Instant::now());
        while learner.state().epoch < self.epochs && !interrupt.raised() {
            let order = learner.order(&training_set);
            let mean = loop {
                let mean = learner.step(&training_set, &order);
                if mean.is_some() || interrupt.raised() {
                    break mean;
                }
                if saved.elapsed() >= self.checkpoint_minutes {
                    Self::save(folder, learner.state(), seconds(), &options)?;
                    saved = Instant::now();
                }
                let PolicyState { epoch, step, loss, .. } = learner.state();
                progress.say((epoch * steps + step) as f64 / (self.epochs * steps) as f64, || {
                    format!("epoch {}, step {step} of {steps}: loss {:.4}", epoch + 1, loss / *step as f64)
                });
            };
            if let Some(loss) = mean {
                let (epoch, net) = (learner.state().epoch, &learner.state().average);
                let (without, _) = validation::of_net(net, training.form.passes, false, &held_out, kernels);
                let (with, _) = validation::of_net(net, training.form.passes, true, &held_out, kernels);
                let seconds = seconds();
                log.append(&[row(epoch, seconds, loss, [&without, &with])])?;
                eprintln!(
                    "epoch {epoch} of {}, {seconds:.0} s: loss {loss:.4}; {}; table's move known: {}",
                    self.epochs,
                    sentence(&without),
                    sentence(&with)
                );
            }
            Self::save(folder, learner.state(), seconds(), &options)?;
            saved = Instant::now();
        }
        let PolicyState { epoch, step, average, .. } = learner.state();
        if *epoch < self.epochs {
            eprintln!("stopped after {epoch} epochs and {step} steps: the same command goes on");
            return Ok(());
        }
        eprintln!("{epoch} epochs training_set; net in {}", folder.net().display());
        report_net(average, &held_out, kernels);
        Ok(())
    }

    fn save(folder: &PolicyFolder, state: &PolicyState, seconds: f64, options: &Fields) -> anyhow::Result<()> {
        let provenance = format!(
            "okapi {} train policy, {} epochs and {} steps; {options}",
            env!("CARGO_PKG_VERSION"),
            state.epoch,
            state.step
        );
        // The checkpoint last: who finds it finds its net, too.
        nets::file::save_policy(&folder.net(), &state.average, &provenance)?;
        checkpoint::save(&folder.checkpoint(), state, seconds, options)
    }
}

/// Examines a net on the folder's held-out nodes.
pub(super) fn validate(folder: &PolicyFolder, amounts: &Amounts, net: &PolicyNet) -> anyhow::Result<()> {
    let held_out = read(folder, Subset::Validation, amounts, |_| false)?.0;
    report_baselines(&held_out);
    report_net(net, &held_out, kernels::active()?);
    Ok(())
}

fn read(
    folder: &PolicyFolder,
    part: Subset,
    amounts: &Amounts,
    unwanted: impl Fn(&Position) -> bool,
) -> anyhow::Result<(Vec<Example>, Fields)> {
    examples::read(&folder.nodes(part), &folder.labels(part), amounts.of(part), unwanted)
}

/// What is known without a net.
fn report_baselines(held_out: &[Example]) {
    for (name, score) in [
        ("static shares", validation::of_static(false, held_out)),
        ("search's order", validation::of_ordering(false, held_out)),
        ("static shares, table's move known", validation::of_static(true, held_out)),
    ] {
        eprintln!("{name}: {}", sentence(&score));
    }
}

/// What each of the net's passes says, and how far the last can be believed.
fn report_net(net: &PolicyNet, held_out: &[Example], kernels: &'static kernels::Kernels) {
    for passes in 1..=net.head().passes {
        for (known, told) in [(false, ""), (true, ", table's move known")] {
            let (score, calibration) = validation::of_net(net, passes, known, held_out, kernels);
            eprintln!("pass {passes}{told}: {}", sentence(&score));
            if passes == net.head().passes {
                eprint!("{}", table(&calibration));
            }
        }
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
