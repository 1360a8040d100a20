//! The report of a match, as text and as JSON.

use super::elo::{Interval, Strength};
use super::limit_uses::LimitUses;
use super::ratings::{Anchor, Ratings, rate};
use super::runner_lateness::RunnerLateness;
use super::score::{Pentanomial, Trinomial};
use super::sprt::{Sprt, Verdict};
use super::standings::{Faults, HeadToHead, Standings};
use super::termination::Termination;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

/// The most games of a fault that are listed.
const LISTED: usize = 10;

/// The report of a match.
#[derive(Debug, Clone, Serialize)]
pub struct MatchReport {
    /// The number of games that count.
    pub games: u64,
    /// The number of games planned; `None` for merged matches.
    pub planned: Option<u64>,
    /// The scores between each two players that met.
    #[serde(rename = "encounters")]
    pub head_to_heads: Vec<HeadToHeadReport>,
    /// The sequential test, if there is one.
    pub sprt: Option<SprtReport>,
    /// The ratings, for more than two players.
    pub ratings: Option<Ratings>,
    /// White's score over all games.
    pub white: Trinomial,
    /// The number of games by termination.
    #[serde(rename = "endings")]
    pub terminations: BTreeMap<Termination, u64>,
    /// The faults by which players lost.
    pub faults: Vec<Faults>,
    /// How the players kept their limits, by name; those that did not are also named in the text.
    pub limit_uses: BTreeMap<String, LimitUses>,
    /// How late the runner itself was in the games with time limits; `None` without such games.
    pub runner_lateness: Option<RunnerLateness>,
    /// Players that were more than one engine or program, by name, with each of them.
    pub mixed: BTreeMap<String, Vec<String>>,
}

/// Two players' games, from the first one's side.
#[derive(Debug, Clone, Serialize)]
pub struct HeadToHeadReport {
    /// The player whose score it is.
    pub player: String,
    /// Its opponent.
    pub opponent: String,
    /// All games.
    pub score: Trinomial,
    /// The complete pairs.
    pub pairs: Pentanomial,
    /// The games with White.
    pub as_white: Trinomial,
    /// The games with Black.
    pub as_black: Trinomial,
    /// The difference in strength; `None` without games.
    pub strength: Option<Strength>,
}

/// The state of a sequential test.
#[derive(Debug, Clone, Serialize)]
pub struct SprtReport {
    /// The test.
    pub test: Sprt,
    /// The logarithm of the likelihood ratio.
    pub llr: f64,
    /// At or below this, H0 is accepted.
    pub lower: f64,
    /// At or above this, H1 is accepted.
    pub upper: f64,
    /// The result.
    pub verdict: Verdict,
    /// Once the test is decided, the difference in logistic Elo without the bias of stopping by the results (`sprt_estimate`):
    /// the median-unbiased estimate and its 95 % interval. The Elo of the encounter is the naive one.
    pub unbiased_elo: Option<Interval>,
}

impl MatchReport {
    /// The report of these games; none of its players is mixed.
    ///
    /// # Errors
    /// If the games cannot be rated: a player met itself.
    pub fn new(standings: &Standings, planned: Option<u64>, sprt: Option<&Sprt>) -> anyhow::Result<Self> {
        let names = &standings.names;
        let ratings = match names.len() > 2 {
            true => Some(rate(names, &standings.pairings(), Anchor::Mean)?),
            false => None,
        };
        let head_to_heads: Vec<_> = standings.head_to_heads.iter().map(|met| head_to_head(met, names)).collect();
        let sprt = sprt.map(|test| {
            let score = standings.head_to_heads.first().map(HeadToHead::score).unwrap_or_default();
            let llr = test.llr(&score);
            let (lower, upper, verdict) = (test.lower(), test.upper(), test.verdict(llr));
            SprtReport { test: *test, llr, lower, upper, verdict, unbiased_elo: test.estimate(&score) }
        });
        Ok(Self {
            games: standings.white.games(),
            planned,
            head_to_heads,
            sprt,
            ratings,
            white: standings.white,
            terminations: standings.terminations.clone(),
            faults: standings.faults.clone(),
            limit_uses: names.iter().cloned().zip(standings.limit_uses.iter().copied()).collect(),
            runner_lateness: standings.runner_lateness,
            mixed: BTreeMap::new(),
        })
    }
}

