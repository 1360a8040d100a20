//! A toy engine for tests: it speaks UCI, plays random legal moves at once, and misbehaves on request.
//!
//! It is strict where others are lenient: a position, a move or a limit that is not written as UCI wants it ends the
//! program with status 4, so that whoever drives it is tested too. Its nodes are the moves it has looked at, its score is
//! the material after its move.
//!
//! Cargo builds it with the tests of this crate, and with those of the whole workspace (`cargo test --workspace`), as
//! `target/<profile>/examples/toy_engine`. A test program lies in `target/<profile>/deps`, so a test finds it at
//! `std::env::current_exe()` / `../../examples/toy_engine`, and ought to say how it is built where it is not there.
//!
//! ```text
//! --seed N             which random moves (default 0)
//! --first              the first legal move instead of a random one
//! --castle             castles whenever it can
//! --other-castling     writes castling in the notation that was not asked for
//! --think MS           takes so long for each move
//! --late MS            takes so long beyond the time it was given
//! --endless            reports without end instead of moving, whatever it is told
//! --tireless           reports more nodes and depth than anybody asks for, and moves when it is told to stop
//! --chatty             says megabytes of nonsense, with CRLF and bytes that are no UTF-8
//! --hang-after N       after N moves it is deaf and dumb
//! --crash-after N      after N moves it ends with status 3
//! --illegal-after N    after N moves its moves are illegal
//! --none-after N       after N moves it says "bestmove (none)"
//! --empty-bestmove     says "bestmove" and nothing else
//! --garbage-bestmove   says bytes that are no UTF-8 instead of a move
//! --slow-ready MS      takes so long for each readyok
//! --no-960             has no option UCI_Chess960
//! --not-uci            does not know the command uci
//! --silent             never says anything
//! --helper             starts a helper that holds its output open
//! --log FILE           appends each line that it reads to FILE
//! ```

use board::{Color, Game, Move, Piece, Position, Square};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Write};
use std::process::{Command, exit};
use std::str::FromStr;
use std::thread::sleep;
use std::time::Duration;

/// What the engine was asked to be.
#[derive(Default)]
struct Character {
    seed: u64,
    first: bool,
    castle: bool,
    other_castling: bool,
    think: u64,
    late: Option<u64>,
    endless: bool,
    tireless: bool,
    chatty: bool,
    hang_after: Option<u32>,
    crash_after: Option<u32>,
    illegal_after: Option<u32>,
    none_after: Option<u32>,
    empty_bestmove: bool,
    garbage_bestmove: bool,
    slow_ready: u64,
    no_960: bool,
    not_uci: bool,
    silent: bool,
    log: Option<File>,
}

