//! The exit status of every long command, done, in error and stopped by a signal: the table of docs/exit-status.md.

#![cfg(target_os = "linux")]

mod common;

use common::{GAMES, okapi, small_policy, write_games};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A command as the test runs it.
struct Job {
    /// As in the table.
    name: &'static str,
    /// What takes so long that a signal comes before its end.
    long: Vec<String>,
    /// What ends soon; none where another test shows that it does, and this one would take long.
    short: Option<Vec<String>>,
    /// What names a file that is not there.
    wrong: Vec<String>,
}

/// The signals, each with its number on Linux.
const SIGNALS: [(&str, u32); 5] = [("HUP", 1), ("INT", 2), ("QUIT", 3), ("USR1", 10), ("TERM", 15)];

fn words(text: &str) -> Vec<String> {
    shlex::split(text).expect("words of a command line")
}

/// All jobs, in a folder that has games, kept games, positions and a pool of a league.
fn jobs(folder: &Path) -> Vec<Job> {
    write_games(&folder.join("games.pgn"), &GAMES);
    okapi(folder, &["train", "play", "kept", "--seed", "3", "--games", "60", "--nodes", "30"]);
    let players = "--player 'okapi name=A nodes=60 hash=1' --player 'okapi name=B nodes=20 seed=3 hash=1'";
    okapi(
        folder,
        &words(&format!("match --games 10 --pgn played.pgn --seed 2 {players}"))
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
    );
    let opponent = "[[opponent]]\nname = \"material\"\nplayer = \"okapi eval=material nodes=40 hash=1\"\n";
    fs::write(folder.join("pool.toml"), format!("nodes = 60\nrandom-openings = true\n{opponent}")).expect("a file");
    let engine = env!("CARGO_BIN_EXE_okapi");
    let fens = (0..20).map(|_| "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n").collect::<String>();
    fs::write(folder.join("positions.epd"), fens).expect("a file");
    let small = "--topology 19x8+216x8+128x8-8-1 --batch 50";
    let policy = small_policy(["100000", "60"], ["300", "600"]).join(" ");
    let few = small_policy(["60", "20"], ["300", "600"]).join(" ");
    let tune = format!(
        "tune --engine \"cmd='{engine}' option.Hash=1 option.Evaluator=material\" --movetime 2 --time-margin 60000 --pairs 2 \
         --parameter 'nodestime start=40 min=10 max=200 step=30'"
    );
    let tdleaf = "--initial shipped --positions 4 --plies 3 --nodes 100 --suite-minutes 0";
    let job = |name, long: &str, short: &str, wrong: &str| Job {
        name,
        long: words(long),
        short: (!short.is_empty()).then(|| words(short)),
        wrong: words(wrong),
    };
    vec![
        job(
            "train tdleaf",
            &format!("train tdleaf long {tdleaf}"),
            &format!("train tdleaf short {tdleaf} --iterations 1"),
            "train tdleaf wrong --starts none.pgn",
        ),
        job(
            "train play",
            "train play long --games 1000000 --nodes 100",
            "train play short --games 2 --nodes 20",
            "train play wrong --games 2 --starts none.pgn",
        ),
        job(
            "train values",
            &format!("train values kept --out long --epochs 1000 {small}"),
            &format!("train values kept --out short --epochs 1 {small}"),
            "train values none --out wrong",
        ),
        job(
            "train wdl",
            "train wdl kept --out long --epochs 1000",
            "train wdl kept --out short --epochs 1 --games 30",
            "train wdl none --out wrong",
        ),
        job(
            "train policy",
            &format!("train policy long --starts games.pgn {policy}"),
            &format!("train policy short --starts games.pgn {few} --epochs 1"),
            "train policy wrong --starts none.pgn",
        ),
        job(
            "train contracts",
            "train contracts kept --out long.jsonl --games 40 --nodes 20000",
            "train contracts kept --out short.jsonl --games 2 --nodes 30",
            "train contracts none --out wrong.jsonl",
        ),
        job(
            "train bootstrap",
            "train bootstrap --out long.safetensors --steps 1000000",
            "train bootstrap --out short.safetensors --steps 2",
            "train bootstrap --out none/net.safetensors",
        ),
        job(
            "league",
            "league long --config pool.toml --games 100000",
            "league short --config pool.toml --games 1",
            "league wrong --config none.toml",
        ),
        job(
            "match",
            &format!("match --games 100000 --state long.state {players}"),
            &format!("match --games 2 {players}"),
            "match --games 2 --player 'cmd=./none nodes=1' --player 'okapi nodes=1'",
        ),
        job(
            "mcts curve",
            "mcts curve --limits 5 --games 100000 --state long.curve",
            "mcts curve --limits 5 --games 1 --strength-games 0 --nodes 4",
            "mcts curve --sc-limit 5",
        ),
        job(
            "tune",
            &format!("{tune} --games 100000 --state long.tune"),
            &format!("{tune} --games 4 --state short.tune"),
            "tune --engine cmd=./none --parameter 'x start=1 min=0 max=2 step=1' --nodes 5 --games 4 --state wrong.tune",
        ),
        job("sts", "sts --nodes 20000 --state long.sts", "sts --nodes 20 --positions 1-3", "sts none.epd --nodes 20"),
        job(
            "sts make",
            &format!("sts make --out long.epd --engine '{engine}' --play 100000 --play-nodes 1000"),
            "",
            &format!("sts make --out wrong.epd --engine '{engine}' --games none.pgn"),
        ),
        job(
            "analyse",
            "analyse games.pgn --nodes 100000 --pgn long.pgn --state long.analysis",
            "analyse games.pgn --games 1 --nodes 20 --pgn short.pgn",
            "analyse none.pgn --nodes 20 --pgn wrong.pgn",
        ),
        job(
            "learn",
            "learn played.pgn --as A --nodes 200000 --rehearsal 300 --dry-run --state long.turns",
            "learn played.pgn --as A --nodes 20 --rehearsal 300 --dry-run",
            "learn none.pgn --as A --dry-run",
        ),
        job(
            "wdl examine",
            &format!("wdl examine kept --training kept --concurrency 1 --engine \"cmd='{engine}' nodes=20000\""),
            "wdl examine kept --training kept",
            "wdl examine none --training kept",
        ),
        job(
            "short-term examine",
            "short-term examine games.pgn --deep-nodes 10000000",
            "short-term examine games.pgn --count 2 --kinds tree --nodes 20 --deep-nodes 40",
            "short-term examine none.pgn",
        ),
    ]
}

