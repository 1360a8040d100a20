//! Limited strength over whole games.

use board::{Game, Outcome, Position};
use engine::strength::Level;
use engine::{Engine, EngineSpec};
use search::{SearchLimits, Silent};

fn engine() -> Engine {
    EngineSpec { hash_megabytes: 1, ..EngineSpec::default() }.build().unwrap()
}

fn nodes(nodes: u64) -> SearchLimits {
    SearchLimits { nodes: Some(nodes), ..SearchLimits::default() }
}

/// How many of these games from a pawn about to promote a level wins, against an opponent that searches.
fn mates(elo: u32, starts: &[&str]) -> usize {
    let (mut weak, mut other) = (engine(), engine());
    let wins = |(seed, start): (usize, &&str)| {
        weak.limit_strength(Some(elo), seed as u64);
        let mut game = Game::new(Position::from_fen(start).unwrap());
        while game.outcome().is_none() {
            let is_white = game.moves().len().is_multiple_of(2);
            let (player, limits) = if is_white { (&mut weak, nodes(10_000)) } else { (&mut other, nodes(100)) };
            let found = player.search(&game, &limits, &mut Silent);
            game.play(found.best().unwrap());
        }
        game.outcome() == Some(Outcome::Mated)
    };
    starts.iter().enumerate().map(wins).filter(|wins| *wins).count()
}

#[test]
fn a_weak_level_mates_with_a_queen_mostly_and_the_weakest_seldom() {
    let starts = [
        "8/P7/8/8/4k3/8/1K6/8 w - - 0 1",
        "8/3P4/8/8/7k/8/2K5/8 w - - 0 1",
        "8/6P1/8/2k5/8/8/8/4K3 w - - 0 1",
        "8/1P6/8/8/8/5k2/8/7K w - - 0 1",
        "8/4P3/8/k7/8/8/8/3K4 w - - 0 1",
        "8/7P/8/8/1k6/8/8/5K2 w - - 0 1",
        "8/2P5/8/6k1/8/8/K7/8 w - - 0 1",
        "8/5P2/8/8/k7/8/6K1/8 w - - 0 1",
    ];
    let (weak, weakest) = (mates(1_000, &starts), mates(*Level::elo_range().start() as u32, &starts));
    assert!(weak >= 5 && weakest < weak, "{weak} and {weakest} of {}", starts.len());
}

/// The points of the first of two levels in games from the standard start with alternate colors.
fn points(elo: [u32; 2], games: usize) -> f64 {
    let mut players = [engine(), engine()];
    let result = |number: usize| {
        for (player, elo) in players.iter_mut().zip(elo) {
            player.limit_strength(Some(elo), number as u64);
            player.new_game();
        }
        let mut game = Game::new(Position::start());
        let to_move = |game: &Game| (game.moves().len() + number) % 2;
        while game.outcome().is_none() {
            let found = players[to_move(&game)].search(&game, &nodes(10_000), &mut Silent);
            game.play(found.best().unwrap());
        }
        match game.outcome() {
            // The player to move is mated, and the first one has a point if that is the second.
            Some(Outcome::Mated) => to_move(&game) as f64,
            _ => 0.5,
        }
    };
    (0..games).map(result).sum()
}

#[test]
fn levels_are_as_far_apart_as_their_elo_says() {
    const GAMES: usize = 200;
    std::thread::scope(|scope| {
        let measure = |weak| scope.spawn(move || (weak, points([weak + 300, weak], GAMES) / GAMES as f64));
        for handle in [600, 1_000, 1_400].map(measure) {
            let (weak, score) = handle.join().unwrap();
            let elo = -400.0 * (1.0 / score - 1.0).log10();
            // 200 games leave some 60 Elo of chance.
            assert!((elo - 300.0).abs() <= 100.0, "UCI_Elo {} against {weak}: {elo:.0} Elo", weak + 300);
        }
    });
}
