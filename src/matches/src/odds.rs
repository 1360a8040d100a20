//! Odds: in all its games one player has a piece less from the start.
//!
//! The piece is taken from the opening's first position, and the opening's moves are played from there. With the odds of pawn and move
//! the side that is given them begins: the giver's games as White are those as Black with colors exchanged.

use super::opening::Opening;
use super::schedule::Fixture;
use board::{Color, File, Move, Piece, Position, Rank, Square};
use std::fmt;
use support::choice::Choice;

/// What is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handicap {
    /// The queen.
    Queen,
    /// The rook on the queen's side.
    Rook,
    /// The knight on the queen's side.
    Knight,
    /// The pawn of the f-file, and the first move.
    PawnMove,
}

impl Choice for Handicap {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Queen, "queen", "The queen"),
        (Self::Rook, "rook", "The rook on the queen's side"),
        (Self::Knight, "knight", "The knight on the queen's side"),
        (Self::PawnMove, "pawn-move", "The pawn of the f-file, and the first move"),
    ];
}

/// Odds that a player of a match gives to all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Odds {
    /// What it gives.
    pub handicap: Handicap,
    /// The player's number.
    pub giver: usize,
}

impl Odds {
    /// Reads `KIND:NAME`, NAME one of these players.
    ///
    /// # Errors
    /// What is wrong, as a sentence.
    pub fn from_word(word: &str, players: &[&str]) -> Result<Self, String> {
        let kinds: Vec<_> = Handicap::ALL.iter().map(|row| row.1).collect();
        let form = || format!("'{word}' is not odds: KIND:NAME, KIND one of {}, NAME a player's", kinds.join(", "));
        let (kind, name) = word.split_once(':').ok_or_else(form)?;
        let handicap = Handicap::from_word(kind).map_err(|_| form())?;
        let giver = players.iter().position(|player| *player == name);
        let giver = giver.ok_or_else(|| format!("'{name}' is none of the players: {}", players.join(", ")))?;
        Ok(Self { handicap, giver })
    }

    /// The color of who gives odds in a game; `None` if nobody does.
    pub fn color(&self, fixture: &Fixture) -> Option<Color> {
        Color::ALL.into_iter().find(|color| fixture.players[*color as usize] == self.giver)
    }
}

/// An opening has no such odds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoOdds {
    /// The piece is not there.
    #[error("{} has no {} to give", if *.0 == Color::White { "White" } else { "Black" }, .1.word())]
    Nothing(Color, Handicap),
    /// The side that would begin is not to move, or could take a king.
    #[error("the position cannot be played without the {}", .0.word())]
    Illegal(Handicap),
    /// The moves are those of the piece, or answer them.
    #[error("its moves cannot be played without the {}", .0.word())]
    Moves(Handicap),
}

impl fmt::Display for Handicap {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Handicap {
    /// The first position of a game in which this color gives these odds, in place of `start`.
    ///
    /// # Errors
    /// If the position does not have them.
    pub fn start(self, start: &Position, giver: Color) -> Result<Position, NoOdds> {
        if self == Self::PawnMove && giver == Color::White {
            return self.start(start, Color::Black).map(|start| start.mirror());
        }
        let square = self.square(start, giver).ok_or(NoOdds::Nothing(giver, self))?;
        let without = start.without(square).ok_or(NoOdds::Illegal(self))?;
        let begins = self != Self::PawnMove || without.side_to_move() == Color::White;
        if begins { Ok(without) } else { Err(NoOdds::Illegal(self)) }
    }

    /// An opening at these odds.
    ///
    /// # Errors
    /// If it has none, or its moves cannot be played any more.
    pub fn opening(self, opening: &Opening, giver: Color) -> Result<Opening, NoOdds> {
        let start = self.start(&opening.start, giver)?;
        let is_mirrored = self == Self::PawnMove && giver == Color::White;
        let mirror = |mv: Move| Move { from: mv.from.flip_rank(), to: mv.to.flip_rank(), ..mv };
        let moves: Vec<Move> = opening.moves.iter().map(|mv| if is_mirrored { mirror(*mv) } else { *mv }).collect();
        let play = |position: Position, mv: &Move| position.is_legal(*mv).then(|| position.play(*mv));
        moves.iter().try_fold(start.clone(), play).ok_or(NoOdds::Moves(self))?;
        Ok(Opening { start, moves, chess960: opening.chess960 })
    }

