"""A UCI engine as a child process, driven with blocking calls that all have a limit."""

import os
import select
import shlex
import subprocess
import time


class EngineError(Exception):
    """The engine has died, or has not answered in time."""


class Answer:
    """The result of a search: its move, the last score (centipawns of the side to move), nodes and seconds used, and, after
    `debug on`, by how many milliseconds it exceeded its own hard limit (negative if it did not)."""

    def __init__(self, move, score, nodes, seconds, overstep):
        self.move, self.score, self.nodes, self.seconds, self.overstep = move, score, nodes, seconds, overstep


MATE = 100_000


class Engine:
    """A running engine. `options` are (name, value) pairs."""

    def __init__(self, command, options=()):
        self.process = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        self.rest = b""
        self.name = command
        self.send("uci")
        for line in self.lines_until("uciok", 20):
            if line.startswith("id name "):
                self.name = line[8:]
        for name, value in options:
            self.send(f"setoption name {name} value {value}")
        self.ready()

    def send(self, line):
        try:
            self.process.stdin.write(line.encode() + b"\n")
        except OSError as error:
            raise EngineError(f"died ({self.process.poll()})") from error

    def lines_until(self, prefix, seconds):
        """Yields lines up to and including the first that begins with `prefix`."""
        deadline = time.monotonic() + seconds
        output = self.process.stdout.fileno()
        while True:
            *lines, self.rest = self.rest.split(b"\n")
            for index, line in enumerate(lines):
                text = line.decode(errors="replace").strip()
                if text.startswith(prefix):
                    self.rest = b"\n".join(lines[index + 1 :] + [self.rest])
                    yield text
                    return
                yield text
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([output], [], [], left)[0]:
                raise EngineError(f"no {prefix} within {seconds:.1f} s")
            data = os.read(output, 1 << 16)
            if not data:
                raise EngineError(f"died ({self.process.wait()})")
            self.rest += data

    def ready(self):
        self.send("isready")
        for _ in self.lines_until("readyok", 20):
            pass

    def new_game(self):
        self.send("ucinewgame")
        self.ready()

    def search(self, position, go, patience):
        """Searches `position` as `go` says, both the text after that word."""
        self.send(f"position {position}")
        started = time.monotonic()
        self.send(f"go {go}")
        score = nodes = move = overstep = None
        for line in self.lines_until("bestmove", patience):
            words = line.split()
            if words[:1] == ["info"] and words[1:2] != ["string"]:
                if "score" in words and ("multipv" not in words or words[words.index("multipv") + 1] == "1"):
                    at = words.index("score")
                    number = int(words[at + 2])
                    is_mate = words[at + 1] == "mate"
                    score = (MATE - number if number > 0 else -MATE - number) if is_mate else number
                if "nodes" in words:
                    nodes = int(words[words.index("nodes") + 1])
            elif words[:3] == ["info", "string", "time:"]:
                used, hard = (float(words[words.index(key) + 1]) for key in ("used", "hard"))
                overstep = used - hard
            elif words[:1] == ["bestmove"]:
                move = words[1] if len(words) > 1 else ""
        return Answer(move, score, nodes, time.monotonic() - started, overstep)

    def close(self):
        """Ends the engine, by force if need be."""
        try:
            self.send("quit")
            self.process.wait(2)
        except (EngineError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def parse_option(text):
    """`Name=Value` as a pair, for argparse."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"an option is Name=Value, not {text}")
    return name, value
