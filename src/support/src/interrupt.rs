//! Signals that ask a run to stop: SIGINT (Ctrl-C), SIGTERM and SIGHUP. The first asks the run to finish its present step
//! and to save; a second ends the process at once, and what was not saved is lost.
//!
//! A signal that the process ignored at its start stays ignored: `nohup` and a shell's `&` rely on that.

use signal_hook::flag;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// The exit code of a process that a second signal ended: the shell's code for SIGINT.
const ENDED: i32 = 130;

/// Whether the process has been asked to stop.
#[derive(Debug, Clone)]
pub struct Interrupt(Arc<AtomicBool>);

/// The signals cannot be caught.
#[derive(Debug, Clone, thiserror::Error)]
#[error("cannot catch the signals that end a run (SIGINT, SIGTERM, SIGHUP): {0}")]
pub struct InterruptError(String);

impl Interrupt {
    /// Catches the signals from now on; every call gives the same flag.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn install() -> Result<Interrupt, InterruptError> {
        static INSTALLED: OnceLock<Result<Interrupt, InterruptError>> = OnceLock::new();
        INSTALLED.get_or_init(|| catch().map_err(|error| InterruptError(error.to_string()))).clone()
    }

    /// An interrupt that this flag raises instead of a signal.
    pub fn from_flag(flag: Arc<AtomicBool>) -> Interrupt {
        Interrupt(flag)
    }

    /// Whether a signal has arrived.
    pub fn raised(&self) -> bool {
        self.0.load(Relaxed)
    }
}

fn catch() -> std::io::Result<Interrupt> {
    let raised = Arc::new(AtomicBool::new(false));
    let ignored = ignored();
    for &signal in SIGNALS.iter().filter(|signal| ignored >> (**signal - 1) & 1 == 0) {
        // In this order: the first signal finds the flag down, and raises it.
        flag::register_conditional_shutdown(signal, ENDED, Arc::clone(&raised))?;
        flag::register(signal, Arc::clone(&raised))?;
    }
    Ok(Interrupt(raised))
}

#[cfg(unix)]
const SIGNALS: [i32; 3] = [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM];

/// The signals that this process ignores, one bit each, signal 1 in the lowest; 0 where the system does not tell.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
