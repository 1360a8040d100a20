//! Syzygy endgame tables: results in the search, and at the root the moves that keep the result and lead to it soonest.
//!
//! CITE: the tables are Ronald de Man's; the ranking of the root's moves by the distance to zeroing, and the fifty-move rule in
//! it, follow Stockfish's syzygy/tbprobe.cpp (root_probe).

use anyhow::{Context, ensure};
use board::{Color, Game, Move, Outcome, Piece, Position, Square};
use search::{Bound, Handler, MoveStatistics, SearchInfo, SearchLimits, Stop, TableResult, Tablebase, Value};
use shakmaty::{CastlingMode, Chess, Setup};
use shakmaty_syzygy::{Dtz, Wdl};
use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{MAIN_SEPARATOR, Path};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Between folders in a list of them.
const SEPARATOR: char = if MAIN_SEPARATOR == '\\' { ';' } else { ':' };
/// A distance that the fifty-move rule allows.
const FIFTY_MOVES: i32 = 99;
/// The rank of a win less its distance.
const WON: i32 = 100_000;
/// The longest principal variation that is shown through the tables, in plies.
const LONGEST: usize = 100;

/// Tables of some folders, and how they are used.
pub struct Syzygy {
    tables: shakmaty_syzygy::Tablebase<Chess>,
    files: usize,
    damaged: Vec<String>,
    min_depth: f32,
    fifty_move_rule: bool,
    hits: AtomicU64,
}

impl fmt::Debug for Syzygy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Syzygy file{}", self.files, if self.files == 1 { "" } else { "s" })
    }
}

/// What tables say of a root.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownRoot {
    /// The moves that keep the result and lead to it soonest, or delay it longest.
    pub moves: Vec<Move>,
    /// The result.
    pub result: TableResult,
}

impl Syzygy {
    /// The tables of these folders, separated as in PATH. A damaged one is left out.
    ///
    /// # Errors
    /// If a folder cannot be read, or none has a table that is whole.
    pub fn open(folders: &str, min_depth: u32, fifty_move_rule: bool) -> anyhow::Result<Self> {
        let mut tables = no_tables();
        let (mut files, mut damaged) = (0, Vec::new());
        for folder in folders.split(SEPARATOR).filter(|folder| !folder.is_empty()) {
            let unreadable = || format!("cannot read the folder of Syzygy tables {folder}");
            let entries: io::Result<Vec<_>> = fs::read_dir(folder).and_then(Iterator::collect);
            for entry in entries.with_context(unreadable)? {
                let path = entry.path();
                match check_table(&path).and_then(|()| tables.add_file(&path)) {
                    Ok(()) => files += 1,
                    // It does not have a table's name.
                    Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
                    Err(error) => damaged.push(format!("{} ({error})", path.display())),
                }
            }
        }
        damaged.sort();
        ensure!(
            files > 0 || damaged.is_empty(),
            "every Syzygy table in {folders} is damaged, the first {}; get them again",
            damaged[0]
        );
        ensure!(files > 0, "there are no Syzygy tables (.rtbw, .rtbz) in {folders}");
        Ok(Self { tables, files, damaged, min_depth: min_depth as f32, fifty_move_rule, hits: AtomicU64::new(0) })
    }

    /// The damaged files, each with what is wrong with it; they are not used.
    pub fn damaged(&self) -> &[String] {
        &self.damaged
    }

    /// How many files there are.
    pub fn files(&self) -> usize {
        self.files
    }

    /// What the tables say of a game's position and, of the moves `among` (all if empty), which keep it.
    pub fn root(&self, position: &Position, among: &[Move]) -> Option<KnownRoot> {
        self.is_small(position).then_some(())?;
        let mut ranked: Vec<(i32, Move)> = Vec::new();
        for mv in position.legal_moves() {
            if among.is_empty() || among.contains(&mv) {
                ranked.push((self.rank(position, mv)?, mv));
            }
        }
        let best = ranked.iter().map(|(rank, _)| *rank).max()?;
        let result = match best {
            2.. => TableResult::Win,
            -1..=1 => TableResult::Draw,
            _ => TableResult::Loss,
        };
        let moves = ranked.into_iter().filter(|(rank, _)| *rank == best).map(|(_, mv)| mv).collect();
        Some(KnownRoot { moves, result })
    }

