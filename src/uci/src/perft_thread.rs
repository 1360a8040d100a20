//! `go perft`: a count on its own thread, so that the session hears `isready`, `stop` and `quit` meanwhile.

use crate::info::Style;
use crate::output::Output;
use crate::search_thread::{Notify, NotifyAtEnd};
use board::Position;
use board::perft::perft_until;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// A count that runs, or has ended and is not joined yet.
pub struct PerftThread {
    stop: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl PerftThread {
    /// Starts a count, which prints the leaves of the tree of legal moves move by move and in all, and calls `notify` when it is over.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn begin<W: Write + Send + 'static>(
        position: Position,
        plies: u32,
        style: Style,
        out: Output<W>,
        notify: Notify,
    ) -> io::Result<Self> {
        let [stop, over] = [(); 2].map(|()| Arc::<AtomicBool>::default());
        let (stops, ends) = (Arc::clone(&stop), Arc::clone(&over));
        let thread = thread::Builder::new().name("perft".into()).spawn(move || {
            let _at_end = NotifyAtEnd(Arc::new(move || {
                ends.store(true, Ordering::Release);
                notify();
            }));
            count(&position, plies, style, &out, &|| stops.load(Ordering::Relaxed));
        })?;
        Ok(Self { stop, over, thread })
    }

    /// Whether all is printed.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Ends the count now, and waits until that is printed.
    pub fn end(self) {
        self.stop.store(true, Ordering::Relaxed);
        // A count that panicked has ended, too.
        let _ = self.thread.join();
    }
}

/// Prints the counts of each move and their sum, or how far they came until `stop`.
fn count<W: Write>(position: &Position, plies: u32, style: Style, out: &Output<W>, stop: &impl Fn() -> bool) {
    let moves = if plies == 0 { Default::default() } else { position.legal_moves() };
    let (mut all, number) = (if plies == 0 { 1 } else { 0 }, moves.len());
    for (done, mv) in moves.into_iter().enumerate() {
        let counted = if stop() { None } else { perft_until(&position.play(mv), plies - 1, stop) };
        let Some(count) = counted else {
            out.remark(format_args!("go: perft was stopped after {done} of {number} moves"));
            return;
        };
        out.line(format_args!("{}: {count}", position.uci(mv, style.chess960)));
        all += count;
    }
    out.line(format_args!("\nNodes searched: {all}"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    fn begun(plies: u32) -> (PerftThread, Output<Vec<u8>>, impl Fn() -> bool) {
        let (out, (sender, ended)) = (Output::new(Vec::new()), channel());
        let notify: Notify = Arc::new(move || sender.send(()).expect("the test waits"));
        let thread = PerftThread::begin(Position::start(), plies, Style::default(), out.clone(), notify);
        (thread.expect("a thread"), out, move || ended.recv_timeout(Duration::from_secs(60)).is_ok())
    }

    fn text(out: &Output<Vec<u8>>) -> String {
        String::from_utf8(out.lock().clone()).expect("text")
    }

    #[test]
    fn a_count_is_printed_move_by_move_and_in_all() {
        let (thread, out, ends) = begun(3);
        assert!(ends() && thread.is_over());
        let said = text(&out);
        assert!(said.contains("e2e4: 600\n") && said.ends_with("\n\nNodes searched: 8902\n"), "{said}");
        let (_, out, ends) = begun(0);
        assert!(ends());
        assert_eq!(text(&out), "\nNodes searched: 1\n");
    }

    #[test]
    fn a_count_that_would_take_years_ends_when_it_is_told_to() {
        let (thread, out, ends) = begun(board::perft::MOST_PLIES);
        assert!(!thread.is_over());
        thread.end();
        assert!(ends());
        assert_eq!(text(&out), "info string go: perft was stopped after 0 of 20 moves\n");
    }
}
