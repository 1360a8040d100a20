//! The features written a second time, slowly and from the FEN's text, as an oracle for the fast ones.

use feature_maps::Features;

/// A board as the mover sees it: `(rank * 8 + file)`, our pieces upper case, theirs lower case.
struct Board {
    squares: [char; 64],
    castling: [[bool; 2]; 2],
}

const VALUES: [(char, i32); 6] = [('P', 100), ('N', 325), ('B', 325), ('R', 500), ('Q', 975), ('K', 1500)];

fn value(piece: char) -> i32 {
    VALUES.iter().find(|(name, _)| *name == piece.to_ascii_uppercase()).unwrap().1
}

impl Board {
    /// Standard castling letters only.
    fn of_fen(fen: &str) -> Self {
        let fields: Vec<&str> = fen.split_whitespace().collect();
        let black = fields[1] == "b";
        let mut squares = ['.'; 64];
        for (row, text) in fields[0].split('/').enumerate() {
            let mut file = 0;
            for letter in text.chars() {
                if let Some(gap) = letter.to_digit(10) {
                    file += gap as usize;
                    continue;
                }
                let rank = if black { row } else { 7 - row };
                let swapped =
                    if letter.is_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() };
                squares[rank * 8 + file] = if black { swapped } else { letter };
                file += 1;
            }
        }
        let has = |letter: char| fields[2].contains(letter);
        let (white, blacks) = ([has('K'), has('Q')], [has('k'), has('q')]);
        Self { squares, castling: if black { [blacks, white] } else { [white, blacks] } }
    }

    fn at(&self, file: i32, rank: i32) -> Option<char> {
        ((0..8).contains(&file) && (0..8).contains(&rank)).then(|| self.squares[(rank * 8 + file) as usize])
    }

    /// The squares along a direction up to and including the first piece.
    fn ray(&self, square: usize, step: (i32, i32)) -> Vec<usize> {
        let mut squares = Vec::new();
        let (mut file, mut rank) = (square as i32 % 8 + step.0, square as i32 / 8 + step.1);
        while let Some(piece) = self.at(file, rank) {
            squares.push((rank * 8 + file) as usize);
            if piece != '.' {
                break;
            }
            (file, rank) = (file + step.0, rank + step.1);
        }
        squares
    }

    fn attacks(&self, square: usize) -> Vec<usize> {
        let piece = self.squares[square];
        let hop = |steps: &[(i32, i32)]| -> Vec<usize> {
            steps.iter().filter_map(|step| self.ray_step(square, *step)).collect()
        };
        let slide =
            |steps: &[(i32, i32)]| -> Vec<usize> { steps.iter().flat_map(|step| self.ray(square, *step)).collect() };
        match piece {
            'P' => hop(&[(-1, 1), (1, 1)]),
            'p' => hop(&[(-1, -1), (1, -1)]),
            'N' | 'n' => hop(&[(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]),
            'K' | 'k' => hop(&DIRECTIONS),
            'B' | 'b' => slide(&DIRECTIONS[4..]),
            'R' | 'r' => slide(&DIRECTIONS[..4]),
            'Q' | 'q' => slide(&DIRECTIONS),
            _ => Vec::new(),
        }
    }

    fn ray_step(&self, square: usize, step: (i32, i32)) -> Option<usize> {
        let (file, rank) = (square as i32 % 8 + step.0, square as i32 / 8 + step.1);
        self.at(file, rank).map(|_| (rank * 8 + file) as usize)
    }

    /// The values of a side's attackers of a square.
    fn attackers(&self, square: usize, side: usize) -> Vec<i32> {
        (0..64)
            .filter(|from| belongs(self.squares[*from], side) && self.attacks(*from).contains(&square))
            .map(|from| value(self.squares[from]))
            .collect()
    }

    fn control(&self, square: usize, side: usize) -> f32 {
        self.attackers(square, side).iter().min().map_or(0.0, |least| (2250 - least) as f32 / 3000.0)
    }

    fn safe_mobility(&self, square: usize, side: usize) -> f32 {
        let safe = |to: &&usize| {
            let enemies = self.attackers(**to, 1 - side);
            let friends = self.attackers(**to, side).len();
            let cheaper = enemies.iter().any(|enemy| *enemy < value(self.squares[square]));
            enemies.is_empty() || !cheaper && friends > 1
        };
        self.attacks(square).iter().filter(safe).count() as f32 / 16.0
    }

    /// A side's pieces of a kind, in the order of the scan.
    fn pieces(&self, kind: char, side: usize, scan: Scan) -> Vec<usize> {
        let mut found: Vec<usize> = (0..64)
            .filter(|square| belongs(self.squares[*square], side) && self.squares[*square].eq_ignore_ascii_case(&kind))
            .collect();
        let upward = side == 0 || scan == Scan::FromA1;
        found.sort_by_key(|square| (if upward { square / 8 } else { 7 - square / 8 }, square % 8));
        found
    }
}

