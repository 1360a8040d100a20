#!/usr/bin/env python3
"""Draws docs/experiments.svg from docs/experiments.csv: a forest plot, Elo with 95 % intervals by technique.

    python3 tests/tools/forest_plot.py            # writes the figure
    python3 tests/tools/forest_plot.py --check    # checks the tables and that the figure is the one that they give

A row is drawn if its column `plot` has "GROUP: LABEL". Every row is a match (`elo`, or `wins`, `draws` and `losses`) or another
figure (`metric` and `value`). `command` is a row of docs/commands.csv.
"""

import argparse
import csv
import math
import re
import sys
from html import escape
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
TABLE, COMMANDS, FIGURE = DOCS / "experiments.csv", DOCS / "commands.csv", DOCS / "experiments.svg"

COLUMNS = (
    "technique variant commit against limit games wins draws losses elo low high llr ended_by metric value error seed date command"
    " state plot note"
).split()
# State of a variant and the color of its row: light background, dark background.
STATES = {
    "kept": ("#0a7f5a", "#3fcf9a"),
    "replaced": ("#1f6feb", "#6cb0ff"),
    "undecided": ("#9a6700", "#e3b341"),
    "rejected": ("#c0392b", "#ff8a7a"),
    "stopped": ("#6e7781", "#9aa4ae"),
    "measured": ("#6e7781", "#9aa4ae"),
}
# What ended a match: its number of games, its sequential test (which biases Elo away from zero), or its observer.
ENDINGS = {"games", "sprt", "stopped"}
PREAMBLE = ". docs/experiments.sh; "

WIDTH, ROW, TOP = 900, 19, 64
PLOT_LEFT, PLOT_RIGHT = 385, 705
LEAST, GREATEST, TICK = -140, 240, 60


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def number(text):
    """The number in a cell, or None if the cell is empty."""
    return float(text) if text else None


def score_elo(wins, draws, losses):
    """Elo of a score; infinite if every game was won."""
    score = (wins + draws / 2) / (wins + draws + losses)
    return math.copysign(math.inf, score - 0.5) if score in (0, 1) else 400 * math.log10(score / (1 - score))


def match_faults(row):
    """What is wrong with the numbers of a match."""
    results = [number(row[name]) for name in ("wins", "draws", "losses")]
    low, elo, high = (number(row[name]) for name in ("low", "elo", "high"))
    if row["ended_by"] not in ENDINGS:
        yield f"ended_by is {row['ended_by']!r}"
    if row["ended_by"] == "sprt" and not row["llr"]:
        yield "a sequential test without llr"
    if (low is None) != (high is None) or (low is not None and (elo is None or not low <= elo <= high)):
        yield f"not low <= elo <= high: {low}, {elo}, {high}"
    if any(result is None for result in results):
        if any(result is not None for result in results):
            yield "a part of wins, draws and losses is missing"
        return
    if row["games"] and sum(results) != number(row["games"]):
        yield f"{sum(results):.0f} results in {row['games']} games"
    if elo is not None and abs(score_elo(*results) - elo) > 1.5:
        yield f"elo is {elo}, by wins, draws and losses {score_elo(*results):.1f}"


def row_faults(row, commands):
    """What is wrong with a row."""
    if None in row or None in row.values():
        yield "not as many cells as columns"
        return
    for name in ("games", "wins", "draws", "losses", "elo", "low", "high", "llr", "value", "error"):
        if row[name] and not re.fullmatch(r"-?\d+(\.\d+)?", row[name]):
            yield f"{name} is no number: {row[name]!r}"
            return
    is_match, is_figure = bool(row["elo"] or row["wins"]), bool(row["metric"] and row["value"])
    if is_match == is_figure or bool(row["metric"]) != bool(row["value"]):
        yield "neither a match nor another figure, or both"
    if is_match:
        yield from match_faults(row)
    if not row["technique"] or not row["variant"]:
        yield "technique or variant is missing"
    if row["state"] not in STATES:
        yield f"state is {row['state']!r}, not one of {', '.join(STATES)}"
    if row["commit"] and not re.fullmatch(r"[0-9a-f]{7}", row["commit"]):
        yield f"commit is {row['commit']!r}"
    if row["date"] and not re.fullmatch(r"\d{4}-\d\d-\d\d", row["date"]):
        yield f"date is {row['date']!r}"
    if row["command"] and row["command"] not in commands:
        yield f"command {row['command']!r} is not in {COMMANDS.name}"
    if row["plot"] and not (row["high"] and re.fullmatch(r"[^:]+: .+", row["plot"])):
        yield "plot needs an interval and GROUP: LABEL"


def faults(rows, commands):
    """All that is wrong with both tables."""
    if not rows or list(rows[0]) != COLUMNS:
        return [f"{TABLE.name}: the columns are not {', '.join(COLUMNS)}"]
    known = {command["id"]: command["command"] for command in commands}
    found = [f"{TABLE.name}, row {line}: {fault}" for line, row in enumerate(rows, 2) for fault in row_faults(row, known)]
    unused = sorted(set(known) - {row["command"] for row in rows})
    found += [f"{COMMANDS.name}: no row has the command {name}" for name in unused]
    found += [f"{COMMANDS.name}: {name} does not begin with {PREAMBLE!r}" for name, text in known.items() if not text.startswith(PREAMBLE)]
    if len(known) != len(commands):
        found.append(f"{COMMANDS.name}: two commands have one id")
    return found


def x_of(elo):
    """The place of an Elo on the axis, at its end if beyond."""
    inside = min(max(elo, LEAST), GREATEST)
    return PLOT_LEFT + (inside - LEAST) / (GREATEST - LEAST) * (PLOT_RIGHT - PLOT_LEFT)


