//! Parses one line of the client into at most one command. Parsing never fails and does not depend on the engine's state.
//!
//! As the protocol requires, unknown tokens are skipped and the rest of the line is parsed. What was skipped or could not be
//! parsed is returned as complaints beside the command. Case does not matter, but in values of options.
//!
//! CITE: S. Meyer-Kahlen, "Description of the universal chess interface (UCI)" (2006).

use board::perft::MOST_PLIES;
use std::str::FromStr;
use support::text::clip;

/// A parsed line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// The command, if the line has one.
    pub command: Option<Command>,
    /// What could not be parsed, in the order of the line; one sentence each.
    pub complaints: Vec<String>,
}

/// A command of the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Print the name, the author and the options.
    Uci,
    /// Answer `readyok`, also during a search.
    IsReady,
    /// The next search belongs to another game.
    NewGame,
    /// Set up a position.
    Position(Setup),
    /// Search.
    Go(Box<Go>),
    /// End the search and print its move.
    Stop,
    /// The opponent played the expected move; the search continues on the engine's own time.
    PonderHit,
    /// End the program.
    Quit,
    /// Change an option.
    SetOption {
        /// The option's name, as the client wrote it.
        name: String,
        /// Its value, as the client wrote it; `None` for a button.
        value: Option<String>,
    },
    /// Print the board.
    Display,
    /// Print the static evaluation.
    Eval,
    /// Count the positions after so many plies, move by move.
    Perft(u32),
    /// Search the positions of the benchmark, in so many iterations each.
    Bench(Option<u32>),
    /// Exchange the colors of the position.
    Flip,
    /// Print what the program was built with.
    Compiler,
    /// Print what the program is and where it is explained.
    Help,
    /// Switch additional output on or off.
    Debug(bool),
    /// A command of the protocol that has no effect on this engine (`register`).
    Nothing,
}

/// A position and the moves played from it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Setup {
    /// The FEN, or `None` for the starting position.
    pub fen: Option<String>,
    /// The moves in lower case.
    pub moves: Vec<String>,
}

/// The parameters of `go`. Times are in milliseconds and are negative after a time loss.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Go {
    /// White's remaining time.
    pub wtime: Option<i64>,
    /// Black's remaining time.
    pub btime: Option<i64>,
    /// White's increment per move.
    pub winc: Option<i64>,
    /// Black's increment per move.
    pub binc: Option<i64>,
    /// Moves until the next time control.
    pub movestogo: Option<u32>,
    /// The time for this move.
    pub movetime: Option<i64>,
    /// The maximum number of iterations.
    pub depth: Option<u32>,
    /// The maximum number of nodes.
    pub nodes: Option<u64>,
    /// Search for a mate in this many moves.
    pub mate: Option<u32>,
    /// Whether the line has a limit, even one that could not be parsed.
    pub is_limited: bool,
    /// Whether one of these limits is a clock or a time.
    pub is_timed: bool,
    /// Search until `stop`.
    pub infinite: bool,
    /// Search on the opponent's time until `ponderhit` or `stop`.
    pub ponder: bool,
    /// The root moves to search, in lower case; empty for all.
    pub searchmoves: Vec<String>,
}

/// Parses one line. It never fails: what cannot be parsed is skipped and reported as a complaint.
pub fn parse(line: &str) -> Line {
    let mut rest = line.trim();
    while !rest.is_empty() {
        let (token, after) = split_token(rest);
        let mut complaints = Vec::new();
        let command = match &*token.to_ascii_lowercase() {
            "uci" => Some(Command::Uci),
            "isready" => Some(Command::IsReady),
            "ucinewgame" => Some(Command::NewGame),
            "stop" => Some(Command::Stop),
            "ponderhit" => Some(Command::PonderHit),
            "quit" | "exit" => Some(Command::Quit),
            "d" => Some(Command::Display),
            "eval" => Some(Command::Eval),
            "bench" => Some(Command::Bench(parse_bench(after, &mut complaints))),
            "flip" => Some(Command::Flip),
            "compiler" => Some(Command::Compiler),
            "help" | "--help" => Some(Command::Help),
            "debug" => parse_debug(after, &mut complaints),
            "register" => Some(Command::Nothing),
            "position" => Some(parse_position(after, &mut complaints)),
            "go" => parse_go(after, &mut complaints),
            "setoption" => parse_setoption(after, &mut complaints),
            _ => {
                rest = after;
                continue;
            }
        };
        return Line { command, complaints };
    }
    let text = line.trim();
    let complaints = if text.is_empty() { vec![] } else { vec![format!("unknown command '{}'", clip(text))] };
    Line { command: None, complaints }
}

fn parse_debug(text: &str, complaints: &mut Vec<String>) -> Option<Command> {
    for token in text.split_whitespace() {
        match &*token.to_ascii_lowercase() {
            "on" => return Some(Command::Debug(true)),
            "off" => return Some(Command::Debug(false)),
            _ => complaints.push(unknown("debug", token)),
        }
    }
    complaints.push("debug: neither 'on' nor 'off' was found; nothing changes".to_owned());
    None
}

