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

/// Says a line on standard error. If nobody can hear it, as on a full disk, the job goes on; `eprintln!` would end it.
#[macro_export]
macro_rules! say {
    ($($what:tt)*) => {{
        use ::std::io::Write as _;
        let _ = ::std::writeln!(::std::io::stderr(), $($what)*);
    }};
}
