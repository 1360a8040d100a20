//! One game between two players, and what ends it: the rules of chess, a clock, a fault, or adjudication.
//!
//! The clocks are kept here, by the time between command and answer. Draws by the fifty-move rule, repetition and material
//! are claimed at once. A fault loses the game, whatever the position is.

use super::adjudication::{Adjudicator, DrawRule, WinRule};
use super::limit_uses::LimitUses;
use super::opening::Opening;
use super::runner_lateness::{RunnerLateness, Watch};
use super::termination::{Termination, color_name};
use super::time_control::{TimeControl, Timer};
use board::{Color, Game, Move, Position};
use pgn::{Comment, GameResult};
use player::{Fault, InfoLine, MoveLimits, Player, Reply};
use std::sync::Arc;
use std::time::Duration;
use support::pool::Stop;

/// Endgame tables by which games are adjudicated.
pub trait EndgameTables: std::fmt::Debug + Send + Sync {
    /// The result of a game that has this position, with best play and the fifty-move rule; `None` if the tables do not know it.
    fn result(&self, position: &Position) -> Option<GameResult>;
}

/// The rules of all games of a match.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// The time by which a move may exceed its limit, for the communication between programs.
    pub time_margin: Duration,
    /// When a game is adjudicated as won; `None` for never.
    pub win: Option<WinRule>,
    /// When a game is adjudicated as drawn; `None` for never.
    pub draw: Option<DrawRule>,
    /// The number of moves of each player, the opening's included, after which a game is drawn; `None` for no such limit.
    pub max_moves: Option<u32>,
    /// Tables that decide a game as soon as they know it; `None` for none.
    pub tables: Option<Arc<dyn EndgameTables>>,
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
    /// How late the runner itself was, in a game with time limits.
    pub runner_lateness: Option<RunnerLateness>,
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