    /// How good a move is for the side that makes it: above 1 won, the sooner the higher; below -1 lost, the later the higher.
    fn rank(&self, position: &Position, mv: Move) -> Option<i32> {
        let child = position.play(mv);
        match child.outcome() {
            Some(Outcome::Mated) => return Some(WON),
            Some(Outcome::Stalemate | Outcome::InsufficientMaterial) => return Some(0),
            _ => {}
        }
        let dtz = -self.tables.probe_dtz(&chess(&child)?).ok()?.ignore_rounding().0;
        self.hits.fetch_add(1, Relaxed);
        let dtz = if child.halfmove_clock() == 0 {
            Dtz::before_zeroing(Wdl::from_dtz(Dtz(dtz))).0
        } else {
            dtz + dtz.signum()
        };
        let before = i32::from(position.halfmove_clock());
        let counts = !self.fifty_move_rule || dtz.abs() + before <= FIFTY_MOVES;
        Some(match (dtz.signum(), counts) {
            (0, _) => 0,
            (sign, true) => sign * WON - dtz,
            (sign, false) => sign,
        })
    }

    /// The result of a game that has this position right after a capture or pawn move, for its side to move.
    pub fn result(&self, position: &Position) -> Option<TableResult> {
        self.is_small(position).then(|| self.probe(position)).flatten()
    }

    fn is_small(&self, position: &Position) -> bool {
        position.occupied().len() as usize <= self.tables.max_pieces() && !position.has_castling_rights()
    }

    /// A line, and how the tables go on from its end.
    fn extended(&self, root: &Position, line: &[Move]) -> Vec<Move> {
        let mut moves = line.to_vec();
        let mut position = line.iter().fold(root.clone(), |position, mv| position.play(*mv));
        while moves.len() < LONGEST
            && position.outcome().is_none()
            && let Some(known) = self.root(&position, &[])
            && known.result != TableResult::Draw
        {
            moves.push(known.moves[0]);
            position = position.play(known.moves[0]);
        }
        moves
    }
}

impl Tablebase for Syzygy {
    fn max_pieces(&self) -> u32 {
        self.tables.max_pieces() as u32
    }

    fn min_depth(&self) -> f32 {
        self.min_depth
    }

    fn probe(&self, position: &Position) -> Option<TableResult> {
        let wdl = self.tables.probe_wdl_after_zeroing(&chess(position)?).ok()?;
        self.hits.fetch_add(1, Relaxed);
        Some(match wdl {
            Wdl::Win => TableResult::Win,
            Wdl::Loss => TableResult::Loss,
            Wdl::CursedWin if !self.fifty_move_rule => TableResult::Win,
            Wdl::BlessedLoss if !self.fifty_move_rule => TableResult::Loss,
            Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => TableResult::Draw,
        })
    }
}

/// Checks the first bytes of a file with a table's name; the library that reads tables checks its size.
fn check_table(path: &Path) -> io::Result<()> {
    let expected = match path.extension().and_then(OsStr::to_str) {
        Some("rtbw") => [0x71, 0xe8, 0x23, 0x5d],
        Some("rtbz") => [0xd7, 0x66, 0x0c, 0xa5],
        _ => return Err(io::ErrorKind::InvalidInput.into()),
    };
    let mut magic = [0; 4];
    let read = File::open(path)?.read_exact(&mut magic);
    // What is shorter has no size of a table.
    let is_table = read.is_err() || magic == expected;
    if is_table { Ok(()) } else { Err(io::Error::new(io::ErrorKind::InvalidData, "it does not begin as a table does")) }
}

/// Memory maps, as reading the files by calls to the system makes a probe a hundred times as slow.
#[cfg(target_pointer_width = "64")]
fn no_tables() -> shakmaty_syzygy::Tablebase<Chess> {
    // SAFETY: as in every engine that maps them, the user must not change the files while they are in use.
    unsafe { shakmaty_syzygy::Tablebase::with_mmap_filesystem() }
}

#[cfg(not(target_pointer_width = "64"))]
fn no_tables() -> shakmaty_syzygy::Tablebase<Chess> {
    shakmaty_syzygy::Tablebase::new()
}

