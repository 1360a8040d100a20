//! A client for tests: the program behind pipes, every wait with a limit.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Longer than anything a test waits for takes, even on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A running engine.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Client {
    /// Starts the engine with these arguments.
    pub fn start(arguments: &[&str]) -> Self {
        Self::run(Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments))
    }

    /// Starts the engine by a command of the system's.
    pub fn run(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the engine starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let client = Self { input: child.stdin.take(), child, lines };
        let banner = client.next_line(PATIENCE).expect("a banner");
        assert!(banner.starts_with("Okapi ") && banner.ends_with(" by the Okapi authors"), "{banner}");
        client
    }

    /// Starts the engine with a small table and sends it these lines.
    pub fn with(lines: &[&str]) -> Self {
        let mut client = Self::start(&["--hash", "8"]);
        lines.iter().for_each(|line| client.send(line));
        client
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(line.as_bytes());
    }

    /// Sends a line of any bytes.
    pub fn send_bytes(&mut self, line: &[u8]) {
        let input = self.input.as_mut().expect("an open input");
        input.write_all(line).and_then(|()| input.write_all(b"\n")).and_then(|()| input.flush()).expect("a reader");
    }

    /// The next line, or `None` if none comes within `limit`.
    pub fn next_line(&self, limit: Duration) -> Option<String> {
        self.lines.recv_timeout(limit).ok()
    }

    /// Every line up to and including the first that begins with `prefix`.
    pub fn read_until(&self, prefix: &str) -> Vec<String> {
        let deadline = Instant::now() + PATIENCE;
        let mut seen = Vec::new();
        while let Some(line) = self.next_line(deadline.saturating_duration_since(Instant::now())) {
            seen.push(line);
            if seen.last().is_some_and(|line| line.starts_with(prefix)) {
                return seen;
            }
        }
        panic!("no line begins with {prefix:?} in {seen:#?}");
    }

    /// The first line that begins with `prefix`.
    pub fn expect(&self, prefix: &str) -> String {
        self.read_until(prefix).pop().expect("the line")
    }

    /// The lines that come within `time`.
    pub fn listen(&self, time: Duration) -> Vec<String> {
        let deadline = Instant::now() + time;
        std::iter::from_fn(|| self.next_line(deadline.saturating_duration_since(Instant::now()))).collect()
    }

    /// Sends `isready` and returns what is said before `readyok`.
    pub fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.read_until("readyok");
        lines.pop();
        lines
    }

    /// Sends a `go` and returns its lines, the `bestmove` the last of them.
    pub fn go(&mut self, go: &str) -> Vec<String> {
        self.send(go);
        self.read_until("bestmove")
    }

    /// The FEN that the engine shows.
    pub fn fen(&mut self) -> String {
        self.send("d");
        let diagram = self.read_until("checkers");
        diagram.iter().find_map(|line| line.strip_prefix("fen ")).expect("a FEN").to_owned()
    }

    /// Sends the engine's process a signal, by its name without SIG.
    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status().expect("kill runs");
        assert!(sent.success(), "{name}");
    }

    /// Ends the input.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// Waits for the program to exit.
    pub fn exit_status(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            thread::sleep(Duration::from_millis(5));
        }
        panic!("the engine does not exit");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A test that failed must not leave a search behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What follows `key` in a line of words.
pub fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split_whitespace().skip_while(|&word| word != key).nth(1)
}

/// The number that follows `key`.
pub fn number(line: &str, key: &str) -> Option<i64> {
    field(line, key)?.parse().ok()
}

/// The move of a `bestmove` line.
pub fn best(lines: &[String]) -> &str {
    lines.last().and_then(|line| field(line, "bestmove")).expect("a bestmove")
}
