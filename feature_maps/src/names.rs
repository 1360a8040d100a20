//! The name of every input, so that another program's vector can be compared with ours.
//!
//! Names are those of the table in [`crate::layout`], with the piece's slot, the coordinate, the ray or the square. All are the mover's:
//! rank 1 is its own back rank, east is the side of the h-file.

use crate::layout::{
    BISHOP_SLOT, BISHOPS, CONTROL, INPUTS, KING, KNIGHT_SLOT, KNIGHTS, MATERIAL, MOVER, PAWN_SLOT, PAWNS, QUEEN,
    QUEEN_SLOT, ROOK_CASTLING, ROOK_SLOT, ROOKS,
};
use board::Square;

const SIDES: [&str; 2] = ["our", "their"];
const PLACE: [&str; 3] = ["exists", "x", "y"];
const STRAIGHT: [&str; 4] = ["ray east", "ray west", "ray north", "ray south"];
const DIAGONAL: [&str; 4] = ["ray northeast", "ray northwest", "ray southeast", "ray southwest"];
const CASTLING: [&str; 2] = ["may castle short", "may castle long"];
const CONTROLS: [&str; 2] = ["our control", "their control"];

/// `(input)`: its name.
pub fn names() -> Vec<String> {
    let mut names = vec![String::new(); INPUTS];
    let mut set = |offset: usize, name: String| names[offset] = name;
    let safe = ["safe mobility"];
    let pawn = [&PLACE[..], &CONTROLS].concat();
    let queen = [&PLACE[..], &STRAIGHT, &DIAGONAL, &safe, &CONTROLS].concat();
    let rook = [&PLACE[..], &STRAIGHT, &safe, &CONTROLS].concat();
    let bishop = [&PLACE[..], &DIAGONAL, &safe, &CONTROLS].concat();
    let knight = [&PLACE[..], &safe, &CONTROLS].concat();
    set(MOVER, "the mover moves".to_owned());
    for (side, owner) in SIDES.into_iter().enumerate() {
        for (index, piece) in ["queens", "rooks", "bishops", "knights", "pawns"].into_iter().enumerate() {
            set(MATERIAL[side] + index, format!("{owner} {piece}"));
        }
        for (index, what) in ["x", "y"].into_iter().chain(CASTLING).enumerate() {
            set(KING[side] + index, format!("{owner} king: {what}"));
        }
        for (index, what) in CASTLING.into_iter().enumerate() {
            set(ROOK_CASTLING[side] + index, format!("{owner} rooks: {what}"));
        }
        for (piece, first, width, slots, parts) in [
            ("pawn", PAWNS[side], PAWN_SLOT, 8, &pawn),
            ("queen", QUEEN[side], QUEEN_SLOT, 1, &queen),
            ("rook", ROOKS[side], ROOK_SLOT, 2, &rook),
            ("bishop", BISHOPS[side], BISHOP_SLOT, 2, &bishop),
            ("knight", KNIGHTS[side], KNIGHT_SLOT, 2, &knight),
        ] {
            debug_assert_eq!(parts.len(), width, "a slot has a name for each input");
            for slot in 0..slots {
                let number = if slots > 1 { format!(" {}", slot + 1) } else { String::new() };
                for (index, part) in parts.iter().enumerate() {
                    set(first + slot * width + index, format!("{owner} {piece}{number}: {part}"));
                }
            }
        }
        for square in Square::ALL {
            set(CONTROL + 2 * square as usize + side, format!("{square}: {}", CONTROLS[side]));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract;
    use board::Position;
    use std::collections::HashSet;

    #[test]
    fn every_input_has_a_name_of_its_own() {
        let names = names();
        assert!(names.iter().all(|name| !name.is_empty()));
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), INPUTS);
    }

    #[test]
    fn names_say_what_the_inputs_hold() {
        let mut features = [0.0; INPUTS];
        // Black is to move: its queen on d5 stands on the fourth rank of its view.
        extract(&Position::from_fen("4k3/8/8/3q4/8/8/6P1/R3K3 b Q - 0 1").unwrap(), &mut features);
        let names = names();
        let of = |name: &str| features[names.iter().position(|found| found == name).unwrap()];
        for (name, value) in [
            ("our queens", 1.0),
            ("their rooks", 0.5),
            ("their pawns", 0.125),
            ("the mover moves", 1.0),
            ("our king: x", 4.0 / 7.0),
            ("our king: y", 0.0),
            ("their king: may castle long", 1.0),
            ("their king: may castle short", 0.0),
            ("our queen: exists", 1.0),
            ("our queen: x", 3.0 / 7.0),
            ("our queen: y", 3.0 / 7.0),
            ("our queen: ray west", 3.0 / 7.0),
            ("our queen: ray east", 4.0 / 7.0),
            ("our queen: ray south", 3.0 / 7.0),
            ("their queen: exists", 0.0),
            ("their rook 1: exists", 1.0),
            ("their rooks: may castle long", 1.0),
        ] {
            assert!((of(name) - value).abs() < 1e-6, "{name} is {} instead of {value}", of(name));
        }
        assert!(of("d5: our control") > 0.0 || of("d4: our control") > 0.0);
    }
}