/// The position as the tables' library has it; `None` if it does not take it.
fn chess(position: &Position) -> Option<Chess> {
    let mut setup = Setup::empty();
    for square in position.occupied() {
        let role = match position.piece_on(square)? {
            Piece::Pawn => shakmaty::Role::Pawn,
            Piece::Knight => shakmaty::Role::Knight,
            Piece::Bishop => shakmaty::Role::Bishop,
            Piece::Rook => shakmaty::Role::Rook,
            Piece::Queen => shakmaty::Role::Queen,
            Piece::King => shakmaty::Role::King,
        };
        let color = color(position.color_on(square)?);
        setup.board.set_piece_at(seen(square), shakmaty::Piece { color, role });
    }
    setup.turn = color(position.side_to_move());
    setup.ep_square = position.legal_en_passant().map(seen);
    setup.halfmoves = u32::from(position.halfmove_clock());
    setup.position(CastlingMode::Standard).ok()
}

fn color(color: Color) -> shakmaty::Color {
    if color == Color::White { shakmaty::Color::White } else { shakmaty::Color::Black }
}

fn seen(square: Square) -> shakmaty::Square {
    shakmaty::Square::new(square as u32)
}

/// A handler that tells what the tables know besides what the search found.
pub struct TableHandler<'a> {
    handler: &'a mut dyn Handler,
    tables: &'a Syzygy,
    root: &'a Position,
    result: Option<TableResult>,
    hits_before: u64,
    /// The last line that was extended, and how many of its moves came from the search.
    extended: (Vec<Move>, usize),
}

impl<'a> TableHandler<'a> {
    /// The limits of a search of `game`, restricted to the moves that keep what the tables know, and a handler for it.
    pub fn new(
        tables: &'a Syzygy,
        game: &'a Game,
        limits: &SearchLimits,
        handler: &'a mut dyn Handler,
    ) -> (Self, SearchLimits) {
        let hits_before = tables.hits.load(Relaxed);
        let known = tables.root(game.position(), &limits.searchmoves);
        let result = known.as_ref().map(|known| known.result);
        let mut limits = limits.clone();
        if let Some(known) = known {
            limits.searchmoves = known.moves;
        }
        let extended = (Vec::new(), 0);
        (Self { handler, tables, root: game.position(), result, hits_before, extended }, limits)
    }

    /// The value of the root that the tables know, unless the search knows a mate.
    pub fn value(&self, found: Value) -> Value {
        match self.result {
            Some(result) if !found.is_mate() => result.value(0),
            _ => found,
        }
    }
}

impl Handler for TableHandler<'_> {
    fn poll(&mut self, nodes: u64) -> Result<(), Stop> {
        self.handler.poll(nodes)
    }

    fn next_iteration(&mut self, depth: u32) -> bool {
        self.handler.next_iteration(depth)
    }

    fn spent(&self, nodes: u64) -> Option<f64> {
        self.handler.spent(nodes)
    }

    fn shows_hashfull(&self) -> bool {
        self.handler.shows_hashfull()
    }

    fn report(&mut self, info: &SearchInfo) {
        let table_hits = self.tables.hits.load(Relaxed) - self.hits_before;
        let value = self.value(info.value);
        let bound = if value == info.value { info.bound } else { Bound::Exact };
        // Where the tables know the root, the line goes through them from the first move on; where a cutoff by them ended the
        // line, from its end.
        let kept = match self.result {
            Some(TableResult::Win | TableResult::Loss) if !info.value.is_mate() => &info.pv[..info.pv.len().min(1)],
            _ if info.value.is_table_win() => info.pv,
            _ => return self.handler.report(&SearchInfo { value, bound, table_hits, ..*info }),
        };
        let (line, from_search) = &self.extended;
        if *from_search != kept.len() || !line.starts_with(kept) {
            self.extended = (self.tables.extended(self.root, kept), kept.len());
        }
        self.handler.report(&SearchInfo { value, bound, table_hits, pv: &self.extended.0, ..*info });
    }

    fn shows_statistics(&self) -> bool {
        self.handler.shows_statistics()
    }

    fn statistics(&mut self, moves: &[MoveStatistics]) {
        self.handler.statistics(moves);
    }

    fn root_move(&mut self, depth: u32, mv: Move, number: usize, nodes: u64) {
        self.handler.root_move(depth, mv, number, nodes);
    }
}
