//! The Universal Chess Interface: a client's text in, the engine's text out.
//!
//! [`parse`] reads lines, [`session`] acts on them, [`search_thread`] searches, [`info`] writes; [`options`] is the table
//! of what can be set. Nothing here knows chess beyond moves and positions, and nothing in the search knows of this.

pub mod info;
pub mod limits;
pub mod listener;
pub mod options;
pub mod output;
pub mod parse;
pub mod search_thread;
pub mod session;

pub use output::Output;
pub use session::Session;

use crate::engine::EngineSpec;
use std::io::{self, BufRead, Write};

/// Talks with a client until it says `quit` or its text ends; a running search then gives its move first.
///
/// Bytes that are no UTF-8 are read as replacement characters. An error means that there is no engine to begin with, or
/// that the input cannot be read.
pub fn run<W: Write + Send + 'static>(spec: EngineSpec, mut input: impl BufRead, output: W) -> anyhow::Result<()> {
    let mut session = Session::new(spec, Output::new(output))?;
    let mut line = Vec::new();
    let ending = loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => break Ok(()),
            Ok(_) if session.handle(&String::from_utf8_lossy(&line)).is_break() => break Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break Err(error.into()),
        }
    };
    session.end_search();
    ending
}
