//! The one way out: whole lines, each flushed, from whichever thread.

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
    /// Writes to `writer` from now on.
    pub fn new(writer: W) -> Self {
        Self(Arc::new(Mutex::new(writer)))
    }

    /// Writes one line and flushes it.
    ///
    /// A client that no longer reads is no error: it will also have closed its end of the input, and that ends the
    /// engine in order.
    pub fn line(&self, text: impl fmt::Display) {
        let mut writer = self.lock();
        let _ = writeln!(writer, "{text}").and_then(|()| writer.flush());
    }

    /// A remark for the human behind the client.
    pub fn remark(&self, text: impl fmt::Display) {
        self.line(format_args!("info string {text}"));
    }

    /// The writer itself, while no other thread can use it.
    pub fn lock(&self) -> MutexGuard<'_, W> {
        // A thread that panicked while it wrote leaves at worst half a line.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
