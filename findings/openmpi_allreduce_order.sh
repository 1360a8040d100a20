#!/usr/bin/env bash
# Guess: MPI_Allreduce adds in one order, so that elements with the same addends get the same sum, as do Reduce and Allreduce, and one
#        vector and its parts.
# True:  with Debian's Open MPI, 3 ranks and 1,000 doubles, all equal within a rank, Allreduce changes its sum at elements 334 and 667:
#        each third is added in another order of ranks. MPI_Reduce gives one sum, another than Allreduce's first, and an element alone
#        has one sum at every place. MPICH gives one sum everywhere. With four ranks both differ from the sum in order of ranks.
# So:    gradients that must have the same bits for any number of ranks are gathered and added in a fixed order; to reduce in other
#        parts (layers, buckets), or with another MPI, changes the training run.
# Seen:  openmpi-bin 4.1.4-3+b1, mpich 4.0.2-3+b1 (Debian 12); 2026-11-27.
source "$(dirname "$0")/common.bash"
debian openmpi-bin=4.1.4-3+b1 libopenmpi-dev=4.1.4-3+b1 mpich=4.0.2-3+b1 libmpich-dev=4.0.2-3+b1

cat > sums.c <<'C'
#include <mpi.h>
#include <stdio.h>
#define N 1000
static void runs(const char *name, const double *sums) {
    printf("%s:", name);
    for (int i = 0; i < N; i++)
        if (i == 0 || sums[i] != sums[i - 1]) printf(" %.17g from %d", sums[i], i);
    printf("\n");
}
int main(int argc, char **argv) {
    static double mine[N], all[N], reduced[N], single[N], ranks[64];
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < N; i++) mine[i] = 0.1 * (rank + 1) * (rank + 1) + (rank == 1 ? 0.7 : 0.0);
    MPI_Allreduce(mine, all, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(mine, reduced, N, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++) { /* every hundredth: more calls show the same, slowly */
        if (i % 100 == 0) MPI_Allreduce(mine + i, single + i, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        else single[i] = single[i - 1];
    }
    MPI_Gather(mine, 1, MPI_DOUBLE, ranks, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        double sum = 0.0;
        for (int r = 0; r < size; r++) sum += ranks[r];
        printf("in order of ranks: %.17g\n", sum);
        runs("Allreduce", all); runs("Reduce", reduced); runs("Allreduce of one", single);
    }
    MPI_Finalize();
    return 0;
}
C
mpicc.openmpi -O1 sums.c -o openmpi && mpicc.mpich -O1 sums.c -o mpich
for ranks in 3 4; do
    echo "Open MPI, $ranks ranks"
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi --oversubscribe -n $ranks ./openmpi
    echo "MPICH, $ranks ranks"
    mpirun.mpich -n $ranks ./mpich
done | tee seen
same "the order of addition depends on place, operation, number of ranks and MPI" "$(cat <<'SEEN'
Open MPI, 3 ranks
in order of ranks: 2.1000000000000005
Allreduce: 2.1000000000000005 from 0 2.1000000000000001 from 334 2.1000000000000005 from 667
Reduce: 2.1000000000000001 from 0
Allreduce of one: 2.1000000000000005 from 0
MPICH, 3 ranks
in order of ranks: 2.1000000000000005
Allreduce: 2.1000000000000005 from 0
Reduce: 2.1000000000000005 from 0
Allreduce of one: 2.1000000000000005 from 0
Open MPI, 4 ranks
in order of ranks: 3.7000000000000006
Allreduce: 3.7000000000000002 from 0
Reduce: 3.7000000000000002 from 0
Allreduce of one: 3.7000000000000002 from 0
MPICH, 4 ranks
in order of ranks: 3.7000000000000006
Allreduce: 3.7000000000000002 from 0
Reduce: 3.7000000000000002 from 0
Allreduce of one: 3.7000000000000002 from 0
SEEN
)" "$(cat seen)"
