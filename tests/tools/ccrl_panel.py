#!/usr/bin/env python3
"""About what rating has Okapi on the scale of the CCRL lists? One joint rating against four engines of known rating.

    apt-get install gnuchess glaurung toga2 stockfish
    python3 tests/tools/ccrl_panel.py --state panel --games 100 --tc 10+0.1

Okapi meets each engine of the panel in a match of its own (okapi match). The joint rating is the one at which the points expected of
all games together are those that were made (the maximum likelihood, ratings of the panel taken for exact):

    sum of n_i / (1 + 10^((R_i - R) / 400)) = points

Its 95 % interval is that of the games alone, by the scatter of their results. How far the panel's own ratings are from each other's is
shown by Okapi's rating against each. An engine far weaker or stronger says little, so that the interval is honest where most engines are
beaten nearly always: with Stockfish above and the others below, the rating is between known ones instead of beyond them.

Where each rating comes from stands beside it. The list's own pages were not at hand, only what others quote of them, and quotes of
different years, between which its scale may have moved. What it says today is given by --rating NAME=ELO. Its games are longer than
those played here. The same command goes on where it was stopped.
"""

import argparse
import json
import math
import os
import subprocess
import sys

# Name: rating, words of a match's player. All of one thread and without a book of their own.
PANEL = {
    # GNU Chess 6.2.5 on CCRL's list of 40 moves in 2 minutes, as quoted by https://en.wikipedia.org/wiki/GNU_Chess. Debian has 6.2.7.
    "gnuchess": (2661, "cmd='gnuchess --uci' option.Hash=64 option.OwnBook=false"),
    # Glaurung 2.2 64-bit, one processor: 2793 +- 13 after 1,396 games on CCRL 40/15 of 7 August 2026, as quoted by
    # https://github.com/mjglatzmaier/haVoc (README.md, scripts/testing/README.md).
    "glaurung": (2793, "cmd=glaurung option.Threads=1 option.Hash=64 option.OwnBook=false"),
    # Toga II 3.0 of Debian, in a table of 30 April 2016 in https://github.com/ryanhs/chess-puzzle-tester (database.sql). It does not
    # name its list, but its Fruit 2.1 (2693) and Glaurung 2.2 (2785) are within 8 Elo of CCRL's of 2026 (2694, 2793; same source as above).
    "toga2": (2854, "cmd=toga2 option.Hash=64 option.OwnBook=false"),
    # Stockfish 15 64-bit, one processor: WhiteElo of a game that CCRL 40/15 (https://computerchess.org.uk/ccrl/4040/) published on
    # 20 April 2022. Debian has 15.1, the next release; of that no rating on one processor was found.
    "stockfish": (3511, "cmd=stockfish option.Threads=1 option.Hash=64"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="target/release/okapi", metavar="PROGRAM")
    parser.add_argument("--player", default="okapi hash=64", metavar="WORDS", help="Okapi as a player of the match")
    parser.add_argument("--openings", metavar="FILE", help="openings for the games (.epd, .pgn or .bin); default: 8 random plies")
    parser.add_argument("--state", required=True, metavar="FOLDER", help="the records of the matches")
    parser.add_argument("--games", type=int, default=100, help="games against each engine")
    parser.add_argument("--tc", default="10+0.1", metavar="CONTROL")
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rating", action="append", default=[], metavar="NAME=ELO", help="another rating of an engine of the panel")
    options = parser.parse_args()
    ratings = {name: rating for name, (rating, _) in PANEL.items()}
    for text in options.rating:
        name, _, rating = text.partition("=")
        if name not in ratings or not rating.isdigit():
            sys.exit(f"--rating {text}: it must be NAME=ELO of one of {', '.join(ratings)}")
        ratings[name] = int(rating)
    os.makedirs(options.state, exist_ok=True)
    scores = {name: play(options, name) for name in PANEL}
    report(ratings, scores, options.tc)


def play(options, name):
    """Okapi's wins, draws and losses against an engine of the panel."""
    record = os.path.join(options.state, f"{name}.state")
    command = [options.engine, "match", "--player", f"{options.player} name=okapi", "--player", f"{PANEL[name][1]} name={name}",
               "--games", str(options.games), "--tc", options.tc,
               "--seed", str(options.seed), "--concurrency", str(options.concurrency), "--state", record, "--json", "-"]
    if options.openings:
        command += ["--openings", options.openings, "--order", "random"]
    print(f"okapi against {name}", file=sys.stderr)
    result = subprocess.run(command, stdout=subprocess.PIPE)
    if result.returncode:
        sys.exit(result.returncode)
    encounter = json.loads(result.stdout)["encounters"][0]
    score = [encounter["score"][key] for key in ("wins", "draws", "losses")]
    return score if encounter["player"] == "okapi" else score[::-1]


def expected(rating, opponent):
    return 1 / (1 + 10 ** ((opponent - rating) / 400))


def joint(pairs):
    """The rating at which the expected points are those made, and its standard error; infinite where all was won or lost."""
    points = sum(wins + draws / 2 for _, (wins, draws, _) in pairs)
    games = sum(sum(score) for _, score in pairs)
    if points in (0, games):
        return math.copysign(math.inf, points - games / 2), math.inf
    low, high = -5_000.0, 10_000.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        total = sum(sum(score) * expected(middle, rating) for rating, score in pairs)
        low, high = (middle, high) if total < points else (low, middle)
    rating = (low + high) / 2
    slope = math.log(10) / 400 * sum(sum(score) * (e := expected(rating, other)) * (1 - e) for other, score in pairs)
    return rating, math.sqrt(sum(variance(score) for _, score in pairs)) / slope


def variance(score):
    """The variance of the points of these games, as they scatter; where none does, as if one more game had been a draw."""
    wins, draws, losses = score
    if not (draws or wins and losses):
        draws = 1
    games = wins + draws + losses
    mean = (wins + draws / 2) / games
    return wins * (1 - mean) ** 2 + draws * (0.5 - mean) ** 2 + losses * mean ** 2


def interval(rating, error):
    return f"{rating:.0f} [{rating - 1.96 * error:.0f}, {rating + 1.96 * error:.0f}]" if math.isfinite(rating) else "-"


def report(ratings, scores, control):
    print(f"| engine | rating | games at {control} | won | drawn | lost | score | Okapi's rating by it, 95 % |")
    print("| --- " * 8 + "|")
    for name, score in scores.items():
        games, points = sum(score), score[0] + score[1] / 2
        row = [name, ratings[name], games, *score, f"{100 * points / games:.1f} %", interval(*joint([(ratings[name], score)]))]
        print("| " + " | ".join(map(str, row)) + " |")
    print(f"\njoint rating, 95 %: {interval(*joint([(ratings[name], score) for name, score in scores.items()]))}")


if __name__ == "__main__":
    main()
