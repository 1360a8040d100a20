//! One game between two players, and what ends it: the rules of chess, a clock, a fault, or adjudication.
//!
//! The clocks are kept here, by the time between command and answer. Draws by the fifty-move rule, repetition and material
//! are claimed at once. A fault loses the game, whatever the position is.

use super::adjudication::{Adjudicator, DrawRule, WinRule};
use super::limit_uses::LimitUses;
use super::openings::Opening;
use super::termination::{Termination, color_name};
use super::time_control::{TimeControl, Timer};
use board::{Color, Game, Move};
use pgn::{Comment, GameResult};
use player::{Fault, InfoLine, MoveLimits, Player, Reply};
use std::time::Duration;

/// The rules of all games of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// The time by which a move may exceed its limit, for the communication between programs.
    pub time_margin: Duration,
    /// When a game is adjudicated as won; `None` for never.
    pub win: Option<WinRule>,
    /// When a game is adjudicated as drawn; `None` for never.
    pub draw: Option<DrawRule>,
    /// The number of moves of each player, the opening's included, after which a game is drawn; `None` for no such limit.
    pub max_moves: Option<u32>,
}

/// A player in a game.
pub struct Seat<'a> {
    /// The player.
    pub player: &'a mut dyn Player,
    /// Its limits.
    pub time_control: TimeControl,
}

/// A game that has been played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedGame {
    /// All moves; those of the opening have no comment.
    pub moves: Vec<(Move, Option<Comment>)>,
    /// The score.
    pub result: GameResult,
    /// Why the game is over.
    pub termination: Termination,
    /// The same in words.
    pub reason: String,
    /// How White and Black kept their limits.
    pub limit_uses: [LimitUses; 2],
}

impl PlayedGame {
    /// The loser; `None` for a draw.
    pub fn loser(&self) -> Option<Color> {
        match self.result {
            GameResult::WhiteWins => Some(Color::Black),
            GameResult::Draw => None,
            GameResult::BlackWins => Some(Color::White),
        }
    }
}

/// The outcome of playing a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GameOutcome {
    /// It was played.
    PlayedGame(PlayedGame),
    /// It was stopped and does not count.
    Abandoned,
    /// A player cannot play such games.
    Impossible(Color, Fault),
}

/// Plays a game from an opening that is not over; `stop` is asked before each move whether to abandon the game.
pub fn play(seats: [Seat; 2], opening: &Opening, rules: &Rules, stop: &dyn Fn() -> bool) -> GameOutcome {
    let mut board = Board::new(seats, opening, rules);
    for color in Color::ALL {
        let player = &mut *board.seats[color as usize].player;
        match player.new_game(opening.chess960) {
            Ok(()) => {}
            Err(fault @ (Fault::Start(_) | Fault::NotUci(_))) => return GameOutcome::Impossible(color, fault),
            Err(fault) => return GameOutcome::PlayedGame(board.fault(color, &fault)),
        }
    }
    loop {
        if stop() {
            return GameOutcome::Abandoned;
        }
        if let Some(played) = board.turn() {
            return GameOutcome::PlayedGame(played);
        }
    }
}

/// A game in progress: the board, the clocks and the two players.
struct Board<'a> {
    seats: [Seat<'a>; 2],
    timers: [Timer; 2],
    time_margin: Duration,
    max_moves: Option<u32>,
    judge: Adjudicator,
    game: Game,
    moves: Vec<(Move, Option<Comment>)>,
    limit_uses: [LimitUses; 2],
}

impl<'a> Board<'a> {
    fn new(seats: [Seat<'a>; 2], opening: &Opening, rules: &Rules) -> Self {
        let timers = [0, 1].map(|side| Timer::new(seats[side].time_control));
        let mut game = Game::new(opening.start.clone());
        opening.moves.iter().for_each(|&mv| game.play(mv));
        Self {
            seats,
            timers,
            time_margin: rules.time_margin,
            max_moves: rules.max_moves,
            judge: Adjudicator::new(rules.win, rules.draw),
            moves: opening.moves.iter().map(|&mv| (mv, None)).collect(),
            game,
            limit_uses: Default::default(),
        }
    }

    /// Plays one move; the game, if that ends it.
    fn turn(&mut self) -> Option<PlayedGame> {
        let color = self.game.position().side_to_move();
        let fullmove = self.game.position().fullmove_number();
        let Reply { best, info, elapsed, .. } = match self.ask(color) {
            Ok(reply) => reply,
            Err(fault) => return Some(self.fault(color, &fault)),
        };
        if !self.timers[color as usize].charge(elapsed, self.time_margin) {
            let reason = format!("{} loses on time with a move of {:.3} s", color_name(color), elapsed.as_secs_f64());
            return Some(self.lost(color, Termination::TimeLoss, reason));
        }
        self.game.play(best);
        self.moves.push((best, Some(comment(&info, elapsed))));
        if let Some(outcome) = self.game.outcome() {
            let termination = Termination::by_rule(outcome);
            return Some(match termination {
                Termination::Mate => self.lost(!color, termination, format!("{} mates", color_name(color))),
                _ => self.over(GameResult::Draw, termination, format!("Draw by {}", termination.name())),
            });
        }
        let judged = self.judge.update(info.score.zip(Some(info.bound)), color == Color::White, fullmove);
        let limit = self.max_moves.filter(|moves| self.moves.len() >= 2 * *moves as usize);
        let Some(result) = judged else {
            let reason = format!("Draw by the limit of {} moves", limit?);
            return Some(self.over(GameResult::Draw, Termination::DrawAdjudicated, reason));
        };
        let (termination, what) = match result {
            GameResult::WhiteWins => (Termination::WinAdjudicated, "White wins"),
            GameResult::BlackWins => (Termination::WinAdjudicated, "Black wins"),
            GameResult::Draw => (Termination::DrawAdjudicated, "Draw"),
        };
        Some(self.over(result, termination, format!("{what} by adjudication")))
    }

    fn ask(&mut self, color: Color) -> Result<Reply, Fault> {
        let side = color as usize;
        let limits: MoveLimits = self.timers[side].limits(side, &self.timers[1 - side]);
        let reply = self.seats[side].player.go(&self.game, &limits)?;
        self.limit_uses[side].count(limits.use_by(reply.info.nodes, reply.elapsed), reply.info.nodes);
        Ok(reply)
    }

    fn fault(&mut self, color: Color, fault: &Fault) -> PlayedGame {
        self.lost(color, Termination::by_fault(fault), format!("{} {fault}", color_name(color)))
    }

    fn lost(&mut self, loser: Color, termination: Termination, reason: String) -> PlayedGame {
        let result = if loser == Color::White { GameResult::BlackWins } else { GameResult::WhiteWins };
        self.over(result, termination, reason)
    }

    fn over(&mut self, result: GameResult, termination: Termination, reason: String) -> PlayedGame {
        PlayedGame { moves: std::mem::take(&mut self.moves), result, termination, reason, limit_uses: self.limit_uses }
    }
}

/// The comment on a move: the last exact score, because a bound is none.
fn comment(info: &InfoLine, elapsed: Duration) -> Comment {
    let (score, depth) = info.exact.map_or((None, info.depth), |(score, depth)| (Some(score), depth));
    Comment { score, depth, elapsed }
}
