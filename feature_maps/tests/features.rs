//! The features against an independent slow version, against the original's own vectors, against golden vectors, and
//! against the symmetries that the mover's view promises.

mod slow;

use board::{Color, MoverView, Position};
use feature_maps::feature_set::POSITION;
use feature_maps::layout::{self, INPUTS, LAYOUT};
use feature_maps::{ExtractRows, Features, extract, extract_view};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use slow::Scan;

fn of(position: &Position) -> Features {
    let mut features = [f32::NAN; INPUTS];
    extract(position, &mut features);
    features
}

fn seen_by(position: &Position, color: Color) -> Features {
    let mut features = [f32::NAN; INPUTS];
    extract_view(&MoverView::seen_by(position, color), &mut features);
    features
}

/// Calls `check` on every position of `games` random games of at most 160 plies.
fn play_at_random(games: u64, mut check: impl FnMut(&Position)) {
    for seed in 0..games {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut position = Position::start();
        for _ in 0..160 {
            check(&position);
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.play(moves[random.random_range(0..moves.len())]);
        }
    }
}

/// The name of the row that an index belongs to.
fn name(index: usize) -> &'static str {
    LAYOUT.iter().find(|row| (row.offset..row.offset + row.width).contains(&index)).unwrap().name
}

#[test]
fn fast_and_slow_agree_exactly_on_random_games() {
    play_at_random(30, |position| {
        let fen = position.to_fen(false);
        let (fast, slow) = (of(position), slow::features(&fen, Scan::FromBackRank));
        for index in 0..INPUTS {
            assert_eq!(fast[index], slow[index], "{} ({index}) of {fen}", name(index));
        }
    });
}

#[test]
fn every_feature_stays_in_its_range() {
    play_at_random(200, |position| {
        let features = of(position);
        for row in LAYOUT {
            for value in &features[row.offset..row.offset + row.width] {
                assert!((0.0..=row.max).contains(value), "{} is {value} in {}", row.name, position.to_fen(false));
            }
        }
    });
}

#[test]
fn a_position_and_its_color_mirror_have_the_same_vector() {
    play_at_random(200, |position| assert_eq!(of(position), of(&position.mirror()), "{}", position.to_fen(false)));
}

/// As many pieces of each kind as a side can have, and fewer than any game has.
const CROWDS: [&str; 6] = [
    "qqqqkqqq/qq6/8/8/8/8/QQ6/QQQQKQQQ w - - 0 1",
    "nnnnknnn/nnn5/8/8/8/8/NNN5/NNNNKNNN b - - 0 1",
    "bbbbkbbb/bbb5/8/8/8/8/BBB5/BBBBKBBB w - - 0 1",
    "rrrrkrrr/rrr5/8/8/8/8/RRR5/RRRRKRRR w - - 0 1",
    "4k3/p7/p7/p7/p6P/p6P/p6P/4K3 w - - 0 1",
    "8/8/8/3k4/8/8/8/3K4 b - - 0 1",
];

/// What the proof that no sum of rows leaves its type rests on.
#[test]
fn a_position_has_at_most_one_row_of_each_categorical_feature_and_one_of_the_first() {
    let kernels = kernels::active().unwrap();
    let check = |position: &Position| {
        let rows = kernels.run(ExtractRows(&MoverView::of(position)));
        let lists = rows.lists();
        for (group, list) in POSITION.groups.iter().zip(lists) {
            assert!(list.rows().len() <= group.max_rows, "{}", group.name);
            let categorical = group.schema().categorical();
            let feature = |row: &u16| categorical.partition_point(|rows| rows.end <= usize::from(*row));
            let mut of: Vec<usize> = list.rows().iter().map(feature).collect();
            let context = format!("{} of {}: {:?}", group.name, position.to_fen(false), list.rows());
            assert_eq!(of.first(), Some(&0), "{context}");
            of.sort_unstable();
            assert!(of.last() < Some(&categorical.len()) && of.windows(2).all(|two| two[0] < two[1]), "{context}");
        }
    };
    play_at_random(200, check);
    CROWDS.iter().for_each(|fen| check(&Position::from_fen(fen).unwrap()));
}

#[test]
fn crowds_have_the_slow_versions_features() {
    for fen in CROWDS {
        assert_eq!(of(&Position::from_fen(fen).unwrap()), slow::features(fen, Scan::FromBackRank), "{fen}");
    }
}

