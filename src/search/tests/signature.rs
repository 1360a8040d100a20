//! The signature of the search without any network: what each search finds in fixed positions, by a simple evaluator and by weights
//! drawn from a seed. A change of play changes a row; it is then copied from what the test prints, as the bench's is
//! (src/engine/signature.txt).

use board::{Color, Game, Piece, Position};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use search::linear_policy::WEIGHTS;
use search::mcts::{Arena, LeafKind};
use search::{
    AlphaBeta, Evaluator, HiddenMemory, LastLayer, LinearPolicy, Mcts, MctsSettings, Observed, SearchLimits,
    SearchResult, Searcher, Selectivity, Silent, StaticPolicy, Table, TdSearch, TdSettings, TreeMemory,
};
use std::sync::Arc;

const POSITIONS: [&str; 8] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "2kr3r/ppp2ppp/2n1b3/2b1p3/4P1q1/2NP1N2/PPP1QPPP/R1B2RK1 w - - 5 10",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/8/4k3/3n4/3P4/4K3/5B2/8 w - - 10 60",
    "6k1/5ppp/8/8/8/7q/5PPP/3R2K1 w - - 0 30",
    "r5k1/1b3ppp/p7/1p6/3N4/1P3q2/P4P1P/3RR1K1 b - - 96 70",
];

/// Material and where it stands: a weight for each piece and square, mirrored for Black.
#[derive(Clone)]
struct Placement(Arc<[f32]>);

impl Placement {
    fn new() -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        let worth = [1.0, 3.0, 3.2, 5.0, 9.0, 0.0];
        Self((0..384).map(|number| 0.15 * (worth[number / 64] + random.random_range(-0.3..0.3))).collect())
    }

    /// The numbers of its weights, and their signs for the side to move.
    fn each(position: &Position, mut each: impl FnMut(usize, f32)) {
        for color in [Color::White, Color::Black] {
            let (sign, flip) = (if color == position.side_to_move() { 1.0 } else { -1.0 }, 56 * color as usize);
            for piece in Piece::ALL {
                for square in position.colored_pieces(color, piece) {
                    each(piece as usize * 64 + (square as usize ^ flip), sign);
                }
            }
        }
    }
}

impl Evaluator for Placement {
    type State = ();

    fn root(&self, _: &Position) {}

    fn logit(&self, (): &mut (), position: &Position) -> f32 {
        let mut sum = 0.0;
        Self::each(position, |number, sign| sum += sign * self.0[number]);
        sum
    }
}

impl LastLayer for Placement {
    fn width(&self) -> usize {
        self.0.len()
    }

    fn norm(&self) -> f32 {
        16.0
    }

    fn inputs(&self, position: &Position, inputs: &mut Vec<(u32, f32)>) {
        inputs.clear();
        Self::each(position, |number, sign| inputs.push((number as u32, sign)));
    }

    fn weights_as_read(&self, weights: &[f32]) -> Vec<f32> {
        weights.to_vec()
    }

    fn change_read(&self, read: &mut [f32], number: usize, weight: f32) {
        read[number] = weight;
    }

    fn product(&self, position: &Position, read: &[f32]) -> f32 {
        let mut product = 0.0;
        Self::each(position, |number, sign| product += sign * read[number]);
        product
    }
}

fn linear_policy() -> LinearPolicy {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    let weights: Vec<f32> = (0..WEIGHTS).map(|_| random.random_range(-0.7..0.7)).collect();
    LinearPolicy::new(&weights).unwrap()
}

fn depth(depth: u32) -> SearchLimits {
    SearchLimits { depth: Some(depth), ..SearchLimits::default() }
}

fn nodes(nodes: u64) -> SearchLimits {
    SearchLimits { nodes: Some(nodes), ..SearchLimits::default() }
}

/// Nodes and evaluations of all positions, and a hash of what was found.
fn row(name: &str, searcher: &mut dyn Searcher, limits: &SearchLimits) -> String {
    let table = Table::new(1).unwrap();
    let (mut nodes, mut evaluations, mut hash) = (0, 0, 0xcbf2_9ce4_8422_2325_u64);
    for fen in POSITIONS {
        let mut game = Game::new(Position::from_fen(fen).unwrap());
        // The second search finds what the first has left.
        for _ in 0..2 {
            table.next_search();
            let found: SearchResult = searcher.search(&table, &game, limits, &mut Silent);
            (nodes, evaluations) = (nodes + found.nodes, evaluations + found.evaluations);
            let words = found.pv.iter().map(|mv| mv.from as u64 * 64 + mv.to as u64);
            for word in words.chain([u64::from(found.value.to_bits()), u64::from(found.depth)]) {
                hash = (hash ^ word).wrapping_mul(0x100_0000_01b3);
            }
            let Some(best) = found.best() else { break };
            game.play(best);
        }
    }
    format!("{name}: {nodes} nodes, {evaluations} evaluations, {hash:016x}\n")
}

#[test]
fn every_search_finds_what_the_signature_says() {
    let (evaluator, layer) = (Placement::new(), Arc::new(Placement::new()));
    let alpha_beta = |selectivity| AlphaBeta::new(evaluator.clone(), linear_policy(), selectivity, 1);
    let mut found = row(
        "probability, static",
        &mut AlphaBeta::new(evaluator.clone(), StaticPolicy, Selectivity::full(), 1),
        &depth(8),
    );
    found += &row("probability", &mut alpha_beta(Selectivity::full()), &depth(8));
    found += &row("probability, basic", &mut alpha_beta(Selectivity::basic()), &depth(6));
    found += &row("probability, all moves", &mut alpha_beta(Selectivity::NONE), &depth(5));
    found += &row("depth", &mut alpha_beta(Selectivity::depth_limited()), &depth(9));
    for (name, memory) in [
        ("tree memory", Box::new(TreeMemory::new(TreeMemory::STEP)) as Box<dyn search::NodeObserver>),
        ("hidden memory", Box::new(HiddenMemory::new(layer.clone(), 0.01))),
    ] {
        let mut searcher =
            AlphaBeta::new(Observed(evaluator.clone()), linear_policy(), Selectivity::depth_limited(), 1);
        searcher.set_observer(Some(memory));
        found += &row(name, &mut searcher, &depth(7));
    }
    for (name, leaf, contempt_limit) in [
        ("mcts", LeafKind::Static, 1_000_000_000),
        ("mcts, quiescence", LeafKind::Quiescence, 1_000_000_000),
        ("search-contempt", LeafKind::Static, 8),
    ] {
        let settings = MctsSettings { leaf, contempt_limit, ..MctsSettings::default() };
        let arena = Arc::new(Arena::with_bytes(1 << 20).unwrap());
        let mut searcher = Mcts::new(evaluator.clone(), linear_policy(), settings, arena, 1);
        found += &row(name, &mut searcher, &nodes(400));
    }
    let settings = TdSettings::default();
    let mut searcher = TdSearch::new(evaluator.clone(), Arc::new(linear_policy()), layer, settings, 1);
    found += &row("td", &mut searcher, &nodes(5_000));
    assert_eq!(found, include_str!("signature.txt"), "found:\n{found}");
}
