//! The report: one page that needs nothing else, from logs of any kind.

use crate::checkpoint;
use crate::options;
use crate::row;
use crate::save;
use crate::sentence;
use crate::trained_by_another;
use learn::report::{Run, figure_4, html};
use learn::run::folder::log_path;
use learn::run::history::History;
use learn::tasks::td_leaf::td_leaf_checkpoint::Checkpoint;
use learn::tasks::td_leaf::td_leaf_folder::RunFolder;
use learn::tasks::td_leaf::td_leaf_log::Row;
use std::fs;
use std::path::Path;

fn run(path: &Path, rows: impl Iterator<Item = Row>) {
    let mut folder = RunFolder::create(path, &options()).unwrap();
    rows.for_each(|row| folder.log(&row).unwrap());
}

#[test]
fn the_page_shows_every_number_and_needs_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), (1..=2_000).map(row));
    let page = html(&[Run::read(folder.path()).unwrap()]).unwrap();
    assert_eq!(page.matches("<svg").count(), 11, "all figures but that of the built-in suite, which was not measured");
    assert!(page.contains("Score in the built-in suite: not measured yet."));
    for part in [
        "thesis, Figure 4",
        "minutes of training",
        "STS 6,010 to 8,000",
        "keep_checkpoints, topology",
        "lambda = 0.7",
        "6,144,000",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("<tr class=\"best\"><td>2,000</td>"), "the best of the scores");
    // Nothing is fetched and nothing runs; the only address is the name of SVG.
    let addresses = page.matches("://").count();
    assert_eq!(addresses, page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
    for foreign in ["<script", "<link", "src=", "@import", "url(", "NaN", "inf "] {
        assert!(!page.contains(foreign), "{foreign}");
    }
}

#[test]
fn a_score_is_drawn_where_it_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let row = |iteration: u64, sts| Row { iteration, seconds: iteration as f64, sts, ..row(iteration) };
    run(folder.path(), [row(1, None), row(50, Some(6_000.0)), row(100, Some(9_500.0))].into_iter());
    let page = html(&[Run::read(folder.path()).unwrap()]).unwrap();
    let figure = page.split("<svg").nth(1).unwrap();
    let alone = figure_4(&[Run::read(folder.path()).unwrap()]).unwrap();
    assert!(alone.starts_with("<svg") && alone.ends_with("</svg>\n") && page.contains(alone.trim()), "{alone}");
    let circles: Vec<(i32, i32)> = figure
        .split("<circle ")
        .skip(1)
        .map(|circle| {
            let number =
                |key: &str| circle.split(&format!("{key}=\"")).nth(1).unwrap().split('"').next().unwrap().parse();
            (number("cx").unwrap(), number("cy").unwrap())
        })
        .collect();
    let [(x1, y1), (x2, y2)] = circles.as_slice() else { panic!("{circles:?}") };
    assert!(x1 < x2 && y1 > y2, "later and higher, which SVG counts downwards: {circles:?}");
}

#[test]
fn several_runs_lie_over_each_other_and_odd_numbers_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (folder.path().join("one"), folder.path().join("<i>&other"));
    run(&one, (1..=30).map(row));
    let odd = |iteration| Row {
        loss: f64::NAN,
        material_correlation: f64::INFINITY,
        gradient_norm: 0.0,
        searches_per_second: 1e300,
        seconds: 0.0,
        ..row(iteration)
    };
    run(&other, (1..=3).map(odd));
    let page = html(&[Run::read(&one).unwrap(), Run::read(&other).unwrap()]).unwrap();
    assert!(!page.contains("<i>&other") && page.contains("&lt;i&gt;&amp;other"));
    assert_eq!(page.matches("<h2>Milestones").count(), 2);
    assert!(html(&[Run::read(&other).unwrap()]).unwrap().contains("Training loss: not measured yet."));
}

#[test]
fn a_mixed_training_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), (1..=3).map(row));
    let page = || html(&[Run::read(folder.path()).unwrap()]).unwrap();
    assert!(!page().contains("learn differently"), "without a checkpoint nothing is known");
    for (history, shown) in [(History::begin(), false), (trained_by_another().continued(3, true).unwrap(), true)] {
        fs::remove_dir_all(folder.path()).unwrap();
        let mut run = RunFolder::create(folder.path(), &options()).unwrap();
        run.log(&row(1)).unwrap();
        let sentence = history.sentence();
        save(&mut run, &Checkpoint { history, ..checkpoint(4) }).unwrap();
        assert_eq!(
            page().contains(&format!(
                "Mixed training (--mixed): programs that learn differently train this run: {sentence}</p>"
            )),
            shown,
            "{sentence}"
        );
    }
}

#[test]
fn logs_that_cannot_be_drawn_have_their_sentences() {
    let folder = tempfile::tempdir().unwrap();
    assert!(sentence(Run::read(folder.path())).contains("holds no run"));
    run(folder.path(), std::iter::empty());
    assert!(sentence(Run::read(folder.path())).contains("has no finished iteration yet"));
    fs::write(log_path(folder.path()), "iteration,seconds\n1,2\n").unwrap();
    assert!(sentence(Run::read(folder.path())).contains("log.csv is not a training log"));
    fs::remove_file(log_path(folder.path())).unwrap();
    assert!(sentence(Run::read(folder.path())).contains("log.csv: No such file"));
}
