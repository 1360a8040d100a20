//! `--mpi`: the processes that `mpirun` has started train together.

use clap::Args;
use learn::run::folder::remove_if_failed;
#[cfg(feature = "mpi")]
use learn::run::ranks::Ranks;
use learn::run::team::Team;
use std::path::Path;
use support::interrupt::Interrupt;

#[derive(Debug, Clone, Copy, Args)]
pub(super) struct TeamArgs {
    /// Train with all processes that `mpirun` has started, each with this command line; the result does not depend on their number
    /// (docs/mpi.md)
    #[arg(long)]
    mpi: bool,
}

impl TeamArgs {
    /// Does the work of a training whose folder is at `folder` with all its ranks, and ends them together.
    pub(super) fn run(
        self,
        folder: &Path,
        work: impl FnOnce(&Interrupt, &Team) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let (interrupt, team) = self.team()?;
        if !team.is_first() {
            return work(&interrupt, &team);
        }
        let done = remove_if_failed(folder, || work(&interrupt, &team));
        if team.is_alone() {
            return done;
        }
        let status = done.as_ref().err().map_or(0, crate::status);
        // Before the others end.
        done.as_ref().err().into_iter().for_each(crate::say);
        team.end(status);
        anyhow::ensure!(status == 0, learn::run::team::Followed { status });
        Ok(())
    }

    #[cfg(feature = "mpi")]
    fn team(self) -> anyhow::Result<(Interrupt, Team)> {
        if !self.mpi {
            return alone();
        }
        let started = started();
        let interrupt = Interrupt::install_among_ranks()?;
        let ranks = mpi_ranks::MpiRanks::begin(started)?;
        if ranks.size() == 1 {
            // MPI has nothing to do, and must be left in order whatever follows.
            ranks.leave();
            support::interrupt::something_to_save();
            return Ok((interrupt, Team::alone()));
        }
        let team = Team::new(std::sync::Arc::new(ranks), Some(interrupt.clone()));
        Ok((interrupt, team))
    }

    #[cfg(not(feature = "mpi"))]
    fn team(self) -> anyhow::Result<(Interrupt, Team)> {
        match started() {
            Some((rank, _)) if self.mpi && rank > 0 => {
                // Rank 0 says it.
                anyhow::bail!(learn::run::team::Followed { status: 1 })
            }
            _ if self.mpi => anyhow::bail!(
                "this program was built without MPI: `cargo build --release --features mpi` makes one with --mpi (docs/mpi.md)"
            ),
            _ => alone(),
        }
    }
}

/// One process, which is refused where `mpirun` has started more: they would all do the same.
fn alone() -> anyhow::Result<(Interrupt, Team)> {
    match started() {
        Some((0, size)) if size > 1 => anyhow::bail!(
            "mpirun has started {size} processes, which would all do the same: --mpi lets them train together (docs/mpi.md)"
        ),
        Some((_, size)) if size > 1 => anyhow::bail!(learn::run::team::Followed { status: 1 }),
        _ => Ok((Interrupt::install()?, Team::alone())),
    }
}

/// The rank of this process and the number of all, as the `mpirun` of Open MPI or of MPICH says; `None` without one.
fn started() -> Option<(usize, usize)> {
    let number = |name: &str| std::env::var(name).ok()?.parse().ok();
    let names = [("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE")];
    names.into_iter().find_map(|(rank, size)| Some((number(rank)?, number(size)?)))
}
