//! Checkpoints: the same bits back, and nothing else accepted.

use crate::checkpoint;
use crate::sentence;
use kernels::adadelta::AdaDelta;
use learn::run::checkpoint::{FORMAT, MAX_BYTES};
use learn::tasks::td_leaf::td_leaf_checkpoint::Checkpoint;
use learn::train::optimizer::Optimizer;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::fs;
use std::panic::catch_unwind;

/// All bits of the numbers, which `==` does not tell apart (0 and -0).
fn bits(checkpoint: &Checkpoint) -> Vec<u32> {
    let memory = checkpoint.optimizer.memory().into_iter().flat_map(|(_, values)| values);
    checkpoint.net.params().values().iter().chain(memory).map(|value| value.to_bits()).collect()
}

#[test]
fn what_is_saved_is_loaded_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint-9.okapi");
    for extra in [Vec::new(), vec![0], (0..=255).cycle().take(100_003).collect()] {
        let mut saved = checkpoint(9);
        saved.extra = extra;
        saved.net.params_mut().values_mut()[..3].copy_from_slice(&[-0.0, f32::MIN_POSITIVE / 2.0, 1e-30]);
        saved.counters.seconds = 0.1 + 0.2;
        saved.options.lambda = 0.123_456_79;
        saved.save(&path).unwrap();
        let loaded = Checkpoint::load(&path).unwrap();
        assert_eq!(loaded, saved);
        assert_eq!(bits(&loaded), bits(&saved));
        assert_eq!(loaded.counters.seconds.to_bits(), saved.counters.seconds.to_bits());
        assert_eq!(loaded.to_bytes().unwrap(), fs::read(&path).unwrap(), "the bytes depend only on the checkpoint");
    }
}

/// Python: `safetensors.numpy.load_file` reads it too; here only that the tensors have their names and shapes.
#[test]
fn the_file_is_safetensors() {
    let bytes = checkpoint(1).to_bytes().unwrap();
    let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let mut names = file.names();
    names.sort_unstable();
    assert_eq!(names, ["adadelta.squared_gradient", "adadelta.squared_step", "extra", "params", "sha256"]);
    let parameters = checkpoint(1).net.params().values().len();
    assert_eq!(file.tensor("adadelta.squared_step").unwrap().shape(), [parameters]);
}

#[test]
fn every_truncation_is_refused() {
    let bytes = checkpoint(3).to_bytes().unwrap();
    for length in 0..bytes.len() {
        assert!(Checkpoint::from_bytes(&bytes[..length]).is_err(), "the first {length} bytes");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert!(Checkpoint::from_bytes(&longer).is_err(), "a byte more");
}

#[test]
fn every_flipped_bit_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint-3.okapi");
    let bytes = checkpoint(3).to_bytes().unwrap();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    // All bits of the header, and some of every tensor.
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let tensors = (0..4_000).map(|_| random.next_u64() as usize % (8 * (bytes.len() - header)) + 8 * header);
    for bit in (0..8 * header).chain(tensors) {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(Checkpoint::from_bytes(&damaged).is_err(), "bit {bit}");
    }
    for bit in [3, 8 * 20, 8 * (header - 40), 8 * (header + 100), 8 * bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, damaged).unwrap();
        let error = Checkpoint::load(&path).unwrap_err();
        assert!(error.is_damage() && error.to_string().contains("checkpoint-3.okapi"), "{error}");
    }
}

#[test]
fn garbage_is_refused_without_a_panic() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let bytes = checkpoint(3).to_bytes().unwrap();
    for _ in 0..3_000 {
        let mut file = bytes.clone();
        for _ in 0..1 + random.next_u64() % 20 {
            let at = random.next_u64() as usize % file.len();
            file[at] = random.next_u64() as u8;
        }
        file.truncate(file.len() - random.next_u64() as usize % 3 * 10);
        assert!(catch_unwind(|| Checkpoint::from_bytes(&file).is_err()).expect("no panic"));
    }
}

