//! What every command that runs long or writes a file needs: files that survive a crash ([`atomic_file`], [`journal`]), one
//! rule for outputs ([`output`]), interrupts, progress, hashes, charts, the resources of the machine, choices by word, settings as
//! a table ([`mod@keys`]), and text fit for messages.

pub mod atomic_file;
pub mod chart;
pub mod choice;
pub mod hash;
pub mod interrupt;
pub mod journal;
pub mod keys;
pub mod machine;
pub mod output;
pub mod panic;
pub mod part;
pub mod pool;
pub mod program;
pub mod progress;
pub mod text;