/// Whether a file is a report in JSON of games between players of these names.
pub fn is_report_of(path: &Path, names: &[String]) -> bool {
    let text = if path.is_file() { fs::read_to_string(path).unwrap_or_default() } else { String::new() };
    let report: Value = serde_json::from_str(&text).unwrap_or_default();
    let is_known = |name: &Value| name.as_str().is_some_and(|name| names.iter().any(|known| known == name));
    let encounters = report["encounters"].as_array();
    encounters.is_some_and(|met| met.iter().all(|met| is_known(&met["player"]) && is_known(&met["opponent"])))
}

fn head_to_head(met: &HeadToHead, names: &[String]) -> HeadToHeadReport {
    let score = met.score();
    HeadToHeadReport {
        player: names[met.first].clone(),
        opponent: names[met.second].clone(),
        score: score.total(),
        pairs: score.pairs(),
        as_white: met.by_color[0],
        as_black: met.by_color[1],
        strength: Strength::of(&score),
    }
}

impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "games      {}", self.games)?;
        match self.planned {
            Some(planned) if planned != self.games => writeln!(f, " of {planned}")?,
            _ => writeln!(f)?,
        }
        if let Some(ratings) = &self.ratings {
            write!(f, "\n{ratings}")?;
        }
        for met in &self.head_to_heads {
            if self.head_to_heads.len() > 1 {
                writeln!(f)?;
            }
            write!(f, "{met}")?;
        }
        if let Some(sprt) = &self.sprt {
            writeln!(f, "SPRT       {sprt}")?;
        }
        if self.head_to_heads.len() > 1 {
            writeln!(f)?;
        }
        writeln!(f, "White      {}", self.white)?;
        let terminations: Vec<_> =
            self.terminations.iter().map(|(termination, count)| format!("{} {count}", termination.name())).collect();
        writeln!(f, "endings    {}", terminations.join(", "))?;
        for (player, identities) in &self.mixed {
            identities.iter().try_for_each(|identity| writeln!(f, "mixed      {player}: {identity}"))?;
        }
        for (player, uses) in self.limit_uses.iter().filter(|(_, uses)| uses.is_odd()) {
            writeln!(f, "limits     {player}: {uses}; its games are not on equal terms")?;
        }
        if let Some(lateness) = &self.runner_lateness {
            writeln!(f, "runner     {lateness}")?;
        }
        for fault in &self.faults {
            let named: Vec<_> = fault.games.iter().take(LISTED).map(u64::to_string).collect();
            let more = if fault.games.len() > LISTED { ", ..." } else { "" };
            let Faults { player, kind, games } = fault;
            writeln!(f, "faults     {player}: {} {} (games {}{more})", kind.name(), games.len(), named.join(", "))?;
        }
        Ok(())
    }
}

impl fmt::Display for HeadToHeadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { player, opponent, score, pairs, as_white, as_black, strength } = self;
        write!(f, "{player} against {opponent}: {score}")?;
        let Some(strength) = strength else {
            return writeln!(f);
        };
        let (points, games) = (score.points(), score.games());
        writeln!(f, ", {points:.1} of {games} points, {:.2} %", 100.0 * points / games as f64)?;
        writeln!(f, "Elo        {} (95 %), normalized {}", strength.elo, strength.normalized)?;
        writeln!(f, "LOS        {:.1} %, draws {:.1} %", 100.0 * strength.los, 100.0 * strength.draw_ratio)?;
        writeln!(f, "pairs      {pairs} with 0, 1/2, 1, 1 1/2 and 2 points")?;
        writeln!(f, "colors     with White {as_white}, with Black {as_black}")
    }
}

