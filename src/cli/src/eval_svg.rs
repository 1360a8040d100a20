//! The board as an SVG picture, with an arrow for each move, the stronger the more probable.

use board::{Color, File, Move, Piece, Position, Rank, Square};

/// The side of a square, in pixels.
const SIDE: usize = 48;
/// Less probable moves have no arrow, but for the one that is played.
const LEAST: f32 = 0.01;
/// The height of a line of text, in pixels.
const LINE: usize = 11;
/// The room for coordinates and for each line of the key, in pixels.
const MARGIN: usize = 16;
/// The color of the policy network's moves, and that of the move that is played.
const PROBABLE: &str = "#1b6fb3";
const PLAYED: &str = "#c0392b";

/// The picture; `arrows` are moves and their probabilities, the most probable first. The one that was `played` is red.
pub fn board(position: &Position, arrows: impl Iterator<Item = (Move, f32)>, played: Option<Move>) -> String {
    let whole = 8 * SIDE;
    let (width, height) = (whole + MARGIN, whole + 3 * MARGIN + MARGIN / 2);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-{MARGIN} 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <path fill=\"#fff\" d=\"M-{MARGIN} 0h{width}v{height}h-{width}z\"/>\n"
    );
    for square in Square::ALL {
        let (x, y) = corner(square);
        let dark = (square.file() as usize + square.rank() as usize).is_multiple_of(2);
        let fill = if dark { "#b58863" } else { "#f0d9b5" };
        text += &format!("<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{fill}\"/>\n");
        if let Some(glyph) = glyph(position, square) {
            let (x, y) = (x + SIDE / 2, y + SIDE * 5 / 6);
            let size = SIDE * 5 / 6;
            text += &format!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"middle\">{glyph}</text>\n");
        }
    }
    let shown = |(mv, probability): &(Move, f32)| *probability >= LEAST || played == Some(*mv);
    let arrows: Vec<_> = arrows.filter(shown).collect();
    // The most probable is drawn last, above the others.
    for (mv, probability) in arrows.iter().rev() {
        text += &arrow(position, *mv, *probability, played == Some(*mv));
    }
    let mut labels = [0; Square::NUM];
    for (mv, probability) in &arrows {
        let to = target(position, *mv);
        let alone = arrows.iter().filter(|(other, _)| target(position, *other) == to).count() == 1;
        let which = if alone { String::new() } else { format!("{} ", origin(*mv)) };
        text += &label(to, labels[to as usize], &format!("{which}{:.0} %", 100.0 * probability));
        labels[to as usize] += 1;
    }
    text + &coordinates() + &key(played.is_some()) + "</svg>\n"
}

/// The ranks on the left and the files below.
fn coordinates() -> String {
    let mut text = String::new();
    for place in 0..8 {
        let (middle, file) = (SIDE * place + SIDE / 2, (b'a' + place as u8) as char);
        text += &small(-(MARGIN as i32) / 2, middle + LINE / 3, "middle", &(8 - place).to_string());
        text += &small(middle as i32, 8 * SIDE + LINE + 1, "middle", &file.to_string());
    }
    text
}

/// What the colors mean.
fn key(is_played: bool) -> String {
    let rows = [
        (PROBABLE, "the policy network's moves, with their probabilities"),
        (PLAYED, "the move that the search plays"),
    ];
    let mut text = String::new();
    for (line, (color, words)) in rows.into_iter().take(1 + usize::from(is_played)).enumerate() {
        let y = 8 * SIDE + MARGIN * (line + 1) + LINE + 1;
        text += &format!("<path fill=\"none\" stroke=\"{color}\" stroke-width=\"5\" d=\"M2 {}h24\"/>\n", y - LINE / 3);
        text += &small(32, y, "start", words);
    }
    text
}

/// A line of small text.
fn small(x: i32, y: usize, anchor: &str, words: &str) -> String {
    format!(
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{LINE}\" font-family=\"sans-serif\" text-anchor=\"{anchor}\" fill=\"#333\">{words}</text>\n"
    )
}

/// Where a move comes from and what it promotes to, as in `b7=Q`.
fn origin(mv: Move) -> String {
    let promotion = mv.promotion.map(|piece| format!("={}", char::from(piece).to_ascii_uppercase()));
    format!("{}{}", mv.from, promotion.unwrap_or_default())
}

/// A line of text at the foot of a square, above the `line` that are there.
fn label(square: Square, line: usize, words: &str) -> String {
    let (x, y) = corner(square);
    let (x, y) = (x + SIDE / 2, y + SIDE - 2 - LINE * line);
    // Longer words would reach into the next square.
    let size = if words.len() > 8 { LINE - 2 } else { LINE };
    format!(
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" font-family=\"sans-serif\" text-anchor=\"middle\" \
         stroke=\"#fff\" stroke-width=\"2\" paint-order=\"stroke\">{words}</text>\n"
    )
}

