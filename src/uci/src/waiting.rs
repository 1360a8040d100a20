//! The commands that wait for the end of a search, in the order in which they came.
//!
//! A client may send positions and searches without waiting for moves, as scripts do. What needs the engine or changes the
//! position waits for the move of a search that ends by itself, so that no move belongs to another position. What acts at
//! once also acts on the searches that wait: a `stop` is meant for all that was sent before it.

use crate::parse::Command;
use std::collections::VecDeque;

/// A command, and whether its search is to print a move at once.
#[derive(Debug)]
pub struct Waiting {
    /// What to do.
    pub command: Command,
    /// Whether a `stop` came after it.
    pub is_stopped: bool,
}

/// The commands that wait.
#[derive(Debug, Default)]
pub struct WaitingCommands(VecDeque<Waiting>);

impl WaitingCommands {
    /// A command that comes after all others.
    pub fn push(&mut self, command: Command) {
        self.0.push_back(Waiting { command, is_stopped: false });
    }

    /// The command that came first.
    pub fn pop(&mut self) -> Option<Waiting> {
        self.0.pop_front()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `stop`: the searches that wait print a move as soon as they begin.
    pub fn stop(&mut self) {
        self.0.iter_mut().for_each(|waiting| waiting.is_stopped = true);
    }

    /// `quit`: only what leads to the moves that the client still expects is done.
    pub fn quit(&mut self) {
        self.stop();
        let leads_to_a_move = |command: &Command| {
            matches!(command, Command::Position(_) | Command::Go(_) | Command::SetOption { .. } | Command::NewGame)
        };
        self.0.retain(|waiting| leads_to_a_move(&waiting.command));
    }

    /// `ponderhit`: the last search that waits has its expected move; `false` if none waits for one.
    pub fn ponderhit(&mut self) -> bool {
        let pondering = self.0.iter_mut().rev().find_map(|waiting| match &mut waiting.command {
            Command::Go(go) if go.ponder => Some(go),
            _ => None,
        });
        pondering.map(|go| go.ponder = false).is_some()
    }
}