impl fmt::Display for SprtReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { test, llr, lower, upper, verdict, unbiased_elo } = self;
        let verdict = match verdict {
            Verdict::AcceptH1 => "H1 is accepted",
            Verdict::AcceptH0 => "H0 is accepted",
            Verdict::Continue => "undecided",
        };
        write!(f, "{test}: LLR {llr:.2} ({lower:.2}, {upper:.2}), {verdict}")?;
        match unbiased_elo {
            Some(elo) => write!(
                f,
                "\nunbiased   Elo {elo} (95 %, median-unbiased after the stop; the Elo above does not know of it)"
            ),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::GameRecord;
    use super::super::sprt::EloModel;
    use super::*;
    use pgn::GameResult::{self, BlackWins, Draw, WhiteWins};

    fn standings(names: &[&str], games: &[(u64, &str, &str, GameResult, Termination)]) -> Standings {
        let mut standings = Standings::new(names.iter().map(|&name| name.to_owned()).collect());
        for &(game, white, black, result, termination) in games {
            let (white, black, reason, pgn) = (white.into(), black.into(), String::new(), String::new());
            let limit_uses = [LimitUses { moves: 10, nodes: 50, ..LimitUses::default() }; 2];
            let runner_lateness = None;
            let record =
                GameRecord { game, white, black, result, termination, reason, pgn, limit_uses, runner_lateness };
            standings.add(&record, 0);
        }
        standings
    }

    const MATE: Termination = Termination::Mate;
    const EVEN: Termination = Termination::Repetition;

    #[test]
    fn two_players_have_no_table_and_the_first_games_of_a_fault_are_listed() {
        // A wins 23 of 24 games with pairs of 2 points, and one pair has 1: 10 crashes of B, then 11 losses on time.
        let mut games = Vec::new();
        for game in 1..=24 {
            let termination = match game {
                1..=10 => Termination::Crash,
                11..=21 => Termination::TimeLoss,
                _ => MATE,
            };
            let result = if game % 2 == 1 || game == 24 { WhiteWins } else { BlackWins };
            let (white, black) = if game % 2 == 1 { ("A", "B") } else { ("B", "A") };
            games.push((game, white, black, result, termination));
        }
        let mut standings = standings(&["A", "B"], &games);
        standings.limit_uses[1].exceeded = 30;
        let sprt = Sprt::new(0.0, 1.0, 0.05, 0.05, EloModel::Logistic).unwrap();
        let mut report = MatchReport::new(&standings, Some(30), Some(&sprt)).unwrap();
        report.mixed.insert("A".to_owned(), vec!["one".to_owned(), "two".to_owned()]);
        let expected = "\
games      24 of 30
A against B: +23 =0 -1, 23.0 of 24 points, 95.83 %
Elo        +544.7 [+189.7, +899.7] (95 %), normalized +575.1 [+436.1, +714.1]
LOS        100.0 %, draws 0.0 %
pairs      [0, 0, 1, 0, 11] with 0, 1/2, 1, 1 1/2 and 2 points
colors     with White +12 =0 -0, with Black +11 =0 -1
SPRT       elo0=0 elo1=1 alpha=0.05 beta=0.05 model=logistic: LLR 0.03 (-2.94, 2.94), undecided
White      +13 =0 -11
endings    mate 3, loss on time 11, crash 10
mixed      A: one
mixed      A: two
limits     B: more than its limit in 30 of 240 moves (5 nodes a move); its games are not on equal terms
faults     B: crash 10 (games 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
faults     B: loss on time 11 (games 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, ...)
";
        assert_eq!(report.to_string(), expected);
        report.planned = Some(24);
        assert!(report.to_string().starts_with("games      24\nA against B"));
        report.planned = None;
        assert!(report.to_string().starts_with("games      24\nA against B"));
    }

    #[test]
    fn three_players_have_a_table_and_their_encounters_apart() {
        let games = [
            (1, "A", "B", WhiteWins, MATE),
            (2, "B", "A", Draw, EVEN),
            (3, "A", "C", Draw, EVEN),
            (4, "C", "A", BlackWins, MATE),
            (5, "B", "C", BlackWins, MATE),
            (6, "C", "B", BlackWins, MATE),
            (7, "A", "C", BlackWins, MATE),
        ];
        let report = MatchReport::new(&standings(&["A", "B", "C"], &games), None, None).unwrap();
        // Computed apart from this code: Wilson's bounds, and the ratings by steps along the gradient.
        let expected = "\
games      7

   # Player   Rating  95 % ±    Games    Points   Score     LOS
   1 A         +51.9   162.7        5       3.0  60.0 %  62.7 %
   2 C          +7.5   160.4        5       2.5  50.0 %  66.8 %
   3 B         -59.4   181.7        4       1.5  37.5 %       -

A against B: +1 =1 -0, 1.5 of 2 points, 75.00 %
Elo        +190.8 [-270.3, +652.0] (95 %), normalized +109.9 [-371.6, +591.4]
LOS        67.3 %, draws 50.0 %
pairs      [0, 0, 0, 1, 0] with 0, 1/2, 1, 1 1/2 and 2 points
colors     with White +1 =0 -0, with Black +0 =1 -0

A against C: +1 =1 -1, 1.5 of 3 points, 50.00 %
Elo        +0.0 [-361.7, +361.7] (95 %), normalized +0.0 [-393.2, +393.2]
LOS        50.0 %, draws 33.3 %
pairs      [0, 0, 0, 1, 0] with 0, 1/2, 1, 1 1/2 and 2 points
colors     with White +0 =1 -1, with Black +1 =0 -0

B against C: +1 =0 -1, 1.0 of 2 points, 50.00 %
Elo        +0.0 [-392.5, +392.5] (95 %), normalized +0.0 [-481.5, +481.5]
LOS        50.0 %, draws 0.0 %
pairs      [0, 0, 1, 0, 0] with 0, 1/2, 1, 1 1/2 and 2 points
colors     with White +0 =0 -1, with Black +1 =0 -0

White      +1 =2 -4
endings    mate 5, repetition 2
";
        assert_eq!(report.to_string(), expected);
    }

    #[test]
    fn a_verdict_and_an_unbiased_estimate_are_said() {
        let test = Sprt::new(0.0, 5.0, 0.05, 0.05, EloModel::Logistic).unwrap();
        let told = |verdict, unbiased_elo| {
            SprtReport { test, llr: -1.234, lower: -2.944, upper: 2.946, verdict, unbiased_elo }.to_string()
        };
        let beginning = "elo0=0 elo1=5 alpha=0.05 beta=0.05 model=logistic: LLR -1.23 (-2.94, 2.95), ";
        assert_eq!(told(Verdict::Continue, None), format!("{beginning}undecided"));
        assert_eq!(told(Verdict::AcceptH0, None), format!("{beginning}H0 is accepted"));
        let elo = Some(Interval { lower: -1.0, value: 2.5, upper: 7.0 });
        let end = "\nunbiased   Elo +2.5 [-1.0, +7.0] \
                   (95 %, median-unbiased after the stop; the Elo above does not know of it)";
        assert_eq!(told(Verdict::AcceptH1, elo), format!("{beginning}H1 is accepted{end}"));
    }

    #[test]
    fn a_report_of_other_players_or_another_file_is_not_ours() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let games = [(1, "A", "B", WhiteWins, MATE), (2, "C", "A", Draw, EVEN)];
        let report = MatchReport::new(&standings(&["A", "B", "C"], &games), None, None).unwrap();
        std::fs::write(&path, serde_json::to_string(&report).unwrap()).unwrap();
        assert!(is_report_of(&path, &names(&["A", "B", "C"])) && is_report_of(&path, &names(&["D", "C", "B", "A"])));
        for known in [&["A", "B"][..], &["B", "C"], &["A"], &[]] {
            assert!(!is_report_of(&path, &names(known)), "{known:?}");
        }
        for (text, ours) in [
            ("{\"encounters\":[]}", true),
            ("{\"encounters\":[{\"player\":\"A\",\"opponent\":\"B\"}]}", true),
            ("{\"encounters\":[{\"player\":\"A\",\"opponent\":\"X\"}]}", false),
            ("{\"encounters\":[{\"player\":\"X\",\"opponent\":\"A\"}]}", false),
            ("{\"encounters\":[{\"player\":\"A\"}]}", false),
            ("{\"games\":1}", false),
            ("[1]", false),
            ("no JSON", false),
            ("", false),
        ] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(is_report_of(&path, &names(&["A", "B"])), ours, "{text}");
        }
        assert!(!is_report_of(folder.path(), &names(&["A", "B"])));
        assert!(!is_report_of(&path.with_file_name("none.json"), &names(&["A", "B"])));
    }
}
