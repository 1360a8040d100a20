//! Two threads write, a third reads, in the orders with at most three interruptions that loom can tell apart:
//! `RUSTFLAGS="--cfg loom" cargo test -p search --lib models`.

use super::*;
use loom::sync::Arc;
use loom::thread;

fn entry(value: f32, depth: u8, evaluation: f32) -> Entry {
    let value = Value::from_evaluation(value);
    Entry { value, bound: Bound::Exact, depth, best: None, evaluation: Some(evaluation), was_open: false }
}

/// Whatever is found of a key is whole what was stored for it, however the writers meet in its slot.
fn check(first: (u64, Entry), second: (u64, Entry), probed: u64) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let table = Arc::new(Table::with_bytes(BUCKET_BYTES).unwrap());
        let writers = [first, second].map(|(key, entry)| {
            let table = table.clone();
            thread::spawn(move || table.store(key, 0, entry))
        });
        let is_whole = |found: Option<Entry>| found.is_none_or(|found| [first, second].contains(&(probed, found)));
        assert!(is_whole(table.probe(probed)));
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        assert!(is_whole(table.probe(probed)));
    });
}

#[test]
fn two_results_of_a_position_are_not_mixed() {
    check((7, entry(0.5, 10, 0.25)), (7, entry(-0.5, 12, -0.75)), 7);
}

#[test]
fn results_of_two_positions_are_not_mixed() {
    check((7, entry(0.5, 10, 0.25)), (8, entry(-0.5, 12, -0.75)), 8);
}
