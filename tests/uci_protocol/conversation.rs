//! The conversation outside of searches, and what a search answers: the built program, driven through pipes.

use crate::client::{Client, best, field, number};
use std::time::{Duration, Instant};

#[test]
fn the_handshake_names_the_engine_and_its_options() {
    let mut client = Client::start(&[]);
    client.send("uci");
    let lines = client.read_until("uciok");
    assert!(lines[0].starts_with("id name Okapi "), "{lines:#?}");
    assert!(lines[1].starts_with("id author "), "{lines:#?}");
    for option in [
        "Hash type spin default 64 min 1 max ",
        "Clear Hash type button",
        "Threads type spin default 1 min 1 max ",
        "Move Overhead type spin default 10 min 0 max 5000",
        "nodestime type spin default 0 min 0 max 10000",
        "MultiPV type spin default 1 min 1 max 256",
        "Ponder type check default false",
        "UCI_Chess960 type check default false",
        "UCI_ShowWDL type check default false",
        "GameLog type string default <empty>",
        "EvalFile type string default <empty>",
        "PolicyFile type string default <empty>",
        "LinearPolicyFile type string default <empty>",
        "Evaluator type combo default network var network var linear var material",
        "Policy type combo default network var uniform var static var linear var network",
        "Search type combo default depth var probability var depth",
        "Selective type check default true",
    ] {
        let declared = |line: &String| line.starts_with(&format!("option name {option}"));
        assert!(lines.iter().any(declared), "{option} is not among {lines:#?}");
    }
    assert!(lines.iter().any(|line| line.starts_with("info string instruction set ")), "{lines:#?}");
    assert!(client.sync().is_empty());
    client.send("quit");
    assert!(client.exit_status().success());
}

#[test]
fn what_the_command_line_says_becomes_the_defaults() {
    let mut client = Client::start(&["uci", "--hash", "16", "--eval", "material", "--search", "depth"]);
    client.send("uci");
    let text = client.read_until("uciok").join("\n");
    for default in ["Hash type spin default 16 ", "combo default material ", "combo default depth "] {
        assert!(text.contains(default), "{text}");
    }
}

#[test]
fn case_does_not_matter() {
    let mut client = Client::with(&[]);
    client.send("Position StartPos Moves E2E4");
    assert!(client.fen().contains(" b "));
    assert_eq!(best(&client.go("GO Depth 1 SearchMoves E7E5")), "e7e5");
    client.send("SetOption Name hash Value 2");
    assert!(client.sync().is_empty());
}

#[test]
fn commands_beside_the_protocol_are_answered() {
    let mut client = Client::with(&["position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -"]);
    client.send("go perft 2");
    let lines = client.read_until("Nodes searched");
    assert_eq!(lines.last().unwrap(), "Nodes searched: 2039");
    assert!(lines.contains(&"e1g1: 43".to_owned()) && lines.len() == 50, "{lines:#?}");
    client.send("flip");
    assert!(client.fen().starts_with("r3k2r/pppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R b "));
    client.send("bench 1");
    let report = client.read_until("isa");
    let nodes = number(report.iter().find(|line| line.starts_with("nodes ")).unwrap(), "nodes").unwrap();
    assert!(client.expect(&format!("{nodes} nodes ")).ends_with(" nps"));
    client.send("compiler");
    assert!(client.expect("Okapi ").contains("rustc"));
    client.send("help");
    assert!(client.expect("Okapi ").contains("README.md"));
    client.send("exit");
    assert!(client.exit_status().success());
}

