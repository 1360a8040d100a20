//! Net files: there and back, and one clear sentence for each thing that can be wrong.

use crate::common::lively_net;
use nets::file::{self, MAX_BYTES};
use nets::{Layer, NetFileError, NetworkTopology, Params, Problem, Topology, ValueNet};
use safetensors::{Dtype, SafeTensors};

fn small() -> NetworkTopology {
    NetworkTopology::new([2, 3, 1], 4).expect("valid sizes")
}

/// A sound file.
fn sound() -> Vec<u8> {
    file::to_bytes(&lively_net(small(), 1), "a \"test\",\nnaïve").expect("a sound network").0
}

/// The sound file with a part of its header replaced, and the header's length put right.
fn with_header(from: &str, to: &str) -> Vec<u8> {
    let bytes = sound();
    let (length, rest) = bytes.split_first_chunk::<8>().expect("a length");
    let (header, data) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let text = std::str::from_utf8(header).expect("text");
    assert!(text.contains(from), "{from} is not in {text}");
    let header = text.replacen(from, to, 1);
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
}

fn problem(bytes: &[u8]) -> NetFileError {
    file::from_bytes("test.net", bytes).expect_err("an unsound file")
}

#[test]
fn a_network_goes_there_and_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("value.safetensors");
    for (net, provenance) in [(ValueNet::random(Topology::THESIS, 3), ""), (lively_net(small(), 4), "two\n\"lines\" ü")]
    {
        let written = file::save(&path, &net, provenance).expect("written");
        let (read, metadata) = file::load(&path).expect("read");
        assert_eq!((read, &metadata), (net, &written));
        assert_eq!((metadata.provenance.as_str(), metadata.sha256.len()), (provenance, 64));
    }
    let left = std::fs::read_dir(folder.path()).expect("readable").count();
    assert_eq!(left, 1, "no temporary file is left");
}

#[test]
fn a_second_output_goes_there_and_back() {
    let placed = small().with_placement(1, 64).expect("valid");
    for (topology, text) in [
        (small(), "19x2+216x3+128x1-4-2"),
        (placed, "19x2+216x3+128x1-4+768x64-2"),
        (placed.with_output_buckets(8).expect("valid"), "19x2+216x3+128x1-4+768x64-2x8"),
    ] {
        let mut net = lively_net(topology.with_draw(true), 2);
        net.params_mut().layer_mut(Layer::Draw).0.copy_from_slice(&[0.5, -0.25, 1.0, 2.0]);
        net.set_kappa(1.25);
        let (bytes, metadata) = file::to_bytes(&net, "").expect("a sound network");
        let (_, header) = SafeTensors::read_metadata(&bytes).expect("valid safetensors");
        let stated = header.metadata().as_ref().and_then(|entries| entries.get("okapi.topology"));
        assert_eq!(stated.map(String::as_str), Some(text));
        assert_eq!(file::from_bytes("two outputs", &bytes).expect("sound"), (net, metadata));
    }
}

#[test]
fn other_programs_read_it_in_any_order() {
    let net = lively_net(small(), 1);
    let bytes = sound();
    let foreign = SafeTensors::deserialize(&bytes).expect("valid safetensors");
    let (_, header) = SafeTensors::read_metadata(&bytes).expect("valid safetensors");
    let hidden = foreign.tensor("hidden.weight").expect("there");
    assert_eq!((hidden.dtype(), hidden.shape()), (Dtype::F32, [6, 4].as_slice()));
    // Another writer orders the tensors by name; the network is the same.
    let rewritten = safetensors::serialize(foreign.tensors(), header.metadata().clone()).expect("serializes");
    assert_ne!(rewritten, bytes);
    assert_eq!(file::from_bytes("rewritten", &rewritten).expect("sound").0, net);
}

#[test]
fn the_file_system_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing.net");
    let error = file::load(&missing).expect_err("nothing there");
    assert!(
        matches!(error.problem, Problem::Read(_)) && error.to_string().contains("missing.net cannot be read"),
        "{error}"
    );
    assert!(matches!(file::load(folder.path()).expect_err("a folder").problem, Problem::NotAFile));
    let net = lively_net(small(), 1);
    let error = file::save(&missing.join("deeper.net"), &net, "").expect_err("no such folder");
    assert!(matches!(error.problem, Problem::Write(_)), "{error}");
    let empty = folder.path().join("empty.net");
    std::fs::write(&empty, "").expect("writable");
    assert!(matches!(file::load(&empty).expect_err("empty").problem, Problem::NotSafetensors(_)));
    std::fs::File::create(&empty).and_then(|file| file.set_len(MAX_BYTES + 1)).expect("writable");
    assert!(matches!(file::load(&empty).expect_err("too large").problem, Problem::TooLarge { .. }));
}

