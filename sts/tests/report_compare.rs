//! The comparison of two runs, checked against hand computation.

mod report_support;

use report_support::{engine, first, position, repeated, run, second};
use sts::{
    report::{compare, json},
    result::{PositionResult, SuiteResult},
};

/// Whether some line of `text` has exactly these words.
fn has_line(text: &str, words: &[&str]) -> bool {
    text.lines().any(|line| line.split_whitespace().eq(words.iter().copied()))
}

#[test]
fn gains_and_losses_by_hand() {
    // Changes −2, +4, +5 and 0: mean 1.75; squares 14.0625 + 5.0625 + 10.5625 + 3.0625 = 32.75; deviation 3.3040;
    // error 1.6520; z 1.0593; p 0.2895. Two of three gained: p = 1.
    let old = run(vec![engine(
        "x",
        vec![
            position(1, 10, None, 0.1),
            position(2, 3, None, 0.1),
            position(3, 0, None, 0.1),
            position(4, 7, None, 0.1),
        ],
    )]);
    let mut new = old.clone();
    for (position, points) in new.engines[0].positions.iter_mut().zip([8, 7, 5, 7]) {
        (position.points, position.played) = (points, Some("d2d4".into()));
    }
    let text = compare(&new, &json(&old)).unwrap();
    assert!(has_line(&text, &["time", "7", "12", "+5", "1", "0"]), "{text}");
    assert!(has_line(&text, &["space", "13", "15", "+2", "1", "1"]), "{text}");
    assert!(has_line(&text, &["total", "20", "27", "+7", "2", "1"]), "{text}");
    assert!(text.find("time").unwrap() < text.find("space").unwrap(), "the larger gain comes first");
    let verdict = "+1.7500 points, standard error 1.6520, z = 1.06, p = 0.2895 (two-sided).";
    assert!(text.contains(verdict), "{text}");
    assert!(text.contains("Sign test: 2 positions gained, 1 position lost, p = 1.0000."), "{text}");
    let (gains, losses) = (text.find("Gains").unwrap(), text.find("Losses").unwrap());
    let place = |line: &str| text.find(line).unwrap_or_else(|| panic!("no {line} in\n{text}"));
    assert!(gains < place("position 3") && place("position 3") < place("position 2"), "the largest first:\n{text}");
    assert!(losses < place("position 1") && !text.contains("position 4"), "{text}");
    assert!(has_line(&text, &["position", "1", "1", "-2", "e2e4", "10", "d2d4", "8"]), "{text}");
}

#[test]
fn repetitions_count_as_their_mean() {
    let old = SuiteResult { repetitions: 2, ..run(vec![repeated("x", &[0, 10])]) };
    let text = compare(&run(vec![repeated("x", &[10])]), &json(&old)).unwrap();
    assert!(has_line(&text, &["total", "5", "10", "+5", "1", "0"]), "{text}");
}

#[test]
fn a_run_compared_with_itself_has_no_change() {
    let result = run(vec![first(), second()]);
    let text = compare(&result, &json(&result)).unwrap();
    assert_eq!(text.matches("no position changed").count(), 2, "each engine against its namesake:\n{text}");
    assert!(!text.contains("Gains") && !text.contains("Losses") && !text.contains("limits differ"), "{text}");
}

#[test]
fn an_engine_without_a_namesake_is_compared_with_the_first() {
    let text = compare(&run(vec![second()]), &json(&run(vec![first()]))).unwrap();
    assert!(text.starts_with("second now, first before, on 4 positions\n"), "{text}");
    assert!(text.contains("fault"), "the faulty answer is named so:\n{text}");
}

#[test]
fn long_lists_are_cut_and_the_rest_counted() {
    let of = |points| run(vec![engine("x", (1..=20).map(|line| position(line, points, None, 0.1)).collect())]);
    let text = compare(&of(10), &json(&of(0))).unwrap();
    assert!(text.contains("and 5 more\n"), "{text}");
    assert!(text.contains("too few different changes for a standard error"), "{text}");
    // 2 / 2^20.
    assert!(text.contains("20 positions gained, 0 positions lost, p < 0.0001"), "{text}");
}