#[test]
fn a_count_hears_its_client_and_has_a_bound() {
    let mut client = Client::with(&[]);
    client.send("go perft 4000");
    assert_eq!(client.sync(), ["info string go: perft counts at most 30 plies, not 4000; nothing is counted"]);
    client.send("go perft 30");
    assert_eq!(client.sync(), [""; 0], "it is answered meanwhile");
    client.send("stop");
    assert_eq!(client.sync(), ["info string go: perft was stopped after 0 of 20 moves"]);
    assert_ne!(best(&client.go("go depth 1")), "(none)");
    client.send("go perft 30");
    client.send("quit");
    assert!(client.exit_status().success());
    // The end of the input ends no count.
    let mut client = Client::with(&[]);
    client.send("go perft 3");
    client.close();
    assert_eq!(client.expect("Nodes searched"), "Nodes searched: 8902");
    assert!(client.exit_status().success());
}

#[test]
fn a_log_has_what_was_said_by_both_and_what_was_there_before() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("okapi.log");
    std::fs::write(&log, "before\n").unwrap();
    let mut client = Client::with(&[]);
    client.send(&format!("setoption name Debug Log File value {}", log.display()));
    client.sync();
    client.send("setoption name Debug Log File value");
    client.sync();
    assert_eq!(
        std::fs::read_to_string(&log).unwrap(),
        "before\n>> isready\n<< readyok\n>> setoption name Debug Log File value\n"
    );
    client.send("setoption name Debug Log File value no/such/folder/log");
    assert!(client.sync()[0].contains("cannot write the log no/such/folder/log: "));
}

#[test]
fn tables_that_are_not_there_are_said_so_and_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::with(&[]);
    client.send(&format!("setoption name SyzygyPath value {}", folder.path().display()));
    assert!(client.sync()[0].contains("there are no Syzygy tables (.rtbw, .rtbz) in "));
    client.send("setoption name SyzygyPath value no/such/folder");
    assert!(client.sync()[0].contains("cannot read the folder of Syzygy tables no/such/folder: "));
    std::fs::write(folder.path().join("KQvK.rtbw"), "no table").unwrap();
    client.send(&format!("setoption name SyzygyPath value {}", folder.path().display()));
    assert!(client.sync()[0].contains("every Syzygy table in "));
    std::fs::write(folder.path().join("KQvK.rtbw"), [0x71, 0xe8, 0x23, 0x5d].repeat(10)).unwrap();
    // What looks like a whole table is used, and a truncated one is named.
    let whole = [&[0x71, 0xe8, 0x23, 0x5d][..], &[0; 76]].concat();
    std::fs::write(folder.path().join("KRvK.rtbw"), &whole).unwrap();
    std::fs::write(folder.path().join("KBvK.rtbw"), [0; 80]).unwrap();
    client.send(&format!("setoption name SyzygyPath value {}", folder.path().display()));
    let said = client.sync();
    assert!(said[0].contains("1 Syzygy file, up to 3 pieces"), "{said:#?}");
    for (line, file, why) in
        [(1, "KBvK.rtbw", "it does not begin as a table does"), (2, "KQvK.rtbw", "unexpected file size")]
    {
        let is_named = said[line].contains("a damaged Syzygy table is not used: ") && said[line].contains(file);
        assert!(is_named && said[line].contains(why), "{said:#?}");
    }
    client.send("setoption name SyzygyPath value <empty>");
    assert_eq!(client.sync(), Vec::<String>::new());
    client.send("position fen 8/8/8/8/5k2/2K5/8/6Q1 w - - 0 1");
    client.send("go nodes 500");
    assert!(client.expect("bestmove").len() > 9);
}

#[test]
fn only_the_moves_to_consider_are_considered() {
    let mut client = Client::with(&["setoption name MultiPV value 5", "position startpos"]);
    let lines = client.go("go depth 3 searchmoves a2a3 h2h4 a2a3 e2e5 nonsense");
    let complaints = lines.iter().filter(|line| line.starts_with("info string ")).count();
    assert_eq!(complaints, 2, "{lines:#?}");
    let firsts: Vec<_> = lines.iter().filter_map(|line| field(line, "pv")).collect();
    assert!(firsts.contains(&"a2a3") && firsts.contains(&"h2h4"), "{lines:#?}");
    assert!(firsts.iter().all(|first| ["a2a3", "h2h4"].contains(first)), "{lines:#?}");
    assert!(["a2a3", "h2h4"].contains(&best(&lines)));
}

