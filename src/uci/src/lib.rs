//! The Universal Chess Interface (UCI).
//!
//! [`parse`] parses lines, [`session`] executes them, [`search_thread`] runs searches, [`info`] formats reports, and
//! [`options`] is the table of options, [`tools`] has commands beside the protocol. The search does not depend on this module.

pub mod info;
pub mod limits;
pub mod listener;
pub mod options;
pub mod output;
pub mod parse;
pub mod search_log;
pub mod search_thread;
pub mod session;
pub mod tools;

pub use output::Output;
pub use session::Session;

use engine::EngineSpec;
use std::io::{self, BufRead, Write};

/// Runs a session until `quit` or the end of the input; a running search prints its move before.
///
/// Bytes that are not UTF-8 are read as replacement characters.
///
/// # Errors
/// If the engine cannot be built, or the input cannot be read.
pub fn run<W: Write + Send + 'static>(spec: EngineSpec, mut input: impl BufRead, output: W) -> anyhow::Result<()> {
    let output = Output::new(output);
    let mut session = Session::new(spec, output.clone())?;
    output.line(tools::banner());
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
