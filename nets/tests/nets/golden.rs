//! A committed file stays readable and keeps its values, bit for bit.
//!
//! Another version of the feature layout refuses old networks; then write the file again:
//! `cargo test -p nets --test nets golden -- --ignored`, and put the printed bits below.

use board::Position;
use feature_maps::layout::INPUTS;
use feature_maps::placement::Placement;
use nets::{NetworkTopology, QuantizedValueNet, ValueNet, ValueScratch, file};

/// The file as this program writes it.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/value-v1.safetensors");
const PROVENANCE: &str = "random, seed 1: a test file, it knows nothing of chess";

/// The value of the fixed input by the f32 reference, as bits.
const VALUE: u32 = 0xbd5f_def5;

/// A fixed position, and its value by the quantized network, as bits.
const POSITION: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const QUANTIZED: u32 = 0xbdfd_8f5c;

/// The network of the file.
fn net() -> ValueNet {
    ValueNet::random(NetworkTopology::new([8, 16, 8], 16).expect("valid sizes"), 1)
}

/// A fixed input: tenths and zeros.
fn input() -> [f32; INPUTS] {
    std::array::from_fn(|i| if i % 3 == 0 { 0.0 } else { (i * 37 % 11) as f32 / 10.0 })
}

fn forward(net: &ValueNet) -> f32 {
    let scratch = &mut ValueScratch::new(net.params().topology(), kernels::active().expect("kernels"));
    net.forward(&input(), &Placement::EMPTY, scratch)
}

fn evaluate(net: &ValueNet) -> f32 {
    let position = Position::from_fen(POSITION).expect("a legal position");
    QuantizedValueNet::new(net, kernels::active().expect("kernels")).evaluate(&position)
}

#[test]
fn version_1_reads_and_evaluates() {
    let (net, metadata) = file::load(FILE.as_ref()).expect("a sound file");
    assert_eq!((metadata.format, metadata.kind.as_str(), metadata.provenance.as_str()), (1, "value", PROVENANCE));
    assert_eq!(metadata.topology.to_string(), "19x8+216x16+128x8-16-1");
    assert!(!net.permutation().outputs().is_sorted());
    assert_eq!(forward(&net).to_bits(), VALUE);
    assert_eq!(evaluate(&net).to_bits(), QUANTIZED, "{:#010x}", evaluate(&net).to_bits());
}

#[test]
fn a_seed_gives_the_same_file_on_every_machine() {
    let (bytes, _) = file::to_bytes(&net(), PROVENANCE).expect("a sound network");
    assert!(bytes == std::fs::read(FILE).expect("the committed file"), "the file of seed 1 has changed");
}

#[test]
#[ignore = "writes the committed file"]
fn write_the_file() {
    file::save(FILE.as_ref(), &net(), PROVENANCE).expect("a writable checkout");
    println!("VALUE: u32 = {:#010x}", forward(&net()).to_bits());
    println!("QUANTIZED: u32 = {:#010x}", evaluate(&net()).to_bits());
}

#[test]
fn the_shipped_nets_keep_the_names_that_records_have() {
    for (file, name) in [
        ("value.safetensors", "6f11c3420ecb0695"),
        ("moves.safetensors", "fb2616f00c73884e"),
        ("linear.safetensors", "1532e6fc7d4a1772"),
    ] {
        let path = format!("{}/trained/{file}", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(path).expect("a shipped net");
        assert_eq!(file::stated_name(&bytes).as_deref(), Some(name), "{file}");
    }
    assert_eq!(file::stated_name(b"no net"), None);
}

#[test]
fn a_network_has_one_name_however_it_came_about() {
    let net = net();
    let names = ["one machine", "another"].map(|provenance| {
        let (bytes, metadata) = file::to_bytes(&net, provenance).expect("a sound network");
        assert!(metadata.sha256.starts_with(&file::name(&net)));
        file::stated_name(&bytes).expect("a name")
    });
    assert_eq!(names, [file::name(&net), file::name(&net)]);
    let other = ValueNet::random(NetworkTopology::new([8, 16, 8], 16).expect("valid sizes"), 2);
    assert_ne!(file::name(&other), file::name(&net));
}
