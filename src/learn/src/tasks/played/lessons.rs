//! What games teach: a target for the leaf of every turn whose value is the network's.

use crate::data::episode::Step;
use crate::data::example::Example;
use crate::data::played_turns::OwnGame;
use crate::targets::knightcap::TurnTargets;
use crate::train::rehearsal::Effect;
use board::Color;
use std::fmt::Write as _;

/// One game in so many is held out.
const HELD_OUT: usize = 5;
/// Largest changes that are listed.
const CHANGES: usize = 10;

/// What games teach.
#[derive(Default)]
pub struct Lessons {
    /// `[learned, held out]`.
    pub split: [Vec<Example>; 2],
    games: usize,
    turns: usize,
    /// Rises that did not count.
    clipped: usize,
    /// The sum of the turns' values.
    value: f64,
    /// Of every lesson its change, the value, the game and the leaf.
    all: Vec<(f32, f32, u64, String)>,
}

impl Lessons {
    /// Those of games with the turns of each, by these rules.
    pub fn of(games: &[OwnGame], turns: &[Vec<Step>], rules: &TurnTargets) -> Self {
        let mut lessons = Self { games: games.len(), ..Self::default() };
        for (number, (own, turns)) in games.iter().zip(turns).enumerate() {
            let rating = |tag: &str| own.game.annotations.tag(tag).parse::<i32>().ok();
            let (white, black) = (rating("WhiteElo"), rating("BlackElo"));
            let (mine, theirs) = if own.color == Color::White { (white, black) } else { (black, white) };
            let weaker = mine.zip(theirs).is_some_and(|(mine, theirs)| theirs < mine);
            let found = rules.of(turns, own.result(), weaker);
            lessons.clipped += found.clipped;
            for (turn, target) in turns.iter().zip(found.targets) {
                lessons.turns += 1;
                lessons.value += f64::from(turn.value);
                let Some(example) = turn.example(target) else { continue };
                let leaf = example.position.to_fen(false);
                lessons.all.push((target - turn.value, turn.value, own.game.number, leaf));
                lessons.split[usize::from(number % HELD_OUT == HELD_OUT - 1)].push(example);
            }
        }
        lessons
    }

    /// The lessons and what they did.
    pub fn report(&self, effect: &Effect) -> String {
        let turns = self.turns.max(1) as f64;
        let errors = |name: &str, part: usize, [before, after]: [f64; 2]| {
            format!("{} leaves {name}: error {before:.5} before, {after:.5} after\n", self.split[part].len())
        };
        format!(
            "{} games, {} turns with a mean value of {:+.4}; {:.1} % of the differences are rises that do not count\n{}{}\
             other positions: values change by {:.5}\n",
            self.games,
            self.turns,
            self.value / turns,
            100.0 * self.clipped as f64 / turns,
            errors("to learn", 0, effect.learned),
            errors("of other games", 1, effect.held_out),
            effect.drift
        )
    }

    /// The largest changes that the games ask for.
    pub fn changes(&self) -> String {
        let mut all: Vec<_> = self.all.iter().collect();
        all.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        let mut text = "largest changes (for the learner): value, target, game, leaf\n".to_owned();
        for (change, value, game, leaf) in all.into_iter().take(CHANGES) {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{value:+.3} -> {:+.3}  game {game}  {leaf}", value + change);
        }
        text
    }
}
