//! No input makes the suite parser panic: 200,000 mutated and random lines from a fixed seed.

use rand::RngExt;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use sts::suite::Suite;

const LINES: [&[u8]; 6] = [
    br#"r3k2r/ppq2p1p/2n1p1p1/3pP3/5PP1/2P1Q3/PP2N2P/3R1RK1 b k q - bm h5; id "STS(v1.0) Undermine.086"; c0 "h5=10, O-O=3"; c7 "h5 O-O"; c8 "10 3"; c9 "h7h5 e8g8";"#,
    br#"2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - acd 5; bm Qg6; id "WAC.001"; ce 32764; dm 2; pv Qg6 h5 Qh7#;"#,
    br#"1rk3r1/8/8/8/8/8/6P1/1RK3R1 w BGbg - 3 17 hmvc 4; fmvn 9; am O-O Rb7 b1xb8; c1 "a \"b\" \\ c"; noop; resign;"#,
    b"8/P1k5/8/8/3pP3/8/8/2K5 b - e3 0 1; bm dxe3e.p. d4e3; v1 0.5; eco \"A00\"; sm dxe3; pm 1...dxe3 (x)",
    b"8/P1k5/8/8/8/8/8/2K5 w - - bm a8=Q a8(N) a7a8r; c0 \"a8=Q=10, a8R=3, a8=N+=2\"",
    b"\xEF\xBB\xBF# R\xE9ti\r\n8/8/8/8/8/k7/p7/K7 w - - bm Ka1",
];
const INPUTS: u32 = 200_000;

#[test]
fn no_input_panics() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..INPUTS {
        let bytes = input(&mut rng);
        match Suite::read("fuzz", &bytes) {
            Ok(suite) => {
                read += 1;
                let maxima: u32 = suite.theme_maxima().iter().map(|theme| theme.maximum).sum();
                assert!(maxima > 0);
                for defect in &suite.defects {
                    assert!(!defect.to_string().contains('\n'), "{defect:?}");
                }
                for position in &suite.positions {
                    assert!(position.points.listed().iter().all(|&(mv, _)| position.position.is_legal(mv)));
                }
            }
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().contains('\n'), "{error:?}");
            }
        }
    }
    assert!(read > INPUTS / 10 && refused > INPUTS / 10, "{read} read, {refused} refused");
}

/// Usually a known line with a few changes, sometimes random bytes.
fn input(rng: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    if rng.random_bool(0.05) {
        let length = rng.random_range(0..200);
        return (0..length).map(|_| rng.random()).collect();
    }
    let mut bytes = LINES[rng.random_range(0..LINES.len())].to_vec();
    for _ in 0..rng.random_range(0..6) {
        mutate(&mut bytes, rng);
    }
    bytes
}

fn mutate(bytes: &mut Vec<u8>, rng: &mut Xoshiro256PlusPlus) {
    const TELLING: &[u8] = b"\";\\ =,-/.0189KQRBNPkqrbnpabcdefghwx+#\r\n\t\xE9\xC3";
    let at = rng.random_range(0..=bytes.len());
    match rng.random_range(0..6) {
        0 => bytes.insert(at, TELLING[rng.random_range(0..TELLING.len())]),
        1 => bytes.insert(at, rng.random()),
        2 if at < bytes.len() => bytes[at] = TELLING[rng.random_range(0..TELLING.len())],
        3 if at < bytes.len() => {
            bytes.remove(at);
        }
        4 => bytes.truncate(at),
        _ => {
            let other = LINES[rng.random_range(0..LINES.len())];
            let from = rng.random_range(0..other.len());
            let to = rng.random_range(from..other.len());
            bytes.splice(at..at, other[from..to].iter().copied());
        }
    }
}
