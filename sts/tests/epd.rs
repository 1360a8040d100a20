//! Parsing of EPD lines.

use board::Position;
use sts::defect::Problem;
use sts::epd::{self, EpdRecord, OperandValue, Operation};

const FOUR: &str = "r3k2r/pppq1ppp/2n2n2/3pp3/3PP3/2N2N2/PPPQ1PPP/R3K2R w KQkq -";

fn record(operations: &str) -> EpdRecord {
    EpdRecord::read(&format!("{FOUR} {operations}")).unwrap_or_else(|problem| panic!("{operations}: {problem}"))
}

fn problem(operations: &str) -> Problem {
    let read = EpdRecord::read(&format!("{FOUR} {operations}"));
    read.map_or_else(|problem| problem, |record| record.problems().into_iter().next().expect("something is wrong"))
}

fn operation(opcode: &str, operands: &[&str]) -> Operation {
    Operation { opcode: opcode.to_owned(), operands: operands.iter().map(|&text| text.to_owned()).collect() }
}

/// The value of the first operation, which must have no defect.
fn value(operations: &str) -> OperandValue {
    let record = record(operations);
    let mut problems = Vec::new();
    let value = record.operations[0].value(&record.position, &mut problems);
    assert_eq!(problems, [], "{operations}");
    value
}

#[test]
fn operands_are_quoted_or_not() {
    let record = record(r#"bm dxe5 Nxe5;id "semi;colon 1"; c0 "say \"no\" \\ yes" plain;noop;;  ce -35"#);
    let expected = [
        operation("bm", &["dxe5", "Nxe5"]),
        operation("id", &["semi;colon 1"]),
        operation("c0", &[r#"say "no" \ yes"#, "plain"]),
        operation("noop", &[]),
        operation("ce", &["-35"]),
    ];
    assert_eq!(record.operations, expected);
    assert_eq!(record.text("c0").unwrap(), r#"say "no" \ yes plain"#);
    assert_eq!(record.text("c1"), None);
    assert_eq!(self::record("").operations, []);
    assert_eq!(self::record("id STS 17").text("id").unwrap(), "STS 17");
    assert_eq!(self::record(r#"id"stuck""#).text("id").unwrap(), "stuck");
    assert_eq!(self::record(r#"c0 "C:\dir";"#).text("c0").unwrap(), r"C:\dir");
}

#[test]
fn fen_fields_are_four_or_six() {
    let counters = |line: &str| {
        let record = EpdRecord::read(line).unwrap();
        assert_eq!(record.text("id").as_deref(), Some("x"), "{line}");
        (record.position.halfmove_clock(), record.position.fullmove_number())
    };
    assert_eq!(counters(&format!("{FOUR} id x;")), (0, 1));
    assert_eq!(counters(&format!("{FOUR} 3 17 id x;")), (3, 17));
    assert_eq!(counters(&format!("{FOUR} 3 17; id x;")), (3, 17));
    assert_eq!(counters(&format!("{FOUR} hmvc 5; id x; fmvn 40;")), (5, 40));
    assert_eq!(counters(&format!("{FOUR} 3 17 id x; fmvn 40;")), (3, 40));
    assert_eq!(EpdRecord::read("8/8 w - -").unwrap_err().to_string(), "the board has 2 ranks instead of 8");
}

#[test]
fn operands_have_values_by_opcode() {
    let position = record("").position;
    let mv = |san| position.parse_san(san).unwrap();
    for opcode in ["bm", "am", "pm", "sm"] {
        assert_eq!(value(&format!("{opcode} O-O, dxe5!;")), OperandValue::Moves(vec![mv("O-O"), mv("dxe5")]));
    }
    let after = position.play(mv("dxe5"));
    let line = OperandValue::Variation(vec![mv("dxe5"), after.parse_san("Nxe5").unwrap()]);
    for text in ["pv dxe5 Nxe5", "pv 12.dxe5 Nxe5;", "pv \"12. d4xe5 12... c6e5\""] {
        assert_eq!(value(text), line, "{text}");
    }
    for opcode in ["acd", "acn", "acs", "ce", "dm", "fmvn", "hmvc", "rc"] {
        assert_eq!(value(&format!("{opcode} 12;")), OperandValue::Number(12));
    }
    assert_eq!(value("ce -320"), OperandValue::Number(-320));
    for opcode in ["id", "c0", "c9", "v3", "eco", "nic", "my_own"] {
        assert_eq!(value(&format!("{opcode} \"a; b\";")), OperandValue::Text("a; b".to_owned()));
    }
    for opcode in ["noop", "resign", "draw_accept", "draw_claim", "draw_offer", "draw_reject"] {
        assert_eq!(value(&format!("{opcode};")), OperandValue::Nothing);
    }
}

#[test]
fn every_defect_has_a_message() {
    let cases = [
        ("bm ;", "the opcode bm has no operand"),
        ("ce high;", "the opcode ce has \"high\" instead of a whole number"),
        ("dm;", "the opcode dm has no operand"),
        ("id \"open; bm e4;", "the quotation mark after id is never closed"),
        ("\"id\" x;", "\"\\\"id\\\" x;\" is not an opcode"),
        ("?! x;", "\"?! x;\" is not an opcode"),
        ("id a; id b;", "the opcode id appears more than once; only the first counts"),
    ];
    for (operations, sentence) in cases {
        assert_eq!(problem(operations).to_string(), sentence);
    }
    let told = problem("bm dxe5 Nb5 Ra1;").to_string();
    assert!(told.starts_with("the opcode bm has a wrong move: \"Ra1\" is not a legal move in the position "), "{told}");
    let told = problem("pv dxe5 Nxe5 Rxe9;").to_string();
    assert!(told.contains("\"Rxe9\" is not a move"), "{told}");
}

#[test]
fn all_line_ends_are_read_and_comments_are_skipped() {
    let text = "\u{feff}# a comment\r\n%another\n;a third\r\n\r\n   \t\n first \r\nsecond\n\nlast";
    let lines: Vec<_> = epd::lines(text.as_bytes()).map(|(line, text)| (line, text.into_owned())).collect();
    assert_eq!(lines, [(6, "first".to_owned()), (7, "second".to_owned()), (9, "last".to_owned())]);
    assert_eq!(epd::lines(b"").count(), 0);
}

#[test]
fn bytes_are_utf8_or_latin1() {
    let read = |bytes: &[u8]| epd::lines(bytes).next().unwrap().1.into_owned();
    assert_eq!(read("id \"Réti\"".as_bytes()), "id \"Réti\"");
    assert_eq!(read(b"id \"R\xE9ti\""), "id \"Réti\"");
}

#[test]
fn castling_rights_of_chess960_are_kept_with_the_counters() {
    let record = EpdRecord::read("1rk3r1/8/8/8/8/8/6P1/1RK3R1 w BGbg - hmvc 4; bm O-O;").unwrap();
    let expected = Position::from_fen("1rk3r1/8/8/8/8/8/6P1/1RK3R1 w BGbg - 4 1").unwrap();
    assert_eq!(record.position, expected);
    assert_eq!(record.problems(), []);
}
