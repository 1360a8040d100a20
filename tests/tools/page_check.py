#!/usr/bin/env python3
"""Uses a page of `okapi analyse` as a reader does: keys, mouse and touch, on a wide and a narrow screen, by day and by night.

    pip install websocket-client
    python3 tests/tools/page_check.py pages/1.html [--pictures FOLDER]

The page must have a game of three plies or more and be of Okapi (with move probabilities). It is driven through the DevTools protocol of a
headless browser; what fails is named, and the exit code is 1. --pictures keeps a picture of each screen. Needs Debian's chromium and PyPI's
websocket-client.
"""

import argparse
import base64
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import websocket

SCREENS = [("wide", 1400, 900), ("narrow", 390, 844)]


class Browser:
    """A headless browser with one tab."""

    def __init__(self, program, folder):
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--remote-allow-origins=*",
             f"--user-data-dir={folder}", "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = Path(folder) / "DevToolsActivePort"
        deadline = time.monotonic() + 60
        while not (port.exists() and port.read_text().count("\n")):
            if time.monotonic() > deadline:
                raise SystemExit(f"{program} does not start")
            time.sleep(0.1)
        number, path = port.read_text().split("\n")[:2]
        self.socket = websocket.create_connection(f"ws://127.0.0.1:{number}{path}", timeout=60)
        self.count, self.session = 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Runtime.enable")

    def call(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        self.socket.send(json.dumps(message | ({"sessionId": self.session} if self.session else {})))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("method") == "Runtime.exceptionThrown":
                raise SystemExit(f"the page fails: {answer['params']['exceptionDetails']}")
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name)

    def mouse(self, kind, x, y, pressed=1):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=pressed, clickCount=1)

    def touch(self, *points):
        x, y = points[0]
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        for x, y in points[1:]:
            self.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()


# A legal move that is neither the game's nor the beginning of a line, and whose piece and square belong to no other such.
OTHER = """plies[now].moves.find((move) => move[0] !== plies[now].made.san && !plies[now].search.lines.some((line) => line.moves[0][0] === move[0])
    && plies[now].moves.filter((other) => other[1][0] === move[1][0] && other[1][1] === move[1][1]).length === 1)"""


def check(browser, page, failed):
    def expect(what, found, wanted=True):
        if found != wanted:
            failed.append(f"{what}: {found!r} instead of {wanted!r}")

    browser.call("Page.navigate", url=page)
    deadline = time.monotonic() + 60
    while browser.value("document.readyState") != "complete" and time.monotonic() < deadline:
        time.sleep(0.05)
    last = browser.value("plies.length - 1")
    expect("a page begins at the start", browser.value("now"), 0)
    for key, ply in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last), ("Home", 0)):
        browser.key(key)
        expect(f"after {key}", browser.value("now"), ply)
    expect("lines are shown", browser.value("document.querySelectorAll('#lines div').length === plies[0].search.lines.length"))
    expect("the page is not wider than the screen", browser.value("document.documentElement.scrollWidth <= screen.width"))
    # The best move of a line, chosen by a click.
    browser.value("document.querySelector('#lines a').click()")
    expect("a line is followed", browser.value("side && side.at"), 1)
    browser.key("ArrowLeft")
    expect("the game is back", browser.value("side"), None)
    for way in ("drag by mouse", "two clicks", "drag by touch", "two taps"):
        move = browser.value(OTHER)
        start, end = both(browser, move)
        if way == "drag by mouse":
            browser.mouse("mousePressed", *start)
            expect("legal squares are marked", browser.value("document.querySelectorAll('#board .target').length > 0"))
            browser.mouse("mouseMoved", *end)
            browser.mouse("mouseReleased", *end, pressed=0)
        elif way == "two clicks":
            for place in (start, end):
                browser.mouse("mousePressed", *place)
                browser.mouse("mouseReleased", *place, pressed=0)
        elif way == "drag by touch":
            browser.touch(start, end)
        else:
            browser.touch(start)
            browser.touch(end)
        expect(f"{way}: the move is on the board", browser.value("side && side.steps[0][0]"), move[0])
        expect(f"{way}: the page says what it knows", browser.value(f"byId('says').textContent.startsWith({json.dumps(move[0])})"))
        browser.key("ArrowLeft")
        expect(f"{way}: the game is back", browser.value("side"), None)
    # The game's own move goes on in the game.
    browser.value("make(plies[now].moves.find((move) => move[0] === plies[now].made.san))")
    expect("the game's own move", browser.value("[now, side]"), [1, None])
    browser.key("Home")


def both(browser, move):
    """Where a move begins and ends on the screen, both in sight."""
    middle = """(() => { const at = document.querySelector('[data-square="%d"]').getBoundingClientRect();
        return [at.x + at.width / 2, at.y + at.height / 2]; })()"""
    browser.value("byId('board').scrollIntoView({ block: 'center' })")
    return tuple(browser.value(middle % move[1][0])), tuple(browser.value(middle % move[1][1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", metavar="PAGE.html")
    parser.add_argument("--browser", default="chromium", metavar="PROGRAM")
    parser.add_argument("--pictures", metavar="FOLDER")
    options = parser.parse_args()
    page, failed = Path(options.page).resolve().as_uri(), []
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(options.browser, folder)
        for name, width, height in SCREENS:
            browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=name == "narrow",
                         screenWidth=width, screenHeight=height)
            browser.call("Emulation.setTouchEmulationEnabled", enabled=True)
            for scheme in ("light", "dark"):
                browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                before = len(failed)
                check(browser, page, failed)
                failed[before:] = [f"{name}, {scheme}: {fault}" for fault in failed[before:]]
                if options.pictures:
                    Path(options.pictures).mkdir(exist_ok=True)
                    shot = browser.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
                    (Path(options.pictures) / f"{name}-{scheme}.png").write_bytes(base64.b64decode(shot))
        browser.close()
    print("\n".join(failed) or "everything works on both screens, by day and by night")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