impl Character {
    fn read(mut args: impl Iterator<Item = String>) -> Self {
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

/// A program in the same process group that would go on for a minute.
fn start_helper() {
    if let Err(error) = Command::new("sleep").arg("60").spawn() {
        refuse(&format!("sleep: {error}"));
    }
}

/// Whoever drives the engine made a mistake.
fn refuse(why: &str) -> ! {
    eprintln!("toy_engine: {why}");
    exit(4)
}

struct Engine {
    character: Character,
    game: Game,
    chess960: bool,
    moves_made: u32,
}

fn main() -> io::Result<()> {
    let character = Character::read(std::env::args().skip(1));
    let mut engine = Engine { character, game: Game::new(Position::start()), chess960: false, moves_made: 0 };
    while let Some(line) = engine.hear()? {
        if line == "quit" {
            break;
        }
        if !engine.character.silent {
            engine.obey(&line)?;
        }
    }
    Ok(())
}

impl Engine {
    /// The next line; `None` when there are no more.
    fn hear(&mut self) -> io::Result<Option<String>> {
        let Some(line) = io::stdin().lock().lines().next().transpose()? else {
            return Ok(None);
        };
        if let Some(log) = &mut self.character.log {
            writeln!(log, "{line}")?;
        }
        Ok(Some(line))
    }

    fn obey(&mut self, line: &str) -> io::Result<()> {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        match command {
            _ if self.character.not_uci => say(&format!("Error (unknown command): {line}")),
            "uci" => self.introduce(),
            "isready" => {
                sleep(Duration::from_millis(self.character.slow_ready));
                say("readyok")
            }
            "setoption" => {
                self.set_option(rest);
                Ok(())
            }
            "position" => {
                self.game = self.read_position(rest);
                Ok(())
            }
            "go" => self.go(rest),
            "ucinewgame" | "stop" => Ok(()),
            _ => refuse(&format!("unknown command {line}")),
        }
    }

    fn introduce(&self) -> io::Result<()> {
        self.chatter()?;
        say("id name Toy Engine")?;
        say("id author the Okapi authors")?;
        say("option name Hash type spin default 16 min 1 max 1024")?;
        say("option name Threads type spin default 1 min 1 max 2")?;
        say("option name Clear Hash type button")?;
        say("option name Style type combo default Normal var Very Solid var Normal")?;
        say("option name Log File type string default <empty>")?;
        if !self.character.no_960 {
            say("option name UCI_Chess960 type check default false")?;
        }
        say("uciok")
    }

    fn set_option(&mut self, rest: &str) {
        match rest {
            "name UCI_Chess960 value true" => self.chess960 = true,
            "name UCI_Chess960 value false" => self.chess960 = false,
            "name Clear Hash" => {}
            _ if ["Hash", "Threads", "Style", "Log File"]
                .iter()
                .any(|name| rest.starts_with(&format!("name {name} value "))) => {}
            _ => refuse(&format!("setoption {rest}")),
        }
    }

    fn read_position(&self, text: &str) -> Game {
        let (start, moves) = text.split_once(" moves ").unwrap_or((text, ""));
        let position = match start.strip_prefix("fen ") {
            None if start == "startpos" => Position::start(),
            None => refuse(&format!("position {text}")),
            Some(fen) => match Position::from_fen(fen) {
                Ok(position) if position.to_fen(self.chess960) == fen => position,
                _ => refuse(&format!("the FEN {fen} is not written as it should be")),
            },
        };
        let mut game = Game::new(position);
        for word in moves.split_whitespace() {
            match game.position().parse_uci(word) {
                Ok(mv) if game.position().uci(mv, self.chess960) == word => game.play(mv),
                _ => refuse(&format!("the move {word} is not written as it should be")),
            }
        }
        game
    }

    fn go(&mut self, limits: &str) -> io::Result<()> {
        if self.character.tireless {
            say("info depth 99 score cp 0 nodes 1000000000")?;
            while self.hear()?.is_some_and(|line| line != "stop") {}
        }
        let character = &self.character;
        let is_after = |count: Option<u32>| count.is_some_and(|count| self.moves_made >= count);
        if is_after(character.hang_after) {
            sleep(Duration::MAX);
        }
        if is_after(character.crash_after) {
            exit(3);
        }
        let given = time_given(limits, self.game.position().side_to_move());
        let late = character.late.map_or(0, |late| given + late);
        sleep(Duration::from_millis(character.think + late));
        self.chatter()?;
        if character.endless {
            return endless();
        }
        let position = self.game.position();
        let moves = position.legal_moves();
        let best = self.choose(position, &moves);
        let text = self.write(position, best);
        let after = position.play(best);
        let score = -material(&after);
        say(&format!("info depth 1 score cp {score} nodes {} time {} pv {text}", moves.len(), character.think + late))?;
        let answer = if is_after(character.illegal_after) {
            illegal_move(position)
        } else if is_after(character.none_after) {
            "(none)".to_owned()
        } else if character.empty_bestmove {
            String::new()
        } else {
            text
        };
        if character.garbage_bestmove {
            io::stdout().write_all(b"bestmove \xff\xfe\x00\x1b[2J\n")?;
        } else {
            say(format!("bestmove {answer}").trim_end())?;
        }
        self.moves_made += 1;
        Ok(())
    }

    fn choose(&self, position: &Position, moves: &[Move]) -> Move {
        let castling = moves.iter().find(|&&mv| self.character.castle && position.is_castling(mv));
        if let Some(&castling) = castling {
            return castling;
        }
        let random = mix(position.key() ^ mix(self.character.seed + 1)) as usize;
        let index = if self.character.first { 0 } else { random % moves.len().max(1) };
        *moves.get(index).unwrap_or_else(|| refuse("the game is over"))
    }

    fn write(&self, position: &Position, mv: Move) -> String {
        position.uci(mv, self.chess960 != self.character.other_castling)
    }

    /// 3 MB that mean nothing.
    fn chatter(&self) -> io::Result<()> {
        if !self.character.chatty {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        let nonsense: [&[u8]; 7] = [
            b"\r\n",
            b"\xff\xfe\x80 not UTF-8 \xc3\r\n",
            b"bestmoves are for others\r\n",
            b"info\r\n",
            b"info depth x nodes -1 score cp pv e9e9 \xf0\x9f\r\n",
            b"info string bestmove a1a2\r\n",
            b"readyoks bestmove a1a2\r\n",
        ];
        for _ in 0..4_000 {
            nonsense.iter().try_for_each(|line| out.write_all(line))?;
        }
        let long = [b'z'; 1 << 16];
        (0..40).try_for_each(|_| out.write_all(&long))?;
        out.write_all(b"\r\n")?;
        out.flush()
    }
}

/// Writes a line at once.
fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}\r")?;
    out.flush()
}

/// Goes on reporting; nothing is read any more.
fn endless() -> io::Result<()> {
    loop {
        say("info depth 1 score cp 0 nodes 1")?;
    }
}

/// The milliseconds that a `go` gives to the side to move; 0 when it sets no time.
fn time_given(limits: &str, side: Color) -> u64 {
    let clock = if side == Color::White { "wtime" } else { "btime" };
    let mut given = None;
    let mut words = limits.split(' ').filter(|word| !word.is_empty());
    while let Some(name) = words.next() {
        let known = ["wtime", "btime", "winc", "binc", "movestogo", "movetime", "nodes", "depth"];
        let value = words.next().and_then(|value| value.parse::<u64>().ok());
        let Some(value) = value.filter(|_| known.contains(&name)) else {
            refuse(&format!("go {limits}"));
        };
        if name == clock || name == "movetime" {
            given = Some(given.map_or(value, |given: u64| given.min(value)));
        }
    }
    given.unwrap_or(0)
}

/// A pawn that runs too far, or any other piece that moves as none can.
fn illegal_move(position: &Position) -> String {
    let side = position.side_to_move();
    let own = Square::ALL.into_iter().filter(|&from| position.color_on(from) == Some(side));
    let (from, to) = own
        .flat_map(|from| Square::ALL.into_iter().map(move |to| (from, to)))
        .find(|(from, to)| position.parse_uci(&format!("{from}{to}")).is_err() && from != to)
        .unwrap_or_else(|| refuse("every move is legal"));
    format!("{from}{to}")
}

/// Material in centipawns, for the side to move.
fn material(position: &Position) -> i32 {
    let values =
        [(Piece::Pawn, 100), (Piece::Knight, 300), (Piece::Bishop, 300), (Piece::Rook, 500), (Piece::Queen, 900)];
    let of = |side| -> i32 {
        values.iter().map(|&(piece, value)| value * position.colored_pieces(side, piece).len() as i32).sum()
    };
    of(position.side_to_move()) - of(!position.side_to_move())
}

/// The finaliser of SplitMix64: every bit of `x` decides about every bit of the result.
fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