#[test]
fn other_limits_are_noted_and_only_common_positions_count() {
    let old = SuiteResult { limits: "100 ms a position".into(), ..run(vec![first()]) };
    let mut new = run(vec![second()]);
    new.engines[0].positions.truncate(3);
    let text = compare(&new, &json(&old)).unwrap();
    assert!(
        text.starts_with("Note: the limits differ: 100 ms a position before, 1000 nodes a position now.\n"),
        "{text}"
    );
    assert!(text.contains("on 3 positions\nNot compared: 1 position that only one of them answered."), "{text}");
    new.engines[0].positions.iter_mut().for_each(|position| position.line += 10);
    let refusal = compare(&new, &json(&old)).unwrap_err().to_string();
    assert!(refusal.starts_with("the runs of ") && refusal.ends_with(" have no position in common"), "{refusal}");
}

#[test]
fn incomparable_runs_are_refused() {
    let result = run(vec![first()]);
    let other = SuiteResult { suite_sha256: "f".repeat(64), suite: "other.epd".into(), ..result.clone() };
    let refusal = compare(&result, &json(&other)).unwrap_err().to_string();
    let expected =
        "the runs are of different suites, other.epd (SHA-256 ffffffffffff) and four.epd (SHA-256 0123456789ab)";
    assert_eq!(refusal, expected);
    let refusal = |new: &SuiteResult, old: &str| compare(new, old).unwrap_err().to_string();
    assert_eq!(refusal(&result, "{}"), "the older report has schema none; this program reads schemas 1 to 2");
    assert_eq!(refusal(&result, &json(&run(vec![]))), "the older run has no engines");
    assert_eq!(refusal(&run(vec![]), &json(&result)), "the newer run has no engines");
}

#[test]
fn a_whole_comparison_by_hand() {
    // The changes of `gains_and_losses_by_hand`, with half a point more for one of two answers to the first position.
    let positions =
        |points: [u32; 4]| (1..=4).zip(points).map(|(line, points)| position(line, points, None, 0.1)).collect();
    let old = run(vec![engine("x", positions([10, 3, 0, 7]))]);
    let mut new = run(vec![engine("x", positions([8, 7, 5, 7]))]);
    let again = PositionResult { repetition: 2, played: Some("d2d4".into()), ..position(1, 9, None, 0.1) };
    new.engines[0].positions.push(again);
    // -1.5, 4, 5 and 0: mean 1.875; squares 11.390625 + 4.515625 + 9.765625 + 3.515625 = 29.1875; over 3 and 4:
    // 2.432292, root 1.559581; z = 1.202246; a normal distribution has 22.93 % beyond.
    let expected = "\
x now, x before, on 4 positions

theme  before   now  change  gains  losses
time        7    12      +5      1       0
space      13  15.5    +2.5      1       1
total      20  27.5    +7.5      2       1

Mean change per position: +1.8750 points, standard error 1.5596, z = 1.20, p = 0.2293 (two-sided).
Sign test: 2 positions gained, 1 position lost, p = 1.0000.

Gains, the largest first:
position    line  change  before      now
position 3     3      +5    e2e4  0  e2e4  5
position 2     2      +4    e2e4  3  e2e4  7

Losses, the largest first:
position    line  change  before            now
position 1     1    -1.5    e2e4  10  e2e4/d2d4  8.5
";
    assert_eq!(compare(&new, &json(&old)).unwrap(), expected);
    // Without a gain or a loss, and with a list that is just full.
    let of = |points| run(vec![engine("x", (1..=15).map(|line| position(line, points, None, 0.1)).collect())]);
    let text = compare(&of(3), &json(&of(5))).unwrap();
    assert!(
        !text.contains("Gains") && !text.contains("more\n") && text.contains("Mean change per position: -2.0000"),
        "{text}"
    );
    // 2 / 2^15 = 0.00006; with two positions less it is 0.0002.
    assert!(
        text.ends_with("position 15    15      -2    e2e4  5  e2e4  3\n") && text.contains("lost, p < 0.0001."),
        "{text}"
    );
    let mut fewer = of(3);
    fewer.engines[0].positions.truncate(13);
    assert!(compare(&fewer, &json(&of(5))).unwrap().contains("lost, p = 0.0002."));
}
