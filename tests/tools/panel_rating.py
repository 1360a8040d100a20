#!/usr/bin/env python3
"""Rates the checkpoints of leagues (okapi league) on the leagues' opponents: KnightCap's experiment.

    python3 tests/tools/panel_rating.py league-1 league-2 league-3 --openings book.epd --state ratings

Every checkpoint of every league meets every opponent of its pool, with the pool's words. One rating of all games (okapi match --merge)
gives every checkpoint's Elo; the scale begins at --start, the mean of the checkpoints of 0 games. Every league has openings of its
own, so that Student's 95 % interval of the mean gain over the leagues holds the error of the games too. The Elo of a league's checkpoints
is written to its panel.csv, for okapi report. The same command goes on where it was stopped.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tomllib

# Student's t, 97.5 %, by degrees of freedom.
STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("leagues", nargs="+", metavar="LEAGUE", help="folders of okapi league, of the same pool")
    parser.add_argument("--engine", default="target/release/okapi", metavar="PROGRAM")
    parser.add_argument("--openings", required=True, metavar="FILE", help="openings for the games (.epd or .pgn)")
    parser.add_argument("--state", required=True, metavar="FOLDER", help="the records of the matches")
    parser.add_argument("--games", type=int, default=200, help="games of a checkpoint against an opponent")
    parser.add_argument("--checkpoints", type=int, nargs="+", help="only those after so many games; 0 is always rated")
    parser.add_argument("--start", type=float, default=1650, help="the Elo of the checkpoints of 0 games")
    parser.add_argument("--seed", type=int, default=1, help="of the first league's openings; the next ones have the next seeds")
    parser.add_argument("--concurrency", type=int, default=2)
    options = parser.parse_args()
    os.makedirs(options.state, exist_ok=True)
    pools = {league: read_pool(league) for league in options.leagues}
    opponents = pools[options.leagues[0]]["opponent"]
    if any(pool["opponent"] != opponents for pool in pools.values()):
        sys.exit("the leagues have different opponents")
    checkpoints = {league: read_checkpoints(options, league) for league in options.leagues}
    records = {}
    for seed, (league, pool) in enumerate(pools.items(), options.seed):
        for games in checkpoints[league]:
            for opponent in opponents:
                records[league, games, opponent["name"]] = play(options, league, pool, games, opponent, seed)
    report(options, checkpoints, opponents, records)


def read_pool(league):
    with open(os.path.join(league, "league.toml"), "rb") as file:
        return tomllib.load(file)


def read_checkpoints(options, league):
    """The numbers of games after which a network was kept, in their order."""
    kept = sorted(int(name.split(".")[0]) for name in os.listdir(os.path.join(league, "checkpoints")))
    if 0 not in kept:
        sys.exit(f"{league} has no checkpoint of 0 games")
    return [games for games in kept if options.checkpoints is None or games == 0 or games in options.checkpoints]


def player_name(league, games):
    return f"{os.path.basename(os.path.normpath(league))}-{games}"


def play(options, league, pool, games, opponent, seed):
    name = player_name(league, games)
    record = os.path.join(options.state, f"{name}-{opponent['name']}.state")
    net = os.path.join(league, "checkpoints", f"{games:06}.safetensors")
    learner = f"okapi name={name} eval=linear value-net={net} policy={pool['policy']} nodes={pool['nodes']} hash=16"
    command = [options.engine, "match", "--player", learner, "--player", f"{opponent['player']} name={opponent['name']}",
               "--games", str(options.games), "--openings", options.openings, "--order", "random",
               "--seed", str(seed), "--state", record, "--concurrency", str(options.concurrency)]
    print(f"{name} against {opponent['name']}", file=sys.stderr)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return record


def merged(options, records):
    out = subprocess.run([options.engine, "match", "--merge", *records, "--json", "-"], check=True, capture_output=True)
    return json.loads(out.stdout)


def report(options, checkpoints, opponents, records):
    elo = {row["player"]: row["rating"] for row in merged(options, records.values())["ratings"]["players"]}
    start = statistics.mean(elo[player_name(league, 0)] for league in checkpoints)
    names = [opponent["name"] for opponent in opponents]
    print("| league | games | Elo | gain | " + " | ".join(f"{name}, %" for name in names) + " |")
    print("| --- " * (4 + len(names)) + "|")
    gains = {}
    for league, kept in checkpoints.items():
        panel = os.path.join(league, "panel.csv")
        with open(panel + ".part", "w") as file:
            file.write("games,elo\n")
            file.writelines(f"{games},{options.start + elo[player_name(league, games)] - start:.1f}\n" for games in kept)
        os.replace(panel + ".part", panel)
        for games in kept:
            name = player_name(league, games)
            gain = elo[name] - elo[player_name(league, 0)]
            gains.setdefault(games, []).append(gain)
            shares = [share(options, records[league, games, opponent], opponent) for opponent in names]
            row = [os.path.basename(os.path.normpath(league)), f"{games}", f"{options.start + elo[name] - start:.0f}", f"{gain:+.0f}"]
            print("| " + " | ".join(row + [f"{100 * value:.1f}" for value in shares]) + " |")
    print("\n| games | leagues | mean gain | 95 % interval |\n| --- | --- | --- | --- |")
    for games, values in sorted(gains.items()):
        if games and len(values) - 1 in STUDENT:
            error = STUDENT[len(values) - 1] * statistics.stdev(values) / len(values) ** 0.5
            mean = statistics.mean(values)
            print(f"| {games} | {len(values)} | {mean:+.0f} | {mean - error:+.0f} to {mean + error:+.0f} |")


def share(options, record, opponent):
    """The part of the points that the checkpoint took."""
    encounter = merged(options, [record])["encounters"][0]
    wins, draws, losses = (encounter["score"][key] for key in ("wins", "draws", "losses"))
    points = (losses if encounter["player"] == opponent else wins) + draws / 2
    return points / (wins + draws + losses)


if __name__ == "__main__":
    main()