#[test]
fn foreign_files_have_their_sentences() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint-1.okapi");
    assert!(sentence(Checkpoint::load(&path)).contains("cannot be read: "));
    fs::create_dir(&path).unwrap();
    assert!(sentence(Checkpoint::load(&path)).contains("is not a regular file"));
    fs::remove_dir(&path).unwrap();
    fs::write(&path, "").unwrap();
    assert!(sentence(Checkpoint::load(&path)).contains("is not a whole safetensors file"));
    nets::file::save(&path, &checkpoint(1).net, "a net").unwrap();
    assert!(sentence(Checkpoint::load(&path)).contains("but not a checkpoint of Okapi"));
    fs::File::create(&path).unwrap().set_len(MAX_BYTES + 1).unwrap();
    assert!(sentence(Checkpoint::load(&path)).contains("no checkpoint has more than"));
}

/// A file with this metadata text and the hash that belongs to it.
fn with_text(change: impl Fn(&str) -> String) -> Vec<u8> {
    use safetensors::tensor::TensorView;
    use sha2::{Digest, Sha256};
    let bytes = checkpoint(1).to_bytes().unwrap();
    let (_, header) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
    let text = change(&header.metadata().as_ref().unwrap()["okapi.checkpoint"]);
    let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let mut tensors: Vec<_> = file.tensors().into_iter().filter(|(name, _)| name != "sha256").collect();
    tensors.sort_by(|a, b| a.0.cmp(&b.0));
    let mut hasher = Sha256::new_with_prefix(&text);
    for (name, tensor) in &tensors {
        hasher.update(format!("\n{name} {} {:?}\n", tensor.dtype(), tensor.shape()));
        hasher.update(tensor.data());
    }
    let hash = hasher.finalize();
    tensors.push(("sha256".to_owned(), TensorView::new(safetensors::Dtype::U8, vec![32], &hash).unwrap()));
    safetensors::serialize(tensors, Some([("okapi.checkpoint".to_owned(), text)].into())).unwrap()
}

#[test]
fn other_versions_are_no_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint-1.okapi");
    let told = |change: &dyn Fn(&str) -> String| {
        fs::write(&path, with_text(change)).unwrap();
        let error = Checkpoint::load(&path).unwrap_err();
        assert!(!error.is_damage(), "{error}");
        error.to_string()
    };
    let newer = told(&|text| text.replace("format = 1\n", "format = 7\n"));
    assert!(newer.contains(&format!("has the format version 7, but this program reads version {FORMAT}")), "{newer}");
    let option = told(&|text| text.replace("lambda = ", "lambada = "));
    assert!(option.contains("does not fit this program: unknown key `lambada`"), "{option}");
    let larger = told(&|text| text.replacen("19x1+216x2+128x1-3-1", "19x1+216x2+128x1-4-1", 1));
    assert!(larger.contains("lacks the tensor params of "), "{larger}");
    let none = told(&|text| text.replacen("19x1+216x2+128x1-3-1", "3-1", 1));
    assert!(none.contains("is not a topology"), "{none}");
    fs::write(&path, with_text(str::to_owned)).unwrap();
    assert_eq!(Checkpoint::load(&path).unwrap(), checkpoint(1), "the test's own hash is right");
}

#[test]
fn a_diverged_net_is_not_saved_over_a_good_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint-1.okapi");
    checkpoint(1).save(&path).unwrap();
    let mut diverged = checkpoint(1);
    diverged.net.params_mut().values_mut()[7] = f32::NAN;
    assert!(sentence(diverged.save(&path)).contains("has the value NaN in params"));
    let mut diverged = checkpoint(1);
    let number = diverged.net.params().values().len();
    let memory = AdaDelta::from_memory(vec![f32::INFINITY; number], vec![0.0; number]);
    diverged.optimizer = Optimizer::AdaDelta(memory);
    assert!(sentence(diverged.save(&path)).contains("has the value inf in adadelta.squared_gradient"));
    assert_eq!(Checkpoint::load(&path).unwrap(), checkpoint(1));
}
