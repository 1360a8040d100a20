#!/usr/bin/env python3
"""Repeats a measurement: runs a command of docs/commands.csv after showing what docs/experiments.csv has of it.

    python3 tests/tools/repeat.py "Continuation history"    # lists the results of a technique, and their commands
    python3 tests/tools/repeat.py bench
    python3 tests/tools/repeat.py sts-25000 --print    # shows the figures and the command, and runs nothing

Run it in the root of a checkout whose release build is up to date.
"""

import argparse
import subprocess
import sys

from forest_plot import COMMANDS, DOCS, TABLE, read


def figure(row):
    """A row as a line of text."""
    results = f"+{row['wins']} ={row['draws']} -{row['losses']} " if row["wins"] else ""
    interval = f" [{row['low']}, {row['high']}]" if row["low"] else ""
    elo = f"{row['elo']}{interval} Elo" if row["elo"] else ""
    error = f" ± {row['error']}" if row["error"] else ""
    other = f"{row['metric']}: {row['value']}{error}" if row["metric"] else ""
    return f"{row['date'] or '-':10} {row['commit'] or '-':7} {row['variant']}: {results}{elo}{other}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("id", help="a command, the first column of docs/commands.csv, or a technique, that of docs/experiments.csv")
    parser.add_argument("--print", action="store_true", help="run nothing")
    options = parser.parse_args()
    commands = {row["id"]: row["command"] for row in read(COMMANDS)}
    rows = read(TABLE)
    of_technique = [row for row in rows if row["technique"].lower() == options.id.lower()]
    if options.id not in commands and of_technique:
        for row in of_technique:
            print(f"{row['command'] or '(no command)':24} {figure(row)}  {row['state']}")
        return 0
    if options.id not in commands:
        sys.exit(f"{options.id} is neither a technique of {TABLE} nor a command of {COMMANDS}: {', '.join(commands)}")
    for row in rows:
        if row["command"] == options.id:
            print(figure(row))
    print(commands[options.id], flush=True)
    return 0 if options.print else subprocess.run(["bash", "-c", commands[options.id]], cwd=DOCS.parent, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
