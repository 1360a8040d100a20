//! `okapi train bootstrap` and `okapi net`: the same bits for any number of threads, and one sentence for each failure.

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use std::fs;
use std::path::Path;

fn okapi(arguments: &[&str]) -> Assert {
    Command::new(env!("CARGO_BIN_EXE_okapi")).args(arguments).assert()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn bootstrap(out: &Path, seed: &str, threads: &str) -> Assert {
    let out = out.to_str().unwrap();
    okapi(&["train", "bootstrap", "--out", out, "--seed", seed, "--threads", threads, "--steps", "60"])
}

#[test]
fn a_bootstrap_has_the_same_bits_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let train = |name: &str, seed: &str, threads: &str| {
        let path = folder.path().join(name);
        bootstrap(&path, seed, threads).success();
        fs::read(path).unwrap()
    };
    let one = train("one", "7", "1");
    assert_eq!(one, train("two", "7", "2"));
    assert_eq!(one, train("five", "7", "5"));
    assert_ne!(one, train("other", "8", "2"));
}

#[test]
fn a_trained_net_tells_about_itself_and_plays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.net");
    let told = text(&bootstrap(&path, "3", "2").success().get_output().stdout);
    let sha256 = told.lines().find_map(|line| line.strip_prefix("sha256 ")).unwrap().to_owned();
    let path = path.to_str().unwrap();
    let info = text(&okapi(&["net", "info", path]).success().get_output().stdout);
    assert!(info.contains(&sha256) && info.contains("train bootstrap --seed 3 --steps 60"), "{info}");
    assert!(info.contains("topology    19x19+216x54+128x32-64-1"), "{info}");
    okapi(&["bench", "--value-net", path, "--depth", "1"]).success();
}

/// A terminal would obey what a stranger's file says of itself.
#[test]
fn what_a_file_says_of_itself_does_not_reach_the_terminal_as_commands() {
    let folder = tempfile::tempdir().unwrap();
    let [value, linear] = ["value", "linear"].map(|name| folder.path().join(name));
    let said = "a\u{1b}[2Jb\u{9b}31mc\rd\ne";
    let net = nets::ValueNet::random("19x2+216x2+128x2-2-1".parse::<nets::Topology>().unwrap(), 1);
    nets::file::save(&value, &net, said).unwrap();
    engine::linear_file::save(&linear, &engine::shipped::shipped_linear_policy().unwrap(), said).unwrap();
    for file in [value, linear] {
        let info = text(&okapi(&["net", "info", file.to_str().unwrap()]).success().get_output().stdout);
        let lines: Vec<&str> = info.split('\n').collect();
        let told = lines.iter().find_map(|line| line.strip_prefix("provenance  ")).unwrap();
        assert!(
            !info.contains(|c: char| c.is_control() && c != '\n') && told.starts_with('a') && told.ends_with('e'),
            "{info}"
        );
    }
}

#[test]
fn the_shipped_nets_are_what_their_provenance_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("nets/trained");
    for (file, head, topology) in [
        ("value.safetensors", "head        value", "topology    19x19+216x54+128x32-64+768x512-2x8"),
        ("moves.safetensors", "head        moves", "topology    19x16+216x48+128x32-64-32-1"),
        ("linear.safetensors", "head        linear policy", "features    version 1"),
    ] {
        let info = text(&okapi(&["net", "info", root.join(file).to_str().unwrap()]).success().get_output().stdout);
        assert!(info.contains(head) && info.contains(topology), "{info}");
        let sha256 = info.lines().find_map(|line| line.strip_prefix("sha256")).unwrap().trim().to_owned();
        assert!(fs::read_to_string(root.join("PROVENANCE.md")).unwrap().contains(&sha256), "{sha256}");
    }
}

#[test]
fn every_instruction_set_has_the_same_signature() {
    let bench = |isa: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_okapi"));
        let done = command.args(["bench", "--depth", "6"]).env("OKAPI_ISA", isa).assert().success();
        let told = text(&done.get_output().stdout);
        assert!(told.lines().any(|line| line == format!("isa {isa}")), "{told}");
        told.lines()
            .take_while(|line| !line.starts_with("isa"))
            .filter(|line| !line.starts_with("nodes/s"))
            .collect::<String>()
    };
    let naive = bench("naive");
    assert!(naive.starts_with("nodes "));
    assert_eq!(naive, bench("wide"));
    if kernels::Isa::Avx2.is_available() {
        assert_eq!(naive, bench("avx2"));
    }
}

#[test]
fn failures_are_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let failure = |arguments: &[&str]| {
        let told = text(&okapi(arguments).code(1).get_output().stderr);
        assert!(told.starts_with("okapi: ") && told.lines().count() == 1, "{told}");
        told
    };
    let missing = folder.path().join("no/such/folder/my.net");
    assert!(failure(&["train", "bootstrap", "--out", missing.to_str().unwrap()]).contains("no/such/folder"));
    // A linear policy with a weight that was changed.
    let linear = folder.path().join("linear.safetensors");
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("nets/trained/linear.safetensors");
    let mut bytes = fs::read(shipped).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&linear, bytes).unwrap();
    let told = failure(&["net", "info", linear.to_str().unwrap()]);
    assert!(
        told.contains("linear.safetensors cannot be used: its weights do not have the hash that it states"),
        "{told}"
    );
    let foreign = folder.path().join("foreign");
    fs::write(&foreign, "no net at all").unwrap();
    let foreign = foreign.to_str().unwrap();
    assert!(failure(&["net", "info", foreign]).contains(foreign));
    assert!(failure(&["bench", "--value-net", foreign]).contains(foreign));
    let told = Command::new(env!("CARGO_BIN_EXE_okapi")).arg("bench").env("OKAPI_ISA", "mmx").assert().code(1);
    assert!(text(&told.get_output().stderr).contains("mmx"));
}
