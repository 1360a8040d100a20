//! What the games of a curve show, a row for each limit: as a table, as CSV, and as a figure.

use crate::tasks::curve::curve_game::Kind;
use crate::tasks::curve::curve_record::CurveRecord;
use matches::elo::{Interval, Strength};
use matches::score::Points;
use matches::tally::Tally;
use search::mcts::search_contempt::INFINITE;
use std::collections::BTreeSet;
use std::fmt::{self, Write};
use support::chart::{Chart, Line};

/// The numbers of moves, of both players, after which games are compared.
pub const MOVES: [usize; 6] = [5, 10, 15, 20, 30, 40];
/// The height of a chart, in pixels.
const HEIGHT: usize = 320;

/// The games of one limit.
#[derive(Debug, Clone)]
pub struct Row {
    /// The limit of search-contempt.
    pub limit: u32,
    /// Games against itself: `(lost, drawn, won by White)`.
    pub results: [u64; 3],
    /// Their plies.
    pub plies: u64,
    /// `(number of moves)`: games whose moves up to there, or all if they have fewer, are those of a game with a lower number.
    pub repeated: [u64; MOVES.len()],
    /// Its games against PUCT.
    against_puct: Tally,
}

/// The curve.
#[derive(Debug, Clone)]
pub struct CurveReport {
    /// By limit, the least first.
    pub rows: Vec<Row>,
    /// Visits of each search.
    nodes: u64,
}

impl Row {
    fn new(limit: u32, games: &[&CurveRecord]) -> Self {
        let mut row =
            Self { limit, results: [0; 3], plies: 0, repeated: [0; MOVES.len()], against_puct: Tally::default() };
        let mut begun = [const { BTreeSet::new() }; MOVES.len()];
        for CurveRecord { game, result, moves } in games.iter().filter(|record| record.game.limit == limit) {
            if game.kind == Kind::Own {
                row.results[(result + 1) as usize] += 1;
                let moves: Vec<&str> = moves.split_whitespace().collect();
                row.plies += moves.len() as u64;
                for (index, count) in MOVES.iter().enumerate() {
                    let begin = moves[..moves.len().min(2 * count)].to_vec();
                    row.repeated[index] += u64::from(!begun[index].insert(begin));
                }
            } else {
                let of_limit = if game.game.is_multiple_of(2) { *result } else { -result };
                let points = [Points::Loss, Points::Draw, Points::Win][(of_limit + 1) as usize];
                row.against_puct.add(game.game / 2, points);
            }
        }
        row
    }

    /// Games against itself.
    pub fn games(&self) -> u64 {
        self.results.iter().sum()
    }

    /// Decided games for each drawn one, (w + l) / d: infinite without draws; `None` without games.
    pub fn decided(&self) -> Option<f64> {
        let [lost, drawn, won] = self.results;
        (self.games() > 0).then(|| (lost + won) as f64 / drawn as f64)
    }

    /// The percent of games that repeat another up to each number of moves; `None` without games.
    pub fn repeated_percent(&self) -> Option<[f64; MOVES.len()]> {
        (self.games() > 0).then(|| self.repeated.map(|count| 100.0 * count as f64 / self.games() as f64))
    }

    /// Its Elo against PUCT; `None` without games.
    pub fn elo(&self) -> Option<Interval> {
        Strength::of(&self.against_puct.score()).map(|strength| strength.elo)
    }

    fn name(&self) -> String {
        if self.limit == INFINITE { "PUCT".to_owned() } else { self.limit.to_string() }
    }
}

impl CurveReport {
    /// The report of these games, of searches of so many visits, with a row for each of these limits.
    pub fn new(games: &[CurveRecord], limits: &[u32], nodes: u64) -> Self {
        let mut games: Vec<&CurveRecord> = games.iter().collect();
        games.sort_by_key(|record| record.game);
        let mut limits = limits.to_vec();
        limits.sort_unstable();
        limits.dedup();
        Self { rows: limits.into_iter().map(|limit| Row::new(limit, &games)).collect(), nodes }
    }

    /// The rows as CSV.
    pub fn csv(&self) -> String {
        let repeated: String = MOVES.iter().map(|moves| format!(",repeated_{moves}")).collect();
        let mut csv = format!(
            "limit,games,white_wins,draws,black_wins,decided,plies{repeated},puct_games,puct_score,elo,elo_lower,elo_upper\n"
        );
        for row in &self.rows {
            let [lost, drawn, won] = row.results;
            let decided = row.decided().map_or(String::new(), |decided| format!("{decided:.4}"));
            let repeated: String = row.repeated.iter().map(|count| format!(",{count}")).collect();
            let score = row.against_puct.score();
            let mean = score.mean().map_or(String::new(), |mean| format!("{mean:.4}"));
            let elo = row.elo().map_or(",,".to_owned(), |Interval { lower, value, upper }| {
                format!("{value:.1},{lower:.1},{upper:.1}")
            });
            // Writing to a String cannot fail.
            let _ = writeln!(
                csv,
                "{},{},{won},{drawn},{lost},{decided},{}{repeated},{},{mean},{elo}",
                row.limit,
                row.games(),
                row.plies,
                score.games()
            );
        }
        csv
    }

