//! Waiting for a message. MPI's own functions poll without a pause, which takes a core from whoever has to work where ranks share cores;
//! this one pauses after a short while. It also ends where there is a limit.

use mpi::request::{Request, Scope};
use std::time::{Duration, Instant};

/// For so long a rank only polls: as long as ranks of one machine take to answer.
const POLLING: Duration = Duration::from_micros(200);
/// Then it pauses, the first time for so long,
const FIRST_PAUSE: Duration = Duration::from_micros(20);
/// and longer each time, up to this.
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// The limit has passed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Overdue(pub Duration);

/// Waits for a request; after `within` the request is left behind, and the process must end.
pub(crate) fn wait<'a, D: ?Sized, S: Scope<'a>>(
    mut request: Request<'a, D, S>,
    within: Option<Duration>,
) -> Result<(), Overdue> {
    let (begun, mut pause) = (Instant::now(), FIRST_PAUSE);
    loop {
        request = match request.test() {
            Ok(_) => return Ok(()),
            Err(request) => request,
        };
        let waited = begun.elapsed();
        if let Some(limit) = within.filter(|limit| waited > *limit) {
            // Its memory is still MPI's.
            std::mem::forget(request);
            return Err(Overdue(limit));
        }
        if waited < POLLING {
            std::hint::spin_loop();
        } else {
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}
