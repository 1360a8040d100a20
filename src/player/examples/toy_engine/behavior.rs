//! The arguments of the toy engine.
//!
//! ```text
//! --seed N             seed of the random moves (default 0)
//! --first              the first legal move instead of a random one
//! --castle             castles whenever possible
//! --other-castling     writes castling in the other notation
//! --think MS           thinks this long for each move
//! --late MS            moves this long after its time limit
//! --endless            prints info lines forever instead of moving
//! --tireless           reports more nodes and depth than any limit, and moves only after `stop`
//! --chatty             prints megabytes of garbage, with CRLF and invalid UTF-8
//! --hang-after N       hangs after N moves
//! --crash-after N      exits with status 3 after N moves
//! --illegal-after N    plays illegal moves after N moves
//! --none-after N       prints "bestmove (none)" after N moves
//! --empty-bestmove     prints "bestmove" without a move
//! --garbage-bestmove   prints invalid UTF-8 instead of a move
//! --slow-ready MS      waits this long before each readyok
//! --no-960             does not declare the option UCI_Chess960
//! --not-uci            does not know the command `uci`
//! --silent             never prints anything
//! --helper             starts a child process that holds its output open
//! --log FILE           appends every line of input to FILE
//! ```

use std::fs::{File, OpenOptions};
use std::process::{Command, exit};
use std::str::FromStr;

/// The behavior that the arguments select.
#[derive(Default)]
pub struct Behavior {
    pub seed: u64,
    pub first: bool,
    pub castle: bool,
    pub other_castling: bool,
    pub think: u64,
    pub late: Option<u64>,
    pub endless: bool,
    pub tireless: bool,
    pub chatty: bool,
    pub hang_after: Option<u32>,
    pub crash_after: Option<u32>,
    pub illegal_after: Option<u32>,
    pub none_after: Option<u32>,
    pub empty_bestmove: bool,
    pub garbage_bestmove: bool,
    pub slow_ready: u64,
    pub no_960: bool,
    pub not_uci: bool,
    pub silent: bool,
    pub log: Option<File>,
}

impl Behavior {
    /// Parses the arguments of the program.
    pub fn read(mut args: impl Iterator<Item = String>) -> Self {
        let mut is = Self::default();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--seed" => is.seed = value(&arg, &mut args),
                "--first" => is.first = true,
                "--castle" => is.castle = true,
                "--other-castling" => is.other_castling = true,
                "--think" => is.think = value(&arg, &mut args),
                "--late" => is.late = Some(value(&arg, &mut args)),
                "--endless" => is.endless = true,
                "--tireless" => is.tireless = true,
                "--chatty" => is.chatty = true,
                "--hang-after" => is.hang_after = Some(value(&arg, &mut args)),
                "--crash-after" => is.crash_after = Some(value(&arg, &mut args)),
                "--illegal-after" => is.illegal_after = Some(value(&arg, &mut args)),
                "--none-after" => is.none_after = Some(value(&arg, &mut args)),
                "--empty-bestmove" => is.empty_bestmove = true,
                "--garbage-bestmove" => is.garbage_bestmove = true,
                "--slow-ready" => is.slow_ready = value(&arg, &mut args),
                "--no-960" => is.no_960 = true,
                "--not-uci" => is.not_uci = true,
                "--silent" => is.silent = true,
                "--helper" => start_helper(),
                "--log" => {
                    let path: String = value(&arg, &mut args);
                    let file = OpenOptions::new().create(true).append(true).open(&path);
                    is.log = Some(file.unwrap_or_else(|error| refuse(&format!("{path}: {error}"))));
                }
                _ => refuse(&format!("unknown argument {arg}")),
            }
        }
        is
    }
}

fn value<T: FromStr>(name: &str, args: &mut impl Iterator<Item = String>) -> T {
    let value = args.next().unwrap_or_default();
    value.parse().unwrap_or_else(|_| refuse(&format!("{name} does not take '{value}'")))
}

/// Starts a child process that runs for a minute.
fn start_helper() {
    if let Err(error) = Command::new("sleep").arg("60").spawn() {
        refuse(&format!("sleep: {error}"));
    }
}

/// Exits because the driver made a mistake.
pub fn refuse(why: &str) -> ! {
    eprintln!("toy_engine: {why}");
    exit(4)
}
