//! Tells the program which commit it is built from, for its records: the environment variable OKAPI_COMMIT if it is set, or
//! else what git says, in release builds only (a debug build would be compiled anew after every commit). It also tells the
//! tests whether the shared data is present.

use std::process::Command;

#[path = "tests/tools/shared_data.rs"]
mod shared_data;

fn main() {
    shared_data::main();
    println!("cargo:rerun-if-env-changed=OKAPI_COMMIT");
    println!("cargo:rerun-if-changed=build.rs");
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let version = line_of(Command::new(rustc).arg("--version")).unwrap_or_else(|| "an unknown compiler".to_owned());
    println!("cargo:rustc-env=OKAPI_RUSTC={version}");
    if std::env::var_os("OKAPI_COMMIT").is_some() || std::env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    let Some(commit) = git(&["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]) else { return };
    println!("cargo:rustc-env=OKAPI_COMMIT={commit}");
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
}

/// The first line that git prints; `None` outside a repository.
fn git(arguments: &[&str]) -> Option<String> {
    line_of(Command::new("git").args(arguments))
}

/// The first line that a command prints, if it succeeds.
fn line_of(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()?.lines().next().map(str::to_owned)
}
