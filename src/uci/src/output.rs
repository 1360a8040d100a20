//! The output of the session: whole lines, each flushed, from any thread; and the log of a session.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use support::atomic_file::is_still_at;

/// A writer of lines that threads share.
#[derive(Debug)]
pub struct Output<W> {
    writer: Arc<Mutex<W>>,
    log: Arc<Mutex<Option<SessionLog>>>,
}

/// The file that has every line of a session.
#[derive(Debug)]
pub struct SessionLog {
    path: PathBuf,
    file: File,
}

impl SessionLog {
    /// Opens a log to be continued.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::options().append(true).create(true).open(path)?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Writes a line; to a new file, if the old one was removed or moved away, as programs that rotate logs do.
    fn line(&mut self, line: fmt::Arguments) -> io::Result<()> {
        if !is_still_at(&self.path, &self.file) {
            *self = Self::open(&self.path)?;
        }
        writeln!(self.file, "{line}")
    }
}

impl<W> Clone for Output<W> {
    fn clone(&self) -> Self {
        Self { writer: Arc::clone(&self.writer), log: Arc::clone(&self.log) }
    }
}

impl<W: Write> Output<W> {
    /// Writes to `writer`.
    pub fn new(writer: W) -> Self {
        Self { writer: Arc::new(Mutex::new(writer)), log: Arc::default() }
    }

    /// Writes one line and flushes it. If that fails, nobody reads any more, and the process ends.
    pub fn line(&self, text: impl fmt::Display) {
        self.log("<<", &text);
        let mut writer = self.lock();
        if writeln!(writer, "{text}").and_then(|()| writer.flush()).is_err() {
            std::process::exit(0);
        }
    }

    /// Writes a message for the user, as `info string`.
    pub fn remark(&self, text: impl fmt::Display) {
        self.line(format_args!("info string {text}"));
    }

    /// Writes a line that the client has sent to the log.
    pub fn received(&self, line: &str) {
        self.log(">>", &line.trim_end());
    }

    /// Writes every line from now on to the end of this file, too.
    pub fn log_to(&self, log: Option<SessionLog>) {
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = log;
    }

    /// Locks the writer.
    pub fn lock(&self) -> MutexGuard<'_, W> {
        // A thread that panicked while writing leaves half a line at worst.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Without a log this costs no more than a look.
    fn log(&self, direction: &str, line: &dyn fmt::Display) {
        if let Some(log) = &mut *self.log.lock().unwrap_or_else(PoisonError::into_inner) {
            // A log that cannot be written is no reason to stop.
            let _ = log.line(format_args!("{direction} {line}"));
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_was_moved_away_is_begun_again() {
        let folder = tempfile::tempdir().unwrap();
        let [path, old] = ["log", "log.1"].map(|name| folder.path().join(name));
        let output = Output::new(Vec::new());
        output.log_to(Some(SessionLog::open(&path).unwrap()));
        output.received("uci\n");
        std::fs::rename(&path, &old).unwrap();
        output.received("isready\n");
        let text = |path| std::fs::read_to_string(path).unwrap();
        assert_eq!((text(&old), text(&path)), (">> uci\n".to_owned(), ">> isready\n".to_owned()));
    }
}
