//! Which games are Chess960's: those with a castling right that standard chess does not know.

use board::Position;

/// Does a castling right belong to a king that does not stand on the e-file, or to a rook that stands in no corner?
/// Only then do the two games differ.
pub fn is_chess960(position: &Position) -> bool {
    let fen = position.to_fen(true);
    let mut fields = fen.split(' ');
    let placement = fields.next().unwrap_or_default();
    let rights = fields.nth(1).unwrap_or_default();
    rights.chars().filter(|&letter| letter != '-').any(|letter| {
        let white = letter.is_ascii_uppercase();
        let back_rank = if white { placement.rsplit('/').next() } else { placement.split('/').next() };
        let king = king_file(back_rank.unwrap_or_default(), if white { 'K' } else { 'k' });
        king != Some(4) || !matches!(letter.to_ascii_lowercase(), 'a' | 'h')
    })
}

/// The file, 0 to 7, of the king on a rank as FEN writes it.
fn king_file(rank: &str, king: char) -> Option<usize> {
    let mut file = 0;
    for letter in rank.chars() {
        if letter == king {
            return Some(file);
        }
        file += letter.to_digit(10).map_or(1, |empty| empty as usize);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unusual_castling_is_chess960() {
        for (fen, expected) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", false),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", false),
            ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1", true),
            // Without rights, the same pieces are standard chess.
            ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w - - 0 1", false),
            ("1r2k2r/8/8/8/8/8/8/4K3 b b - 0 1", true),
            ("1r2k2r/8/8/8/8/8/8/4K3 b k - 0 1", false),
        ] {
            assert_eq!(is_chess960(&Position::from_fen(fen).unwrap()), expected, "{fen}");
        }
    }
}
