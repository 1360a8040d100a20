//! Writes kept games as arrays for `benches/pytorch/train.py`, and a random network to begin with.
//!
//! `cargo run --release -p benches --bin arrays -- DATA OUT`
//!
//! For the positions that `okapi train values` learns from (`training`) and validates on (`validation`), in NumPy's order of bytes:
//!
//! | file | shape | type |
//! | --- | --- | --- |
//! | `*.features` | (position, 363) | f32 |
//! | `*.placement` | (position, [us, them], 32): rows of the piece placement, 768 where there is no piece | i32 |
//! | `*.targets` | (position): the search's value, [-1, 1] | f32 |

use anyhow::Context;
use board::Position;
use feature_maps::layout::INPUTS;
use feature_maps::placement::Placement;
use learn::data::window::{Sample, Shards, Window};
use learn::tasks::values::values_options::Options;
use nets::{Topology, ValueNet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Places for pieces in a view.
const PIECES: usize = 32;
/// The row of no piece.
const NO_ROW: i32 = 768;

/// The files of one set of positions.
struct Arrays([BufWriter<File>; 3]);

impl Arrays {
    fn create(folder: &Path, set: &str) -> anyhow::Result<Self> {
        let file = |array| -> anyhow::Result<_> {
            let path = folder.join(format!("{set}.{array}"));
            Ok(BufWriter::new(File::create(&path).with_context(|| format!("cannot write {}", path.display()))?))
        };
        Ok(Self([file("features")?, file("placement")?, file("targets")?]))
    }

    fn add(&mut self, sample: &Sample) -> anyhow::Result<()> {
        let Self([features, placement, targets]) = self;
        let position: &Position = &sample.example.position;
        let mut values = [0.0_f32; INPUTS];
        feature_maps::extract(position, &mut values);
        values.iter().try_for_each(|value| features.write_all(&value.to_le_bytes()))?;
        for rows in Placement::of(position, 1).rows() {
            let rows = rows.iter().map(|row| i32::from(*row)).chain(std::iter::repeat(NO_ROW));
            rows.take(PIECES).try_for_each(|row| placement.write_all(&row.to_le_bytes()))?;
        }
        Ok(targets.write_all(&sample.example.target.to_le_bytes())?)
    }
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [data, folder] = &arguments[..] else { anyhow::bail!("arrays DATA OUT: kept games, and a folder to write to") };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let (shards, options) = (Shards::of(std::slice::from_ref(data))?, Options::default());
    let mut training = Arrays::create(folder, "training")?;
    let mut window = Window::default();
    for number in 0..shards.windows(&options) {
        shards.window(&options, 0, number, &mut window)?;
        window.order.iter().try_for_each(|sample| training.add(window.sample(*sample)))?;
    }
    let mut validation = Arrays::create(folder, "validation")?;
    shards.validation(&options)?.iter().try_for_each(|sample| validation.add(sample))?;
    let topology: Topology = "19x19+216x54+128x32-64+768x512-1x8".parse()?;
    nets::file::save(&folder.join("initial.safetensors"), &ValueNet::random(topology, 1), "benches/pytorch/arrays.rs")?;
    Ok(())
}
