//! The output of the session: whole lines, each flushed, from any thread.

use std::fmt;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A writer of lines that threads share.
#[derive(Debug)]
pub struct Output<W>(Arc<Mutex<W>>);

impl<W> Clone for Output<W> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<W: Write> Output<W> {
    /// Writes to `writer`.
    pub fn new(writer: W) -> Self {
        Self(Arc::new(Mutex::new(writer)))
    }

    /// Writes one line and flushes it.
    ///
    /// Errors are ignored: a client that no longer reads has also closed the input, which ends the program.
    pub fn line(&self, text: impl fmt::Display) {
        let mut writer = self.lock();
        let _ = writeln!(writer, "{text}").and_then(|()| writer.flush());
    }

    /// Writes a message for the user, as `info string`.
    pub fn remark(&self, text: impl fmt::Display) {
        self.line(format_args!("info string {text}"));
    }

    /// Locks the writer.
    pub fn lock(&self) -> MutexGuard<'_, W> {
        // A thread that panicked while writing leaves half a line at worst.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
