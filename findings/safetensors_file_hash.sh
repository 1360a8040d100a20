#!/usr/bin/env bash
# Guess: the same tensors and metadata give the same file, and tensors lie in the order in which they were passed.
# True:  the metadata is a hash map with a random seed: with five entries the header's order, and with it the file's hash, differs from
#        call to call, in Rust and in Python. Tensors are sorted, first by the size of their type, then by name (z, a become a, z).
#        With one entry the bytes are the same every time.
# So:    a run that promises the same file for the same seed keeps one metadata entry (JSON in it), and compares tensors, not files, of
#        others.
# Seen:  safetensors 0.8.0 (crates.io; safetensors 0.8.0 and numpy 2.4.6 of PyPI); 2026-11-27.
source "$(dirname "$0")/common.bash"
python safetensors==0.8.0 numpy==2.4.6
crate safetensors==0.8.0

cat > src/main.rs <<'RUST'
use safetensors::{serialize, tensor::TensorView, Dtype};
use std::collections::{HashMap, HashSet};

fn file(entries: &[&str]) -> Vec<u8> {
    let data = [0u8; 16];
    let view = |dtype, count| TensorView::new(dtype, vec![count], &data).unwrap();
    let tensors = [("z", view(Dtype::F32, 4)), ("a", view(Dtype::F32, 4)), ("m", view(Dtype::F64, 2))];
    let metadata: HashMap<_, _> = entries.iter().map(|&key| (key.to_owned(), "1".to_owned())).collect();
    serialize(tensors, Some(metadata)).unwrap()
}

fn main() {
    let distinct = |entries: &[&str]| (0..100).map(|_| file(entries)).collect::<HashSet<_>>().len();
    println!("Rust, one entry: {} file", distinct(&["net"]));
    let five = distinct(&["net", "task", "seed", "games", "commit"]);
    eprintln!("Rust, five entries: {five} of 100 files differ");
    println!("Rust, five entries: {}", if five > 10 { "many files" } else { "few files" });
    let bytes = file(&["net"]);
    let header = String::from_utf8_lossy(&bytes[8..bytes.len() - 48]).into_owned();
    let mut names: Vec<_> = ["z", "a", "m"].map(|name| (header.find(&format!("\"{name}\":")).unwrap(), name)).to_vec();
    names.sort();
    println!("tensors: {}", names.iter().map(|&(_, name)| name).collect::<Vec<_>>().join(" "));
}
RUST
cat > files.py <<'PYTHON'
import numpy
import safetensors.numpy

def distinct(*entries):
    return len({safetensors.numpy.save({"w": numpy.zeros(4)}, metadata=dict.fromkeys(entries, "1")) for _ in range(100)})

print("Python, one entry:", distinct("net"), "file")
print("Python, five entries:", "many files" if distinct("net", "task", "seed", "games", "commit") > 10 else "few files")
PYTHON
cargo build --quiet
{ target/debug/finding; python3 files.py; } | tee seen
same "several metadata entries make every file another" "$(cat <<'SEEN'
Rust, one entry: 1 file
Rust, five entries: many files
tensors: m a z
Python, one entry: 1 file
Python, five entries: many files
SEEN
)" "$(cat seen)"
