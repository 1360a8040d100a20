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