/// From the middle of a square to the middle of another.
fn arrow(position: &Position, mv: Move, probability: f32, played: bool) -> String {
    let middle = |square: Square| {
        let (x, y) = corner(square);
        [(x + SIDE / 2) as f32, (y + SIDE / 2) as f32]
    };
    let (from, to) = (middle(mv.from), middle(target(position, mv)));
    let length = ((to[0] - from[0]).powi(2) + (to[1] - from[1]).powi(2)).sqrt().max(1.0);
    let along = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
    let width = 2.0 + 9.0 * probability.sqrt();
    let head = 5.0 + width;
    let neck = [to[0] - head * along[0], to[1] - head * along[1]];
    let points = [
        to,
        [neck[0] - head * along[1] / 2.0, neck[1] + head * along[0] / 2.0],
        [neck[0] + head * along[1] / 2.0, neck[1] - head * along[0] / 2.0],
    ];
    let points: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
    let colour = if played { PLAYED } else { PROBABLE };
    format!(
        "<g opacity=\"{:.2}\"><line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" stroke-width=\"{width:.1}\"/>\
         <polygon points=\"{}\" fill=\"{colour}\"/></g>\n",
        0.25 + 0.65 * probability.sqrt(),
        from[0],
        from[1],
        neck[0],
        neck[1],
        points.join(" ")
    )
}

/// Where the piece arrives; a castling king not on its rook's square.
fn target(position: &Position, mv: Move) -> Square {
    if !position.is_castling(mv) {
        return mv.to;
    }
    Square::new(if mv.to.file() > mv.from.file() { File::G } else { File::C }, mv.to.rank())
}

/// The upper left corner, White below.
fn corner(square: Square) -> (usize, usize) {
    (SIDE * square.file() as usize, SIDE * (Rank::NUM - 1 - square.rank() as usize))
}

fn glyph(position: &Position, square: Square) -> Option<char> {
    let (piece, color) = (position.piece_on(square)?, position.color_on(square)?);
    // Unicode begins with the king, pieces begin with the pawn.
    let place = Piece::King as u32 - piece as u32;
    char::from_u32(0x2654 + place + if color == Color::White { 0 } else { 6 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_and_probable_move_is_drawn() {
        let position = Position::from_fen("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1").unwrap();
        let moves = position.legal_moves();
        let castling = position.parse_uci("e1c1").unwrap();
        let text = board(&position, [(castling, 0.5), (moves[0], 0.3), (moves[1], 0.001)].into_iter(), Some(castling));
        assert_eq!((text.matches("<rect").count(), text.matches("<line").count()), (64, 2));
        assert!(['♔', '♖', '♚'].iter().all(|glyph| text.matches(*glyph).count() == 1));
        // The king arrives on c1.
        assert!(text.contains("120.0,360.0"), "{text}");
        // Line, head, and the key.
        assert_eq!(text.matches(PLAYED).count(), 3);
        let text = board(&position, [(moves[0], 0.3), (castling, 0.001)].into_iter(), Some(castling));
        assert_eq!((text.matches("<line").count(), text.matches(PLAYED).count()), (2, 3));
        let text = board(&position, [(moves[0], 0.3)].into_iter(), None);
        assert_eq!((text.matches(PLAYED).count(), text.matches(PROBABLE).count()), (0, 3));
        assert!(["a", "h", "1", "8"].iter().all(|name| text.contains(&format!(">{name}</text>"))));
    }

    #[test]
    fn moves_to_one_square_are_told_apart() {
        let position = Position::from_fen("4k3/1P6/8/8/8/5N2/8/1N2K3 w - - 0 1").unwrap();
        let moves = ["b1d2", "f3d2", "b7b8q", "b7b8n", "b1c3"].map(|mv| position.parse_uci(mv).unwrap());
        let text = board(&position, moves.into_iter().zip([0.4, 0.3, 0.15, 0.1, 0.05]), None);
        let label = |words: &str| {
            let line = text.lines().find(|line| line.contains(&format!(">{words} %<"))).expect(words);
            line.split('"').skip(1).step_by(2).take(2).map(|number| number.parse().unwrap()).collect::<Vec<usize>>()
        };
        let [above, below] = [label("f3 30"), label("b1 40")];
        assert_eq!((above[0], above[1] + LINE), (below[0], below[1]));
        assert_ne!(label("b7=Q 15"), label("b7=N 10"));
        assert_eq!(label("5"), [120, 286]);
    }
}
