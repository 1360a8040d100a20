//! The output of the session: whole lines, each flushed, from any thread; and the log of a session.

use std::fmt;
use std::fs::File;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A writer of lines that threads share.
#[derive(Debug)]
pub struct Output<W> {
    writer: Arc<Mutex<W>>,
    log: Arc<Mutex<Option<File>>>,
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
    pub fn log_to(&self, file: Option<File>) {
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = file;
    }

    /// Locks the writer.
    pub fn lock(&self) -> MutexGuard<'_, W> {
        // A thread that panicked while writing leaves half a line at worst.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Without a log this costs no more than a look.
    fn log(&self, direction: &str, line: &dyn fmt::Display) {
        if let Some(file) = &mut *self.log.lock().unwrap_or_else(PoisonError::into_inner) {
            // A log that cannot be written is no reason to stop.
            let _ = writeln!(file, "{direction} {line}");
        }
    }
}
