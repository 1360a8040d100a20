//! The points of moves, from every source and in every notation.

use sts::defect::Problem;
use sts::epd::EpdRecord;
use sts::points::Points;
use sts::suite::Suite;

const FEN: &str = "r3k2r/pppq1ppp/2n2n2/3pp3/3PP3/2N2N2/PPPQ1PPP/R3K2R w KQkq -";

fn read(operations: &str) -> (Option<Points>, Vec<Problem>, EpdRecord) {
    let record = EpdRecord::read(&format!("{FEN} {operations}")).unwrap();
    let mut problems = Vec::new();
    (Points::read(&record, &mut problems), problems, record)
}

/// The points of a move on a line without defects.
fn worth(operations: &str, mv: &str) -> u32 {
    let (points, problems, record) = read(operations);
    assert_eq!(problems, [], "{operations}");
    points.unwrap().of(record.position.parse_uci(mv).unwrap())
}

#[test]
fn every_source_of_points_is_read() {
    for source in [
        r#"c7 "dxe5 O-O-O Nxe5"; c8 "10 4 7";"#,
        r#"c9 "d4e5 e1c1 f3e5"; c8 "10 4 7";"#,
        r#"c0 "dxe5=10, O-O-O=4, Nxe5=7";"#,
        r#"bm O-O; c7 "dxe5, O-O-O, Nxe5"; c8 "10, 4, 7"; c0 "by hand";"#,
    ] {
        assert_eq!(["d4e5", "e1c1", "f3e5", "e1g1"].map(|mv| worth(source, mv)), [10, 4, 7, 0], "{source}");
        assert_eq!(read(source).0.unwrap().maximum(), 10);
    }
    let promotion = EpdRecord::read(r#"8/P7/8/8/8/8/k7/2K5 w - - c0 "a8=Q=10, a8=R=3, a8N=1";"#).unwrap();
    let points = Points::read(&promotion, &mut Vec::new()).unwrap();
    let worth = ["a7a8q", "a7a8r", "a7a8n", "a7a8b"].map(|mv| points.of(promotion.position.parse_uci(mv).unwrap()));
    assert_eq!(worth, [10, 3, 1, 0]);
}

#[test]
fn the_first_source_counts() {
    let line = r#"c7 "dxe5"; c8 "9"; c9 "f3e5"; c0 "exd5=8";"#;
    assert_eq!(["d4e5", "f3e5", "e4d5"].map(|mv| worth(line, mv)), [9, 0, 0]);
}

#[test]
fn moves_are_compared_independent_of_notation() {
    for castling in ["O-O", "0-0", "o-o", "e1g1", "e1h1", "O-O!"] {
        let line = format!(r#"c7 "{castling}"; c8 "5";"#);
        assert_eq!(["e1g1", "e1h1"].map(|mv| worth(&line, mv)), [5, 5], "{castling}");
    }
    for knight in ["Nxe5", "Nfxe5", "N3xe5", "Nf3xe5", "Nf3-e5", "Ne5", "f3e5", "Nxe5?!", "F3E5"] {
        assert_eq!(worth(&format!("bm {knight};"), "f3e5"), 1, "{knight}");
    }
}

#[test]
fn without_points_best_and_avoid_score_one() {
    let score = |line: &str| ["d4e5", "f3e5", "e1g1"].map(|mv| worth(line, mv));
    assert_eq!(score("bm dxe5 Nxe5;"), [1, 1, 0]);
    assert_eq!(score("am dxe5;"), [0, 1, 1]);
    assert_eq!(score("bm dxe5 Nxe5; am Nxe5;"), [1, 0, 0]);
    assert_eq!(score(r#"bm dxe5; c0 "mate in 3, perhaps"; c7 "a"; c8 "a comment";"#), [1, 0, 0]);
}

#[test]
fn a_move_listed_twice_has_its_first_points() {
    let (points, problems, record) = read(r#"c7 "dxe5 e1g1 O-O"; c8 "10 3 6"; c9 "d4e5 e1g1 e1h1";"#);
    assert_eq!(points.unwrap().of(record.position.parse_san("O-O").unwrap()), 3);
    assert_eq!(problems, [Problem("O-O is listed twice, with 3 and with 6 points; the first counts".to_owned())]);
}

#[test]
fn invalid_points_are_reported_and_do_not_fall_back_to_bm() {
    let told = |line: &str| {
        let (points, problems, _) = read(line);
        assert_eq!(problems.len(), 1, "{line}: {problems:?}");
        (points, problems[0].to_string())
    };
    let (points, sentence) = told(r#"bm dxe5; c7 "dxe5 Nxe5"; c8 "10";"#);
    assert_eq!((points, sentence.as_str()), (None, "c7 has 2 moves for the 1 points of c8; it is ignored"));
    for wrong in ["-3", "10001", "1.5", "many"] {
        let (points, sentence) = told(&format!(r#"c7 "dxe5 Nxe5"; c8 "10 {wrong}";"#));
        let expected = format!("the opcode c8 has {wrong:?} instead of points from 0 to 10000");
        assert_eq!((points, sentence), (None, expected));
    }
    let (points, sentence) = told(r#"c0 "dxe5=10, Nxe5";"#);
    assert_eq!(points.unwrap().listed().len(), 1);
    assert_eq!(sentence, "the opcode c0 has \"Nxe5\" instead of points from 0 to 10000");
    let (points, sentence) = told(r#"c7 "dxe5 Qh8"; c8 "10 3";"#);
    assert_eq!(points.unwrap().listed().len(), 1);
    assert!(sentence.starts_with("the opcode c7 has a wrong move: \"Qh8\" is not a legal move"), "{sentence}");
    assert_eq!(read("id x;").0, None);
    assert_eq!(read(r#"c7 "dxe5"; c8 "0";"#).0, None);
}

#[test]
fn a_suite_keeps_its_usable_positions() {
    let text = format!(
        "{FEN} bm dxe5; id \"A.1\";\nnonsense\n{FEN} id \"A.2\";\n{FEN} bm Qxh9;\n7k/5QK1/8/8/8/8/8/8 b - - bm Kg8;\n"
    );
    let suite = Suite::read("some.epd", text.as_bytes()).unwrap();
    assert_eq!(suite.positions.len(), 1);
    let defects: Vec<_> = suite.defects.iter().map(ToString::to_string).collect();
    assert_eq!(defects[0], "line 2: the board has 1 rank instead of 8");
    assert_eq!(defects[1], "line 3: the line gives no points to any legal move; it is left out");
    assert!(defects[2].starts_with("line 4: the opcode bm has a wrong move: \"Qxh9\" is not a move"));
    assert_eq!(defects[3], "line 4: the line gives no points to any legal move; it is left out");
    assert_eq!(suite.defects.len(), 5, "{defects:?}");
}

#[test]
fn a_suite_without_a_position_is_refused() {
    let empty = Suite::read("x.epd", b"# nothing\n").unwrap_err().to_string();
    assert_eq!(empty, "the suite x.epd has no positions");
    let sentence = Suite::read("x.epd", b"\nnonsense").unwrap_err().to_string();
    let expected = "the suite x.epd has no usable position (first defect: line 2: the board has 1 rank instead of 8)";
    assert_eq!(sentence, expected);
}

#[test]
fn the_embedded_suite_has_no_defect() {
    let suite = Suite::embedded().unwrap();
    assert_eq!(suite.defects, []);
    assert_eq!((suite.positions.len(), suite.themes.len()), (336, 11));
    assert!(suite.positions.iter().all(|position| position.points.maximum() == 10 && !position.chess960));
}

#[test]
fn chess960_positions_are_recognized() {
    let text = "1rk3r1/8/8/8/8/8/6P1/1RK3R1 w BGbg - bm O-O; id \"F.1\";\nrk5r/8/8/8/8/8/8/RK5R w AHah - bm O-O;\n\
                r3k2r/8/8/8/8/8/8/R3K2R w HAha - bm O-O;\n1rk3r1/8/8/8/8/8/6P1/1RK3R1 w - - bm Kd2;\n";
    let suite = Suite::read("f.epd", text.as_bytes()).unwrap();
    let chess960: Vec<_> = suite.positions.iter().map(|position| position.chess960).collect();
    assert_eq!(chess960, [true, true, false, false]);
    assert_eq!(suite.themes, ["F", "f.epd"]);
}
