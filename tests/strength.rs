//! Limited strength over whole games.

use board::{Game, Outcome, Position};
use engine::EngineSpec;
use search::{SearchLimits, Silent};

/// How many of these games from a pawn about to promote a level wins, against an opponent that searches.
fn mates(elo: u32, starts: &[&str]) -> usize {
    let engine = || EngineSpec { hash_megabytes: 1, ..EngineSpec::default() }.build().unwrap();
    let (mut weak, mut other) = (engine(), engine());
    let limits = |nodes| SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
    let wins = |(seed, start): (usize, &&str)| {
        weak.limit_strength(Some(elo), seed as u64);
        let mut game = Game::new(Position::from_fen(start).unwrap());
        while game.outcome().is_none() {
            let is_white = game.moves().len().is_multiple_of(2);
            let (player, nodes) = if is_white { (&mut weak, 10_000) } else { (&mut other, 100) };
            let found = player.search(&game, &limits(nodes), &mut Silent);
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
    let (weak, weakest) = (mates(1_000, &starts), mates(234, &starts));
    assert!(weak >= 5 && weakest < weak, "{weak} and {weakest} of {}", starts.len());
}
