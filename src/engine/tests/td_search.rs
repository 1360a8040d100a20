//! Temporal-difference search, and alpha-beta after simulations, on the evaluators of an engine.

use board::{Game, Position};
use engine::{Engine, EngineSpec, EvalKind, SearchKind, ShortTermKind};
use search::{SearchLimits, SearchResult, Silent, Value};

const EVALUATORS: [EvalKind; 3] = [EvalKind::Network, EvalKind::Linear, EvalKind::Material];
const MIDDLEGAME: &str = "r3k2r/1bp2ppp/p1n5/1p6/4P3/1B3N2/PP3PPP/R3R1K1 w kq - 0 16";

fn td(eval: EvalKind) -> EngineSpec {
    EngineSpec { eval, search: SearchKind::Td, hash_megabytes: 1, ..EngineSpec::default() }
}

fn simulation(eval: EvalKind) -> EngineSpec {
    EngineSpec { search: SearchKind::Depth, short_term: ShortTermKind::Simulation, ..td(eval) }
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

fn search(engine: &mut Engine, position: &Position, nodes: u64) -> SearchResult {
    let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
    engine.search(&Game::new(position.clone()), &limits, &mut Silent)
}

#[test]
fn the_value_of_a_line_is_the_evaluation_of_its_leaf_and_node_limits_are_exact() {
    for spec in EVALUATORS.into_iter().flat_map(|eval| [td(eval), simulation(eval)]) {
        let mut engine = spec.build().unwrap();
        for fen in [MIDDLEGAME, "3r2k1/pp3ppp/2p2n2/4r3/8/1BP3P1/PP3P1P/R3R1K1 b - - 2 22"] {
            let root = position(fen);
            let before = engine.evaluate(&root);
            let found = search(&mut engine, &root, 3_000);
            assert_eq!(found.nodes, 3_000);
            if found.better.is_none() && !found.value.is_mate() && found.value != Value::DRAW {
                let value = engine.evaluate(&found.leaf(&root));
                assert_eq!(found.value, if found.pv.len().is_multiple_of(2) { value } else { -value }, "{spec:?}");
            }
            assert!(engine.evaluate(&root) != before, "nothing was learned: {spec:?}");
        }
    }
}

#[test]
fn the_same_game_is_searched_alike_on_any_number_of_threads() {
    for eval in EVALUATORS {
        let spec = td(eval);
        let play = |engine: &mut Engine| {
            engine.new_game();
            let mut game = Game::new(position(MIDDLEGAME));
            for _ in 0..4 {
                let limits = SearchLimits { nodes: Some(1_000), ..SearchLimits::default() };
                game.play(engine.search(&game, &limits, &mut Silent).best().unwrap());
            }
            (game.moves().to_vec(), engine.evaluate(game.position()))
        };
        let mut engine = spec.build().unwrap();
        let first = play(&mut engine);
        assert_eq!(play(&mut engine), first);
        assert_eq!(play(&mut EngineSpec { threads: 3, ..spec.clone() }.build().unwrap()), first);
        let seeded = play(&mut EngineSpec { seed: 9, ..spec.clone() }.build().unwrap());
        assert!(seeded != first, "{eval:?}");
    }
}

#[test]
fn without_the_long_term_memory_nothing_is_known_before_simulations() {
    for eval in EVALUATORS {
        let mut engine = EngineSpec { td_long_term: false, td_cut: 0, td_plies: 60, ..td(eval) }.build().unwrap();
        let root = position("4k3/8/8/8/8/8/4q3/R3K2R w KQ - 0 1");
        assert_eq!(engine.evaluate(&root), Value::DRAW);
        let found = search(&mut engine, &root, 500);
        assert_eq!(found.best(), root.parse_uci("e1e2").ok());
    }
}

#[test]
fn a_mate_is_played_and_a_limited_strength_has_neither() {
    let mut engine = td(EvalKind::Network).build().unwrap();
    let root = position("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1");
    let found = search(&mut engine, &root, 400);
    assert_eq!((found.best(), found.value), (root.parse_uci("a1a8").ok(), Value::mates_at(1)));
    assert_eq!(engine.net_name(), None);
    let limited = EngineSpec { elo: Some(1_500), ..simulation(EvalKind::Network) };
    let plain = EngineSpec { short_term: ShortTermKind::Off, ..limited.clone() };
    let [one, two] = [limited, plain].map(|spec| search(&mut spec.build().unwrap(), &position(MIDDLEGAME), 2_000));
    assert_eq!((one.pv, one.value, one.nodes), (two.pv, two.value, two.nodes));
}
