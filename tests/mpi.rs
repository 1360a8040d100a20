//! `--mpi` where there is no MPI, and processes that `mpirun` has started without it. What needs an MPI: tests/tools/mpi.py.

use std::process::Command;

/// The exit status and what the program says, started as this rank of so many by the `mpirun` of Open MPI or of MPICH.
fn start(arguments: &[&str], names: [&str; 2], rank: &str, size: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_okapi"));
    for name in ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE"] {
        command.env_remove(name);
    }
    command.env(names[0], rank).env(names[1], size).args(arguments).current_dir(folder.path());
    let output = command.output().expect("the program runs");
    assert_eq!(folder.path().read_dir().expect("a folder").count(), 0, "nothing is left");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn processes_that_would_all_do_the_same_are_refused_once() {
    for names in [["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"], ["PMI_RANK", "PMI_SIZE"]] {
        for arguments in [&["train", "tdleaf", "run"][..], &["train", "values", "none", "--out", "run"]] {
            let (status, said) = start(arguments, names, "0", "3");
            assert_eq!(status, Some(1));
            assert!(said.starts_with("okapi: mpirun has started 3 processes") && said.lines().count() == 1, "{said}");
            assert_eq!(start(arguments, names, "2", "3"), (Some(1), String::new()));
            // One process is no team: it fails for its own reason, or would train.
            if arguments[1] == "values" {
                assert!(start(arguments, names, "0", "1").1.contains("cannot read none"));
            }
        }
    }
}

#[cfg(not(feature = "mpi"))]
#[test]
fn a_program_without_mpi_says_how_to_build_one_with_it() {
    let names = ["PMI_RANK", "PMI_SIZE"];
    let (status, said) = start(&["train", "tdleaf", "run", "--mpi"], names, "0", "2");
    assert!(status == Some(1) && said.contains("--features mpi") && said.lines().count() == 1, "{said}");
    assert_eq!(start(&["train", "tdleaf", "run", "--mpi"], names, "1", "2"), (Some(1), String::new()));
}
