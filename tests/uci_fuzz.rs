//! Random and half-right lines: whatever is sent, the parser and a session stay on their feet.

use engine::EngineSpec;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use uci::parse::{Command, parse};
use uci::{Output, Session};

const LINES: usize = 200_000;

const SEEDS: [&str; 26] = [
    "uci",
    "isready",
    "ucinewgame",
    "position startpos",
    "position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
    "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 moves e1g1 e8c8",
    "position fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -",
    "position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "go depth 1",
    "go nodes 30",
    "go wtime 10 btime 10 winc 0 binc 0 movestogo 1",
    "go movetime 1 searchmoves e2e4 d2d4",
    "go mate 1 nodes 30",
    "go infinite",
    "go ponder wtime 1 btime 1",
    "stop",
    "ponderhit",
    "setoption name MultiPV value 3",
    "setoption name UCI_Chess960 value true",
    "setoption name UCI_ShowWDL value true",
    "setoption name Move Overhead value 0",
    "setoption name nodestime value 5",
    "debug on",
    "setoption name EvalFile value no/such file",
    "d",
    "eval",
];

/// Counts the lines that a client would get, and forgets them.
#[derive(Clone, Default)]
struct Counter {
    moves: Arc<AtomicUsize>,
    pending: Vec<u8>,
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        while let Some(end) = self.pending.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.pending.drain(..=end).collect();
            self.moves.fetch_add(usize::from(line.starts_with(b"bestmove ")), Ordering::Relaxed);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn random_line(random: &mut impl Rng) -> String {
    let mut bytes = SEEDS[random.random_range(0..SEEDS.len())].as_bytes().to_vec();
    for _ in 0..random.random_range(0..5) {
        let at = random.random_range(0..=bytes.len());
        match random.random_range(0..5) {
            0 => bytes.insert(at, random.random()),
            1 => bytes.insert(at, b" -0123456789abcdefghkqrnp/"[random.random_range(0..26)]),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 => bytes.truncate(at),
            _ => {
                let words: Vec<&str> = SEEDS[random.random_range(0..SEEDS.len())].split(' ').collect();
                let word = format!(" {} ", words[random.random_range(0..words.len())]);
                bytes.splice(at..at, word.into_bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Would this line ask for much memory? Its parts may be anything, so only what was read counts.
fn is_heavy(line: &str) -> bool {
    match parse(line).command {
        Some(Command::SetOption { name, .. }) => name.eq_ignore_ascii_case("hash"),
        _ => false,
    }
}

#[test]
fn no_line_is_too_odd() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2015);
    let spec = EngineSpec { hash_megabytes: 1, ..EngineSpec::default() };
    let counter = Counter::default();
    let moves = Arc::clone(&counter.moves);
    let mut session = Session::new(spec, Output::new(counter), Arc::new(|| ())).unwrap();
    let mut searches = 0;
    for _ in 0..LINES {
        let line = random_line(&mut random);
        if is_heavy(&line) {
            continue;
        }
        // Leaving is only refused by this test: what comes after it must work as well.
        let _ = session.handle(&line);
        if matches!(parse(&line).command, Some(Command::Go(_))) {
            searches += 1;
            session.end_search();
            assert_eq!(moves.load(Ordering::Relaxed), searches, "one move for each search, after {line:?}");
        }
    }
    assert!(searches > LINES / 10, "only {searches} lines were searches");
}
