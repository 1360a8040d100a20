//! The rules of UCI, kept by the built program as its clients meet it: through pipes.

mod client;
mod conversation;
#[cfg(target_os = "linux")]
mod lateness;
mod positions;
mod resources;
mod searching;