#[test]
fn the_best_lines_come_in_order_and_differ() {
    let mut client = Client::with(&["setoption name MultiPV value 4", "position startpos moves e2e4 e7e5"]);
    let lines = client.go("go depth 5");
    let depth = lines.iter().filter_map(|line| number(line, "depth")).max().unwrap();
    let of_last = |line: &&String| number(line, "depth") == Some(depth) && line.contains(" pv ");
    let exact: Vec<&String> = lines.iter().filter(of_last).filter(|line| !line.contains("bound")).collect();
    let last: Vec<&&String> = exact[exact.len() - 4..].iter().collect();
    for (index, line) in last.iter().enumerate() {
        assert_eq!(number(line, "multipv"), Some(index as i64 + 1), "{lines:#?}");
    }
    assert!(last.windows(2).all(|pair| number(pair[0], "cp") >= number(pair[1], "cp")), "{last:#?}");
    let mut firsts: Vec<_> = last.iter().map(|line| field(line, "pv").unwrap()).collect();
    assert_eq!(best(&lines), firsts[0]);
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 4);
}

#[test]
fn a_search_of_n_nodes_makes_n_moves() {
    let mut client = Client::with(&["position startpos moves d2d4 g8f6 c2c4 e7e6"]);
    for nodes in [1, 2, 3, 100, 1_000, 12_345, 50_000] {
        client.send("ucinewgame");
        let lines = client.go(&format!("go nodes {nodes}"));
        let last = lines.iter().filter_map(|line| number(line, "nodes")).next_back();
        assert_eq!(last, Some(nodes), "{lines:#?}");
        let shown = lines.iter().filter_map(|line| field(line, "pv")).next_back();
        assert!(shown.is_none_or(|first| first == best(&lines)), "{lines:#?}");
    }
}

#[test]
fn info_lines_have_every_field() {
    let mut client = Client::with(&["setoption name UCI_ShowWDL value true", "position startpos"]);
    let lines = client.go("go depth 5");
    let reports: Vec<_> = lines.iter().filter(|line| line.contains(" pv ")).collect();
    assert!(reports.len() >= 5, "{lines:#?}");
    for report in reports {
        for key in ["depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "tbhits", "time"] {
            assert!(number(report, key).is_some_and(|value| value >= 0), "{key} in {report}");
        }
        let chances: Vec<i64> =
            report.split_whitespace().skip_while(|&word| word != "wdl").skip(1).take(3).flat_map(str::parse).collect();
        assert!(chances.len() == 3 && chances.iter().sum::<i64>() == 1000, "{report}");
    }
    client.send("setoption name UCI_ShowWDL value false");
    assert!(!client.go("go depth 2").iter().any(|line| line.contains("wdl")));
}

#[test]
fn a_fixed_time_is_used_and_not_exceeded() {
    let mut client = Client::with(&["position startpos"]);
    client.sync();
    let start = Instant::now();
    client.go("go movetime 400");
    let took = start.elapsed().as_millis();
    assert!((300..1_500).contains(&took), "{took} ms");
}

#[test]
fn clocks_that_are_short_or_overdrawn_still_give_a_move_at_once() {
    let mut client = Client::with(&["position startpos"]);
    client.sync();
    for go in ["wtime 1 btime 1", "wtime -500 btime 100", "wtime 0 btime 0 winc 5 binc 5", "wtime 40 movestogo 1"] {
        let start = Instant::now();
        assert_ne!(best(&client.go(&format!("go {go}"))), "(none)");
        assert!(start.elapsed() < Duration::from_millis(500), "{go}: {:?}", start.elapsed());
    }
}

