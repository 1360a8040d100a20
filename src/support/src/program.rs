//! What plays, as records know it: Okapi by its bench signature (its nets and settings are recorded beside it), any other
//! engine by the SHA-256 of its program file and its UCI name. Records compare these texts; the build is recorded only.

use crate::hash::file_sha256;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, io};

/// How the running program was built. The program's own crate knows it and says it once, at its start: a crate that read it
/// from the environment would be compiled again after every commit.
#[derive(Debug, Clone, Copy, Default)]
pub struct Build {
    /// The commit, where it is known.
    pub commit: Option<&'static str>,
    /// The compiler and its version, where it is known.
    pub compiler: Option<&'static str>,
}

static BUILD: OnceLock<Build> = OnceLock::new();

/// Says how the running program was built; only the first call counts.
pub fn set_build(build: Build) {
    BUILD.get_or_init(|| build);
}

/// How the running program was built: nothing is known before [`set_build`].
pub fn build() -> Build {
    BUILD.get().copied().unwrap_or_default()
}

/// Okapi with this bench signature, the node count of `okapi bench`.
pub fn okapi(bench_signature: &str) -> String {
    format!("okapi bench={}", bench_signature.trim())
}

/// An engine: `program` as the user named it, and the name that it gave itself.
///
/// # Errors
/// If the program's file cannot be found or read.
pub fn external(program: &str, name: &str) -> io::Result<String> {
    Ok(format!("sha256={} name={name}", file_sha256(&resolve(program)?)?))
}

/// The file of a program, looked for in `PATH` if it is named without a folder.
///
/// # Errors
/// If there is no such file.
pub fn resolve(program: &str) -> io::Result<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 || program.contains(std::path::MAIN_SEPARATOR) {
        return Ok(path.to_owned());
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let candidates = env::split_paths(&folders)
        .flat_map(|folder| [folder.join(program), folder.join(format!("{program}{}", env::consts::EXE_SUFFIX))]);
    let mut files = candidates.filter(|file| is_executable(file));
    files
        .next()
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("there is no program {program} in PATH")))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_program_is_found_as_the_shell_finds_it_and_known_by_its_file() {
        let shell = resolve("sh").unwrap();
        assert!(shell.is_absolute());
        let expected = format!("sha256={} name=Fruit 2.1", file_sha256(&shell).unwrap());
        assert_eq!(external("sh", "Fruit 2.1").unwrap(), expected);
        assert_eq!(external(shell.to_str().unwrap(), "Fruit 2.1").unwrap(), expected);
        assert!(
            external("no-such-program-here", "x").unwrap_err().to_string().contains("no-such-program-here in PATH")
        );
        assert!(external("/no/such/program", "x").is_err());
        assert_eq!(okapi("1449282\n"), "okapi bench=1449282");
    }
}
