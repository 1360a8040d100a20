//! A child process that speaks in lines: it is started, a thread reads its output and stamps the arrival time of every
//! line, and it is always ended.
//!
//! On Unix it leads a process group of its own. An interrupt at the terminal then reaches only its parent, which ends
//! it in order, and its own child processes end with it.

use crate::{EngineCommand, Fault};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use support::pool::Stop;

/// The first words of the lines that are kept; all other lines are dropped.
const FIRST_WORDS: [&str; 6] = ["info", "bestmove", "readyok", "uciok", "id", "option"];
/// The maximum length of a line in bytes; the rest of the line is dropped.
const LONGEST_LINE: usize = 1 << 16;
/// The maximum number of unread lines; beyond it the program blocks on its output.
const QUEUE: usize = 256;
/// How often to check that the program still runs, and is still wanted, while it prints nothing.
const HEARTBEAT: Duration = Duration::from_millis(100);
/// How long a program may take to exit after it has closed its output or received `quit`.
const LEAVE: Duration = Duration::from_millis(500);

/// A line of output, and when it was complete.
#[derive(Debug)]
pub(crate) struct OutputLine {
    pub text: String,
    pub at: Instant,
}

/// A running program.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<OutputLine>,
    /// A line that arrived after the deadline of the call that waited for it.
    late: Option<OutputLine>,
    is_reaped: bool,
}

impl Process {
    /// Starts the program.
    pub fn start(command: &EngineCommand) -> Result<Self, Fault> {
        let mut child = spawn(command).map_err(|error| Fault::Start(why_not_started(command, &error)))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (sender, lines) = sync_channel(QUEUE);
        let mut process = Self { child, input, lines, late: None, is_reaped: false };
        let reader = thread::Builder::new().name("engine output".into());
        let reading = reader.spawn(move || output.map(|output| forward_lines(BufReader::new(output), &sender)));
        match reading {
            Ok(_) => Ok(process),
            Err(error) => {
                process.end();
                Err(Fault::Start(format!("the system has no thread for it ({error})")))
            }
        }
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) -> Result<(), Fault> {
        let sent = match &mut self.input {
            // In one piece, so that the program wakes once.
            Some(input) => input.write_all(format!("{line}\n").as_bytes()).and_then(|()| input.flush()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        sent.map_err(|_| self.crash("it closed its input"))
    }

    /// The next line that is kept, if it arrives by the deadline.
    pub fn line_by(&mut self, deadline: Instant) -> Result<Option<OutputLine>, Fault> {
        self.line_by_unless(deadline, &|| false)
    }

    /// The same, if it arrives before `stop` is true.
    pub fn line_by_unless(&mut self, deadline: Instant, stop: &Stop) -> Result<Option<OutputLine>, Fault> {
        if self.late.is_none() {
            self.late = self.receive(deadline, stop)?;
        }
        Ok(self.late.take_if(|line| line.at <= deadline))
    }

    fn receive(&mut self, deadline: Instant, stop: &Stop) -> Result<Option<OutputLine>, Fault> {
        let mut has_exited = false;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(HEARTBEAT)) {
                Ok(line) => return Ok(Some(line)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.crash("it closed its output")),
                Err(RecvTimeoutError::Timeout) if left.is_zero() || stop() => return Ok(None),
                // A child of the dead program may hold its output open; everything that the program itself printed has arrived.
                Err(RecvTimeoutError::Timeout) if has_exited => return Err(self.crash("it left its output open")),
                Err(RecvTimeoutError::Timeout) => has_exited = self.has_exited(),
            }
        }
    }

    /// Ends what is left of the program. The fault says how it exited, or `otherwise` if it did not exit by itself.
    fn crash(&mut self, otherwise: &str) -> Fault {
        let by_itself = self.exits_within(LEAVE);
        let status = self.end();
        Fault::Crash(match status {
            Some(status) if by_itself => status.to_string(),
            _ => otherwise.to_owned(),
        })
    }