    /// The figure: three charts over the logarithm of the limit, one below the other; PUCT stands at the visits of a search, which is
    /// the least limit that is never reached.
    ///
    /// # Errors
    /// If it cannot be drawn.
    pub fn svg(&self) -> anyhow::Result<String> {
        let x = |row: &Row| f64::from(row.limit).min(self.nodes as f64).log10();
        let line = |y: &dyn Fn(&Row) -> Option<f64>| -> Line {
            self.rows.iter().filter_map(|row| Some((x(row), y(row).filter(|y| y.is_finite())?))).collect()
        };
        let repeated = |index: usize| line(&|row| row.repeated_percent().map(|percent| percent[index]));
        let names = MOVES.map(|moves| format!("{moves} moves"));
        let elo = [
            line(&|row| row.elo().map(|elo| elo.value)),
            line(&|row| row.elo().map(|elo| elo.lower)),
            line(&|row| row.elo().map(|elo| elo.upper)),
        ];
        let ends = ["Elo", "lower", "upper"].map(str::to_owned);
        let axis = "log10 of the limit; PUCT at the visits of a search";
        let chart = |title, lines, names, marks| Chart { title, x: axis, lines, names, marks };
        let charts = [
            chart("Decided games for each drawn one", vec![line(&Row::decided)], &[], &[(1.0, "as many")]),
            chart("Games that repeat another, in percent", (0..MOVES.len()).map(repeated).collect(), &names, &[]),
            chart("Elo against PUCT, 95 %", elo.to_vec(), &ends, &[(0.0, "PUCT")]),
        ];
        let drawn = charts.iter().map(Chart::svg).collect::<anyhow::Result<Vec<_>>>()?;
        let drawn: Vec<String> = drawn.into_iter().flatten().collect();
        let height = HEIGHT * drawn.len();
        let placed = drawn
            .iter()
            .enumerate()
            .map(|(place, svg)| svg.replacen("<svg ", &format!("<svg y=\"{}\" ", HEIGHT * place), 1));
        let head = format!(
            "<svg width=\"620\" height=\"{height}\" viewBox=\"0 0 620 {height}\" xmlns=\"http://www.w3.org/2000/svg\">\n"
        );
        Ok(head + &placed.collect::<String>() + "</svg>\n")
    }
}

