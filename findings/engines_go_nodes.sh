#!/usr/bin/env bash
# Guess: `go nodes 40000` makes any UCI engine search about 40,000 nodes, as every one of them counts nodes.
# True:  Debian's engines do four things. Stockfish stops within a few nodes. Glaurung looks at its count seldom: 60,000 for 40,000.
#        Toga II and GNU Chess ignore the word, and as nothing else limits them, they search until `stop`. Ethereal ignores it too, but
#        then answers after its first iteration: 6 nodes of 40,000.
# So:    a match at equal nodes checks the nodes that an engine reports, in both directions; an answer alone proves nothing.
# Seen:  stockfish 15.1-4, glaurung 2.2-4, toga2 3.0.0.1SE1-2+b1, gnuchess 6.2.7-1+deb12u1, ethereal-chess 12.00+ds1-1 (Debian 12);
#        2026-11-27.
source "$(dirname "$0")/common.bash"
debian stockfish=15.1-4 glaurung=2.2-4 toga2=3.0.0.1SE1-2+b1 gnuchess=6.2.7-1+deb12u1 ethereal-chess=12.00+ds1-1

cat > nodes.py <<'PYTHON'
from uci import Engine, number

ASKED = 40_000

def searched(*command, **options):
    """The nodes reported, and whether the engine answered by itself before five times what it was allowed."""
    engine = Engine(*command, **options)
    engine.send("position startpos", f"go nodes {ASKED}")
    lines = engine.until("bestmove", 40, enough=lambda line: number(line, "nodes") > 5 * ASKED)
    alone = lines[-1].startswith("bestmove")
    if not alone:
        engine.send("stop")
        assert engine.until("bestmove")[-1].startswith("bestmove")
    engine.quit()
    nodes = max(number(line, "nodes") for line in lines)
    print(f"{engine.name}: {nodes:,} nodes of {ASKED:,}, {'then bestmove' if alone else 'and it searches on until stop'}")
    return nodes, alone

nodes, alone = searched("stockfish", Threads=1)
assert alone and ASKED <= nodes < 1.1 * ASKED
nodes, alone = searched("glaurung", Threads=1, OwnBook="false")
assert alone and 1.2 * ASKED < nodes < 2 * ASKED
for command in (["toga2"], ["gnuchess", "--uci"]):
    nodes, alone = searched(*command, OwnBook="false")
    assert not alone and nodes > 5 * ASKED
nodes, alone = searched("ethereal-chess")
assert alone and nodes < 100
PYTHON
holds "one engine obeys, one overshoots, two search on and one plays after a single iteration" python3 nodes.py
