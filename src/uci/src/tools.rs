//! Commands beside the protocol that engines share: `bench`, `compiler`, `help`.

use engine::EngineSpec;
use engine::bench;
use engine::provenance;
use std::time::Instant;

/// The benchmark of an engine of this specification with one thread, in the form that OpenBench reads.
///
/// # Errors
/// If the engine cannot be built.
pub fn bench(spec: &EngineSpec, iterations: Option<u32>) -> anyhow::Result<String> {
    let isa = kernels::active()?.isa;
    let mut engine = EngineSpec { hash_megabytes: bench::HASH, threads: 1, ..spec.clone() }.build()?;
    let start = Instant::now();
    let signature = bench::run(
        &mut engine,
        iterations.unwrap_or_else(|| bench::depth(spec.search)).min(bench::MAX_DEPTH),
        |_, _| (),
    );
    Ok(signature.report(start.elapsed(), isa))
}

/// One line: name and version.
pub fn banner() -> String {
    format!("Okapi {} by the Okapi authors", provenance::build())
}

/// What the program was built with, and for.
pub fn compiler() -> String {
    let isa = kernels::active().map_or("none".to_owned(), |kernels| kernels.isa.to_string());
    let profile = if cfg!(debug_assertions) { "with debug assertions" } else { "optimized" };
    let target = format!("{} {}", std::env::consts::ARCH, std::env::consts::OS);
    format!(
        "{}, built by {} for {target}, {profile}; instruction set in use: {isa}",
        banner(),
        support::program::build().compiler.unwrap_or("an unknown compiler")
    )
}

/// What the program is, and where it is explained.
pub const HELP: &str = "Okapi is a chess engine with a learned evaluation. It speaks the Universal Chess Interface: a chess program \
                        starts it and shows its moves. By hand: position startpos moves e2e4, go movetime 1000, d, eval, go perft 5, \
                        bench, flip, compiler, quit. The commands of the shell: okapi --help. All else: README.md.";
