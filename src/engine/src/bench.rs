//! The functional signature: the node count of a fixed search of fixed positions. A change of play changes it.

pub mod evaluation;

use crate::{Engine, SearchKind};
use board::{Game, Position};
use kernels::Isa;
use search::{SearchLimits, Silent};
use std::time::Duration;

/// Openings, middlegames, endgames, checks and promotions, some of them common among engine testers. Endgames so simple that
/// the transposition table answers nearly every node are left out.
const POSITIONS: [&str; 20] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    "r2q1rk1/pp2bppp/2n1bn2/3p4/3N4/2N1B3/PPP1BPPP/R2Q1RK1 b - - 6 11",
    "2kr3r/ppp2ppp/2n1b3/2b1p3/4P1q1/2NP1N2/PPP1QPPP/R1B2RK1 w - - 5 10",
    "rnbq1rk1/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP2BPPP/R1BQK2R b KQ - 1 6",
    "r1b2rk1/2q1bppp/p2ppn2/1p6/3BPP2/2N2B2/PPP3PP/R2Q1RK1 w - - 0 13",
    "3r2k1/pp3ppp/2p2n2/4r3/8/1BP3P1/PP3P1P/R3R1K1 b - - 2 22",
    "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 0 50",
    "8/8/4k3/3n4/3P4/4K3/5B2/8 w - - 10 60",
    "8/5pk1/6p1/7p/1R5P/6P1/r4PK1/8 w - - 0 40",
    "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2PP1N2/PP3PPP/RNBQ1RK1 w - - 0 7",
    "6k1/5ppp/8/8/8/7q/5PPP/3R2K1 w - - 0 30",
    "r5k1/1b3ppp/p7/1p6/3N4/1P3q2/P4P1P/3RR1K1 b - - 0 25",
    "3r2k1/5ppp/8/8/8/8/r4PPP/3RR1K1 w - - 0 30",
    "r2qr1k1/1b1nbppp/p2p1n2/1p2p3/4P3/1BN1BN1P/PPP2PP1/R2QR1K1 w - - 0 13",
];

/// The default number of iterations per position.
pub const fn depth(search: SearchKind) -> u32 {
    match search {
        SearchKind::Probability | SearchKind::Mcts | SearchKind::Td => 9,
        SearchKind::Depth => 11,
    }
}

/// The most iterations per position.
pub const MAX_DEPTH: u32 = 31;
/// The size of the transposition table, in MB.
pub const HASH: usize = 16;

/// The counts of a bench run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Signature {
    /// Nodes: moves made.
    pub nodes: u64,
    /// Evaluations by the evaluator.
    pub evaluations: u64,
}

impl Signature {
    /// The counts and the speed as lines, the last one as OpenBench reads it.
    pub fn report(&self, elapsed: Duration, isa: Isa) -> String {
        let Signature { nodes, evaluations } = self;
        let rate = *nodes as f64 / elapsed.as_secs_f64().max(1e-9);
        format!("nodes {nodes}\nnodes/s {rate:.0}\nevaluations {evaluations}\nisa {isa}\n{nodes} nodes {rate:.0} nps\n")
    }
}

/// Searches every position as a new game; `progress` receives the number of finished positions and of all positions.
pub fn run(engine: &mut Engine, depth: u32, mut progress: impl FnMut(usize, usize)) -> Signature {
    let mut signature = Signature::default();
    for (index, fen) in POSITIONS.iter().enumerate() {
        let position = Position::from_fen(fen).expect("the positions of the bench are legal");
        engine.new_game();
        let limits = SearchLimits { depth: Some(depth), ..SearchLimits::default() };
        let answer = engine.search(&Game::new(position), &limits, &mut Silent);
        signature.nodes += answer.nodes;
        signature.evaluations += answer.evaluations;
        progress(index + 1, POSITIONS.len());
    }
    signature
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provenance::BENCH_SIGNATURE;
    use crate::spec::EngineSpec;

    /// The nodes of the search that is limited by probability.
    const BY_PROBABILITY: u64 = 880_509;

    #[test]
    fn play_is_what_the_signatures_say() {
        let nodes = |search| {
            let spec = EngineSpec { hash_megabytes: HASH, search, ..EngineSpec::default() };
            run(&mut spec.build().unwrap(), depth(search), |_, _| ()).nodes
        };
        // Whoever changes play writes the new number, into signature.txt or here, and says why.
        assert_eq!(nodes(SearchKind::Probability), BY_PROBABILITY);
        assert_eq!(nodes(EngineSpec::default().search).to_string(), BENCH_SIGNATURE.trim());
    }
}
