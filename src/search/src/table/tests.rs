use super::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn entry(value: f32, depth: u8) -> Entry {
    let best = Some(Move { from: Square::E7, to: Square::E8, promotion: Some(Piece::Knight) });
    Entry {
        value: Value::from_evaluation(value),
        bound: Bound::Lower,
        depth,
        best,
        evaluation: Some(-0.25),
        was_open: false,
    }
}

#[test]
fn a_stored_entry_is_found_unchanged() {
    let table = Table::new(1).unwrap();
    let key = 0x1234_5678_9abc_def0;
    assert_eq!(table.probe(key), None);
    for bound in BOUNDS {
        let entry = Entry { bound, ..entry(0.5, 200) };
        table.store(key, 7, entry);
        assert_eq!(table.probe(key), Some(entry));
    }
    let quiet = Entry { was_open: true, best: None, evaluation: None, bound: Bound::Exact, ..entry(-1.0, 0) };
    table.store(!key, 0, quiet);
    assert_eq!(table.probe(!key), Some(quiet));
}

#[test]
fn a_position_that_was_open_stays_so_as_long_as_it_is_known() {
    let table = Table::new(1).unwrap();
    table.store(3, 0, Entry { was_open: true, ..entry(0.5, 10) });
    table.store(3, 0, entry(0.1, 12));
    assert_eq!(table.probe(3), Some(Entry { was_open: true, ..entry(0.1, 12) }));
}

#[test]
fn a_mate_is_stored_from_its_node() {
    let table = Table::new(1).unwrap();
    table.store(1, 5, Entry { value: Value::mates_at(9), ..entry(0.0, 1) });
    assert_eq!(table.probe(1).unwrap().value, Value::mates_at(4));
}

#[test]
fn a_mate_of_the_table_is_counted_from_the_root_of_the_search_that_reads_it() {
    let table = Table::new(1).unwrap();
    for (value, at, read) in [
        (Value::mates_at(9), Value::mates_at(7), Value::mates_at(4)),
        (Value::mated_at(8), Value::mated_at(6), Value::mated_at(3)),
    ] {
        table.store(1, 5, Entry { value, bound: Bound::Exact, ..entry(0.0, 1) });
        let found = table.probe(1).unwrap();
        assert_eq!(found.cutoff(1, Window::FULL, 3), Some(at));
        assert_eq!(found.cutoff(1, Window::FULL, 0), Some(read));
        assert_eq!(found.cutoff(2, Window::FULL, 3), None, "it was not searched as deep");
    }
}

#[test]
fn an_entry_improves_an_evaluation_on_which_it_is_a_better_bound() {
    let of = |bound, value| Entry { value, bound, ..entry(0.0, 1) };
    let (low, middle, high) = (Value::from_evaluation(-0.5), Value::DRAW, Value::from_evaluation(0.5));
    for (bound, value, improved) in [
        (Bound::Exact, low, true),
        (Bound::Exact, high, true),
        (Bound::Lower, low, false),
        (Bound::Lower, middle, false),
        (Bound::Lower, high, true),
        (Bound::Upper, low, true),
        (Bound::Upper, middle, false),
        (Bound::Upper, high, false),
        (Bound::Lower, Value::mates_at(3), false),
        (Bound::Exact, Value::mated_at(3), false),
    ] {
        assert_eq!(of(bound, value).improved(middle), improved.then_some(value), "{bound:?} {value:?}");
    }
}

#[test]
fn no_other_position_of_a_bucket_is_taken_for_this_one() {
    let table = Table::with_kilobytes(1).unwrap();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    (0..1_000).for_each(|_| table.store(random.random(), 0, entry(0.5, 10)));
    assert_eq!(table.hashfull(), 1000);
    // Each is compared with the four entries of its bucket, by 32 bits: 100,000 find one in 10,000 such tests.
    let strangers = (0..100_000).filter(|_| table.probe(random.random()).is_some()).count();
    assert!(strangers == 0, "{strangers} of 100,000");
}

#[test]
fn entries_have_the_whole_table_to_themselves() {
    let table = Table::new(1).unwrap();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    // One for each bucket of four: hardly any bucket is asked for more than it holds.
    let keys: Vec<u64> = (0..(1 << 20) / BUCKET_BYTES).map(|_| random.random()).collect();
    keys.iter().for_each(|key| table.store(*key, 0, entry(0.5, 10)));
    let found = keys.iter().filter(|key| table.probe(**key).is_some()).count();
    assert!(found * 100 > keys.len() * 98, "{found} of {}", keys.len());
    assert!((220..280).contains(&table.hashfull()), "{} per mille", table.hashfull());
}

#[test]
fn a_full_bucket_gives_up_its_shallowest_and_oldest_entry() {
    let table = Table::with_bytes(BUCKET_BYTES).unwrap();
    for key in 0..4 {
        table.store(key, 0, entry(0.0, 10 + key as u8));
    }
    table.store(4, 0, entry(0.0, 9));
    assert_eq!(table.probe(0), None);
    assert!((1..=4).all(|key| table.probe(key).is_some()));
    assert_eq!(table.hashfull(), 1000);
    table.next_search();
    table.store(5, 0, entry(0.0, 5));
    assert_eq!(table.probe(4), None);
    table.store(6, 0, entry(0.0, 5));
    assert_eq!((table.probe(1), table.probe(5).is_some()), (None, true));
}

