//! How positions, values and lines are written for the client.

use board::attacks::{AttackMaps, bits};
use board::view::{THEM, US};
use board::{Color, File, Move, MoverView, Piece, Position, Rank, Square};
use engine::chance_model::ChanceModel;
use search::{Bound, MoveStatistics, SearchInfo, Value, Wdl};
use std::fmt::Write;
use std::time::Duration;

/// How the client wants things written.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style {
    /// Castling is king takes own rook, and FENs name the rooks' files.
    pub chess960: bool,
    /// Scores are followed by chances.
    pub show_wdl: bool,
}

impl Style {
    /// The score of a value: centipawns, or moves (not plies) to mate, what the bound makes of it, and the chances if they are
    /// shown.
    pub fn score(self, value: Value, bound: Bound, chances: impl FnOnce() -> Wdl) -> String {
        let mut text = match value.mate_moves() {
            Some(moves) => format!("score mate {moves}"),
            None => format!("score cp {}", value.centipawns()),
        };
        text.push_str(match bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        });
        if self.show_wdl {
            let _ = write!(text, " wdl {}", chances());
        }
        text
    }

    /// A report as an info line.
    pub fn report(self, root: &Position, report: &SearchInfo, elapsed: Duration, model: &ChanceModel) -> String {
        format!(
            "info depth {} seldepth {} multipv {} {} {} hashfull {} tbhits {} time {} pv{}",
            report.depth,
            report.seldepth,
            report.multipv,
            self.score(report.value, report.bound, || {
                report.wdl.unwrap_or_else(|| model.wdl(root, report.value, report.pv))
            }),
            nodes(report.nodes, elapsed),
            report.hashfull,
            report.table_hits,
            elapsed.as_millis(),
            self.line(root, report.pv),
        )
    }

    /// What a tree search found of a root move, as Lc0 writes it: visits N, prior P, chance of a draw D, value Q, exploration U,
    /// their sum S, and what is proven.
    pub fn statistics(self, root: &Position, of: &MoveStatistics) -> String {
        let MoveStatistics { mv, visits, prior, value, draw, bonus, mate, is_proven } = *of;
        let proven = match mate {
            Some(moves) => format!(" (M: {moves})"),
            None if is_proven => " (T)".to_owned(),
            None => String::new(),
        };
        format!(
            "{:<5} N: {visits:>7} (P: {:>6.2}%) (D: {draw:.3}) (Q: {:>8.5}) (U: {bonus:.5}) (S: {:>8.5}){proven}",
            root.uci(mv, self.chess960),
            100.0 * prior,
            // Without the sign of a zero.
            value + 0.0,
            value + bonus,
        )
    }

    /// The moves of a line, each after a space.
    pub fn line(self, root: &Position, line: &[Move]) -> String {
        let mut text = String::new();
        let mut position = root.clone();
        for &mv in line {
            let _ = write!(text, " {}", position.uci(mv, self.chess960));
            position = position.play(mv);
        }
        text
    }

    /// The last line of a search. A side without a legal move has no best one.
    pub fn best_move(self, root: &Position, line: &[Move]) -> String {
        let Some(&best) = line.first() else {
            return "bestmove (none)".to_owned();
        };
        let mut text = format!("bestmove {}", root.uci(best, self.chess960));
        if let Some(&reply) = line.get(1) {
            let _ = write!(text, " ponder {}", root.play(best).uci(reply, self.chess960));
        }
        text
    }

    /// The board as a diagram, and what the diagram does not show.
    pub fn diagram(self, position: &Position) -> String {
        let mut text = String::new();
        for rank in Rank::ALL.into_iter().rev() {
            let _ = write!(text, "{} ", rank as usize + 1);
            for file in File::ALL {
                let _ = write!(text, " {}", piece_letter(position, Square::new(file, rank)));
            }
            text.push('\n');
        }
        text.push_str("   a b c d e f g h\n\n");
        let checkers: String = checkers(position).map(|square| format!(" {square}")).collect();
        let _ = write!(text, "fen {}\nkey {:016x}\ncheckers{checkers}", self.fen(position), position.key());
        text
    }

    fn fen(self, position: &Position) -> String {
        position.to_fen(self.chess960)
    }
}

/// Nodes and nodes a second.
pub fn nodes(nodes: u64, elapsed: Duration) -> String {
    let micros = elapsed.as_micros().max(1);
    format!("nodes {nodes} nps {}", u128::from(nodes) * 1_000_000 / micros)
}

fn piece_letter(position: &Position, square: Square) -> char {
    let Some(piece) = position.piece_on(square) else { return '.' };
    let letter = char::from(piece);
    if position.color_on(square) == Some(Color::White) { letter.to_ascii_uppercase() } else { letter }
}

