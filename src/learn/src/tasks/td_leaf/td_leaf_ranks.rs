//! TD-Leaf by several ranks: what they must have in common before they begin, and what a rank does that is not rank 0.

use crate::data::start_positions::StartPositions;
use crate::run::agreement::{Claim, program_claims};
use crate::run::team::{Command, Team};
use crate::tasks::td_leaf::extra::Extra;
use crate::tasks::td_leaf::inputs;
use crate::tasks::td_leaf::td_leaf_checkpoint::Checkpoint;
use crate::tasks::td_leaf::td_leaf_kinds::Initial;
use crate::tasks::td_leaf::td_leaf_options::Options;
use crate::tasks::td_leaf::trainer::TdLeaf;
use crate::train::trainer_state::TrainerState;
use anyhow::{Context, anyhow};
use engine::shipped_policy;
use std::path::Path;
use support::hash::file_sha256;

/// What the ranks of a run with these options must have in common; of an earlier run they may be only those that are given again.
///
/// # Errors
/// If a file that the options name cannot be read.
pub fn claims(options: &Options) -> anyhow::Result<Vec<Claim>> {
    let mut claims = program_claims("tdleaf", options);
    let mut claim = |name: &str, value: String| claims.push((name.to_owned(), value));
    let hash = |path: &Path| file_sha256(path).with_context(|| format!("cannot read {}", path.display()));
    if let Initial::File(path) = &options.initial {
        claim("the initial net", hash(path)?[..16].to_owned());
    }
    for path in options.starts.iter().chain(&options.exclude) {
        claim(&path.display().to_string(), hash(path)?[..16].to_owned());
    }
    Ok(claims)
}

/// What a rank does that is not rank 0, on so many threads: it gets the state of the run and does its part of every iteration.
///
/// # Errors
/// [`Followed`](crate::run::team::Followed), with the exit status of rank 0.
pub fn follow(threads: Option<usize>, team: &Team) -> anyhow::Result<()> {
    let state = match team.receive() {
        Command::Begin => team.broadcast(Vec::new()),
        Command::End(status) => return team.ended(status),
        other => unreachable!("{other:?} comes behind the beginning"),
    };
    let learner = learner(&state, threads);
    let (learner, done) = match learner {
        Ok(learner) => (Some(learner), Ok(())),
        Err(error) => (None, Err(error)),
    };
    // Rank 0 says why it ends the run.
    let _ = team.all_done(done);
    match learner {
        Some(learner) => learner.of_team(team).follow(),
        None => match team.receive() {
            Command::End(status) => team.ended(status),
            other => unreachable!("{other:?} comes behind a failure"),
        },
    }
}

/// The trainer that continues from the state of rank 0.
fn learner(state: &[u8], threads: Option<usize>) -> anyhow::Result<TdLeaf> {
    let kernels = kernels::active()?;
    let checkpoint = Checkpoint::from_bytes(state).map_err(|_| anyhow!("the state of rank 0 cannot be read"))?;
    let Checkpoint { iteration, net, average, optimizer, options, extra, .. } = checkpoint;
    let Extra { origin, games, replay } =
        Extra::read(&extra, &options).context("the start positions of rank 0 cannot be read")?;
    let database = inputs::database(&options, &mut |_| ())?;
    anyhow::ensure!(
        database.as_ref().and_then(StartPositions::hash) == origin.starts,
        "the start positions are not those of rank 0"
    );
    let starts = database.unwrap_or(StartPositions::Generated(games));
    let policy = options.policy.build(&shipped_policy()?);
    let state = TrainerState { net, average, optimizer, replay, iteration };
    TdLeaf::new(Options { threads, ..options }, state, starts, &policy, kernels)
}