#[test]
fn unknown_options_and_bad_values_get_an_answer() {
    let mut client = Client::with(&[]);
    for bad in [
        "name Contempt value 3",
        "name Hash value 0",
        "name Hash value many",
        "name Hash",
        "name Threads value 0",
        "name MultiPV value 257",
        "name UCI_Chess960 value perhaps",
        "name Evaluator value luck",
        "name EvalFile value no/such/file",
        "value 3",
        "",
    ] {
        client.send(&format!("setoption {bad}"));
        let lines = client.sync();
        assert!(lines.iter().any(|line| line.starts_with("info string ")), "{bad}: {lines:#?}");
    }
    for good in ["name Hash value 2", "name clear hash", "name Threads value 1", "name Ponder value true"] {
        client.send(&format!("setoption {good}"));
        assert!(client.sync().is_empty(), "{good}");
    }
    assert_ne!(best(&client.go("go depth 2")), "(none)");
}

#[test]
fn garbage_gets_an_answer_and_does_no_harm() {
    let mut client = Client::with(&["position startpos moves e2e4"]);
    let before = client.fen();
    for garbage in [b"\xff\xfe\x80 go\xff" as &[u8], b"hello world", b"\0\0\0", b"position\xff startpo", b"go2 depth 3"]
    {
        client.send_bytes(garbage);
        let lines = client.sync();
        assert!(!lines.is_empty() && lines.iter().all(|line| line.starts_with("info string ")), "{lines:#?}");
    }
    for nothing in ["", "   ", "\t", "debug on", "stop", "ponderhit"] {
        client.send(nothing);
    }
    client.send("joho isready now");
    assert_eq!(client.read_until("readyok"), ["readyok"]);
    assert_eq!(client.fen(), before);
    let lines = client.go("go depth three nodes 500 frobnicate");
    let is_complaint =
        |line: &&String| line.starts_with("info string ") && !line.starts_with("info string predictors: ");
    assert_eq!(lines.iter().filter(is_complaint).count(), 2, "{lines:#?}");
}

#[test]
fn a_limit_that_cannot_be_read_still_ends_the_search() {
    let mut client = Client::with(&["position startpos"]);
    for go in ["go wtime 3000.5", "go btime 5000", "go movetime", "go depth -1 wtime x"] {
        let lines = client.go(go);
        assert!(
            lines.iter().any(|line| line.starts_with("info string go: no limit could be parsed")),
            "{go}: {lines:#?}"
        );
        assert_ne!(best(&lines), "(none)");
    }
}

#[test]
fn a_depth_or_a_number_of_plies_that_cannot_be_read_searches_nothing() {
    let mut client = Client::with(&["position startpos"]);
    for go in ["go depth junk", "go depth -1", "go nodes many", "go mate", "go depth x nodes y"] {
        let lines = client.go(go);
        assert!(lines.iter().any(|line| line.starts_with("info string go: ")), "{go}: {lines:#?}");
        assert!(!lines.iter().any(|line| line.starts_with("info depth ")), "{go}: {lines:#?}");
        assert_eq!(best(&lines), "(none)", "{go}");
    }
    for go in ["go perft junk", "go perft", "go perft -1"] {
        client.send(go);
        assert_eq!(client.sync(), ["info string go: perft needs a number of plies; nothing is counted"], "{go}");
    }
    assert_ne!(best(&client.go("go depth 1")), "(none)");
}

