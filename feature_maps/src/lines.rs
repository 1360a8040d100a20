//! What a slider reaches along a line, and how far: one lookup in a small table gives both.
//!
//! A line through a square is a rank, a file, a diagonal or an anti-diagonal. The occupied squares on it are brought
//! into one byte by a multiplication; with the slider's own place on the line, a table gives the squares reached, as
//! a byte too, and the state: a number for the two rays' lengths, with or without the place.
//!
//! A diagonal may have fewer than eight squares. Its last ones count as occupied, which is where rays end anyway. A
//! slider that stands on one itself has a ray of no squares; there its own bit is left out, and the other ray is the
//! one with bits. CITE: <https://www.chessprogramming.org/Kindergarten_Bitboards>.

/// States of a line: the lengths of two opposite rays, together at most 7.
pub const LINE_STATES: usize = 36;

/// States of a line and the slider's place on it.
pub const PLACED_STATES: usize = 120;

const FILE_A: u64 = 0x0101_0101_0101_0101;

/// `(state)`: the ray towards higher places, and the one towards lower ones.
pub(crate) const RAYS: [[u8; 2]; LINE_STATES] = {
    let mut rays = [[0; 2]; LINE_STATES];
    let (mut state, mut up) = (0, 0);
    while up < 8 {
        let mut down = 0;
        while up + down < 8 {
            rays[state] = [up, down];
            state += 1;
            down += 1;
        }
        up += 1;
    }
    assert!(state == LINE_STATES);
    rays
};

/// `(state)`: the place, the ray towards higher places, and the one towards lower ones.
pub(crate) const PLACED: [[u8; 3]; PLACED_STATES] = {
    let mut placed = [[0; 3]; PLACED_STATES];
    let (mut state, mut place) = (0, 0);
    while place < 8 {
        let mut line = 0;
        while line < LINE_STATES {
            let [up, down] = RAYS[line];
            if down <= place && place + up < 8 {
                placed[state] = [place, up, down];
                state += 1;
            }
            line += 1;
        }
        place += 1;
    }
    assert!(state == PLACED_STATES);
    placed
};

/// `(place, occupied places as bits)`: the places reached as bits, the state.
type Table = [[[u8; 2]; 256]; 8];

/// With the states of [`PLACED`].
static PLACED_LINES: Table = table(true);

/// With the states of [`RAYS`].
static LINES: Table = table(false);

const fn table(placed: bool) -> Table {
    let mut table = [[[0; 2]; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut occupied = 0;
        while occupied < 256 {
            let (mut up, mut down, mut reached) = (0, 0, 0);
            let inside = occupied >> place & 1 != 0;
            let (above, below) = (inside || occupied >> place != 0, inside || occupied & ((1 << place) - 1) != 0);
            while above && place + up < 7 && (up == 0 || occupied >> (place + up) & 1 == 0) {
                up += 1;
                reached |= 1 << (place + up);
            }
            while below && down < place && (down == 0 || occupied >> (place - down) & 1 == 0) {
                down += 1;
                reached |= 1 << (place - down);
            }
            table[place][occupied] = [reached, state(placed, place, up, down)];
            occupied += 1;
        }
        place += 1;
    }
    table
}

const fn state(placed: bool, place: usize, up: usize, down: usize) -> u8 {
    let mut state = 0;
    loop {
        let found = if placed {
            let [at, above, below] = PLACED[state];
            at as usize == place && above as usize == up && below as usize == down
        } else {
            let [above, below] = RAYS[state];
            above as usize == up && below as usize == down
        };
        if found {
            return state as u8;
        }
        state += 1;
    }
}

/// `(byte)`: its bits along the a-file.
static ALONG_FILE: [u64; 256] = {
    let mut files = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut rank = 0;
        while rank < 8 {
            files[byte] |= (byte as u64 >> rank & 1) << (8 * rank);
            rank += 1;
        }
        byte += 1;
    }
    files
};

/// A diagonal or an anti-diagonal through a square.
#[derive(Clone, Copy)]
struct Diagonal {
    /// Its squares; on the first and the last rank without the square itself.
    squares: u64,
    /// Its first and its last square, if they are others.
    ends: u64,
}

/// `(square, [diagonal, anti-diagonal])`.
static DIAGONALS: [[Diagonal; 2]; 64] = {
    let mut lines = [[Diagonal { squares: 0, ends: 0 }; 2]; 64];
    let mut from = 0_i32;
    while from < 64 {
        let mut to = 0_i32;
        while to < 64 {
            let (files, ranks) = (to % 8 - from % 8, to / 8 - from / 8);
            let (rank_edge, file_edge) = (to / 8 % 7 == 0, to % 8 % 7 == 0);
            let mut line = 0;
            while line < 2 {
                if files == if line == 0 { ranks } else { -ranks } && (to != from || !rank_edge) {
                    let diagonal = &mut lines[from as usize][line];
                    diagonal.squares |= 1 << to;
                    if to != from && (rank_edge || file_edge) {
                        diagonal.ends |= 1 << to;
                    }
                }
                line += 1;
            }
            to += 1;
        }
        from += 1;
    }
    lines
};

