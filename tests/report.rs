//! `okapi report`: the page of a training run, beside its log or where it is told.

use learn::tasks::td_leaf::td_leaf_folder::RunFolder;
use learn::tasks::td_leaf::td_leaf_log::Row;
use learn::tasks::td_leaf::td_leaf_options::Options;
use nets::NetworkTopology;
use std::fs;
use std::path::Path;

/// An iteration of a run, every tenth with a score.
fn row(iteration: u64) -> Row {
    let x = iteration as f64;
    let sts = iteration.is_multiple_of(10).then_some(6_000.0 + x);
    let (searches, leaves) = (3_072 * iteration, 3_000 * iteration);
    Row { iteration, seconds: x / 3.0, searches, leaves, loss: 0.1 / x, sts, ..Row::default() }
}

#[test]
fn the_command_writes_the_page_beside_the_log_or_where_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let options = Options { topology: NetworkTopology::new([1, 2, 1], 3).unwrap().into(), ..Options::default() };
    let mut run = RunFolder::create(&path, &options).unwrap();
    (1..=30).for_each(|iteration| run.log(&row(iteration)).unwrap());
    drop(run);
    let okapi = |arguments: &[&Path]| {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_okapi"));
        command.arg("report").args(arguments).assert()
    };
    let done = okapi(&[&path]).success();
    let said = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(said.contains(": 30 iterations in 10 s, 92,160 searches, 90,000 leaves; STS 6,010 to 6,030\n"), "{said}");
    assert!(fs::read_to_string(path.join("report.html")).unwrap().contains("thesis, Figure 4"));
    let out = folder.path().join("page.html");
    let svg = folder.path().join("figure.svg");
    okapi(&[&path, &path, Path::new("--out"), &out, Path::new("--svg"), &svg]).success();
    let exists = okapi(&[&path, Path::new("--svg"), &svg]).code(1);
    assert!(String::from_utf8_lossy(&exists.get_output().stderr).contains("--force replaces it"));
    okapi(&[&path, Path::new("--svg"), &svg, Path::new("--force")]).success();
    assert!(fs::read_to_string(svg).unwrap().starts_with("<svg"));
    assert!(fs::read_to_string(out).unwrap().ends_with("</html>\n"));
    let refused = okapi(&[folder.path()]).code(1);
    let told = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(told.starts_with("okapi: the folder ") && told.lines().count() == 1, "{told}");
    okapi(&[&path, Path::new("--out"), &folder.path().join("none/page.html")]).code(1);
}
