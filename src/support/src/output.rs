//! The one rule for every file that a command writes, checked before the long work begins:
//!
//! - It is never a file that the same command reads, by whatever path, symbolic link or hard link.
//! - A file that exists is replaced only with `--force`, and then whole or not at all ([`crate::atomic_file`]).
//! - `-` is standard output. A symbolic link, FIFO or device such as `/dev/stdout` is written through and stays what it is.

use crate::atomic_file::{self, GONE, folder_of, is_still_at, sync_folder, without_name};
use anyhow::{Context, bail, ensure};
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A place to write to that has been checked.
#[derive(Debug, Clone)]
pub struct Output {
    /// As the user named it.
    path: PathBuf,
    target: Target,
}

#[derive(Debug, Clone)]
enum Target {
    StandardOutput,
    /// A FIFO or device.
    Through(PathBuf),
    /// A regular file that exists or not, behind all symbolic links.
    File(PathBuf),
}

impl Output {
    /// Checks that `path` can be written by a command that also uses the files `others`: its inputs and other outputs.
    ///
    /// # Errors
    /// If it is one of `others`, exists without `force`, or cannot be written.
    pub fn check(path: &Path, others: &[&Path], force: bool) -> anyhow::Result<Output> {
        let target = target_of(path)?;
        let output = Output { path: path.to_owned(), target };
        output.check_others(others)?;
        if let Target::File(file) = &output.target {
            let name = path.display();
            ensure!(!file.is_dir(), "{name} is a folder, not a file to write");
            ensure!(!file.exists() || force, "{name} exists already; --force replaces it");
            check_folder(path, file)?;
            tempfile::tempfile_in(folder_of(file)).map_err(without_name).with_context(|| cannot_write(path))?;
        }
        Ok(output)
    }

    /// The same of a file that is renewed when a job goes on: it may exist without `force` if it has exactly what an earlier run wrote.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn renew(path: &Path, others: &[&Path], force: bool, written: &str) -> anyhow::Result<Output> {
        let is_ours = path.is_file() && std::fs::read_to_string(path).is_ok_and(|found| found == written);
        Self::check(path, others, force || is_ours)
    }

    /// Writes all of it: to a regular file whole or not at all.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, bytes: &[u8]) -> anyhow::Result<()> {
        let written = match &self.target {
            Target::StandardOutput => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(bytes).and_then(|()| stdout.flush())
            }
            Target::Through(path) => File::options().write(true).open(path).and_then(|mut file| file.write_all(bytes)),
            Target::File(path) => atomic_file::write(path, bytes),
        };
        written.with_context(|| cannot_write(&self.path))
    }

    /// Begins to write part by part; a regular file is emptied first, a part is refused when the file is not there any more, and parts are
    /// on the disk when they are flushed.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn stream(&self) -> anyhow::Result<Box<dyn Write + Send>> {
        let file = match &self.target {
            Target::StandardOutput => return Ok(Box::new(io::stdout())),
            Target::Through(path) => File::options().write(true).open(path),
            Target::File(path) => {
                let file = File::create(path).with_context(|| cannot_write(&self.path))?;
                sync_folder(folder_of(path)).with_context(|| cannot_write(&self.path))?;
                return Ok(Box::new(Parts { path: path.clone(), file }));
            }
        };
        Ok(Box::new(file.with_context(|| cannot_write(&self.path))?))
    }

    /// As the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it goes to standard output, where a report should then not go too.
    pub fn is_standard_output(&self) -> bool {
        matches!(self.target, Target::StandardOutput)
    }

    fn check_others(&self, others: &[&Path]) -> anyhow::Result<()> {
        let Target::File(file) = &self.target else { return Ok(()) };
        if let Some(other) = others.iter().find(|other| is_same(file, other)) {
            bail!("{} is the same file as {}, which this command uses too", self.path.display(), other.display());
        }
        Ok(())
    }
}

/// Where a report goes: to standard output, or to standard error if one of these outputs is standard output, which then has nothing
/// else.
pub fn report_stream<'a>(outputs: impl IntoIterator<Item = &'a Output>) -> Box<dyn Write> {
    match outputs.into_iter().any(Output::is_standard_output) {
        true => Box::new(io::stderr().lock()),
        false => Box::new(io::stdout().lock()),
    }
}

/// A regular file that is written part by part.
struct Parts {
    path: PathBuf,
    file: File,
}

