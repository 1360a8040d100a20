//! 200,000 damaged net files: no panic, no allocation out of proportion, and never other parameters than were written.

use nets::{NetworkTopology, ValueNet, file};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const FILES: usize = 200_000;

/// What a writer, a disk or a joker may do to a file.
fn damage(bytes: &mut Vec<u8>, header: usize, rng: &mut impl Rng) {
    let mut below = |bound: usize| (rng.next_u64() % bound.max(1) as u64) as usize;
    let at = if below(4) == 0 { below(bytes.len()) } else { below(header.min(bytes.len())) };
    match below(8) {
        _ if bytes.is_empty() => bytes.push(below(256) as u8),
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << below(8),
        2 => bytes[at] = below(256) as u8,
        // Digits, brackets and quotes keep the header near to sense.
        3 => bytes[at] = b"0123456789{}[]\":,-+.eE "[below(23)],
        4 => bytes.insert(at, b"0123456789\"{"[below(12)]),
        5 => drop(bytes.remove(at)),
        6 => {
            let (from, length) = (below(bytes.len()), below(40));
            let piece: Vec<u8> = bytes[from..].iter().take(length).copied().collect();
            bytes.splice(at..at, piece);
        }
        _ => bytes.iter_mut().take(1 + below(8)).for_each(|byte| *byte = below(256) as u8),
    }
}

/// The most address space that this process ever had, in KiB, where the system tells it.
fn peak_address_space() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmPeak:")?.trim().strip_suffix(" kB")?.trim().parse().ok())
}

#[test]
fn damaged_files_are_refused_in_peace() {
    let topology = NetworkTopology::new([1, 1, 1], 1).expect("valid sizes");
    let net = ValueNet::random(topology, 1);
    let (bytes, _) = file::to_bytes(&net, "fuzz").expect("a sound network");
    let header = bytes.len() - 4 * net.params().values().len();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let before = peak_address_space();
    let (mut sound, mut sentences) = (0, std::collections::HashSet::new());
    for _ in 0..FILES {
        let mut damaged = bytes.clone();
        for _ in 0..1 + rng.next_u64() % 3 {
            damage(&mut damaged, header, &mut rng);
        }
        match file::from_bytes("fuzz", &damaged) {
            Ok((read, _)) => {
                assert!(read == net, "a damaged file gives the written parameters or none");
                sound += 1;
            }
            Err(error) => drop(sentences.insert(std::mem::discriminant(&error.problem))),
        }
    }
    assert!(sound < FILES / 10, "most damage is noticed: {sound} files were accepted");
    assert!(sentences.len() >= 8, "the damage reaches many checks: {}", sentences.len());
    if let (Some(before), Some(after)) = (before, peak_address_space()) {
        assert!(after - before < 256 << 10, "no huge allocation: {} KiB more", after - before);
    } else {
        eprintln!("skipped: this system does not tell the size of the address space");
    }
}
