//! Repetitions, keys, the fifty-move rule, and null moves.

mod common;

use board::{Game, History, Outcome, Position};
use rand::RngExt;

fn play(position: &Position, moves: &str) -> Position {
    moves.split_whitespace().fold(position.clone(), |position, text| position.play(position.parse_san(text).unwrap()))
}

fn play_game(game: &mut Game, moves: &str) {
    for text in moves.split_whitespace() {
        game.play(game.position().parse_san(text).unwrap());
    }
}

/// Plays `moves` as a search does: the parent's key is pushed before every move.
fn search_line(history: &mut History, position: &Position, moves: &str) -> Position {
    moves.split_whitespace().fold(position.clone(), |position, text| {
        history.push(position.key());
        position.play(position.parse_san(text).unwrap())
    })
}

const CIRCLE: &str = "Nf3 Nf6 Ng1 Ng8";

#[test]
fn a_game_is_drawn_at_the_third_occurrence() {
    let mut game = Game::new(Position::start());
    play_game(&mut game, CIRCLE);
    assert_eq!(game.outcome(), None);
    play_game(&mut game, "Nf3 Nf6 Ng1");
    assert_eq!(game.outcome(), None);
    play_game(&mut game, "Ng8");
    assert_eq!(game.outcome(), Some(Outcome::Repetition));
    assert_eq!(game.moves().len(), 8);
    assert_eq!(*game.start(), Position::start());
}

#[test]
fn a_repetition_inside_the_tree_is_a_draw() {
    let root = Position::start();
    let mut history = History::default();
    history.mark_root();
    let again = search_line(&mut history, &root, CIRCLE);
    assert!(history.is_repetition(&again), "the root counts as a position of the tree");
    history.pop();
    let before = play(&root, "Nf3 Nf6 Ng1");
    assert!(!history.is_repetition(&before));
}

#[test]
fn one_earlier_occurrence_in_the_game_is_not_a_draw() {
    let mut game = Game::new(Position::start());
    play_game(&mut game, "Nf3");
    let mut history = game.history().clone();
    let start_again = search_line(&mut history, game.position(), "Nf6 Ng1 Ng8");
    assert!(!history.is_repetition(&start_again), "met once, before the root");
    let third = search_line(&mut history, &start_again, CIRCLE);
    assert!(history.is_repetition(&third));
}

#[test]
fn irreversible_moves_and_lost_castling_rights_end_repetitions() {
    let mut game = Game::new(Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap());
    // The first rook moves lose the castling rights, so this position has occurred twice, not three times.
    play_game(&mut game, "Rb1 Rb8 Ra1 Ra8 Rb1 Rb8 Ra1 Ra8");
    assert_eq!(game.outcome(), None);
    play_game(&mut game, "Rb1 Rb8 Ra1 Ra8");
    assert_eq!(game.outcome(), Some(Outcome::Repetition));
}

#[test]
fn repetitions_agree_with_a_slow_count() {
    let mut rng = common::rng(11);
    let (mut in_tree, mut with_game) = (0, 0);
    for _ in 0..3_000 {
        let start = Position::from_fen("k7/8/8/8/8/7p/7P/K7 w - - 0 1").unwrap();
        let mut position = start;
        let mut history = History::default();
        let mut past: Vec<(Position, bool)> = Vec::new();
        let root = rng.random_range(0..80);
        for ply in 0..80 {
            if ply == root {
                history.mark_root();
            }
            history.push(position.key());
            past.push((position.clone(), ply >= root));
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.play(moves[rng.random_range(0..moves.len())]);
            if ply < root {
                history.mark_root();
            }
            let same: Vec<bool> =
                past.iter().filter(|(old, _)| old.key() == position.key()).map(|&(_, tree)| tree).collect();
            let expected = same.len() >= 2 || same.iter().any(|&tree| tree);
            assert_eq!(history.is_repetition(&position), expected);
            in_tree += usize::from(same.iter().any(|&tree| tree));
            with_game += usize::from(same.len() >= 2 && same.iter().all(|&tree| !tree));
        }
    }
    assert!(in_tree > 3_000 && with_game > 300, "{in_tree} in the tree, {with_game} with the game");
}

#[test]
fn transpositions_have_equal_keys() {
    let start = Position::start();
    let pairs = [
        ("Nf3 d5 d4", "d4 d5 Nf3"),
        ("e4 e5 Nf3 Nc6 Bb5 a6 O-O", "e4 a6 Nf3 e5 Bb5 Nc6 O-O"),
        ("e3 e6 e4 e5 d3", "d3 e6 e3 e5 e4"),
    ];
    for (one, other) in pairs {
        assert_eq!(play(&start, one).key(), play(&start, other).key(), "{one} and {other}");
    }
    assert_ne!(play(&start, "e4 e5 Ke2 Ke7 Ke1 Ke8").key(), play(&start, "e4 e5").key(), "castling rights are lost");
    assert_ne!(play(&start, "e4 e5").key(), play(&start, "e3 e6 e4 e5 d3").key());
}

#[test]
fn only_a_legal_en_passant_capture_is_part_of_the_key() {
    let phantom = play(&Position::start(), "e4");
    let plain = Position::from_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").unwrap();
    assert_eq!(phantom.key(), plain.key());
    assert_eq!(phantom, plain);

    let fen = |ep| format!("4k3/8/8/8/3pP3/8/8/4K3 b - {ep} 0 1");
    let (real, without) = (Position::from_fen(&fen("e3")).unwrap(), Position::from_fen(&fen("-")).unwrap());
    assert_ne!(real.key(), without.key());
    assert_ne!(real, without);
    assert_eq!(real.to_fen(false), fen("e3"));

    // The capture would expose the king to the rook on h4.
    let fen = |ep| format!("8/8/8/8/k2pP2R/8/8/4K3 b - {ep} 0 1");
    let (pinned, without) = (Position::from_fen(&fen("e3")).unwrap(), Position::from_fen(&fen("-")).unwrap());
    assert_eq!(pinned.key(), without.key());
    assert_eq!(pinned, without);
    assert_eq!(pinned.to_fen(false), fen("-"));
}

#[test]
fn checkmate_precedes_the_fifty_move_rule() {
    let quiet = Position::from_fen("7k/8/5K2/8/8/8/8/R7 w - - 99 80").unwrap();
    assert_eq!(quiet.outcome(), None);
    assert_eq!(play(&quiet, "Ra2").outcome(), Some(Outcome::FiftyMoves));
    let mating = Position::from_fen("7k/8/6K1/8/8/8/8/R7 w - - 99 80").unwrap();
    assert_eq!(play(&mating, "Ra8#").outcome(), Some(Outcome::Mated));
    let mated = Position::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 100 80").unwrap();
    assert_eq!(mated.outcome(), Some(Outcome::Mated));
    let stalemated = Position::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 100 80").unwrap();
    assert_eq!(stalemated.outcome(), Some(Outcome::Stalemate));
}

#[test]
fn a_null_move_has_the_key_of_its_position() {
    common::random_positions(12, 200, 60, |position| {
        let Some(after) = position.null_move() else {
            assert!(position.in_check());
            return;
        };
        let fen = after.to_fen(true);
        assert_eq!(Position::from_fen(&fen).unwrap(), after);
        assert_eq!(Position::from_fen(&fen).unwrap().key(), after.key());
        assert_ne!(after.side_to_move(), position.side_to_move());
    });
}