impl Write for Parts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !is_still_at(&self.path, &self.file) {
            return Err(io::Error::other(GONE));
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// Checks a file that this command appends to: it is none of the files `others`, and its folder exists.
///
/// # Errors
/// If it is one of them or has no folder.
pub fn check_appended(path: &Path, others: &[&Path]) -> anyhow::Result<()> {
    let file = resolved(path);
    check_folder(path, &file)?;
    Output { path: path.to_owned(), target: Target::File(file) }.check_others(others)
}

fn check_folder(path: &Path, file: &Path) -> anyhow::Result<()> {
    let folder = folder_of(file);
    ensure!(folder.is_dir(), "{}: there is no folder {}", cannot_write(path), folder.display());
    Ok(())
}

fn target_of(path: &Path) -> anyhow::Result<Target> {
    if path == Path::new("-") {
        return Ok(Target::StandardOutput);
    }
    match fs::metadata(path) {
        Ok(found) if is_standard_output(&found) => Ok(Target::StandardOutput),
        Ok(found) if !found.is_file() && !found.is_dir() => Ok(Target::Through(path.to_owned())),
        Ok(_) => Ok(Target::File(resolved(path))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Target::File(resolved(path))),
        Err(error) => Err(error).with_context(|| cannot_write(path)),
    }
}

/// The path behind all symbolic links, of a file that may not exist yet.
fn resolved(path: &Path) -> PathBuf {
    // A chain of links has an end, or the system has refused it already.
    let mut path = path.to_owned();
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(link) => path = folder_of(&path).join(link),
            Err(_) => break,
        }
    }
    let folder = folder_of(&path).canonicalize();
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// Whether two paths, the first of them resolved, lead to one file.
fn is_same(file: &Path, other: &Path) -> bool {
    if file == resolved(other) {
        return true;
    }
    match (fs::metadata(file), fs::metadata(other)) {
        (Ok(file), Ok(other)) => is_same_inode(&file, &other),
        _ => false,
    }
}

#[cfg(unix)]
fn is_same_inode(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_inode(_: &Metadata, _: &Metadata) -> bool {
    false
}

/// Whether these are the facts of the file, pipe or terminal that this process has as its standard output.
#[cfg(unix)]
fn is_standard_output(found: &Metadata) -> bool {
    use std::os::fd::AsFd;
    let stdout = io::stdout().as_fd().try_clone_to_owned().and_then(|stdout| File::from(stdout).metadata());
    stdout.is_ok_and(|stdout| is_same_inode(&stdout, found))
}

#[cfg(not(unix))]
fn is_standard_output(_: &Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    fn write(path: &Path, force: bool) -> anyhow::Result<()> {
        Output::check(path, &[], force)?.write(b"new")
    }

    #[test]
    fn a_file_that_exists_needs_force() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        write(&path, false).unwrap();
        assert!(write(&path, false).unwrap_err().to_string().ends_with("out exists already; --force replaces it"));
        write(&path, true).unwrap();
        let error = write(folder.path(), true).unwrap_err().to_string();
        assert!(error.ends_with(" is a folder, not a file to write"), "{error}");
        let error = write(&folder.path().join("none/out"), true).unwrap_err().to_string();
        assert!(error.starts_with("cannot write ") && error.contains(": there is no folder "), "{error}");
        let error = format!("{:#}", write(&path.join("out"), true).unwrap_err());
        assert!(error.starts_with("cannot write ") && error.contains("out: "), "{error}");
    }

    #[test]
    fn no_input_is_written_over_by_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("input"), "old").unwrap();
        fs::write(at("other"), "old").unwrap();
        symlink("input", at("link")).unwrap();
        symlink("absent", at("dangling")).unwrap();
        fs::hard_link(at("input"), at("hard")).unwrap();
        fs::create_dir(at("sub")).unwrap();
        for name in ["input", "link", "hard", "sub/../input", "./input"] {
            for input in ["input", "link", "hard"] {
                let error = Output::check(&at(name), &[&at("other"), &at(input)], true).unwrap_err().to_string();
                assert!(error.contains(" is the same file as "), "{name} {input} {error}");
                assert!(check_appended(&at(name), &[&at(input)]).is_err());
            }
        }
        // Two outputs that do not exist yet.
        let error = Output::check(&at("dangling"), &[&at("absent")], false).unwrap_err().to_string();
        assert!(error.contains(" is the same file as "), "{error}");
        assert!(Output::check(&at("other"), &[&at("input")], true).is_ok());
        check_appended(&at("new"), &[&at("input")]).unwrap();
    }

    #[test]
    fn a_symbolic_link_stays_and_its_file_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink("file", at("link")).unwrap();
        write(&at("link"), false).unwrap();
        assert_eq!(fs::read(at("file")).unwrap(), b"new");
        assert!(write(&at("link"), false).unwrap_err().to_string().contains(" exists already"));
        write(&at("link"), true).unwrap();
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        symlink("loop", at("loop")).unwrap();
        assert!(write(&at("loop"), true).is_err());
    }

    #[test]
    fn a_fifo_and_a_device_are_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let reader = std::thread::spawn({
            let fifo = fifo.clone();
            move || fs::read(fifo).unwrap()
        });
        write(&fifo, false).unwrap();
        assert_eq!(reader.join().unwrap(), b"new");
        write(Path::new("/dev/null"), false).unwrap();
        assert!(Output::check(Path::new("-"), &[], false).unwrap().is_standard_output());
        assert!(!Path::new("-").exists());
    }

    #[test]
    fn a_stream_begins_with_an_empty_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        fs::write(&path, "something longer").unwrap();
        let mut stream = Output::check(&path, &[], true).unwrap().stream().unwrap();
        stream.write_all(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        if cfg!(unix) {
            fs::remove_file(&path).unwrap();
            assert!(stream.write_all(b"newer").unwrap_err().to_string().contains("was removed or replaced"));
        }
    }
}