def arrow(elo, y):
    """An arrow head at the end of the axis that `elo` is beyond, or nothing."""
    if LEAST <= elo <= GREATEST:
        return ""
    x, inward = x_of(elo), -6 if elo > GREATEST else 6
    return f'<path d="M{x + inward:.1f} {y - 4} L{x:.1f} {y} L{x + inward:.1f} {y + 4}"/>'


def signed(text):
    value = float(text)
    return f"{value:+.0f}".replace("-", "−") if value else "0"


def draw_row(row, label, y):
    """A row of the figure: label, interval with its point, numbers, games."""
    elo, low, high = (float(row[name]) for name in ("elo", "low", "high"))
    hollow = " hollow" if row["ended_by"] == "sprt" else ""
    mark = f'<circle cx="{x_of(elo):.1f}" cy="{y}" r="4"/>' if LEAST <= elo <= GREATEST else ""
    games = f"{int(row['games']):,}" if row["games"] else ""
    numbers = f"{signed(row['elo'])} [{signed(row['low'])}, {signed(row['high'])}]"
    return [
        f'<text x="20" y="{y + 4}">{escape(label)}</text>',
        f'<g class="{row["state"]}{hollow}"><path d="M{x_of(low):.1f} {y} H{x_of(high):.1f}"/>{arrow(low, y)}{arrow(high, y)}{mark}</g>',
        f'<text x="828" y="{y + 4}" class="end">{numbers}</text><text x="886" y="{y + 4}" class="end dim">{games}</text>',
    ]


def style():
    """Colors for a light and for a dark background; the figure brings its background along."""
    rules = ["text{font:12px system-ui,sans-serif;fill:#1f2328}", ".dim{fill:#59636e}", ".head{font-weight:600}", ".end{text-anchor:end}"]
    rules += [".mid{text-anchor:middle}", ".ground{fill:#ffffff}", ".grid{stroke:#d1d9e0}", ".zero{stroke:#59636e}"]
    rules += ["g path{fill:none;stroke-width:2}", "g.hollow circle{stroke-width:2;fill:#ffffff}"]
    dark = ["text{fill:#f0f6fc}", ".dim{fill:#9198a1}", ".ground{fill:#0d1117}", ".grid{stroke:#30363d}", ".zero{stroke:#9198a1}"]
    for state, (on_light, on_dark) in STATES.items():
        rules.append(f".{state} path,.{state} circle{{stroke:{on_light}}}.{state} circle{{fill:{on_light}}}")
        dark.append(f".{state} path,.{state} circle{{stroke:{on_dark}}}.{state} circle{{fill:{on_dark}}}")
    rules.append("g.hollow circle{fill:#ffffff}")
    dark.append("g.hollow circle{fill:#0d1117}")
    return f"<style>{''.join(rules)}@media (prefers-color-scheme:dark){{{''.join(dark)}}}</style>"


def legend():
    """The states that have a color of their own, and the hollow point."""
    lines, x = [], 20
    for name, text in (("kept", "kept"), ("replaced", "kept, replaced since"), ("undecided", "undecided"), ("rejected", "rejected"), ("measured", "measured")):
        lines.append(f'<g class="{name}"><circle cx="{x}" cy="20" r="4"/></g><text x="{x + 9}" y="24">{text}</text>')
        x += 34 + 6.2 * len(text)
    lines.append(f'<g class="measured hollow"><circle cx="{x:.1f}" cy="20" r="4"/></g>')
    lines.append(f'<text x="{x + 9:.1f}" y="24">ended by a sequential test: biased away from 0</text>')
    return lines


def axis(bottom):
    lines = []
    for elo in range(-(-LEAST // TICK) * TICK, GREATEST + 1, TICK):
        x = x_of(elo)
        lines.append(f'<path d="M{x:.1f} {TOP - 12} V{bottom}" class="{"grid" if elo else "zero"}"/>')
        lines.append(f'<text x="{x:.1f}" y="{TOP - 18}" class="mid dim">{signed(elo)}</text>')
    lines.append(f'<text x="828" y="{TOP - 18}" class="end dim">Elo, 95 %</text><text x="886" y="{TOP - 18}" class="end dim">games</text>')
    return lines


def draw(rows):
    """The whole figure; groups in the order of the table, their rows by Elo."""
    groups = {}
    for row in rows:
        if row["plot"]:
            group, label = row["plot"].split(": ", 1)
            groups.setdefault(group, []).append((row, label))
    body, y = [], TOP
    for group, members in groups.items():
        body.append(f'<text x="10" y="{y + 4}" class="head">{escape(group)}</text>')
        y += ROW
        for row, label in sorted(members, key=lambda member: (-float(member[0]["elo"]), member[1])):
            body += draw_row(row, label, y)
            y += ROW
        y += ROW // 2
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" height="{y}" role="img">'
    title = "<title>Elo of Okapi's techniques, by matches, with 95 % intervals</title>"
    ground = f'<rect class="ground" width="{WIDTH}" height="{y}" rx="6"/>'
    return "\n".join([head, title, style(), ground, *legend(), *axis(y - ROW), *body, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with status 1 if a table or the figure is wrong")
    options = parser.parse_args()
    rows, commands = read(TABLE), read(COMMANDS)
    found = faults(rows, commands)
    if not found and not options.check:
        FIGURE.write_text(draw(rows), encoding="utf-8")
    if not found and (not FIGURE.exists() or FIGURE.read_text(encoding="utf-8") != draw(rows)):
        found.append(f"{FIGURE.name} is not what {TABLE.name} gives: run python3 tests/tools/forest_plot.py")
    print("\n".join([*found, f"{len(rows)} rows, {len(commands)} commands, {len(found)} faults"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
