#!/usr/bin/env bash
# Guess: MPI_Fetch_and_op in a window of MPI_Win_allocate is one-sided: between two ranks of one machine it needs nothing of the other one.
# True:  so it is with Open MPI; with MPICH it returns only when the other rank communicates by MPI, too, here a second later.
# So:    a counter that ranks of one machine take work from is an atomic number in memory that they share (MPI_Win_allocate_shared).
# Seen:  mpich 4.0.2-3+b1, openmpi-bin 4.1.4-3+b1 (Debian 12), two ranks; 2026-11-28.
source "$(dirname "$0")/common.bash"
debian mpich=4.0.2-3+b1 libmpich-dev=4.0.2-3+b1 openmpi-bin=4.1.4-3+b1 libopenmpi-dev=4.1.4-3+b1

cat > take.c <<'C'
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
/* Rank 1 takes a number from rank 0, which computes for a second and communicates with nobody. */
int main(int argc, char **argv) {
    int rank;
    uint64_t *base, one = 1, before;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(rank ? 0 : 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Win_lock_all(0, window);
    if (!rank) {
        *base = 0;
        MPI_Win_sync(window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double begun = MPI_Wtime();
    if (rank) {
        while (MPI_Wtime() < begun + 0.2) {}
        begun = MPI_Wtime();
        MPI_Fetch_and_op(&one, &before, MPI_UINT64_T, 0, 0, MPI_SUM, window);
        MPI_Win_flush(0, window);
        double taken = MPI_Wtime() - begun;
        puts(taken < 0.1 ? "at once" : taken > 0.5 ? "when the other rank communicates" : "neither");
    } else {
        volatile double work = 0;
        while (MPI_Wtime() < begun + 1.2) work += 1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
}
C
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for mpi in openmpi mpich; do
    mpicc.$mpi take.c -o take-$mpi
    options=
    [ $mpi = openmpi ] && options="--oversubscribe --bind-to none"
    echo "$mpi: $(mpirun.$mpi $options -n 2 ./take-$mpi)"
done | tee seen
same "MPI_Fetch_and_op on one machine returns at once with Open MPI, and with MPICH when the other rank communicates" "$(cat <<'SEEN'
openmpi: at once
mpich: when the other rank communicates
SEEN
)" "$(cat seen)"
