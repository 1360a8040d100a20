//! Waiting for a message. MPI's own functions poll without a pause, which takes a core from whoever has to work where ranks share cores;
//! this one leaves the core to others after a short while, and pauses after a longer one. It also ends where there is a limit.

use mpi::request::{Request, Scope};
use mpi::topology::{Communicator, SimpleCommunicator};
use std::time::{Duration, Instant};

/// For so long a rank only polls: as long as ranks of one machine take to answer.
const POLLING: Duration = Duration::from_micros(200);
/// For so long it polls whenever no other process wants the core: longer than an uneven share of an iteration's work. A pause would stop messages, which
/// move only while somebody polls.
const YIELDING: Duration = Duration::from_millis(20);
/// Then it pauses, the first time for so long,
const FIRST_PAUSE: Duration = Duration::from_micros(20);
/// and longer each time, up to this.
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// In so long mpirun has passed on a sentence.
const PASSED_ON: Duration = Duration::from_millis(500);

/// Waits for a request. After `within` it ends the job with a sentence, here: the request's memory is MPI's until it is done.
pub(crate) fn wait<'a, D: ?Sized, S: Scope<'a>>(mut request: Request<'a, D, S>, within: Option<Duration>) {
    let (begun, mut pause) = (Instant::now(), FIRST_PAUSE);
    loop {
        request = match request.test() {
            Ok(_) => return,
            Err(request) => request,
        };
        let waited = begun.elapsed();
        if let Some(limit) = within.filter(|limit| waited > *limit) {
            let world = SimpleCommunicator::world();
            eprintln!(
                "okapi: rank {} has waited {} s for the other ranks: one of them hangs or runs something else; the job is ended",
                world.rank(),
                limit.as_secs()
            );
            // An mpirun that ends the job at once may not pass on what it has not read yet.
            std::thread::sleep(PASSED_ON);
            world.abort(1);
        }
        if waited < POLLING {
            std::hint::spin_loop();
        } else if waited < YIELDING {
            std::thread::yield_now();
        } else {
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}
