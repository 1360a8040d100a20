//! The tactical suites of this folder are whole, and no test set's positions are among them.

use std::collections::HashSet;
use std::path::Path;
use sts::suite::Suite;

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");
const SUITES: [(&str, usize); 2] = [("suites/trust.epd", 38), ("suites/tactics.epd", 500)];

fn read(file: &str) -> Suite {
    let path = Path::new(FOLDER).join(file);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Suite::read(file, &bytes).unwrap()
}

#[test]
fn tactical_suites_have_two_equal_halves_and_no_defect() {
    for (file, count) in SUITES {
        let suite = read(file);
        assert!(suite.defects.is_empty(), "{:?}", suite.defects);
        assert_eq!(suite.themes, ["choose", "check"], "{file}");
        for theme in 0..2 {
            assert_eq!(suite.positions.iter().filter(|position| position.theme == theme).count(), count / 2, "{file}");
        }
        assert!(suite.positions.iter().all(|position| position.points.maximum() == 1));
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared/data")]
fn tactical_suites_share_no_position_with_test_sets() {
    let keys =
        |suite: Suite| suite.positions.into_iter().map(|position| position.position.key()).collect::<HashSet<_>>();
    let tests: HashSet<_> = ["sts/STS1-STS15_LAN_v3.epd", "suites/wac.epd", "suites/bratko-kopec.epd"]
        .into_iter()
        .flat_map(|file| keys(read(&format!("../../shared/data/{file}"))))
        .collect();
    assert!(tests.len() > 1_700, "{}", tests.len());
    for (file, count) in SUITES {
        let own = keys(read(file));
        assert_eq!(own.len(), count, "{file}");
        assert!(own.is_disjoint(&tests), "{file}");
    }
}