/// The pieces that give check to the side to move.
fn checkers(position: &Position) -> impl Iterator<Item = Square> {
    let view = MoverView::of(position);
    let maps = AttackMaps::of(&view);
    let king = view.pieces[US][Piece::King as usize];
    let pawns = view.pieces[THEM][Piece::Pawn as usize];
    let gives_check = move |square: usize| match pawns >> square & 1 {
        // Their pawns capture down the board.
        1 => [-1, 1]
            .iter()
            .any(|&file| Square::index(square).try_offset(file, -1).is_some_and(|target| target.bitboard().0 == king)),
        _ => maps.from[square] & king != 0,
    };
    let flip = if position.side_to_move() == Color::White { 0 } else { 56 };
    bits(view.sides[THEM]).filter(move |&square| gives_check(square)).map(move |square| Square::index(square ^ flip))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Style = Style { chess960: false, show_wdl: false };

    #[test]
    fn mates_are_counted_in_moves() {
        for (ply, moves) in [(1, 1), (2, 1), (3, 2), (5, 3)] {
            assert_eq!(Value::mates_at(ply).mate_moves(), Some(moves), "{ply} plies");
        }
        for (ply, moves) in [(0, 0), (2, -1), (4, -2), (1, -1)] {
            assert_eq!(Value::mated_at(ply).mate_moves(), Some(moves), "{ply} plies");
        }
        assert_eq!(PLAIN.score(Value::mates_at(3), Bound::Exact, || Value::mates_at(3).wdl()), "score mate 2");
        assert_eq!(PLAIN.score(Value::mated_at(2), Bound::Exact, || Value::mated_at(2).wdl()), "score mate -1");
        assert_eq!(PLAIN.score(Value::mated_at(0), Bound::Exact, || Value::mated_at(0).wdl()), "score mate 0");
    }

    #[test]
    fn scores_carry_their_bound_and_chances() {
        let style = Style { show_wdl: true, ..PLAIN };
        let pawn_up = Value::from_evaluation(0.198_f32.tanh());
        assert_eq!(PLAIN.score(pawn_up, Bound::Lower, || pawn_up.wdl()), "score cp 100 lowerbound");
        assert!(style.score(pawn_up, Bound::Upper, || pawn_up.wdl()).starts_with("score cp 100 upperbound wdl "));
        assert_eq!(
            style.score(Value::mates_at(1), Bound::Exact, || Value::mates_at(1).wdl()),
            "score mate 1 wdl 1000 0 0"
        );
    }

    #[test]
    fn lines_are_written_in_the_clients_castling_notation() {
        let root = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        let castle = root.parse_uci("e1g1").unwrap();
        let reply = root.play(castle).parse_uci("e8c8").unwrap();
        let line = [castle, reply];
        assert_eq!(PLAIN.line(&root, &line), " e1g1 e8c8");
        let fischer = Style { chess960: true, ..PLAIN };
        assert_eq!(fischer.line(&root, &line), " e1h1 e8a8");
        assert_eq!(fischer.best_move(&root, &line), "bestmove e1h1 ponder e8a8");
        assert_eq!(PLAIN.best_move(&root, &line[..1]), "bestmove e1g1");
        assert_eq!(PLAIN.best_move(&root, &[]), "bestmove (none)");
    }

    #[test]
    fn a_report_has_every_field_in_order() {
        let root = Position::start();
        let line = [root.parse_uci("e2e4").unwrap()];
        let report = SearchInfo {
            depth: 3,
            seldepth: 9,
            multipv: 2,
            value: Value::DRAW,
            bound: Bound::Exact,
            nodes: 500,
            hashfull: 7,
            table_hits: 5,
            wdl: None,
            pv: &line,
        };
        assert_eq!(
            PLAIN.report(&root, &report, Duration::from_millis(2), &ChanceModel::default()),
            "info depth 3 seldepth 9 multipv 2 score cp 0 nodes 500 nps 250000 hashfull 7 tbhits 5 time 2 pv e2e4"
        );
    }

    #[test]
    fn the_diagram_names_the_checkers() {
        for (fen, squares) in [
            ("4k3/8/8/8/8/5n2/8/r3K3 w - - 0 1", " a1 f3"),
            ("4k3/8/8/8/8/8/3p4/4K3 w - - 0 1", " d2"),
            ("4k3/5P2/8/8/7B/8/8/4K3 b - - 0 1", " f7"),
            ("4k3/4p3/8/8/4R3/8/8/4K3 b - - 0 1", ""),
        ] {
            let diagram = PLAIN.diagram(&Position::from_fen(fen).unwrap());
            assert!(diagram.starts_with("8  . . . . k . . .\n"), "{diagram}");
            assert!(diagram.contains(&format!("\nfen {fen}\n")), "{diagram}");
            assert!(diagram.ends_with(&format!("checkers{squares}")), "{diagram}");
        }
    }
}
