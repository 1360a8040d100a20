#!/usr/bin/env python3
"""Measures the Elo of the levels of strength (src/engine/src/strength.rs) by matches, and writes src/engine/strength.txt.

    python3 tests/tools/strength_levels.py --openings book.epd --state levels

The levels of strength.txt meet their neighbors, Stockfish at its UCI_Elo levels, and two engines of known rating at full strength. One
rating of all games (okapi match --merge) gives every player's Elo; the scale is that of the engines of known rating. With --by-nodes
these do not play, and the scale is that of Stockfish's levels as an earlier measurement found them: no game then depends on time,
so that the levels of new networks can be measured on a busy machine. The same command goes on where it was stopped. Needs
stockfish in PATH, and gnuchess and toga2 unless --by-nodes; about an hour on two cores.
Build Okapi again afterwards: the table is inside the program.
"""

import argparse
import json
import os
import subprocess
import sys

import measured_table

TABLE = "src/engine/strength.txt"
# Stockfish's levels, with the Elo of each at 2,000 nodes a move as this program found it on 24 November 2026, by time.
STOCKFISH = {1350: 1653, 1600: 1848, 1850: 2118, 2100: 2421, 2350: 2484, 2600: 2537, 2850: 2503}
# The rating that each engine has in public lists (CCRL), at full strength. With much less time they play at random.
KNOWN = {"gnuchess": (2700, "cmd='gnuchess --uci' tc=2+0.02"), "toga2": (2850, "cmd=toga2 tc=2+0.02")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="target/release/okapi", metavar="PROGRAM")
    parser.add_argument("--openings", required=True, metavar="FILE", help="openings for the games (.epd or .pgn)")
    parser.add_argument("--state", required=True, metavar="FOLDER", help="the records of the matches")
    parser.add_argument("--games", type=int, default=300, help="games between neighbors; fewer of other pairs")
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--by-nodes", action="store_true", help="without the engines of known rating")
    parser.add_argument("--out", default=TABLE, metavar="FILE")
    options = parser.parse_args()
    os.makedirs(options.state, exist_ok=True)
    efforts = measured_table.read(TABLE)
    levels = {f"level{effort:.1f}": (effort, f"okapi elo={elo:.0f} nodes=1000000") for effort, elo in efforts}
    stockfish = {f"sf{elo}": f"cmd=stockfish option.UCI_LimitStrength=true option.UCI_Elo={elo} option.Threads=1 nodes=2000"
                 for elo in STOCKFISH}
    players = {name: words for name, (_, words) in levels.items()} | stockfish
    players |= {name: words for name, (_, words) in KNOWN.items()}
    known = {name: rating for name, (rating, _) in KNOWN.items()}
    if options.by_nodes:
        known = {f"sf{nominal}": rating for nominal, rating in STOCKFISH.items()}
    records = [play(options, players, *pair) for pair in pairs(list(levels), options.by_nodes)]
    ratings = rate(options, records)
    shift = sum(rating - ratings[name] for name, rating in known.items()) / len(known)
    elo = {name: rating + shift for name, rating in ratings.items()}
    report(levels, elo, known)
    write_table(options.out, [(effort, elo[name]) for name, (effort, _) in levels.items()])


def pairs(levels, by_nodes):
    """The pairs that meet, each with the part of --games that it plays."""
    for weaker, stronger in zip(levels, levels[1:]):
        yield weaker, stronger, 1
    for elo in STOCKFISH:
        for level in levels[3::2]:
            yield f"sf{elo}", level, 1 / 6
    for known in [] if by_nodes else KNOWN:
        for level in levels[-4:]:
            yield known, level, 0.1


def play(options, players, first, second, part):
    record = os.path.join(options.state, f"{first}-{second}.state")
    games = max(2, round(options.games * part / 2) * 2)
    command = [options.engine, "match", "--games", str(games), "--openings", options.openings, "--state", record,
               "--concurrency", str(options.concurrency), "--seed", "1"]
    for name in (first, second):
        command += ["--player", f"{players[name]} name={name}"]
    print(f"{first} against {second}", file=sys.stderr)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return record


def rate(options, records):
    """`{player: Elo}` of all games together, their mean at 0."""
    out = subprocess.run([options.engine, "match", "--merge", *records, "--json", "-"], check=True, capture_output=True)
    ratings = json.loads(out.stdout)["ratings"]["players"]
    return {row["player"]: row["rating"] for row in ratings}


def report(levels, elo, known):
    print("| level | effort | Elo |\n| --- | --- | --- |")
    for name, (effort, _) in levels.items():
        print(f"| {name} | {effort} | {elo[name]:.0f} |")
    print("\n| Stockfish's UCI_Elo | Elo on the scale of the levels | of the fitted line | deviation |\n| --- | --- | --- | --- |")
    points = [(nominal, elo[f"sf{nominal}"]) for nominal in STOCKFISH]
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points))
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    for x, y in points:
        fitted = mean_y + slope * (x - mean_x)
        print(f"| {x} | {y:.0f} | {fitted:.0f} | {y - fitted:+.0f} |")
    for name, rating in known.items():
        print(f"\n{name}: {elo[name]:.0f}, known {rating}")


def write_table(path, rows):
    comment = "The Elo of efforts, measured by tests/tools/strength_levels.py: the scale is CCRL's, by GNU Chess 6.2.7 (2700) and Toga II (2850)."
    lines, last = [], None
    for effort, elo in rows:
        # Neighbors whose measured order is wrong share what they have.
        elo = round(elo) if last is None else max(round(elo), last + 1)
        lines.append(f"{effort:.1f} {elo}")
        last = elo
    measured_table.write(path, comment, lines)


if __name__ == "__main__":
    main()
