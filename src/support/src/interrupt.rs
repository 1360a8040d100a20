//! Signals that ask a job to stop: SIGINT (Ctrl-C), SIGTERM, SIGHUP, SIGQUIT (Ctrl-\\) and SIGUSR1, which schedulers send before a
//! job's time is over. The first asks it to finish its present step and to save, and says so; a second ends the process at once, and
//! what was not saved is lost. What follows the first within a second is the same request: `timeout` sends a signal to its child and then to
//! the child's group. The exit status of a job that was stopped is that of a shell: 128 and the signal's number, which is 130
//! after SIGINT and 143 after SIGTERM.
//!
//! A signal that the process ignored at its start stays ignored: `nohup` and a shell's `&` rely on that.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
#[cfg(unix)]
use std::time::Duration;

/// What the first signal says.
const SAVING: &str = "okapi: saving; Ctrl-C again stops at once";

/// For so long after the first signal another is the same request.
#[cfg(unix)]
const SAME_REQUEST: Duration = Duration::from_secs(1);

/// Whether the first signal says so: it has not yet, and there is something to save. Held while it is said, so that no sentence about the end
/// comes before.
static SPEAKS: Mutex<bool> = Mutex::new(true);

static INSTALLED: OnceLock<Result<Interrupt, InterruptError>> = OnceLock::new();

/// From now on a signal says nothing: the job has ended, and there is nothing left to save.
pub fn nothing_to_save() {
    set_speaks(false);
}

/// From now on the first signal says that it saves; after [`Interrupt::install_among_ranks`].
pub fn something_to_save() {
    set_speaks(true);
}

fn set_speaks(speaks: bool) {
    *SPEAKS.lock().unwrap_or_else(PoisonError::into_inner) = speaks;
}

/// Says [`SAVING`], if nobody has.
#[cfg(unix)]
fn say_saving() {
    let mut speaks = SPEAKS.lock().unwrap_or_else(PoisonError::into_inner);
    if std::mem::take(&mut *speaks) {
        crate::say!("{SAVING}");
    }
}

/// Whether the process has been asked to stop.
#[derive(Debug, Clone)]
pub struct Interrupt {
    raised: Arc<AtomicBool>,
    /// The number of the first signal, 0 before it.
    signal: Arc<AtomicUsize>,
}

/// The signals cannot be caught.
#[derive(Debug, Clone, thiserror::Error)]
#[error("cannot catch the signals that end a run (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1): {0}")]
pub struct InterruptError(String);

/// The error of a job that a signal stopped before it was done: a sentence that says how far it came and what continues it.
#[derive(Debug, thiserror::Error)]
#[error("{sentence}")]
pub struct Interrupted {
    sentence: String,
    status: u8,
}

impl Interrupted {
    /// The error with this sentence.
    pub fn new(sentence: impl Into<String>) -> Self {
        let installed = INSTALLED.get().and_then(|installed| installed.as_ref().ok());
        let signal = installed.map_or(0, |interrupt| interrupt.signal.load(Relaxed));
        // A job can come to its end before the thread that says it has run.
        #[cfg(unix)]
        if signal != 0 {
            say_saving();
        }
        nothing_to_save();
        Self { sentence: sentence.into(), status: status(if signal == 0 { SIGINT } else { signal as i32 }) as u8 }
    }

    /// The exit status of the process.
    pub fn status(&self) -> u8 {
        self.status
    }
}

impl Interrupt {
    /// Catches the signals from now on; every call gives the same flag.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn install() -> Result<Interrupt, InterruptError> {
        INSTALLED.get_or_init(|| catch(true).map_err(|error| InterruptError(error.to_string()))).clone()
    }

    /// The same for a process that `mpirun` has started. Its first signal may come twice, from the terminal and from `mpirun`, so that
    /// a second one does not end it; `mpirun` ends it at once where the user insists. It says that it saves only where there is
    /// [something to save](something_to_save): `mpirun` also ends what hangs or has refused to begin, and continues it for that. Must be
    /// the first call.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn install_among_ranks() -> Result<Interrupt, InterruptError> {
        nothing_to_save();
        INSTALLED.get_or_init(|| catch(false).map_err(|error| InterruptError(error.to_string()))).clone()
    }

    /// An interrupt that this flag raises instead of a signal.
    pub fn from_flag(flag: Arc<AtomicBool>) -> Interrupt {
        Interrupt { raised: flag, signal: Arc::default() }
    }

    /// The number of the first signal, 0 before it.
    pub fn signal(&self) -> usize {
        self.signal.load(Relaxed)
    }

    /// As if this signal had arrived, which has reached another process of the same job.
    pub fn raise(&self, signal: usize) {
        self.signal.store(signal, Relaxed);
        self.raised.store(true, Relaxed);
    }

    /// Whether a signal has arrived.
    pub fn raised(&self) -> bool {
        self.raised.load(Relaxed)
    }
}

/// The exit status after a signal.
fn status(signal: i32) -> i32 {
    128 + signal
}

fn catch(second_ends: bool) -> std::io::Result<Interrupt> {
    let interrupt = Interrupt::from_flag(Arc::default());
    let ignored = ignored();
    let signals: Vec<i32> = SIGNALS.iter().copied().filter(|signal| ignored >> (signal - 1) & 1 == 0).collect();
    // Whether a signal ends the process at once.
    let ends = if cfg!(unix) { Arc::default() } else { Arc::clone(&interrupt.raised) };
    for &signal in &signals {
        // In this order: the first signal finds the flag down, and raises it.
        if second_ends {
            flag::register_conditional_shutdown(signal, status(signal), Arc::clone(&ends))?;
        }
        flag::register_usize(signal, Arc::clone(&interrupt.signal), signal as usize)?;
        flag::register(signal, Arc::clone(&interrupt.raised))?;
    }
    announce(&signals, ends)?;
    Ok(interrupt)
}

/// Says [`SAVING`] at the first signal, from a thread that waits for it, because a handler may not print; then raises `ends`, by which
/// another signal ends the process, when it is not the same request any more.
#[cfg(unix)]
fn announce(signals: &[i32], ends: Arc<AtomicBool>) -> std::io::Result<()> {
    use std::io::Read;
    use std::os::unix::net::UnixStream;
    let (mut arrived, send) = UnixStream::pair()?;
    for &signal in signals {
        signal_hook::low_level::pipe::register(signal, send.try_clone()?)?;
    }
    let wait = move || {
        if arrived.read_exact(&mut [0]).is_err() {
            return;
        }
        say_saving();
        std::thread::sleep(SAME_REQUEST);
        ends.store(true, Relaxed);
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait)?;
    Ok(())
}

#[cfg(not(unix))]
fn announce(_: &[i32], _: Arc<AtomicBool>) -> std::io::Result<()> {
    crate::say!("okapi: Ctrl-C saves and ends; twice, it stops at once");
    Ok(())
}

#[cfg(unix)]
const SIGNALS: [i32; 5] = {
    use signal_hook::consts::{SIGHUP, SIGQUIT, SIGUSR1};
    [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1]
};
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// The signals that this process ignores, one bit each, signal 1 in the lowest; 0 where the system does not tell.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use signal_hook::consts::SIGUSR1;
    use signal_hook::low_level::raise;

    #[test]
    fn two_signals_at_once_are_one_request() {
        let interrupt = Interrupt::install().unwrap();
        assert!(!interrupt.raised());
        for _ in 0..3 {
            raise(SIGUSR1).unwrap();
        }
        assert!(interrupt.raised());
        assert_eq!(Interrupted::new("stopped").status(), 138);
    }
}
