"""A UCI engine as a process: lines out, lines in. It judges nothing, so that a finding sees what the engine sends."""

import queue
import subprocess
import threading
import time


class Engine:
    """Starts `command` and waits for `uciok`; `name` is what the engine calls itself."""

    def __init__(self, *command, **options):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.lines = queue.Queue()
        threading.Thread(target=lambda: [self.lines.put(line.strip()) for line in self.process.stdout], daemon=True).start()
        self.send("uci")
        lines = self.until("uciok")
        self.name = next(line[8:] for line in lines if line.startswith("id name "))
        for option, value in options.items():
            self.send(f"setoption name {option} value {value}")
        self.send("isready")
        self.until("readyok")

    def send(self, *lines):
        self.process.stdin.write("".join(line + "\n" for line in lines))
        self.process.stdin.flush()

    def until(self, word, seconds=30, enough=lambda line: False):
        """The lines up to the one that starts with `word`, to one that is `enough`, or to the end of the time."""
        lines, end = [], time.monotonic() + seconds
        while not (lines and (lines[-1].startswith(word) or enough(lines[-1]))):
            try:
                lines.append(self.lines.get(timeout=max(0.0, end - time.monotonic())))
            except queue.Empty:
                break
        return lines

    def quit(self):
        self.send("quit")
        self.process.wait(10)


def number(line, word):
    """The integer after `word` in an info line, 0 where there is none."""
    words = line.split()
    return int(words[words.index(word) + 1]) if word in words[:-1] else 0
