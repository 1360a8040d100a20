#!/usr/bin/env bash
# Guess: a Rust program that is built again with another MPICC is linked with that MPI, because the crate mpi asks the compiler's wrapper
#        in its build script.
# True:  the build script of mpi-sys does not say that it depends on MPICC: cargo builds nothing again, and the program stays linked with
#        the first MPI. `cargo clean -p mpi-sys` helps, or a target folder for each MPI.
# So:    started by the other MPI's mpirun, such a program is as many lone processes of one rank; each may write the same files.
# Seen:  mpi 0.8.2, Debian 12's Open MPI 4.1.4 and MPICH 4.0.2; 2026-11-28.
source "$(dirname "$0")/common.bash"
debian libopenmpi-dev=4.1.4-3+b1 libmpich-dev=4.0.2-3+b1
dpkg -s libclang-dev > /dev/null 2>&1 || { echo "needs Debian's libclang-dev"; exit 2; }
crate mpi==0.8.2
cat > src/main.rs <<'R'
use mpi::traits::Communicator;

fn main() {
    let universe = mpi::initialize().expect("MPI begins once");
    println!("{} of {}", universe.world().rank(), universe.world().size());
}
R
linked() { ldd target/debug/finding | grep -o -E 'lib(mpi|mpich)\.so' | sort -u; }
for mpi in openmpi mpich; do
    MPICC=mpicc.$mpi cargo build --quiet
    echo "built with MPICC=mpicc.$mpi: $(linked)"
done | tee seen
cargo clean --quiet -p mpi-sys
MPICC=mpicc.mpich cargo build --quiet
echo "after cargo clean -p mpi-sys: $(linked)" | tee -a seen
same "the second build keeps the first MPI until mpi-sys is cleaned" "built with MPICC=mpicc.openmpi: libmpi.so
built with MPICC=mpicc.mpich: libmpi.so
after cargo clean -p mpi-sys: libmpich.so" "$(cat seen)"
