use super::*;

fn command(line: &str) -> Command {
    let line = parse(line);
    assert!(line.complaints.is_empty(), "{:?}", line.complaints);
    line.command.expect("a command")
}

fn go(line: &str) -> (Go, usize) {
    let line = parse(line);
    match line.command {
        Some(Command::Go(go)) => (*go, line.complaints.len()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn unknown_words_before_a_command_are_skipped() {
    assert_eq!(command("joho  isready"), Command::IsReady);
    assert_eq!(command("\tstop now"), Command::Stop);
    assert_eq!((command("debug on"), command("debug off")), (Command::Debug(true), Command::Debug(false)));
    let line = parse("debug maybe");
    assert_eq!((line.command, line.complaints.len()), (None, 2));
    assert_eq!(parse("joho debugg").complaints, ["unknown command 'joho debugg'"]);
    assert_eq!(parse("  \r"), Line::default());
}

#[test]
fn positions_keep_their_fen_and_moves() {
    let fen = Some("8/8/8/8/8/8/8/K1k5 w - -".to_owned());
    let moves = vec!["a1a2".to_owned()];
    assert_eq!(command("position fen 8/8/8/8/8/8/8/K1k5  w - - moves a1a2"), Command::Position(Setup { fen, moves }));
    assert_eq!(command("position startpos"), Command::Position(Setup::default()));
    let line = parse("position here startpos there moves");
    assert_eq!(line.command, Some(Command::Position(Setup::default())));
    assert_eq!(line.complaints.len(), 2);
    assert!(parse("position e2e4").complaints[1].starts_with("position: neither 'startpos' nor 'fen' was found"));
}

#[test]
fn go_reads_every_parameter() {
    let text = "go wtime -5 btime 2 winc 3 binc 4 movestogo 5 movetime 6 depth 7 nodes 8 mate 9 infinite ponder \
                searchmoves e2e4 d2d4";
    let all = Go {
        is_limited: true,
        is_timed: true,
        wtime: Some(-5),
        btime: Some(2),
        winc: Some(3),
        binc: Some(4),
        movestogo: Some(5),
        movetime: Some(6),
        depth: Some(7),
        nodes: Some(8),
        mate: Some(9),
        infinite: true,
        ponder: true,
        searchmoves: vec!["e2e4".into(), "d2d4".into()],
    };
    assert_eq!(go(text), (all, 0));
    let (after_moves, _) = go("go searchmoves e2e4 depth 3");
    assert_eq!((after_moves.searchmoves.len(), after_moves.depth), (1, Some(3)));
}

#[test]
fn bad_numbers_are_left_out_with_a_complaint() {
    let limited = || Go { is_limited: true, ..Go::default() };
    assert_eq!(go("go depth x nodes 5"), (Go { nodes: Some(5), ..limited() }, 1));
    assert_eq!(go("go depth nodes 5"), (Go { nodes: Some(5), ..limited() }, 1));
    assert_eq!(go("go nodes -1 what"), (limited(), 2));
    assert!(!go("go infinite ponder searchmoves e2e4").0.is_limited);
    assert_eq!(go("go nodes 99999999999999999999").0.nodes, Some(i64::MAX as u64));
    assert_eq!(go("go wtime -99999999999999999999").0.wtime, Some(i64::MIN));
    assert_eq!(go("go depth 4294967296").0.depth, Some(u32::MAX));
}

#[test]
fn option_names_and_values_may_hold_spaces() {
    let set =
        |name: &str, value: Option<&str>| Command::SetOption { name: name.into(), value: value.map(str::to_owned) };
    assert_eq!(command("setoption name Clear Hash"), set("Clear Hash", None));
    assert_eq!(command("setoption name Move  Overhead value 30"), set("Move Overhead", Some("30")));
    assert_eq!(command("setoption name EvalFile value a  b value c "), set("EvalFile", Some("a  b value c")));
    assert_eq!(command("setoption name EvalFile value"), set("EvalFile", Some("")));
    let complaints = parse("setoption value 3").complaints;
    assert_eq!(complaints.last().unwrap(), "setoption: the name of the option is missing");
}