#[test]
fn a_failed_save_leaves_the_old_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("value.safetensors");
    file::save(&path, &lively_net(small(), 1), "old").expect("written");
    let mut broken = lively_net(small(), 1);
    broken.params_mut().values_mut()[5] = f32::INFINITY;
    let error = file::save(&path, &broken, "new").expect_err("not finite");
    assert!(matches!(error.problem, Problem::Value { layer: "global", .. }), "{error}");
    let error = file::save(&path, &lively_net(small(), 1), &"x".repeat(MAX_BYTES as usize)).expect_err("too long");
    assert!(matches!(error.problem, Problem::TooLarge { .. }), "{error}");
    assert_eq!(file::load(&path).expect("the old file").1.provenance, "old");
}

#[test]
fn every_flaw_has_its_sentence() {
    let sound_bytes = sound();
    let damaged = {
        let mut bytes = sound_bytes.clone();
        *bytes.last_mut().expect("not empty") ^= 1;
        bytes
    };
    let cases: [(&str, Vec<u8>); 17] = [
        ("is not a whole safetensors file", sound_bytes[..sound_bytes.len() - 1].to_vec()),
        ("is not a whole safetensors file", b"PK\x03\x04 something else altogether".to_vec()),
        ("it has no okapi.format", with_header("okapi.format", "other.format")),
        ("has the format version \"2\"", with_header("\"okapi.format\":\"1\"", "\"okapi.format\":\"2\"")),
        ("has the format version \"01\"", with_header("\"okapi.format\":\"1\"", "\"okapi.format\":\"01\"")),
        ("holds a network of the kind \"move\"", with_header("\"value\"", "\"move\"")),
        ("was trained on the feature layout \"position-2\"", with_header("position-1", "position-2")),
        ("has the neuron permutation \"9 ", with_header("\"okapi.permutation\":\"", "\"okapi.permutation\":\"9 ")),
        ("has no valid topology", with_header("19x2+216x3+128x1-4-1", "19x2+216x3+128x0-4-1")),
        (
            "has the tensor piece.weight as F32 [216, 3], but",
            with_header("19x2+216x3+128x1-4-1", "19x2+216x4+128x1-4-1"),
        ),
        ("as I32 [", with_header("\"F32\"", "\"I32\"")),
        ("lacks the tensor square.bias", with_header("\"square.bias\"", "\"square.bios\"")),
        ("lacks the metadata entry okapi.sha256", with_header("okapi.sha256", "okapi.sha255")),
        ("lacks the metadata entry okapi.provenance", with_header("okapi.provenance", "okapi.province")),
        ("lacks the metadata entry okapi.permutation", with_header("okapi.permutation", "okapi.permutator")),
        ("lacks the tensor draw.weight", with_header("19x2+216x3+128x1-4-1", "19x2+216x3+128x1-4-2")),
        ("is damaged: its parameters do not have the hash that it states", damaged),
    ];
    for (sentence, bytes) in cases {
        let error = problem(&bytes).to_string();
        assert!(error.starts_with("the net file test.net ") && error.contains(sentence), "{error:?}, not {sentence:?}");
        assert!(!error.contains('\n'));
    }
}

#[test]
fn extra_tensors_and_wild_values_are_refused() {
    let extra = with_header(
        "\"output.bias\"",
        "\"more\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},\"output.bias\"",
    );
    assert!(matches!(problem(&extra).problem, Problem::ExtraTensor { name } if name == "more"));
    let first = sound().len() - 4 * Params::<Topology>::zeros(small()).values().len();
    for wild in [f32::NAN, f32::NEG_INFINITY, 1_000.5] {
        let mut bytes = sound();
        bytes[first..first + 4].copy_from_slice(&wild.to_le_bytes());
        assert!(matches!(problem(&bytes).problem, Problem::Value { layer: "global", .. }), "{wild}");
    }
}

/// A file that another program cuts short and writes again while it is read is an error at worst; one that is mapped ends the process.
#[test]
fn a_file_that_is_cut_short_while_it_is_read_is_an_error() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("net");
    let net = ValueNet::random(NetworkTopology::new([8, 16, 8], 16).expect("valid sizes"), 1);
    file::save(&path, &net, "a test").expect("a sound network");
    let bytes = std::fs::read(&path).expect("the file");
    let over = AtomicBool::new(false);
    let (mut sound, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let file = std::fs::File::options().write(true).open(&path).expect("the file");
            while !over.load(Ordering::Relaxed) {
                file.set_len(100).expect("a shorter file");
                std::thread::sleep(std::time::Duration::from_micros(100));
                std::fs::write(&path, &bytes).expect("the whole file");
                std::thread::sleep(std::time::Duration::from_micros(300));
            }
        });
        for _ in 0..3_000 {
            match file::load(&path) {
                Ok(_) => sound += 1,
                Err(error) => {
                    assert!(error.to_string().starts_with(&format!("the net file {}", path.display())), "{error}");
                    refused += 1;
                }
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    assert!(sound > 0 && refused > 0, "{sound} whole and {refused} cut short: nothing was tried");
}