/// Commands that no table needs: they end soon, or speak UCI.
const SHORT: [&str; 10] =
    ["uci", "perft", "bench", "eval", "net info", "merge", "train data", "report", "completions", "man"];

/// This command and those below it, without those that only have others below them.
fn commands(above: &str) -> BTreeSet<String> {
    let mut help = Command::new(env!("CARGO_BIN_EXE_okapi"));
    let output = help.args(words(above)).arg("--help").output().expect("it runs");
    let said = String::from_utf8(output.stdout).expect("plain text");
    let list = said.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = list.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let mut all: BTreeSet<String> = names
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .flat_map(|name| commands(format!("{above} {name}").trim()))
        .collect();
    if !above.is_empty() && said.lines().any(|line| line.starts_with("Usage: ") && !line.ends_with("<COMMAND>")) {
        all.insert(above.to_owned());
    }
    all
}

/// Runs a command in a folder to its end.
fn run(folder: &Path, arguments: &[String]) -> (Option<i32>, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments).current_dir(folder).output().expect("it runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Starts a command, sends it this signal as soon as it catches signals, and waits for its end.
fn stop(folder: &Path, arguments: &[String], (name, number): (&str, u32)) -> (Option<i32>, String) {
    // A process that a shell's `&` started ignores SIGINT and SIGQUIT.
    let mut command = Command::new("env");
    command.args(["--default-signal=HUP,INT,QUIT,USR1,TERM", env!("CARGO_BIN_EXE_okapi")]).args(arguments);
    let child = command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let (begun, at) = (Instant::now(), format!("/proc/{}/status", child.id()));
    let catches = || {
        let status = fs::read_to_string(&at).unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .is_some_and(|mask| mask >> (number - 1) & 1 == 1)
    };
    while !catches() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{arguments:?} does not catch SIG{name}");
        std::thread::sleep(Duration::from_millis(2));
    }
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The rows of the table of jobs: the name, and the other columns.
fn table() -> Vec<(String, Vec<String>)> {
    let text = include_str!("../docs/exit-status.md");
    let rows =
        text.lines().skip_while(|line| !line.starts_with("| job ")).skip(2).take_while(|line| line.starts_with("| `"));
    let cells = |row: &str| row.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    rows.map(cells).map(|row| (row[0].trim_matches('`').to_owned(), row[1..].to_vec())).collect()
}

#[test]
fn every_job_ends_with_the_status_of_the_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let jobs = jobs(folder.path());
    let table = table();
    let names = |table: &[(String, Vec<String>)]| table.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&table), jobs.iter().map(|job| job.name.to_owned()).collect::<Vec<_>>(), "the table has all jobs");
    let all: BTreeSet<String> = names(&table).into_iter().chain(SHORT.map(str::to_owned)).collect();
    assert_eq!(commands(""), all, "every command is in the table, or is short");
    for ((job, (_, columns)), signal) in jobs.iter().zip(&table).zip(SIGNALS.iter().cycle()) {
        let one_of = |cell: &str, status: Option<i32>| cell.split(" or ").any(|allowed| allowed.parse().ok() == status);
        // Each in a folder of its own: the inputs are named by it.
        let at = folder.path();
        if let Some(short) = &job.short {
            let (found, said) = run(at, short);
            assert!(one_of(&columns[0], found), "{}, done: {found:?} {said}", job.name);
        }
        let (found, said) = run(at, &job.wrong);
        assert!(one_of(&columns[1], found), "{}, in error: {found:?} {said}", job.name);
        assert!(said.lines().last().is_some_and(|line| line.starts_with("okapi: ")), "{}: {said}", job.name);
        let (found, said) = run(at, &[&job.long[..], &["--no-such-option".to_owned()]].concat());
        assert!(one_of(&columns[2], found), "{}, wrong command line: {found:?} {said}", job.name);
        assert_eq!(columns[3], "128 + signal");
        let (found, said) = stop(at, &job.long, *signal);
        assert_eq!(found, Some(128 + signal.1 as i32), "{}, SIG{}: {said}", job.name, signal.0);
        assert!(said.contains("saving; Ctrl-C again stops at once"), "{}, SIG{}: {said}", job.name, signal.0);
        assert!(said.lines().last().is_some_and(|line| line.starts_with("okapi: ")), "{}: {said}", job.name);
        for name in ["long", "short", "wrong"] {
            let _ = fs::remove_dir_all(at.join(name));
        }
    }
}