/// What a rook on `square` (below 64 and occupied) reaches, and the states with the places of its rank (east, west)
/// and file (north, south).
#[inline(always)]
pub fn straight(square: usize, occupied: u64) -> (u64, [usize; 2]) {
    let (file, rank) = (square & 7, square >> 3 & 7);
    // Bit 8 r goes to bit 56 + r.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let on_rank = occupied >> (8 * rank) & 0xff;
    let on_file = (occupied >> file & FILE_A).wrapping_mul(GATHER) >> 56;
    let [along_rank, east] = PLACED_LINES[file][on_rank as usize];
    let [along_file, north] = PLACED_LINES[rank][on_file as usize];
    let reach = u64::from(along_rank) << (8 * rank) | ALONG_FILE[usize::from(along_file)] << file;
    (reach, [east.into(), north.into()])
}

/// What a bishop on `square` (below 64 and occupied) reaches, and the states without the places of its diagonal
/// (north-east, south-west) and anti-diagonal (south-east, north-west).
#[inline(always)]
pub fn diagonal(square: usize, occupied: u64) -> (u64, [usize; 2]) {
    let ((rising, north_east), (falling, south_east)) =
        (along(&LINES, square, 0, occupied), along(&LINES, square, 1, occupied));
    (rising | falling, [north_east, south_east])
}

/// The same, with the file as its place in the state of the diagonal.
#[inline(always)]
pub fn placed_diagonal(square: usize, occupied: u64) -> (u64, [usize; 2]) {
    let ((rising, north_east), (falling, south_east)) =
        (along(&PLACED_LINES, square, 0, occupied), along(&LINES, square, 1, occupied));
    (rising | falling, [north_east, south_east])
}

/// One of the two diagonals.
#[inline(always)]
fn along(table: &Table, square: usize, which: usize, occupied: u64) -> (u64, usize) {
    // A diagonal has at most one square of each file: its byte is the sum of its ranks.
    let Diagonal { squares, ends } = DIAGONALS[square & 63][which];
    let on_line = ((occupied & squares) | ends).wrapping_mul(FILE_A) >> 56;
    let [reached, state] = table[square & 7][on_line as usize];
    (u64::from(reached).wrapping_mul(FILE_A) & squares, state.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    /// The squares in one direction up to the first occupied one, and how many they are.
    fn walk(square: usize, occupied: u64, (files, ranks): (i32, i32)) -> (u64, u8) {
        let (mut file, mut rank) = (square as i32 % 8, square as i32 / 8);
        let (mut reach, mut length) = (0, 0);
        loop {
            (file, rank) = (file + files, rank + ranks);
            if !(0..8).contains(&file) || !(0..8).contains(&rank) {
                return (reach, length);
            }
            (reach, length) = (reach | 1 << (8 * rank + file), length + 1);
            if occupied >> (8 * rank + file) & 1 != 0 {
                return (reach, length);
            }
        }
    }

    #[test]
    fn lines_are_what_a_walk_finds() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for round in 0..4_000 {
            let (one, other): (u64, u64) = (random.random(), random.random());
            let others = [one, one & other, one | other, 0, !0][round % 5];
            for square in 0..64 {
                let occupied = others | 1 << square;
                let (file, rank) = ((square % 8) as u8, (square / 8) as u8);
                let both = |up: (i32, i32)| {
                    let ((one, longer), (other, shorter)) =
                        (walk(square, occupied, up), walk(square, occupied, (-up.0, -up.1)));
                    (one | other, [longer, shorter])
                };
                let context = format!("square {square}, occupied {occupied:#x}");
                let ((along_rank, [east, west]), (along_file, [north, south])) = (both((1, 0)), both((0, 1)));
                let (reach, [rank_state, file_state]) = straight(square, occupied);
                assert_eq!(reach, along_rank | along_file, "straight, {context}");
                assert_eq!(PLACED[rank_state], [file, east, west], "rank, {context}");
                assert_eq!(PLACED[file_state], [rank, north, south], "file, {context}");
                let ((rising, up), (falling, down)) = (both((1, 1)), both((1, -1)));
                let (reach, states) = diagonal(square, occupied);
                assert_eq!((reach, states.map(|state| RAYS[state])), (rising | falling, [up, down]), "{context}");
                let (reach, [placed, state]) = placed_diagonal(square, occupied);
                assert_eq!((reach, RAYS[state]), (rising | falling, down), "placed, {context}");
                assert_eq!(PLACED[placed], [file, up[0], up[1]], "placed, {context}");
            }
        }
    }
}