/// Plays a game from an opening that is not over; once `stop` is true, also during a move, the game is abandoned.
pub fn play(seats: [Seat; 2], opening: &Opening, rules: &Rules, stop: &Stop) -> GameOutcome {
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
        if let Some(played) = board.turn(stop) {
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
    tables: Option<Arc<dyn EndgameTables>>,
    game: Game,
    moves: Vec<(Move, Option<Comment>)>,
    limit_uses: [LimitUses; 2],
    watch: Option<Watch>,
}

impl<'a> Board<'a> {
    fn new(seats: [Seat<'a>; 2], opening: &Opening, rules: &Rules) -> Self {
        let timers = [0, 1].map(|side| Timer::new(seats[side].time_control));
        let is_timed = seats.iter().any(|seat| seat.time_control.is_timed());
        let mut game = Game::new(opening.start.clone());
        opening.moves.iter().for_each(|&mv| game.play(mv));
        Self {
            seats,
            timers,
            time_margin: rules.time_margin,
            max_moves: rules.max_moves,
            judge: Adjudicator::new(rules.win, rules.draw),
            tables: rules.tables.clone(),
            moves: opening.moves.iter().map(|&mv| (mv, None)).collect(),
            game,
            limit_uses: Default::default(),
            watch: is_timed.then(Watch::start).flatten(),
        }
    }

    /// Plays one move, unless it is stopped; the game, if that ends it.
    fn turn(&mut self, stop: &Stop) -> Option<PlayedGame> {
        let color = self.game.position().side_to_move();
        let fullmove = self.game.position().fullmove_number();
        let Reply { best, info, elapsed, .. } = match self.ask(color, stop) {
            Ok(reply) => reply,
            Err(Fault::Stopped) => return None,
            Err(fault) => return Some(self.fault(color, &fault)),
        };
        if !self.timers[color as usize].charge(elapsed, self.time_margin) {
            let mut reason =
                format!("{} loses on time with a move of {:.3} s", color_name(color), elapsed.as_secs_f64());
            if let Some(watch) = &self.watch {
                reason += &format!(", in which the runner was up to {:.3} s late", watch.worst_of_move().as_secs_f64());
            }
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
        // The tables say how a position ends that follows a capture or a pawn move. In one that came later, moves are gone of the fifty.
        let is_new = self.game.position().halfmove_clock() == 0;
        if let Some(result) =
            self.tables.as_ref().filter(|_| is_new).and_then(|tables| tables.result(self.game.position()))
        {
            return Some(self.adjudicated(result, "by the endgame tables"));
        }
        let judged = self.judge.update(info.score.zip(Some(info.bound)), color == Color::White, fullmove);
        let limit = self.max_moves.filter(|moves| self.moves.len() >= 2 * *moves as usize);
        let Some(result) = judged else {
            let reason = format!("Draw by the limit of {} moves", limit?);
            return Some(self.over(GameResult::Draw, Termination::DrawAdjudicated, reason));
        };
        Some(self.adjudicated(result, "by adjudication"))
    }

    fn adjudicated(&mut self, result: GameResult, how: &str) -> PlayedGame {
        let (termination, what) = match result {
            GameResult::WhiteWins => (Termination::WinAdjudicated, "White wins"),
            GameResult::BlackWins => (Termination::WinAdjudicated, "Black wins"),
            GameResult::Draw => (Termination::DrawAdjudicated, "Draw"),
        };
        self.over(result, termination, format!("{what} {how}"))
    }

    fn ask(&mut self, color: Color, stop: &Stop) -> Result<Reply, Fault> {
        let side = color as usize;
        let limits: MoveLimits = self.timers[side].limits(side, &self.timers[1 - side]);
        self.watch.iter().for_each(Watch::begin_move);
        let reply = self.seats[side].player.go(&self.game, &limits, stop)?;
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
        let (moves, limit_uses) = (std::mem::take(&mut self.moves), self.limit_uses);
        let runner_lateness = self.watch.as_ref().map(Watch::all);
        PlayedGame { moves, result, termination, reason, limit_uses, runner_lateness }
    }
}

/// The comment on a move: the last exact score, because a bound is none.
fn comment(info: &InfoLine, elapsed: Duration) -> Comment {
    let (score, depth) = info.exact.map_or((None, info.depth), |(score, depth)| (Some(score), depth));
    Comment { score, depth, elapsed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    /// Plays these moves, which belong to both sides.
    struct Fixed(&'static str);

    impl Player for Fixed {
        fn name(&self) -> &str {
            "fixed"
        }

        fn new_game(&mut self, _chess960: bool) -> Result<(), Fault> {
            Ok(())
        }

        fn go(&mut self, game: &Game, _limits: &MoveLimits, _stop: &Stop) -> Result<Reply, Fault> {
            let mv = self.0.split(' ').nth(game.moves().len()).unwrap_or("none");
            let best = game.position().parse_uci(mv).map_err(|_| Fault::NoMove(mv.to_owned()))?;
            Ok(Reply { best, ponder: None, info: InfoLine::default(), elapsed: Duration::ZERO })
        }
    }

    /// Tables of all positions with four pieces at most: the side with more of them wins.
    #[derive(Debug)]
    struct Counting;

    impl EndgameTables for Counting {
        fn result(&self, position: &Position) -> Option<GameResult> {
            let [white, black] = Color::ALL.map(|color| position.colors(color).len());
            (white + black <= 4).then(|| match white.cmp(&black) {
                std::cmp::Ordering::Greater => GameResult::WhiteWins,
                std::cmp::Ordering::Equal => GameResult::Draw,
                std::cmp::Ordering::Less => GameResult::BlackWins,
            })
        }
    }

    #[test]
    fn tables_decide_a_game_after_a_capture_or_pawn_move() {
        let ended = |fen: &str, moves, tables: Option<Arc<dyn EndgameTables>>| {
            let opening = Opening { start: Position::from_fen(fen).unwrap(), moves: Vec::new(), chess960: false };
            let seat = |player| Seat { player, time_control: TimeControl::default() };
            let (mut white, mut black) = (Fixed(moves), Fixed(moves));
            let rules = Rules { tables, ..Rules::default() };
            match play([seat(&mut white), seat(&mut black)], &opening, &rules, &|| false) {
                GameOutcome::PlayedGame(played) => {
                    (played.moves.len(), played.result, played.termination, played.reason)
                }
                other => panic!("{other:?}"),
            }
        };
        let tables = || Some(Arc::new(Counting) as Arc<dyn EndgameTables>);
        let (won, by_tables) = (Termination::WinAdjudicated, "White wins by the endgame tables".to_owned());
        // Too many pieces, until one is captured.
        let capture = ("4k3/8/8/8/3p4/8/3R4/R3K3 w - - 0 1", "e1f1 e8f8 d2d4");
        assert_eq!(ended(capture.0, capture.1, tables()), (3, GameResult::WhiteWins, won, by_tables.clone()));
        // Few enough from the start, but the clock has begun; then a pawn moves.
        let pawn = ("4k3/8/8/8/8/8/4P3/R3K3 w - - 3 40", "e1f1 e8f8 a1a2 f8e8 e2e4");
        assert_eq!(ended(pawn.0, pawn.1, tables()), (5, GameResult::WhiteWins, won, by_tables));
        let even = ended("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", tables());
        assert_eq!((even.1, even.2), (GameResult::Draw, Termination::DrawAdjudicated));
        let without = ended(capture.0, capture.1, None);
        assert_eq!((without.0, without.2), (3, Termination::IllegalMove));
    }

    /// Answers with the first legal move, after so long as the clock sees it.
    struct Slow(Duration);

    impl Player for Slow {
        fn name(&self) -> &str {
            "slow"
        }

        fn new_game(&mut self, _chess960: bool) -> Result<(), Fault> {
            Ok(())
        }

        fn go(&mut self, game: &Game, _limits: &MoveLimits, _stop: &Stop) -> Result<Reply, Fault> {
            let best = game.position().legal_moves()[0];
            Ok(Reply { best, ponder: None, info: InfoLine::default(), elapsed: self.0 })
        }
    }

    /// Asks for the end of everything while it thinks.
    struct Last<'a>(&'a AtomicBool);

    impl Player for Last<'_> {
        fn name(&self) -> &str {
            "last"
        }

        fn new_game(&mut self, _chess960: bool) -> Result<(), Fault> {
            Ok(())
        }

        fn go(&mut self, _game: &Game, _limits: &MoveLimits, stop: &Stop) -> Result<Reply, Fault> {
            assert!(!stop());
            self.0.store(true, Relaxed);
            if stop() { Err(Fault::Stopped) } else { Err(Fault::Stall(Duration::ZERO)) }
        }
    }

    #[test]
    fn a_game_that_is_stopped_during_a_move_is_no_ones_loss() {
        let over = AtomicBool::new(false);
        let (mut white, mut black) = (Slow(Duration::ZERO), Last(&over));
        let time_control = TimeControl::default();
        let seats =
            [Seat { player: &mut white, time_control }, Seat { player: &mut black as &mut dyn Player, time_control }];
        let opening = Opening { start: Position::start(), moves: Vec::new(), chess960: false };
        assert_eq!(play(seats, &opening, &Rules::default(), &|| over.load(Relaxed)), GameOutcome::Abandoned);
    }

    #[test]
    fn a_game_with_time_limits_says_how_late_the_runner_was() {
        let played = |limit: &str, value: &str| {
            let mut time_control = TimeControl::default();
            time_control.set(limit, value).unwrap();
            let opening = Opening { start: Position::start(), moves: Vec::new(), chess960: false };
            let (mut white, mut black) = (Slow(Duration::from_millis(30)), Slow(Duration::ZERO));
            let seats = [&mut white, &mut black].map(|player| Seat { player, time_control });
            match play(seats, &opening, &Rules { max_moves: Some(3), ..Rules::default() }, &|| false) {
                GameOutcome::PlayedGame(played) => played,
                other => panic!("{other:?}"),
            }
        };
        let lost = played("movetime", "20");
        assert_eq!((lost.termination, lost.loser()), (Termination::TimeLoss, Some(Color::White)));
        let beginning = "White loses on time with a move of 0.030 s, in which the runner was up to ";
        assert!(lost.reason.starts_with(beginning) && lost.reason.ends_with(" s late"), "{}", lost.reason);
        assert!(lost.runner_lateness.is_some());
        let drawn = played("nodes", "20");
        assert_eq!(drawn.runner_lateness, None, "nobody is late");
        // The limit is one of moves of each player.
        assert_eq!((drawn.moves.len(), drawn.loser(), drawn.termination), (6, None, Termination::DrawAdjudicated));
    }
}
