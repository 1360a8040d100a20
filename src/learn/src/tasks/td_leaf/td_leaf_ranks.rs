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
use engine::provenance::net_name;
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
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        claim("the initial net", net_name(&bytes).with_context(|| format!("{} cannot be used", path.display()))?);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::folder::net_path;
    use crate::run::observer::Silent;
    use crate::run::ranks::in_threads::InThreads;
    use crate::tasks::td_leaf::td_leaf_run::TrainingRun;
    use nets::{NetworkTopology, ValueNet};
    use std::sync::Arc;
    use support::interrupt::Interrupt;

    #[test]
    fn a_run_of_several_ranks_is_that_of_one() {
        let folder = tempfile::tempdir().unwrap();
        let topology = NetworkTopology::new([2, 4, 2], 4).unwrap();
        let initial = folder.path().join("initial.safetensors");
        nets::file::save(&initial, &ValueNet::random(topology, 1), "random").unwrap();
        let options = Options {
            positions: 6,
            plies: 4,
            nodes: 40,
            replay: 1,
            topology: topology.into(),
            initial: Initial::File(initial),
            iterations: Some(3),
            suite_minutes: 0.0,
            threads: Some(1),
            hash_kilobytes: 16,
            ..Options::default()
        };
        let run = |name: &str, team: &Team| {
            let (path, interrupt) = (folder.path().join(name), Interrupt::from_flag(Arc::default()));
            let mut run = TrainingRun::begin(&path, &options, &interrupt, &mut Silent, team).unwrap();
            run.run(&interrupt, &mut Silent).unwrap();
            team.end(0);
            nets::file::load(&net_path(&path)).unwrap().0
        };
        let (run, alone) = (&run, run("alone", &Team::alone()));
        for size in [1, 3] {
            let name = format!("{size} ranks");
            let found = std::thread::scope(|scope| {
                let rank = |ranks| {
                    let name = &name;
                    scope.spawn(move || {
                        let team = Team::new(ranks, None);
                        if !team.is_first() {
                            follow(Some(2), &team).unwrap();
                            return None;
                        }
                        // As if all had agreed.
                        let found = run(name, &team);
                        team.command(&Command::End(0));
                        Some(found)
                    })
                };
                let threads: Vec<_> = InThreads::all(size).into_iter().map(rank).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
            });
            assert!(found[0].as_ref() == Some(&alone), "{size} ranks");
        }
    }

    #[test]
    fn files_are_claimed_by_their_hashes_and_a_network_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        for (name, text) in [("starts", ""), ("excluded", "abc")] {
            std::fs::write(file(name), text).unwrap();
        }
        let net = ValueNet::random(NetworkTopology::new([2, 4, 2], 4).unwrap(), 1);
        nets::file::save(&file("net"), &net, "random").unwrap();
        let options = Options {
            initial: Initial::File(file("net")),
            starts: Some(file("starts")),
            exclude: vec![file("excluded")],
            ..Options::default()
        };
        let claimed = claims(&options).unwrap();
        // The first digits of SHA-256 of "abc" and of nothing.
        let (abc, nothing) = ("ba7816bf8f01cfea", "e3b0c44298fc1c14");
        let shown = |name: &str| file(name).display().to_string();
        let name = nets::file::name(&net);
        let expected = [("the initial net".to_owned(), &*name), (shown("starts"), nothing), (shown("excluded"), abc)];
        let expected = expected.map(|(name, hash)| (name, hash.to_owned()));
        assert_eq!(claimed[claimed.len() - 3..], expected);
        let find = |name: &str| claimed.iter().find(|claim| claim.0 == name).map(|claim| &*claim.1);
        assert_eq!((find("the command"), find("the option plies")), (Some("train tdleaf"), Some("12")));
        assert_eq!(find("the option threads"), None);
        std::fs::write(file("net"), "abc").unwrap();
        assert!(claims(&options).unwrap_err().to_string().ends_with("net cannot be used"));
        std::fs::remove_file(file("net")).unwrap();
        assert!(claims(&options).unwrap_err().to_string().starts_with("cannot read "));
    }
}
