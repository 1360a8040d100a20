//! Why a journal cannot be used.

use super::difference::Difference;
use std::io;
use std::path::{Path, PathBuf};

/// Why a journal cannot be used; one sentence each.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The system refuses.
    #[error("cannot {action} {path}: {error}", path = path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A folder, device or pipe.
    #[error("{path} is not a regular file, which it must be to be continued", path = .0.display())]
    NotAFile(PathBuf),
    /// Another process writes it.
    #[error("{path} is in use by another process", path = .0.display())]
    Busy(PathBuf),
    /// Another kind of file.
    #[error("{path} {why}", path = path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The rest of the sentence.
        why: String,
    },
    /// A record that cannot be read, before the last line.
    #[error("line {line} of {path} is damaged: {why}", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
    /// A journal of something else.
    #[error("{path} is {what} made by something else: {}{}", listed(differences), advice(differences), path = path.display())]
    Different {
        /// The file.
        path: PathBuf,
        /// What the file is.
        what: &'static str,
        /// Where its header differs.
        differences: Vec<Difference>,
    },
}

impl JournalError {
    pub(super) fn io(action: &'static str, path: &Path, error: io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), error }
    }
}

fn listed(differences: &[Difference]) -> String {
    differences.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn advice(differences: &[Difference]) -> &'static str {
    if differences.iter().all(|difference| difference.may_mix) { " (--mixed continues it all the same)" } else { "" }
}
