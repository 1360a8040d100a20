//! The program `okapi`: see [`okapi::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    match kernels::built_for::check() {
        Ok(()) => okapi::cli::main(),
        Err(error) => {
            eprintln!("okapi: {error}");
            ExitCode::FAILURE
        }
    }
}
