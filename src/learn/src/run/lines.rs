//! The header of a journal of `NAME=VALUE` words: how its lines were made. Only the training signature may be mixed.

use crate::run::history::training_signature;
use support::journal::LineHeader;

/// The header that begins with `mark` and has these words, such as `okapi nodes 5 seed=1 ... training_signature=9c0d`; `what` names such a
/// file, with its article.
pub fn words_header(what: &'static str, mark: &'static str, words: &str) -> LineHeader<'static> {
    let line = format!("{mark}{words} training_signature={}", training_signature());
    LineHeader { what, mark, line, mixable: &["training_signature"] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;
    use std::io::Write;
    use std::path::Path;
    use support::journal::{Journal, JournalError, read};

    fn open(path: &Path, words: &str, mixed: bool) -> Result<Journal, JournalError> {
        Journal::open(path, &words_header("a test", "test 1 ", words), mixed, &mut |_| Ok(()))
    }

    fn lines(path: &Path) -> Vec<String> {
        let mut lines = Vec::new();
        read(path, "test 1 ", "a test", &mut |line| {
            lines.push(line.to_owned());
            Ok(())
        })
        .unwrap();
        lines
    }

    #[test]
    fn a_torn_line_is_dropped_and_another_files_header_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let mut file = open(&path, "seed=1", false).unwrap();
        file.append(&["one", "two"]).unwrap();
        drop(file);
        let mut torn = OpenOptions::new().append(true).open(&path).unwrap();
        torn.write_all(b"thr").unwrap();
        assert_eq!(lines(&path), ["one", "two"]);
        let mut file = open(&path, "seed=1", false).unwrap();
        assert_eq!(file.records(), 2);
        file.append(&["four"]).unwrap();
        assert_eq!(lines(&path), ["one", "two", "four"]);
        file.truncate(2).unwrap();
        file.append(&["5"]).unwrap();
        assert_eq!(lines(&path), ["one", "two", "5"]);
        drop(file);
        let refusal = open(&path, "seed=2", true).unwrap_err().to_string();
        assert!(refusal.contains("seed is \"1\" there and \"2\" here"), "{refusal}");
    }

    #[test]
    fn a_file_of_another_training_signature_may_be_mixed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        std::fs::write(&path, "test 1 seed=1 training_signature=f00\none\n").unwrap();
        let refusal = open(&path, "seed=1", false).unwrap_err().to_string();
        assert!(refusal.contains("training_signature is \"f00\" there") && refusal.contains("--mixed"), "{refusal}");
        open(&path, "seed=1", true).unwrap().append(&["two"]).unwrap();
        assert_eq!(lines(&path), ["one", "two"]);
        open(&path, "seed=1", false).unwrap();
    }
}
