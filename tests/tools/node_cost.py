#!/usr/bin/env python3
"""Shows where the instructions of a search's nodes go: runs `okapi bench` under callgrind and sums them by part.

    python3 tests/tools/node_cost.py target/release/okapi                   # the default search, the whole bench
    python3 tests/tools/node_cost.py target/release/okapi 7 --search probability  # other arguments of `okapi bench`
    python3 tests/tools/node_cost.py target/release/okapi -- --search mcts   # nodes are visits; each has a quiescence search
    python3 tests/tools/node_cost.py --read callgrind.out --nodes 400146    # a profile that is there

Only what a search does is counted, not the start of the program and tables that are made once. A function whose name is in no part belongs to those that call
it, in proportion to what their calls cost. It needs valgrind and a release build, which has the names of functions.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict

# (part, names of functions): the first that matches counts. What no part names belongs to its callers.
PARTS = [
    ("evaluation", r"Evaluator>::logit$|Worker<.*>::evaluate$"),
    ("policy network", r"NetworkPolicy::mix$"),
    ("linear policy", r"LinearPolicy as .*::priors$"),
    ("static policy, capture history", r"Policy>::allocate$|::scale_captures$"),
    ("exchanges (SEE)", r"^board::see::(?!OpponentAttacks::of)|Position>?::see"),
    ("listing and scoring moves", r"::list_moves$|for_each_(legal_move|piece)::|OpponentAttacks::of$"),
    ("sorting moves", r"scored_move::sort"),
    ("making moves", r"Worker<.*>::make$|Board::play_unchecked$|PlacementLine::(make|push)|Board::null_move$"),
    ("table", r"^search::table::"),
    ("the tree of visits (--search mcts)", r"^search::mcts::"),
    ("nodes, quiescence and their moves", r"^search::|::for_each_noisy_move"),
]
# Inside it is the search; outside, the start of the program. What is made once, such as the table of king and pawn against king,
# is no node's cost, wherever it is made.
SEARCH = r"Searcher>::search$"
ONCE = r"::sync::once"


class Profile:
    """The costs of a callgrind file: of every function itself, and of its calls."""

    def __init__(self, path):
        self.own = defaultdict(int)
        # (callee, caller): inclusive cost and number.
        self.calls = defaultdict(lambda: [0, 0])
        self.names = {}
        function, callee, number, is_call = None, None, 0, False
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("fn="):
                    function = self.name(line[3:])
                elif line.startswith("cfn="):
                    callee = self.name(line[4:])
                elif line.startswith("calls="):
                    number, is_call = int(line[6:].split()[0]), True
                elif line[0] in "0123456789+-*":
                    cost = int(line.split()[-1])
                    if is_call:
                        call = self.calls[callee, function]
                        call[0] += cost
                        call[1] += number
                        is_call = False
                    else:
                        self.own[function] += cost

    def name(self, text):
        """The name of a function, which a file writes out only once."""
        number, _, name = text.strip().partition(" ")
        # Levels of a recursion are one function.
        return self.names.setdefault(number, re.sub(r"'\d+$", "", name))


def part_of(function):
    """The part that a function's name tells, if it does."""
    return next((part for part, pattern in PARTS if re.search(pattern, function)), None)


def shares(profile):
    """(function): the shares of its own cost that belong to each part; the rest is no search."""
    callers = defaultdict(list)
    for (callee, caller), (cost, _) in profile.calls.items():
        if callee != caller:
            callers[callee].append((caller, cost))
    named = {function: part_of(function) for function in profile.own}
    found = {function: {part: 1.0} if part else {} for function, part in named.items()}
    found |= {function: {PARTS[-1][0]: 1.0} for function in found if re.search(SEARCH, function)}
    inherit = [function for function, part in found.items() if not part and not re.search(ONCE, function)]
    # Chains of helpers are short; a circle among them settles.
    for _ in range(16):
        for function in inherit:
            total = max(sum(cost for _, cost in callers[function]), 1)
            part = defaultdict(float)
            for caller, cost in callers[function]:
                for name, share in found.get(caller, {}).items():
                    part[name] += share * cost / total
            found[function] = part
    return found


def table(profile, nodes, evaluations):
    """The parts as lines: instructions a node, share, and of the evaluation what each costs."""
    sums = defaultdict(float)
    for function, part in shares(profile).items():
        for name, share in part.items():
            sums[name] += share * profile.own[function]
    total = sum(sums.values())
    yield f"{'part':36} {'a node':>8} {'share':>7} {'each':>8}"
    for name, _ in PARTS:
        each = f"{sums[name] / evaluations:8.0f}" if name == PARTS[0][0] and evaluations else ""
        yield f"{name:36} {sums[name] / nodes:8.0f} {100 * sums[name] / total:6.1f}% {each}".rstrip()
    yield f"{'search':36} {total / nodes:8.0f} {100:6.1f}%"
    yield f"{'the rest of the program':36} {sum(profile.own.values()) / 1e6 - total / 1e6:8.0f} million in all"


def number_of(word, text):
    """The number behind a word at the start of a line."""
    found = re.search(rf"^{word} (\d+)$", text, re.MULTILINE)
    return int(found[1]) if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="okapi, a release build")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of `okapi bench`")
    parser.add_argument("--isa", default="avx2", help="the instruction set [default: avx2]")
    parser.add_argument("--read", metavar="FILE", help="a callgrind file instead of a run")
    parser.add_argument("--nodes", type=int, default=0, help="with --read: the nodes of its run")
    parser.add_argument("--evaluations", type=int, default=0, help="with --read: the evaluations of its run")
    options = parser.parse_args()
    if options.read:
        if options.nodes <= 0:
            sys.exit("--read needs --nodes N, the number of nodes of that run")
        print("\n".join(table(Profile(options.read), options.nodes, options.evaluations)))
        return
    if not options.program:
        sys.exit("name the program, for example target/release/okapi")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "callgrind.out")
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", options.program, "bench", *options.arguments]
        try:
            run = subprocess.run(command, env=os.environ | {"OKAPI_ISA": options.isa}, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            sys.exit("valgrind is not installed (apt install valgrind)")
        nodes = number_of("nodes", run.stdout)
        if run.returncode or not nodes:
            sys.exit(f"the bench failed:\n{run.stderr}")
        print(f"nodes {nodes}, isa {options.isa}")
        print("\n".join(table(Profile(out), nodes, number_of("evaluations", run.stdout))))


if __name__ == "__main__":
    main()
