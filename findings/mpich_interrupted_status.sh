#!/usr/bin/env bash
# Guess: when a signal to MPICH's `mpirun` stops its ranks, and each ends with the status 3, mpirun ends with 3: its status is theirs.
# True:  it ends with 3 in some runs and with 0 in others, some 30 %, of the same program; where the ranks end with 3 by themselves it is
#        always 3.
# So:    a job script cannot tell by the status of mpirun whether a stopped job was done. It asks the program's own record, or runs
#        the same command again, which has nothing left to do where it was.
# Seen:  mpich 4.0.2-3+b1 (Debian 12), two ranks; 2026-11-28.
source "$(dirname "$0")/common.bash"
debian mpich=4.0.2-3+b1 libmpich-dev=4.0.2-3+b1

cat > rank.c <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile sig_atomic_t got;
static void note(int number) { got = number; }
/* Waits for a signal, or 10 ms if there is an argument, and ends with the status 3. */
int main(int argc, char **argv) {
    int rank;
    char path[16];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    signal(SIGINT, note);
    snprintf(path, sizeof path, "rank.%d", rank);
    fclose(fopen(path, "w"));
    for (int i = 0; i < (argc > 1 ? 1 : 1000) && !got; i++) usleep(10000);
    MPI_Finalize();
    return 3;
}
C
mpicc.mpich rank.c -o rank
cat > statuses.py <<'PYTHON'
import os
import signal
import subprocess
import time

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would inherit "ignored"

def status(*arguments, interrupted):
    for rank in range(2):
        if os.path.exists(f"rank.{rank}"):
            os.remove(f"rank.{rank}")
    command = ["mpirun.mpich", "-n", "2", "./rank", *arguments]
    mpirun = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if interrupted:
        while not all(os.path.exists(f"rank.{rank}") for rank in range(2)):
            time.sleep(0.01)
        time.sleep(0.2)
        mpirun.send_signal(signal.SIGINT)
    return mpirun.wait(30)

for what, found in [
    ("by themselves", [status("end", interrupted=False) for _ in range(40)]),
    ("interrupted", [status(interrupted=True) for _ in range(60)]),
]:
    kinds = sorted(set(found))
    print(f"{what}: status {', '.join(map(str, kinds))}")
    print(f"{what}: " + ", ".join(f"{kind} in {found.count(kind)} of {len(found)} runs" for kind in kinds), file=open("counts", "a"))
PYTHON
python3 statuses.py | tee seen
cat counts
same "an interrupted mpirun of MPICH ends with the ranks' status in some runs and with 0 in others" "$(cat <<'SEEN'
by themselves: status 3
interrupted: status 0, 3
SEEN
)" "$(cat seen)"
