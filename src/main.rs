//! The program `okapi`: see [`okapi::cli`].

fn main() -> std::process::ExitCode {
    okapi::cli::main()
}
