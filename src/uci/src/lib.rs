//! The Universal Chess Interface (UCI).
//!
//! [`parse`] parses lines, [`session`] executes them, [`search_thread`] runs searches and [`perft_thread`] counts of `go perft`, [`info`] formats reports, and
//! [`options`] is the table of options, [`waiting`] has the commands that wait for a search, [`tools`] has commands beside the protocol. The search does not depend on this module.

pub mod info;
pub mod limits;
pub mod listener;
pub mod options;
pub mod output;
pub mod pacing;
pub mod parse;
pub mod perft_thread;
pub mod search_log;
pub mod search_thread;
pub mod session;
pub mod tools;
pub mod waiting;

pub use output::Output;
pub use session::Session;

use engine::EngineSpec;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// What happens to a session.
enum Event {
    /// A line of the client.
    Line(String),
    /// A search has printed its move, or a count its sum.
    SearchOver,
    /// The input has ended.
    End,
}

/// Runs a session until `quit` or the end of the input; a running search prints its move before.
///
/// Bytes that are not UTF-8 are read as replacement characters.
///
/// # Errors
/// If the engine cannot be built, or the input cannot be read.
pub fn run<W: Write + Send + 'static>(spec: EngineSpec, mut input: impl BufRead, output: W) -> anyhow::Result<()> {
    let output = Output::new(output);
    let (sender, events) = channel();
    let searches = sender.clone();
    // Nobody receives it when the session has ended.
    let notify = Arc::new(move || drop(searches.send(Event::SearchOver)));
    let session = Session::new(spec, output.clone(), notify)?;
    output.line(tools::banner());
    thread::scope(|scope| {
        scope.spawn(move || converse(session, &events));
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            match input.read_until(b'\n', &mut bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(length) if length > 0 => {
                    let line = String::from_utf8_lossy(&bytes).into_owned();
                    // The session ends with it, and no further line is read.
                    let is_last = matches!(parse::parse(&line).command, Some(parse::Command::Quit));
                    if sender.send(Event::Line(line)).is_err() || is_last {
                        return Ok(());
                    }
                }
                ended => {
                    // A session that has ended needs no end.
                    let _ = sender.send(Event::End);
                    return ended.map(drop).map_err(anyhow::Error::from);
                }
            }
        }
    })
}

/// Executes what happens until the session ends.
fn converse<W: Write + Send + 'static>(mut session: Session<W>, events: &Receiver<Event>) {
    let mut is_ended = false;
    for event in events {
        match event {
            Event::Line(line) if session.handle(&line).is_break() => return,
            Event::Line(_) => {}
            Event::SearchOver => session.go_on(),
            Event::End => is_ended = true,
        }
        if is_ended && session.finish() {
            return;
        }
    }
}
