//! The log: rows come back as they were, whatever is left at its end is cut, and nothing else is taken for one.

use crate::row;
use crate::sentence;
use learn::tasks::td_leaf::td_leaf_log::{TrainingLog, read};
use std::fs;
use std::io::Write;

#[test]
fn rows_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.csv");
    let mut log = TrainingLog::open(&path, 0).unwrap();
    for iteration in 1..=25 {
        log.append(&row(iteration)).unwrap();
        assert_eq!(read(&path).unwrap().len() as u64, iteration, "written at once");
    }
    assert_eq!(read(&path).unwrap(), (1..=25).map(row).collect::<Vec<_>>());
}

#[test]
fn a_resumed_log_is_that_of_a_run_that_never_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole.csv"), folder.path().join("cut.csv"));
    let append = |path, from, to| {
        let mut log = TrainingLog::open(path, from).unwrap();
        (from + 1..=to).for_each(|iteration| log.append(&row(iteration)).unwrap());
    };
    append(&whole, 0, 12);
    let expected = fs::read(&whole).unwrap();
    // Stopped after many numbers of bytes (every append waits for the disk), and continued from iterations that the log has.
    for length in (0..=expected.len()).step_by(29) {
        fs::write(&cut, &expected[..length]).unwrap();
        let rows = read(&cut).map_or(0, |rows| rows.len() as u64);
        for iteration in [0, rows / 2, rows] {
            fs::write(&cut, &expected[..length]).unwrap();
            append(&cut, iteration, 12);
            assert_eq!(fs::read(&cut).unwrap(), expected, "{length} bytes, from {iteration}");
        }
    }
}

#[test]
fn rows_that_a_failing_system_damaged_after_the_checkpoint_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.csv");
    let mut log = TrainingLog::open(&path, 0).unwrap();
    (1..=5).for_each(|iteration| log.append(&row(iteration)).unwrap());
    log.sync().unwrap();
    drop(log);
    let whole = fs::read_to_string(&path).unwrap();
    let five = whole.lines().last().unwrap();
    let damaged = whole.replacen(five, "\0\0\0,half of a row", 1) + "\0\0";
    for (iteration, good) in [(3, true), (4, true), (5, false)] {
        fs::write(&path, &damaged).unwrap();
        let opened = TrainingLog::open(&path, iteration);
        if good {
            let mut log = opened.unwrap();
            (iteration + 1..=5).for_each(|iteration| log.append(&row(iteration)).unwrap());
            drop(log);
            assert_eq!(fs::read_to_string(&path).unwrap(), whole, "from {iteration}");
        } else {
            assert!(sentence(opened).contains("line 6 of "), "the checkpoint's row is needed");
        }
    }
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.csv");
    let mut log = TrainingLog::open(&path, 0).unwrap();
    (1..=3).for_each(|iteration| log.append(&row(iteration)).unwrap());
    drop(log);
    let good = fs::read_to_string(&path).unwrap();
    let header = good.lines().next().unwrap();
    let lines = |from: usize| good.lines().skip(from).map(|line| format!("{line}\n")).collect::<String>();
    for (text, part) in [
        ("a,b\n1,2\n".to_owned(), "is not a training log"),
        (good.replacen("iteration", "generation", 1), "is not a training log"),
        (format!("{good}\n"), "damaged: it is empty"),
        (format!("{good}4,fast{}\n", ",1".repeat(12)), "damaged: seconds: invalid float literal"),
        (format!("{good}4,1\n"), "line 5 of "),
        (format!("{header}\n{}{}", lines(2), lines(1)), "damaged: iteration 1 comes after 3"),
    ] {
        fs::write(&path, &text).unwrap();
        for told in [sentence(read(&path)), sentence(TrainingLog::open(&path, 9))] {
            assert!(told.contains(part) && told.contains("log.csv"), "{told}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    let mut file = fs::File::create(&path).unwrap();
    file.write_all(&[good.as_bytes(), b"\xff\xfe\n"].concat()).unwrap();
    assert!(sentence(read(&path)).contains("line 5 of "));
    assert!(sentence(read(&folder.path().join("none.csv"))).contains("cannot read "));
}