#[test]
fn a_refused_position_is_named_as_the_board_shows_it() {
    let mut client = Client::with(&[]);
    for (position, why) in [
        ("fen 8 w - -", "the board has 1 rank instead of 8"),
        ("fen 8/8/8/8/8/8/8/8 w - -", "White has no king instead of one"),
        ("fen kk6/8/8/8/8/8/8/K7 w - -", "Black has 2 kings instead of one"),
        ("startpos moves e2e5", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ] {
        client.send(&format!("position {position}"));
        let said = client.sync().join("\n");
        assert!(said.contains(why), "{position}: {said}");
    }
}

#[test]
fn another_net_is_read_and_given_back() {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/nets/trained/value.safetensors");
    let other = concat!(env!("CARGO_MANIFEST_DIR"), "/nets/tests/data/value-v1.safetensors");
    let mut client = Client::with(&["position startpos moves e2e4"]);
    let mut evaluation = |file: &str| {
        client.send(&format!("setoption name EvalFile value {file}"));
        client.send("eval");
        client.expect("evaluation for black")
    };
    let own = evaluation("<empty>");
    assert_ne!(evaluation(other), own);
    assert_eq!(evaluation(shipped), own);
    assert_ne!(evaluation(other), own);
    assert_eq!(evaluation("<empty>"), own);
}

#[test]
fn the_static_evaluation_is_that_of_the_side_to_move() {
    let mut client = Client::start(&["--eval", "material"]);
    for (side, name, sign) in [("b", "black", -1), ("w", "white", 1)] {
        client.send(&format!("position fen 4k3/8/8/8/8/8/8/QQ2K3 {side} - -"));
        client.send("eval");
        let line = client.expect(&format!("evaluation for {name}: value "));
        assert!(number(&line, "cp").is_some_and(|cp| cp * sign > 300), "{line}");
        let chances: Vec<i64> = line.split(" wdl ").nth(1).unwrap().split(' ').flat_map(str::parse).collect();
        assert!(chances.len() == 3 && chances.iter().sum::<i64>() == 1000, "{line}");
    }
}

#[test]
fn the_worth_of_a_draw_moves_values_and_every_bad_value_is_refused() {
    let mut client = Client::with(&["setoption name UCI_ShowWDL value true"]);
    let fen = "position fen r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    let value = |client: &mut Client, score: &str| {
        client.send(&format!("setoption name DrawScore value {score}"));
        client.send("ucinewgame");
        client.send(fen);
        let lines = client.go("go nodes 3000");
        let line = lines.iter().rev().find(|line| line.contains(" score cp ")).expect("a score").clone();
        let wdl: Vec<u32> =
            line.split(" wdl ").nth(1).unwrap().split(' ').take(3).map(|part| part.parse().unwrap()).collect();
        assert_eq!(wdl.iter().sum::<u32>(), 1000, "{line}");
        number(&line, "cp").expect("centipawns")
    };
    let (loss, half, win) = (value(&mut client, "-100"), value(&mut client, "0"), value(&mut client, "100"));
    assert!(loss < half - 20 && half + 20 < win, "{loss} {half} {win}");
    assert_eq!(value(&mut client, "0"), half);
    for (name, bad) in
        [("DrawScore", "-101"), ("DrawScore", "101"), ("DrawScore", "x"), ("CommonSense", "-1"), ("CommonSense", "101")]
    {
        client.send(&format!("setoption name {name} value {bad}"));
        assert!(client.sync().join("").contains(&format!("option {name} takes a number from ")), "{name} {bad}");
    }
    // Contempt acts only when it is on, and by what is known of the opponent.
    client.send("setoption name UCI_RatingAdv value 400");
    assert_eq!(value(&mut client, "0"), half);
    client.send("setoption name Contempt value true");
    let against_weaker = value(&mut client, "0");
    client.send("setoption name UCI_RatingAdv value 0");
    client.send("setoption name UCI_Opponent value GM 3300 computer Other 1.0");
    let against_stronger = value(&mut client, "0");
    assert!(loss < against_weaker && against_weaker < half && half < against_stronger && against_stronger < win);
    client.send("setoption name UCI_Opponent value none none human A Person");
    assert_eq!(value(&mut client, "0"), half);
    client.send("setoption name CommonSense value 50");
    assert_eq!(client.sync(), Vec::<String>::new());
    client.send(fen);
    assert!(client.go("go nodes 500").last().unwrap().starts_with("bestmove "));
}