impl fmt::Display for CurveReport {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(
            f,
            "Games of each limit against itself, {} visits a move; repeated: up to so many moves, in percent",
            self.nodes
        )?;
        let moves: String = MOVES.iter().map(|moves| format!("{moves:>5}")).collect();
        writeln!(
            f,
            "{:>10} {:>6} {:>5} {:>5} {:>5} {:>8} {:>6} {moves}  Elo against PUCT",
            "limit", "games", "won", "drawn", "lost", "(w+l)/d", "plies"
        )?;
        for row in &self.rows {
            let [lost, drawn, won] = row.results;
            let decided = row.decided().map_or("-".to_owned(), |decided| format!("{decided:.2}"));
            let plies = row.plies as f64 / row.games().max(1) as f64;
            let repeated = row.repeated_percent();
            let repeated: String = (0..MOVES.len())
                .map(|at| repeated.map_or("    -".to_owned(), |percent| format!("{:>5.0}", percent[at])))
                .collect();
            let elo =
                row.elo().map_or("-".to_owned(), |elo| format!("{elo:.0} ({})", row.against_puct.score().total()));
            writeln!(
                f,
                "{:>10} {:>6} {won:>5} {drawn:>5} {lost:>5} {decided:>8} {plies:>6.0} {repeated}  {elo}",
                row.name(),
                row.games()
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::curve::curve_game::CurveGame;

    fn record(kind: Kind, limit: u32, game: u64, result: i8, moves: &str) -> CurveRecord {
        CurveRecord { game: CurveGame { kind, limit, game }, result, moves: moves.to_owned() }
    }

    /// Twelve plies that begin with this word.
    fn line(first: &str) -> String {
        format!("{first}{}", " x".repeat(11))
    }

    #[test]
    fn rows_count_results_repetitions_and_points() {
        let games = [
            record(Kind::Own, 5, 1, 0, &line("a")),
            record(Kind::Own, 5, 0, 1, &line("a")),
            record(Kind::Own, 5, 2, -1, &line("b")),
            // The same five moves, and then another.
            record(Kind::Own, 5, 3, 1, &format!("{} y", line("b").trim_end_matches(" x"))),
            record(Kind::Puct, 5, 0, 1, ""),
            record(Kind::Puct, 5, 1, 1, ""),
            record(Kind::Own, INFINITE, 0, 0, "a b"),
        ];
        let report = CurveReport::new(&games, &[INFINITE, 5, 9, 5], 400);
        let [five, nine, puct] = &report.rows[..] else { panic!("{report}") };
        assert_eq!((five.limit, five.results, five.games()), (5, [1, 1, 2], 4));
        assert_eq!(five.decided(), Some(3.0));
        assert!(five.repeated[0] >= 1 && five.repeated[1] == 1, "{:?}", five.repeated);
        assert_eq!(five.against_puct.score().total().to_string(), "+1 =0 -1");
        assert!(five.elo().is_some_and(|elo| elo.value.abs() < 1e-9));
        assert_eq!((nine.games(), nine.decided(), nine.elo().is_some()), (0, None, false));
        assert_eq!((puct.name(), puct.decided(), puct.repeated), ("PUCT".to_owned(), Some(0.0), [0; MOVES.len()]));
        let (text, csv) = (report.to_string(), report.csv());
        assert!(text.contains("      PUCT ") && text.lines().count() == 5, "{text}");
        let columns = |line: &str| line.split(',').count();
        let header = csv.lines().next().map(columns);
        assert!(csv.lines().count() == 4 && csv.lines().all(|line| Some(columns(line)) == header), "{csv}");
        let svg = report.svg().unwrap();
        assert_eq!(svg.matches("<svg ").count(), 4);
        assert!(svg.contains("<svg y=\"640\"") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn a_report_by_hand() {
        // Two games begin alike for five moves, and one with them for four; two others are the same three plies.
        let begin = |plies: usize| ["a"; 80][..plies].join(" ");
        let games = [
            record(Kind::Own, 5, 0, 1, &format!("{} b c", begin(10))),
            record(Kind::Own, 5, 1, 0, &format!("{} d e", begin(10))),
            record(Kind::Own, 5, 2, -1, &begin(3)),
            record(Kind::Own, 5, 3, -1, &begin(3)),
            record(Kind::Own, 5, 4, 0, &format!("{} f g h", begin(8))),
            record(Kind::Own, INFINITE, 0, 1, "a b"),
            // White, Black, and a game that waits for its partner.
            record(Kind::Puct, 5, 0, 1, ""),
            record(Kind::Puct, 5, 1, 0, ""),
            record(Kind::Puct, 5, 2, -1, ""),
            record(Kind::Puct, 5, 5, -1, ""),
        ];
        let report = CurveReport::new(&games, &[INFINITE, 9, 5], 1_000);
        assert_eq!(report.rows[0].repeated_percent(), Some([40.0, 20.0, 20.0, 20.0, 20.0, 20.0]));
        let (csv, text) = (report.csv(), report.to_string());
        let [five, nine, puct] = report.rows.iter().map(|row| row.elo()).collect::<Vec<_>>()[..] else { panic!() };
        assert!(nine.is_none() && puct.is_none());
        let Interval { lower, value, upper } = five.unwrap();
        assert!(value > 80.0 && lower < 0.0 && upper > value, "{lower} {value} {upper}");
        assert_eq!(
            csv,
            format!(
                "limit,games,white_wins,draws,black_wins,decided,plies,repeated_5,repeated_10,repeated_15,repeated_20,repeated_30,\
                 repeated_40,puct_games,puct_score,elo,elo_lower,elo_upper\n\
                 5,5,1,2,2,1.5000,41,2,1,1,1,1,1,4,0.6250,{value:.1},{lower:.1},{upper:.1}\n\
                 9,0,0,0,0,,0,0,0,0,0,0,0,0,,,,\n\
                 {INFINITE},1,1,0,0,inf,2,0,0,0,0,0,0,0,,,,\n"
            )
        );
        assert_eq!(
            text,
            format!(
                "Games of each limit against itself, 1000 visits a move; repeated: up to so many moves, in percent\n     \
                 limit  games   won drawn  lost  (w+l)/d  plies     5   10   15   20   30   40  Elo against PUCT\n         \
                 5      5     1     2     2     1.50      8    40   20   20   20   20   20  +89 [-236, +414] (+2 =1 -1)\n         \
                 9      0     0     0     0        -      0     -    -    -    -    -    -  -\n      \
                 PUCT      1     1     0     0      inf      2     0    0    0    0    0    0  -\n"
            )
        );
    }

    #[test]
    fn a_figure_has_a_chart_for_each_number_that_is_known() {
        let own = record(Kind::Own, 100, 0, 0, "a b");
        let svg = CurveReport::new(std::slice::from_ref(&own), &[100], 400).svg().unwrap();
        assert!(svg.starts_with("<svg width=\"620\" height=\"640\" viewBox=\"0 0 620 640\" "), "{svg}");
        assert!(
            svg.contains("<svg y=\"0\" ") && svg.contains("<svg y=\"320\" ") && !svg.contains("Elo against PUCT, 95 %")
        );
        assert!(svg.contains("as many") && svg.contains("40 moves"));
        let puct = record(Kind::Puct, 100, 0, 0, "");
        let svg = CurveReport::new(&[own, puct], &[100], 400).svg().unwrap();
        assert!(svg.contains("height=\"960\"") && svg.contains("Elo against PUCT, 95 %") && svg.contains("lower"));
    }
}