fn parse_position(text: &str, complaints: &mut Vec<String>) -> Command {
    let mut tokens = text.split_whitespace();
    let is_fen = loop {
        match tokens.next() {
            Some(token) if token.eq_ignore_ascii_case("startpos") => break false,
            Some(token) if token.eq_ignore_ascii_case("fen") => break true,
            Some(token) => complaints.push(unknown("position", token)),
            None => {
                complaints.push("position: neither 'startpos' nor 'fen' was found".to_owned());
                return Command::Position(Setup { fen: Some(String::new()), ..Setup::default() });
            }
        }
    };
    let head: Vec<&str> = tokens.by_ref().take_while(|&token| !token.eq_ignore_ascii_case("moves")).collect();
    let fen = is_fen.then(|| head.join(" "));
    if !is_fen {
        complaints.extend(head.iter().map(|token| unknown("position", token)));
    }
    Command::Position(Setup { fen, moves: tokens.map(str::to_ascii_lowercase).collect() })
}

fn parse_go(text: &str, complaints: &mut Vec<String>) -> Option<Command> {
    let mut go = Box::<Go>::default();
    let text = text.to_ascii_lowercase();
    let mut tokens = text.split_whitespace().peekable();
    while let Some(token) = tokens.next() {
        match token {
            "infinite" => go.infinite = true,
            "perft" => match tokens.next().and_then(natural) {
                Some(plies) if plies <= MOST_PLIES => return Some(Command::Perft(plies)),
                Some(plies) => {
                    complaints
                        .push(format!("go: perft counts at most {MOST_PLIES} plies, not {plies}; nothing is counted"));
                    return None;
                }
                None => {
                    complaints.push("go: perft needs a number of plies; nothing is counted".to_owned());
                    return None;
                }
            },
            "ponder" => go.ponder = true,
            "searchmoves" => {
                while let Some(mv) = tokens.next_if(|token| !is_parameter(token)) {
                    go.searchmoves.push(mv.to_owned());
                }
            }
            name if is_parameter(name) => {
                go.is_limited = true;
                go.is_timed |= !matches!(name, "depth" | "nodes" | "mate");
                match tokens.next_if(|token| !is_parameter(token)) {
                    Some(value) if set_number(&mut go, name, value).is_some() => {}
                    Some(value) => {
                        let value = clip(value);
                        complaints.push(format!("go: '{value}' is not a valid number for {name}; it is ignored"));
                    }
                    None => complaints.push(format!("go: {name} has no value; it is ignored")),
                }
            }
            token => complaints.push(unknown("go", token)),
        }
    }
    Some(Command::Go(go))
}

fn parse_bench(text: &str, complaints: &mut Vec<String>) -> Option<u32> {
    let token = text.split_whitespace().next()?;
    let iterations = natural(token).filter(|iterations| *iterations > 0);
    if iterations.is_none() {
        complaints.push(format!("bench: '{}' is not a number of iterations; it is ignored", clip(token)));
    }
    iterations
}

/// Whether a token is a parameter of `go`, and not a value or a move.
fn is_parameter(token: &str) -> bool {
    let parameters = "wtime btime winc binc movestogo movetime depth nodes mate infinite ponder searchmoves";
    parameters.split(' ').any(|parameter| parameter == token)
}

/// Sets the parameter `name`; `None` when it cannot have this value.
fn set_number(go: &mut Go, name: &str, value: &str) -> Option<()> {
    match name {
        "wtime" => go.wtime = Some(saturating(value)?),
        "btime" => go.btime = Some(saturating(value)?),
        "winc" => go.winc = Some(saturating(value)?),
        "binc" => go.binc = Some(saturating(value)?),
        "movetime" => go.movetime = Some(saturating(value)?),
        "movestogo" => go.movestogo = Some(natural(value)?),
        "depth" => go.depth = Some(natural(value)?),
        "mate" => go.mate = Some(natural(value)?),
        "nodes" => go.nodes = Some(u64::try_from(saturating(value)?).ok()?),
        _ => return None,
    }
    Some(())
}

fn natural(text: &str) -> Option<u32> {
    u64::try_from(saturating(text)?).ok().map(|number| number.min(u64::from(u32::MAX)) as u32)
}

/// A whole number; a number beyond the range of 64 bits becomes the nearest one within.
fn saturating(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let bound = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    Some(i64::from_str(text).unwrap_or(bound))
}

fn parse_setoption(text: &str, complaints: &mut Vec<String>) -> Option<Command> {
    let mut rest = text.trim();
    let mut words: Option<Vec<&str>> = None;
    let mut value = None;
    while !rest.is_empty() {
        let (token, after) = split_token(rest);
        match (&*token.to_ascii_lowercase(), &mut words) {
            ("name", None) => words = Some(Vec::new()),
            // The value is kept unchanged, because file names may contain several spaces in a row.
            ("value", Some(_)) => {
                value = Some(after.trim().to_owned());
                break;
            }
            (_, Some(words)) => words.push(token),
            (_, None) => complaints.push(unknown("setoption", token)),
        }
        rest = after;
    }
    let name = words.unwrap_or_default().join(" ");
    if name.is_empty() {
        complaints.push("setoption: the name of the option is missing".to_owned());
        return None;
    }
    Some(Command::SetOption { name, value })
}

/// The first token of a text that begins with one, and what follows it, its leading space removed.
fn split_token(text: &str) -> (&str, &str) {
    match text.find(char::is_whitespace) {
        Some(end) => (&text[..end], text[end..].trim_start()),
        None => (text, ""),
    }
}

fn unknown(command: &str, token: &str) -> String {
    format!("{command}: skipping the unknown word '{}'", clip(token))
}

#[cfg(test)]
mod tests;
