//! The program `okapi`: see [`cli`].

use std::process::ExitCode;
use support::program::{self, Build};

fn main() -> ExitCode {
    program::set_build(Build { commit: option_env!("OKAPI_COMMIT"), compiler: Some(env!("OKAPI_RUSTC")) });
    match kernels::built_for::check() {
        Ok(()) => cli::main(),
        Err(error) => {
            eprintln!("okapi: {error}");
            ExitCode::FAILURE
        }
    }
}
