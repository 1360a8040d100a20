//! A toy engine for tests: it speaks UCI, plays random legal moves at once, and misbehaves on request.
//!
//! It is strict: a position, a move or a limit that is not exactly UCI ends the program with status 4, so that the driver
//! is tested too. Its node count is the number of legal moves, its score the material after its move.
//!
//! Cargo builds it with the tests of this crate or of the whole workspace as `target/<profile>/examples/toy_engine`. Test
//! programs are in `target/<profile>/deps`, so a test finds it at `std::env::current_exe()` / `../../examples/toy_engine`.

mod behavior;

use behavior::{Behavior, refuse};
use board::{Color, Game, Move, Piece, Position, Square};
use std::io::{self, BufRead, Write};
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

struct Engine {
    behavior: Behavior,
    game: Game,
    chess960: bool,
    moves_made: u32,
}

fn main() -> io::Result<()> {
    let behavior = Behavior::read(std::env::args().skip(1));
    let mut engine = Engine { behavior, game: Game::new(Position::start()), chess960: false, moves_made: 0 };
    while let Some(line) = engine.read_line()? {
        if line == "quit" {
            break;
        }
        if !engine.behavior.silent {
            engine.execute(&line)?;
        }
    }
    Ok(())
}

impl Engine {
    /// The next line; `None` when there are no more.
    fn read_line(&mut self) -> io::Result<Option<String>> {
        let Some(line) = io::stdin().lock().lines().next().transpose()? else {
            return Ok(None);
        };
        if let Some(log) = &mut self.behavior.log {
            writeln!(log, "{line}")?;
        }
        Ok(Some(line))
    }

    fn execute(&mut self, line: &str) -> io::Result<()> {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        match command {
            _ if self.behavior.not_uci => print_line(&format!("Error (unknown command): {line}")),
            "uci" => self.introduce(),
            "isready" => {
                sleep(Duration::from_millis(self.behavior.slow_ready));
                print_line("readyok")
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
        self.print_garbage()?;
        print_line("id name Toy Engine")?;
        print_line("id author the Okapi authors")?;
        print_line("option name Hash type spin default 16 min 1 max 1024")?;
        print_line("option name Threads type spin default 1 min 1 max 2")?;
        print_line("option name Clear Hash type button")?;
        print_line("option name Style type combo default Normal var Very Solid var Normal")?;
        print_line("option name Log File type string default <empty>")?;
        if !self.behavior.no_960 {
            print_line("option name UCI_Chess960 type check default false")?;
        }
        print_line("uciok")
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
                _ => refuse(&format!("the FEN {fen} is not in the expected notation")),
            },
        };
        let mut game = Game::new(position);
        for word in moves.split_whitespace() {
            match game.position().parse_uci(word) {
                Ok(mv) if game.position().uci(mv, self.chess960) == word => game.play(mv),
                _ => refuse(&format!("the move {word} is not in the expected notation")),
            }
        }
        game
    }

    fn go(&mut self, limits: &str) -> io::Result<()> {
        if self.behavior.tireless {
            print_line("info depth 99 score cp 0 nodes 1000000000")?;
            while self.read_line()?.is_some_and(|line| line != "stop") {}
        }
        let behavior = &self.behavior;
        let is_after = |count: Option<u32>| count.is_some_and(|count| self.moves_made >= count);
        if is_after(behavior.hang_after) {
            sleep(Duration::MAX);
        }
        if is_after(behavior.crash_after) {
            exit(3);
        }
        let given = time_given(limits, self.game.position().side_to_move());
        let late = behavior.late.map_or(0, |late| given + late);
        sleep(Duration::from_millis(behavior.think + late));
        self.print_garbage()?;
        if behavior.endless {
            return endless();
        }
        let position = self.game.position();
        let moves = position.legal_moves();
        let best = self.choose(position, &moves);
        let text = self.write(position, best);
        let after = position.play(best);
        let score = -material(&after);
        print_line(&format!(
            "info depth 1 score cp {score} nodes {} time {} pv {text}",
            moves.len(),
            behavior.think + late
        ))?;
        let answer = if is_after(behavior.illegal_after) {
            illegal_move(position)
        } else if is_after(behavior.none_after) {
            "(none)".to_owned()
        } else if behavior.empty_bestmove {
            String::new()
        } else {
            text
        };
        if behavior.garbage_bestmove {
            io::stdout().write_all(b"bestmove \xff\xfe\x00\x1b[2J\n")?;
        } else {
            print_line(format!("bestmove {answer}").trim_end())?;
        }
        self.moves_made += 1;
        Ok(())
    }

    fn choose(&self, position: &Position, moves: &[Move]) -> Move {
        let castling = moves.iter().find(|&&mv| self.behavior.castle && position.is_castling(mv));
        if let Some(&castling) = castling {
            return castling;
        }
        let random = mix(position.key() ^ mix(self.behavior.seed + 1)) as usize;
        let index = if self.behavior.first { 0 } else { random % moves.len().max(1) };
        *moves.get(index).unwrap_or_else(|| refuse("the game is over"))
    }

    fn write(&self, position: &Position, mv: Move) -> String {
        position.uci(mv, self.chess960 != self.behavior.other_castling)
    }

    /// Prints 3 MB of garbage.
    fn print_garbage(&self) -> io::Result<()> {
        if !self.behavior.chatty {
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

/// Prints a line and flushes it.
fn print_line(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}\r")?;
    out.flush()
}

/// Prints info lines forever and reads no input.
fn endless() -> io::Result<()> {
    loop {
        print_line("info depth 1 score cp 0 nodes 1")?;
    }
}

/// The milliseconds that `go` gives to the side to move; 0 without a time limit.
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

/// A move of an own piece that is not legal.
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

/// The finalizer of SplitMix64, which mixes all bits of `x`.
fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