const DIRECTIONS: [(i32, i32); 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)];

fn belongs(piece: char, side: usize) -> bool {
    if side == 0 { piece.is_ascii_uppercase() } else { piece.is_ascii_lowercase() }
}

/// In which order a side's pieces are assigned to slots.
#[derive(Clone, Copy, PartialEq)]
pub enum Scan {
    /// Okapi's: from the owner's back rank upward.
    FromBackRank,
    /// The original's: both sides from the mover's a1 upward.
    FromA1,
}

/// The 363 features of a FEN with standard castling letters.
pub fn features(fen: &str, scan: Scan) -> Features {
    let board = Board::of_fen(fen);
    let mut out = Vec::new();
    for side in 0..2 {
        for (kind, unit) in [('Q', 1.0), ('R', 2.0), ('B', 2.0), ('N', 2.0), ('P', 8.0)] {
            out.push(board.pieces(kind, side, scan).len() as f32 / unit);
        }
    }
    out.push(1.0);
    let castling = |side: usize| board.castling[side].map(|right| right as u8 as f32);
    let place = |square: usize| [(square % 8) as f32 / 7.0, (square / 8) as f32 / 7.0];
    for side in 0..2 {
        out.extend(place(board.pieces('K', side, scan)[0]));
        out.extend(castling(side));
    }
    for side in 0..2 {
        let mut slots: [Option<usize>; 8] = [None; 8];
        let mut further = Vec::new();
        for pawn in board.pieces('P', side, scan) {
            match &mut slots[pawn % 8] {
                free @ None => *free = Some(pawn),
                Some(_) => further.push(pawn),
            }
        }
        for pawn in further {
            let file = pawn as i32 % 8;
            let nearest = (0..8).filter(|slot| slots[*slot].is_none()).min_by_key(|slot| (*slot as i32 - file).abs());
            slots[nearest.unwrap()] = Some(pawn);
        }
        for slot in slots {
            match slot {
                None => out.extend([0.0; 5]),
                Some(pawn) => {
                    out.push(1.0);
                    out.extend(place(pawn));
                    out.extend([board.control(pawn, 0), board.control(pawn, 1)]);
                }
            }
        }
    }
    for (kind, slots, directions) in
        [('Q', 1, &DIRECTIONS[..]), ('R', 2, &DIRECTIONS[..4]), ('B', 2, &DIRECTIONS[4..]), ('N', 2, &[][..])]
    {
        for side in 0..2 {
            let mut list: Vec<Option<usize>> =
                board.pieces(kind, side, scan).into_iter().take(slots).map(Some).collect();
            list.sort_by_key(|square| square.unwrap() % 8);
            if slots == 2 && list.len() == 1 {
                list.insert(if list[0].unwrap() % 8 < 4 { 1 } else { 0 }, None);
            }
            list.resize(slots, None);
            for slot in list {
                match slot {
                    None => out.extend(vec![0.0; 6 + directions.len()]),
                    Some(square) => {
                        out.push(1.0);
                        out.extend(place(square));
                        out.extend(directions.iter().map(|step| board.ray(square, *step).len() as f32 / 7.0));
                        out.push(board.safe_mobility(square, side));
                        out.extend([board.control(square, 0), board.control(square, 1)]);
                    }
                }
            }
            if kind == 'R' {
                out.extend(castling(side));
            }
        }
    }
    for square in 0..64 {
        out.extend([board.control(square, 0), board.control(square, 1)]);
    }
    out.try_into().unwrap()
}
