//! A text file that grows by whole lines below a first line which says how it is made. Lines are on the disk before more
//! are appended; a last line without its end, which a killed process leaves, is cut off when the file is opened again.

use crate::learn::run::fields::Fields;
use anyhow::{Context, bail};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that grows.
#[derive(Debug)]
pub struct LineFile {
    path: PathBuf,
    file: File,
    /// Lines below the first.
    lines: u64,
    /// Bytes of whole lines.
    length: u64,
}

impl LineFile {
    /// Opens or creates the file at `path`; `each` hears every line below the first, without its end.
    ///
    /// # Errors
    /// If the system refuses, if the file begins with another first line than `header`, or what `each` says.
    pub fn open(
        path: &Path,
        header: &str,
        mut each: impl FnMut(&str) -> anyhow::Result<()>,
    ) -> anyhow::Result<LineFile> {
        let cannot = || format!("cannot write {}", path.display());
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = file.with_context(cannot)?;
        let (mut lines, mut length, mut line) = (0, 0, String::new());
        let mut reader = BufReader::new(&file);
        while reader.read_line(&mut line).with_context(cannot)? > 0 && line.ends_with('\n') {
            let text = line.trim_end();
            if length == 0 {
                let path = path.display();
                let [found, wanted] = [text, header].map(|line| Fields::of_words("", line));
                if let Some(differences) = found.differences(&wanted) {
                    bail!("{path} was made with other options: {differences}");
                }
            } else {
                each(text).with_context(|| format!("{} line {}", path.display(), lines + 2))?;
                lines += 1;
            }
            length += line.len() as u64;
            line.clear();
        }
        file.set_len(length).with_context(cannot)?;
        file.seek(SeekFrom::End(0)).with_context(cannot)?;
        let mut this = LineFile { path: path.to_owned(), file, lines, length };
        if length == 0 {
            this.write(&format!("{header}\n"))?;
        }
        Ok(this)
    }

    /// How many lines there are below the first.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Adds lines, which have no ends of their own.
    ///
    /// # Errors
    /// If the system refuses; what was written of them is then not kept.
    pub fn append(&mut self, lines: &[String]) -> anyhow::Result<()> {
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        self.write(&text)?;
        self.lines += lines.len() as u64;
        Ok(())
    }

    /// Removes the last lines, `bytes` long with their ends.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn take_back(&mut self, lines: u64, bytes: u64) -> anyhow::Result<()> {
        self.length -= bytes;
        self.lines -= lines;
        self.cut()
    }

    fn write(&mut self, text: &str) -> anyhow::Result<()> {
        if let Err(error) = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data()) {
            self.cut()?;
            return Err(error).with_context(|| format!("cannot write {}", self.path.display()));
        }
        self.length += text.len() as u64;
        Ok(())
    }

    fn cut(&mut self) -> anyhow::Result<()> {
        let cannot = || format!("cannot write {}", self.path.display());
        self.file.set_len(self.length).with_context(cannot)?;
        self.file.seek(SeekFrom::Start(self.length)).with_context(cannot)?;
        Ok(())
    }
}

/// Every line of the file at `path` below its first, and the first; a last line without its end is not one.
///
/// # Errors
/// If the system refuses, or what `each` says.
pub fn read(path: &Path, mut each: impl FnMut(&str) -> anyhow::Result<()>) -> anyhow::Result<String> {
    let cannot = || format!("cannot read {}", path.display());
    let mut reader = BufReader::new(File::open(path).with_context(cannot)?);
    let (mut first, mut line, mut number) = (None, String::new(), 0);
    while reader.read_line(&mut line).with_context(cannot)? > 0 && line.ends_with('\n') {
        number += 1;
        let text = line.trim_end();
        if first.is_none() {
            first = Some(text.to_owned());
        } else {
            each(text).with_context(|| format!("{} line {number}", path.display()))?;
        }
        line.clear();
    }
    first.with_context(|| format!("{} is empty", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &Path) -> Vec<String> {
        let mut lines = Vec::new();
        read(path, |line| {
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
        let mut file = LineFile::open(&path, "first", |_| Ok(())).unwrap();
        file.append(&["one".to_owned(), "two".to_owned()]).unwrap();
        drop(file);
        let mut torn = OpenOptions::new().append(true).open(&path).unwrap();
        torn.write_all(b"thr").unwrap();
        assert_eq!(lines(&path), ["one", "two"]);
        let mut file = LineFile::open(&path, "first", |_| Ok(())).unwrap();
        assert_eq!(file.lines(), 2);
        file.append(&["four".to_owned()]).unwrap();
        assert_eq!(lines(&path), ["one", "two", "four"]);
        file.take_back(1, 5).unwrap();
        file.append(&["5".to_owned()]).unwrap();
        assert_eq!(lines(&path), ["one", "two", "5"]);
        assert!(
            LineFile::open(&path, "other", |_| Ok(())).unwrap_err().to_string().contains("made with other options")
        );
    }
}
