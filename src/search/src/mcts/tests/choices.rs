//! What the options choose: the move that is played, noise, and how a leaf is valued.

use super::*;

#[test]
fn a_temperature_draws_by_visits() {
    let game = Game::new(Position::start());
    let play = |temperature, seed| {
        let settings = MctsSettings { temperature, ..MctsSettings::default() };
        let arena = Arc::new(Arena::with_bytes(1 << 20).unwrap());
        let mut searching = Mcts::new(Material, StaticPolicy, settings, arena, seed);
        let best = search(&mut searching, &game, &visits(200)).best().unwrap();
        let statistics = searching.statistics(&[]);
        (best, statistics[statistics.len() - 1].visits, statistics)
    };
    let (best, most, statistics) = play(0.0, 1);
    assert_eq!(statistics.iter().find(|statistics| statistics.mv == best).unwrap().visits, most);
    let drawn: Vec<Move> = (0..200).map(|seed| play(1.0, seed).0).collect();
    assert_eq!(drawn[3], play(1.0, 3).0);
    let different = |moves: &[Move]| {
        let mut moves: Vec<String> = moves.iter().map(|mv| mv.to_string()).collect();
        moves.sort_unstable();
        moves.dedup();
        moves.len()
    };
    assert!(different(&drawn) > 3, "{}", different(&drawn));
    let cold: Vec<Move> = (0..50).map(|seed| play(0.05, seed).0).collect();
    assert!(different(&cold) <= different(&drawn));
}

#[test]
fn noise_in_the_roots_priors_is_named_and_nothing_is_kept() {
    let game = game(KIWIPETE);
    let play = |root_noise, seed| {
        let settings = MctsSettings { root_noise, ..MctsSettings::default() };
        let arena = Arc::new(Arena::with_bytes(8 << 20).unwrap());
        let mut searching = Mcts::new(Material, StaticPolicy, settings, arena, seed);
        search(&mut searching, &game, &visits(500));
        let statistics = searching.statistics(&[]);
        // The same root again begins from nothing.
        search(&mut searching, &game, &visits(10));
        assert_eq!(searching.arena().node(ROOT).visits(), if root_noise > 0.0 { 10 } else { 510 });
        statistics
    };
    let noisy = play(0.25, 1);
    assert_eq!(noisy, play(0.25, 1));
    assert!(noisy != play(0.25, 2) && noisy != play(0.0, 1));
    let priors: f32 = noisy.iter().map(|statistics| statistics.prior).sum();
    assert!((priors - 1.0).abs() < 1e-2, "{priors}");
}

#[test]
fn a_leaf_that_is_searched_sees_what_follows() {
    let find = |leaf| {
        let selectivity = Selectivity::full();
        let mut searching = small(MctsSettings { leaf, selectivity, ..MctsSettings::default() });
        let answer = search(&mut searching, &game(KIWIPETE), &visits(400));
        (answer.pv, answer.value, answer.nodes, answer.evaluations)
    };
    let (quiescence, searched) = (find(LeafKind::Quiescence), find(LeafKind::Search(64)));
    assert_eq!(searched, find(LeafKind::Search(64)), "one thread finds the same again");
    assert_eq!((quiescence.2, searched.2), (400, 400), "visits are the nodes");
    assert!(searched.3 > 2 * quiescence.3, "{} evaluations, and {}", searched.3, quiescence.3);
    assert_ne!(searched.1, quiescence.1);
    // A mate in three, of which the first visit of the root knows.
    let mate = game("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1");
    for (leaf, known) in [(LeafKind::Quiescence, false), (LeafKind::Search(1 << 16), true)] {
        let mut searching = small(MctsSettings { leaf, ..MctsSettings::default() });
        search(&mut searching, &mate, &visits(1));
        assert_eq!(searching.arena().node(ROOT).value() == 1.0, known, "{leaf:?}");
    }
}