    fn exits_within(&mut self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let mut pause = Duration::from_micros(200);
        while !self.has_exited() {
            if Instant::now() >= deadline {
                return false;
            }
            thread::sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(10));
        }
        true
    }

    /// Kills the program with its child processes and removes it from the process table.
    fn end(&mut self) -> Option<ExitStatus> {
        if self.is_reaped {
            return None;
        }
        self.is_reaped = true;
        self.kill();
        self.child.wait().ok()
    }

    /// Has the program exited? It stays in the process table, so that the id of its process group is not reused.
    #[cfg(unix)]
    fn has_exited(&mut self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.is_reaped || matches!(waitid(WaitId::Pid(Pid::from_child(&self.child)), options), Ok(Some(_)))
    }

    #[cfg(unix)]
    fn kill(&mut self) {
        use rustix::process::{Pid, Signal, kill_process_group};
        // An error means that no process is left.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
    }

    #[cfg(not(unix))]
    fn has_exited(&mut self) -> bool {
        self.is_reaped || matches!(self.child.try_wait(), Ok(Some(_)))
    }

    #[cfg(not(unix))]
    fn kill(&mut self) {
        // An error means that it has exited.
        let _ = self.child.kill();
    }
}

/// Sends `quit`, and kills the program if it does not exit.
impl Drop for Process {
    fn drop(&mut self) {
        if self.is_reaped {
            return;
        }
        if let Some(mut input) = self.input.take() {
            let _ = input.write_all(b"quit\n");
        }
        self.exits_within(LEAVE);
        self.end();
    }
}

fn spawn(command: &EngineCommand) -> io::Result<Child> {
    let program = Path::new(&command.program);
    let is_path = program.components().count() > 1;
    // Systems differ in whether a relative path starts at our folder or at the program's: make it absolute.
    let program = if is_path { std::path::absolute(program)? } else { PathBuf::from(program) };
    let mut builder = std::process::Command::new(program);
    builder.args(&command.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    if let Some(directory) = &command.directory {
        builder.current_dir(directory);
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut builder, 0);
    builder.spawn()
}

fn why_not_started(command: &EngineCommand, error: &io::Error) -> String {
    if let Some(directory) = command.directory.as_ref().filter(|directory| !directory.is_dir()) {
        return format!("there is no folder '{}' to run it in", directory.display());
    }
    match error.kind() {
        io::ErrorKind::NotFound => format!("there is no program '{}'", command.program),
        io::ErrorKind::PermissionDenied => format!("'{}' is not executable", command.program),
        _ => format!("'{}': {error}", command.program),
    }
}

/// Reads until the output ends, even after the listener is gone: a program must never block on its output.
fn forward_lines(mut output: impl BufRead, listener: &SyncSender<OutputLine>) {
    let mut bytes = Vec::new();
    let mut has_listener = true;
    while let Ok(true) = read_line(&mut output, &mut bytes) {
        let at = Instant::now();
        if !has_listener || !is_kept(&bytes) {
            continue;
        }
        let text = String::from_utf8_lossy(&bytes).trim().to_owned();
        has_listener = listener.send(OutputLine { text, at }).is_ok();
    }
}

fn is_kept(line: &[u8]) -> bool {
    let first = line.trim_ascii_start().split(u8::is_ascii_whitespace).next().unwrap_or_default();
    FIRST_WORDS.iter().any(|word| word.as_bytes() == first)
}

/// Reads the next line's first bytes into `line`, without its end; false when the input has ended.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            return Ok(!line.is_empty());
        }
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let length = end.unwrap_or(chunk.len());
        line.extend_from_slice(&chunk[..length.min(LONGEST_LINE - line.len())]);
        input.consume(length + usize::from(end.is_some()));
        if end.is_some() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_and_other_lines_are_dropped() {
        let mut text = b"info depth 1\r\n\r\n\xff\xfe\nbestmoves e2e4\n  bestmove e2e4 \xff\r\n".to_vec();
        text.extend(b"info string ".iter().chain([b'x'; 3 * LONGEST_LINE].iter()));
        text.extend(b"\nreadyok");
        let (sender, lines) = sync_channel(QUEUE);
        forward_lines(BufReader::with_capacity(100, &text[..]), &sender);
        drop(sender);
        let lines: Vec<String> = lines.iter().map(|line| line.text).collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[..2], ["info depth 1", "bestmove e2e4 \u{fffd}"]);
        assert_eq!(lines[2].len(), LONGEST_LINE);
        assert_eq!(lines[3], "readyok");
    }
}