#[test]
fn a_much_deeper_entry_of_the_same_position_is_kept() {
    let table = Table::new(1).unwrap();
    table.store(3, 0, entry(0.5, 100));
    table.store(3, 0, entry(0.1, 20));
    assert_eq!(table.probe(3).unwrap().depth, 100);
    table.store(3, 0, Entry { bound: Bound::Exact, ..entry(0.1, 20) });
    assert_eq!(table.probe(3).unwrap().depth, 20);
}

#[test]
fn every_move_comes_back_from_its_bits() {
    for (from, to) in Square::ALL.into_iter().flat_map(|from| Square::ALL.map(|to| (from, to))) {
        for promotion in [None, Some(Piece::Knight), Some(Piece::Bishop), Some(Piece::Rook), Some(Piece::Queen)] {
            let mv = (from != to).then_some(Move { from, to, promotion });
            for was_open in [false, true] {
                let stored = Entry { best: mv, was_open, ..entry(0.5, 1) };
                let (tag, data) = pack(0x1234_5678_9abc_def0, 63, stored);
                assert_eq!((unpack(tag, data), generation_of(data)), (stored, 63));
            }
        }
    }
}

#[test]
fn a_draft_is_two_steps_a_ply_within_its_byte() {
    assert_eq!([-3, 0, 1, 7, 127, 128, 1_000].map(Entry::draft), [1, 1, 2, 14, 254, 255, 255]);
    assert_eq!([1, 2, 3, 14, 255].map(|depth| entry(0.0, depth).plies()), [0, 1, 1, 7, 127]);
}

#[test]
fn an_entry_cuts_off_as_deep_as_it_was_searched_where_its_bound_settles_the_window() {
    let of = |bound, value| Entry { bound, ..entry(value, 10) };
    let window = Window::around(Value::DRAW, 0.25);
    for (bound, value, settles) in [
        (Bound::Exact, 0.0, true),
        (Bound::Lower, 0.25, true),
        (Bound::Lower, 0.0, false),
        (Bound::Lower, -0.5, false),
        (Bound::Upper, -0.25, true),
        (Bound::Upper, 0.0, false),
        (Bound::Upper, 0.5, false),
    ] {
        let found = [9, 10, 11].map(|depth| of(bound, value).cutoff(depth, window, 5));
        let value = settles.then_some(Value::from_evaluation(value));
        assert_eq!(found, [value, value, None], "{bound:?} {value:?}");
    }
}

#[test]
fn a_bound_gives_way_to_no_other_of_the_same_search_that_is_much_shallower() {
    let table = Table::with_bytes(BUCKET_BYTES).unwrap();
    let depth = |table: &Table| table.probe(7).map(|found| found.depth);
    table.store(7, 0, entry(0.5, 29));
    table.store(7, 0, entry(0.5, 20));
    assert_eq!(depth(&table), Some(29));
    table.store(7, 0, entry(0.5, 21));
    assert_eq!(depth(&table), Some(21), "eight steps are not more than eight");
    table.next_search();
    table.store(7, 0, Entry { best: None, ..entry(0.5, 2) });
    assert_eq!(table.probe(7), Some(entry(0.5, 2)), "of an earlier search; its move stays");
    table.store(7, 0, Entry { was_open: true, ..entry(0.5, 2) });
    table.store(7, 0, Entry { was_open: true, ..entry(0.5, 2) });
    assert!(table.probe(7).unwrap().was_open);
}

#[test]
fn of_entries_worth_the_same_the_first_is_replaced_and_the_ages_come_round() {
    let table = Table::with_bytes(BUCKET_BYTES).unwrap();
    (1..=4).for_each(|key| table.store(key, 0, entry(0.0, 10)));
    table.store(5, 0, entry(0.0, 10));
    assert_eq!([1, 2, 3, 4, 5].map(|key| table.probe(key).is_some()), [false, true, true, true, true]);
    // 62 searches old: 300 steps less than at present.
    (0..62).for_each(|_| table.next_search());
    table.store(6, 0, entry(0.0, 1));
    assert_eq!([5, 2, 3, 4, 6].map(|key| table.probe(key).is_some()), [false, true, true, true, true]);
    assert_eq!(table.hashfull(), 250);
    // With the 64th search the generation is the first again.
    (0..2).for_each(|_| table.next_search());
    assert_eq!(table.hashfull(), 750);
}

#[test]
fn a_table_tells_how_full_it_is_and_is_empty_when_cleared() {
    let mut table = Table::with_bytes(4 * BUCKET_BYTES).unwrap();
    // The key's two highest bits are the bucket's number.
    for key in [1 << 62 | 1, 3 << 62 | 2, 3 << 62 | 3] {
        table.store(key, 0, entry(0.5, 10));
    }
    assert_eq!(table.hashfull(), 187, "three of sixteen");
    table.next_search();
    assert_eq!(table.hashfull(), 0, "none is of this search");
    table.store(2 << 62, 0, entry(0.5, 10));
    assert_eq!(table.hashfull(), 62);
    table.clear();
    assert_eq!((table.hashfull(), table.probe(2 << 62), table.probe(1 << 62 | 1)), (0, None, None));
    table.store(2 << 62, 0, entry(0.5, 10));
    assert_eq!(table.hashfull(), 62);
}

#[test]
fn a_table_too_large_for_any_memory_is_refused() {
    let refused = Table::new(usize::MAX).err().map(|error| error.to_string());
    assert_eq!(refused, Some(format!("cannot allocate a transposition table of {} MB", usize::MAX)));
}