/// What the other side sees of a vector: us and them change places, ranks turn round.
fn transposed(features: &Features) -> Features {
    let mut out = [0.0; INPUTS];
    let swap = |out: &mut Features, first: [usize; 2], width: usize| {
        for offset in 0..width {
            out[first[0] + offset] = features[first[1] + offset];
            out[first[1] + offset] = features[first[0] + offset];
        }
    };
    swap(&mut out, layout::MATERIAL, 5);
    out[layout::MOVER] = 1.0;
    swap(&mut out, layout::KING, 4);
    swap(&mut out, layout::PAWNS, 40);
    swap(&mut out, layout::QUEEN, 14);
    swap(&mut out, layout::ROOKS, 22);
    swap(&mut out, layout::BISHOPS, 20);
    swap(&mut out, layout::KNIGHTS, 12);
    let mut slots: Vec<(usize, usize, Vec<[usize; 2]>)> = Vec::new();
    for side in 0..2 {
        slots.extend((0..8).map(|slot| (layout::PAWNS[side] + slot * 5, 5, vec![])));
        slots.push((layout::QUEEN[side], 14, vec![[5, 6], [7, 9], [8, 10]]));
        slots.extend((0..2).map(|slot| (layout::ROOKS[side] + slot * 10, 10, vec![[5, 6]])));
        slots.extend((0..2).map(|slot| (layout::BISHOPS[side] + slot * 10, 10, vec![[3, 5], [4, 6]])));
        slots.extend((0..2).map(|slot| (layout::KNIGHTS[side] + slot * 6, 6, vec![])));
        out[layout::KING[side] + 1] = 1.0 - out[layout::KING[side] + 1];
    }
    for (at, width, rays) in slots {
        if out[at] == 1.0 {
            out[at + 2] = 1.0 - out[at + 2];
        }
        out.swap(at + width - 2, at + width - 1);
        for [one, other] in rays {
            out.swap(at + one, at + other);
        }
    }
    for square in 0..64 {
        for side in 0..2 {
            out[layout::CONTROL + 2 * (square ^ 56) + 1 - side] = features[layout::CONTROL + 2 * square + side];
        }
    }
    out
}

#[test]
fn both_perspectives_are_permutations_of_each_other() {
    play_at_random(200, |position| {
        let (white, black) = (transposed(&seen_by(position, Color::White)), seen_by(position, Color::Black));
        for index in 0..INPUTS {
            let difference = (white[index] - black[index]).abs();
            assert!(difference < 1e-6, "{} ({index}) of {}", name(index), position.to_fen(false));
        }
    });
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/reference")]
fn agrees_with_the_originals_vectors_but_for_the_slot_rule() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/reference/giraffe-features.tsv");
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let (mut rows, mut by_slot_rule) = (0, 0);
    for line in text.lines() {
        let mut cells = line.split('\t');
        let fen = cells.next().unwrap();
        let original: Vec<f32> = cells.map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(original.len(), INPUTS, "{fen}");
        let ours = of(&Position::from_fen(fen).unwrap());
        let by_its_rule = slow::features(fen, Scan::FromA1);
        for index in 0..INPUTS {
            // Nothing but the order in which Black's pieces take their slots is different, and that alone explains it
            // all.
            let (rule, original) = (by_its_rule[index], original[index]);
            assert!((rule - original).abs() <= 0.0005, "{} ({index}): {rule}, {original} in {fen}", name(index));
        }
        rows += 1;
        by_slot_rule += usize::from(ours != by_its_rule);
    }
    assert!(rows >= 250 && by_slot_rule < rows);
    println!("{rows} positions, {by_slot_rule} with slots assigned in another order");
}

/// The vectors of this version of the layout: openings, middlegames, endings, both sides to move, doubled pawns,
/// promoted pieces, lone pieces, bare kings.
const GOLDEN: &str = include_str!("golden/position_1.tsv");

#[test]
fn golden_vectors_have_not_changed() {
    assert_eq!(layout::LAYOUT_VERSION, 1, "another version has another file of golden vectors");
    let mut rows = 0;
    for line in GOLDEN.lines() {
        let (fen, cells) = line.split_once('\t').unwrap();
        let golden: Vec<f32> = cells.split('\t').map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(of(&Position::from_fen(fen).unwrap()).as_slice(), golden.as_slice(), "{fen}");
        rows += 1;
    }
    assert_eq!(rows, 36);
}

/// Writes the golden vectors anew, by the slow version: `cargo test -p feature_maps -- --ignored write_golden`.
#[test]
#[ignore = "rewrites tests/golden/position_1.tsv"]
fn write_golden() {
    let mut text = String::new();
    for line in GOLDEN.lines() {
        let fen = line.split('\t').next().unwrap();
        text.push_str(fen);
        for value in slow::features(fen, Scan::FromBackRank) {
            text.push_str(&format!("\t{value}"));
        }
        text.push('\n');
    }
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/position_1.tsv"), text).unwrap();
}
