//! What ranks must have in common before they train together: program, command, options, networks, and the folder of rank 0.

use crate::run::history::{build, training_signature};
use crate::run::options::TaskOptions;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use support::atomic_file::TEMPORARY;
use support::hash::file_sha256;

/// How long a file that rank 0 has written may take to be seen by another machine.
const FILE_DELAY: Duration = Duration::from_secs(5);

/// What two ranks must have in common: its name and its value.
pub type Claim = (String, String);

/// By what ranks tell that they are one program and do this task with these options: one claim for each option.
pub fn program_claims(task: &str, options: &impl TaskOptions) -> Vec<Claim> {
    // Not only the signatures: two builds may round differently where nobody has looked.
    let file = std::env::current_exe().and_then(|path| file_sha256(&path));
    let file = file.map_or("unknown".to_owned(), |hash| hash[..16].to_owned());
    let named = [
        ("the program", build()),
        ("the training signature", training_signature()),
        ("the hash of the program's file", file),
        ("the command", format!("train {task}")),
    ];
    let named = named.map(|(name, value)| (name.to_owned(), value));
    let options = options.learning().into_iter().map(|(key, value)| (format!("the option {key}"), value.to_string()));
    named.into_iter().chain(options).collect()
}

/// Compares what the ranks have, `(rank)`: their claims, or why there are none.
///
/// # Errors
/// The first difference between rank 0 and another rank, as a sentence.
pub fn compare(said: &[Result<Vec<Claim>, String>]) -> Result<(), String> {
    let Some((first, others)) = said.split_first() else { return Ok(()) };
    let first = first.as_ref().map_err(Clone::clone)?;
    for (rank, other) in (1..).zip(others) {
        let other = other.as_ref().map_err(|why| format!("rank {rank}: {why}"))?;
        let value = |claims: &[Claim], name: &str| {
            claims.iter().find_map(|(found, value)| (found == name).then(|| value.clone())).unwrap_or("none".to_owned())
        };
        let differs = first.iter().chain(other).find(|(name, _)| value(first, name) != value(other, name));
        if let Some((name, _)) = differs {
            let (here, there) = (value(first, name), value(other, name));
            return Err(format!(
                "the ranks cannot train together: {name} is {here} on rank 0 and {there} on rank {rank}; start all with one command, program and files"
            ));
        }
    }
    Ok(())
}

/// A file by which the others see whether they have the folder of rank 0; it goes with this value.
pub struct Token {
    path: PathBuf,
    /// What the file has, and by which it is found.
    pub text: String,
}

impl Token {
    /// Writes it, and creates the folder where there is none.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn create(folder: &Path) -> anyhow::Result<Self> {
        crate::run::folder::create_dir(folder)?;
        let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let text = format!("{}-{}", std::process::id(), since.as_nanos());
        let path = token_path(folder, &text);
        crate::run::folder::write(&path, &text)?;
        Ok(Self { path, text })
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        // What stays is removed when the folder is opened, as any temporary file.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn token_path(folder: &Path, text: &str) -> PathBuf {
    folder.join(format!("{TEMPORARY}ranks-{text}"))
}

/// Whether this rank sees the token of this text, and so the folder of rank 0.
///
/// # Errors
/// If not, the continuation of a sentence that begins with the rank.
pub fn sees(folder: &Path, text: &str) -> Result<(), String> {
    let begun = Instant::now();
    loop {
        if std::fs::read_to_string(token_path(folder, text)).is_ok_and(|found| found == text) {
            return Ok(());
        }
        if begun.elapsed() >= FILE_DELAY {
            return Err(format!(
                "does not see the folder of rank 0 as {}: all ranks need one folder, by the same path on a file system that they share",
                folder.display()
            ));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(claims: &[&[(&str, &str)]]) -> Result<(), String> {
        let owned = |claims: &&[(&str, &str)]| -> Result<Vec<Claim>, String> {
            Ok(claims.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
        };
        compare(&claims.iter().map(owned).collect::<Vec<_>>())
    }

    #[test]
    fn the_first_difference_is_named() {
        let (one, other) = ([("net", "a"), ("seed", "1")], [("net", "a"), ("seed", "2")]);
        assert_eq!(said(&[]), Ok(()));
        assert_eq!(said(&[&one, &one, &one]), Ok(()));
        let told = |claims: &[&[(&str, &str)]]| {
            let sentence = said(claims).unwrap_err();
            let (_, difference) = sentence.split_once("the ranks cannot train together: ").unwrap();
            difference.split_once("; start all with one command").unwrap().0.to_owned()
        };
        assert_eq!(told(&[&one, &one, &other]), "seed is 1 on rank 0 and 2 on rank 2");
        assert_eq!(told(&[&one, &one[..1]]), "seed is 1 on rank 0 and none on rank 1");
        assert_eq!(told(&[&one[..1], &one]), "seed is none on rank 0 and 1 on rank 1");
    }

    #[test]
    fn a_token_is_seen_as_long_as_it_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        let token = Token::create(&path).unwrap();
        assert!(token.text.starts_with(&format!("{}-", std::process::id())));
        assert_eq!(sees(&path, &token.text), Ok(()));
        assert_eq!(std::fs::read_dir(&path).unwrap().count(), 1);
        drop(token);
        assert_eq!(std::fs::read_dir(&path).unwrap().count(), 0);
    }
}
