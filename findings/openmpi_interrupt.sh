#!/usr/bin/env bash
# Guess: Ctrl-C at `mpirun` reaches the ranks as SIGINT, as in a shell's pipeline, and a rank that handles it may finish its
#        checkpoint.
# True:  Debian's Open MPI sends the ranks SIGTERM instead and, about a second later, SIGKILL: of two ranks that need three seconds to
#        finish, none does, and mpirun's status is 1. With `--mca odls_base_sigkill_timeout 10` both finish; signal and status stay so.
#        MPICH passes SIGINT on and waits for the ranks; its status is theirs, 0.
# So:    a trainer on MPI handles SIGTERM like SIGINT and writes its checkpoint within a second, or the documented command sets the
#        timeout; mpirun's status does not tell an interruption from a failure.
# Seen:  openmpi-bin 4.1.4-3+b1, mpich 4.0.2-3+b1 (Debian 12); 2026-11-27.
source "$(dirname "$0")/common.bash"
debian openmpi-bin=4.1.4-3+b1 libopenmpi-dev=4.1.4-3+b1 mpich=4.0.2-3+b1 libmpich-dev=4.0.2-3+b1

cat > rank.c <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile sig_atomic_t got;
static void note(int number) { got = number; }
/* Waits for a signal, works three seconds more, and says in rank.N what came to pass. */
int main(int argc, char **argv) {
    int rank;
    char path[16];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "rank.%d", rank);
    signal(SIGINT, note);
    signal(SIGTERM, note);
    FILE *file = fopen(path, "w");
    fputs("ready", file); fflush(file);
    for (int i = 0; i < 600 && !got; i++) usleep(50000);
    fprintf(file, " %s", got == SIGINT ? "SIGINT" : got == SIGTERM ? "SIGTERM" : "none"); fflush(file);
    for (int i = 0; i < 60; i++) usleep(50000);
    fputs(" finished", file); fclose(file);
    MPI_Finalize();
    return 0;
}
C
mpicc.openmpi rank.c -o openmpi && mpicc.mpich rank.c -o mpich
cat > interrupt.py <<'PYTHON'
import os
import signal
import subprocess
import sys
import time

for rank in range(2):
    open(f"rank.{rank}", "w").close()
read = lambda: [open(f"rank.{rank}").read() for rank in range(2)]
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would inherit "ignored"
mpirun = subprocess.Popen(sys.argv[1:], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while read() != ["ready", "ready"]:
    time.sleep(0.05)
mpirun.send_signal(signal.SIGINT)
status = mpirun.wait(30)
print("; ".join(read()), f"; status {status}", sep="")
PYTHON
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
{
    echo "Open MPI: $(python3 interrupt.py mpirun.openmpi --oversubscribe -n 2 ./openmpi)"
    echo "with 10 s: $(python3 interrupt.py mpirun.openmpi --mca odls_base_sigkill_timeout 10 --oversubscribe -n 2 ./openmpi)"
    echo "MPICH: $(python3 interrupt.py mpirun.mpich -n 2 ./mpich)"
} | tee seen
same "Open MPI turns SIGINT into SIGTERM and kills a second later, MPICH does neither" "$(cat <<'SEEN'
Open MPI: ready SIGTERM; ready SIGTERM; status 1
with 10 s: ready SIGTERM finished; ready SIGTERM finished; status 1
MPICH: ready SIGINT finished; ready SIGINT finished; status 0
SEEN
)" "$(cat seen)"