    /// Where the piece is: on its first rank, or of a pawn on its second, the one nearest to the a-file.
    fn square(self, position: &Position, giver: Color) -> Option<Square> {
        let (piece, rank, files) = match self {
            Self::Queen => (Piece::Queen, Rank::First, &File::ALL[..]),
            Self::Rook => (Piece::Rook, Rank::First, &File::ALL[..]),
            Self::Knight => (Piece::Knight, Rank::First, &File::ALL[..]),
            Self::PawnMove => (Piece::Pawn, Rank::Second, &[File::F][..]),
        };
        let pieces = position.colored_pieces(giver, piece);
        files.iter().map(|file| Square::new(*file, rank.relative_to(giver))).find(|square| pieces.has(*square))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openings::Openings;

    #[test]
    fn the_side_that_gives_has_a_piece_less() {
        for (handicap, white, black) in [
            (
                Handicap::Queen,
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1",
                "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            ),
            (
                Handicap::Rook,
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w Kkq - 0 1",
                "1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1",
            ),
            (
                Handicap::Knight,
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1",
                "r1bqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            ),
            (
                Handicap::PawnMove,
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPP1PP/RNBQKBNR b KQkq - 0 1",
                "rnbqkbnr/ppppp1pp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            ),
        ] {
            for (giver, expected) in [(Color::White, white), (Color::Black, black)] {
                let start = handicap.start(&Position::start(), giver).unwrap();
                assert_eq!(start.to_fen(false), expected);
                // What a program is told and a PGN file has is read again as the same.
                assert_eq!(Position::from_fen(expected), Ok(start));
            }
        }
    }

    #[test]
    fn an_opening_without_its_piece_is_named() {
        let opening = |fen: &str, moves: &[&str]| {
            let start = Position::from_fen(fen).unwrap();
            let mut position = start.clone();
            let moves = moves.iter().map(|text| {
                let mv = position.parse_uci(text).unwrap();
                position = position.play(mv);
                mv
            });
            Opening { moves: moves.collect(), start: start.clone(), chess960: false }
        };
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let told =
            |handicap: Handicap, opening: &Opening, giver| handicap.opening(opening, giver).map_err(|e| e.to_string());
        let queens = opening(start, &["e2e4", "e7e5", "d1h5"]);
        let without = "its moves cannot be played without the queen".to_owned();
        assert_eq!(told(Handicap::Queen, &queens, Color::White), Err(without));
        assert!(told(Handicap::Queen, &queens, Color::Black).is_ok());
        let ending = opening("4k3/4p3/8/8/8/8/4P3/4K2R w K - 0 1", &[]);
        let none = Err("Black has no knight to give".to_owned());
        assert_eq!(told(Handicap::Knight, &ending, Color::Black), none);
        let rook = told(Handicap::Rook, &ending, Color::White).unwrap();
        assert_eq!(rook.start.to_fen(false), "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1");
        let castled = opening("4k3/4p3/8/8/8/8/4P3/4K2R w K - 0 1", &["e1g1"]);
        assert!(told(Handicap::Rook, &castled, Color::White).is_err(), "no castling without the rook");
        let black = opening("4k3/4pp2/8/8/8/8/4PP2/4K3 b - - 0 1", &[]);
        assert!(told(Handicap::PawnMove, &black, Color::Black).unwrap_err().contains("cannot be played"));
        // With pawn and move the two games of a pair are mirrors of each other.
        let pawn = opening(start, &["e2e4", "d7d5", "e4e5"]);
        let [white, black] = Color::ALL.map(|giver| Handicap::PawnMove.opening(&pawn, giver).unwrap());
        let end =
            |opening: &Opening| opening.moves.iter().fold(opening.start.clone(), |position, mv| position.play(*mv));
        assert_eq!(end(&white).key(), end(&black).mirror().key());
        assert_eq!(white.start.side_to_move(), Color::Black);
    }

    #[test]
    fn random_openings_keep_the_odds() {
        let openings = Openings::Random(7);
        for (handicap, number) in Handicap::ALL.iter().map(|row| row.0).zip(0..) {
            for giver in Color::ALL {
                let opening = openings.nth_at_odds(number, handicap, giver);
                assert_eq!(opening, openings.nth_at_odds(number, handicap, giver));
                assert_eq!(opening.start, handicap.start(&Position::start(), giver).unwrap());
                let end = opening.moves.iter().fold(opening.start.clone(), |position, mv| {
                    assert!(position.is_legal(*mv));
                    position.play(*mv)
                });
                let pieces = |color| end.colors(color).len();
                assert_eq!(pieces(!giver) - pieces(giver), 1, "{}", end.to_fen(false));
                assert_ne!(opening.start, openings.nth(number).start);
            }
        }
    }

    #[test]
    fn words_name_a_kind_and_a_player() {
        let players = ["PUCT", "a: b"];
        assert_eq!(Odds::from_word("rook:a: b", &players), Ok(Odds { handicap: Handicap::Rook, giver: 1 }));
        for (word, told) in [
            ("queen", "'queen' is not odds: KIND:NAME, KIND one of queen, rook, knight, pawn-move, NAME a player's"),
            ("king:PUCT", "'king:PUCT' is not odds"),
            ("pawn-move:puct", "'puct' is none of the players: PUCT, a: b"),
        ] {
            let error = Odds::from_word(word, &players).unwrap_err();
            assert!(error.starts_with(told), "{error}");
        }
        let odds = Odds { handicap: Handicap::Queen, giver: 1 };
        let fixture = |players| Fixture { game: 0, pair: 0, opening: 0, players };
        assert_eq!(odds.color(&fixture([0, 1])), Some(Color::Black));
        assert_eq!(odds.color(&fixture([1, 2])), Some(Color::White));
        assert_eq!(odds.color(&fixture([0, 2])), None);
    }
}
